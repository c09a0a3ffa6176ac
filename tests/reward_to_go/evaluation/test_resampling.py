"""Figures over runs against scipy's, and their intervals."""

import numpy as np
import pytest

from maxcode.reward_to_go.evaluation.judgement import Resampling, estimate


def test_tasks_weigh_the_same_however_many_runs_they_have() -> None:
    resampling = Resampling(["a", "a", "a", "b"])
    found = estimate(resampling.means(np.array([1.0, 1.0, 1.0, 3.0])))
    assert found is not None
    assert (found.low, found.value, found.high) == (1.0, 2.0, 3.0)


def test_a_figure_that_is_not_defined_is_none_and_undefined_resamples_are_left_out() -> None:
    assert estimate(np.array([np.nan, 1.0])) is None
    found = estimate(np.array([2.0, np.nan, 1.0, 3.0]))
    assert found is not None
    assert found.low == pytest.approx(1.05)
    assert estimate(np.array([2.0, np.nan])) is not None
    assert estimate(Resampling(["a"]).means(np.array([np.nan]))) is None
