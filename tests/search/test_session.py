"""When the coordinator asks for more, and when it ends."""

import re
from collections.abc import Callable
from random import Random

import pytest

from maxcode.budget import FREE, Budget, Cost
from maxcode.interfaces import Proposal, SearchPolicy
from maxcode.journal.events import Asked, Event
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import Answer, ScriptedGenerator
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


def _answering(*kinds: str, cost: Cost = FREE) -> ScriptedGenerator:
    """Gives answers of no use for these reasons, one after the other, and right ones for ""."""
    left = list(kinds)

    def script(observation: Observation, n: int) -> list[Answer]:
        del observation, n
        kind = left.pop(0) if left else "empty"
        return (
            [Proposal(None, tags=(kind,), problem=kind, cost=cost)]
            if kind
            else [f"{len(left) + 2}.0"]
        )

    return ScriptedGenerator(script, cost)


PAID = Cost(tokens=10, dollars=0.01)


@pytest.mark.parametrize(
    ("kinds", "cost", "steps", "reason"),
    [
        (["empty"] * 9, PAID, 3, "3 answers in a row were empty; what helps is another model"),
        (["", "", *["cut-off"] * 9], FREE, 5, "cut off at the token limit.*max_tokens"),
        (["no-program"] * 9, PAID, 3, "without a program.*--answers"),
        (["", "empty", "refused", "cut-off"], FREE, 4, "were empty or refused .* or cut off"),
        (["", "no-answer", "empty", "no-answer"], FREE, 4, "were none that came whole or empty"),
        (["no-program"] * 6 + ["empty"] * 3, FREE, 9, "empty"),  # it may mend that, and is free
        (["", *["no-program"] * 5, *["empty"] * 3], PAID, 9, "empty"),
    ],
)
def test_three_answers_of_no_use_end_it(
    toy: Callable[..., Search], kinds: list[str], cost: Cost, steps: int, reason: str
) -> None:
    search = toy(
        generator=_answering(*kinds, cost=cost),
        policy=BestOfN(batch=1, n=50),
        options=Options(in_flight=1, patience=100),
    )
    search.run()
    assert len(search.state.tree) - 1 == steps
    assert search.state.stopped is not None
    assert re.search(reason, search.state.stopped.reason)
