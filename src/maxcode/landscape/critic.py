"""LandscapeCritic: names sites that are worth changing, more or less reliably."""

from __future__ import annotations

from random import Random

from maxcode.errors import CriticError, InputError
from maxcode.evaluation import Critique
from maxcode.interfaces import Critic
from maxcode.landscape.task import Landscape
from maxcode.landscape.terrain import Point, Terrain
from maxcode.observation import Observation
from maxcode.tree import Step


class LandscapeCritic(Critic):
    """Names the ``names`` sites of a program where one change gains most.

    Of a program that fails it names the site that is to blame. Each site is the right one with
    probability ``accuracy``, and else one drawn by lot.
    """

    def __init__(self, accuracy: float = 0.8, names: int = 3) -> None:
        if not 0 <= accuracy <= 1 or names < 1:
            raise InputError(
                f"landscape critic: accuracy lies in [0, 1] and names is at least 1, "
                f"not {accuracy} and {names}"
            )
        self.accuracy = accuracy
        self.names = names

    def critique(self, observation: Observation, step: Step) -> Critique:
        """The sites to change, by their numbers."""
        task = observation.task
        if not isinstance(task, Landscape):
            raise CriticError(f"task {task.name!r} is no landscape; take another critic")
        try:
            point = task.read(step.program)
        except InputError as error:
            return Critique(str(error), "build")
        rng = Random(f"{observation.seed}:{step.program.digest}")
        right = self._right(task.terrain, point)
        sites = [s if rng.random() < self.accuracy else rng.randrange(len(point)) for s in right]
        named = tuple(f"change site {site}" for site in dict.fromkeys(sites))
        return Critique(f"To make it faster, {', or '.join(named)}.", suggestions=named)

    def _right(self, terrain: Terrain, point: Point) -> list[int]:
        if failure := terrain.failure(point):
            return [failure[0]]
        gains = {
            site: max(terrain.gains(point, site).values(), default=0.0)
            for site in range(len(point))
        }
        return sorted(gains, key=lambda site: -gains[site])[: self.names]
