"""Searches from end to end: what they find does not depend on how they are run."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from maxcode import system
from maxcode.budget import Budget
from maxcode.errors import JournalError, TaskError, WriterError
from maxcode.evaluation import Profile
from maxcode.interfaces import SearchPolicy
from maxcode.journal.events import Event, SessionStarted
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.search import Search, optimize
from maxcode.testing import (
    ScriptedExecutor,
    ScriptedGenerator,
    ToyPolicy,
    outline,
    sample_task,
    toy_task,
    toy_verdict,
)
from maxcode.tree import SearchTree


def delayed(seed: int) -> ScriptedExecutor:
    """Takes its time, each time and each program another."""
    rng = Random(seed)
    return ScriptedExecutor(
        toy_verdict,
        profiles=lambda p: Profile(f"in {p.code}"),
        delay=lambda _: rng.choice([0.0, 0.002, 0.01]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("policy", [BestOfN(batch=3), MaxCodeLoop(k=4), ToyPolicy()])
@pytest.mark.parametrize("in_flight", [1, 4])
def test_the_tree_depends_neither_on_threads_nor_on_time(
    full: Callable[..., Search], policy: SearchPolicy, in_flight: int
) -> None:
    trees = []
    for seed, threads in enumerate((1, 4, 16)):
        options = Options(in_flight=in_flight, threads=threads)
        trees.append(full(policy=policy, executor=delayed(seed), options=options).run().tree)
    assert len(trees[0]) > 20
    assert outline(trees[0]) == outline(trees[1]) == outline(trees[2])


@pytest.mark.slow
def test_the_tree_depends_on_the_seed(toy: Callable[..., Search]) -> None:
    first, second = (toy(options=Options(seed=seed)).run().tree for seed in (1, 2))
    assert outline(first) != outline(second)


@pytest.mark.slow
def test_the_journal_holds_the_tree(full: Callable[..., Search], journal: Journal) -> None:
    search = full()
    result = search.run()
    assert outline(RunState.load(journal.run(search.run_id)).tree) == outline(result.tree)


def test_optimize_is_a_search_run_to_its_end() -> None:
    result = optimize(
        toy_task(),
        generator=ScriptedGenerator([["2.0"]]),
        executor=ScriptedExecutor(toy_verdict),
        policy=BestOfN(n=1),
    )
    assert (result.best.program.code, result.status) == ("2.0", "done")


def test_a_store_can_be_named(tmp_path: Path) -> None:
    store = f"{tmp_path}/named.db"
    result = optimize(
        toy_task(),
        generator=ScriptedGenerator([["2.0"]]),
        executor=ScriptedExecutor(toy_verdict),
        policy=BestOfN(n=1),
        journal=store,
    )
    with Journal.open(store, create=False) as journal:
        assert journal.run_ids() == [result.run_id]


@pytest.mark.slow
def test_observers_hear_of_every_event_in_the_order_of_the_journal(
    full: Callable[..., Search], journal: Journal
) -> None:
    heard: list[Event] = []

    def hear(event: Event, state: RunState) -> None:
        heard.append(event)

    search = full(observers=[hear])
    search.run()
    assert heard == [recorded.event for recorded in journal.run(search.run_id).events()]


# -- going on with a run --------------------------------------------------------------------------


def test_a_finished_run_goes_on_with_a_larger_budget(toy: Callable[..., Search]) -> None:
    whole = toy(budget=Budget(evaluations=12), generator=three_at_a_time()).run()
    search = toy(budget=Budget(evaluations=6), generator=three_at_a_time())
    assert search.run().spent.evaluations == 6
    result = toy(
        journal=search.state.log, budget=Budget(evaluations=12), generator=three_at_a_time()
    ).run()
    assert programs(result.tree) == programs(whole.tree)
    assert result.tree.best.id == whole.tree.best.id


def programs(tree: SearchTree) -> list[str]:
    return [step.program.code for step in tree]


def three_at_a_time() -> ScriptedGenerator:
    """Only new programs: a budget of a multiple of three ends between two expansions."""
    return ScriptedGenerator(lambda o, n: [f"{2 + o.number + i / 10}" for i in range(n)])


def test_what_a_run_has_spent_counts_when_it_goes_on(toy: Callable[..., Search]) -> None:
    executor = ScriptedExecutor(toy_verdict)
    search = toy(budget=Budget(evaluations=5), executor=executor)
    search.run()
    assert toy(journal=search.state.log, budget=None, executor=executor).run().status == "done"
    assert executor.count("evaluate") == 5


@pytest.mark.slow
def test_another_task_is_refused(toy: Callable[..., Search]) -> None:
    search = toy()
    search.run()
    with pytest.raises(TaskError, match="belongs to another version of task 'sample'"):
        toy(task=sample_task(), journal=search.state.log)


def test_a_run_that_is_still_worked_on_is_refused(toy: Callable[..., Search]) -> None:
    search = toy()
    search.run()
    log = search.state.log
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        log.append(SessionStarted(process=system.identity(other.pid), budget=search.budget))
        with pytest.raises(WriterError, match=f"still being worked on by process {other.pid}"):
            toy(journal=log)
    assert toy(journal=log).run().status == "done"


def test_an_empty_run_cannot_go_on(toy: Callable[..., Search], journal: Journal) -> None:
    with pytest.raises(JournalError, match="has no beginning"):
        toy(journal=journal.create_run("empty"))
