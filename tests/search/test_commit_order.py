"""The order in which expansions enter the tree: as asked, or as they are completed."""

from __future__ import annotations

from random import Random
from threading import Event

import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.evaluation import Evaluation
from maxcode.interfaces import Proposal, SearchPolicy
from maxcode.journal.events import Committed
from maxcode.journal.events import Event as JournalEvent
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.options import CommitOrder, Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, outline, toy_search, toy_verdict
from maxcode.tree import Expansion, SearchTree

pytest_plugins = ["tests._postgresql"]

SLOW = "1.01"
COMPLETED = Options(seed=2, in_flight=4, threads=4, commit_order="completed")


class Last(SearchPolicy):
    """Grows from the last step: what it asks for depends on the order of commits."""

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        return [Expansion(len(tree) - 1)]


class Held(ScriptedExecutor):
    """Judges the program :data:`SLOW` only when so many others were committed."""

    def __init__(self, others: int) -> None:
        super().__init__(toy_verdict)
        self.free = Event()
        self._left = others

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        if program.code == SLOW:
            assert self.free.wait(60)
        return super().evaluate(task, program)

    def hear(self, event: JournalEvent, _state: RunState) -> None:
        self._left -= isinstance(event, Committed)
        if self._left <= 0:
            self.free.set()


def numbered(observation: Observation, n: int) -> list[Proposal]:
    return [Proposal(Program.of(f"1.{observation.number + 1:02d}", "number.txt")) for _ in range(n)]


def commits(search: Search) -> list[int]:
    events = (recorded.event for recorded in search.state.log.events())
    return [event.number for event in events if isinstance(event, Committed)]


@pytest.fixture
def completed(toy: MakeSearch) -> Search:
    """A search of 12 candidates; the first is completed after 7 others."""
    executor = Held(others=7)
    search = toy(
        generator=ScriptedGenerator(numbered),
        executor=executor,
        policy=Last(),
        budget=Budget(evaluations=12),
        options=COMPLETED,
        observers=[executor.hear],
    )
    assert search.run().status == "done"
    return search


def test_what_is_completed_does_not_wait_for_what_is_slow(completed: Search) -> None:
    order = commits(completed)
    assert sorted(order) == list(range(12))
    assert order.index(0) >= 7
    tree = completed.state.tree
    assert [step.expansion for step in tree][1:] == order
    assert tree[order.index(0) + 1].program.code == SLOW


@pytest.mark.slow
def test_a_run_in_order_of_completion_goes_on(
    completed: Search, toy: MakeSearch, journal: Journal
) -> None:
    executor = Held(others=3)
    first = toy(
        generator=ScriptedGenerator(numbered),
        executor=executor,
        policy=Last(),
        budget=Budget(evaluations=12),
        options=COMPLETED,
        observers=[executor.hear],
    )
    steps = first.steps()
    next(steps), next(steps)
    executor.free.set()
    steps.close()
    second = toy(
        generator=ScriptedGenerator(numbered),
        executor=ScriptedExecutor(toy_verdict),
        policy=Last(),
        budget=Budget(evaluations=12),
        journal=journal.run(first.run_id),
    )
    assert second.run().status == "done"
    assert second.options.commit_order == "completed"
    assert sorted(commits(second)) == list(range(12))
    codes = {step.program.code for step in second.state.tree}
    assert codes == {step.program.code for step in completed.state.tree}


@pytest.mark.parametrize("order", ["asked", "completed"])
def test_how_many_are_under_way_is_chosen_and_recorded(toy: MakeSearch, order: CommitOrder) -> None:
    options = Options(in_flight=None, threads=3, commit_order=order)
    enough = Budget(evaluations=100)
    for policy, expected in ((Last(), 1), (BestOfN(batch=1), 24), (BestOfN(batch=5), 5)):
        search = toy(policy=policy, options=options, budget=enough)
        assert search.options.in_flight == (expected if order == "asked" else 6)
    search = toy(policy=BestOfN(batch=1), options=options, budget=Budget(evaluations=2))
    search.run()
    assert search.state.started
    assert search.state.started.options.in_flight == 2


@pytest.mark.slow
def test_which_database_keeps_it_changes_nothing(store_url: str) -> None:
    with Journal.open(store_url) as journal:
        search = toy_search(journal=journal)
        for step in search.steps():
            if step.id % 10 == 5:  # what is given is there
                with Journal.open(store_url, read_only=True) as reader:
                    assert step.id < len(RunState.load(reader.run(search.run_id)).tree)
        assert outline(RunState.load(journal.run("last")).tree) == outline(search.state.tree)
    expected = toy_search()
    expected.run()
    assert outline(search.state.tree) == outline(expected.state.tree)
