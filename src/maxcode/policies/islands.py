"""Islands: populations that evolve apart, with migration."""

from __future__ import annotations

from random import Random

from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.policies.rounds import check_counts
from maxcode.tree import ROOT, Expansion, SearchTree, Step

_LOOK_BACK = 1_000  # steps; an island that found nothing in them begins again


class Islands(SearchPolicy):
    """An island model (Tanese, 1989) whose programs die of age (Real et al., arXiv 1802.01548).

    ``count`` islands take turns; each turn is an expansion with ``k`` children. An island's
    population are its latest ``size`` correct programs, each once, of the latest 1,000 steps of the
    search: the lucky score of an old program is forgotten with it, and to find it again does not
    make it young. A parent and a second program, shown as an exemplar, are drawn by rank: of n the
    best is drawn n times as often as the last (linear ranking; Baker, 1985). Every ``migration``-th
    turn of an island both come from the island before it, on a ring.
    """

    observe = Observe.nothing()

    def __init__(self, count: int = 4, size: int = 16, k: int = 2, migration: int = 4) -> None:
        check_counts("islands", count=count, size=size, k=k, migration=migration)
        self.count = count
        self.size = size
        self.k = k
        self.migration = migration

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        """The turn of the next island; it need not wait for those under way."""
        turn, island = divmod(tree.expansions, self.count)
        migrates = turn % self.migration == self.migration - 1
        home = (island - 1) % self.count if migrates else island
        population = self._population(tree, home)
        if not population:
            return [Expansion(ROOT, self.k)]
        parent, second = _by_rank(population, rng), _by_rank(population, rng)
        exemplars = () if second.id == parent.id else (second.id,)
        return [Expansion(parent.id, self.k, exemplars)]

    def _population(self, tree: SearchTree, island: int) -> list[Step]:
        """The island's latest correct programs, fastest first."""
        found: dict[str, Step] = {}
        for step_id in range(len(tree) - 1, max(ROOT, len(tree) - 1 - _LOOK_BACK), -1):
            step = tree[step_id]
            mine = step.expansion % self.count == island
            if mine and step.evaluation.ok and not self._known(tree, step, island):
                found.setdefault(step.program.digest, step)
                if len(found) == self.size:
                    break
        return sorted(found.values(), key=lambda step: (-step.reward, step.id))

    def _known(self, tree: SearchTree, step: Step, island: int) -> bool:
        """Whether the program is the baseline, or was first found on this island."""
        if step.duplicate_of is None:
            return False
        return step.duplicate_of == ROOT or tree[step.duplicate_of].expansion % self.count == island


def _by_rank(ranked: list[Step], rng: Random) -> Step:
    return rng.choices(ranked, weights=range(len(ranked), 0, -1))[0]
