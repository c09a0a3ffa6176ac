"""The rule that calls methods different keeps its level, whenever it is asked."""

import numpy as np
import pytest

from maxcode.comparison.decision import SignTest, look_weights, spending
from maxcode.measure.statistics import Floats


def decided(differences: Floats) -> SignTest:
    """The test of differences by seed (rows) and task (columns)."""
    seeds, tasks = differences.shape
    pairs = [(str(task), seed) for seed in range(seeds) for task in range(tasks)]
    return SignTest(differences.ravel(), look_weights(pairs, range(seeds)))


def test_pairs_that_all_favour_one_are_a_difference_from_eight_on() -> None:
    gains = np.linspace(0.1, 0.2, 10)[:, None]
    assert decided(gains[:7]).found_at(0.05) is None
    assert decided(gains[:8]).found_at(0.05) == 8
    assert decided(gains[:8]).p() == pytest.approx(2 / 2**8 / 0.5, rel=0.06)
    assert decided(gains).found_at(0.05) == 8


def test_half_of_the_risk_is_spent_at_the_first_look_of_eight_pairs() -> None:
    assert spending([3, 6, 9, 12, 90]) == pytest.approx([0, 0, 1 / 2, 5 / 8, 19 / 20])
    assert spending([7]) == [0]


def test_no_difference_is_none() -> None:
    assert decided(np.zeros((6, 3))).p() == 1.0
    assert decided(np.zeros((0, 0))).p() == 1.0


def test_weights_are_means_of_the_tasks_there_are_at_a_look() -> None:
    pairs = [("a", 0), ("b", 0), ("a", 1), ("a", 5)]
    assert look_weights(pairs, [0, 1]).T.tolist() == [[0.5, 0.5, 0, 0], [0.25, 0.5, 0.25, 0]]


def test_what_was_found_stays_found_when_seeds_are_added() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        differences = rng.normal(0.15, 0.2, (12, 3))
        differences[8:] *= -1
        first = decided(differences[:8]).found_at(0.05)
        if first is not None and first > 4:  # beyond 12 pairs, so that both draw signs
            assert decided(differences).found_at(0.05) == first


def test_equal_methods_are_seldom_called_different_however_often_one_looks() -> None:
    rng = np.random.default_rng(5)
    called = 0
    for _ in range(300):
        heavy = 0.2 * rng.standard_t(2, (10, 3))
        called += decided(heavy).found_at(0.05) is not None
    assert called <= 26  # 15 are expected at most, and a deviation is 3.8
