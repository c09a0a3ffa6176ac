from collections.abc import Sequence
from itertools import permutations
from random import Random
from typing import Any

import pytest
from tests._later import Later

from maxcode.ranking import Agreement, choose

stats: Any = Later("scipy.stats")


def test_the_highest_estimates_are_run_the_earliest_of_equals_first() -> None:
    choice = choose([1.0, 3.0, 2.0, 3.0, 3.0], 3, 0.0, Random(0))
    assert choice.run == (1, 3, 4)
    assert choice.explored == ()
    assert choose([1.0, 3.0, 2.0, 3.0, 3.0], 2, 0.0, Random(0)).run == (1, 3)


def test_who_is_drawn_does_not_depend_on_the_estimates() -> None:
    drawn = [0] * 6
    for seed in range(3000):
        choice = choose([5.0, 4.0, 3.0, 2.0, 1.0, 0.0], 3, 0.2, Random(seed))
        assert len(choice.run) == 3
        assert set(choice.explored) <= set(choice.run)
        for index in choice.explored:
            drawn[index] += 1
    share = [count / 3000 for count in drawn]  # 0.1 each
    assert all(0.07 < one < 0.13 for one in share), share


@pytest.mark.parametrize(
    ("estimates", "outcomes"),
    [
        ([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]),
        ([1.0, 2.0, 2.0, 4.0, 5.0], [0.0, 0.0, 2.0, 1.0, 0.0]),
        ([1.0, 2.0], [2.0, 1.0]),
    ],
)
def test_tau_of_one_state_is_the_known_one(
    estimates: Sequence[float], outcomes: Sequence[float]
) -> None:
    found = Agreement().plus(estimates, outcomes)
    assert found.tau == pytest.approx(stats.kendalltau(estimates, outcomes).statistic)


def test_the_variance_is_that_over_all_orders() -> None:
    estimates, outcomes = (1.0, 2.0, 2.0, 4.0, 5.0), (0.0, 0.0, 2.0, 1.0, 0.0)
    scores = [Agreement().plus(estimates, order).score for order in permutations(outcomes)]
    exact = sum(score**2 for score in scores) / len(scores)
    assert Agreement().plus(estimates, outcomes).variance == pytest.approx(exact)


def test_states_are_not_compared_with_one_another() -> None:
    """Later states have higher estimates and outcomes, but within each the order is wrong."""
    found = Agreement()
    for level in range(20):
        found = found.plus([level, level + 0.5], [level + 0.5, level])
    assert found.tau == -1
    assert not found.believed


def test_what_is_believed_needs_evidence() -> None:
    found = Agreement()
    assert (found.tau, found.believed) == (0.0, False)
    assert found.chance == float("inf")
    found = found.plus([1.0, 2.0], [1.0, 2.0])
    assert not found.believed  # as likely as not by chance
    assert found.tau == 1
    assert found.chance == pytest.approx(1.96)
    for _ in range(4):
        found = found.plus([1.0, 2.0], [1.0, 2.0])
    assert found.believed
