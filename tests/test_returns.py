"""Max-reward returns against brute force on random stochastic trees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, nan

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from maxcode.returns import (
    auxiliary_states,
    discounted_sums,
    enforce_value,
    max_returns,
    next_auxiliary,
    value_backup,
    value_target,
)

_GAMMAS = st.just(1.0) | st.floats(0.3, 1.0)
_REWARDS = st.sampled_from([0.0, 1.0]) | st.floats(0, 100)
_SEQUENCES = st.lists(_REWARDS, max_size=8)
_STATES = st.just(0.0) | st.floats(0, 100)

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


# -- random stochastic trees -------------------------------------------------------------------


@dataclass(frozen=True)
class Branch:
    """With this probability, earn this reward and go to a state with these branches."""

    probability: float
    reward: float
    following: tuple["Branch", ...]


def _branches(options: list[tuple[int, float, tuple[Branch, ...]]]) -> tuple[Branch, ...]:
    total = sum(weight for weight, _, _ in options)
    return tuple(Branch(weight / total, reward, rest) for weight, reward, rest in options)


def _grown(states: st.SearchStrategy[tuple[Branch, ...]]) -> st.SearchStrategy[tuple[Branch, ...]]:
    option = st.tuples(st.integers(1, 5), _REWARDS, states)
    return st.lists(option, max_size=3).map(_branches)


_LEAF: tuple[Branch, ...] = ()
_TREES = st.recursive(st.just(_LEAF), _grown, max_leaves=12)


def _paths(state: tuple[Branch, ...]) -> Iterator[tuple[float, list[float]]]:
    """Every way from here to an end: its probability and its rewards."""
    if not state:
        yield 1.0, []
    for branch in state:
        for probability, rewards in _paths(branch.following):
            yield branch.probability * probability, [branch.reward, *rewards]


def _highest(rewards: list[float], gamma: float) -> float:
    return max((gamma**k * reward for k, reward in enumerate(rewards)), default=0.0)


def _true_value(state: tuple[Branch, ...], u: float, gamma: float) -> float:
    """``E[max(u, G)]`` by going through all paths."""
    return sum(p * max(u, _highest(rewards, gamma)) for p, rewards in _paths(state))


def _backed_up(state: tuple[Branch, ...], gamma: float) -> Callable[[float], float]:
    branches = [(b.probability, b.reward, _backed_up(b.following, gamma)) for b in state]
    return lambda u: value_backup(u, branches, gamma)


@pytest.mark.slow
@_PATIENT
@given(_TREES, _STATES, _GAMMAS)
def test_backing_up_gives_the_value_that_all_paths_give(
    state: tuple[Branch, ...], u: float, gamma: float
) -> None:
    assert _backed_up(state, gamma)(u) == pytest.approx(_true_value(state, u, gamma))


@pytest.mark.slow
@_PATIENT
@given(_TREES, _STATES, _GAMMAS)
def test_a_value_is_gamma_times_the_expected_next_one(
    state: tuple[Branch, ...], u: float, gamma: float
) -> None:
    assume(state)
    expected = sum(
        b.probability * _true_value(b.following, next_auxiliary(u, b.reward, gamma), gamma)
        for b in state
    )
    assert _true_value(state, u, gamma) == pytest.approx(gamma * expected)


@pytest.mark.slow
@_PATIENT
@given(_TREES, _STATES, _GAMMAS)
def test_a_value_is_never_below_what_was_already_reached(
    state: tuple[Branch, ...], u: float, gamma: float
) -> None:
    assert _backed_up(state, gamma)(u) >= u * (1 - 1e-12)


@pytest.mark.slow
@_PATIENT
@given(_TREES, _STATES, _GAMMAS)
def test_targets_are_the_value_on_average(
    state: tuple[Branch, ...], u: float, gamma: float
) -> None:
    average = sum(p * value_target(u, rewards, gamma) for p, rewards in _paths(state))
    assert average == pytest.approx(_backed_up(state, gamma)(u))


def test_an_end_is_worth_what_was_reached() -> None:
    assert value_backup(3.0, [], 0.5) == 3.0


# -- the operator that is not offered ----------------------------------------------------------


def _swapped(state: tuple[Branch, ...], gamma: float) -> float:
    """``E[max(r, gamma Q')]``: the maximum outside the expectation of what follows."""
    return sum(b.probability * max(b.reward, gamma * _swapped(b.following, gamma)) for b in state)


@pytest.mark.slow
@_PATIENT
@given(_TREES, _GAMMAS)
def test_the_swapped_operator_is_never_above_the_true_value(
    state: tuple[Branch, ...], gamma: float
) -> None:
    assert _swapped(state, gamma) <= _true_value(state, 0.0, gamma) * (1 + 1e-12) + 1e-300


def test_the_swapped_operator_misses_what_chance_adds() -> None:
    gamble = (Branch(0.5, 0.0, _LEAF), Branch(0.5, 4.0, _LEAF))
    state = (Branch(1.0, 1.0, gamble),)
    assert _backed_up(state, 1.0)(0.0) == 0.5 * 1 + 0.5 * 4
    assert _swapped(state, 1.0) == max(1, 0.5 * 0 + 0.5 * 4)


# -- along one path ----------------------------------------------------------------------------


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


@pytest.mark.slow
@_PATIENT
@given(_SEQUENCES, _GAMMAS)
def test_past_and_future_together_give_the_whole(rewards: list[float], gamma: float) -> None:
    whole = _highest(rewards, gamma)
    for t, u in enumerate(auxiliary_states(rewards, gamma)):
        assert gamma**t * value_target(u, rewards[t:], gamma) == pytest.approx(whole)


@pytest.mark.slow
@_PATIENT
@given(_SEQUENCES, _GAMMAS)
def test_the_usual_returns_are_sums(rewards: list[float], gamma: float) -> None:
    sums = [
        sum(gamma**k * reward for k, reward in enumerate(rewards[t:])) for t in range(len(rewards))
    ]
    assert discounted_sums(rewards, gamma) == pytest.approx(sums)


def test_worked_by_hand() -> None:
    rewards = [1.0, 0.0, 8.0, 2.0]
    assert max_returns(rewards, 0.5) == [2.0, 4.0, 8.0, 2.0]
    assert auxiliary_states(rewards, 0.5) == [0.0, 2.0, 4.0, 16.0, 32.0]
    assert discounted_sums(rewards, 0.5) == [3.25, 4.5, 9.0, 2.0]
    assert value_target(1.0, [0.0, 8.0], 0.5) == 4.0
    assert value_target(5.0, [0.0, 8.0], 0.5) == 5.0
    assert value_target(5.0, []) == 5.0


def test_nothing_to_come_has_no_returns() -> None:
    assert max_returns([]) == discounted_sums([]) == []
    assert auxiliary_states([]) == [0.0]


@pytest.mark.parametrize(
    ("estimate", "kept"), [(3.0, 3.0), (1.0, 2.0), (nan, 2.0), (inf, 2.0), (-inf, 2.0)]
)
def test_an_estimate_is_made_consistent(estimate: float, kept: float) -> None:
    assert enforce_value(estimate, 2.0) == kept


# -- what is refused ---------------------------------------------------------------------------

_FUNCTIONS: list[Callable[[list[float], float], object]] = [
    max_returns,
    auxiliary_states,
    discounted_sums,
    lambda rewards, gamma: value_target(0.0, rewards, gamma),
    lambda rewards, gamma: value_backup(0.0, [(1.0, r, lambda u: u) for r in rewards], gamma),
]


@pytest.mark.parametrize("function", _FUNCTIONS)
@pytest.mark.parametrize("gamma", [0.0, -0.5, 1.01, nan, inf])
def test_gamma_lies_between_0_and_1(
    function: Callable[[list[float], float], object], gamma: float
) -> None:
    with pytest.raises(ValueError, match="gamma"):
        function([1.0], gamma)


@pytest.mark.parametrize("function", _FUNCTIONS)
@pytest.mark.parametrize("reward", [-1.0, nan, inf])
def test_rewards_are_finite_and_not_negative(
    function: Callable[[list[float], float], object], reward: float
) -> None:
    with pytest.raises(ValueError, match="rewards"):
        function([1.0, reward], 0.9)
