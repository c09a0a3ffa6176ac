"""Running: a program in a sandbox that we talk with, and that ends when we say so."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, ExitStack, suppress
from threading import Thread
from typing import Self

from maxcode.sandbox.base import Completed
from maxcode.sandbox.launch import DYING, Ends, Launch
from maxcode.sandbox.lines import LONGEST, Lines, NoLine
from maxcode.sandbox.processes import (
    pin,
    processor_time,
    programs,
    reaped_time,
    waiting_time,
    wardens,
)

_PIPE = 1 << 20  # bytes, lest large files take ten times as many steps
ANSWERS = 3
"""The descriptor that the program writes its lines to; it reads ours from standard input."""


class Running:
    """A program that runs in a sandbox, made by ``Sandbox.start``. As a context it is killed.

    Safe to use from several threads; every line goes to one of those that receive.
    """

    def __init__(self, launch: Callable[[Ends], AbstractContextManager[Launch]]) -> None:
        started: Future[Launch] = Future()
        self._ended: Future[Completed] = Future()
        with ExitStack() as stack, ExitStack() as theirs:
            requests, writing = os.pipe()
            with suppress(OSError):  # beyond what this user may have
                fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
            stack.callback(os.close, writing)
            theirs.callback(os.close, requests)
            reading, answers = os.pipe()
            stack.callback(os.close, reading)
            theirs.callback(os.close, answers)
            # bubblewrap ends with the thread that started it, and that may not be ours to keep
            Thread(
                target=_keep,
                args=(launch(Ends(requests, answers)), started, self._ended),
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
            self._lines = Lines(writing, reading)

    @property
    def alive(self) -> bool:
        """Whether anything of it still runs, as far as is known."""
        return not self._ended.done()

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, user + system; of what has ended to some 0.01 s."""
        found = programs(self._launch.pid)
        return processor_time(found) + reaped_time([*wardens(self._launch.pid), *found])

    @property
    def waited(self) -> float:
        """Seconds so far for which its main thread could not run because others did."""
        return sum(map(waiting_time, programs(self._launch.pid)[:1]))

    def pin(self, processors: Iterable[int]) -> None:
        """Move all its threads to these processors.

        Raises :class:`~maxcode.errors.ExecutorError` when it makes new ones faster than that.
        """
        pin(self._launch.pid, processors)

    def send(self, line: bytes, timeout: float) -> bool:
        """Send a line, without its end; False when it was not taken whole in ``timeout`` seconds.

        A program that has ended may seem to take it. After False it is of no more use.
        """
        return self._lines.send(line, timeout)

    def send_file(self, descriptor: int, size: int, timeout: float) -> bool:
        """Send the first ``size`` bytes of a file, as they are; False as for a line.

        Raises ValueError when it has fewer.
        """
        return self._lines.send_file(descriptor, size, timeout)

    def receive(self, timeout: float, longest: int = LONGEST) -> bytes | NoLine:
        """The next line, without its end, that comes in ``timeout`` seconds; or why there is none.

        A line of more than ``longest`` bytes is never received. What is received may be anything.
        """
        return self._lines.receive(timeout, longest)

    def close(self, patience: float = 0.0) -> Completed:
        """End it; every process that came of it is gone when this returns.

        It is told by the end of its standard input, and killed ``patience`` seconds later. Gives
        the same each time. Raises what ``Sandbox.run`` does.
        """
        if patience > 0:
            self._lines.finish()
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
            self._lines.close()

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
