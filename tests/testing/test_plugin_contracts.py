"""The contracts fail for plug-ins that break them, one for each promise."""

from collections.abc import Callable, Sequence
from itertools import count
from threading import get_ident
from typing import Any

import pytest

from maxcode.budget import Cost
from maxcode.evaluation import Critique
from maxcode.interfaces import Critic, Generator, Proposal, RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.testing import CriticContract, GeneratorContract, RewardToGoContract
from maxcode.tree import Step, Value

MAIN_THREAD = get_ident()
_numbers = count()


def some(code: str, **given: Any) -> Proposal:
    return Proposal(Program.of(code), **given)


@pytest.mark.parametrize(
    ("test", "answer"),
    [
        ("test_proposes_something_but_at_most_n", lambda o, n: [some("a")] * (n + 1)),
        ("test_proposes_something_but_at_most_n", lambda o, n: []),
        ("test_proposals_are_complete", lambda o, n: [Proposal(None)]),
        ("test_costs_no_more_than_its_ceiling", lambda o, n: [some("a", cost=Cost(tokens=1))]),
        ("test_same_seed_same_proposals", lambda o, n: [some(f"{next(_numbers)}")]),
        ("test_answers_several_threads_at_once", lambda o, n: [some(f"{next(_numbers)}")]),
        ("test_never_proposes_what_was_seen", lambda o, n: [some("a")]),
        ("test_never_proposes_what_was_seen", lambda o, n: [some(f"{o.seed}")] * n),
    ],
)
def test_a_broken_generator(test: str, answer: Callable[[Observation, int], Any]) -> None:
    class Made(Generator):
        def propose(self, observation: Observation, n: int) -> list[Proposal]:
            answers: list[Proposal] = answer(observation, n)
            return answers

    class Contract(GeneratorContract):
        never_repeats = True

        def make(self) -> Generator:
            return Made()

    with pytest.raises(AssertionError):
        getattr(Contract(), test)()


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("test_says_something_about_every_status", lambda: ""),
        ("test_costs_no_more_than_its_ceiling", lambda: "slow"),
        (
            "test_answers_several_threads_at_once",
            lambda: "slow" if get_ident() == MAIN_THREAD else " ",
        ),
    ],
)
def test_a_broken_critic(test: str, said: Callable[[], str]) -> None:
    class Made(Critic):
        def critique(self, observation: Observation, step: Step) -> Critique:
            return Critique(said(), cost=Cost(tokens=1))

    class Contract(CriticContract):
        def make(self) -> Critic:
            return Made()

    with pytest.raises(AssertionError):
        getattr(Contract(), test)()


@pytest.mark.parametrize(
    ("test", "guess"),
    [
        ("test_one_finite_estimate_a_program_and_at_least_u", lambda p: [Value(9.0)]),
        ("test_one_finite_estimate_a_program_and_at_least_u", lambda p: [Value(0.0)] * len(p)),
        (
            "test_each_estimate_belongs_to_its_program",
            lambda p: [Value(9.0 + place) for place, _ in enumerate(p)],
        ),
        ("test_distributions_are_probabilities", lambda p: [Value(9.0, (0.5, 0.2))] * len(p)),
        (
            "test_same_question_same_estimates_in_several_threads",
            lambda p: [Value(9.0 + next(_numbers)) for _ in p],
        ),
    ],
)
def test_a_broken_reward_to_go(
    test: str, guess: Callable[[Sequence[Program]], list[Value]]
) -> None:
    class Made(RewardToGo):
        def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
            return guess(programs)

    class Contract(RewardToGoContract):
        def make(self) -> RewardToGo:
            return Made()

    with pytest.raises(AssertionError):
        getattr(Contract(), test)()
