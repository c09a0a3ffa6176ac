"""What rounds promise, held against simulated machines."""

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from maxcode.evaluation import Interval
from maxcode.measure.rounds import CONFIRM, SCORE, Plan, interleave

Noise = Callable[[Random], Callable[[], float]]
"""Makes what a machine does to the logarithm of one sample after another."""


def normal(rng: Random) -> Callable[[], float]:
    return lambda: rng.gauss(0, 0.02)


def wild(rng: Random) -> Callable[[], float]:
    """Cauchy's: not even a mean."""
    return lambda: max(-5.0, min(5.0, 0.01 * math.tan(math.pi * (rng.random() - 0.5))))


def spiky(rng: Random) -> Callable[[], float]:
    """Quiet but for every tenth sample, which only ever takes longer."""
    return lambda: rng.gauss(0, 0.005) + (rng.expovariate(10) if rng.random() < 0.1 else 0)


def lasting(rng: Random) -> Callable[[], float]:
    """Other work comes and goes: what disturbs a sample disturbs the next as well."""
    level = [0.0]

    def next_sample() -> float:
        level[0] = 0.95 * level[0] + rng.gauss(0, 0.03)
        return level[0] + rng.gauss(0, 0.005)

    return next_sample


def trial(plan: Plan, noise: Noise, seed: int, truth: float = 1.0) -> Interval:
    """The interval for two programs on one noisy machine."""
    disturbance = noise(Random(f"noise {seed}"))
    _, _, found = interleave(
        lambda: math.exp(disturbance()),
        lambda: truth * math.exp(disturbance()),
        float,
        plan,
        Random(f"order {seed}"),
    )
    return found


def misses(plan: Plan, noise: Noise, trials: int) -> list[float]:
    """The levels of the intervals that do not cover the truth."""
    found = [trial(plan, noise, seed, truth=1.3) for seed in range(trials)]
    return [one.level for one in found if not one.low <= 1.3 <= one.high]


NOISES = [normal, wild, spiky, lasting]


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(
    "plan",
    [
        Plan(least=6, most=20, precision=0.02, level=0.9, seconds=math.inf),
        replace(SCORE, hopeless=1.25, seconds=math.inf),
        replace(CONFIRM, level=0.9, least=8, most=18, seconds=math.inf),
    ],
    ids=["narrow", "score", "confirm"],
)
def test_an_interval_covers_as_often_as_it_says(plan: Plan, noise: Noise) -> None:
    trials = 1500
    missed = misses(plan, noise, trials)
    for level in {plan.level, *missed}:
        share = sum(one >= level for one in missed) / trials
        chance = 1 - level
        assert share <= chance + 3 * math.sqrt(chance * (1 - chance) / trials)


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_going_on_until_it_pays_gains_nothing(noise: Noise) -> None:
    # Stopping as soon as the interval leaves 1 out is what makes naive intervals lie.
    eager = Plan(least=6, most=48, precision=9, level=0.9, curtail=3, fewest=6, seconds=math.inf)
    trials = 1500
    claimed = sum(trial(eager, noise, seed).low > 1 for seed in range(trials))
    assert claimed / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [normal, spiky, lasting])
def test_searches_among_equals_promote_next_to_nothing(noise: Noise) -> None:
    searches, compared, false = 100, 0, 0
    for seed in range(64 * searches):
        score = trial(replace(SCORE, seconds=math.inf), noise, 2 * seed)
        if score.value > 1:
            compared += 1
            false += trial(replace(CONFIRM, seconds=math.inf), noise, 2 * seed + 1).low > 1
    assert compared > 16 * searches
    assert false <= 0.01 * searches
