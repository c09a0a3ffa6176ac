from __future__ import annotations

from typing import Any

import pytest

from maxcode.errors import InputError
from maxcode.models.resilience import Limits, retry_after


@pytest.mark.parametrize(
    "limit",
    [
        {"in_flight": 0},
        {"attempts": 0},
        {"first_wait": -1.0},
        {"longest_wait": float("inf")},
        {"timeout": 0},
        {"deadline": float("nan")},
    ],
)
def test_limits_that_let_nothing_through_are_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(limit))):
        Limits(**limit)


def test_retry_after_is_in_seconds_or_milliseconds() -> None:
    assert retry_after({}) == 0
    assert retry_after({"retry-after": "12"}) == 12
    assert retry_after({"retry-after": "0.5"}) == 0.5
    assert retry_after({"retry-after": "9", "retry-after-ms": "250"}) == 0.25


@pytest.mark.parametrize("text", ["", "soon", "-3", "nan", "inf", "1e999", "Wed, 21 Oct 2015"])
def test_a_retry_after_that_says_nothing_is_no_wait(text: str) -> None:
    assert retry_after({"retry-after": text}) == 0
    assert retry_after({"retry-after-ms": text}) == 0
