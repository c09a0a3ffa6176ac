"""LandscapeGenerator: proposals that are as good as what is shown is worth."""

from __future__ import annotations

from functools import cached_property
from random import Random

from maxcode.errors import GeneratorError, InputError
from maxcode.interfaces import Generator, Proposal
from maxcode.landscape.lessons import Lessons
from maxcode.landscape.task import Landscape
from maxcode.landscape.terrain import Move, Point
from maxcode.observation import Observation
from maxcode.program import Program


class LandscapeGenerator(Generator):
    """Changes a site or a few of the step to improve, and heeds what it is shown, by chance.

    * ``trajectory``: the chance to draw changes by the lessons of the attempts shown
    * ``critique``: the chance to make the first change at a site that the step's critique names
    * ``best``: the chance to begin with a cross of the step and the best program so far, or an
      exemplar that passed
    * ``further``: the chance of another change, after each

    Each proposal draws for the three by themselves; what is not shown cannot be heeded. With all
    three at 0 proposals are the same whatever is shown. ``tags`` name what was heeded.
    """

    trusted = True  # nothing is run

    def __init__(
        self,
        trajectory: float = 0.5,
        critique: float = 0.5,
        best: float = 0.5,
        further: float = 0.3,
    ) -> None:
        self.trajectory, self.critique, self.best = trajectory, critique, best
        self.further = further
        for name, chance in {**self.chances, "further": further}.items():
            if not 0 <= chance <= 1:
                raise InputError(f"landscape generator: {name} lies in [0, 1], not at {chance}")

    @property
    def chances(self) -> dict[str, float]:
        """The chance to heed each of what may be shown."""
        return {"trajectory": self.trajectory, "critique": self.critique, "best": self.best}

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """``n`` points near the one to improve. Raises :class:`GeneratorError` for other tasks."""
        task = observation.task
        if not isinstance(task, Landscape):
            raise GeneratorError(f"task {task.name!r} is no landscape; take another generator")
        rng, view = Random(observation.seed), _View(task, observation)
        return [self._proposal(view, rng) for _ in range(n)]

    def _proposal(self, view: _View, rng: Random) -> Proposal:
        heeded = {name for name, chance in self.chances.items() if rng.random() < chance}
        heeded &= view.shown
        point = view.point
        if "best" in heeded:
            point = _crossed(rng.choice(view.mates), point, rng)
        lessons = view.lessons if "trajectory" in heeded else None
        sites = view.named if "critique" in heeded else view.sites
        untouched = set(view.sites)
        while untouched:
            moves = _moves(view.task, point, sorted(untouched & sites or untouched))
            site, choice = _drawn(moves, lessons, rng)
            point = (*point[:site], choice, *point[site + 1 :])
            untouched.remove(site)
            sites = view.sites
            if rng.random() >= self.further:
                break
        return Proposal(view.task.write(point), _summary(view.point, point), tuple(sorted(heeded)))


class _View:
    """What an observation shows of a landscape."""

    def __init__(self, task: Landscape, observation: Observation) -> None:
        self.task = task
        self.point = _point(task, observation.step.program)
        others = [step for step in observation.exemplars if step.evaluation.ok]
        others += [observation.best] if observation.best else []
        points = [_point(task, step.program) for step in others]
        self.mates = [point for point in points if point != self.point]
        self.sites = frozenset(range(task.terrain.size))
        critique = observation.step.critique
        self.named = frozenset(task.sites_in(critique.text)) if critique else frozenset()
        self._path = observation.trajectory.steps if observation.trajectory else ()
        self._attempts = observation.attempts
        found = {
            "trajectory": len(self._path) + len(self._attempts) > 1,
            "critique": bool(self.named),
            "best": bool(self.mates),
        }
        self.shown = {name for name, there in found.items() if there}

    @cached_property
    def lessons(self) -> Lessons:
        """Of the trajectory and the attempts along it."""
        return Lessons(self.task, (*self._path, *self._attempts))


def _point(task: Landscape, program: Program) -> Point:
    """The program's point; the origin if it says none."""
    try:
        return task.read(program)
    except InputError:
        return task.terrain.origin


def _crossed(mate: Point, point: Point, rng: Random) -> Point:
    """The mate, but for a stretch: neighbours interact, so they stay together."""
    first, last = sorted(rng.sample(range(len(mate) + 1), 2))
    return mate[:first] + point[first:last] + mate[last:]


def _moves(task: Landscape, point: Point, sites: list[int]) -> list[Move]:
    choices = range(task.terrain.choices)
    return [(site, choice) for site in sites for choice in choices if choice != point[site]]


def _drawn(moves: list[Move], lessons: Lessons | None, rng: Random) -> Move:
    """One of the moves, by its weight if there are lessons that leave any."""
    weights = [lessons.weight(move) for move in moves] if lessons else [1.0]
    if not lessons or not any(weights):
        return rng.choice(moves)
    return rng.choices(moves, weights)[0]


def _summary(before: Point, after: Point) -> str:
    changes = [
        f"site {site}: {old} to {new}"
        for site, (old, new) in enumerate(zip(before, after, strict=True))
        if old != new
    ]
    return ", ".join(changes)
