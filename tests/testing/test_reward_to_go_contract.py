"""The reward-to-go contract fails for plug-ins that break it, one for each promise."""

from collections.abc import Callable, Sequence
from itertools import count
from math import nan

import pytest

from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.testing import RewardToGoContract
from maxcode.tree import Trajectory, Value

_numbers = count()


class Guess(RewardToGo):
    """Estimates by a function of the trajectory and all programs."""

    def __init__(self, guess: Callable[[Trajectory, Sequence[Program]], list[Value]]) -> None:
        self.guess = guess

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        return self.guess(observation.path, programs)


def ranks(_: Trajectory, programs: Sequence[Program]) -> list[Value]:
    return [Value(9.0 + place) for place, _ in enumerate(programs)]


def improbable(_: Trajectory, programs: Sequence[Program]) -> list[Value]:
    return [Value(9.0, (0.5, 0.2)) for _ in programs]


def restless(_: Trajectory, programs: Sequence[Program]) -> list[Value]:
    return [Value(9.0 + next(_numbers)) for _ in programs]


@pytest.mark.parametrize(
    ("test", "guess"),
    [
        ("test_one_finite_estimate_a_program_and_at_least_u", lambda t, p: [Value(9.0)]),
        ("test_one_finite_estimate_a_program_and_at_least_u", lambda t, p: [Value(0.0)] * len(p)),
        ("test_one_finite_estimate_a_program_and_at_least_u", lambda t, p: [Value(nan)] * len(p)),
        ("test_nothing_to_estimate", lambda t, p: [Value(9.0)]),
        ("test_each_estimate_belongs_to_its_program", ranks),
        ("test_distributions_are_probabilities", improbable),
        ("test_same_question_same_estimates_in_several_threads", restless),
    ],
)
def test_a_broken_reward_to_go(
    test: str, guess: Callable[[Trajectory, Sequence[Program]], list[Value]]
) -> None:
    class Contract(RewardToGoContract):
        def make(self) -> RewardToGo:
            return Guess(guess)

    with pytest.raises(AssertionError):
        getattr(Contract(), test)()
