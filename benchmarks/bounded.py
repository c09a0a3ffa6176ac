"""Work in a process that is ended where it takes too long, so that one item cannot eat the rest."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, NoReturn

_GRACE = 10.0  # seconds to end what was begun, before it is killed with all of its group
_START = 120.0  # seconds to be ready


class OverdueError(Exception):
    """It took longer than it had, and was ended."""


class DiedError(Exception):
    """Its process ended by itself, without an answer."""


class Helper:
    """A process that answers requests one by one; another one begins after it was ended.

    ``serve`` is called in it with a connection. It says that it is ready by sending None, and sends
    an answer for each request that it receives. It gets ``SystemExit`` when it is to end.
    """

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        self._serve = serve
        self._process: Any = None  # of a context that forks
        self._connection: Connection | None = None

    def ask(self, request: object, seconds: float) -> Any:
        """The answer. Raises :class:`OverdueError` and :class:`DiedError`."""
        if self._connection is None:
            self._start()
        assert self._connection
        return self._exchanged(self._connection, request, seconds)

    def _exchanged(self, connection: Connection, request: object, seconds: float) -> Any:
        try:
            if request is not None:
                connection.send(request)
            if connection.poll(seconds):
                return connection.recv()
        except (EOFError, OSError):
            code = self.end()
            raise DiedError(f"its process ended with code {code}") from None
        self.end()
        raise OverdueError(f"it was ended after {seconds:.3g} s")

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(self._serve, theirs))
        self._process.start()
        theirs.close()
        self._exchanged(self._connection, None, _START)

    def end(self) -> int | None:
        """End it, if it runs, with all that it started; its code."""
        process, self._process = self._process, None
        if self._connection:
            self._connection.close()
            self._connection = None
        if process is None:
            return None
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
        process.join(_GRACE)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return int(process.exitcode)


def _run(serve: Callable[[Connection], None], connection: Connection) -> None:
    os.setsid()
    signal.signal(signal.SIGTERM, _ended)
    serve(connection)


def _ended(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
    raise SystemExit(number)
