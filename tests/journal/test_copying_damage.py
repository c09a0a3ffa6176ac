"""Damage of a store is found wherever it is, and what is whole can be kept."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from maxcode.budget import Budget
from maxcode.errors import JournalError
from maxcode.generators.llm import ModelGenerator
from maxcode.journal.copying import Examined, examine, repair
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.models.base import Prompt
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedModel, outline, toy_task, toy_verdict

_EVENT = "UPDATE maxcode_events SET {} WHERE run = ? AND seq = 5"

DAMAGE = {
    "an event's text": _EVENT.format("body = replace(body, '0.', '1.')"),
    "bytes in place of an event": _EVENT.format("body = x'ff00fe'"),
    "no event at all": "DELETE FROM maxcode_events WHERE run = ? AND seq = 5",
    "an event at another place": _EVENT.format("seq = 9999"),
    "a text for a time": _EVENT.format("at = 'soon'"),
    "no checksum": _EVENT.format("chain = NULL"),
    "a program": "UPDATE maxcode_programs SET files = replace(files, '2', '3') WHERE run = ?",
    "a program's entry": "UPDATE maxcode_programs SET entry = 'other' WHERE run = ?",
    "no program": "DELETE FROM maxcode_programs WHERE run = ?",
    "an answer": "UPDATE maxcode_texts SET text = replace(text, 'larger', 'other') WHERE run = ?",
    "bytes for a name": "UPDATE maxcode_texts SET digest = x'ff00' WHERE run = ? AND rowid = 2",
    "no text": "DELETE FROM maxcode_texts WHERE run = ?",
    "a number for a text": "UPDATE maxcode_texts SET text = '12' WHERE run = ?",
}
_OF_TEXTS = {"an answer", "bytes for a name", "no text", "a number for a text"}


def _answer(_: Prompt, sample: int) -> str:
    return f"Summary: larger\n```\n{2 + sample / 8}\n```\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A store of two runs of a model: the file, and the ids of the runs."""
    path = tmp_path_factory.mktemp("whole") / "runs.db"
    ids = []
    with Journal.open(path) as journal:
        for _ in range(2):
            search = Search(
                toy_task(),
                generator=ModelGenerator(ScriptedModel(_answer)),
                executor=ScriptedExecutor(toy_verdict),
                policy=BestOfN(n=3),
                budget=Budget(evaluations=6),
                journal=journal,
            )
            search.run()
            ids.append(search.run_id)
    return path, ids[0], ids[1]


@pytest.fixture
def damaged(whole: tuple[Path, str, str], tmp_path: Path) -> Callable[[str], Path]:
    """Makes a copy of that store whose first run is damaged by a statement."""

    def make(statement: str) -> Path:
        path = tmp_path / "damaged.db"
        shutil.copy(whole[0], path)
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(statement, (whole[1],)).rowcount > 0
        return path

    return make


def _read_all(journal: Journal, run_id: str) -> None:
    """Everything that a run holds, as those who read runs do."""
    log = journal.run(run_id)
    state = RunState.load(log)
    for step in state.tree:
        dict(step.program.files)
    for recorded in log.events():
        if recorded.event.kind == "answered":
            log.text(recorded.event.prompt)
            log.text(recorded.event.text)


def _by_run(found: Iterator[Examined]) -> dict[str, Examined]:
    return {one.run_id: one for one in found}


@pytest.mark.slow
@pytest.mark.parametrize("what", DAMAGE)
def test_whatever_is_damaged_is_named_and_the_rest_is_kept(
    what: str, damaged: Callable[[str], Path], whole: tuple[Path, str, str], tmp_path: Path
) -> None:
    _, run_id, other = whole
    with (
        Journal.open(damaged(DAMAGE[what]), read_only=True) as journal,
        Journal.open(tmp_path / "new.db") as new,
    ):
        with pytest.raises(JournalError, match=run_id):
            _read_all(journal, run_id)
        _read_all(journal, other)
        found = _by_run(examine(journal))
        assert found[run_id].problems
        assert all(run_id in problem for problem in found[run_id].problems)
        assert found[other].problems == []
        repaired = _by_run(repair(journal, new))
        assert repaired[run_id].events == found[run_id].events
        assert outline(RunState.load(new.run(other)).tree)
        count = sum(1 for _ in new.run(other).events())
        assert count == found[other].events
        if found[run_id].events:
            assert sum(1 for _ in new.run(run_id).events()) == found[run_id].events
            assert what in _OF_TEXTS or _by_run(examine(new))[run_id].problems == []
        else:
            assert run_id not in new.run_ids()


def test_a_whole_store_has_no_problem(whole: tuple[Path, str, str]) -> None:
    with Journal.open(whole[0], read_only=True) as journal:
        for found in examine(journal):
            assert found.problems == []
            assert found.events == journal.last_events()[found.run_id] + 1


def test_a_run_that_is_there_already_is_not_replaced(
    whole: tuple[Path, str, str], tmp_path: Path
) -> None:
    with Journal.open(whole[0]) as journal, Journal.open(tmp_path / "new.db") as new:
        first = list(repair(journal, new))
        again = list(repair(journal, new))
        assert [found.events for found in again] == [0, 0]
        assert all("not copied" in found.problems[0] for found in again)
        assert [found.problems for found in first] == [[], []]
