from math import inf, nan
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxcode.budget import (
    FREE,
    Cost,
)

_COSTS = st.builds(
    Cost,
    st.integers(0, 1000),
    st.integers(0, 10**9),
    st.floats(0, 1e6),
    st.floats(0, 1e6),
)
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.slow
@_PATIENT
@given(_COSTS, _COSTS)
def test_costs_add_up_currency_by_currency(a: Cost, b: Cost) -> None:
    total = a + b
    assert total.evaluations == a.evaluations + b.evaluations
    assert total.tokens == a.tokens + b.tokens
    assert total.dollars == a.dollars + b.dollars
    assert total.seconds == a.seconds + b.seconds


@pytest.mark.slow
@_PATIENT
@given(_COSTS)
def test_nothing_is_free_to_add(cost: Cost) -> None:
    assert cost + FREE == cost
    assert sum([cost], FREE) == cost


@pytest.mark.parametrize("name", ["evaluations", "tokens", "dollars", "seconds"])
@pytest.mark.parametrize("amount", [-1, nan, inf, -inf])
def test_a_cost_is_finite_and_not_negative(name: str, amount: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Cost(**{name: amount})
