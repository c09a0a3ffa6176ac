"""ProgramTask: a program with tests, and its folder: ``task.toml``, sources and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from maxcode.errors import InputError, TaskError
from maxcode.files import new_folder, read_bytes, read_source
from maxcode.program import Program
from maxcode.sources import to_bytes
from maxcode.task import Task
from maxcode.tasks.checkers import Checker
from maxcode.tasks.languages import (
    CPP,
    LANGUAGES,
    Language,
    language_named,
    language_of,
    program_suffixes,
)
from maxcode.tasks.toml import KindOfCheck, Seconds, Table, Tolerance, as_toml, read_toml

DEFAULT_FLAGS = CPP.flags
_PROGRAMS = CPP.programs


@dataclass(frozen=True, slots=True)
class TestCase:
    """An input on standard input and its expected output."""

    __test__ = False  # a test of the user's program, not of ours

    name: str
    input: bytes
    expected: bytes


@dataclass(frozen=True, slots=True)
class Judging:
    """How a program is built, run and measured.

    ``flags`` go to the compiler, or to the runtime of a language without one; g++'s stand for the
    language's own. ``build_timeout`` and ``timeout`` (of each test) are in seconds, ``memory`` is
    bytes of address space, and ``meter`` names the quantity to reduce. With ``sanitize`` a passing
    program must also pass a build with the address and undefined-behaviour sanitizers, so none is
    right by luck.
    """

    flags: tuple[str, ...] = DEFAULT_FLAGS
    build_timeout: float = 60.0
    timeout: float = 10.0
    memory: int = 1 << 30
    meter: str = "cpu"
    checker: Checker = Checker()
    sanitize: bool = False

    def __post_init__(self) -> None:
        for name in ("build_timeout", "timeout"):  # 10 and 10.0 are the same in a digest too
            object.__setattr__(self, name, float(getattr(self, name)))

    def of(self, language: Language) -> Judging:
        """This judging with a language's own flags in place of g++'s usual flags."""
        return replace(self, flags=language.flags) if self.flags == CPP.flags else self


@dataclass(frozen=True, slots=True)
class InputsFile:
    """A user's generator of further inputs, by the name and the text of its file.

    It is a program in Python or C++: it reads a seed from standard input, writes an input, and runs
    in the sandbox. Raises :class:`~maxcode.errors.TaskError` for a name of neither kind.
    """

    name: str
    text: str

    def __post_init__(self) -> None:
        if not self.name.endswith((".py", *_PROGRAMS)) or Path(self.name).name != self.name:
            wanted = ", ".join((".py", *_PROGRAMS))
            raise TaskError(
                f"inputs are made by a file of the task's folder ({wanted}), not by {self.name!r}"
            )


@dataclass(frozen=True)
class ProgramTask(Task):
    """Make a program faster that reads standard input and writes standard output.

    ``language`` is a name in :data:`~maxcode.tasks.languages.LANGUAGES`. ``tests`` define
    correctness and are timed; ``inputs`` makes further inputs in place of those learned from the
    tests. ``limits`` are ranges of input fields, by their names in ``maxcode
    fuzz``, where they go beyond the tests; with ``strict`` a program has to be right beyond the
    known format, too. Raises :class:`~maxcode.errors.TaskError` without tests, and for a meter or
    sanitizers that the language does not have.
    """

    executor: ClassVar[str] = "program"
    prompts: ClassVar[str] = "program"

    language: str = "c++"
    tests: tuple[TestCase, ...] = ()
    judging: Judging = Judging()
    inputs: InputsFile | None = None
    limits: tuple[tuple[str, float, float], ...] = ()
    strict: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.tests:
            raise TaskError(f"task {self.name!r} has no tests: nothing says what is correct")
        language = language_named(self.language)
        object.__setattr__(self, "judging", self.judging.of(language))
        if self.judging.sanitize and not language.instrumented:
            raise TaskError(f"task {self.name!r}: there are no sanitizers for {language.title}")
        if self.judging.meter == "instructions" and not language.compiled:
            raise TaskError(
                f"task {self.name!r}: the meter instructions counts machine code; for "
                f"{language.title} take cpu"
            )

    def content(self) -> Iterator[bytes]:
        """The task's own parts, its tests, and how it is judged."""
        yield from super().content()
        yield repr(self.judging).encode()
        if checks := self.judging.checker.text:
            yield checks.encode()
        for test in self.tests:
            yield from (test.name.encode(), test.input, test.expected)
        if self.inputs is not None:  # most tasks have none, and their digests are in journals
            yield from (b"inputs", self.inputs.name.encode(), self.inputs.text.encode())
        if self.limits or self.strict:
            yield repr((self.limits, self.strict)).encode()


class _Program(Table):
    entry: str | None = None
    files: list[str] | None = None
    editable: list[str] | None = None


class _Build(Table):
    flags: list[str] | None = None
    command: str = ""
    timeout: Seconds = 60.0


class _Run(Table):
    command: str = ""
    timeout: Seconds = 10.0
    memory_mb: Annotated[int, Field(gt=0, le=1 << 30)] = 1024
    meter: Literal["cpu", "wall", "instructions", "peak_memory", "memory_integral"] = "cpu"


class _Check(Table):
    kind: KindOfCheck = "tokens"
    tolerance: Tolerance = 1e-6
    sanitize: bool = False


class _Fuzz(Table):
    inputs: str | None = None
    strict: bool = False
    limits: dict[str, tuple[float, float]] = Field(default_factory=dict)


class _TaskFile(Table):
    name: Annotated[str, Field(min_length=1)]
    statement: str = ""
    program: _Program = _Program()
    build: _Build = _Build()
    run: _Run = _Run()
    check: _Check = _Check()
    fuzz: _Fuzz = _Fuzz()


def load_program_folder(folder: Path | str) -> ProgramTask:
    """The task of a program in a folder.

    Raises :class:`~maxcode.errors.TaskError` with the file, and the key in ``task.toml``.
    """
    folder = Path(folder)
    path = folder / "task.toml"
    table = read_toml(path, _TaskFile)
    checker = Checker(table.check.kind, table.check.tolerance)
    entry, language, flags = _language(path, table)
    own = (table.fuzz.inputs, checker.program)
    names = table.program.files or sorted(
        source.name
        for source in folder.iterdir()
        if source.suffix in language.suffixes and source.name not in own
    )
    try:
        sources = {name: read_source(folder / name, TaskError) for name in names or [entry]}
        baseline = Program(sources, entry)
    except ValueError as error:
        raise TaskError(f"{path}: program: {error}") from error
    inputs = None
    if checker.program:
        checker = replace(checker, text=read_source(folder / checker.program, TaskError))
    if made_by := table.fuzz.inputs:
        inputs = InputsFile(made_by, read_source(folder / made_by, TaskError))
    return ProgramTask(
        name=table.name,
        statement=table.statement,
        baseline=baseline,
        editable=tuple(table.program.editable or ()),
        language=language.name,
        tests=_tests(folder / "tests"),
        judging=Judging(
            flags=flags,
            build_timeout=table.build.timeout,
            timeout=table.run.timeout,
            memory=table.run.memory_mb << 20,
            meter=table.run.meter,
            checker=checker,
            sanitize=table.check.sanitize,
        ),
        inputs=inputs,
        limits=tuple((name, low, high) for name, (low, high) in table.fuzz.limits.items()),
        strict=table.fuzz.strict,
    )


def _language(path: Path, table: _TaskFile) -> tuple[str, Language, tuple[str, ...]]:
    """Entry file of a task, its language, and the flags."""
    entry = table.program.entry or _usual_entry(path, table)
    if table.run.command:
        if table.build.flags is not None:
            raise TaskError(f"{path}: build: flags go without command, which names them itself")
        return entry, LANGUAGES["command"], (table.build.command, table.run.command)
    if table.build.command:
        raise TaskError(f"{path}: build: command goes with command in [run], which runs it")
    language = language_of(entry)
    if language is None:
        raise TaskError(
            f"{path}: program: {entry} has no suffix of a known language "
            f"({', '.join(program_suffixes())}); give command in [build] and in [run]"
        )
    flags = table.build.flags
    return entry, language, language.flags if flags is None else tuple(flags)


def _usual_entry(path: Path, table: _TaskFile) -> str:
    """The entry file of a task that names none: main.cpp, the one of a usual name, the only one."""
    own = {table.fuzz.inputs, table.check.kind.partition(":")[2]}
    there = sorted(one.name for one in path.parent.iterdir() if language_of(one.name))
    found = [name for name in table.program.files or there if name not in own]
    usual = [one.entry for one in LANGUAGES.values() if one.entry in found]
    if CPP.entry in found:
        return CPP.entry
    [entry, *others] = usual or found or [""]
    if others:
        raise TaskError(f"{path}: program: entry says which of {', '.join(found)} is run")
    if not entry:
        raise TaskError(f"{path}: program: there is no program ({', '.join(program_suffixes())})")
    return entry


def check_new(folder: Path) -> None:
    """Raise :class:`~maxcode.errors.InputError` for an existing path."""
    if folder.exists():
        raise InputError(f"{folder} exists already; give another --out, or remove it first")


def save_task(task: ProgramTask, folder: Path | str) -> None:
    """Write a task as a folder from which :func:`load_program_folder` reads an equal task.

    The folder appears whole or not at all. Raises :class:`~maxcode.errors.InputError` for an
    existing path, and for a task without a form as a folder.
    """
    folder = Path(folder)
    check_new(folder)
    try:
        with new_folder(folder, partial(check_new, folder)) as made:
            (made / "tests").mkdir()
            task.baseline.write(made)
            (made / "task.toml").write_text(_as_toml(task), encoding="utf-8")
            if task.inputs is not None:
                (made / task.inputs.name).write_bytes(to_bytes(task.inputs.text))
            checker = task.judging.checker
            if checker.program:
                (made / checker.program).write_text(checker.text, encoding="utf-8")
            for test in task.tests:
                (made / "tests" / f"{test.name}.in").write_bytes(test.input)
                (made / "tests" / f"{test.name}.out").write_bytes(test.expected)
            if load_program_folder(made) != task:
                raise InputError(
                    f"task {task.name!r} would not read back from {folder} as it is: tests need "
                    "names of their own and to be sorted by them, and memory to be whole MiB"
                )
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror}") from error


def _tests(folder: Path) -> tuple[TestCase, ...]:
    inputs = {path.stem: path for path in folder.glob("*.in")}
    outputs = {path.stem: path for path in folder.glob("*.out")}
    if not inputs and not outputs:
        raise TaskError(f"{folder} has no tests: put NNN.in and NNN.out files there")
    for name in sorted(inputs.keys() ^ outputs.keys()):
        missing = ".out" if name in inputs else ".in"
        raise TaskError(f"{folder}: test {name} has no {name}{missing}")
    names = sorted(inputs)
    if all(name.isascii() and name.isdigit() for name in names):
        names.sort(key=int)  # 2 before 10
    return tuple(
        TestCase(name, read_bytes(inputs[name], TaskError), read_bytes(outputs[name], TaskError))
        for name in names
    )


def _as_toml(task: ProgramTask) -> str:
    judging, checker = task.judging, task.judging.checker
    flags: list[str] | None = list(judging.flags)
    build = run = None
    if task.language == "command":
        flags, (build, run) = None, judging.flags
    return as_toml(
        {
            "": {"name": task.name, "statement": task.statement},
            "program": {
                "entry": task.baseline.entry,
                "files": list(task.baseline.files),
                "editable": list(task.editable) or None,
            },
            "build": {"flags": flags, "command": build, "timeout": judging.build_timeout},
            "run": {
                "command": run,
                "timeout": judging.timeout,
                "memory_mb": judging.memory >> 20,
                "meter": judging.meter,
            },
            "check": {
                "kind": checker.kind,
                "tolerance": checker.tolerance,
                "sanitize": judging.sanitize,
            },
            "fuzz": {
                "inputs": task.inputs.name if task.inputs else None,
                "strict": task.strict or None,
            },
            "fuzz.limits": {name: list(limit) for name, *limit in task.limits},
        }
    )
