"""Values of what is found out about a project: its files, commands and benchmarks."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from maxcode.tasks.project_files import PROTECTED_FOLDERS, Snapshot, is_test

SOURCES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
"""Suffixes of C and C++."""

PLACE = "/tmp/project"  # noqa: S108 - in the sandbox
_ASIDE = frozenset(
    {*PROTECTED_FOLDERS, "build", "doc", "docs", "example", "examples", "node_modules", "scripts"}
)
_MOST = 1 << 20  # bytes that are read of a file


@dataclass(frozen=True, slots=True)
class Bench:
    """A possible benchmark: its commands, and how their output is read.

    ``source`` names it for users. ``setup`` follows the project's own; the other fields are those
    of a project's ``task.toml``.
    """

    source: str
    commands: tuple[str, ...]
    format: str = "process"
    setup: str = ""
    writable: bool = False
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """Commands of a project, its editable files and possible benchmarks, the best first.

    Unknown fields are empty; they are those of a project's ``task.toml``. ``compiled``: a C or C++
    compiler makes it, so flags are worth trying. ``wanted`` describes a usual benchmark for a
    project without any, and ``problem`` is a reason why it cannot work here, with a remedy.
    """

    editable: tuple[str, ...] = ()
    setup: str = ""
    build: str = ""
    test: str = ""
    benches: tuple[Bench, ...] = ()
    compiled: bool = False
    read: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    wanted: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Files:
    """The files of a project, by their paths from its folder."""

    folder: Path
    paths: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path, include: Sequence[str] = ()) -> Files:
        """All files of a folder. Raises :class:`~maxcode.errors.TaskError` for none."""
        return cls(folder, Snapshot.of(folder, include=include).paths)

    def read(self, path: str) -> str:
        """The beginning of a file's text; empty if there is none."""
        try:
            with (self.folder / path).open("rb") as file:
                return file.read(_MOST).decode("utf-8", "replace")
        except OSError:
            return ""

    def named(self, *suffixes: str) -> list[str]:
        """Files with such a suffix, outside of hidden folders."""
        return [
            path
            for path in self.paths
            if path.endswith(suffixes) and not path.startswith(".") and "/." not in path
        ]

    @cached_property
    def folders(self) -> frozenset[str]:
        """Folders that hold files; "" is the project's own."""
        return frozenset(
            "" if str(above) == "." else str(above)
            for path in self.paths
            for above in PurePosixPath(path).parents
        )

    def patterns(self, *suffixes: str) -> tuple[str, ...]:
        """Patterns of the sources with these suffixes: their folders, and files of the top."""
        paths = [path for path in self.named(*suffixes) if not aside(path)]
        folders = {path.partition("/")[0] for path in paths if "/" in path}
        top = {f"*{PurePosixPath(path).suffix}" for path in paths if "/" not in path}
        return (
            *(f"{name}/**" for name in sorted(folders)),
            *sorted(top, key=lambda one: suffixes.index(one[1:])),
        )


def aside(path: str) -> bool:
    """Whether a file lies in a folder of tests, benchmarks, documents or builds."""
    folders = path.lower().split("/")[:-1]
    return any(one in _ASIDE or one.startswith("build") for one in folders)


def toml(text: str) -> dict[str, Any]:
    """The tables of a file; empty where it is none of TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def script(command: str, source: str) -> Iterator[Bench]:
    """Ways to read a script: its output compared, the times that it prints, or its time alone."""
    yield Bench(source, (command,))
    yield Bench(source, (command,), "times")
    yield Bench(source, (f"{command} > /dev/null",))


def says_benchmark(path: str) -> bool:
    """Whether the names in a path speak of speed."""
    words = ("perf", "speed", "timing")
    return "bench" in path.lower() or (is_test(path) and any(one in path for one in words))
