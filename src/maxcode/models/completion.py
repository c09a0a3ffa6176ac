"""Completion: a response of OpenAI's chat completions as it comes in, streamed or whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, JsonValue

from maxcode.calls import Stop
from maxcode.models.tokens import Tokens, estimate
from maxcode.models.wire import Choice, Draft, Failure, Order, Reply, parsed

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
