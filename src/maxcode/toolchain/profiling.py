"""Profiling: where a runtime's programs spend their time, by line and by function."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Frame:
    """A function call under way; ``path`` is "" outside the program's files, ``line`` 0 unknown."""

    path: str
    line: int
    function: str


Stacks = Mapping[tuple[Frame, ...], int]
"""How often each stack of calls was seen, the innermost call first."""


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


def costs_of(stacks: Stacks, program: Program) -> Profile:
    """Profile by samples of stacks, without text; calls are not counted."""
    functions = tuple(_functions(stacks, program))
    return Profile("", tuple(_lines(stacks, program)), functions=functions)


def _lines(stacks: Stacks, program: Program) -> Iterator[HotLine]:
    own, around = Counter[tuple[str, int]](), dict[tuple[str, int], str]()
    for (innermost, *_), count in stacks.items():
        if innermost.path in program.files and innermost.line:
            own[innermost.path, innermost.line] += count
            around[innermost.path, innermost.line] = innermost.function
    for (path, line), count in own.most_common(_MAX_LINES):
        share = count / sum(stacks.values())
        if found := hot_line(program, path, line, share, around[path, line]):
            yield found


def _functions(stacks: Stacks, program: Program) -> Iterator[HotFunction]:
    total = sum(stacks.values())
    alone, inclusive = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    recursive: set[tuple[str, bool]] = set()
    for stack, count in stacks.items():
        named = [(one.function[:MAX_NAME], one.path in program.files) for one in stack]
        alone[named[0]] += count
        for key, times in Counter(named).items():
            inclusive[key] += count
            if times > 1:
                recursive.add(key)
    ranked = sorted(inclusive, key=lambda key: (-alone[key], -inclusive[key], key))
    found = (
        HotFunction(
            name,
            alone[name, own] / total,
            inclusive[name, own] / total,
            0,
            own,
            (name, own) in recursive,
        )
        for name, own in ranked
        if alone[name, own] >= LEAST * total or (own and inclusive[name, own] >= LEAST * total)
    )
    yield from islice(found, _MAX_FUNCTIONS)
