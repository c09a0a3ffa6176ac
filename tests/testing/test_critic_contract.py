"""The critic contract fails for plug-ins that break it, one for each promise."""

from threading import get_ident

import pytest

from maxcode.budget import Cost
from maxcode.evaluation import Critique
from maxcode.interfaces import Critic
from maxcode.observation import Observation
from maxcode.testing import CriticContract
from maxcode.tree import Step

MAIN_THREAD = get_ident()


class Mute(Critic):
    def critique(self, observation: Observation, step: Step) -> Critique:
        return Critique("", cost=Cost(tokens=1))


class Shy(Critic):
    """Says nothing where it is not alone."""

    def critique(self, observation: Observation, step: Step) -> Critique:
        return Critique("slow" if get_ident() == MAIN_THREAD else " ")


@pytest.mark.parametrize(
    ("test", "critic"),
    [
        ("test_says_something_about_every_status", Mute()),
        ("test_costs_no_more_than_its_ceiling", Mute()),
        ("test_answers_several_threads_at_once", Shy()),
    ],
)
def test_a_broken_critic(test: str, critic: Critic) -> None:
    class Contract(CriticContract):
        def make(self) -> Critic:
            return critic

    with pytest.raises(AssertionError):
        getattr(Contract(), test)()
