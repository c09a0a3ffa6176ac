"""CudaLLM: Feature Search and Reinforcement, the search of CUDA-LLM."""

from __future__ import annotations

from random import Random

from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.policies.rounds import check_counts, fastest, latest_whole_round, next_round
from maxcode.tree import ROOT, Expansion, SearchTree


class CudaLLM(SearchPolicy):
    """Feature Search and Reinforcement (CUDA-LLM, arXiv 2506.09092).

    ``d`` rounds of ``n`` candidates each. The next round improves the fastest correct candidate of
    a round, be it slower than the program before. After a round without any, the program stays and
    the candidate that came furthest is shown beside it with its errors; the round counts.
    ``d=None`` goes on until the budget ends. The result is the best program ever seen; with
    ``final_round``, as published, that of the last round not cut short by the budget. With all
    switches of :class:`~maxcode.observation.Observe` off it is the published search, with
    :meth:`~maxcode.observation.Observe.maxcode` CUDA-LLM + MaxCode.
    """

    observe = Observe.nothing()

    def __init__(self, n: int = 8, d: int | None = None, *, final_round: bool = False) -> None:
        check_counts("cuda-llm", n=n, d=d)
        self.n = n
        self.d = d
        self.final_round = final_round

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        """The next round, once the round before is committed."""
        if tree.pending or (self.d is not None and tree.expansions >= self.d):
            return []
        return [next_round(tree, self.n)]

    def returned(self, tree: SearchTree) -> int:
        """The best step, or with ``final_round`` the best of the last whole round."""
        if not self.final_round:
            return tree.best.id
        best = fastest(latest_whole_round(tree))
        return best.id if best else ROOT
