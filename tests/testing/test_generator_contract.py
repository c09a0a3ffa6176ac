"""The generator contract fails for plug-ins that break it, one for each promise."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from maxcode.budget import Cost
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.testing import GeneratorContract


def answering(answer: Callable[[Observation, int], Any]) -> GeneratorContract:
    class Made(Generator):
        def propose(self, observation: Observation, n: int) -> list[Proposal]:
            answers: list[Proposal] = answer(observation, n)
            return answers

    class Contract(GeneratorContract):
        never_repeats = True

        def make(self) -> Generator:
            return Made()

    return Contract()


def some(code: str, **given: Any) -> Proposal:
    return Proposal(Program.of(code), **given)


_numbers = count()


@pytest.mark.parametrize(
    ("test", "answer"),
    [
        ("test_proposes_something_but_at_most_n", lambda o, n: [some("a")] * (n + 1)),
        ("test_proposes_something_but_at_most_n", lambda o, n: []),
        ("test_proposes_something_but_at_most_n", lambda o, n: (some("a"),)),
        ("test_proposals_are_complete", lambda o, n: [Proposal(None)]),
        ("test_proposals_are_complete", lambda o, n: [some("a", tags=["x"])]),
        ("test_proposals_are_complete", lambda o, n: ["a"]),
        ("test_costs_no_more_than_its_ceiling", lambda o, n: [some("a", cost=Cost(tokens=1))]),
        ("test_costs_no_more_than_its_ceiling", lambda o, n: [some("a", cost=Cost(dollars=0.1))]),
        ("test_same_seed_same_proposals", lambda o, n: [some(f"{next(_numbers)}")]),
        ("test_answers_several_threads_at_once", lambda o, n: [some(f"{next(_numbers)}")]),
        ("test_never_proposes_what_was_seen", lambda o, n: [some("a")]),
        ("test_never_proposes_what_was_seen", lambda o, n: [some(f"{o.seed}")] * n),
    ],
)
def test_a_broken_generator(test: str, answer: Callable[[Observation, int], Any]) -> None:
    with pytest.raises(AssertionError):
        getattr(answering(answer), test)()
