from math import inf

import pytest

from maxcode.errors import InputError
from maxcode.reward_to_go.objective import LABELS, Bins


def test_what_fails_has_a_bin_of_its_own_and_edges_belong_to_the_bin_above() -> None:
    bins = Bins((0.0, 0.5, 2.0))
    assert [bins.index(value) for value in (0.0, 1e-9, 0.499, 0.5, 1.99, 2.0, 1e9)] == [
        *(0, 1, 1, 2, 2, 3, 3)
    ]
    assert bins.shares([(0.0, 0.25), (0.4, 0.5), (3.0, 0.25)]) == [0.25, 0.5, 0.0, 0.25]


def test_what_is_below_u_is_worth_u_outcome_by_outcome() -> None:
    bins = Bins((0.0, 1.0, 3.0), (0.0, 0.8, 2.0, 6.0))
    assert bins.expectation((0.5, 0.0, 0.25, 0.25), u=3.0) == 0.75 * 3.0 + 0.25 * 6.0
    unlikely, likely = (0.0, 0.0, 0.9, 0.1), (0.0, 0.0, 0.8, 0.2)  # both have a mean below u
    assert bins.expectation(unlikely, 3.0) < bins.expectation(likely, 3.0)


@pytest.mark.parametrize(
    ("edges", "means", "said"),
    [
        ((), (), "rise from 0"),
        ((0.5, 1.0), (), "rise from 0"),
        ((0.0, 1.0, 1.0), (), "rise from 0"),
        ((0.0, inf), (), "rise from 0"),
        (tuple(map(float, range(len(LABELS)))), (), "at most 35 edges"),
        ((0.0, 1.0), (0.0, 1.0), "3 bins, but 2 means"),
    ],
)
def test_what_are_no_bins(edges: tuple[float, ...], means: tuple[float, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Bins(edges, means)
