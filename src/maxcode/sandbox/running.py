"""Running: a program in a sandbox to talk with, in lines, and to end."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, ExitStack, suppress
from enum import Enum
from pathlib import Path
from threading import Lock, Thread
from typing import Self

from maxcode.errors import ExecutorError
from maxcode.sandbox.base import Completed
from maxcode.sandbox.launch import DYING, Launch, Pipes

MAX_LINE = 1 << 20
"""Bytes of the longest received line, unless more is asked for."""

ANSWERS = 3
"""The descriptor for the program's lines; it reads ours from standard input."""

_CHUNK = 1 << 16
_PIPE = 1 << 20  # bytes, lest large files take ten times as many steps
_SUPERVISOR = "supervisor-"  # how the name of a supervisor's process begins
_TRIES = 100
_CLOCK = 2  # of a process, user and system: CPUCLOCK_SCHED of Linux


class NoLine(Enum):
    """Why no line was received: the other side has ended, is late, or does not end its line."""

    ENDED = "it has ended"
    LATE = "it did not answer in time"
    TOO_LONG = "its line is too long"


class Running:
    """A program in a sandbox, made by ``Sandbox.start``. As a context it is killed.

    Safe to use from several threads; every line goes to a single receiver. Received lines may hold
    anything. A program that has ended may seem to take lines. With ``takes_files`` descriptors can
    be sent to it; its answers then come through a socket.
    """

    def __init__(
        self,
        launch: Callable[[Pipes], AbstractContextManager[Launch]],
        *,
        takes_files: bool = False,
    ) -> None:
        started: Future[Launch] = Future()
        self._ended: Future[Completed] = Future()
        with ExitStack() as stack, ExitStack() as theirs:
            requests, writing = os.pipe()
            with suppress(OSError):  # beyond what this user may have
                fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
            stack.callback(os.close, writing)
            theirs.callback(os.close, requests)
            ends = socket.socketpair() if takes_files else ()
            reading, answers = (end.detach() for end in ends) if ends else os.pipe()
            stack.callback(os.close, reading)
            theirs.callback(os.close, answers)
            # bubblewrap ends with the thread that started it, and that may not be ours to keep
            Thread(
                target=_keep,
                args=(launch(Pipes(requests, answers)), started, self._ended),
                name="maxcode-running",
                daemon=True,
            ).start()
            try:
                self._launch = started.result()
            except BaseException:  # such as Ctrl-C
                started.add_done_callback(_stop)
                wait([started], timeout=DYING)
                wait([self._ended], timeout=DYING)
                raise
            stack.pop_all()
        self._writing, self._reading = writing, reading
        self._held = bytearray()  # received and not yet asked for; at most a line and a chunk
        self._receiving, self._sending = Lock(), Lock()
        for descriptor in (writing, reading):
            os.set_blocking(descriptor, False)

    @property
    def alive(self) -> bool:
        """Whether anything of it still runs, as far as is known."""
        return not self._ended.done()

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, user + system; of ended processes to some 0.01 s."""
        running = _programs(self._launch.pid)
        return _used(running) + _reaped([*_supervisors(self._launch.pid), *running])

    @property
    def process(self) -> int:
        """The number of its first process, outside the sandbox; 0 when it has ended."""
        return next(iter(_programs(self._launch.pid)), 0)

    def pin(self, processors: Iterable[int]) -> None:
        """Move all its threads to these processors.

        Raises :class:`~maxcode.errors.ExecutorError` when it makes new ones faster.
        """
        wanted = set(processors)
        for _ in range(_TRIES):
            threads = _threads(_programs(self._launch.pid))
            strange = [thread for thread in threads if _place(thread) != wanted]
            if not strange:
                return
            for thread in strange:
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(thread, wanted)
        raise ExecutorError("a program starts threads faster than they can be moved to a processor")

    def send(self, line: bytes, timeout: float) -> bool:
        """Send a line, without its end; False when it was not taken whole in ``timeout``
        seconds.

        There is no use in sending more after that.
        """
        if b"\n" in line:
            raise ValueError("a line holds no end of line")
        whole = memoryview(line + b"\n")
        return self._send(len(whole), timeout, lambda sent: os.write(self._writing, whole[sent:]))

    def send_file(self, descriptor: int, size: int, timeout: float) -> bool:
        """Send the first bytes of a file as they are; False as for a line."""

        def part(sent: int) -> int:
            count = os.sendfile(self._writing, descriptor, sent, size - sent)
            if not count:
                raise ValueError(f"a file ends before the {size} bytes that it should have")
            return count

        return self._send(size, timeout, part)

    def _send(self, size: int, timeout: float, part: Callable[[int], int]) -> bool:
        """Send so many bytes; ``part`` sends some after the sent ones, and gives their number."""
        until = time.monotonic() + timeout
        sent = 0
        with self._sending:
            while sent < size:
                if self._writing < 0 or not _ready(self._writing, select.POLLOUT, until):
                    return False
                try:
                    sent += part(sent)
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    return False
        return True

    def receive(self, timeout: float, longest: int = MAX_LINE) -> bytes | NoLine:
        """The next line, without its end, within ``timeout`` seconds; or the reason for none.

        A line of more than ``longest`` bytes is never received: there is no use in going on.
        """
        until = time.monotonic() + timeout
        searched = 0
        with self._receiving:
            while True:
                end = self._held.find(b"\n", searched)
                searched = len(self._held)
                if (end if end >= 0 else searched) > longest:
                    return NoLine.TOO_LONG
                if end >= 0:
                    line = bytes(self._held[:end])
                    del self._held[: end + 1]
                    return line
                if self._reading < 0:
                    return NoLine.ENDED
                if not _ready(self._reading, select.POLLIN, until):
                    return NoLine.LATE
                try:
                    chunk = os.read(self._reading, _CHUNK)
                except BlockingIOError:
                    continue
                if not chunk:
                    return NoLine.ENDED
                self._held += chunk

    def send_files(self, descriptors: Sequence[int]) -> None:
        """Give it descriptors, with a byte, which it finds where its answers go.

        Raises OSError where it cannot take any.
        """
        with socket.socket(fileno=os.dup(self._reading)) as channel:
            socket.send_fds(channel, [b"m"], descriptors, socket.MSG_DONTWAIT)

    def close(self, patience: float = 0.0) -> Completed:
        """End it; every process of it is gone when this returns.

        It sees the end of its standard input, and is killed ``patience`` seconds later. Gives the
        same each time. Raises the errors of ``Sandbox.run``.
        """
        if patience > 0:
            self._finish()
            wait([self._ended], timeout=patience)
        return self.kill()

    def kill(self) -> Completed:
        """End it at once; see ``close``."""
        try:
            self._launch.stop()
            try:
                return self._ended.result(timeout=DYING)
            except TimeoutError:
                self._launch.kill()
                return self._ended.result()
        finally:
            self._close_lines()

    def _finish(self) -> None:
        """Send no more, which the other side learns."""
        with self._sending:
            if self._writing >= 0:
                os.close(self._writing)
            self._writing = -1

    def _close_lines(self) -> None:
        """Neither send nor receive any more."""
        self._finish()
        with self._receiving:
            if self._reading >= 0:
                os.close(self._reading)
            self._reading = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def _keep(
    launch: AbstractContextManager[Launch], started: Future[Launch], ended: Future[Completed]
) -> None:
    """Be there from a program's start to its end."""
    try:
        with launch as launched:
            started.set_result(launched)
            completed = next(launched.completed())
    except Exception as error:  # noqa: BLE001 - for those who wait
        for waited in (started, ended):
            if not waited.done():
                waited.set_exception(error)
    else:
        ended.set_result(completed)


def _stop(started: Future[Launch]) -> None:
    if started.exception() is None:
        started.result().stop()


def _ready(descriptor: int, event: int, until: float) -> bool:
    poller = select.poll()
    poller.register(descriptor, event)
    return bool(poller.poll(1000 * max(0.0, until - time.monotonic())))


def _supervisors(launched: int) -> list[int]:
    """The supervisor below or at process ``launched``; none when it is gone."""
    above = [launched]
    while above and not any(map(_is_supervisor, above)):
        above = _children(above)
    return list(filter(_is_supervisor, above))


def _programs(launched: int) -> list[int]:
    """Descendants of the supervisor of process ``launched``."""
    found = _children(_supervisors(launched))
    for process in found:  # which grows meanwhile
        found += [child for child in _children([process]) if child not in found]
    return found


def _used(processes: Iterable[int]) -> float:
    """Seconds, user + system, used by running processes."""
    used = 0.0
    for process in processes:
        with suppress(OSError):  # it has ended
            used += time.clock_gettime((~process << 3) | _CLOCK)
    return used


def _reaped(processes: Iterable[int]) -> float:
    """Seconds, user + system, of ended processes reaped by these."""
    ticks = 0
    for process in processes:
        with suppress(OSError):
            text = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
            ticks += sum(map(int, text.rpartition(")")[2].split()[13:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _place(thread: int) -> set[int] | None:
    with suppress(ProcessLookupError):
        return os.sched_getaffinity(thread)
    return None


def _is_supervisor(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/comm").read_text("utf-8", "replace").startswith(_SUPERVISOR)
    return False


def _threads(processes: Iterable[int]) -> list[int]:
    found: list[int] = []
    for process in processes:
        with suppress(OSError):
            found += map(int, os.listdir(f"/proc/{process}/task"))
    return found


def _children(processes: Iterable[int]) -> list[int]:
    found: list[int] = []
    for process in processes:
        for thread in _threads([process]):
            with suppress(OSError):
                text = Path(f"/proc/{process}/task/{thread}/children").read_text()
                found += map(int, text.split())
    return found
