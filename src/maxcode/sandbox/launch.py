"""Launch: a command under its supervisor, from its start until nothing of it is left.

The supervisor is a small static program, built on first use. It gets the limits and descriptors as
arguments, and writes a line when the command starts and at the end of each run, or the reason of a
failure.
"""

from __future__ import annotations

import fcntl
import math
import os
import re
import select
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Self

from maxcode.errors import ExecutorError, MaxcodeError, ToolError
from maxcode.sandbox.base import MAX_UNUSED_MEMORY, Completed, Limits, SharedRun
from maxcode.system import own_program

DYING = 12.0
"""Seconds for a supervisor to end everything after a request."""

_SOURCES = (
    *("supervisor.cpp", "filter.hpp", "calls.hpp", "root.hpp"),
    *("folders.hpp", "processes.hpp", "holding.hpp"),
)
_MAX_RUNS = 16  # of one launch: each takes three descriptors
_MAX_STDIN = 64 << 20  # bytes of all their standard inputs
_MAX_STDERR = 64 << 10  # bytes kept of the output that only people read
_NO_LIMIT = 2**64 - 1  # RLIM_INFINITY of Linux
_CHUNK = 1 << 30
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_GRACE = 20.0  # seconds that a supervisor may take beyond its own limits

# What a supervisor writes: at first; instead of a run that would not be alone; and at the end.
_STARTED, _TRACES = "started\n", "traces\n"
_ENDED = re.compile(r"ended (\d+) (\S+) (\S+) (\S+) (\d+) (\S+) ([01]) ([01]) (\d+)\n")
_FAILED, _STUCK = "failed ", "stuck\n"


def supervisor() -> Path:
    """The built supervisor. Raises :class:`ToolError` when it cannot be built here."""
    return own_program("maxcode.sandbox", _SOURCES, "watches over candidates")


@dataclass(frozen=True, slots=True)
class Isolation:
    """A sandbox's measures around a command.

    ``command`` is a command line to be followed by another command. It takes the user id ``uid``,
    with as many ``processes`` on this machine, or in its user namespace; all begins in ``folder``,
    with nearly nothing but ``environment``. With ``alone``, the program and its libraries, each run
    has a file system with nothing else.
    """

    command: tuple[str, ...] = ()
    uid: int | None = None
    processes: int | None = None
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    alone: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipes:
    """Two descriptors for the command: its standard input, and where it is to write answers."""

    requests: int
    answers: int


@dataclass(frozen=True, slots=True)
class _PreparedRun:
    """A run, and the descriptors made for it; ``kept`` bytes are read of its standard output."""

    run: SharedRun
    stdin: int
    stdout: IO[bytes]
    stderr: IO[bytes]
    kept: int

    @classmethod
    def of(cls, run: SharedRun, pipes: Pipes | None, stack: ExitStack) -> _PreparedRun:
        stdin = pipes.requests if pipes else _sealed_copy(run.files.stdin, stack)
        stdout = stack.enter_context(_memory_file("stdout"))
        stderr = stack.enter_context(_memory_file("stderr"))
        return cls(run, stdin, stdout, stderr, _MAX_STDERR if pipes else run.limits.output)

    @property
    def descriptors(self) -> tuple[int, int, int]:
        return self.stdin, self.stdout.fileno(), self.stderr.fileno()

    @property
    def argument(self) -> str:
        """The run as an argument of the supervisor."""
        limits = self.run.limits
        # The clock ends a run; this does should all else fail. Threads add up.
        endless = math.isinf(limits.seconds)
        cpu = _NO_LIMIT if endless else math.ceil(limits.seconds) * (os.cpu_count() or 1) + 1
        output = max(limits.output, limits.scratch) if self.run.files.program else limits.output
        facts = (*self.descriptors, limits.seconds, cpu, output)
        return f"run={','.join(map(str, facts))}"

    def completed(self, line: str) -> Completed | None:
        """The supervisor's result in this line; None for other lines."""
        found = _ENDED.fullmatch(line)
        if found is None:
            return None
        status, wall, cpu, in_kernel, peak, integral, late, overfull, left = found.groups()
        code = os.waitstatus_to_exitcode(int(status))
        full = os.fstat(self.stdout.fileno()).st_size >= self.run.limits.output
        return Completed(
            code=code,
            stdout=_head(self.stdout, self.kept),
            stderr=_head(self.stderr, _MAX_STDERR),
            wall=float(wall),
            cpu=float(cpu),
            peak_memory=int(peak),
            memory_integral=float(integral),
            timed_out=late == "1",
            flooded=code == -signal.SIGXFSZ or full,
            overfull=overfull == "1",
            left_behind=int(left),
            in_kernel=float(in_kernel),
        )


class Launch:
    """A started command. As a context, it ends the command and all its processes.

    ``runs`` of the command differ in nothing but standard input, seconds and bytes of output. With
    ``pipes`` to talk with it there is a single run.

    The thread that made it must outlive it: for bubblewrap, its parent has ended when that thread
    ends. Raises :class:`~maxcode.errors.ToolError` as :func:`supervisor` does.
    """

    def __init__(
        self,
        isolation: Isolation,
        command: Sequence[str],
        runs: Sequence[SharedRun],
        pipes: Pipes | None = None,
    ) -> None:
        with ExitStack() as stack:
            self._output = stack.enter_context(_memory_file("launcher"))
            self._runs = [_PreparedRun.of(run, pipes, stack) for run in runs]
            # Closed, it signals the supervisor that all is over; whatever interrupts us does so.
            self._report, theirs = socket.socketpair()
            stack.enter_context(self._report)
            with theirs:
                words = [
                    *(*isolation.command, str(supervisor()), str(theirs.fileno())),
                    *(run.argument for run in self._runs),
                    *_arguments(isolation, runs[0].limits, pipes),
                    *("--", *command),
                ]
                self._launcher = words[0]
                passed = {number for run in self._runs for number in run.descriptors}
                passed |= {theirs.fileno(), *([pipes.answers] if pipes else [])}
                self._process = subprocess.Popen(
                    words,
                    cwd=isolation.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=self._output,
                    stderr=self._output,
                    env={
                        "PATH": "/usr/local/bin:/usr/bin:/bin",
                        "LANG": "C.UTF-8",
                        **isolation.environment,
                    },
                    start_new_session=True,
                    pass_fds=sorted(passed),
                )
            with suppress(OSError):  # when memory is short, rather this than the search
                Path(f"/proc/{self.pid}/oom_score_adj").write_text("1000")
            self._ending = os.pidfd_open(self.pid)
            stack.callback(os.close, self._ending)
            self._stack = stack.pop_all()

    @property
    def pid(self) -> int:
        """The parent of all other processes."""
        return self._process.pid

    def completed(self) -> Iterator[Completed]:
        """The result of each run, at its end; nothing of it lives any more then.

        Fewer than the runs, after a run that was not :attr:`~Completed.ok` or left traces for the
        next. Raises :class:`~maxcode.errors.ToolError`, if there was nothing to run, and
        :class:`~maxcode.errors.ExecutorError` for a supervisor that was killed, cannot end the
        processes, or does not report in time.
        """
        with self._report.makefile(encoding="utf-8", errors="replace") as lines:
            line = self._next_line(lines, self._runs[0])
            started = line == _STARTED
            for run in self._runs:
                if started:
                    line = self._next_line(lines, run)
                if line == _TRACES:
                    return
                found = run.completed(line)
                if found is None:
                    self._end()
                    raise self._failure(line, started=started)
                for file in (run.stdout, run.stderr):
                    os.ftruncate(file.fileno(), 0)  # it was read; others may fill as much
                last = not found.ok or run is self._runs[-1]
                if last:
                    self._end()
                yield found
                if last:
                    return

    def _next_line(self, lines: IO[str], run: _PreparedRun) -> str:
        """The supervisor's next line; empty at the end."""
        seconds = run.run.limits.seconds
        self._report.settimeout(None if math.isinf(seconds) else seconds + _GRACE)
        try:
            return lines.readline()
        except TimeoutError as error:
            self._end()
            raise ExecutorError(
                f"a sandbox did not end {_GRACE:g} s after its time limit"
            ) from error

    def _failure(self, line: str, *, started: bool) -> MaxcodeError:
        """The error for a line without a result."""
        problem = line.removeprefix(_FAILED).strip() if line.startswith(_FAILED) else ""
        if problem or not started:
            problem = problem or _head(self._output, 500).decode("utf-8", "replace").strip()
            return ToolError(f"a program could not be started through {self._launcher}: {problem}")
        if line == _STUCK:
            return ExecutorError("processes that were killed do not die")
        return ExecutorError("a sandbox was killed from outside; is the machine's memory full?")

    def stop(self) -> None:
        """Have the supervisor end all at once, and report; from any thread."""
        with suppress(OSError):  # it has ended
            self._report.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        """End a supervisor that does not react to ``stop``, and so all; from any thread."""
        self._process.kill()

    def _end(self) -> None:  # Ctrl-C does not reach the other session, so nobody else would
        self.stop()
        poller = select.poll()
        poller.register(self._ending, select.POLLIN)
        if not poller.poll(DYING * 1000):
            self.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._stack:
            self._end()


def count_together(runs: Sequence[SharedRun]) -> int:
    """Number of these runs, from the first on, for a single launch."""
    first, size = runs[0], 0
    for number, run in enumerate(runs):
        same = replace(run.limits, seconds=first.limits.seconds, output=first.limits.output)
        stdin = run.files.stdin
        alike = same == first.limits and replace(run.files, stdin=first.files.stdin) == first.files
        size += stdin.stat().st_size if stdin else 0
        if number and (number == _MAX_RUNS or size > _MAX_STDIN or run.files.write or not alike):
            return number
    return len(runs)


def _sealed_copy(stdin: Path | None, stack: ExitStack) -> int:
    """A standard input the program can neither change nor leave a mark on for another."""
    copy = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    stack.callback(os.close, copy)
    if stdin is not None:
        with stdin.open("rb") as file:
            while os.sendfile(copy, file.fileno(), None, _CHUNK):
                pass
        os.lseek(copy, 0, os.SEEK_SET)
    fcntl.fcntl(copy, fcntl.F_ADD_SEALS, _SEALS)
    return copy


def _arguments(isolation: Isolation, limits: Limits, pipes: Pipes | None) -> Iterator[str]:
    """The supervisor's arguments for all runs."""
    arguments: dict[str, object] = {
        "memory": limits.memory,
        "data": limits.memory + MAX_UNUSED_MEMORY
        if limits.memory and limits.address_space
        else None,
        "crowd": limits.processes,
        "processes": isolation.processes,
        "files": limits.files,
        "processors": ",".join(map(str, limits.processors)) or None,
        "answers": pipes.answers if pipes else None,
        "uid": isolation.uid,
        "scratch": limits.scratch if isolation.alone else None,
        "sole": 1 if limits.sole_program else None,
        "streams": 1 if limits.streams else None,
    }
    yield from (f"{key}={value}" for key, value in arguments.items() if value is not None)
    for number, path in enumerate(isolation.alone):
        yield f"copy={path}" if number else f"program={path}"


def _memory_file(name: str) -> IO[bytes]:
    """Output goes to memory, bounded by the limit on files, so no disk takes part in times."""
    return os.fdopen(os.memfd_create(name, os.MFD_CLOEXEC), "w+b")


def _head(file: IO[bytes], limit: int) -> bytes:
    return os.pread(file.fileno(), min(limit, os.fstat(file.fileno()).st_size), 0)
