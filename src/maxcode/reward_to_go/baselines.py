"""Baselines, which a trained model must beat: a choice at random, and the reward so far."""

from __future__ import annotations

from collections.abc import Sequence

from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.options import derive
from maxcode.program import Program
from maxcode.returns import enforce_value
from maxcode.tree import Value

_RANGE = 2.0**64  # derived seeds lie below


class RandomRewardToGo(RewardToGo):
    """``u`` plus a random number from 0 to 1, for each program of an expansion.

    The same program gets another number in another task, expansion or state: related tasks share
    programs, and luck with a single program would be luck with all tasks.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """An estimate without knowledge of the program."""
        u = observation.path.u
        here = f"{observation.task.name}:{observation.step.program.digest}"
        draws = (
            derive(self.seed, f"{here}:{program.digest}", observation.number)
            for program in programs
        )
        return [Value(enforce_value(u + draw / _RANGE, u)) for draw in draws]


class RewardSoFar(RewardToGo):
    """The best reward on the path, the baseline's 1 included: all candidates of a state are
    alike.

    Past success of a search predicts future success, but not which candidate to run. A model with
    no higher correlation over all candidates has learned no more.
    """

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """A constant estimate for each program."""
        path = observation.path
        return [Value(enforce_value(path.best.reward, path.u))] * len(programs)
