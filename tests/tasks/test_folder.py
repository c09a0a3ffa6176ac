import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maxcode.errors import InputError, TaskError
from maxcode.program import Program
from maxcode.tasks.checkers import Checker
from maxcode.tasks.folder import load_task
from maxcode.tasks.program import (
    DEFAULT_FLAGS,
    InputsFile,
    Judging,
    ProgramTask,
    TestCase,
    load_program_folder,
    save_task,
)

CODE = "int main() { return 0; }\n"
TASK = ProgramTask("sum", "Add.", Program.of(CODE), tests=(TestCase("001", b"1 2\n", b"3\n"),))

_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


def write(folder: Path, table: str = 'name = "sum"\n', code: str = CODE) -> Path:
    """A task folder with one test."""
    (folder / "tests").mkdir(parents=True)
    (folder / "task.toml").write_bytes(table.encode())
    (folder / "main.cpp").write_text(code)
    (folder / "tests" / "001.in").write_bytes(b"1 2\n")
    (folder / "tests" / "001.out").write_bytes(b"3\n")
    return folder


def complaint(folder: Path) -> str:
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    return str(caught.value)


# -- what counts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        replace(TASK, tests=(TestCase("001", b"1 ", b"2\n3\n"),)),
        replace(TASK, tests=(*TASK.tests, TestCase("002", b"", b""))),
        *(
            replace(TASK, judging=judging)
            for judging in (
                Judging(flags=("-O2",)),
                Judging(timeout=1),
                Judging(memory=1 << 20),
                Judging(meter="wall"),
                Judging(checker=Checker("lines")),
                Judging(checker=Checker("tokens", 1e-3)),
            )
        ),
    ],
)
def test_whatever_decides_a_verdict_changes_the_digest(other: ProgramTask) -> None:
    assert other.digest != TASK.digest


def test_the_digest_of_equal_tasks_is_equal() -> None:
    one, other = (
        replace(TASK, judging=Judging(timeout=ten, checker=Checker("numbers", none)))
        for ten, none in ((10, 0), (10.0, 0.0))
    )
    assert one == other
    assert one.digest == other.digest


# -- reading -----------------------------------------------------------------------------------


def test_a_name_is_all_that_must_be_said(tmp_path: Path) -> None:
    task = load_task(write(tmp_path / "task"))
    assert task == ProgramTask("sum", "", Program.of(CODE), tests=TASK.tests)
    assert task.judging == Judging(DEFAULT_FLAGS, 60, 10, 1 << 30, "cpu", Checker("tokens", 1e-6))


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    table = """
        name = "sum"
        statement = '''
        Add
        numbers.
        '''
        [program]
        entry = "src/a.cpp"
        files = ["src/a.cpp", "lib/b.h"]
        editable = ["lib/b.h"]
        [build]
        flags = ["-O2", "-fopenmp"]
        timeout = 30
        [run]
        timeout = 2.5
        memory_mb = 64
        meter = "wall"
        [check]
        kind = "numbers"
        tolerance = 0.01
    """
    folder = write(tmp_path / "task", table)
    for path in ("src/a.cpp", "lib/b.h"):
        (folder / path).parent.mkdir()
        (folder / path).write_text(f"// {path}\n")
    task = load_program_folder(str(folder))
    assert task.statement.split() == ["Add", "numbers."]
    files = {"src/a.cpp": "// src/a.cpp\n", "lib/b.h": "// lib/b.h\n"}
    assert task.baseline == Program(files, "src/a.cpp")
    assert task.editable == ("lib/b.h",)
    assert task.judging == Judging(
        ("-O2", "-fopenmp"), 30, 2.5, 64 << 20, "wall", Checker("numbers", 0.01)
    )


def test_tests_are_read_as_bytes_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = write(tmp_path / "task")
    (folder / "tests" / "000.in").write_bytes(b"\xff\0\r\n")
    (folder / "tests" / "000.out").write_bytes(b"")
    task = load_task(folder)
    assert isinstance(task, ProgramTask)
    first, second = task.tests
    assert first == TestCase("000", b"\xff\0\r\n", b"")
    assert second.name == "001"


# -- what is malformed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "task.toml: name: this key is missing"),
        (
            'name = "a"\n[run\n',
            "task.toml: not valid TOML: Expected ']' at the end of a table decl",
        ),
        ("name = 7\n", ": name: input should be a valid string"),
        ('name = "a"\nstatment = ""\n', ": statment: no such key"),
        ('name = "a"\n[run]\ntimeout = 0\n', ": run.timeout: input should be greater"),
        ('name = "a"\nrun.meter = "sundial"\n', ": run.meter: input should be 'cpu', 'wall'"),
        ('name = "a"\n[build]\nflags = ["-O3", 3]\n', ": build.flags.1: "),
        (
            'name = "a"\n[check]\nkind = "fuzzy"\n',
            ": check.kind: unknown kind of check 'fuzzy'",
        ),
        ('name = "a"\n[program]\nentry = "b.cpp"\n', "task.toml: program: the entry 'b.cpp'"),
        ('name = "a"\nprogram.files = ["main.cpp", "b.h"]\n', "b.h: No such file"),
        ('name = "a"\nprogram.files = ["main.cpp", "../task/main.cpp"]\n', "inside its folder"),
        ('name = "a"\nprogram.files = ["main.cpp", "tests"]\n', "tests: Is a directory"),
    ],
)
def test_a_malformed_file_is_told_with_its_key(table: str, told: str, tmp_path: Path) -> None:
    assert told in complaint(write(tmp_path / "task", table))


def test_every_problem_is_told(tmp_path: Path) -> None:
    told = complaint(write(tmp_path / "task", 'name = 1\n[run]\ntimeout = "x"\ntimeuot = 1\n'))
    keys = [line.split(": ")[1] for line in told.splitlines()]
    assert keys == ["name", "run.timeout", "run.timeuot"]


def test_no_task_file_and_how_to_make_one(tmp_path: Path) -> None:
    told = complaint(tmp_path)
    assert "has no task.toml" in told
    assert "maxcode init" in told


def test_no_program(tmp_path: Path) -> None:
    folder = write(tmp_path / "task")
    (folder / "main.cpp").unlink()
    assert "program: there is no program (.cpp, .cc" in complaint(folder)


def test_no_tests_and_half_a_test(tmp_path: Path) -> None:
    folder = write(tmp_path / "task")
    (folder / "tests" / "001.in").unlink()
    assert "test 001 has no 001.in" in complaint(folder)
    (folder / "tests" / "001.out").unlink()
    assert "has no tests" in complaint(folder)


# -- writing -----------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(_TEXT.filter(bool), _TEXT, st.lists(_TEXT, max_size=3), st.binary(), st.binary())
@example("\x7f\x00\x1b", "\r\n\t\x85\u2028", ['-DX="a\'b\\"', "#"], b"\r", b"\0")
@example("'''", '"""\\', ["\\u0041", "]", ","], b"", b"")
@example("😀 é", "  indented, and a line end\n", [""], b"", b"")
def test_what_is_written_reads_back_as_it_was(
    name: str, statement: str, flags: list[str], given: bytes, expected: bytes
) -> None:
    task = replace(
        TASK,
        name=name,
        statement=statement,
        tests=(TestCase("001", given, expected), TestCase("002", b"", b"")),
        judging=Judging(flags=tuple(flags), timeout=0.1, checker=Checker("numbers", 1e-300)),
    )
    with tempfile.TemporaryDirectory() as folder:
        save_task(task, Path(folder) / "task")
        found = load_task(Path(folder) / "task")
    assert found == task
    assert found.digest == task.digest


def test_programs_of_many_files_survive(tmp_path: Path) -> None:
    files = {"src/main.cpp": "\r\n", "lib/deep/a.h": "// é\n", "data.txt": "", "odd \"name'.h": "x"}
    program = Program(files, "src/main.cpp")
    task = replace(TASK, baseline=program, editable=("lib/deep/a.h", "src/main.cpp"))
    save_task(task, str(tmp_path / "new" / "folders" / "task"))
    assert load_task(tmp_path / "new" / "folders" / "task") == task


@pytest.mark.parametrize("name", ["inputs.py", "make.cpp"])
def test_a_generator_of_inputs_is_the_tasks_and_not_the_programs(tmp_path: Path, name: str) -> None:
    task = replace(TASK, inputs=InputsFile(name, "made\n"))
    save_task(task, tmp_path / "task")
    assert load_task(tmp_path / "task") == task
    assert task.digest != TASK.digest
    assert task.digest != replace(task, inputs=InputsFile(name, "other\n")).digest


@pytest.mark.parametrize("name", ["inputs.txt", "sub/inputs.py"])
def test_a_generator_is_a_file_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path / "task", f'name = "sum"\n[fuzz]\ninputs = "{name}"\n')
    (folder / "sub").mkdir()
    (folder / name).write_text("")
    assert "a file of the task's folder (.py, .cpp" in complaint(folder)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    save_task(TASK, tmp_path / "task")
    with pytest.raises(InputError, match="exists already"):
        save_task(replace(TASK, name="other"), tmp_path / "task")
    assert load_task(tmp_path / "task") == TASK


@pytest.mark.parametrize(
    "task",
    [
        replace(TASK, tests=(*TASK.tests, TestCase("x" * 300, b"", b""))),  # too long for a file
        replace(TASK, tests=(*TASK.tests, TestCase("sub/002", b"", b""))),
        replace(TASK, tests=(*TASK.tests, TestCase("001", b"again", b""))),
        replace(TASK, tests=(TestCase("002", b"", b""), *TASK.tests)),
        replace(TASK, judging=Judging(memory=(1 << 20) + 1)),
        replace(TASK, judging=Judging(timeout=1e9)),
    ],
)
def test_a_task_that_a_folder_cannot_hold_leaves_nothing(task: ProgramTask, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        save_task(task, tmp_path / "task")
    assert list(tmp_path.iterdir()) == []


def test_a_kind_of_task_comes_from_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "installed"
    about = installed / "mykind-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mykind\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[maxcode.tasks]\nformula = mykind:load\nbroken = mykind:nothing\n"
    )
    (installed / "mykind.py").write_text(
        "from maxcode import Program, Task\n"
        "def load(folder):\n"
        "    return Task(folder.name, '', Program.of((folder / 'formula').read_text(), 'f'))\n"
        "def nothing(folder):\n"
        "    return None\n"
    )
    monkeypatch.syspath_prepend(str(installed))
    folder = tmp_path / "square"
    folder.mkdir()
    (folder / "formula").write_text("x*x")
    (folder / "task.toml").write_text('kind = "formula"\n')
    assert load_task(folder).baseline.code == "x*x"
    (folder / "task.toml").write_text('kind = "broken"\n')
    assert "made None, which is no maxcode.Task" in complaint(folder)
    (folder / "task.toml").write_text('kind = "formulae"\n')
    assert "no task of kind 'formulae'; known: project, broken, formula" in complaint(folder)
