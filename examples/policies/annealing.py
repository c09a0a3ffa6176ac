"""Simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983): a search of one's own.

From this folder: maxcode optimize ../cpp/partitions --policy annealing:Annealing,cooling=0.2
"""

from math import exp
from random import Random

from maxcode import Expansion, Observe, SearchPolicy, SearchTree


class Annealing(SearchPolicy):
    """Goes on from the latest candidate: always if it is faster, else with a falling chance."""

    observe = Observe.nothing()  # what the generator is shown, unless --observe says otherwise

    def __init__(self, temperature: float = 0.5, cooling: float = 0.1) -> None:
        self.temperature = temperature  # the constructor is the configuration
        self.cooling = cooling

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        if tree.pending:
            return []  # wait for the candidate under way
        latest = tree[len(tree) - 1]
        if latest.parent is None:
            return [Expansion(latest.id)]  # the baseline; nothing was tried yet
        current = tree[latest.parent]  # nothing need be remembered: the tree tells what was decided
        if latest.evaluation.ok:
            gain = latest.reward - current.reward
            heat = self.temperature / (1 + self.cooling * tree.expansions)
            if gain >= 0 or rng.random() < exp(gain / heat):  # only this rng, so that runs resume
                current = latest
        return [Expansion(current.id)]
