"""Profiling: where a runtime's programs spend their time, by line and by function."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from maxcode.evaluation import HotFunction, HotLine, Profile
from maxcode.program import Program
from maxcode.toolchain.base import Command

_MAX_LINES, _MAX_FUNCTIONS = 12, 24
LEAST = 0.01
"""Share of a line or function that is kept."""

MAX_NAME = 80
"""Characters of a function's name."""


Line = tuple[str, int, str]
"""A line: its file, "" outside of the program's, its number, and its function."""


class Profiled(ABC):
    """A toolchain whose runtime profiles programs."""

    @abstractmethod
    def profiling(self, built: Path, flags: Sequence[str]) -> Command:
        """The command to run a program and print its profile and nothing else."""

    @abstractmethod
    def costs(self, output: bytes, folder: Path, program: Program) -> Profile:
        """Profile in the output of :meth:`profiling`, of a program in ``folder``, without text.

        Raises ``ValueError`` for an output in another form: a program may write to it.
        """


def relative(path: str, folder: Path) -> str:
    """Path of a file within the program's folder; "" for others."""
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else ""


def hot_line(program: Program, path: str, line: int, share: float, function: str) -> HotLine | None:
    """A line of the program; None for a small share or a line that does not exist."""
    code = program.files.get(path, "").split("\n")
    if share < LEAST or not 0 < line <= len(code):
        return None
    return HotLine(path, line, share, code[line - 1].strip()[:200], function=function[:MAX_NAME])


def profile_of(program: Program, lines: Counter[Line], functions: Iterable[HotFunction]) -> Profile:
    """The lines and functions that take most, without text."""
    total = max(lines.total(), 1)
    hot = (
        hot_line(program, path, line, cost / total, function)
        for (path, line, function), cost in lines.most_common()
        if path in program.files
    )
    ranked = sorted(functions, key=lambda one: (-one.share, -one.inclusive, one.name))
    kept = (one for one in ranked if (one.inclusive if one.own else one.share) >= LEAST)
    return Profile(
        "",
        tuple(islice(filter(None, hot), _MAX_LINES)),
        functions=tuple(islice(kept, _MAX_FUNCTIONS)),
    )
