"""Wrong input: a clear error, exit code 2, and nothing half-written."""

import sqlite3
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode.budget import Budget
from maxcode.journal.events import SessionStarted
from maxcode.journal.journal import Journal


def _refused(done: "subprocess.CompletedProcess[str]", *said: str) -> None:
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("error: ") or "\nerror: " in f"\n{done.stderr}"
    assert "Traceback" not in done.stderr
    for words in said:
        assert words in done.stderr


def _no_runs(folder: Path) -> bool:
    store = folder / "data" / "maxcode" / "runs.db"
    if not store.exists():
        return True
    with Journal.open(store) as journal:
        return not journal.run_ids()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("optimize nowhere", "there is no task folder or program nowhere"),
        ("optimize slow.cpp", "--inputs 'inputs/*.txt'"),
        ("optimize slow.cpp --inputs x*.txt", "'x*.txt' matches no file in"),
        ("optimize inputs --inputs inputs", "inputs holds no program (.cpp"),
        ("optimize doubling --inputs inputs", "--inputs go with a program, and doubling is none"),
        ("optimize slwo.cpp", "there is no file slwo.cpp; did you mean slow.cpp?"),
        ("optimize dubling", "no task folder or program dubling; did you mean doubling?"),
        ("optimize proposer.py", "proposer.py is a program; say which inputs"),
        ("optimize doubling --policy foo", "'foo'; known: beam, best-of-n"),
        ("optimize doubling --policy maxcode:q=1", "MaxCode takes: k, d"),
        ("optimize doubling --generator no.such:Thing", "known: flags, landscape, pool, rewrite"),
        ("optimize doubling --observe stars", "cannot observe 'stars'"),
        ("optimize doubling --budget minutes=1", "evaluations=40,seconds=120"),
        ("optimize doubling --store inputs", "is a folder; name a file in it"),
        ("optimize doubling --out inputs", "is a folder; name a file in it"),
        ("optimize doubling --out slow.cpp/fast.cpp", "give another --out"),
        ("optimize doubling --check exact", "--check go with a program"),
        ("optimize doubling --generator anthropic", "write it like anthropic:NAME"),
        ("judge doubling", "name programs to judge: maxcode judge doubling PROGRAM"),
        (
            "doctor doubling",
            "is of another kind: its program is checked at the start of maxcode opt",
        ),
        ("init slow.cpp", "say where the task of slow.cpp shall be: --out mytask/"),
        ("resume nobody", "there is no store"),
        ("show --store missing.db", "there is no store missing.db"),
        ("optimize landscape --generator landscape --meter wall", "not for 'landscape'"),
        ("optimize landscape", "landscape tasks need --generator landscape"),
        ("compare landscape", "landscape tasks need --generator landscape"),
    ],
)
def test_what_cannot_be_done_is_said(
    inside: Run, folder: Path, task: Path, slow: Path, arguments: str, said: str
) -> None:
    _refused(inside(arguments), said)
    assert _no_runs(folder)


def test_a_malformed_task_is_named_with_its_key(inside: Run, task: Path) -> None:
    text = (task / "task.toml").read_text()
    (task / "task.toml").write_text(text.replace('meter = "cpu"', 'metre = "cpu"'))
    _refused(inside("optimize", str(task)), "task.toml: run.metre: no such key")


def test_a_task_without_tests_is_refused(inside: Run, task: Path) -> None:
    for test in (task / "tests").iterdir():
        test.unlink()
    _refused(inside("optimize", str(task)), "has no tests")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return 1;", "return 1", "error: expected"),
        ("n * 2", "n * 5", "test 001: line 1: expected '42', got '105'"),
    ],
)
def test_a_failing_baseline_leaves_no_run(
    inside: Run, folder: Path, task: Path, old: str, new: str, said: str
) -> None:
    program = task / "main.cpp"
    program.write_text(program.read_text().replace(old, new))
    done = inside("optimize", str(task), "--json")
    _refused(done, "its own program fails", said)
    assert _no_runs(folder)


def test_a_newer_store_is_left_alone(inside: Run, task: Path, folder: Path) -> None:
    store = folder / "runs.db"
    Journal.open(store).close()
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE maxcode_meta SET value = '99'")
    connection.close()
    _refused(inside("optimize", str(task), "--store", str(store)), "schema 99", "newer maxcode")


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (("--store", "inputs"), "is a folder; name a file in it"),
        (("--store", "sqlite:///file:kept.db?mode=ro&uri=true"), "readonly"),
        (("--meter", "stones"), "unknown meter"),
    ],
)
def test_no_task_is_recorded_for_a_run_that_cannot_begin(
    inside: Run, folder: Path, slow: Path, wishes: tuple[str, str], said: str
) -> None:
    Journal.open(folder / "kept.db").close()
    _refused(inside("optimize", str(slow), "--inputs", "inputs/*", *wishes), said)
    assert not (folder / "data" / "maxcode" / "tasks").exists()


@pytest.mark.slow
def test_an_unknown_run_is_told_from_the_known(inside: Run, folder: Path) -> None:
    store = folder / "runs.db"
    with Journal.open(store) as journal:
        log = journal.create_run("doubling")
        log.append(SessionStarted(process="", budget=Budget()))
        known = log.run_id
    for command in ("show", "resume"):
        _refused(inside(command, "nobody", "--store", str(store)), "no run 'nobody'", known)
    _refused(inside("resume", known, "--store", str(store)), "cut off before it began")


def test_without_a_compiler_nothing_begins(inside: Run, task: Path, folder: Path) -> None:
    done = inside("optimize", str(task), PATH=str(folder), code=2)
    assert "error: g++ is not installed; on Debian and Ubuntu: apt install g++" in done.stderr
    assert _no_runs(folder)


def test_a_pattern_without_quotes_is_told_to_need_them(inside: Run, slow: Path) -> None:
    done = inside("optimize", str(slow), "--inputs", "inputs/a.txt", "inputs/b.txt", code=2)
    said = " ".join(done.stderr.replace("\u2502", " ").split())
    assert "put the pattern after --inputs in quotes" in said
