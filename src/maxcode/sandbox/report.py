"""What a warden reports, and what becomes of it: a Completed, or an error."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass
from typing import IO

from maxcode.errors import ExecutorError, MaxcodeError, ToolError
from maxcode.sandbox.base import Completed

SAID_KEPT = 64 << 10
"""Bytes kept of the output that only people read."""

STARTED = "started\n"
"""What a warden says at first."""

TRACES = "traces\n"
"""What it says instead of going on with a turn that would not be alone."""

_FAILED = "failed "
_STUCK = "stuck\n"
_REPORT = re.compile(r"ended (\d+) (\S+) (\S+) (\d+) (\S+) ([01]) ([01]) (\d+)\n")


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where a run's output went.

    ``most`` bytes may go to each file, ``kept`` of standard output are read from it.
    """

    out: IO[bytes]
    err: IO[bytes]
    most: int
    kept: int


def completed(line: str, outputs: Outputs) -> Completed | None:
    """The report on a turn in our words; None if it is none."""
    found = _REPORT.fullmatch(line)
    if found is None:
        return None
    status, wall, cpu, peak, integral, late, overfull, left = found.groups()
    code = os.waitstatus_to_exitcode(int(status))
    return Completed(
        code=code,
        stdout=_head(outputs.out, outputs.kept),
        stderr=_head(outputs.err, SAID_KEPT),
        wall=float(wall),
        cpu=float(cpu),
        peak_memory=int(peak),
        memory_integral=float(integral),
        timed_out=late == "1",
        flooded=code == -signal.SIGXFSZ or _size(outputs.out) >= outputs.most,
        overfull=overfull == "1",
        left_behind=int(left),
    )


def failure(line: str, launcher: str, said: IO[bytes], *, started: bool) -> MaxcodeError:
    """What it means that a warden told this instead of the end of a turn.

    :class:`~maxcode.errors.ToolError`, if there was nothing to run, or else
    :class:`~maxcode.errors.ExecutorError`. ``launcher`` names the program that was to start
    everything, and ``said`` is what that wrote.
    """
    problem = line.removeprefix(_FAILED).strip() if line.startswith(_FAILED) else ""
    if problem or not started:
        problem = problem or _head(said, 500).decode("utf-8", "replace").strip()
        return ToolError(f"a program could not be started through {launcher}: {problem}")
    if line == _STUCK:
        return ExecutorError("processes that were killed do not die")
    return ExecutorError("a sandbox was killed from outside; is the machine's memory full?")


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _head(file: IO[bytes], limit: int) -> bytes:
    return os.pread(file.fileno(), min(limit, _size(file)), 0)
