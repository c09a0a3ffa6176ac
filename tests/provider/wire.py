"""What the wire formats have in common."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from tests.provider.messages import (
    Api,
    ProviderError,
    Request,
    Response,
)

_MAX_PIECES = 32
_PIECE = 32  # characters


class Wire(ABC):
    """A provider's wire format. ``overloaded`` is the status with which it asks for patience."""

    api: ClassVar[Api]
    overloaded: ClassVar[int]

    def key(self, headers: Mapping[str, str]) -> str:
        """The key that was sent, or nothing; the names of headers are in lower case."""
        return headers.get("authorization", "").removeprefix("Bearer ")

    @abstractmethod
    def read(self, number: int, body: Mapping[str, Any]) -> Request:
        """The request. Raises ProviderError for a malformed one."""

    @abstractmethod
    def body(self, response: Response) -> dict[str, Any]:
        """A response that is not streamed."""

    @abstractmethod
    def events(self, response: Response) -> Iterator[bytes]:
        """A streamed response."""

    @abstractmethod
    def error(self, error: ProviderError) -> dict[str, Any]:
        """The body of a response with an error status."""

    @abstractmethod
    def error_event(self, error: ProviderError) -> bytes:
        """An error in the middle of a stream."""


def texts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks of a content, which is a text or a list of text blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def event(data: object, name: str = "") -> bytes:
    """A server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def pieces(text: str) -> list[str]:
    """A text as it is streamed: pieces of 32 characters, longer ones where those are too many."""
    size = max(_PIECE, -(-len(text) // _MAX_PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]
