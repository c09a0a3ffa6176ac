"""MaxCodeLoop: greedy, k candidates a step, each step from the best program so far."""

from __future__ import annotations

from random import Random

from maxcode.interfaces import SearchPolicy
from maxcode.policies.rounds import check_counts
from maxcode.tree import Expansion, SearchTree


class MaxCodeLoop(SearchPolicy):
    """A greedy form of MaxCode's loop: ``k`` candidates of the best so far, ``d`` times.

    Unlike the paper's form, :class:`~maxcode.MaxCode`, it never goes on from a slower program.
    ``d=None`` goes on until the budget ends.
    """

    def __init__(self, k: int = 8, d: int | None = None) -> None:
        check_counts("maxcode-greedy", k=k, d=d)
        self.k = k
        self.d = d

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        """An expansion of the incumbent, once the round before it is committed."""
        deep_enough = self.d is not None and tree.expansions >= self.d
        return [] if tree.pending or deep_enough else [Expansion(tree.best.id, self.k)]
