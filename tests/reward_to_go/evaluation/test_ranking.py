"""Orders with ties against every order that the lot could make of them."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from maxcode.reward_to_go.evaluation.ranking import expected_place

CASES = [
    ([3.0, 1.0, 2.0, 0.0], [1.0, 5.0, 2.0, 0.0]),
    ([1.0, 1.0, 1.0, 1.0], [1.0, 5.0, 2.0, 5.0]),
    ([2.0, 1.0, 2.0, 1.0, 1.0], [0.0, 5.0, 2.0, 5.0, 1.0]),
]


def orders(estimates: list[float]) -> Iterator[tuple[int, ...]]:
    """Every order of candidates that has the highest estimates first."""
    for order in permutations(range(len(estimates))):
        told = [estimates[i] for i in order]
        if told == sorted(told, reverse=True):
            yield order


@pytest.mark.parametrize(("estimates", "rewards"), CASES)
def test_the_place_of_the_best_is_the_mean_over_all_orders(
    estimates: list[float], rewards: list[float]
) -> None:
    best = np.array(rewards) == max(rewards)
    places = [min(order.index(i) for i in np.flatnonzero(best)) + 1 for order in orders(estimates)]
    assert expected_place(np.array(estimates), best) == pytest.approx(np.mean(places))
