"""The one interface to running a program, and what comes back from it."""

from __future__ import annotations

import os
import re
import signal
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from maxcode.errors import ExecutorError, MaxcodeError, ToolError

if TYPE_CHECKING:
    from maxcode.sandbox.running import Running


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use.

    ``seconds`` of wall time, ``math.inf`` for a program that stands ready until it is ended; bytes
    of ``memory``, for the resident memory of all processes together and, unless ``address_space``
    is False, for each address space (sanitizers and torch reserve far more than they use); bytes of
    ``output``, for each file; bytes of ``scratch``, all files of the private folder together;
    ``processes`` and threads; open ``files``; and the ``processors`` it stays on, by number (empty:
    any). None lifts a limit.
    """

    seconds: float = 10.0
    memory: int | None = 1 << 30
    output: int = 64 << 20
    scratch: int = 64 << 20
    processes: int | None = 64
    files: int = 256
    processors: tuple[int, ...] = ()
    address_space: bool = True


@dataclass(frozen=True, slots=True)
class Files:
    """What a run is given of our files: ``stdin``, others to ``read``, single files to ``write``.

    Standard input is a copy that cannot be changed; all others are seen under their own paths.
    Files to write exist before, and may grow to ``Limits.output``; whoever hands them out keeps
    others away from them, by the folder they lie in. ``devices`` are those of the machine that it
    may use, such as /dev/nvidia0. It works in a private, empty folder that is gone afterwards.
    """

    stdin: Path | None = None
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    devices: tuple[Path, ...] = ()


NO_FILES = Files()


@dataclass(frozen=True, slots=True)
class SharedRun:
    """One of several runs of a command: what it may use, and what it is given."""

    limits: Limits
    files: Files = NO_FILES


@dataclass(frozen=True, slots=True)
class Completed:
    """How a run ended, and what it used.

    ``code`` is the exit status, or minus the number of the signal that ended it. ``wall``, from the
    program's start to the end of the last process that came of it, and ``cpu``, user + system of
    all of them, are in seconds. ``peak_memory`` is in bytes, of the largest process or, if more, of
    all together as sampled; ``memory_integral`` in byte-seconds, of all together, sampled at
    intervals of a tenth of the time so far, at least 0.5 ms and at most 10 ms. ``flooded`` says
    that a file or its output passed the limit, ``overfull`` that all processes together passed the
    memory's. ``left_behind`` counts processes that still ran 50 ms after the program's end, and
    were killed.
    """

    code: int
    stdout: bytes
    stderr: bytes
    wall: float
    cpu: float
    peak_memory: int
    memory_integral: float = 0.0
    timed_out: bool = False
    flooded: bool = False
    overfull: bool = False
    left_behind: int = 0
    instructions: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the program ended of itself, with status 0, and left nothing running."""
        return self.code == 0 and not (self.timed_out or self.overfull or self.left_behind)

    @property
    def out_of_memory(self) -> bool:
        """Whether it was stopped for its memory, or failed as programs do that are refused any."""
        return self.overfull or (not self.ok and b"bad_alloc" in self.stderr)

    @property
    def cause(self) -> str:
        """How it ended, in words."""
        some = "a process" if self.left_behind == 1 else f"{self.left_behind} processes"
        causes = (
            (self.timed_out, f"did not end within its time limit ({self.wall:.1f} s)"),
            (self.flooded, "wrote more than it may"),
            (self.overfull, "held more memory than it may, all its processes together"),
            (self.out_of_memory, "ran out of memory (std::bad_alloc)"),
            (self.code < 0, f"was ended by {_signal_name(-self.code)}"),
            (self.left_behind, f"ended with status {self.code} but left {some} running"),
        )
        return next((text for held, text in causes if held), f"ended with status {self.code}")


Ended = Generator[Completed, None, None]
"""Runs, each when it has ended. Closed early, it ends the one under way."""


class Sandbox(ABC):
    """Runs commands, from any number of threads.

    ``isolated`` says whether code that nobody trusts may be run in it.
    """

    isolated: bool

    @abstractmethod
    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        """Run ``command``, whose program is given by its absolute path.

        Output past ``limits.output`` ends the run. When this returns, every process that came of
        the command is gone. Raises :class:`~maxcode.errors.ToolError` when the sandbox cannot work
        on this machine, or there is no such program; :class:`~maxcode.errors.ExecutorError` when
        killed processes do not die.
        """

    def run_each(self, command: Sequence[str], turns: Iterable[SharedRun]) -> Ended:
        """Run ``command`` again and again; the next turn begins when the last one is over.

        Each goes as if it were alone, as by ``run``, though it may begin before what came of the
        one before is asked for. One that is not :attr:`~Completed.ok` is the last. Raises as
        ``run`` does.
        """
        for turn in turns:
            yield (completed := self.run(command, turn.limits, turn.files))
            if not completed.ok:
                return

    @abstractmethod
    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        """Start ``command`` as ``run`` does, to talk with it while it runs.

        Its standard input is what we send; what it writes to
        :data:`~maxcode.sandbox.running.ANSWERS`, we receive. It ends with us, and any thread may
        start it and end itself. What ``run`` raises, ``start`` or the end of it does; and
        :class:`~maxcode.errors.InputError` when ``files`` names a standard input.
        """


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{name.name} ({signal.strsignal(number)})"


SAID_KEPT = 64 << 10
"""Bytes kept of the output that only people read."""

STARTED = "started\n"
"""What a supervisor says at first."""

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
    """What it means that a supervisor told this instead of the end of a turn.

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
