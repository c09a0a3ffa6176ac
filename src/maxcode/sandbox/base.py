"""Sandbox: the interface to run a program, with limits, files and results of runs."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from threading import Event, local
from time import monotonic
from typing import TYPE_CHECKING

from maxcode.errors import ExecutorError

if TYPE_CHECKING:
    from maxcode.sandbox.running import Running

MAX_UNUSED_MEMORY = 9 << 28
"""Bytes a process may ask for beyond its limit, and not use: the stacks of all allowed threads
take 2 GiB."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run.

    ``seconds`` of wall time, ``math.inf`` for a program kept ready until it is ended; bytes
    of ``memory``, for the resident memory of all processes together and, for a program that is
    :attr:`Files.program`, of its files, pipes and sockets as well; bytes of ``output``, for each
    file; bytes of ``scratch``, all files of the private folder together; ``processes`` and threads;
    open ``files``; and the ``processors`` it stays on, by number (empty: any). None lifts a limit.

    A process that asks for :data:`MAX_UNUSED_MEMORY` more than ``memory`` for itself gets none,
    touched or not, unless ``address_space`` is False (sanitizers and torch do). What is only
    reserved (``PROT_NONE``) counts for nothing.

    ``sole_program``: where the sandbox isolates, the command cannot be replaced by another.
    ``streams``: it may make stream sockets, which where the sandbox isolates reach nothing but the
    run itself and the sockets among its files.
    """

    seconds: float = 10.0
    memory: int | None = 1 << 30
    output: int = 64 << 20
    scratch: int = 64 << 20
    processes: int | None = 256
    files: int = 256
    processors: tuple[int, ...] = ()
    address_space: bool = True
    sole_program: bool = False
    streams: bool = False


OUT_OF_TIME = "the time of the search is over"
_REFUSED = (b"std::bad_alloc", b"MemoryError", b"OutOfMemoryError", b"heap out of memory")
_SHORTEST = 0.05  # seconds that are left to any run: with none it could not begin


class StoppedError(Exception):
    """Work was given up because its :class:`Deadline` was stopped."""


class Deadline:
    """When work ends: at a moment that each thread has of its own, or once all of it is stopped.

    ``stopped`` is set by whoever stops it; without that, and unless a moment is set, never.
    """

    def __init__(self) -> None:
        self.stopped = Event()
        self._of_thread = local()

    @property
    def _moment(self) -> float:
        return getattr(self._of_thread, "moment", inf)

    @contextmanager
    def at(self, moment: float) -> Iterator[None]:
        """Work of this thread meanwhile ends at ``moment``, a reading of ``time.monotonic``."""
        before, self._of_thread.moment = self._moment, moment
        try:
            yield
        finally:
            self._of_thread.moment = before

    @property
    def passed(self) -> bool:
        """Whether this thread is to begin nothing more."""
        return self.stopped.is_set() or monotonic() >= self._moment

    def check(self) -> None:
        """Raise :class:`StoppedError`, or :class:`~maxcode.errors.ExecutorError` when late."""
        if self.stopped.is_set():
            raise StoppedError
        if self.passed:
            raise ExecutorError(OUT_OF_TIME)

    def within(self, seconds: float) -> float:
        """The seconds for a run that would be given so many."""
        return min(seconds, max(self._moment - monotonic(), _SHORTEST))


@dataclass(frozen=True, slots=True)
class Mount:
    """A file or folder of ours, at ``path``, seen by a run as ``at``; ``writable`` for a file."""

    path: Path
    at: Path
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Files:
    """Our files in a run: ``stdin``, others to ``read``, single files to ``write``.

    Standard input is a copy that cannot be changed; all others are seen under their own paths.
    Files to write exist before; their folder must keep others away from them. ``devices`` are
    devices of the machine, such as /dev/nvidia0.

    ``program`` is the executable of the command. If no other files are given, an isolating sandbox
    copies it, with its libraries, to a file system made for this run, where nothing that a run does
    can be found by the next. Else it is one to read.

    ``mounts`` are seen elsewhere than where they are, in their order, in an isolating sandbox.
    Before them come empty ``folders`` for the run alone, each of ``Limits.scratch`` bytes.
    """

    stdin: Path | None = None
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    devices: tuple[Path, ...] = ()
    program: Path | None = None
    mounts: tuple[Mount, ...] = ()
    folders: tuple[Path, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether the run is to have a file system with nothing but its program."""
        others = self.read or self.write or self.devices or self.mounts or self.folders
        return self.program is not None and not others


NO_FILES = Files()


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A single run of several of a command: its limits and files."""

    limits: Limits
    files: Files = NO_FILES


@dataclass(frozen=True, slots=True)
class Completed:
    """How a run ended, and what it used.

    ``code`` is the exit status, or minus the number of the signal that ended it. ``wall``, until
    the last process ended, ``cpu``, user + system of all processes, and ``in_kernel``, the system's
    part of it, are in seconds. ``peak_memory`` is in bytes, of the largest process or, if more, of
    all together as sampled; ``memory_integral`` in byte-seconds, sampled every 0.5 to 10 ms.
    ``flooded``: a file or its output passed the limit; ``overfull``: all processes together passed
    the memory's. ``left_behind`` counts processes that still ran 50 ms after the program's end.
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
    in_kernel: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the program ended of itself, with status 0, and left nothing running."""
        return self.code == 0 and not (self.timed_out or self.overfull or self.left_behind)

    @property
    def out_of_memory(self) -> bool:
        """Whether it was stopped for its memory, or failed like programs refused any."""
        return self.overfull or (not self.ok and any(one in self.stderr for one in _REFUSED))

    @property
    def _refused(self) -> str:
        return next((one.decode() for one in _REFUSED if one in self.stderr), "")

    @property
    def cause(self) -> str:
        """How it ended, in words."""
        some = "a process" if self.left_behind == 1 else f"{self.left_behind} processes"
        causes = (
            (self.timed_out, f"did not end within its time limit ({self.wall:.1f} s)"),
            (self.flooded, "wrote more than it may"),
            (
                self.overfull,
                "held more memory than it may, all its processes together and what the kernel "
                "holds for them",
            ),
            (self.out_of_memory, f"ran out of memory ({self._refused})"),
            (self.code < 0, f"was ended by {_signal_name(-self.code)}"),
            (self.left_behind, f"ended with status {self.code} but left {some} running"),
        )
        return next((text for held, text in causes if held), f"ended with status {self.code}")


Ended = Generator[Completed, None, None]
"""Runs, each when it has ended. Closed early, it ends the run under way."""


class Sandbox(ABC):
    """Runs commands, from any number of threads.

    ``isolated`` says whether untrusted code may be run in it.
    """

    isolated: bool

    @abstractmethod
    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        """Run ``command``, whose program is given by its absolute path.

        Words ``NAME=VALUE`` before it are variables of its environment, as in a shell. Output past
        ``limits.output`` ends the run. When this returns, every process of the command is gone.
        Raises :class:`~maxcode.errors.ToolError` when the sandbox cannot work on this machine, or
        without such a program; :class:`~maxcode.errors.ExecutorError` when killed processes do not
        die.
        """

    def run_each(self, command: Sequence[str], runs: Iterable[SharedRun]) -> Ended:
        """Run ``command`` again and again; the next run begins when the last is over.

        Each goes as if it were alone, as by ``run``, though it may begin before the last result is
        asked for. A run that is not :attr:`~Completed.ok` is the last. Raises as ``run`` does.
        """
        for run in runs:
            yield (completed := self.run(command, run.limits, run.files))
            if not completed.ok:
                return

    @abstractmethod
    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        """Start ``command`` as ``run`` does, to talk with it while it runs.

        Our lines go to its standard input; we receive its lines on
        :data:`~maxcode.sandbox.running.ANSWERS`. It ends with us, and any thread may start it and
        end itself. Raises as ``run`` does, at the start or at the end; and
        :class:`~maxcode.errors.InputError` when ``files`` names a standard input.
        """


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{name.name} ({signal.strsignal(number)})"
