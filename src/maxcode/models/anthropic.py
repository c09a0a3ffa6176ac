"""AnthropicModel: Claude, through Anthropic's own SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, JsonValue

from maxcode.budget import Stop
from maxcode.errors import InputError
from maxcode.models.base import Prompt, Tokens, estimate
from maxcode.models.endpoint import short
from maxcode.models.prices import Price
from maxcode.models.remote import MIN_CACHED, RemoteModel
from maxcode.models.resilience import Limits
from maxcode.models.wire import Count, Draft, Failure, Optional, Order, Reply, Text, parsed

LOOK_BACK = 16
"""Parts between two breakpoints; from each, the cache is searched for 20 blocks backwards."""

_MIN_THINKING = 1024
_STOPS = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}


class AnthropicModel(RemoteModel):
    """A Claude model. The key is in ANTHROPIC_API_KEY, unless ``key`` names another variable.

    ``base_url`` is Anthropic's, or ANTHROPIC_BASE_URL; any other address is sent a key only with
    ``key``. ``max_tokens`` bounds an answer with its thinking. ``temperature`` None is
    the model's own; newer models take no other. ``thinking`` is a budget of tokens for extended
    thinking, for models up to Claude 4.6; newer ones think adaptively, as much as ``effort`` says
    ("low" to "max"). With neither, the model does what it does by default. Answers of more than
    8192 tokens are streamed, unless ``stream`` says otherwise. ``price`` None is looked up in the
    table. n samples are n requests. Where the prompt is long enough to be cached, the
    first goes ahead, and the others read what it wrote to the cache.

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
        stream: bool | None = None,
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
            stream=True if thinking and stream is None else stream,
            price=price,
            limits=limits,
        )

    def _load_sdk(self) -> Any:
        import anthropic  # noqa: PLC0415 - heavy

        return anthropic

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :meth:`maxcode.models.base.Model.parameters`."""
        return {**super().parameters(), "thinking": self.thinking}

    def first_goes_ahead(self, prompt: Prompt) -> bool:
        """Whether the constant parts are long enough to be cached for later requests."""
        stable = prompt.size - len(prompt.parts[-1].encode()) if prompt.parts else 0
        return estimate(stable) >= MIN_CACHED

    def _send(self, order: Order, *, stream: bool, timeout: Any) -> Any:
        parts = [part for part in order.prompt.parts if part.strip()]  # empty ones are refused
        marked = breakpoints(len(parts))
        content = [_block(part, marked=i in marked) for i, part in enumerate(parts)]
        body: dict[str, Any] = {"messages": [{"role": "user", "content": content}]}
        if order.prompt.system.strip():
            body["system"] = [_block(order.prompt.system, marked=True)]
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.thinking:  # a second attempt may have fewer tokens in all
            budget = min(self.thinking, order.max_tokens - 1)
            body["thinking"] = {"type": "enabled", "budget_tokens": budget}
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

    def least_tokens(self) -> int:
        """Thinking takes 1024 more."""
        return super().least_tokens() + (_MIN_THINKING if self.thinking else 0)


def breakpoints(parts: int) -> set[int]:
    """Indices of the parts that end the cache; the system prompt is always marked, and four are
    allowed.

    The first part (the task), the last constant part, and a part between them that moves on in
    steps of :data:`LOOK_BACK`: where the history grew by more parts than are searched backwards
    from the last, up to 34, the earlier cache may be found from there.
    """
    last = parts - 2
    if last < 0:
        return set()
    return {0, last // LOOK_BACK * LOOK_BACK, last}


def _block(text: str, *, marked: bool) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    if marked:
        block["cache_control"] = {"type": "ephemeral"}
    return block


class _Details(BaseModel):
    thinking_tokens: Count = 0


class _Usage(BaseModel):
    input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    output_tokens: Count | None = None
    output_tokens_details: Annotated[_Details | None, Optional] = None


class _Block(BaseModel):
    type: str
    text: str = ""


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: Annotated[str | None, Optional] = None
    usage: Annotated[_Usage | None, Optional] = None


class _Delta(BaseModel):
    text: str = ""
    thinking: str = ""
    stop_reason: Annotated[str | None, Optional] = None


class _Error(BaseModel):
    type: Text = ""
    message: Text = ""


class _Event(BaseModel):
    """An event of a stream; a whole message has the same form."""

    type: str
    message: _Message | None = None
    delta: _Delta | None = None
    usage: Annotated[_Usage | None, Optional] = None
    error: _Error | None = None


class _Draft(Draft):
    """A message as far as it came in (platform.claude.com/docs/en/build-with-claude/streaming)."""

    whole = False

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._texts: list[str] = []
        self._written = 0  # bytes of text and thinking
        self._stop: str | None = None
        self._usage = _Usage()

    def take(self, data: bytes) -> None:
        event = parsed(_Event, data)
        if event.type == "error":
            error = event.error or _Error()
            begun = self._usage.input_tokens is not None
            problem = f"the answer broke off: {short(error.message)} ({short(error.type)})"
            raise Failure(problem, left=begun)
        message = parsed(_Message, data) if event.type == "message" else event.message
        if event.type in ("message", "message_start") and message:
            self._texts = [block.text for block in message.content if block.type == "text"]
            self._written = sum(len(text.encode()) for text in self._texts)
            self._stop, self._usage = message.stop_reason, message.usage or _Usage()
        elif event.type != "message_stop":
            self._go_on(event)
        self.whole = self.whole or event.type in ("message", "message_stop")

    def _go_on(self, event: _Event) -> None:
        if event.delta:
            self._texts.append(event.delta.text)
            self._written += len(event.delta.text.encode()) + len(event.delta.thinking.encode())
            self._stop = event.delta.stop_reason or self._stop
        if event.usage:  # cumulative, and what it leaves out stays
            known = event.usage.model_dump(exclude_none=True, exclude={"output_tokens_details"})
            self._usage = self._usage.model_copy(update=known)
            if event.usage.output_tokens_details:
                self._usage.output_tokens_details = event.usage.output_tokens_details

    def reply(self) -> Reply:
        stop = _STOPS.get(self._stop or "", Stop.END)
        usage = self.used()
        return Reply("".join(self._texts), usage, stop, self.doubt)

    def used(self) -> Tokens:
        usage = self._usage
        output = usage.output_tokens or 0
        if not self.whole:
            output = max(output, self.estimated_output(self._written))
        thinking = usage.output_tokens_details.thinking_tokens if usage.output_tokens_details else 0
        reported = Tokens(
            input=usage.input_tokens or 0,
            cached=usage.cache_read_input_tokens or 0,
            written=usage.cache_creation_input_tokens or 0,
            output=output,
            thinking=thinking,
        )
        return self.believed(reported, self._written)
