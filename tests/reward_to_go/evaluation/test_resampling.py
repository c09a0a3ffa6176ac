"""Figures over runs against scipy's, and their intervals."""

from typing import Any

import numpy as np
import pytest
from tests._later import Later

from maxcode.reward_to_go.evaluation import judgement as module
from maxcode.reward_to_go.evaluation.judgement import (
    Resampling,
    estimate,
)

stats: Any = Later("scipy.stats")


def test_with_equal_runs_the_correlations_are_the_known_ones() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 9, 60).astype(float)
    y = x + rng.normal(size=60).round()
    runs = rng.permutation(np.repeat(np.arange(12), 5))
    resampling = Resampling([f"task {i % 4}" for i in range(12)])
    for found, known in (
        (resampling.spearman(runs, x, y), stats.spearmanr(x, y)),
        (resampling.kendall(runs, x, y), stats.kendalltau(x, y)),
    ):
        assert found is not None
        assert found.value == pytest.approx(known.statistic)
        assert found.low < found.value < found.high
        assert found.low > 0


def test_tasks_weigh_the_same_however_many_runs_they_have() -> None:
    resampling = Resampling(["a", "a", "a", "b"])
    found = estimate(resampling.means(np.array([1.0, 1.0, 1.0, 3.0])))
    assert found is not None
    assert (found.low, found.value, found.high) == (1.0, 2.0, 3.0)


def test_pairs_are_compared_of_some_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_ROWS", 300)
    x = np.arange(1000.0)
    found = Resampling(["a", "b"]).kendall(np.repeat([0, 1], 500), x, -x)
    assert found is not None
    assert found.value == pytest.approx(-1)


def test_what_does_not_vary_has_no_correlation() -> None:
    runs, varies = np.array([0, 0, 1, 1]), np.arange(4.0)
    resampling = Resampling(["a", "b"])
    for alike in (np.zeros(4), np.full(4, 0.1)):
        assert resampling.spearman(runs, alike, varies) is None
        assert resampling.kendall(runs, varies, alike) is None


def test_a_figure_that_is_not_defined_is_none_and_undefined_resamples_are_left_out() -> None:
    assert estimate(np.array([np.nan, 1.0])) is None
    found = estimate(np.array([2.0, np.nan, 1.0, 3.0]))
    assert found is not None
    assert found.low == pytest.approx(1.05)
    assert estimate(np.array([2.0, np.nan])) is not None
    assert estimate(Resampling(["a"]).means(np.array([np.nan]))) is None


def test_runs_that_tell_nothing_take_no_weight_from_their_task() -> None:
    resampling = Resampling(["a", "a", "b", "c"])
    means = resampling.means(np.array([1.0, np.nan, 3.0, np.nan]))
    assert means[0] == 2
    table = resampling.means(np.array([[1.0, 2.0], [3.0, 4.0], [np.nan, 0.0], [6.0, 7.0]]))
    assert table[0].tolist() == [4.0, 5.0]
