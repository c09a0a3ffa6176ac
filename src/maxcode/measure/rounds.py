"""Rounds: two programs measured in turn, in random order, until enough is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from random import Random
from time import monotonic
from typing import TypeVar

from maxcode.evaluation import Interval
from maxcode.measure.statistics import ratio

Sample = TypeVar("Sample")


@dataclass(frozen=True, slots=True)
class Plan:
    """How many rounds to measure.

    At least ``least``, then until the interval of the ratio, at ``level``, is within ``precision``
    to either side (0.05 is 5 %), or ``most`` rounds are done, or ``seconds`` have passed. With
    ``hopeless`` set, no more are needed when each showed a ratio below it. Neither stops before
    ``fewest`` rounds: 8 are what an interval of 99 % takes.
    """

    least: int = 6
    most: int = 8
    precision: float = 0.05
    level: float = 0.95
    seconds: float = 20.0
    hopeless: float = 0.0
    fewest: int = 3


SCORE = Plan(hopeless=0.9)
CONFIRM = Plan(least=10, most=16, precision=0.02, level=0.99, seconds=60.0, fewest=8)


def interleave(
    first: Callable[[], Sample],
    second: Callable[[], Sample],
    read: Callable[[Sample], float],
    plan: Plan,
    rng: Random,
) -> tuple[list[Sample], list[Sample], Interval]:
    """Samples of both, and how many times larger the second's are.

    Each round takes one of each in an order drawn at random, so that neither a drift of the
    machine nor going first favours one. Stopping looks at the width of the interval and at losers,
    never at whether the first one wins.
    """
    ours: list[Sample] = []
    theirs: list[Sample] = []
    started = monotonic()
    while True:
        for side in rng.sample((0, 1), 2):
            (ours, theirs)[side].append((first, second)[side]())
        if len(ours) < plan.fewest:
            continue
        pairs = [read(s) for s in theirs], [read(s) for s in ours]
        found = ratio(*pairs, level=plan.level)
        late = monotonic() - started > plan.seconds
        if late or len(ours) >= plan.most or _known(plan, found, *pairs):
            return ours, theirs, found


def _known(plan: Plan, found: Interval, over: list[float], under: list[float]) -> bool:
    if max(a / b for a, b in zip(over, under, strict=True)) < plan.hopeless:
        return True
    if len(over) < plan.least or found.level < plan.level:
        return False
    width = max(log(found.high / found.value), log(found.value / found.low))
    return width <= log(1 + plan.precision)
