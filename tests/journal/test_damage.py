"""Damage of a store is found wherever it is, and other runs can be read."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from maxcode.budget import Budget
from maxcode.errors import JournalError
from maxcode.generators.llm import ModelGenerator
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.models.base import Prompt
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedModel, toy_task, toy_verdict

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


@pytest.mark.slow
@pytest.mark.parametrize("what", DAMAGE)
def test_whatever_is_damaged_is_named_and_other_runs_are_read(
    what: str, damaged: Callable[[str], Path], whole: tuple[Path, str, str]
) -> None:
    _, run_id, other = whole
    with Journal.open(damaged(DAMAGE[what]), read_only=True) as journal:
        with pytest.raises(JournalError, match=run_id):
            _read_all(journal, run_id)
        _read_all(journal, other)
