"""Max-reward returns against brute force."""

from collections.abc import Callable
from math import inf, nan

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxcode.returns import (
    auxiliary_states,
    discounted_sums,
    enforce_value,
    max_returns,
    value_target,
)

Returns = Callable[[list[float], float], object]

_GAMMAS = st.just(1.0) | st.floats(0.3, 1.0)
_REWARDS = st.sampled_from([0.0, 1.0]) | st.floats(0, 100)
_SEQUENCES = st.lists(_REWARDS, max_size=8)

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _highest(rewards: list[float], gamma: float) -> float:
    return max((gamma**k * reward for k, reward in enumerate(rewards)), default=0.0)


@pytest.mark.slow
@_PATIENT
@given(_SEQUENCES, _GAMMAS)
def test_the_auxiliary_state_is_the_highest_past_reward(rewards: list[float], gamma: float) -> None:
    states = auxiliary_states(rewards, gamma)
    assert len(states) == len(rewards) + 1
    for t, u in enumerate(states):
        assert gamma**t * u == pytest.approx(_highest(rewards[:t], gamma))


@pytest.mark.slow
@_PATIENT
@given(_SEQUENCES, _GAMMAS)
def test_returns_are_the_highest_reward_to_come(rewards: list[float], gamma: float) -> None:
    expected = [_highest(rewards[t:], gamma) for t in range(len(rewards))]
    assert max_returns(rewards, gamma) == pytest.approx(expected)


def test_worked_by_hand() -> None:
    rewards = [1.0, 0.0, 8.0, 2.0]
    assert max_returns(rewards, 0.5) == [2.0, 4.0, 8.0, 2.0]
    assert auxiliary_states(rewards, 0.5) == [0.0, 2.0, 4.0, 16.0, 32.0]
    assert discounted_sums(rewards, 0.5) == [3.25, 4.5, 9.0, 2.0]
    assert value_target(1.0, [0.0, 8.0], 0.5) == 4.0
    assert value_target(5.0, [0.0, 8.0], 0.5) == 5.0
    assert value_target(5.0, []) == 5.0


@pytest.mark.parametrize(
    ("estimate", "kept"), [(3.0, 3.0), (1.0, 2.0), (nan, 2.0), (inf, 2.0), (-inf, 2.0)]
)
def test_an_estimate_is_made_consistent(estimate: float, kept: float) -> None:
    assert enforce_value(estimate, 2.0) == kept


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.0, 1.01, nan])
@pytest.mark.parametrize("function", [max_returns, auxiliary_states])
def test_gamma_lies_between_0_and_1(function: Returns, gamma: float) -> None:
    with pytest.raises(ValueError, match="gamma"):
        function([1.0], gamma)


@pytest.mark.parametrize("reward", [-1.0, nan, inf])
@pytest.mark.parametrize("function", [max_returns, auxiliary_states])
def test_rewards_are_finite_and_not_negative(function: Returns, reward: float) -> None:
    with pytest.raises(ValueError, match="rewards"):
        function([1.0, reward], 0.9)
