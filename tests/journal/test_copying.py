"""Stores are put together run by run, as often as one likes, and never two runs in one."""

from pathlib import Path

import pytest
from tests._runs import begun

from maxcode.budget import Budget
from maxcode.journal.copying import merge
from maxcode.journal.events import SessionStarted
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.testing import outline, toy_search

pytest_plugins = ["tests._postgresql"]


def bodies(log: RunLog) -> list[object]:
    return [recorded.event for recorded in log.events()]


@pytest.mark.slow
def test_runs_arrive_whole_and_once(tmp_path: Path, store_url: str) -> None:
    with Journal.open(tmp_path / "one.db") as one, Journal.open(store_url) as target:
        searches = [toy_search(journal=one) for _ in range(2)]
        trees = {search.run_id: outline(search.run().tree) for search in searches}
        assert [run.copied for run in merge(one, target)] == ["new", "new"]
        assert [run.copied for run in merge(one, target)] == ["known", "known"]
        assert target.run_ids() == one.run_ids()
        for run_id, tree in trees.items():
            assert bodies(target.run(run_id)) == bodies(one.run(run_id))
            assert outline(RunState.load(target.run(run_id)).tree) == tree


def test_a_run_that_went_on_is_gone_on_with(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "one.db") as one, Journal.open(tmp_path / "all.db") as target:
        log = begun(one)
        assert [run.copied for run in merge(one, target)] == ["new"]
        log.append(SessionStarted(process="later", budget=Budget()))
        assert [run.copied for run in merge(one, target)] == ["longer"]
        assert [run.copied for run in merge(one, target)] == ["known"]
        assert bodies(target.run(log.run_id)) == bodies(log)


def test_two_ways_to_go_on_are_left_as_they_are(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "one.db") as one, Journal.open(tmp_path / "all.db") as target:
        log = begun(one)
        list(merge(one, target))
        log.append(SessionStarted(process="here", budget=Budget()))
        target.run(log.run_id).append(SessionStarted(process="there", budget=Budget()))
        later = begun(one, "another")
        found = {run.run_id: run.copied for run in merge(one, target)}
        assert found == {log.run_id: "forked", later.run_id: "new"}
        assert "there" in str(bodies(target.run(log.run_id)))
