"""Whatever others wrote into a run, a person sees all of it, and no terminal obeys it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.report._hostile import hidden, hostile_search

from maxcode.journal.journal import Journal
from maxcode.search.result import Result

pytestmark = pytest.mark.slow

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def result(folder: Path) -> Iterator[Result]:
    with Journal.open(folder / "runs.db") as journal:
        yield hostile_search(journal).run()


def unseen(text: str) -> set[str]:
    return {f"U+{ord(one):04X}" for one in text if hidden(one)}


def test_a_terminal_gets_no_control_but_styles(inside: Run, result: Result) -> None:
    commands = [["show", result.run_id, "--all"], ["runs"]]
    commands += [["show", result.run_id, "--step", str(number)] for number in (0, 3, 31, 34)]
    for command in commands:
        screen = inside(*command, "--store", "runs.db", FORCE_COLOR="1", TERM="xterm-256color")
        assert screen.returncode == 0, screen.stderr
        assert _STYLE.search(screen.stdout)
        assert unseen(_STYLE.sub("", screen.stdout + screen.stderr)) == set()
    assert "␛]8;;" in screen.stdout or "<U+202E>" in screen.stdout


def test_json_means_the_same_and_shows_all(inside: Run, result: Result) -> None:
    found = inside("show", result.run_id, "--step", "33", "--json", "--store", "runs.db").stdout
    assert unseen(found) == set()
    assert json.loads(found)["summary"] == result.tree[33].summary


def test_a_pipe_gets_the_patch_to_the_byte(inside: Run, result: Result) -> None:
    first = result.tree.root.program
    step = next(one for one in result.tree if "\x1b" in first.diff(one.program))
    diff = first.diff(step.program)
    piped = inside("show", result.run_id, "--step", str(step.id), "--store", "runs.db")
    assert (
        diff.rstrip("\n").replace("\r\n", "\n") in piped.stdout
    )  # as the runner has ends of lines
    assert "note: the diff holds characters that are not seen: " in piped.stderr
    assert "␛" in piped.stderr
    assert unseen(piped.stderr) == set()


def test_an_error_shows_all_of_a_message(inside: Run, folder: Path) -> None:
    hostile = "no\x1b[31m\u202erun"
    failed = inside("show", hostile, "--store", str(folder / "none.db"), code=2)
    assert unseen(failed.stderr) == set()
