"""Figure: a benchmark's result in a single process of a tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from statistics import median

from maxcode.errors import InputError

SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "m": 60.0,
    "min": 60.0,
}
"""Seconds in each unit of time of tools."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A benchmark: less of ``value`` is better; it is in seconds if the tool gives a unit.

    ``spent`` is the measuring time by the tool in seconds, all repetitions together; None if
    unknown. ``reported`` is how often the tool reported it. Raises
    :class:`~maxcode.errors.InputError` for a value not above 0.
    """

    name: str
    value: float
    spent: float | None = None
    reported: int = 1

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and self.value > 0):
            raise InputError(f"benchmark {self.name!r}: {self.value} is no time above 0")
        if self.spent is not None and not (isfinite(self.spent) and self.spent >= 0):
            raise InputError(f"benchmark {self.name!r}: {self.spent} is no time")


def merged(figures: Iterable[Figure]) -> list[Figure]:
    """A figure for each name: the median of all with that name, and their total time."""
    groups: dict[str, list[Figure]] = {}
    for figure in figures:
        groups.setdefault(figure.name, []).append(figure)
    return [_middle(name, group) for name, group in groups.items()]


def _middle(name: str, group: list[Figure]) -> Figure:
    spent = [one.spent for one in group if one.spent is not None]
    whole = sum(spent) if len(spent) == len(group) else None
    return Figure(name, median(one.value for one in group), whole, len(group))
