"""Islands: populations that evolve apart, with migration."""

from __future__ import annotations

from itertools import accumulate, pairwise
from random import Random

from maxcode.errors import InputError
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.tree import ROOT, Expansion, SearchTree, Step

_LOOK_BACK = 1_000  # steps; an island that found nothing in them begins again


class Islands(SearchPolicy):
    """An island model (Tanese, 1989) whose programs die of age (Real et al., arXiv 1802.01548).

    ``count`` islands take turns; each turn is an expansion with ``k`` children. An island's
    population are its latest ``size`` correct programs, each once, of the latest 1,000 steps of the
    search: the lucky score of an old program is forgotten with it, and to find it again does not
    make it young. A parent and a second program, shown as an exemplar, are drawn by rank: of n the
    best is drawn n times as often as the last (linear ranking; Baker, 1985). Every ``migration``-th
    turn of an island both come from the island before it, on a ring. After each ``stall``
    expansions in a row without a new best an island is given up, in turn, and a new island, begun
    with the best program, takes its place; 0 never does.
    """

    observe = Observe.nothing()

    def __init__(
        self, count: int = 4, size: int = 16, k: int = 2, migration: int = 4, stall: int = 0
    ) -> None:
        if min(count, size, k, migration) < 1 or stall < 0:
            raise InputError(
                "islands: count, size, k and migration must be at least 1, and stall at least 0, "
                f"not {count}, {size}, {k}, {migration} and {stall}"
            )
        self.count = count
        self.size = size
        self.k = k
        self.migration = migration
        self.stall = stall

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        """The turn of the next island; it need not wait for those under way."""
        turn, island = divmod(tree.expansions, self.count)
        migrates = turn % self.migration == self.migration - 1
        home = (island - 1) % self.count if migrates else island
        founded = self._founded(tree)
        population = self._population(tree, home, founded.get(home, 0))
        if not population:
            return [Expansion(tree.best.id if home in founded else ROOT, self.k)]
        parent, second = _by_rank(population, rng), _by_rank(population, rng)
        exemplars = () if second.id == parent.id else (second.id,)
        return [Expansion(parent.id, self.k, exemplars)]

    def _founded(self, tree: SearchTree) -> dict[int, int]:
        """The expansion from which on an island is new; the first islands are left out."""
        if not self.stall:
            return {}
        found = accumulate((tree[step_id].expansion for step_id, _ in tree.incumbents), max)
        spells = pairwise([*found, tree.expansions])
        ends = [end for a, b in spells for end in range(a + self.stall, b, self.stall)]
        return {number % self.count: end + 1 for number, end in enumerate(ends)}

    def _population(self, tree: SearchTree, island: int, since: int) -> list[Step]:
        """The island's latest correct programs of expansions from ``since`` on, fastest first."""
        found: dict[str, Step] = {}
        for step_id in range(len(tree) - 1, max(ROOT, len(tree) - 1 - _LOOK_BACK), -1):
            step = tree[step_id]
            mine = step.expansion >= since and step.expansion % self.count == island
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
