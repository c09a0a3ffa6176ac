"""Beam: the best few programs go on side by side."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from maxcode.errors import PolicyError
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.policies.rounds import By, check_choice, check_counts, steps_since
from maxcode.tree import ROOT, Expansion, SearchTree, Step


class Beam(SearchPolicy):
    """Beam search: ``width`` programs a round, ``k`` candidates of each, ``d`` rounds.

    The next beam is the best of the last beam and of its candidates: correct ones, each program
    once. While there are fewer than ``width`` of them, they take turns. A member without any
    returned candidate is dropped, unless none has any. ``d=None`` goes on until the budget ends.
    ``by`` ranks them: by their own "reward", or by the "reward-to-go" model's estimate of the best
    to be reached from them (MaxCode, arXiv 2601.05475), which is never below the best reached.
    """

    observe = Observe.nothing()

    def __init__(self, width: int = 4, k: int = 2, d: int | None = None, by: By = "reward") -> None:
        check_counts("beam", width=width, k=k, d=d)
        check_choice("beam", "by", by, By)
        self.width = width
        self.k = k
        self.d = d
        self.by = by

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        """The next round, ``width`` expansions, once the round before is committed.

        Raises :class:`~maxcode.errors.PolicyError` for missing estimates.
        """
        rounds = tree.expansions // self.width
        if tree.pending or (self.d is not None and rounds >= self.d):
            return []
        beam = self._beam(tree) or [tree.root]
        return [Expansion(beam[i % len(beam)].id, self.k) for i in range(self.width)]

    def _beam(self, tree: SearchTree) -> list[Step]:
        """The best of the last round with candidates, and of their parents."""
        if len(tree) == 1:
            return []
        last_round = tree[len(tree) - 1].expansion // self.width
        tried = steps_since(tree, last_round * self.width)
        parents = [tree[i] for i in sorted({step.parent or ROOT for step in tried})]
        ranked = sorted(self._correct([*parents, *tried]), key=lambda step: -self._worth(step))
        return ranked[: self.width]

    def _correct(self, steps: Iterable[Step]) -> list[Step]:
        """The correct ones, the first of each program."""
        first: dict[str, Step] = {}
        for step in steps:
            if step.evaluation.ok:
                first.setdefault(step.program.digest, step)
        return list(first.values())

    def _worth(self, step: Step) -> float:
        if self.by == "reward" or step.id == ROOT:
            return step.reward
        if step.value is None:
            raise PolicyError(
                f"beam: by=reward-to-go ranks by estimates, and step {step.id} has none; "
                "give the search a reward-to-go model, or take by=reward"
            )
        return max(step.value.expected, step.reward)
