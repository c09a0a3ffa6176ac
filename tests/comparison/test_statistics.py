"""Figures against hand-computed ones and against scipy."""

from typing import Any

import numpy as np
import pytest
from tests._later import Later

from maxcode.measure.statistics import Bootstrap, holm, ranks, t_test

stats: Any = Later("scipy.stats")


def test_a_mean_is_one_over_tasks_however_many_seeds_they_have() -> None:
    bootstrap = Bootstrap(["a", "a", "a", "b"])
    values = np.array([1.0, 2.0, 3.0, 8.0])
    assert bootstrap.mean(values).value == (2.0 + 8.0) / 2
    plain, resampled = bootstrap.weights()
    assert plain @ values == pytest.approx(5.0)
    assert resampled.sum(axis=1) == pytest.approx(1.0)


def test_geometric_mean_and_median_are_over_tasks() -> None:
    bootstrap = Bootstrap(["a", "a", "b", "c"])
    logs = np.log([1.0, 4.0, 3.0, 12.0])  # by task: 2, 3, 12
    assert bootstrap.geometric_mean(logs).value == pytest.approx(72 ** (1 / 3))
    assert bootstrap.median(logs).value == pytest.approx(3.0)


def test_one_task_gives_the_interval_of_the_ordinary_bootstrap() -> None:
    values = np.random.default_rng(1).normal(size=30)
    ours = Bootstrap(["a"] * 30, resamples=20_000).mean(values)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", random_state=2
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_the_t_test_is_that_of_scipy() -> None:
    values = np.random.default_rng(9).normal(0.5, 1, size=7)
    theirs = stats.ttest_1samp(values, 0)
    estimate, p = t_test(values)
    assert p == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval()
    assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high))


def test_values_that_do_not_vary_have_bounds_from_six_on() -> None:
    assert t_test(np.array([0.3]))[1] == 1.0  # one alone tells nothing of others
    assert t_test(np.zeros(4))[1] == 1.0
    estimate, p = t_test(np.array([0.5, 0.5]))
    assert (estimate.value, estimate.low, estimate.high, p) == (0.5, -np.inf, np.inf, 0.5)
    estimate, p = t_test(np.full(6, 0.3))
    assert (estimate.low, estimate.high, p) == (0.3, 0.3, 1 / 32)


def test_ranks_count_from_the_fastest_and_share_ties_as_scipy_does() -> None:
    speedups = np.random.default_rng(5).integers(1, 4, size=(5, 40)).astype(float)
    assert ranks(speedups) == pytest.approx(stats.rankdata(-speedups, axis=0))
    assert ranks(np.array([[1.0], [2.0], [2.0]])).ravel().tolist() == [3.0, 1.5, 1.5]


def test_holm_by_hand() -> None:
    # 3 * 0.01, then 2 * 0.03; the largest is raised to what came before it
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
