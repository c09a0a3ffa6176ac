"""One attempt at a request: what is asked, what comes over the wire, and what went wrong."""

from __future__ import annotations

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from maxcode.budget import Stop
from maxcode.models.base import Prompt, Tokens, estimate
from maxcode.models.resilience import Cancelled, Ticket

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Order:
    """``n`` answers to a prompt, asked for in one request.

    ``deadline`` is the :func:`time.monotonic` at which the answer must be whole. ``begun``, where
    somebody waits for it, is set when the response begins.
    """

    prompt: Prompt
    n: int
    seed: int
    max_tokens: int
    ticket: Ticket
    deadline: float
    begun: Event | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the texts that a reply offers."""

    text: str
    stop: Stop = Stop.END

    @property
    def empty(self) -> bool:
        """Whether the model said nothing, for no reason that it gave."""
        return self.stop is Stop.END and not self.text.strip()


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole response."""

    choices: tuple[Choice, ...]
    usage: Tokens


class Failure(Exception):  # noqa: N818 - it is dealt with, never shown
    """An attempt that gave no answer, and may be repeated.

    ``lost`` is what it used in vain; None when the provider refused it or was not reached, which
    is free. ``wait`` is how many seconds the provider asks to wait. A ``final`` one would come
    again, so it is not repeated.
    """

    def __init__(
        self, problem: str, lost: Tokens | None = None, wait: float = 0.0, *, final: bool = False
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.lost = lost
        self.wait = wait
        self.final = final


class Split(Exception):  # noqa: N818 - likewise
    """The server gives one answer a request; ask for each on its own."""


class Draft(ABC):
    """A response as far as it came in; ``unread`` are the bytes of a body that is not whole."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.unread = 0

    @property
    @abstractmethod
    def whole(self) -> bool:
        """Whether all came in that makes an answer."""

    @abstractmethod
    def take(self, data: bytes) -> None:
        """Take in the data of one event, or a whole body.

        Raises ValueError for what cannot be read, and :class:`Failure` for what says so itself.
        """

    @abstractmethod
    def reply(self) -> Reply:
        """The response; it is whole."""

    @abstractmethod
    def used(self) -> Tokens:
        """What it used until now, as far as it is known; else estimated."""

    def estimated_output(self, written: int) -> int:
        """Tokens of an output of so many bytes that came in, and of what is unread."""
        return min(estimate(written + self.unread), self.order.n * self.order.max_tokens)


def read(chunks: Iterable[bytes], draft: Draft, *, streamed: bool) -> None:
    """Read a whole response. Raises ValueError when it breaks off or the deadline passes.

    The SDKs' own readers are not used: they hide the signs of life (pings, comments) that servers
    may send for hours, so that no deadline could be kept, and they let pass what lacks fields.
    Raises :class:`~maxcode.models.resilience.Cancelled` when the order is.
    """
    chunks = _watched(chunks, draft.order)
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


def _watched(chunks: Iterable[bytes], order: Order) -> Iterator[bytes]:
    for chunk in chunks:
        if order.ticket.abandoned:
            raise Cancelled
        if time.monotonic() > order.deadline:
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


def parsed(model: type[T], data: bytes) -> T:
    """Read JSON; lone surrogates, which are no text, become question marks. Raises ValueError."""
    try:
        return model.model_validate_json(data)
    except ValidationError:
        text = json.dumps(json.loads(data), ensure_ascii=False)
        return model.model_validate_json(text.encode("utf-8", "replace"))


_STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)  # as servers without a parser do


class _Counted(BaseModel):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Counted | None = None
    completion_tokens_details: _Counted | None = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Alternative(BaseModel):
    token: str
    logprob: float


class _Token(BaseModel):
    top_logprobs: list[_Alternative] | None = None


class _Logprobs(BaseModel):
    content: list[_Token] | None = None


class _Choice(BaseModel):
    index: int = 0
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Error(BaseModel):
    message: str = ""
    code: JsonValue = None


class _Chunk(BaseModel):
    """A chunk of a stream, or a whole completion."""

    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: _Error | None = None


@dataclass(slots=True)
class _Text:
    """One choice as far as it came in; ``written`` counts bytes, with those of the reasoning."""

    parts: list[str] = field(default_factory=list)
    refused: bool = False
    written: int = 0
    finish: str | None = None
    first: list[_Alternative] = field(default_factory=list)

    def add(self, choice: _Choice) -> None:
        message = choice.message or choice.delta or _Message()
        self.parts.append((message.content or "") + (message.refusal or ""))
        self.refused |= bool(message.refusal)
        thought = message.reasoning_content or message.reasoning or ""
        self.written += len(self.parts[-1].encode()) + len(thought.encode())
        self.finish = choice.finish_reason or self.finish
        if choice.logprobs and choice.logprobs.content and not self.first:
            self.first = choice.logprobs.content[0].top_logprobs or []

    @property
    def choice(self) -> Choice:
        stop = Stop.REFUSED if self.refused else _STOPS.get(self.finish or "", Stop.END)
        return Choice(_THOUGHTS.sub("", "".join(self.parts), count=1), stop)


class Completion(Draft):
    """A completion as far as it came in."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._texts: dict[int, _Text] = {}
        self._usage: _Usage | None = None
        self._done = False

    @property
    def whole(self) -> bool:
        """See :class:`~maxcode.models.wire.Draft`."""
        finished = all(text.finish for text in self._texts.values())
        return bool(self._texts) and (self._done or finished)

    def take(self, data: bytes) -> None:
        """See :class:`~maxcode.models.wire.Draft`."""
        if data == b"[DONE]":
            self._done = True
            return
        chunk = parsed(_Chunk, data)
        if chunk.error:
            raise Failure(f"the answer broke off: {chunk.error.message}", self.used())
        for choice in chunk.choices:
            self._texts.setdefault(choice.index, _Text()).add(choice)
        self._usage = chunk.usage or self._usage

    def reply(self) -> Reply:
        """See :class:`~maxcode.models.wire.Draft`."""
        return Reply(tuple(self._texts[i].choice for i in sorted(self._texts)), self.used())

    @property
    def first_tokens(self) -> list[Mapping[str, float]]:
        """Of each choice the log probabilities of what may come first, where they were told.

        Of tokens with the same text, such as parts of a character, the likeliest counts.
        """
        found: list[Mapping[str, float]] = []
        for i in sorted(self._texts):
            chances: dict[str, float] = {}
            for one in self._texts[i].first:
                chances[one.token] = max(one.logprob, chances.get(one.token, one.logprob))
            found.append(chances)
        return found

    def used(self) -> Tokens:
        """See :class:`~maxcode.models.wire.Draft`."""
        usage = self._usage
        if usage is None:
            written = sum(text.written for text in self._texts.values())
            output = self.estimated_output(written)
            return Tokens(input=estimate(self.order.prompt.size), output=output)
        prompt = usage.prompt_tokens_details or _Counted()
        cached = min(prompt.cached_tokens or 0, usage.prompt_tokens)
        written = min(prompt.cache_write_tokens or 0, usage.prompt_tokens - cached)
        answer = usage.completion_tokens_details or _Counted()
        return Tokens(
            input=usage.prompt_tokens - cached - written,
            cached=cached,
            written=written,
            output=usage.completion_tokens,
            thinking=min(answer.reasoning_tokens or 0, usage.completion_tokens),
        )
