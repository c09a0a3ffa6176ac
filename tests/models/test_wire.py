from __future__ import annotations

import time

from maxcode.models.base import Prompt, Tokens
from maxcode.models.resilience import Limits, Throttle
from maxcode.models.wire import Draft, Order, Reply, parsed, read, text_of


class Collected(Draft):
    """Keeps what it is given; whole when it was given END."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self.data: list[bytes] = []

    @property
    def whole(self) -> bool:
        return any(b"END" in data for data in self.data)

    def take(self, data: bytes) -> None:
        self.data.append(data)

    def reply(self) -> Reply:
        return Reply("", self.used())

    def used(self) -> Tokens:
        return Tokens(output=self.estimated_output(0))


def draft(seconds: float = 60) -> Collected:
    ticket = Throttle(Limits()).ticket()
    deadline = time.monotonic() + seconds
    return Collected(Order(Prompt("", ("p",)), 0, 100, ticket, deadline))


def received(*chunks: bytes) -> list[bytes]:
    into = draft()
    read(chunks, into, streamed=True)
    return into.data


def test_events_are_found_however_the_bytes_come() -> None:
    body = b'event: a\ndata: {"x":1}\n\n: comment\r\ndata:{"y":"\xe2\x80\xa8"}\r\n\r\ndata: END'
    expected = [b'{"x":1}', b'{"y":"\xe2\x80\xa8"}', b"END"]
    assert received(body) == expected
    assert received(*(bytes([byte]) for byte in body)) == expected
    assert received(body[:30], body[30:]) == expected


def test_lone_surrogates_are_replaced() -> None:
    said = parsed(rb'{"text": "a \ud800 b \ud83d\ude00"}')
    assert text_of(said, "text") == "a ? b 😀"
