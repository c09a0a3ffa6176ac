"""The one interface to running a program, and what comes back from it."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use. Seconds of wall time, bytes of address space, bytes of each file."""

    seconds: float = 10.0
    memory: int = 1 << 30
    output: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Completed:
    """How a run ended, and what it used.

    ``code`` is the exit status, or minus the number of the signal that ended it. ``wall`` and
    ``cpu`` (user + system, of the program and the children it waited for) are in seconds.
    ``peak_memory`` is in bytes, and never less than our own process once held, which Linux counts
    for its children too. ``flooded`` says that a file or its output passed the limit.
    """

    code: int
    stdout: bytes
    stderr: bytes
    wall: float
    cpu: float
    peak_memory: int
    timed_out: bool = False
    flooded: bool = False

    @property
    def ok(self) -> bool:
        """Whether the program ended of itself, with status 0."""
        return self.code == 0 and not self.timed_out

    @property
    def out_of_memory(self) -> bool:
        """Whether it failed as programs do that are refused memory."""
        return not self.ok and b"bad_alloc" in self.stderr

    @property
    def cause(self) -> str:
        """How it ended, in words."""
        if self.timed_out:
            return f"did not end within its time limit ({self.wall:.1f} s)"
        if self.flooded:
            return "wrote more than it may"
        if self.out_of_memory:
            return "ran out of memory (std::bad_alloc)"
        if self.code < 0:
            return f"was ended by {_signal_name(-self.code)}"
        return f"ended with status {self.code}"


class Sandbox(ABC):
    """Runs one command at a time for each caller, from any number of threads."""

    @abstractmethod
    def run(
        self, command: Sequence[str], folder: Path, limits: Limits, stdin: Path | None = None
    ) -> Completed:
        """Run ``command`` in ``folder``, the only place it is meant to write to.

        Standard input is the file ``stdin``, or empty. Output past ``limits.output`` ends the run.
        When this returns, the command's process group is gone. Raises
        :class:`~maxcode.errors.ToolError` when the sandbox itself cannot work on this machine, and
        :class:`~maxcode.errors.ExecutorError` when a killed process does not die.
        """


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{name.name} ({signal.strsignal(number)})"
