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


def texts(content: object, where: str) -> list[dict[str, Any]]:
    """The blocks of a content, which is a text or a list of text blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise ProviderError(400, f"{where}: Input should be a valid string or list")
    for block in content:
        if not isinstance(block, dict) or not isinstance(block.get("text"), str):
            raise ProviderError(400, f"{where}: only blocks of text are known here")
    return content


def whole_number(body: Mapping[str, Any], name: str, default: int, least: int = 1) -> int:
    """A whole number of a request."""
    value = body.get(name)
    if value is None:
        return default
    if not isinstance(value, int) or value < least:
        raise ProviderError(400, f"{name}: must be a whole number from {least} on", param=name)
    return value


def event(data: object, name: str = "") -> bytes:
    """A server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def pieces(text: str) -> list[str]:
    """A text as it is streamed: pieces of 32 characters, longer ones where those are too many."""
    size = max(_PIECE, -(-len(text) // _MAX_PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]
