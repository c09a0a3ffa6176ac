"""Commands that are printed work as printed."""

import ast
import re
import shlex
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli._hints import command_of, printed
from tests.cli.conftest import Run

import maxcode

_SOURCES = Path(maxcode.__file__).parent
_SEARCH = ("landscape:size=6", "--generator", "landscape", "--budget", "evaluations=12")


@pytest.fixture
def follow(inside: Run) -> Callable[[str, str], list[str]]:
    """Runs each command that a text holds, but searches without asking; gives the commands."""

    def run(text: str, *more: str) -> list[str]:
        found = printed(text)
        for command in found:
            words = shlex.split(command)[1:]
            done = inside(*words, *(more if words[0] == "optimize" else ()), code=(0, 1))
            assert "error:" not in done.stderr, (command, done.stderr)
        return found

    return run


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode in (0, 1), done.stderr
    return f"{done.stdout}\n{done.stderr}"


def test_what_follows_a_search_works(inside: Run, follow: Callable[..., list[str]]) -> None:
    for store in ((), ("--store", "a store's.db")):
        followed = follow(_said(inside("optimize", *_SEARCH, *store)))
        assert {command.split()[1] for command in followed} >= {"show", "report", "resume"}
        assert follow(_said(inside("resume last", *store)))
        assert follow(_said(inside("show", *store)))
        inside("optimize", *_SEARCH, *store)
        assert follow(_said(inside("runs --limit 1", *store)))


@pytest.mark.slow
def test_what_init_and_check_print_works(
    inside: Run, slow: Path, folder: Path, follow: Callable[..., list[str]]
) -> None:
    made = inside("init", str(slow), "--inputs", "inputs/*.txt", "--out", "my task")
    assert follow(_said(made), "--dry-run")
    inside("optimize", *_SEARCH, "--store", "runs.db")
    with sqlite3.connect("runs.db") as store:
        store.execute("UPDATE maxcode_events SET body = replace(body, '1', '2') WHERE seq = 5")
    store.close()
    assert follow(_said(inside("store check runs.db")))
    damaged = inside("show --store runs.db", code=2)
    assert follow(damaged.stderr) == ["maxcode store check runs.db"]


def _texts() -> Iterator[tuple[str, str]]:
    """Texts of the sources, with X for what is put into them."""
    for path in _SOURCES.rglob("*.py"):
        where = str(path.relative_to(_SOURCES))
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = (getattr(part, "value", "X") for part in node.values)
                yield where, "".join(part if isinstance(part, str) else "X" for part in parts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield where, node.value


def test_options_of_printed_commands_exist() -> None:
    seen = 0
    for where, text in _texts():
        for match in re.finditer(r"\bmaxcode ([^;:,()\n]+)", text):
            found, rest = command_of(match[1].split())
            if hasattr(found, "commands"):
                continue  # prose, or a group
            seen += 1
            known = {flag for one in found.params for flag in one.opts}
            unknown = {word for word in rest if re.fullmatch("--[a-z-]+", word)} - known
            assert not unknown, f"{where}: {match[0]}"
    assert seen
