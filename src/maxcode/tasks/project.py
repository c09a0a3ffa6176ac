"""ProjectTask: a project with a build, tests and a benchmark, and its file ``task.toml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from maxcode.errors import InputError, TaskError
from maxcode.files import read_source
from maxcode.program import Program
from maxcode.readers.formats import PROCESS, check_format
from maxcode.task import Task
from maxcode.tasks.checkers import Checker
from maxcode.tasks.languages import LANGUAGES
from maxcode.tasks.project_files import Patterns, Snapshot
from maxcode.tasks.toml import (
    CLOSED,
    MEBIBYTES,
    KindOfCheck,
    Seconds,
    Table,
    Tolerance,
    read_toml,
)

FLAGS_FILE = "maxcode.flags"
"""The file of a program with compiler flags, added to each compilation and link."""

TRAINED = "-fprofile-use"
"""The flag of a build trained by the project's benchmark."""

_LANGUAGES = {suffix: one.name for one in LANGUAGES.values() for suffix in one.suffixes}
del _LANGUAGES[".h"]  # of C or of C++


def _one_or_more(commands: object) -> object:
    return [commands] if isinstance(commands, str) else commands


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands run in the project's folder, by a shell, in the sandbox; empty if not needed.

    ``{jobs}`` stands for the number of processors, and ``{out}`` in ``bench`` and ``test`` for the
    file of the tool's report. ``flags`` are the compiler's, if the search may change them.
    """

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    bench: Annotated[tuple[str, ...], BeforeValidator(_one_or_more)] = ()
    setup: str = ""
    build: str = ""
    test: str = ""
    flags: str | None = field(default=None, repr=False)  # also in the baseline


@dataclass(frozen=True, slots=True)
class Benchmark:
    """How the benchmark commands are read.

    ``format`` is in :data:`maxcode.readers.FORMATS`; ``only`` are patterns of names. With
    ``process`` each command is timed as a whole by ``meter`` (cpu or wall), and its output and the
    files ``outputs`` must equal the baseline's, by the kind of ``check`` and its ``tolerance``.
    ``threads`` is the number of processors of a command. A command sees the project read-only
    unless ``writable``. ``no_regression`` is the allowed slowdown of a single benchmark (0.02 is
    2 %); None for any. Raises :class:`~maxcode.errors.InputError` for an unknown format or check.
    """

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    format: str = PROCESS
    only: tuple[str, ...] = ()
    meter: Literal["cpu", "wall"] = "cpu"
    outputs: tuple[str, ...] = ()
    threads: Annotated[int, Field(gt=0, le=4096)] = 1
    writable: bool = False
    no_regression: Annotated[float, Field(ge=0, lt=1)] | None = None
    check: KindOfCheck = field(default="exact", repr=False)
    tolerance: Tolerance = field(default=1e-6, repr=False)

    def __post_init__(self) -> None:
        check_format(self.format)
        if self.checker.program:
            raise InputError(
                "check: a checker program is not for projects; check outputs by a test"
            )

    @property
    def checker(self) -> Checker:
        """The checker of outputs."""
        return Checker(self.check, self.tolerance)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a single command: in seconds, of its memory, and of its writes, in bytes.

    ``read`` are readable folders outside of the project, ``environment`` the variables of commands,
    and ``writable`` patterns of folders where tests may write.
    """

    setup: float = 600.0
    build: float = 300.0
    test: float = 300.0
    bench: float = 60.0
    memory: int = 4 << 30
    disk: int = 1 << 30
    read: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    writable: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProjectTask(Task):
    """Make a project faster by its own build, tests and benchmark.

    ``folder`` is its place, ``tree`` the digest of all its files, and ``listing`` their paths with
    their sizes in bytes. The baseline's program holds the files that match ``patterns``, and
    candidates may add others that match. Raises :class:`~maxcode.errors.TaskError` without a
    benchmark.
    """

    executor: ClassVar[str] = "maxcode.executors.project.executor:ProjectExecutor"
    prompts: ClassVar[str] = "project"

    folder: Path = Path()
    tree: str = ""
    commands: Commands = Commands()
    benchmark: Benchmark = Benchmark()
    bounds: Bounds = Bounds()
    patterns: Patterns = field(default_factory=Patterns)
    listing: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.commands.bench:
            raise TaskError(f"task {self.name!r} has no benchmark: nothing says what is slow")

    def content(self) -> Iterator[bytes]:
        """The task's own parts, and the digest of the project's files."""
        yield from super().content()
        parts = (self.commands, self.benchmark, self.bounds, self.patterns)
        yield from (repr(part).encode() for part in parts)
        if self.benchmark.checker != Checker("exact"):  # which most have, and journals know
            yield repr(self.benchmark.checker).encode()
        yield self.tree.encode()

    def forbidden_changes(self, program: Program) -> list[str]:
        """Files changed, added or removed by ``program`` without permission."""
        return [
            path
            for path in self.baseline.changed(program)
            if path not in self.baseline.files and not self.patterns.match(path)
        ]

    @property
    def sources(self) -> list[str]:
        """The baseline's files without the compiler's flags."""
        return [path for path in self.baseline.files if path != FLAGS_FILE]

    @property
    def no_texts(self) -> list[str]:
        """Files of ``patterns`` that no program can hold: binaries, UTF-16, links."""
        held = self.baseline.files
        return [one for one, _ in self.listing if self.patterns.match(one) and one not in held]

    def read(self, path: str) -> str:
        """The text of a file of the project outside of the baseline's program.

        Raises :class:`~maxcode.errors.InputError` for foreign and binary files.
        """
        if path not in dict(self.listing):
            raise InputError(f"the project has no file {path}")
        file = self.folder / path
        if file.is_symlink():
            raise InputError(f"{path} is a link")
        return read_source(file)


class _Limits(Table):
    setup: Seconds = 600.0
    build: Seconds = 300.0
    test: Seconds = 300.0
    bench: Seconds = 60.0
    memory: Annotated[int, Field(alias="memory_mb", gt=0, le=1 << 30), MEBIBYTES] = 4 << 30
    disk: Annotated[int, Field(alias="disk_mb", gt=0, le=1 << 30), MEBIBYTES] = 1 << 30


class _Sandbox(Table):
    read: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default={})
    writable: tuple[str, ...] = ()


class _TaskFile(Table):
    kind: Literal["project"]
    name: Annotated[str, Field(min_length=1)]
    statement: str = ""
    editable: Annotated[list[str], Field(min_length=1)]
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    commands: Commands
    bench: Benchmark = Benchmark()
    limits: _Limits = _Limits()
    sandbox: _Sandbox = _Sandbox()


def load_project_folder(folder: Path | str, file: Path | None = None) -> ProjectTask:
    """The project task in a folder, by its ``task.toml`` or another ``file``.

    Raises :class:`~maxcode.errors.TaskError` with the file, and the key in ``task.toml``.
    """
    folder = Path(folder)
    path = file or folder / "task.toml"
    table = read_toml(path, _TaskFile)
    try:
        snapshot = Snapshot.of(folder, table.exclude, table.include)
        fixed = sorted(snapshot.included() - set(table.editable))
        editable = (*table.editable, *(f"!{path}" for path in fixed))
        patterns = Patterns(editable, table.exclude, table.include)
        files = snapshot.texts(patterns)
        if not files:
            raise TaskError(f"no text file matches editable = {table.editable}")
        if table.commands.flags is not None:
            files[FLAGS_FILE] = f"{table.commands.flags}\n"
        baseline = Program(files, next(iter(files)))
    except (InputError, ValueError) as error:
        raise TaskError(f"{path}: {error}") from error
    sandbox = dict(table.sandbox)
    sandbox["environment"] = tuple(sorted(table.sandbox.environment.items()))
    return ProjectTask(
        name=table.name,
        statement=table.statement,
        baseline=baseline,
        language=_language(baseline),
        folder=folder.resolve(),
        tree=snapshot.digest,
        listing=snapshot.sizes,
        commands=table.commands,
        benchmark=table.bench,
        bounds=Bounds(**dict(table.limits), **sandbox),
        patterns=patterns,
    )


def _language(program: Program) -> str:
    """The language of most of the text."""
    sizes: Counter[str] = Counter()
    for path, text in program.files.items():
        sizes[_LANGUAGES.get(Path(path).suffix, "")] += len(text)
    del sizes[""]
    return max(sizes, key=sizes.__getitem__, default="")
