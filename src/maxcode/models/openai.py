"""OpenAIModel: OpenAI, and whatever speaks its chat completions, through OpenAI's own SDK."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import urlsplit

from pydantic import JsonValue

from maxcode.errors import ToolError
from maxcode.models.endpoint import Clients, find_endpoint, prompt_too_long, said_by
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel, Response
from maxcode.models.resilience import Limits
from maxcode.models.wire import Choice, Completion, Draft, Failure, Order, Reply, Split

ADDRESS = "https://api.openai.com/v1"

_CAPS = ("max_completion_tokens", "max_tokens")  # OpenAI's own name, and the one that others know
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
        response: AbstractContextManager[Response] = (
            client.chat.completions.with_streaming_response.create(
                model=self.model,
                messages=[],
                stream=stream,
                extra_body={  # as typed arguments it takes the SDK a third of all its time
                    name: value
                    for name, value in self._body(order, stream=stream).items()
                    if value is not None and name not in self._unknown
                },
            )
        )
        return response

    def _body(self, order: Order, *, stream: bool) -> dict[str, Any]:
        """What is sent, beside the model's name; what is None is left out."""
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
        return body

    def _draft(self, order: Order) -> Draft:
        return Completion(order)

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


_QUOTED = 40  # characters of an answer that is of no use
_NEVER = -500.0  # servers have such a number for what cannot be


class FirstTokenModel(OpenAIModel):
    """A model behind chat completions that tells ``logprobs``: vLLM, SGLang, OpenAI, ...

    The text of an answer is a JSON object: of each of the likeliest first tokens the natural
    logarithm of its chance. An answer that tells of none of ``tokens`` is of no use. Only one token
    is asked for, so models that think first are of none, either. ``top_logprobs`` is how many
    tokens are told of, at most 20 with most servers. The other arguments and the errors are those
    of :class:`~maxcode.models.openai.OpenAIModel`.
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
            temperature=1.0,  # some servers apply it to what they tell
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
        told = {"logprobs": True, "top_logprobs": self.top_logprobs}
        return {**super()._body(order, stream=stream), **told}

    def _draft(self, order: Order) -> Draft:
        return _Tokens(order, self.tokens)


class _Tokens(Completion):
    """A completion of which only the first token counts."""

    def __init__(self, order: Order, wanted: Collection[str]) -> None:
        super().__init__(order)
        self._wanted = wanted

    def reply(self) -> Reply:
        reply = super().reply()
        told = [
            {token: chance for token, chance in chances.items() if chance > _NEVER}
            for chances in self.first_tokens
        ]
        for choice, chances in zip(reply.choices, told, strict=True):
            if chances.keys().isdisjoint(self._wanted):
                final = bool(chances) or not choice.empty  # it would come again
                raise Failure(self._problem(choice, chances), reply.usage, final=final)
        return Reply(tuple(Choice(json.dumps(chances)) for chances in told), reply.usage)

    def _problem(self, choice: Choice, chances: Mapping[str, float]) -> str:
        if not chances:
            return f"it told no logprobs, but answered {choice.text[:_QUOTED]!r}"
        first = ", ".join(repr(token[:_QUOTED]) for token in chances)
        return f"it would begin with {first}, and with none of {', '.join(self._wanted)}"
