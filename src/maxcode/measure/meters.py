"""Meters: what a sample of a run is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from maxcode.errors import InputError
from maxcode.sandbox.base import Completed


class Meter(Protocol):
    """Reads one figure off a finished run; smaller is better."""

    @property
    def name(self) -> str:
        """The name in task files and in the journal."""
        ...

    @property
    def unit(self) -> str:
        """The unit of a sample."""
        ...

    def read(self, run: Completed) -> float:
        """The sample, always above 0."""
        ...


@dataclass(frozen=True, slots=True)
class CpuTime:
    """User plus system time: hardly disturbed by what else the machine does.

    Threads add up, so a program that runs in parallel is better judged by :class:`WallTime`.
    """

    name: str = "cpu"
    unit: str = "s"

    def read(self, run: Completed) -> float:
        """Seconds of processor time, at least the clock's microsecond."""
        return max(run.cpu, 1e-6)


@dataclass(frozen=True, slots=True)
class WallTime:
    """Time on the clock, from the start of the process to its end."""

    name: str = "wall"
    unit: str = "s"

    def read(self, run: Completed) -> float:
        """Seconds of wall time."""
        return run.wall


METERS: tuple[Meter, ...] = (CpuTime(), WallTime())


def meter(name: str) -> Meter:
    """The meter of that name. Raises :class:`InputError`."""
    for known in METERS:
        if known.name == name:
            return known
    raise InputError(f"unknown meter {name!r}; known: {', '.join(m.name for m in METERS)}")
