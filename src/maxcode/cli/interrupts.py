"""Interrupts: Ctrl-C and SIGTERM end a run in good order, a second one at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType, TracebackType


class Interrupts:
    """While entered, the first SIGINT or SIGTERM calls ``first`` and raises KeyboardInterrupt.

    The second calls ``leaving`` and ends the process without waiting for anything; what the
    journal holds stays. Both functions must be safe to call between any two instructions.
    """

    def __init__(self, first: Callable[[], None], leaving: Callable[[], None]) -> None:
        self.received: int | None = None
        self._first = first
        self._leaving = leaving
        self._before: dict[signal.Signals, signal._HANDLER] = {}

    @property
    def exit_code(self) -> int | None:
        """128 and the signal's number, as shells count; None when nothing came."""
        return None if self.received is None else 128 + self.received

    def __enter__(self) -> Interrupts:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _receive(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.received is not None:
            self._leaving()
            os._exit(128 + number)
        self.received = number
        self._first()
        raise KeyboardInterrupt
