"""Valgrind: finding it, and what its tools need beyond the program that they run."""

from __future__ import annotations

from dataclasses import replace

from maxcode.sandbox.base import Limits
from maxcode.tools import find_tool

START = 5.0
"""Seconds that valgrind may take for itself."""

_ROOM = 4 << 30  # bytes of address space for itself and translated code; it touches few of them
_DESCRIPTORS = 16  # that it keeps open beyond the program's


def valgrind() -> str:
    """Its path. Raises :class:`~maxcode.errors.ToolError` when it is missing."""
    return find_tool("valgrind")


def widened(limits: Limits, slowdown: float) -> Limits:
    """The limits of a program, widened for a tool that makes it so many times slower."""
    return replace(
        limits,
        seconds=START + slowdown * limits.seconds,
        memory=None if limits.memory is None else limits.memory + _ROOM,
        files=limits.files + _DESCRIPTORS,
    )
