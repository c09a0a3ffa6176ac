"""Landscape: a task whose programs are points of a terrain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.landscape.terrain import Point, Terrain
from maxcode.program import Program
from maxcode.task import Task

ENTRY = "point.txt"

_LINE = re.compile(r"site (\d+): choice (\d+)")
_SITE = re.compile(r"\bsite (\d+)\b")


@dataclass(frozen=True)
class Landscape(Task):
    """A simulated task: make :meth:`Terrain.speedup` large.

    A program is a text with a line ``site 3: choice 1`` for each site, in order; lines that begin
    with ``//`` say nothing. See docs/manual/landscape.md.
    """

    terrain: Terrain = field(default_factory=Terrain)

    @classmethod
    def on(cls, terrain: Terrain) -> Landscape:
        """The task of climbing a terrain from its origin."""
        statement = (
            f"Find the best of the {terrain.choices} choices (0 to {terrain.choices - 1}) at each "
            f"of {terrain.size} sites. Each site interacts with the {terrain.interactions} behind "
            "it. This is a simulation: nothing is computed."
        )
        baseline = Program.of(_text(terrain.origin), ENTRY)
        return cls(str(terrain), statement, baseline, terrain=terrain)

    def content(self) -> Iterator[bytes]:
        """The parts of the digest."""
        yield from super().content()
        yield repr(self.terrain).encode()

    def write(self, point: Point) -> Program:
        """The program that says a point."""
        return self.baseline.with_code(_text(point))

    def read(self, program: Program) -> Point:
        """The point that a program says.

        Raises :class:`InputError` that names the line if it says none.
        """
        told = tuple(int(choice) for _, choice in _LINE.findall(program.code))
        fits = len(told) == self.terrain.size and max(told) < self.terrain.choices
        if fits and _text(told) == program.code:  # as it was written here: quicker by far
            return told
        return self._parsed(program)

    def _parsed(self, program: Program) -> Point:
        point: list[int] = []
        for number, line in enumerate(program.code.splitlines(), 1):
            if not line or line.startswith("//"):
                continue
            found = _LINE.fullmatch(line)
            if not found or int(found[1]) != len(point) or len(point) == self.terrain.size:
                raise InputError(f"{program.entry}:{number}: error: expected {self._next(point)}")
            if int(found[2]) >= self.terrain.choices:
                raise InputError(f"{program.entry}:{number}: error: there is no choice {found[2]}")
            point.append(int(found[2]))
        if len(point) < self.terrain.size:
            raise InputError(f"{program.entry}: error: expected {self._next(point)}, not the end")
        return tuple(point)

    def sites_in(self, text: str) -> set[int]:
        """The sites that a text names, as in "change site 3"."""
        named = {int(number) for number in _SITE.findall(text)}
        return {site for site in named if site < self.terrain.size}

    def failure(self, program: Program) -> tuple[Status, str] | None:
        """How a program fails and what a compiler or a test would say of it; None if it passes.

        Only the compiler says where.
        """
        try:
            failure = self.terrain.failure(self.read(program))
        except InputError as error:
            return Status.BUILD_ERROR, str(error)
        if failure is None:
            return None
        site, status = failure
        if status is Status.BUILD_ERROR:
            return status, f"{program.entry}: error: site {site} does not go with its choice"
        return status, f"test 1: {status.value.replace('_', ' ')}"

    def speedup(self, program: Program) -> float:
        """The true speedup of a program over the baseline, without noise; 0.0 if it fails."""
        return 0.0 if self.failure(program) else self._height(program) / self._start

    def _height(self, program: Program) -> float:
        return self.terrain.speedup(self.read(program))

    @cached_property
    def _start(self) -> float:
        return self._height(self.baseline)

    def _next(self, point: list[int]) -> str:
        more = len(point) < self.terrain.size
        return f"'site {len(point)}: choice ...'" if more else "the end"


def _text(point: Point) -> str:
    return "".join(f"site {site}: choice {choice}\n" for site, choice in enumerate(point))
