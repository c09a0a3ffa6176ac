"""Max-reward returns, after Veviurko, Boehmer and de Weerdt, "To the Max" (arXiv 2402.01361).

Rewards are >= 0 and ``0 < gamma <= 1``. For rewards ``r_0 .. r_{T-1}``:

* return ``G_t = max_{k>=0} gamma^k r_{t+k} = max(r_t, gamma G_{t+1})``, with ``G_T = 0``;
* auxiliary state, the best discounted reward so far, ``u_0 = 0``,
  ``u_{t+1} = max(u_t, r_t) / gamma``, so that ``gamma^t u_t = max_{k<t} gamma^k r_k``;
* value ``V(s, u) = E[max(u, G)] = gamma E[V(s', u')]``, with ``V = u`` at the end.

``u`` grows by ``1/gamma`` a step: show people and prompts the plain best reward instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite


def max_returns(rewards: Sequence[float], gamma: float = 1.0) -> list[float]:
    """``G_t = max_{k>=0} gamma^k r_{t+k}`` for every t; as long as ``rewards``.

    Raises ValueError for a negative or endless reward, and for a discount outside (0, 1].
    """
    _check(rewards, gamma)
    result: list[float] = []
    following = 0.0
    for reward in reversed(rewards):
        following = max(reward, gamma * following)
        result.append(following)
    return result[::-1]


def auxiliary_states(rewards: Sequence[float], gamma: float = 1.0) -> list[float]:
    """``u_t`` for t = 0 .. T: before the first reward and after each; one longer than rewards.

    The best discounted reward so far: ``gamma^t u_t = max_{k<t} gamma^k r_k``, and ``u_0 = 0``.
    """
    _check(rewards, gamma)
    states = [0.0]
    for reward in rewards:
        states.append(max(states[-1], reward) / gamma)
    return states


def discounted_sums(rewards: Sequence[float], gamma: float = 1.0) -> list[float]:
    """The usual returns ``r_t + gamma r_{t+1} + ...`` for every t, for comparison."""
    _check(rewards, gamma)
    result: list[float] = []
    following = 0.0
    for reward in reversed(rewards):
        following = reward + gamma * following
        result.append(following)
    return result[::-1]


def value_target(u: float, rewards: Sequence[float], gamma: float = 1.0) -> float:
    """``max(u, max_k gamma^k r_k)``: the target of a reward-to-go model for state ``(s, u)``.

    ``rewards`` are the rewards still to come from this state on.
    """
    _check(rewards, gamma)
    return max(u, max_returns(rewards, gamma)[0] if rewards else 0.0)


def enforce_value(value: float, u: float) -> float:
    """The estimate made consistent: ``V >= u`` holds for every policy, whatever a model says."""
    return max(value, u) if isfinite(value) else u


def _check(rewards: Sequence[float], gamma: float) -> None:
    if not 0 < gamma <= 1:
        raise ValueError(f"gamma must lie in (0, 1], not {gamma}")
    for reward in rewards:
        if not (isfinite(reward) and reward >= 0):
            raise ValueError(f"max-reward returns need finite rewards >= 0, not {reward}")
