"""OpenAIModel: OpenAI, and whatever speaks its chat completions, through OpenAI's own SDK."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, JsonValue

from maxcode.budget import Stop
from maxcode.models.base import Tokens
from maxcode.models.context import says_too_long
from maxcode.models.endpoint import error_message, short
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel
from maxcode.models.resilience import Limits
from maxcode.models.wire import (
    Count,
    Draft,
    Failure,
    Optional,
    Order,
    Reply,
    Text,
    parsed,
)

_CAPS = ("max_completion_tokens", "max_tokens")  # OpenAI's own name, and the one that others know
_OPTIONAL = ("seed", "stream_options", "prompt_cache_key")


class OpenAIModel(RemoteModel):
    """A model behind chat completions: OpenAI, vLLM, SGLang, Ollama, OpenRouter, ...

    ``base_url`` is OpenAI's, or OPENAI_BASE_URL, with the key in OPENAI_API_KEY. ``key`` names
    another variable; any other address is sent a key only with ``key``. ``max_tokens`` bounds an
    answer with its reasoning; it is OpenAI's max_completion_tokens, and others' max_tokens.
    ``effort`` is the reasoning_effort of reasoning models. Parameters unknown to a server (seed,
    stream_options, ...) are left out after its first refusal. Missing usage is estimated. The other
    arguments and the errors are those of :class:`~maxcode.models.anthropic.AnthropicModel`.
    """

    company = "OpenAI"
    address = "https://api.openai.com/v1"

    def _load_sdk(self) -> Any:
        import openai  # noqa: PLC0415 - heavy

        return openai

    def _prepare(self) -> None:
        host = f".{urlsplit(self.endpoint.url).hostname}"
        self._is_openai = host.endswith(".api.openai.com")
        self._caps = _CAPS if self._is_openai else _CAPS[::-1]
        self._swapped = False
        self._unknown: set[str] = set()  # what the server said it does not know; it only grows

    def _connected(self) -> Any:
        client = super()._connected()
        client.admin_api_key = None  # the SDK reads more from the environment than is wanted
        if not self._is_openai:
            client.organization = client.project = None
        return client

    def _send(self, order: Order, *, stream: bool, timeout: Any) -> Any:
        body = {
            name: value
            for name, value in self._body(order, stream=stream).items()
            if value is not None and name not in self._unknown
        }  # given as typed arguments it takes the SDK a third of all its time
        return self._client.chat.completions.with_streaming_response.create(
            model=self.model, messages=[], stream=stream, extra_body=body, timeout=timeout
        )

    def _body(self, order: Order, *, stream: bool) -> dict[str, Any]:
        """The request's body, beside the model's name, without None."""
        messages = [{"role": "user", "content": order.prompt.user}]
        if order.prompt.system:
            messages.insert(0, {"role": "system", "content": order.prompt.system})
        body: dict[str, Any] = {
            "messages": messages,
            self._caps[0]: order.max_tokens,
            "temperature": self.temperature,
            "reasoning_effort": self.effort,
            "seed": order.seed,
            "stream_options": {"include_usage": True} if stream else None,
        }
        if self._is_openai:  # requests of a run go to the machine that has their beginning cached
            beginning = repr((order.prompt.system, order.prompt.parts[:1]))
            body["prompt_cache_key"] = hashlib.sha256(beginning.encode()).hexdigest()[:32]
        return body

    def _draft(self, order: Order) -> Draft:
        return Completion(order)

    def _mended(self, error: Any) -> bool:
        message = error_message(error)
        if error.status_code not in (400, 422) or says_too_long(message):
            return False
        sent = json.loads(error.request.content)
        possible = [name for name in (*_OPTIONAL, *_CAPS) if name in sent]
        refused = {name for name in possible if re.search(rf"\b{name}\b", message)}
        if self._caps[0] in refused and not self._swapped:
            self._caps, self._swapped = self._caps[::-1], True
            return True
        # What another thread has swapped or left out meanwhile is not in the next request.
        self._unknown |= refused.intersection(_OPTIONAL)
        return bool(refused - {self._caps[0]})


# -- what comes back ----------------------------------------------------------------------------

_STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)  # as servers without a parser do


class _Counted(BaseModel):
    cached_tokens: Count = 0
    cache_write_tokens: Count = 0
    reasoning_tokens: Count = 0


class _Usage(BaseModel):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    prompt_tokens_details: Annotated[_Counted | None, Optional] = None
    completion_tokens_details: Annotated[_Counted | None, Optional] = None


class _Message(BaseModel):
    content: str | None = None
    refusal: Annotated[str | None, Optional] = None
    reasoning: Annotated[str | None, Optional] = None
    reasoning_content: Annotated[str | None, Optional] = None


class _Alternative(BaseModel):
    token: Text
    logprob: float


class _Token(BaseModel):
    top_logprobs: list[_Alternative] | None = None


class _Logprobs(BaseModel):
    content: list[_Token] | None = None


class _Choice(BaseModel):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: Annotated[str | None, Optional] = None
    logprobs: Annotated[_Logprobs | None, Optional] = None


class _Error(BaseModel):
    message: Text = ""
    code: JsonValue = None


class _Chunk(BaseModel):
    """A chunk of a stream, or a whole completion."""

    choices: list[_Choice] = []
    usage: Annotated[_Usage | None, Optional] = None
    error: _Error | None = None


class Completion(Draft):
    """A completion as far as it came in."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._parts: list[str] = []
        self._refused = self._begun = self._done = False
        self._written = 0  # bytes, with those of the reasoning
        self._finish: str | None = None
        self._first: list[_Alternative] = []
        self._usage = _Usage()

    @property
    def whole(self) -> bool:
        """See :class:`~maxcode.models.wire.Draft`."""
        return self._begun and (self._done or bool(self._finish))

    def take(self, data: bytes) -> None:
        """See :class:`~maxcode.models.wire.Draft`."""
        if data == b"[DONE]":
            self._done = True
            return
        chunk = parsed(_Chunk, data)
        if chunk.error:
            problem = f"the answer broke off: {short(chunk.error.message)}"
            raise Failure(problem, left=True)
        for choice in chunk.choices[:1]:  # a single one was asked for
            self._add(choice)
        self._usage = chunk.usage or self._usage

    def _add(self, choice: _Choice) -> None:
        message = choice.message or choice.delta or _Message()
        self._parts.append((message.content or "") + (message.refusal or ""))
        self._refused |= bool(message.refusal)
        thought = message.reasoning_content or message.reasoning or ""
        self._written += len(self._parts[-1].encode()) + len(thought.encode())
        self._finish = choice.finish_reason or self._finish
        if choice.logprobs and choice.logprobs.content and not self._first:
            self._first = choice.logprobs.content[0].top_logprobs or []
        self._begun = True
        self._done |= choice.message is not None  # whatever it says of why it ended

    def reply(self) -> Reply:
        """See :class:`~maxcode.models.wire.Draft`."""
        usage = self.used()
        stop = Stop.REFUSED if self._refused else _STOPS.get(self._finish or "", Stop.END)
        text = _THOUGHTS.sub("", "".join(self._parts), count=1)
        return Reply(text, usage, stop, self.doubt)

    @property
    def first_token(self) -> Mapping[str, float]:
        """Log probabilities of the possible first tokens, if reported.

        Of tokens with the same text, such as parts of a character, the likeliest counts.
        """
        chances: dict[str, float] = {}
        for one in self._first:
            chances[one.token] = max(one.logprob, chances.get(one.token, one.logprob))
        return chances

    def used(self) -> Tokens:
        """See :class:`~maxcode.models.wire.Draft`."""
        usage = self._usage
        prompt = usage.prompt_tokens_details or _Counted()
        cached, written = prompt.cached_tokens, prompt.cache_write_tokens
        if cached + written > usage.prompt_tokens:  # then nothing says what was cheaper
            cached = written = 0
        answer = usage.completion_tokens_details or _Counted()
        reported = Tokens(
            input=usage.prompt_tokens - cached - written,
            cached=cached,
            written=written,
            output=usage.completion_tokens,
            thinking=answer.reasoning_tokens,
        )
        return self.believed(reported, self._written)


# -- the first token ----------------------------------------------------------------------------

_QUOTED = 40  # characters of an answer that is of no use
_NEVER = -500.0  # servers have such a number for what cannot be


class FirstTokenModel(OpenAIModel):
    """A model behind chat completions with ``logprobs``: vLLM, SGLang, OpenAI, ...

    The text of an answer is a JSON object: the log probability of each of the likeliest first
    tokens. An answer without any of ``tokens`` is useless. The request is for a single token, so
    models that think first are useless, too. ``top_logprobs`` is the number of reported tokens, at
    most 20 with most servers. The other arguments and the errors are those of
    :class:`~maxcode.models.openai.OpenAIModel`.
    """

    def __init__(
        self,
        model: str,
        *,
        tokens: Collection[str],
        base_url: str | None = None,
        key: str | None = None,
        top_logprobs: int = 20,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            key=key,
            max_tokens=1,
            temperature=1.0,  # some servers apply it to what they report
            stream=False,
            price=price,
            limits=limits,
        )
        self.tokens = tuple(tokens)
        self.top_logprobs = top_logprobs

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :meth:`maxcode.models.base.Model.parameters`."""
        return {**super().parameters(), "top_logprobs": self.top_logprobs}

    def _body(self, order: Order, *, stream: bool) -> dict[str, Any]:
        body = super()._body(order, stream=stream)
        return {**body, "logprobs": True, "top_logprobs": self.top_logprobs}

    def _draft(self, order: Order) -> Draft:
        return _Tokens(order, self.tokens)


class _Tokens(Completion):
    """A completion of which only the first token counts."""

    def __init__(self, order: Order, wanted: Collection[str]) -> None:
        super().__init__(order)
        self._wanted = wanted

    def reply(self) -> Reply:
        reply = super().reply()
        chances = {token: one for token, one in self.first_token.items() if one > _NEVER}
        if chances.keys().isdisjoint(self._wanted):
            empty = reply.stop is Stop.END and not reply.text.strip()
            final = bool(chances) or not empty  # it would come again
            first = ", ".join(repr(token[:_QUOTED]) for token in chances)
            problem = (
                f"it would begin with {first}, and with none of {', '.join(self._wanted)}"
                if chances
                else f"it reported no logprobs, but answered {reply.text[:_QUOTED]!r}"
            )
            raise Failure(problem, reply.usage, left=True, final=final)
        return Reply(json.dumps(chances), reply.usage)
