"""OpenAIModel: OpenAI, and whatever speaks its chat completions, through OpenAI's own SDK."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, JsonValue

from maxcode.calls import Stop
from maxcode.errors import ToolError
from maxcode.models.clients import Clients
from maxcode.models.endpoint import find_endpoint, prompt_too_long, said_by
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel, Response
from maxcode.models.resilience import Limits
from maxcode.models.tokens import Tokens, estimate
from maxcode.models.wire import Choice, Draft, Failure, Order, Reply, Split, parsed

ADDRESS = "https://api.openai.com/v1"

_STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}
_CAPS = ("max_completion_tokens", "max_tokens")  # OpenAI's own name, and the one that others know
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)  # as servers without a parser do
_OPTIONAL = ("n", "seed", "stream_options", "prompt_cache_key")


class OpenAIModel(RemoteModel):
    """A model behind chat completions: OpenAI, vLLM, SGLang, Ollama, OpenRouter, ...

    ``base_url`` is OpenAI, or what OPENAI_BASE_URL says, with the key in OPENAI_API_KEY. ``key``
    names another variable; any other address is sent a key only if it does. ``max_tokens`` bounds
    an answer with its reasoning; OpenAI is told so as max_completion_tokens, others as max_tokens.
    ``effort`` is the reasoning_effort of models that reason. n samples are one request where the
    server lets them be. What a server does not know (n, seed, stream_options, ...) is left out
    after it said so once. Where it does not tell its usage, that is estimated. The other arguments
    and the errors are those of :class:`~maxcode.models.anthropic.AnthropicModel`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        max_tokens: int = 16_384,
        temperature: float | None = None,
        effort: str | None = None,
        stream: bool | None = None,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        try:
            import httpx2  # noqa: PLC0415
            import openai  # noqa: PLC0415 - heavy
        except ImportError as error:
            raise ToolError(
                "OpenAI's SDK is not installed: pip install 'maxcode[openai]'"
            ) from error
        endpoint = find_endpoint(
            base_url,
            standard=ADDRESS,
            url_variable="OPENAI_BASE_URL",
            key_variable="OPENAI_API_KEY",
            key=key,
        )
        name = f"openai:{model}"
        super().__init__(
            name if endpoint.url == ADDRESS else f"{name}@{endpoint.url}",
            endpoint,
            max_tokens=max_tokens,
            stream=stream,
            price=price,
            limits=limits,
        )
        self.model = model
        self.temperature = temperature
        self.effort = effort
        host = f".{urlsplit(endpoint.url).hostname}"
        self._is_openai = host.endswith(".api.openai.com")
        self._caps = _CAPS if self._is_openai else _CAPS[::-1]
        self._swapped = False
        self._unknown: set[str] = set()  # what the server said it does not know; it only grows
        self._sdk, self._client = openai, openai.OpenAI
        self._broken = (httpx2.HTTPError, ValueError)
        self._clients = Clients(self._connected)

    def _connected(self) -> Any:
        client = super()._connected()
        client.admin_api_key = None  # the SDK reads more from the environment than is wanted
        if not self._is_openai:
            client.organization = client.project = None
        return client

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :meth:`maxcode.models.base.Model.parameters`."""
        return {
            "base_url": self.endpoint.url,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "effort": self.effort,
        }

    def requests(self, samples: Sequence[int]) -> list[tuple[int, ...]]:
        """All samples in one request where the server gives several at once."""
        return super().requests(samples) if "n" in self._unknown else [tuple(samples)]

    def attempt(self, order: Order) -> Reply:
        """See :meth:`RemoteModel.attempt`; notes it when the server overlooks ``n``."""
        reply = super().attempt(order)
        if len(reply.choices) < order.n:
            self._unknown.add("n")
        return reply

    def _send(self, client: Any, order: Order, *, stream: bool) -> AbstractContextManager[Response]:
        messages = [{"role": "user", "content": order.prompt.user}]
        if order.prompt.system:
            messages.insert(0, {"role": "system", "content": order.prompt.system})
        body: dict[str, Any] = {
            "messages": messages,
            self._caps[0]: order.max_tokens,
            "temperature": self.temperature,
            "reasoning_effort": self.effort,
            "seed": order.seed,
            "n": order.n if order.n > 1 else None,
            "stream_options": {"include_usage": True} if stream else None,
        }
        if self._is_openai:  # requests of a run go to the machine that has their beginning cached
            beginning = repr((order.prompt.system, order.prompt.parts[:1]))
            body["prompt_cache_key"] = hashlib.sha256(beginning.encode()).hexdigest()[:32]
        response: AbstractContextManager[Response] = (
            client.chat.completions.with_streaming_response.create(
                model=self.model,
                messages=[],
                stream=stream,
                extra_body={  # as typed arguments it takes the SDK a third of all its time
                    name: value
                    for name, value in body.items()
                    if value is not None and name not in self._unknown
                },
            )
        )
        return response

    def _draft(self, order: Order) -> Draft:
        return _Draft(order)

    def _mended(self, error: Any) -> bool:
        said = said_by(error.body) or str(error.message)
        if error.status_code not in (400, 422) or prompt_too_long(said):
            return False
        sent = json.loads(error.request.content)
        refused = {name for name in (*_OPTIONAL, *_CAPS) if name in sent and _is_named(name, said)}
        if "n" in refused:
            self._unknown.add("n")
            raise Split
        if self._caps[0] in refused and not self._swapped:
            self._caps, self._swapped = self._caps[::-1], True
            return True
        # What another thread has swapped or left out meanwhile is not in the next request.
        self._unknown |= refused.intersection(_OPTIONAL)
        return bool(refused - {self._caps[0]})


def _is_named(name: str, said: str) -> bool:
    if name == "n":  # which is a word in messages
        return re.search(r"""['"`]n['"`]""", said) is not None
    return re.search(rf"\b{name}\b", said) is not None


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


class _Choice(BaseModel):
    index: int = 0
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


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

    def add(self, choice: _Choice) -> None:
        message = choice.message or choice.delta or _Message()
        self.parts.append((message.content or "") + (message.refusal or ""))
        self.refused |= bool(message.refusal)
        thought = message.reasoning_content or message.reasoning or ""
        self.written += len(self.parts[-1].encode()) + len(thought.encode())
        self.finish = choice.finish_reason or self.finish

    @property
    def choice(self) -> Choice:
        stop = Stop.REFUSED if self.refused else _STOPS.get(self.finish or "", Stop.END)
        return Choice(_THOUGHTS.sub("", "".join(self.parts), count=1), stop)


class _Draft(Draft):
    """A completion as far as it came in."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._texts: dict[int, _Text] = {}
        self._usage: _Usage | None = None
        self._done = False

    @property
    def whole(self) -> bool:
        finished = all(text.finish for text in self._texts.values())
        return bool(self._texts) and (self._done or finished)

    def take(self, data: bytes) -> None:
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
        return Reply(tuple(self._texts[i].choice for i in sorted(self._texts)), self.used())

    def used(self) -> Tokens:
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
