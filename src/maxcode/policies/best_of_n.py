"""BestOfN: direct sampling, the control of every other search."""

from __future__ import annotations

from math import ceil
from random import Random

from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.policies.rounds import check_counts
from maxcode.tree import ROOT, Expansion, SearchTree

_AHEAD = 8  # candidates under way for each thread, so that a slow one does not hold up the others


class BestOfN(SearchPolicy):
    """Draw ``n`` candidates from the baseline, each without a word about the others.

    ``n=None`` draws until the budget ends; ``batch`` are asked for at a time.
    """

    observe = Observe.nothing()

    def __init__(self, n: int | None = None, batch: int = 8) -> None:
        check_counts("best-of-n", n=n, batch=batch)
        self.n = n
        self.batch = batch

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        """The next batch from the baseline."""
        asked = tree.expansions * self.batch
        left = self.batch if self.n is None else min(self.batch, self.n - asked)
        return [Expansion(ROOT, left)] if left > 0 else []

    def in_flight(self, threads: int) -> int:
        """Enough to keep the threads busy: candidates know nothing of each other."""
        return ceil(_AHEAD * threads / self.batch)
