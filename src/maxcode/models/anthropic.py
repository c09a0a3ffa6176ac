"""AnthropicModel: Claude, through Anthropic's own SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from maxcode.budget import Stop
from maxcode.errors import InputError
from maxcode.models.base import Tokens
from maxcode.models.endpoint import short
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel
from maxcode.models.resilience import Limits
from maxcode.models.wire import Draft, Failure, Order, count_of, parsed, part, text_of

_MIN_THINKING = 1024
_STOPS = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}


class AnthropicModel(RemoteModel):
    """A Claude model. The key is in ANTHROPIC_API_KEY, unless ``key`` names another variable.

    ``base_url`` is Anthropic's, or ANTHROPIC_BASE_URL; any other address is sent a key only with
    ``key``. ``max_tokens`` bounds an answer with its thinking. ``temperature`` None is the model's
    own; newer models take no other. ``thinking`` is a budget of tokens for extended thinking, for
    models up to Claude 4.6; newer ones think adaptively, as much as ``effort`` says ("low" to
    "max"). With neither, the model does what it does by default. ``stream`` False asks for whole
    answers. ``price`` None is looked up in the table. n samples are n requests. Where the prompt is
    long enough to be cached, the first goes ahead, and the others read what it wrote to the cache.

    Raises :class:`~maxcode.errors.InputError` for a missing key or a setting that cannot be, and
    :class:`~maxcode.errors.ToolError` where the SDK is not installed.
    """

    company = "Anthropic"
    address = "https://api.anthropic.com"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        max_tokens: int = 16_384,
        temperature: float | None = None,
        thinking: int = 0,
        effort: str | None = None,
        stream: bool = True,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        if (thinking or effort) and temperature not in (None, 1.0):
            raise InputError(
                f"anthropic:{model}: models that think take no temperature; leave one out"
            )
        if thinking and effort:
            raise InputError(
                f"anthropic:{model}: give thinking (older models) or effort (newer), not both"
            )
        if thinking and not _MIN_THINKING <= thinking < max_tokens:
            raise InputError(
                f"anthropic:{model}: thinking={thinking} must be at least {_MIN_THINKING}, "
                f"and below max_tokens={max_tokens}"
            )
        self.thinking = thinking
        super().__init__(
            model,
            base_url=base_url,
            key=key,
            max_tokens=max_tokens,
            temperature=temperature,
            effort=effort,
            stream=stream,
            price=price,
            limits=limits,
        )

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :meth:`maxcode.models.base.Model.parameters`."""
        return {**super().parameters(), "thinking": self.thinking}

    def _send(self, order: Order, *, stream: bool, timeout: Any) -> Any:
        parts = [part for part in order.prompt.parts if part.strip()]  # empty ones are refused
        marked = (0, len(parts) - 2) if len(parts) > 1 else ()  # the task, and all but the question
        content = [_block(part, marked=i in marked) for i, part in enumerate(parts)]
        body: dict[str, Any] = {"messages": [{"role": "user", "content": content}]}
        if order.prompt.system.strip():
            body["system"] = [_block(order.prompt.system, marked=True)]
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.thinking:
            body["thinking"] = {"type": "enabled", "budget_tokens": self.thinking}
        if self.effort:
            body["thinking"] = {"type": "adaptive"}
            body["output_config"] = {"effort": self.effort}
        return self._client.messages.with_streaming_response.create(
            model=self.model,
            max_tokens=order.max_tokens,
            messages=[],
            stream=stream,
            timeout=timeout,
            extra_body=body,  # it is spared the SDK's conversion of typed arguments
        )

    def _draft(self, order: Order) -> Draft:
        return _Draft(order)


def _block(text: str, *, marked: bool) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    if marked:
        block["cache_control"] = {"type": "ephemeral"}
    return block


class _Draft(Draft):
    """A message as far as it came in (platform.claude.com/docs/en/build-with-claude/streaming)."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._usage: dict[str, Any] = {}

    def take(self, data: bytes) -> None:
        event = parsed(data)
        kind = event.get("type")
        if kind == "error":
            said, name = text_of(event, "error", "message"), text_of(event, "error", "type")
            problem = f"the answer broke off: {short(said)} ({short(name)})"
            raise Failure(problem, left="input_tokens" in self._usage)
        message = event if kind == "message" else event.get("message")
        if kind in ("message", "message_start") and isinstance(message, dict):
            blocks = message["content"] if isinstance(message.get("content"), list) else [None]
            if not all(isinstance(part(block, "type"), str) for block in blocks):
                raise ValueError("content that is no list of blocks")
            self.texts = [text_of(one, "text") for one in blocks if part(one, "type") == "text"]
            self.written = sum(len(text.encode()) for text in self.texts)
        elif kind != "message_stop":
            message, delta = event, event.get("delta")
            self.texts.append(text_of(delta, "text"))
            self.written += len(self.texts[-1].encode())
            self.written += len(text_of(delta, "thinking").encode())
        stop = text_of(message, "stop_reason") or text_of(message, "delta", "stop_reason")
        self.stop = _STOPS.get(stop, Stop.END) if stop else self.stop
        usage = part(message, "usage")
        if isinstance(usage, dict):  # cumulative, and what it leaves out stays
            self._usage |= {name: count for name, count in usage.items() if count is not None}
        self.whole = self.whole or kind in ("message", "message_stop")

    def reported(self) -> Tokens:
        usage, output = self._usage, count_of(self._usage, "output_tokens")
        if not self.whole:
            output = max(output, self.estimated_output)
        return Tokens(
            input=count_of(usage, "input_tokens"),
            cached=count_of(usage, "cache_read_input_tokens"),
            written=count_of(usage, "cache_creation_input_tokens"),
            output=output,
            thinking=count_of(usage, "output_tokens_details", "thinking_tokens"),
        )
