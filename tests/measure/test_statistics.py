import math
from itertools import product
from random import Random

import pytest

from maxcode.measure.statistics import bounded, deviation, noise, ratio, repetitions

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


def averages(logs: list[float]) -> list[float]:
    """All averages of two of them, each with itself too, sorted."""
    return sorted((logs[i] + logs[j]) / 2 for i in range(len(logs)) for j in range(i, len(logs)))


def rank_sums(n: int) -> list[int]:
    """The signed-rank statistic for each of the 2^n equally likely signs."""
    return sorted(
        sum(rank for rank, sign in enumerate(signs, 1) if sign)
        for signs in product((False, True), repeat=n)
    )


# -- the interval is the signed-rank test's ----------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", range(2, 11))
def test_the_interval_is_exact(n: int, level: float) -> None:
    logs = [Random(n).gauss(0.3, 1) for _ in range(n)]
    found = ratio([math.exp(x) for x in logs], [1.0] * n, level)
    sums = rank_sums(n)

    def outside(cut: int) -> float:
        """The chance that the interval from the cut-th smallest to the cut-th largest misses."""
        return 2 * sum(total <= cut - 1 for total in sums) / len(sums)

    possible = [cut for cut in range(1, n * (n + 1) // 4 + 2) if outside(cut) <= 1 - level + 1e-12]
    cut = max(possible, default=1)
    ordered = averages(logs)
    assert found.low == pytest.approx(math.exp(ordered[cut - 1]))
    assert found.high == pytest.approx(math.exp(ordered[-cut]))
    assert found.level == (level if possible else 1 - outside(1))


# -- the estimate ------------------------------------------------------------------------------


def calm(n: int) -> list[float]:
    rng = Random(3)
    return [2 * math.exp(rng.gauss(0, 0.01)) for _ in range(n)]


def test_one_outlier_among_a_dozen_moves_neither_end() -> None:
    for wild in (1e6, 1e-6):
        found = ratio([wild, *calm(11)], [1.0] * 12)
        assert 1.9 < found.low < 2 < found.high < 2.1


# -- a meter that repeats itself ---------------------------------------------------------------


def test_a_bound_reaches_beyond_all_ratios_by_what_the_meter_may_err() -> None:
    found = bounded([200.0, 202.0, 204.0], [100.0, 100.0, 100.0], 0.001, 0.9)
    assert found.value == pytest.approx(2.02)
    assert found.low == pytest.approx(2.0 / 1.001)
    assert found.high == pytest.approx(2.04 * 1.001)
    assert found.level == 0.9


# -- noise and repetitions ---------------------------------------------------------------------


def test_noise_is_the_typical_step_from_sample_to_sample() -> None:
    assert noise([1.0, 1.01, 1.0, 1.01]) == pytest.approx(0.01, rel=0.01)
    assert noise([5.0, 5.0, 5.0]) == 0
    assert noise([1.0, 2.0]) == pytest.approx(math.log(2))


def test_neither_drift_nor_a_wild_sample_is_noise() -> None:
    drifting = [1.001**number for number in range(50)]
    assert noise(drifting) == pytest.approx(0.001, rel=0.01)
    assert noise([1.0, 1.01, 1.0, 1.01, 90.0, 1.0, 1.01, 1.0]) < 0.02


@pytest.mark.parametrize(
    ("seconds", "passes"),
    [(0, 10), (1e-6, 10), (0.002, 10), (0.0021, 10), (0.0023, 9), (0.011, 2), (0.02, 1), (9, 1)],
)
def test_a_sample_is_long_enough_to_be_measured(seconds: float, passes: int) -> None:
    assert repetitions(seconds) == passes


def test_the_deviation_is_the_standard_deviation_but_for_wild_values() -> None:
    rng = Random(1)
    values = [rng.gauss(5, 0.3) for _ in range(2000)]
    assert deviation(values) == pytest.approx(0.3, rel=0.05)
    assert deviation([*values, *[1000.0] * 100]) == pytest.approx(0.32, rel=0.05)
    assert deviation([2.0] * 8) == 0
