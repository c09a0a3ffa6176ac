from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxcode.models.base import (
    Tokens,
    estimate,
    upper_bound,
)

COUNTS = st.integers(0, 10**6)


@pytest.mark.slow
@given(
    st.tuples(COUNTS, COUNTS, COUNTS, COUNTS),
    COUNTS,
    st.lists(st.integers(0, 10**5), min_size=1, max_size=9),
)
def test_shares_add_up_and_input_is_shared_evenly(
    used: tuple[int, int, int, int], thinking: int, weights: list[int]
) -> None:
    whole = Tokens(*used, thinking=min(thinking, used[3]))
    shares = whole.shares(weights)
    assert sum(shares, Tokens()) == whole
    assert max(s.input for s in shares) - min(s.input for s in shares) <= 1
    assert all(0 <= share.thinking <= share.output for share in shares)


def test_output_is_shared_by_weight() -> None:
    assert [s.output for s in Tokens(output=12).shares([1, 3, 2])] == [2, 6, 4]
    assert [s.output for s in Tokens(output=3).shares([0, 0, 0])] == [1, 1, 1]


@pytest.mark.slow
@given(COUNTS)
def test_an_estimate_is_below_the_bound(size: int) -> None:
    assert estimate(size) <= upper_bound(size)
    assert upper_bound(size) >= size / 1.5
