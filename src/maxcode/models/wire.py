"""A single attempt at a request: its order, its response, and its failures."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf
from threading import Event
from typing import Any

from maxcode.budget import Stop
from maxcode.models.base import Prompt, Tokens, estimate, upper_bound
from maxcode.models.resilience import Cancelled, Ticket
from maxcode.redaction import SECRETS


@dataclass(frozen=True, slots=True)
class Order:
    """A prompt to be answered, as ``sample`` of a ``request``.

    ``deadline`` is the :func:`time.monotonic` for the whole answer; ``inf`` before it begins,
    unless the search has a deadline. ``begun`` is set when the response begins.
    """

    prompt: Prompt
    seed: int
    max_tokens: int
    ticket: Ticket
    deadline: float
    begun: Event | None = None
    request: str = ""
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole response, without secrets of this process; ``estimated`` is :attr:`Draft.doubt`."""

    text: str
    usage: Tokens
    stop: Stop = Stop.END
    estimated: str = ""

    def __post_init__(self) -> None:
        """Redact it as a whole: a stream may bring a key in pieces."""
        object.__setattr__(self, "text", SECRETS.redact(self.text))


class Failure(Exception):  # noqa: N818 - it is dealt with, never shown
    """An attempt without an answer, which may be repeated.

    An attempt that ``left`` may be billed: ``used`` is its usage by the provider, None if unknown.
    Any other was refused, or never sent, which is free. ``wait`` is the provider's wish in seconds.
    A ``final`` failure would recur, so it is not repeated.
    """

    def __init__(
        self,
        problem: str,
        used: Tokens | None = None,
        *,
        left: bool = False,
        wait: float = 0.0,
        final: bool = False,
    ) -> None:
        self.problem = SECRETS.redact(problem)
        super().__init__(self.problem)
        self.used = used
        self.left = left
        self.wait = wait
        self.final = final


class Draft(ABC):
    """A response as far as it came in.

    ``texts`` are the pieces of the answer, ``written`` the bytes of it and of thoughts, ``unread``
    those of an incomplete body. ``doubt`` names the doubted part of the server's count.
    """

    def __init__(self, order: Order) -> None:
        self.order = order
        self.texts: list[str] = []
        self.stop = Stop.END
        self.whole = False
        self.written = self.unread = 0
        self.doubt = ""

    @abstractmethod
    def take(self, data: bytes) -> None:
        """Take in the data of an event, or a whole body.

        Raises ValueError for unreadable data, and :class:`Failure` for a reported failure.
        """

    @abstractmethod
    def reported(self) -> Tokens:
        """Usage until now, by the provider."""

    def reply(self) -> Reply:
        """The response; it is whole."""
        usage = self.used()
        return Reply("".join(self.texts), usage, self.stop, self.doubt)

    def used(self) -> Tokens:
        """Usage until now, by the provider as far as that is credible, else estimated.

        Missing counts are estimated, and counts beyond the reservation are the reservation: a
        budget must not rest on such a figure.
        """
        reported, size, doubts = self.reported(), self.order.prompt.size, []
        prompt, most = reported.input + reported.cached + reported.written, upper_bound(size)
        if not 0 < prompt <= most:
            tokens = most if prompt > most else estimate(size)
            reported = replace(reported, input=tokens, cached=0, written=0)
            doubts.append("prompt")
        most, output = self.order.max_tokens, reported.output
        if output > most or (self.written + self.unread > 0 and not output):
            tokens = most if output > most else self.estimated_output
            reported = replace(reported, output=tokens)
            doubts.append("answer")
        self.doubt = " and ".join(doubts)
        return replace(reported, thinking=min(reported.thinking, reported.output))

    @property
    def estimated_output(self) -> int:
        """Tokens of the output that came in, and of the unread rest."""
        return min(estimate(self.written + self.unread), self.order.max_tokens)


def read(chunks: Iterable[bytes], draft: Draft, *, streamed: bool) -> None:
    """Read a whole response. Raises ValueError when it breaks off or the deadline passes.

    The SDKs' own readers are not used: they hide the signs of life (pings, comments) that servers
    may send for hours, so no deadline could be kept, and they accept missing fields. Raises
    :class:`~maxcode.models.resilience.Cancelled` with the order.
    """
    chunks = _watched(chunks, draft)
    if streamed:
        for data in _events(chunks):  # to the very end, so that the connection can be used again
            draft.take(data)
    else:
        body = bytearray()
        for chunk in chunks:
            body += chunk
            draft.unread = len(body)
        draft.take(bytes(body))
        draft.unread = 0
    if not draft.whole:
        raise ValueError("it broke off")


def _watched(chunks: Iterable[bytes], draft: Draft) -> Iterator[bytes]:
    for chunk in chunks:
        if draft.order.ticket.abandoned:
            raise Cancelled
        if time.monotonic() > draft.order.deadline:
            raise ValueError("it was not whole in time")
        yield chunk


def _events(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The data of server-sent events; the providers write each on a line of its own."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if rest.startswith(b"data:"):
        yield rest[5:].strip()


def parsed(data: bytes) -> dict[str, Any]:
    """A JSON object; lone surrogates, which are no text, become question marks.

    Raises ValueError for anything else.
    """
    found = json.loads(data)
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    return found


def part(value: Any, *path: str | int) -> Any:
    """The value at a path of keys and indices; None for none."""
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return None
    return value


def text_of(value: Any, *path: str | int) -> str:
    """The text at a path; empty for none."""
    found = part(value, *path)
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""


def count_of(value: Any, *path: str | int) -> int:
    """The number of tokens at a path; 0 where there is none."""
    found = part(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float) or not -inf < found < inf:
        return 0
    return max(int(found), 0)
