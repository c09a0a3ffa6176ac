"""What the loopback provider is asked and what it answers, whichever API it came by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from maxcode.budget import Stop

Api = Literal["anthropic", "openai"]


def count_tokens(text: str) -> int:
    """The provider's tokenizer: a token for every 4 bytes of UTF-8, rounded up."""
    return -(-len(to_bytes(text)) // 4)


def cut_to_tokens(text: str, limit: int) -> str:
    """The beginning of a text, of at most ``limit`` tokens."""
    return to_bytes(text)[: 4 * limit].decode("utf-8", "ignore")


def to_bytes(text: str) -> bytes:
    """UTF-8, also of the lone surrogates that JSON lets pass."""
    return text.encode("utf-8", "surrogatepass")


class ProviderError(Exception):
    """An answer with an HTTP error status, in the words and headers of the provider.

    ``kind`` is the error's type and ``param`` the parameter it is about; by default the type is
    what the provider has for the status.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "",
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.param = param
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a prompt; ``marked`` where the client asked for a cache breakpoint behind it."""

    role: str
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request, as the provider reads it.

    ``number`` counts the requests from 0 in the order of arrival. ``parts`` are the user's.
    ``thinking`` is the budget in tokens, 0 for none; where the
    model decides itself it is ``max_tokens``.
    """

    number: int
    api: Api
    model: str
    system: str
    parts: tuple[str, ...]
    blocks: tuple[Block, ...]
    body: Mapping[str, Any]
    max_tokens: int
    temperature: float | None = None
    thinking: int = 0
    seed: int | None = None
    stream: bool = False

    @property
    def input_tokens(self) -> int:
        """Tokens of the whole prompt."""
        return sum(count_tokens(block.text) for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says. A text above the request's ``max_tokens`` is cut by the provider.

    ``logprobs`` are those of what may come first, sent where the request asks for them; the default
    is drawn from the prompt.
    """

    text: str
    thinking: str = ""
    stop: Stop = Stop.END
    logprobs: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A reply as it is sent: cut to what was asked for, its tokens counted."""

    text: str
    thinking: str
    stop: Stop
    output: int
    thought: int
    logprobs: Mapping[str, float] | None = None

    @classmethod
    def of(cls, reply: Reply, limit: int) -> Choice:
        """``reply`` in at most ``limit`` tokens, thinking included."""
        thinking = cut_to_tokens(reply.thinking, limit)
        thought = count_tokens(thinking)
        text = cut_to_tokens(reply.text, limit - thought)
        whole = thinking == reply.thinking and text == reply.text
        stop = reply.stop if whole else Stop.LENGTH
        output = thought + count_tokens(text)
        return cls(text, thinking, stop, output, thought, reply.logprobs)


@dataclass(frozen=True, slots=True)
class Response:
    """All that is sent for a request. The prompt's tokens are in exactly one of three classes."""

    request: Request
    choice: Choice
    input: int
    cached: int
    written: int
