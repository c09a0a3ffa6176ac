"""Lines: a conversation, line by line, with somebody who may not listen or never stop."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from enum import Enum
from threading import Lock

LONGEST = 1 << 20
"""Bytes of the longest line that is received, unless more is asked for."""

_CHUNK = 1 << 16


class NoLine(Enum):
    """Why no line was received: the other side has ended, is late, or does not end its line."""

    ENDED = "it has ended"
    LATE = "it did not answer in time"
    TOO_LONG = "its line is too long"


class Lines:
    """Sends and receives lines over two descriptors, which it owns; from any thread."""

    def __init__(self, writing: int, reading: int) -> None:
        self._writing, self._reading = writing, reading
        self._held = bytearray()  # received and not yet asked for; at most a line and a chunk
        self._receiving, self._sending = Lock(), Lock()
        for descriptor in (writing, reading):
            os.set_blocking(descriptor, False)

    def send(self, line: bytes, timeout: float) -> bool:
        """Send a line, without its end; False when it was not taken whole in ``timeout`` seconds.

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
        """Send so many bytes; ``part`` sends some after those that were, and says how many."""
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

    def receive(self, timeout: float, longest: int = LONGEST) -> bytes | NoLine:
        """The next line, without its end, that comes in ``timeout`` seconds; or why there is none.

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

    def finish(self) -> None:
        """Send no more, which the other side learns."""
        with self._sending:
            if self._writing >= 0:
                os.close(self._writing)
            self._writing = -1

    def close(self) -> None:
        """Neither send nor receive any more."""
        self.finish()
        with self._receiving:
            if self._reading >= 0:
                os.close(self._reading)
            self._reading = -1


def _ready(descriptor: int, event: int, until: float) -> bool:
    poller = select.poll()
    poller.register(descriptor, event)
    return bool(poller.poll(1000 * max(0.0, until - time.monotonic())))
