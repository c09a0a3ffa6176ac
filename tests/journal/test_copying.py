"""Stores are put together run by run, as often as one likes, and never two runs in one."""

from collections import Counter
from pathlib import Path

import pytest
from tests._runs import begun

from maxcode.budget import Budget
from maxcode.comparison.method import Method
from maxcode.comparison.running import compare
from maxcode.journal.copying import merge
from maxcode.journal.events import SessionStarted
from maxcode.journal.journal import Journal, RunLog
from maxcode.landscape.plugins import LandscapeExecutor, LandscapeGenerator
from maxcode.landscape.terrain import Landscape, Terrain
from maxcode.policies.maxcode_loop import MaxCodeLoop

pytest_plugins = ["tests._postgresql"]


def contest(journal: Journal | str, *seeds: int) -> Counter[str]:
    """Searches on a landscape; gives how each method fared."""
    found = compare(
        [Method("maxcode", MaxCodeLoop(k=2, d=2))],
        [Landscape.on(Terrain(seed=1))],
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        budget=Budget(evaluations=4),
        seeds=seeds,
        journal=journal,
    )
    return Counter({f"{one.method} {one.seed}": round(1e6 * one.raw) for one in found.outcomes})


def bodies(log: RunLog) -> list[object]:
    return [recorded.event for recorded in log.events()]


@pytest.mark.slow
def test_runs_arrive_whole_and_once(tmp_path: Path, store_url: str) -> None:
    with Journal.open(tmp_path / "one.db") as one, Journal.open(tmp_path / "two.db") as two:
        expected = contest(one, 0, 1) + contest(two, 2)
        with Journal.open(store_url) as target:
            for source in (one, two):
                assert {run.copied for run in merge(source, target)} == {"new"}
            assert sorted(target.run_ids()) == sorted(one.run_ids() + two.run_ids())
            for source in (one, two, one):
                assert {run.copied for run in merge(source, target)} == {"known"}
            for run_id in one.run_ids():
                assert bodies(target.run(run_id)) == bodies(one.run(run_id))
            before = target.run_ids()
            assert contest(target, 0, 1, 2) == expected
            assert target.run_ids() == before  # nothing was run again


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
        assert {run.run_id: run.copied for run in merge(one, target)} == {
            log.run_id: "forked", later.run_id: "new"
        }  # fmt: skip
        assert "there" in str(bodies(target.run(log.run_id)))
