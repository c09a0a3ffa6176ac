"""Anthropic's messages API: https://platform.claude.com/docs/en/api/messages"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.provider.messages import (
    Block,
    Choice,
    ProviderError,
    Request,
    Response,
)
from tests.provider.wire import Wire, event, pieces, texts

from maxcode.budget import Stop

_MAX_MARKS = 4
_STOPS = {Stop.END: "end_turn", Stop.LENGTH: "max_tokens", Stop.REFUSED: "refusal"}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class AnthropicWire(Wire):
    """``POST /v1/messages``, with streaming, thinking and prompt caching."""

    api = "anthropic"
    overloaded = 529

    def key(self, headers: Mapping[str, str]) -> str:
        """From ``x-api-key``, or ``authorization`` as newer SDKs send it."""
        return headers.get("x-api-key") or super().key(headers)

    def read(self, number: int, body: Mapping[str, Any]) -> Request:
        """The request, checked as far as clients go wrong there."""
        limit = int(body["max_tokens"])
        system = _blocks("system", texts(body.get("system") or []))
        turns = [
            _blocks(str(turn.get("role")), texts(turn["content"])) for turn in body["messages"]
        ]
        blocks = system + [block for turn in turns for block in turn]
        marks = sum(block.marked for block in blocks)
        if marks > _MAX_MARKS:
            raise ProviderError(
                400,
                f"A maximum of {_MAX_MARKS} blocks with cache_control may be provided. "
                f"Found {marks}.",
            )
        thinking = _thinking(body.get("thinking") or {}, limit)
        return Request(
            number=number,
            api=self.api,
            model=str(body.get("model", "")),
            system="".join(block.text for block in system),
            parts=tuple(block.text for block in blocks if block.role == "user"),
            blocks=tuple(blocks),
            body=body,
            max_tokens=limit,
            temperature=body.get("temperature"),
            thinking=thinking,
            stream=bool(body.get("stream")),
        )

    def body(self, response: Response) -> dict[str, Any]:
        """A whole message."""
        choice = response.choice
        return {
            **_head(response),
            "content": _content(choice),
            "stop_reason": _STOPS[choice.stop],
            "usage": _usage(response, choice.output, choice.thought),
        }

    def events(self, response: Response) -> Iterator[bytes]:
        """From ``message_start`` to ``message_stop``."""
        choice = response.choice
        start = {**_head(response), "content": [], "usage": _usage(response, 0, 0)}
        yield _event("message_start", {"message": start})
        yield _event("ping", {})
        for index, block in enumerate(_content(choice)):
            kind = block["type"]
            empty = {**block, kind: ""} | ({"signature": ""} if kind == "thinking" else {})
            yield _event("content_block_start", {"index": index, "content_block": empty})
            for piece in pieces(block[kind]):
                delta = {"type": f"{kind}_delta", kind: piece}
                yield _event("content_block_delta", {"index": index, "delta": delta})
            if kind == "thinking":
                delta = {"type": "signature_delta", "signature": block["signature"]}
                yield _event("content_block_delta", {"index": index, "delta": delta})
            yield _event("content_block_stop", {"index": index})
        end = {
            "delta": {"stop_reason": _STOPS[choice.stop], "stop_sequence": None},
            "usage": _usage(response, choice.output, choice.thought),
        }
        yield _event("message_delta", end)
        yield _event("message_stop", {})

    def error(self, error: ProviderError) -> dict[str, Any]:
        """``{"type": "error", "error": {"type", "message"}}``."""
        kind = error.kind or _KINDS.get(error.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": error.message}}

    def error_event(self, error: ProviderError) -> bytes:
        """The same, as an event named ``error``."""
        return event(self.error(error), "error")


def _blocks(role: str, contents: list[dict[str, Any]]) -> list[Block]:
    blocks = [Block(role, block["text"], bool(block.get("cache_control"))) for block in contents]
    if not all(block.text for block in blocks):
        raise ProviderError(400, f"{role}: text content blocks must be non-empty")
    return blocks


def _thinking(thinking: Mapping[str, Any], limit: int) -> int:
    if thinking.get("type") != "enabled":
        return limit if thinking.get("type") == "adaptive" else 0
    return int(thinking["budget_tokens"])


def _head(response: Response) -> dict[str, Any]:
    return {
        "id": f"msg_{response.request.number:08}",
        "type": "message",
        "role": "assistant",
        "model": response.request.model,
        "stop_reason": None,
        "stop_sequence": None,
    }


def _content(choice: Choice) -> list[dict[str, Any]]:
    thinking = {"type": "thinking", "thinking": choice.thinking, "signature": "c2lnbmVk"}
    text = {"type": "text", "text": choice.text}
    return [thinking] * bool(choice.thinking) + [text] * bool(choice.text)


def _usage(response: Response, output: int, thought: int) -> dict[str, Any]:
    return {
        "input_tokens": response.input,
        "cache_read_input_tokens": response.cached,
        "cache_creation_input_tokens": response.written,
        "output_tokens": output,
        "output_tokens_details": {"thinking_tokens": thought},
    }


def _event(name: str, content: dict[str, Any]) -> bytes:
    return event({"type": name, **content}, name)
