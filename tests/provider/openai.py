"""OpenAI's API of chat completions: see https://developers.openai.com/api/docs/api-reference/chat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from math import log
from typing import Any

from tests.provider.messages import (
    Block,
    Choice,
    ProviderError,
    Request,
    Response,
    cut_to_tokens,
    to_bytes,
)
from tests.provider.wire import Wire, event, pieces, texts

from maxcode.budget import Stop

_DEFAULT_LIMIT = 4096
_STOPS = {Stop.END: "stop", Stop.LENGTH: "length", Stop.REFUSED: "content_filter"}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
_SYSTEM = ("system", "developer")
_FIRST = "0123456789"
_NEVER = -9999.0  # the API's own number for a token that is not among the likeliest


class OpenAIWire(Wire):
    """``POST /v1/chat/completions``: streaming, seeds, and log probabilities.

    Of the latter only those of an answer's first token are sent, and not in a stream.
    """

    api = "openai"
    overloaded = 503

    def read(self, number: int, body: Mapping[str, Any]) -> Request:
        """The request, checked as far as clients go wrong there."""
        blocks = [
            Block(str(turn.get("role")), block["text"])
            for turn in body["messages"]
            for block in texts(turn["content"])
        ]
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or _DEFAULT_LIMIT
        return Request(
            number=number,
            api=self.api,
            model=str(body.get("model", "")),
            system="".join(block.text for block in blocks if block.role in _SYSTEM),
            parts=tuple(block.text for block in blocks if block.role == "user"),
            blocks=tuple(blocks),
            body=body,
            max_tokens=limit,
            temperature=body.get("temperature"),
            seed=body.get("seed"),
            stream=bool(body.get("stream")),
        )

    def body(self, response: Response) -> dict[str, Any]:
        """A whole completion."""
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": response.choice.text, "refusal": None},
            "logprobs": _logprobs(response.request, response.choice),
            "finish_reason": _STOPS[response.choice.stop],
        }
        head = _head(response, "chat.completion")
        return {**head, "choices": [choice], "usage": _usage(response)}

    def events(self, response: Response) -> Iterator[bytes]:
        """Chunks of the text, then the usage if asked for, then ``[DONE]``."""
        head = _head(response, "chat.completion.chunk")
        options = response.request.body.get("stream_options") or {}
        with_usage = {"usage": None} if options.get("include_usage") else {}

        def chunk(delta: dict[str, Any], stop: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": stop, "logprobs": None}
            return event({**head, "choices": [choice], **with_usage})

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(response.choice.text):
            yield chunk({"content": piece})
        yield chunk({}, _STOPS[response.choice.stop])
        if with_usage:
            yield event({**head, "choices": [], "usage": _usage(response)})
        yield b"data: [DONE]\n\n"

    def error(self, error: ProviderError) -> dict[str, Any]:
        """``{"error": {"message", "type", "param", "code"}}``."""
        kind = "server_error" if error.status >= 500 else "invalid_request_error"
        return {
            "error": {
                "message": error.message,
                "type": error.kind or kind,
                "param": error.param,
                "code": _CODES.get(error.status),
            }
        }

    def error_event(self, error: ProviderError) -> bytes:
        """The same, as data."""
        return event(self.error(error))


def _logprobs(request: Request, choice: Choice) -> dict[str, Any] | None:
    """Of the first token, and of the likeliest instead of it."""
    if not request.body.get("logprobs"):
        return None
    known = _drawn(request) if choice.logprobs is None else choice.logprobs
    likeliest = sorted(known.items(), key=lambda item: -item[1])
    token = cut_to_tokens(choice.text, 1)
    first = {
        **_alternative(token, known.get(token, _NEVER)),
        "top_logprobs": [
            _alternative(*item) for item in likeliest[: request.body.get("top_logprobs") or 0]
        ],
    }
    return {"content": [first] if token else [], "refusal": None}


def _drawn(request: Request) -> dict[str, float]:
    """Chances of ten digits: the same for the same prompt."""
    asked = repr((request.system, request.parts))
    weights = [byte + 1 for byte in hashlib.sha256(to_bytes(asked)).digest()[: len(_FIRST)]]
    return {
        token: log(weight / sum(weights)) for token, weight in zip(_FIRST, weights, strict=True)
    }


def _alternative(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(to_bytes(token))}


def _head(response: Response, kind: str) -> dict[str, Any]:
    number = response.request.number
    return {
        "id": f"chatcmpl-{number:08}",
        "object": kind,
        "created": 1_700_000_000 + number,
        "model": response.request.model,
    }


def _usage(response: Response) -> dict[str, Any]:
    prompt = response.input + response.cached + response.written
    output, thought = response.choice.output, response.choice.thought
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": response.cached},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
