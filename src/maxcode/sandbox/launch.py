"""Launch: a command under its supervisor, from its start until nothing of it is left."""

from __future__ import annotations

import fcntl
import hashlib
import math
import os
import platform
import select
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files as resources
from pathlib import Path
from typing import IO, Self

from maxcode.errors import ExecutorError, ToolError
from maxcode.sandbox import base
from maxcode.sandbox.base import Completed, SharedRun
from maxcode.system import cache_folder, find_tool

_SOURCES = ("supervisor.cpp", "filter.hpp", "folders.hpp", "processes.hpp")


def supervisor() -> Path:
    """The built supervisor. Raises :class:`ToolError` when it cannot be built here."""
    name, sources = _sources()
    path = cache_folder() / f"supervisor-{name}"
    if not path.exists():
        _build(sources, path)
    return path


@cache
def _sources() -> tuple[str, dict[str, bytes]]:
    """What to build, and a name for it on this machine."""
    sources = {name: resources("maxcode.sandbox").joinpath(name).read_bytes() for name in _SOURCES}
    seed = b"".join([*sources.values(), platform.platform().encode()])
    return hashlib.sha256(seed).hexdigest()[:16], sources


def _build(sources: Mapping[str, bytes], path: Path) -> None:
    compiler = find_tool("g++")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="supervisor-") as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_bytes(text)
        built = Path(folder) / "supervisor"
        for static in (["-static"], []):  # starts sooner; some systems have no static C library
            command = [
                compiler,
                "-std=c++17",
                "-O2",
                "-s",
                *static,
                "supervisor.cpp",
                "-o",
                str(built),
            ]
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
            if done.returncode == 0:
                built.replace(path)  # at once, so that nobody finds half of it
                return
    said = done.stderr.decode("utf-8", "replace").strip()[:2000]
    raise ToolError(f"g++ cannot build the program that watches over candidates:\n{said}")


DYING = 12.0
"""Seconds that a supervisor may take to end everything once it is told to."""

_MAX_RUNS = 16  # turns of an order: each takes three descriptors
_HELD = 64 << 20  # bytes of their standard inputs
_ENDLESS = 2**64 - 1  # what Linux takes for no limit
_CHUNK = 1 << 30
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_GRACE = 20.0  # seconds that it may take beyond its own limits


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a sandbox puts around a command.

    ``isolation`` is a command line that ends where another command may follow. The command takes
    the user id ``uid``, which may have as many ``processes`` on this machine, or in its user
    namespace; all begins in ``folder``, with nearly nothing but ``environment``.
    """

    command: tuple[str, ...] = ()
    uid: int | None = None
    processes: int | None = None
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pipes:
    """Two descriptors for the command: its standard input, and where it is to write answers."""

    requests: int
    answers: int


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What is to be run, and how.

    ``turns`` of it differ in nothing but standard input, seconds and bytes of output. With ``ends``
    to talk with it there is one.
    """

    command: Sequence[str]
    turns: Sequence[SharedRun]
    ends: Pipes | None = None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A turn, and the descriptors made for it."""

    turn: SharedRun
    given: int
    outputs: base.Outputs

    @property
    def descriptors(self) -> tuple[int, int, int]:
        """Its standard input, output and error."""
        return self.given, self.outputs.out.fileno(), self.outputs.err.fileno()

    @property
    def order(self) -> str:
        """What the supervisor is told of it."""
        limits = self.turn.limits
        # The clock ends a run; this does should all else fail. Threads add up.
        endless = math.isinf(limits.seconds)
        cpu = _ENDLESS if endless else math.ceil(limits.seconds) * (os.cpu_count() or 1) + 1
        facts = (*self.descriptors, limits.seconds, cpu, limits.output)
        return f"turn={','.join(map(str, facts))}"


class Launch:
    """A command that was started. As a context, it ends the command and all that came of it.

    The thread that made it must outlive it: Linux tells bubblewrap of the end of its parent when
    that thread ends. Raises :class:`~maxcode.errors.ToolError` as :func:`supervisor` does.
    """

    def __init__(self, around: Isolation, order: RunSpec) -> None:
        with ExitStack() as stack:
            self._said = stack.enter_context(_memory_file("launcher"))
            self._turns = [_prepared(turn, order.ends, stack) for turn in order.turns]
            # Closed, it tells the supervisor that all is over; whatever interrupts us does so.
            self._report, theirs = socket.socketpair()
            stack.enter_context(self._report)
            with theirs:
                launched = [
                    *(*around.command, str(supervisor()), str(theirs.fileno())),
                    *(prepared.order for prepared in self._turns),
                    *_orders(around, order),
                    *("--", *order.command),
                ]
                self._launcher = launched[0]
                self._process = self._started(launched, around, order.ends, theirs.fileno())
            with suppress(OSError):  # when memory is short, rather this than the search
                Path(f"/proc/{self.pid}/oom_score_adj").write_text("1000")
            self._ending = os.pidfd_open(self.pid)
            stack.callback(os.close, self._ending)
            self._stack = stack.pop_all()

    def _started(
        self, launched: list[str], around: Isolation, ends: Pipes | None, report_to: int
    ) -> subprocess.Popen[bytes]:
        passed = {n for prepared in self._turns for n in prepared.descriptors} | {report_to}
        return subprocess.Popen(
            launched,
            cwd=around.folder,
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **around.environment},
            start_new_session=True,
            pass_fds=sorted(passed | {ends.answers} if ends else passed),
        )

    @property
    def pid(self) -> int:
        """The process that all others come from."""
        return self._process.pid

    def completed(self) -> Iterator[Completed]:
        """What became of each turn, at its end; nothing of it lives any more then.

        Fewer than there are turns, if one was not :attr:`~Completed.ok` or left traces that the
        next would see. Raises what :func:`~maxcode.sandbox.base.failure` gives, and
        :class:`~maxcode.errors.ExecutorError` when a supervisor does not report in time.
        """
        with self._report.makefile(encoding="utf-8", errors="replace") as words:
            for number, prepared in enumerate(self._turns):
                started = self._heard(words, prepared) if number == 0 else base.STARTED
                said = self._heard(words, prepared) if started == base.STARTED else started
                if said == base.TRACES:
                    return
                found = base.completed(said, prepared.outputs)
                if found is None:
                    self._end()
                    began = started == base.STARTED
                    raise base.failure(said, self._launcher, self._said, started=began)
                for file in (prepared.outputs.out, prepared.outputs.err):
                    os.ftruncate(file.fileno(), 0)  # it was read; others may fill as much
                last = not found.ok or prepared is self._turns[-1]
                if last:
                    self._end()
                yield found
                if last:
                    return

    def _heard(self, words: IO[str], prepared: _Prepared) -> str:
        """The supervisor's next line; empty at the end."""
        seconds = prepared.turn.limits.seconds
        self._report.settimeout(None if math.isinf(seconds) else seconds + _GRACE)
        try:
            return words.readline()
        except TimeoutError as error:
            self._end()
            raise ExecutorError(
                f"a sandbox did not end {_GRACE:g} s after its time limit"
            ) from error

    def stop(self) -> None:
        """Tell the supervisor to end all at once, and to report; from any thread."""
        with suppress(OSError):  # it has ended
            self._report.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        """End a supervisor that does not do what it is told, and so all; from any thread."""
        self._process.kill()

    def _end(self) -> None:  # Ctrl-C does not reach the other session, so nobody else would
        self.stop()
        if not self._ended(DYING):
            self.kill()
        self._process.wait()

    def _ended(self, seconds: float) -> bool:
        poller = select.poll()
        poller.register(self._ending, select.POLLIN)
        return bool(poller.poll(None if math.isinf(seconds) else seconds * 1000))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._stack:
            self._end()


def together(turns: Sequence[SharedRun]) -> int:
    """How many of these turns, from the first on, one order can hold."""
    first, held = turns[0], 0
    for number, turn in enumerate(turns):
        same = replace(turn.limits, seconds=first.limits.seconds, output=first.limits.output)
        stdin = turn.files.stdin
        alike = same == first.limits and replace(turn.files, stdin=first.files.stdin) == first.files
        held += stdin.stat().st_size if stdin else 0
        if number and (number == _MAX_RUNS or held > _HELD or turn.files.write or not alike):
            return number
    return len(turns)


def _prepared(turn: SharedRun, ends: Pipes | None, stack: ExitStack) -> _Prepared:
    outputs = base.Outputs(
        stack.enter_context(_memory_file("stdout")),
        stack.enter_context(_memory_file("stderr")),
        most=turn.limits.output,
        kept=base.SAID_KEPT if ends else turn.limits.output,
    )
    return _Prepared(turn, ends.requests if ends else _given(turn.files.stdin, stack), outputs)


def _given(stdin: Path | None, stack: ExitStack) -> int:
    """A standard input that the program can neither change nor leave a mark on for another."""
    copy = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    stack.callback(os.close, copy)
    if stdin is not None:
        with stdin.open("rb") as file:
            while os.sendfile(copy, file.fileno(), None, _CHUNK):
                pass
        os.lseek(copy, 0, os.SEEK_SET)
    fcntl.fcntl(copy, fcntl.F_ADD_SEALS, _SEALS)
    return copy


def _orders(around: Isolation, order: RunSpec) -> Iterator[str]:
    limits = order.turns[0].limits
    orders: dict[str, object] = {
        "memory": limits.memory,
        "address_space": limits.memory if limits.address_space else None,
        "crowd": limits.processes,
        "processes": around.processes,
        "files": limits.files,
        "processors": ",".join(map(str, limits.processors)) or None,
        "answers": order.ends.answers if order.ends else None,
        "uid": around.uid,
    }
    for key, value in orders.items():
        if value is not None:
            yield f"{key}={value}"


def _memory_file(name: str) -> IO[bytes]:
    """Output goes to memory, bounded by the limit on files, so that no disk takes part in times."""
    return os.fdopen(os.memfd_create(name, os.MFD_CLOEXEC), "w+b")
