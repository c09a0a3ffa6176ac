"""Lessons: what earlier attempts tell about each move."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import log
from statistics import fmean

from maxcode.errors import InputError
from maxcode.landscape.task import Landscape
from maxcode.landscape.terrain import Move, Point
from maxcode.tree import Step

_GAINED, _UNKNOWN = 4.0, 1.0


class Lessons:
    """How promising each move is after steps that were seen, by what changed from their parents.

    A move that failed, or made programs slower, has no weight; one that made them faster has four
    times that of one that was never tried.
    """

    def __init__(self, task: Landscape, steps: Iterable[Step]) -> None:
        known = {step.id: step for step in steps}
        points = {step.id: point for step in known.values() if (point := _point(task, step))}
        passed = {
            move for i, point in points.items() if known[i].evaluation.ok for move in _moves(point)
        }
        self._failed: set[Move] = set()
        self._gains: defaultdict[Move, list[float]] = defaultdict(list)
        for step in known.values():
            if step.parent not in points or step.id not in points or step.parent is None:
                continue
            parent = known[step.parent]
            moves = _moves(points[step.id]) - _moves(points[parent.id])
            if not step.evaluation.ok:
                self._failed |= _blamed(moves - passed, task.sites_in(step.evaluation.feedback))
            elif parent.reward > 0:
                for move in moves:
                    self._gains[move].append(log(step.reward / parent.reward))

    def weight(self, move: Move) -> float:
        """How often to draw the move, relative to others."""
        if move in self._failed:
            return 0.0
        if move not in self._gains:
            return _UNKNOWN
        return _GAINED if fmean(self._gains[move]) > 0 else 0.0


def _blamed(moves: set[Move], named: set[int]) -> set[Move]:
    """Those at the sites that the feedback names; all, if it names none of them."""
    return {move for move in moves if move[0] in named} or moves


def _moves(point: Point) -> set[Move]:
    return set(enumerate(point))


def _point(task: Landscape, step: Step) -> Point | None:
    try:
        return task.read(step.program)
    except InputError:
        return None
