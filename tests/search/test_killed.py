"""A process that is killed at any moment loses nothing, and asks nothing twice."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests._covering import covering

from maxcode.journal.events import Proposed
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.testing import outline, toy_search

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("search_to_kill.py")


def search_until(death: str, store: Path, run: str, calls: Path) -> bool:
    """Whether the search was killed before it came to its end."""
    arguments = [sys.executable, str(SCRIPT), str(store), run, str(calls), death]
    process = subprocess.run(arguments, check=False, capture_output=True, text=True, timeout=60)
    assert process.returncode in {0, -signal.SIGKILL}, process.stderr
    return process.returncode != 0


@pytest.fixture(scope="module")
def unkilled() -> list[str]:
    return outline(toy_search().run().tree)


@pytest.mark.parametrize(
    "death",
    covering(
        ["events:2", "events:9", "events:23", "events:58", "events:101", "calls:3", "calls:7"],
        ["events:9", "events:101", "calls:3"],  # benchmarks/kills.py kills at every event
    ),
)
def test_a_killed_search_goes_on_to_the_tree_of_one_that_was_not(
    tmp_path: Path, death: str, unkilled: list[str]
) -> None:
    store, calls = tmp_path / "runs.db", tmp_path / "calls"
    assert search_until(death, store, "new", calls)
    with Journal.open(store) as journal:
        before = journal.run("last")
        written = [recorded.event for recorded in before.events()]
        answered = {event.number for event in written if isinstance(event, Proposed)}
        calls.write_text("")
        assert not search_until("never:1", store, before.run_id, calls)
        asked = [int(number) for number in calls.read_text().split()]
        assert len(set(asked)) == len(asked)
        assert not answered & set(asked)
        after = journal.run("last")
        assert [recorded.event for recorded in after.events()][: len(written)] == written
        assert outline(RunState.load(after).tree) == unkilled


def test_a_search_may_be_killed_again_and_again(tmp_path: Path, unkilled: list[str]) -> None:
    store, calls, run = tmp_path / "runs.db", tmp_path / "calls", "new"
    deaths = 0
    while search_until("events:41", store, run, calls):
        run, deaths = "last", deaths + 1
    assert deaths > 2
    with Journal.open(store) as journal:
        assert outline(RunState.load(journal.run("last")).tree) == unkilled
