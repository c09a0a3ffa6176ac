"""PUCT: grows from the state with the highest estimated max-return, plus a bonus for trying it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from random import Random

from maxcode.errors import InputError, PolicyError
from maxcode.interfaces import SearchPolicy
from maxcode.policies.rounds import By, check_choice, check_counts
from maxcode.tree import ROOT, Expansion, SearchTree, Step

_LOOK_BACK = 800  # steps that may be grown from, besides the baseline and the best


class PUCT(SearchPolicy):
    """Chooses the state to grow from as PUCT does, by max-returns (TTT-Discover, arXiv 2601.16175).

    Each turn grows ``k`` candidates from the correct program s that has the highest

        Q(s) + c (r_max - r_min) P(s) sqrt(1 + T) / (1 + n(s))

    T counts the expansions so far, n(s) those of s and of what grew from it, and P(s) falls
    linearly with the rank of its reward r, to a sum of 1. Q(s) is the max-return of the best path
    through s as seen from the baseline, ``gamma^t max(u_t, G_t)`` at depth t
    (:mod:`maxcode.returns`): the highest reward on the way to s, or found below it since, each
    discounted by how many steps it took. The discount is that of the search
    (``Options(gamma=...)``).

    ``by="reward-to-go"`` raises Q(s) to the model's estimate, the less the more often s was tried.
    States are the latest 800 steps, the baseline and the best. It need not wait for expansions that
    are under way, which count as made. ``d`` bounds the number of turns.
    """

    def __init__(self, k: int = 1, c: float = 1.0, d: int | None = None, by: By = "reward") -> None:
        check_counts("puct", k=k, d=d)
        check_choice("puct", "by", by, By)
        if not 0 <= c < inf:
            raise InputError(f"puct: c must be finite and at least 0, not {c}")
        self.k = k
        self.c = c
        self.d = d
        self.by = by

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        """The next turn.

        Raises :class:`~maxcode.errors.PolicyError` when estimates are wanted and there are none.
        """
        if self.d is not None and tree.expansions >= self.d:
            return []
        states = sorted(_states(tree), key=lambda state: (state.step.reward, -state.step.id))
        grown = [state.step for state in states if state.step.id != ROOT]
        if self.by == "reward-to-go" and grown and all(step.value is None for step in grown):
            raise PolicyError(
                "puct: by=reward-to-go goes by estimates, and no step has one; give the search a "
                "reward-to-go model, or take by=reward"
            )
        span = states[-1].step.reward - states[0].step.reward
        bonus = self.c * span * sqrt(1 + tree.expansions) * 2 / len(states) / (len(states) + 1)
        scores = [
            self._value(state, tree.gamma) + bonus * place / (1 + state.tried)
            for place, state in enumerate(states, 1)
        ]
        best = max(range(len(states)), key=lambda i: (scores[i], i))
        return [Expansion(states[best].step.id, self.k)]

    def _value(self, state: _State, gamma: float) -> float:
        found = max(state.past, state.ahead)
        if self.by == "reward" or state.step.value is None:
            return found
        estimate = gamma ** (state.depth - 1) * state.step.value.expected
        return found + max(0.0, estimate - found) / (1 + state.tried)


@dataclass(slots=True)
class _State:
    """A step with known figures of the paths through it, all rewards discounted by depth.

    ``past`` is ``gamma^t u_t``, the highest reward up to it, ``ahead`` that of its descendants.
    ``tried`` counts expansions of all of them.
    """

    step: Step
    depth: int
    reward: float
    past: float
    ahead: float = 0.0
    tried: int = 0


def _states(tree: SearchTree) -> Iterator[_State]:
    """The correct programs that may be grown from, each once."""
    chosen = {ROOT, tree.best.id, *range(max(ROOT, len(tree) - _LOOK_BACK), len(tree))}
    steps: dict[int, Step] = {}  # with all ancestors
    for step_id in chosen:
        number = step_id
        while number not in steps:
            steps[number] = tree[number]
            number = steps[number].parent or ROOT
    known = {ROOT: _State(steps[ROOT], 0, 0.0, 0.0)}
    own: defaultdict[int, set[int]] = defaultdict(set)
    for number, expansion in tree.pending.items():
        own[expansion.parent].add(number)
    for step_id in sorted(steps)[1:]:
        step = steps[step_id]
        parent = known[step.parent or ROOT]
        reward = tree.gamma**parent.depth * step.reward
        known[step_id] = _State(step, parent.depth + 1, reward, max(parent.past, reward))
        own[parent.step.id].add(step.expansion)
    for step_id in sorted(known, reverse=True):
        state = known[step_id]
        state.tried += len(own[step_id])
        if step_id != ROOT:
            parent = known[state.step.parent or ROOT]
            parent.ahead = max(parent.ahead, state.reward, state.ahead)
            parent.tried += state.tried
    for step_id in chosen:
        step = known[step_id].step
        if step.evaluation.ok and step.duplicate_of is None:
            yield known[step_id]
