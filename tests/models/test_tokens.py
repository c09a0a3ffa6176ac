from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxcode.models.base import (
    estimate,
    upper_bound,
)

COUNTS = st.integers(0, 10**6)


@pytest.mark.slow
@given(COUNTS)
def test_an_estimate_is_below_the_bound(size: int) -> None:
    assert estimate(size) <= upper_bound(size)
    assert upper_bound(size) >= size / 1.5
