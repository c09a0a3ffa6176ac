"""Valgrind: finding it, and what its tools need beyond the program that they run."""

from __future__ import annotations

import shutil
from dataclasses import replace

from maxcode.errors import ToolError
from maxcode.sandbox.base import Limits

START = 5.0
"""Seconds that valgrind may take for itself."""

_ROOM = 4 << 30  # bytes of address space for itself and translated code; it touches few of them
_DESCRIPTORS = 16  # that it keeps open beyond the program's


def valgrind() -> str:
    """Its path. Raises :class:`~maxcode.errors.ToolError` when it is missing."""
    found = shutil.which("valgrind")
    if found is None:
        raise ToolError("valgrind is not installed; on Debian and Ubuntu: apt install valgrind")
    return found


def widened(limits: Limits, slowdown: float) -> Limits:
    """The limits of a program, widened for a tool that makes it so many times slower."""
    return replace(
        limits,
        seconds=START + slowdown * limits.seconds,
        memory=None if limits.memory is None else limits.memory + _ROOM,
        files=limits.files + _DESCRIPTORS,
    )
