"""When the coordinator asks for more, and when it ends: what the budget allows is used, no more."""

import re
from random import Random
from typing import Any

import pytest
from tests._runs import MakeSearch

from maxcode.budget import FREE, Budget, Cost
from maxcode.evaluation import Status
from maxcode.interfaces import Proposal, SearchPolicy
from maxcode.journal.events import Asked, Event
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.testing import Answer, ScriptedExecutor, ScriptedGenerator, ToyPolicy, toy_verdict
from maxcode.tree import ROOT, Expansion, SearchTree


def new_numbers(observation: Observation, n: int) -> list[Answer]:
    """Programs that differ from all others, so that each costs an evaluation."""
    return [f"{1 + observation.number / 100 + i / 1000}" for i in range(1, n + 1)]


@pytest.mark.parametrize("answers", [[], ["1.5"], [Proposal(None, problem="no code")]])
def test_it_ends_when_nothing_new_comes_any_more(toy: MakeSearch, answers: list[Answer]) -> None:
    generator = ScriptedGenerator(lambda *_: answers)
    result = toy(generator=generator, options=Options(patience=9)).run()
    assert result.reason == "9 candidates in a row were nothing new to run"
    assert len(generator.calls) == 3 + (answers == ["1.5"])


def test_a_policy_may_wait_for_what_is_under_way(toy: MakeSearch) -> None:
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


def test_no_more_expansions_are_under_way_than_allowed(toy: MakeSearch) -> None:
    most = 0

    def hear(event: Event, state: RunState) -> None:
        nonlocal most
        if state.has_tree:
            most = max(most, len(state.tree.pending))

    toy(options=Options(in_flight=3), observers=[hear]).run()
    assert most == 3


@pytest.mark.parametrize(
    ("policy", "most", "chosen"),
    [(ToyPolicy(), 100, 1), (BestOfN(batch=1), 100, 24), (BestOfN(batch=1), 2, 2)],
)
def test_how_many_are_under_way_is_chosen_and_recorded(
    toy: MakeSearch, policy: SearchPolicy, most: int, chosen: int
) -> None:
    options = Options(in_flight=None, threads=3)
    search = toy(policy=policy, options=options, budget=Budget(evaluations=most))
    assert search.options.in_flight == chosen
    next(search.steps())
    assert search.state.started
    assert search.state.started.options.in_flight == chosen


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
    toy: MakeSearch, kinds: list[str], cost: Cost, steps: int, reason: str
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


# -- budgets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_flight", [1, 3])
@pytest.mark.parametrize("batch", [1, 3, 8])
def test_four_evaluations_are_four_and_the_best_of_them_wins(
    toy: MakeSearch, in_flight: int, batch: int
) -> None:
    executor = ScriptedExecutor(toy_verdict, delay=0.005)
    search = toy(
        generator=ScriptedGenerator(new_numbers),
        executor=executor,
        policy=BestOfN(batch=batch),
        budget=Budget(evaluations=4),
        options=Options(threads=8, in_flight=in_flight),
    )
    result = search.run()
    assert executor.count("evaluate") == 4
    assert (result.spent.evaluations, len(result.tree)) == (4, 5)
    assert result.best.reward == max(step.reward for step in result.tree)
    assert result.reason == "budget spent: evaluations"


def test_duplicates_leave_the_budget_for_others(toy: MakeSearch) -> None:
    executor = ScriptedExecutor(toy_verdict)
    rounds = [["1.5", "1.5"], ["1.0", "1.5"], ["1.6", "1.5"], ["1.7", "1.8"]]
    result = toy(
        generator=ScriptedGenerator(rounds),
        executor=executor,
        policy=BestOfN(batch=2),
        budget=Budget(evaluations=4),
    ).run()
    judged = [programs[0].code for name, programs in executor.calls if name == "evaluate"]
    assert sorted(judged) == ["1.5", "1.6", "1.7", "1.8"]
    repeated = [None, None, 1, ROOT, 1, None, 1, None, None]
    assert [step.duplicate_of for step in result.tree] == repeated
    assert [step.cost.evaluations for step in result.tree] == [0, 1, 0, 0, 0, 1, 0, 1, 1]
    assert result.spent.evaluations == 4


@pytest.mark.slow
def test_an_evaluation_with_a_heavy_tail_ends_with_the_time_of_the_search(
    toy: MakeSearch, journal: Journal
) -> None:
    """And is no candidate's fault: with more time it is judged again, and counts once."""

    def delay(program: Program) -> float:
        return 60.0 if program.code.startswith("1.02") else 0.001

    given: dict[str, Any] = {
        "generator": ScriptedGenerator(new_numbers),
        "policy": BestOfN(batch=2, n=8),
        "options": Options(threads=2, in_flight=2),
    }
    tailed = ScriptedExecutor(toy_verdict, delay=delay)
    search = toy(executor=tailed, budget=Budget(seconds=0.5, evaluations=8), **given)
    cut = search.run()
    assert (cut.status, cut.reason) == ("done", "budget spent: seconds")
    assert len(cut.tree) == 5
    assert cut.spent.seconds < 30
    assert {step.evaluation.status for step in cut.tree} == {Status.OK}
    log = journal.run(search.run_id)
    quick = ScriptedExecutor(toy_verdict)
    budget = Budget(seconds=1000.0, evaluations=8)
    more = toy(executor=quick, budget=budget, journal=log, **given).run()
    assert (more.status, more.spent.evaluations) == ("done", 8)
    whole = toy(executor=quick, budget=budget, **given).run()
    assert [step.program for step in more.tree] == [step.program for step in whole.tree]
