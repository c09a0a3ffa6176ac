"""When the coordinator asks for more, and when it ends."""

from collections.abc import Callable
from random import Random

import pytest

from maxcode.budget import Budget
from maxcode.interfaces import Proposal, SearchPolicy
from maxcode.journal.events import (
    Asked,
    Event,
)
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import Answer, ScriptedGenerator, ScriptedRewardToGo
from maxcode.tree import ROOT, Expansion, SearchTree


def new_numbers(observation: Observation, n: int) -> list[Answer]:
    """Programs that differ from all others, so that each costs an evaluation."""
    return [f"{1 + observation.number / 100 + i / 1000}" for i in range(1, n + 1)]


@pytest.mark.parametrize("answers", [[], ["1.5"], [Proposal(None, problem="no code")]])
def test_it_ends_when_nothing_new_comes_any_more(
    toy: Callable[..., Search], answers: list[Answer]
) -> None:
    generator = ScriptedGenerator(lambda *_: answers)
    result = toy(generator=generator, options=Options(patience=9)).run()
    assert result.reason == "9 candidates in a row were nothing new to run"
    assert len(generator.calls) == 3 + (answers == ["1.5"])


def test_something_new_restores_patience(toy: Callable[..., Search]) -> None:
    generator = ScriptedGenerator([[], [], ["1.5"], [], [], ["1.6"], [], [], []])
    toy(generator=generator, options=Options(patience=9)).run()
    assert len(generator.calls) == 9


@pytest.mark.parametrize("batch", [1, 4, 8])
def test_it_bears_with_as_many_candidates_however_many_are_asked_for_at_a_time(
    toy: Callable[..., Search], batch: int
) -> None:
    generator = ScriptedGenerator(lambda *_: [])
    toy(generator=generator, policy=BestOfN(batch=batch)).run()
    assert sum(n for _, n in generator.calls) == Options().patience == 40


def test_what_is_proposed_for_one_to_run_is_no_more_than_one(toy: Callable[..., Search]) -> None:
    generator = ScriptedGenerator(lambda *_: [])
    model = ScriptedRewardToGo(lambda *_: 1.0)
    options = Options(propose=4, patience=6)
    toy(generator=generator, reward_to_go=model, options=options).run()
    assert [n for _, n in generator.calls] == [12, 12]


def test_a_policy_may_wait_for_what_is_under_way(toy: Callable[..., Search]) -> None:
    class InPairs(SearchPolicy):
        """Two expansions at a time, and no other before both are committed."""

        def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
            return [] if tree.pending else [Expansion(ROOT), Expansion(ROOT)]

    asked: list[tuple[int, int]] = []

    def hear(event: Event, state: RunState) -> None:
        if isinstance(event, Asked):
            asked.append((len(state.tree), len(event.expansions)))

    toy(
        generator=ScriptedGenerator(new_numbers),
        policy=InPairs(),
        budget=Budget(evaluations=6),
        options=Options(in_flight=4),
        observers=[hear],
    ).run()
    assert asked == [(1, 2), (3, 2), (5, 2)]


def test_no_more_expansions_are_under_way_than_allowed(toy: Callable[..., Search]) -> None:
    most = 0

    def hear(event: Event, state: RunState) -> None:
        nonlocal most
        if state.has_tree:
            most = max(most, len(state.tree.pending))

    toy(options=Options(in_flight=3), observers=[hear]).run()
    assert most == 3
