"""Patience with a provider: how much at once, how long to wait, how often to try."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from random import Random
from threading import Condition, Lock

from maxcode.errors import InputError


@dataclass(frozen=True, slots=True)
class Limits:
    """How a client spares its provider, and how long it bears with it.

    ``in_flight`` bounds the requests under way. ``requests_per_minute`` and ``tokens_per_minute``
    are those of your account; None is no limit. Each request is tried at most ``attempts`` times.
    Before the k-th new attempt it waits a random time of at most ``first_wait * 2**(k - 1)``
    seconds, never more than ``longest_wait``; a provider that asks for a longer wait than that is
    given up. ``timeout`` is how many seconds may pass without a byte, and ``deadline`` how many a
    whole answer may take. Raises :class:`~maxcode.errors.InputError` for a limit that lets nothing
    through.
    """

    in_flight: int = 64
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 90.0
    timeout: float = 600.0
    deadline: float = 1800.0

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            least = 1 if name in ("in_flight", "attempts") else 0
            may_be_least = least or name.endswith("_wait")
            if value is None or (isfinite(value) and value >= least and (value or may_be_least)):
                continue
            bound = f"at least {least}" if may_be_least else "above 0"
            raise InputError(f"limit {name} must be {bound}, not {value}")

    def wait(self, attempt: int, key: str) -> float:
        """Seconds to wait after the attempt, counted from 1, failed.

        Exponential back-off with full jitter (aws.amazon.com/blogs/architecture,
        "Exponential Backoff And Jitter"), drawn from ``key`` so that runs repeat.
        """
        longest = min(self.first_wait * 2.0 ** min(attempt - 1, 30), self.longest_wait)
        return Random(f"{key}:{attempt}").uniform(0, longest)


class Bucket:
    """A token bucket of one minute's worth, filled continuously, as the providers' own are.

    More than it ever holds may be taken when it is full; it then owes the rest. Times are those of
    :func:`time.monotonic`.
    """

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._capacity = per_minute
        self._level = per_minute or 0.0
        self._at = now

    def wait(self, amount: float, now: float) -> float:
        """Seconds until so much may be taken; 0 is at once."""
        if self._capacity is None:
            return 0.0
        self._fill(now)
        return max(0.0, (min(amount, self._capacity) - self._level) / (self._capacity / 60))

    def take(self, amount: float) -> None:
        """Take so much; a negative amount is given back."""
        if self._capacity is not None:
            self._level = min(self._level - amount, self._capacity)

    def _fill(self, now: float) -> None:
        if self._capacity is not None:
            self._level += (now - self._at) * self._capacity / 60
            self._level, self._at = min(self._level, self._capacity), now


class Cancelled(Exception):  # noqa: N818 - not an error: somebody wanted it
    """A ticket was cancelled while its holder waited."""


class Ticket:
    """Some work that can be given up as a whole; ask a throttle for one."""

    def __init__(self, throttle: Throttle) -> None:
        self._throttle = throttle
        self._stops = throttle.stops
        self.abandoned = False
        """Whether nobody wants the answers that are under way, either."""

    @property
    def cancelled(self) -> bool:
        """Whether it was given up, so that nothing more is to be asked."""
        return self.abandoned or self._throttle.stops != self._stops

    def cancel(self) -> None:
        """Give it up: who waits stops waiting, who reads an answer stops reading."""
        self.abandoned = True
        self._throttle.wake()


@dataclass(slots=True)
class Reservation:
    """What a request that is under way really ``used``, of the tokens set aside for it."""

    used: int = 0


class Throttle:
    """Keeps all requests of one client within its limits; shared by its threads."""

    def __init__(self, limits: Limits) -> None:
        self.stops = 0
        """How often everything under way was given up."""
        self._limits = limits
        lock = Lock()
        self._free = Condition(lock)  # a request ended
        self._later = Condition(lock)  # a wait may be over early
        self._in_flight = 0
        self._held_until = 0.0
        now = time.monotonic()
        self._requests = Bucket(limits.requests_per_minute, now)
        self._tokens = Bucket(limits.tokens_per_minute, now)

    def ticket(self) -> Ticket:
        """A new one."""
        return Ticket(self)

    def stop(self) -> None:
        """Cancel every ticket there is; those given out later are not concerned."""
        with self._later:
            self.stops += 1
        self.wake()

    def wake(self) -> None:
        """Have everyone who waits look again."""
        with self._later:
            self._later.notify_all()
            self._free.notify_all()

    def hold(self, seconds: float) -> None:
        """Let no request begin for so long: the provider asked for it."""
        with self._later:
            self._held_until = max(self._held_until, time.monotonic() + seconds)

    @contextmanager
    def request(self, tokens: int, ticket: Ticket) -> Iterator[Reservation]:
        """Wait for one's turn, then be under way. Raises :class:`Cancelled`.

        ``tokens`` are reserved; what the reservation was not ``used`` for is given back.
        """
        self._enter(tokens, ticket)
        reservation = Reservation()
        try:
            yield reservation
        finally:
            with self._later:
                if self._limits.tokens_per_minute and reservation.used < tokens:
                    self._tokens.take(reservation.used - tokens)
                    self._later.notify_all()
                self._leave()

    def pause(self, seconds: float, ticket: Ticket) -> None:
        """Wait. Raises :class:`Cancelled`."""
        end = time.monotonic() + seconds
        with self._later:
            while (left := end - time.monotonic()) > 0:
                _check(ticket)
                self._later.wait(left)
            _check(ticket)

    def _enter(self, tokens: int, ticket: Ticket) -> None:
        with self._later:
            while self._in_flight >= self._limits.in_flight and not ticket.cancelled:
                self._free.wait()
            self._in_flight += 1
            try:
                _check(ticket)
                while (wait := self._wait(tokens)) > 0:
                    self._later.wait(wait)
                    _check(ticket)
            except BaseException:
                self._leave()
                raise
            self._requests.take(1)
            self._tokens.take(tokens)

    def _leave(self) -> None:
        self._in_flight -= 1
        self._free.notify()

    def _wait(self, tokens: int) -> float:
        now = time.monotonic()
        return max(
            self._held_until - now,
            self._requests.wait(1, now),
            self._tokens.wait(tokens, now),
        )


def _check(ticket: Ticket) -> None:
    if ticket.cancelled:
        raise Cancelled


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a provider asks to wait: ``retry-after-ms``, or ``retry-after`` (RFC 9110).

    0 where it does not say, or says nonsense.
    """
    milliseconds, after = headers.get("retry-after-ms"), headers.get("retry-after")
    wait = 0.0
    try:
        if milliseconds is not None:
            wait = float(milliseconds) / 1000
        elif after is not None:
            wait = _seconds(after)
    except (ValueError, OverflowError):
        return 0.0
    return wait if isfinite(wait) and wait > 0 else 0.0


def _seconds(text: str) -> float:
    if text.strip().replace(".", "", 1).isdigit():
        return float(text)
    moment = parsedate_to_datetime(text)
    if moment.tzinfo is None:  # RFC 9110: an HTTP date is always in GMT
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()
