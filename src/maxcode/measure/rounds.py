"""Rounds: two programs measured in turn, in random order, until enough is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from math import ceil, log, sqrt
from random import Random
from statistics import NormalDist
from time import monotonic
from typing import TypeVar

from maxcode.evaluation import Interval
from maxcode.measure.statistics import bounded, deviation, ratio, student

Sample = TypeVar("Sample")

_TWO = 2  # rounds: enough with a meter that repeats itself, and to see a clear loser


@dataclass(frozen=True, slots=True)
class Plan:
    """Number of rounds to measure.

    The interval of the ratio is looked at after ``least`` rounds, after half as many again, and so
    on. Rounds end when it is within ``precision`` to either side of the ratio (0.05 is 5 %) or of
    its logarithm, whichever is wider; when ``seconds`` have passed; and after ``most``.

    ``level`` is the chance of all looks' intervals to cover the true ratio, each look spending an
    equal part of the risk (Bonferroni's inequality). Rounds too few for an interval by ranks end
    with one by Student's t, which holds as far as the noise of log ratios is normal.

    ``floor`` is the ratio to exceed. Losers are given up after ``fewest`` rounds: when every round
    showed a ratio below ``hopeless`` times the floor (below half of that two rounds are enough).
    With ``curtail``, rounds go on while the floor lies within the interval. They are given up when
    the interval of the last look that there is time for would not lie above the floor even if the
    ratio rose until then by ``curtail`` standard deviations of such changes (predictive power: D.
    J. Spiegelhalter, L. S. Freedman and P. R. Blackburn, "Monitoring clinical trials: conditional
    or predictive power?", Controlled Clinical Trials 7(1), 1986). With ``decided``, rounds go on
    until that holds for the interval. Raises ``ValueError`` unless 2 <= ``least`` <= ``most``.
    """

    least: int = 3
    most: int = 8
    precision: float = 0.05
    level: float = 0.95
    seconds: float = 20.0
    floor: float = 1.0
    hopeless: float = 0.0
    curtail: float | None = None
    fewest: int = 3
    decided: Callable[[Interval], bool] | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.least <= self.most:
            raise ValueError(f"a plan has 2 <= least <= most, not {self.least} and {self.most}")

    def split(self, parts: int) -> Plan:
        """This plan for rounds split into ``parts``."""
        least, most, fewest = (parts * one for one in (self.least, self.most, self.fewest))
        return replace(self, least=least, most=most, fewest=fewest)

    @property
    def first_stop(self) -> int:
        """Number of rounds after which a loser may be given up."""
        return min(self.fewest, self.least)

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of rounds after which the interval is looked at."""
        looks = [self.least]
        while (following := ceil(1.5 * looks[-1])) < self.most:
            looks.append(following)
        return (*looks, self.most) if self.least < self.most else (self.most,)


SCORE = Plan(hopeless=0.9)
"""Plan for a search's scores: few rounds, and fewer still for much slower programs."""

# Of 64 candidates that are no faster than the best, some 32 score above it by chance and are
# compared with it. The risk that an interval lies too high is half of 1 - level, so one search in
# 125 promotes any of them: 32 * 0.00025 = 0.008.
CONFIRM = Plan(
    least=16,
    most=81,
    precision=0.05,
    level=0.9995,
    seconds=60.0,
    curtail=1.0,
    fewest=8,
)
"""Plan for reported speedups: more rounds, and an interval at the level 0.9995."""


def within(confirm: Plan, margin: float) -> Plan:
    """Plan for whether a program is not slower than another by more than a margin.

    The level is for some 20 tests with a risk of 5 % in all; see ``maxcode.search.minimise``. Such
    a test may be decided by fewer of them, so more has to speak against going on.
    """
    return replace(confirm, floor=1 - margin, level=0.995, curtail=1.5)


def interleave(
    first: Callable[[], Sample],
    second: Callable[[], Sample],
    read: Callable[[Sample], float],
    plan: Plan,
    rng: Random,
    *,
    repeatable: float = 0.0,
    each_round: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> tuple[list[Sample], list[Sample], Interval]:
    """Samples of both, and how many times larger the second's are.

    Each round takes a sample of each in random order, within the context that ``each_round`` makes;
    time outside of it does not count for ``plan.seconds``. Run both programs before, or the first
    samples pay for cold caches. ``read`` gives the reading of a sample. Raises ``ValueError`` for a
    reading that is not above 0.
    ``repeatable`` is the meter's: if it is not 0 and the readings of each program agree so well,
    two rounds are enough, and the interval is a bound; see
    :func:`~maxcode.measure.statistics.bounded`.
    """
    ours: list[Sample] = []
    theirs: list[Sample] = []
    stops = {_TWO, plan.first_stop, *plan.looks}
    spent = 0.0
    while True:
        with each_round():
            started = monotonic()
            for side in rng.sample((0, 1), 2):
                (ours, theirs)[side].append((first, second)[side]())
            spent += monotonic() - started
        rounds = len(ours)
        pairs = [read(s) for s in theirs], [read(s) for s in ours]
        if repeatable and rounds == _TWO and all(_agree(side, repeatable) for side in pairs):
            return ours, theirs, bounded(*pairs, repeatable, plan.level)
        if rounds not in stops:
            continue
        found = _interval(plan, *pairs)
        late = spent > plan.seconds
        fitting = rounds * plan.seconds / max(spent, 1e-9)
        last_look = next((look for look in plan.looks if look >= fitting), plan.most)
        if _lost(plan, *pairs) or _curtailed(plan, found, last_look, *pairs):
            return ours, theirs, found
        if rounds < plan.least:
            continue
        last = _widened(plan, found, *pairs)
        decided = plan.curtail is None or not (last.low <= plan.floor <= last.high)
        if plan.decided:
            decided = plan.decided(last)
        if late or rounds == plan.most or (decided and _narrow(plan, found)):
            return ours, theirs, last


def _agree(readings: Sequence[float], repeatable: float) -> bool:
    return max(readings) <= min(readings) * (1 + repeatable)


def _interval(plan: Plan, over: Sequence[float], under: Sequence[float]) -> Interval:
    """Interval of a look. If too few rounds make it fall short, its own risk adds to all."""
    risk = 1 - plan.level
    wanted = 1 - risk / len(plan.looks)
    found = ratio(over, under, level=wanted)
    level = plan.level if found.level >= wanted else max(found.level - risk, 0.01)
    return replace(found, level=level)


def _widened(
    plan: Plan, found: Interval, over: Sequence[float], under: Sequence[float]
) -> Interval:
    """Interval at the end of the rounds; by Student's t where they are too few for ranks.

    Each look has its own part of the risk, so it matters to neither when the rounds ended.
    """
    if found.level >= plan.level:
        return found
    return _hull(found, student(over, under, 1 - (1 - plan.level) / len(plan.looks)), plan.level)


def bounds(over: Sequence[float], under: Sequence[float], level: float) -> Interval:
    """Interval of paired readings at ``level``, however few they are, from two on."""
    found = ratio(over, under, level=level)
    return found if found.level >= level else _hull(found, student(over, under, level), level)


def _hull(one: Interval, other: Interval, level: float) -> Interval:
    return Interval(one.value, min(one.low, other.low), max(one.high, other.high), level)


def _narrow(plan: Plan, found: Interval) -> bool:
    width = max(log(found.high / found.value), log(found.value / found.low))
    return width <= max(log(1 + plan.precision), plan.precision * abs(log(found.value)))


def _lost(plan: Plan, over: Sequence[float], under: Sequence[float]) -> bool:
    best = max(a / b for a, b in zip(over, under, strict=True))
    few = len(over) < plan.first_stop
    return best < plan.hopeless * plan.floor / (2 if few else 1)


def _curtailed(
    plan: Plan, found: Interval, last_look: int, over: Sequence[float], under: Sequence[float]
) -> bool:
    """Whether rounds up to the last look are unlikely to show a ratio above the floor."""
    n = len(over)
    if plan.curtail is None or found.low > plan.floor:
        return False
    if not plan.first_stop <= n < last_look:
        return False
    noise = deviation([log(a / b) for a, b in zip(over, under, strict=True)])
    rise = plan.curtail * noise * sqrt(1 / n - 1 / last_look)
    risk = (1 - plan.level) / len(plan.looks)
    reach = NormalDist().inv_cdf(1 - risk / 2) * noise / sqrt(last_look)
    return log(found.value / plan.floor) + rise <= reach
