"""Limits of requests to a provider: how many at once, how long to wait, how often to try."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import isfinite
from random import Random
from threading import Condition

from maxcode.errors import InputError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a client's requests, and of its waits for answers.

    ``in_flight`` bounds the requests under way. Each request is tried at most ``attempts`` times.
    Before the k-th new attempt it waits a random time of at most ``first_wait * 2**(k - 1)``
    seconds, never more than ``longest_wait``; no attempt follows where a provider asks for a longer
    wait. ``timeout`` is the limit in seconds without a byte: a server with a single slot queues
    requests, and a server without streaming begins at the end. ``deadline`` is the limit until an
    answer is whole. Raises :class:`~maxcode.errors.InputError` for a limit of nothing.
    """

    in_flight: int = 64
    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 90.0
    timeout: float = 1800.0
    deadline: float = 3600.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (isfinite(value) and value > 0):
                raise InputError(f"limit {name} must be above 0, not {value}")

    def wait(self, attempt: int, key: str) -> float:
        """Seconds to wait after a failed attempt, counted from 1.

        Exponential back-off with full jitter (aws.amazon.com/blogs/architecture, "Exponential
        Backoff And Jitter"), drawn from ``key`` so runs repeat.
        """
        longest = min(self.first_wait * 2.0 ** min(attempt - 1, 30), self.longest_wait)
        return Random(f"{key}:{attempt}").uniform(0, longest)


class Cancelled(Exception):  # noqa: N818 - not an error: it was asked for
    """A ticket was cancelled while its holder waited."""


class Ticket:
    """Work to be cancelled as a whole; made by a throttle."""

    def __init__(self, throttle: Throttle) -> None:
        self._throttle = throttle
        self._stops = throttle.stops
        self.abandoned = False
        """Whether the answers under way are unwanted, too."""

    @property
    def cancelled(self) -> bool:
        """Whether nothing more is to be asked."""
        return self.abandoned or self._throttle.stops != self._stops

    def cancel(self) -> None:
        """End waits for a turn, and the reading of answers."""
        self.abandoned = True
        self._throttle.wake()

    def check(self) -> None:
        """Raise :class:`Cancelled` if it is."""
        if self.cancelled:
            raise Cancelled


class Throttle:
    """Keeps all requests of a client within its limits; shared by its threads."""

    def __init__(self, limits: Limits) -> None:
        self.stops = 0
        """How often everything under way was cancelled."""
        self.problem = ""
        """Why the last attempt failed, and which follows; empty while all goes well."""
        self._changed = Condition()  # a request ended, or a wait may be over early
        self._in_flight = 0
        self._most_in_flight = limits.in_flight
        self._held_until = 0.0

    def ticket(self) -> Ticket:
        """A new ticket."""
        return Ticket(self)

    def stop(self) -> None:
        """Cancel all present tickets; later tickets are not concerned."""
        with self._changed:
            self.stops += 1
            self._changed.notify_all()

    def wake(self) -> None:
        """Have everyone who waits look again."""
        with self._changed:
            self._changed.notify_all()

    def hold(self, seconds: float) -> None:
        """Let no request begin for so long: the provider asked for it."""
        with self._changed:
            self._held_until = max(self._held_until, time.monotonic() + seconds)

    @contextmanager
    def request(self, ticket: Ticket) -> Iterator[None]:
        """Wait for a turn, then be under way. Raises :class:`Cancelled`."""
        with self._changed:
            while self._in_flight >= self._most_in_flight and not ticket.cancelled:
                self._changed.wait()
            self._in_flight += 1
        try:
            with self._changed:
                ticket.check()
                while (seconds := self._held_until - time.monotonic()) > 0:
                    self._changed.wait(seconds)
                    ticket.check()
            yield
        finally:
            with self._changed:
                self._in_flight -= 1
                self._changed.notify_all()

    def pause(self, seconds: float, ticket: Ticket) -> None:
        """Wait. Raises :class:`Cancelled`."""
        end = time.monotonic() + seconds
        with self._changed:
            while (left := end - time.monotonic()) > 0:
                ticket.check()
                self._changed.wait(left)
            ticket.check()


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds to wait by the provider: ``retry-after-ms``, or ``retry-after`` in seconds.

    0 for none, or nonsense.
    """
    try:
        if "retry-after-ms" in headers:
            wait = float(headers["retry-after-ms"]) / 1000
        else:
            wait = float(headers.get("retry-after", 0))
    except ValueError:
        return 0.0
    return wait if isfinite(wait) and wait > 0 else 0.0
