"""OpenAIModel: OpenAI, and whatever speaks its chat completions, through OpenAI's own SDK."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from pydantic import JsonValue

from maxcode.budget import Stop
from maxcode.models.base import Tokens
from maxcode.models.endpoint import error_message, says_too_long, short
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel
from maxcode.models.resilience import Limits
from maxcode.models.wire import Draft, Failure, Order, Reply, count_of, parsed, part, text_of
from maxcode.redaction import SECRETS

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


class Completion(Draft):
    """A completion as far as it came in."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._first: list[Any] = []  # possible first tokens with their log probabilities
        self._usage: Any = None

    def take(self, data: bytes) -> None:
        """See :class:`~maxcode.models.wire.Draft`."""
        if data == b"[DONE]":
            self.whole = bool(self.texts)
            return
        chunk = parsed(data)
        if error := chunk.get("error"):
            message = text_of(error, "message") or str(error)
            raise Failure(f"the answer broke off: {short(message)}", left=True)
        if isinstance(choice := part(chunk, "choices", 0), dict):  # a single one was asked for
            self._add(choice)
        self._usage = chunk.get("usage") or self._usage

    def _add(self, choice: dict[str, Any]) -> None:
        message = choice.get("message") or choice.get("delta")
        if not isinstance(part(message, "content"), str | None):
            raise ValueError("content that is no text")
        refusal = text_of(message, "refusal")
        self.texts.append(text_of(message, "content") + refusal)
        thought = text_of(message, "reasoning_content") or text_of(message, "reasoning")
        self.written += len(self.texts[-1].encode()) + len(thought.encode())
        finish = text_of(choice, "finish_reason")
        if finish and self.stop is not Stop.REFUSED:
            self.stop = _STOPS.get(finish, Stop.END)
        self.stop = Stop.REFUSED if refusal else self.stop
        self._first = self._first or part(choice, "logprobs", "content", 0, "top_logprobs") or []
        self.whole |= bool(finish or choice.get("message"))  # whatever it says of why it ended

    def reply(self) -> Reply:
        """See :class:`~maxcode.models.wire.Draft`."""
        reply = super().reply()
        return replace(reply, text=_THOUGHTS.sub("", reply.text, count=1))

    @property
    def first_token(self) -> Mapping[str, float]:
        """Log probabilities of the possible first tokens, if reported.

        Of tokens with the same text, such as parts of a character, the likeliest counts.
        """
        chances: dict[str, float] = {}
        for one in self._first if isinstance(self._first, list) else ():
            token, logprob = SECRETS.redact(text_of(one, "token")), part(one, "logprob")
            if isinstance(logprob, int | float):
                chances[token] = max(logprob, chances.get(token, logprob))
        return chances

    def reported(self) -> Tokens:
        """See :class:`~maxcode.models.wire.Draft`."""
        usage = self._usage
        prompt, output = count_of(usage, "prompt_tokens"), count_of(usage, "completion_tokens")
        cached = count_of(usage, "prompt_tokens_details", "cached_tokens")
        written = count_of(usage, "prompt_tokens_details", "cache_write_tokens")
        if cached + written > prompt:  # then nothing says what was cheaper
            cached = written = 0
        thinking = count_of(usage, "completion_tokens_details", "reasoning_tokens")
        return Tokens(prompt - cached - written, cached, written, output, thinking)


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
