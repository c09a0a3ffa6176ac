"""Estimates: what a run knows of its reward-to-go model's worth and speed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import comb

from maxcode.ranking import Agreement
from maxcode.tree import Step

_LATEST = 64  # candidates of a state that are compared: pairs grow with the square


class Estimates:
    """Estimates beside what became of the candidates, state by state; how long they took.

    A state is a step that is grown from, in however many expansions that was. Of its candidates the
    latest 64 count.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.slowest = 0.0
        self._judged: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
        self._agreements: dict[int, Agreement] = {}

    @property
    def agreement(self) -> Agreement:
        """How far estimates order candidates as their rewards do."""
        return sum(self._agreements.values(), Agreement())

    @property
    def pairs(self) -> int:
        """How many pairs of candidates were compared."""
        return sum(comb(len(judged), 2) for judged in self._judged.values())

    def took(self, seconds: float) -> None:
        """Note how long the candidates of an expansion took to estimate."""
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)

    def note(self, parent: int, steps: Iterable[Step]) -> None:
        """Note what became of the steps that were grown from a parent."""
        found = [
            (step.value.expected, step.reward)
            for step in steps
            if step.value is not None and step.cost.evaluations
        ]
        if found:
            judged = self._judged[parent] = [*self._judged[parent], *found][-_LATEST:]
            self._agreements[parent] = Agreement().plus(*zip(*judged, strict=True))
