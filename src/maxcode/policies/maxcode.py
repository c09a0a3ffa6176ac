"""MaxCode: each round's best of k goes on, be it slower, with the best so far shown beside it."""

from __future__ import annotations

from random import Random
from typing import Literal

from maxcode.interfaces import SearchPolicy
from maxcode.policies.rounds import check_choice, check_counts, next_round
from maxcode.tree import Expansion, SearchTree

Stalled = Literal["best", "stay"]


class MaxCode(SearchPolicy):
    """The loop of MaxCode (arXiv 2601.05475): ``d`` rounds of ``k`` candidates each.

    The fastest correct candidate of a round is appended to the trajectory and improved in the next
    round, be it slower than the program before; the best program so far is shown beside it. After a
    round without any correct candidate the program stays, and the candidate that came furthest is
    shown with its errors. ``d=None`` goes on until the budget ends. The paper uses 8 x 8; the
    defaults were ahead at every budget of evaluations (benchmarks/default_policy.py).

    After ``stall`` rounds in a row without a new best, and again after as many more, the search
    leaves its trajectory for the best. With ``then="stay"`` it never does, which is the paper's
    form.
    """

    def __init__(
        self, k: int = 2, d: int | None = None, stall: int = 8, then: Stalled = "best"
    ) -> None:
        check_counts("maxcode", k=k, d=d, stall=stall)
        check_choice("maxcode", "then", then, Stalled)
        self.k = k
        self.d = d
        self.stall = stall
        self.then = then

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        """The next round, once the round before is committed."""
        if tree.pending or (self.d is not None and tree.expansions >= self.d):
            return []
        stalled = tree.expansions - 1 - tree.best.expansion
        if self.then == "stay" or stalled == 0 or stalled % self.stall:
            return [next_round(tree, self.k)]
        return [Expansion(tree.best.id, self.k)]
