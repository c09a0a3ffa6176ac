"""Searches from end to end: what they find does not depend on how they are run."""

from pathlib import Path

import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.errors import JournalError, TaskError
from maxcode.journal.journal import Journal
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import optimize
from maxcode.testing import (
    ScriptedExecutor,
    ScriptedGenerator,
    sample_task,
    toy_task,
    toy_verdict,
)
from maxcode.tree import SearchTree


def test_optimize_is_a_search_run_to_its_end(tmp_path: Path) -> None:
    store = f"{tmp_path}/named.db"
    result = optimize(
        toy_task(),
        generator=ScriptedGenerator([["2.0"]]),
        executor=ScriptedExecutor(toy_verdict),
        policy=BestOfN(n=1),
        journal=store,
    )
    assert (result.best.program.code, result.status) == ("2.0", "done")
    with Journal.open(store, create=False) as journal:
        assert journal.run_ids() == [result.run_id]


# -- going on with a run --------------------------------------------------------------------------


def test_a_finished_run_goes_on_with_a_larger_budget(toy: MakeSearch) -> None:
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


def test_what_a_run_has_spent_counts_when_it_goes_on(toy: MakeSearch) -> None:
    executor = ScriptedExecutor(toy_verdict)
    search = toy(budget=Budget(evaluations=5), executor=executor)
    search.run()
    assert toy(journal=search.state.log, budget=None, executor=executor).run().status == "done"
    assert executor.count("evaluate") == 5


@pytest.mark.slow
def test_another_task_is_refused(toy: MakeSearch) -> None:
    search = toy()
    search.run()
    with pytest.raises(TaskError, match="belongs to another version of task 'sample'"):
        toy(task=sample_task(), journal=search.state.log)


def test_an_empty_run_cannot_go_on(toy: MakeSearch, journal: Journal) -> None:
    with pytest.raises(JournalError, match="has no beginning"):
        toy(journal=journal.create_run("empty"))
