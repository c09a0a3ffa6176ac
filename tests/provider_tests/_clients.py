"""Clients of a loopback provider, as tests need them."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from tests._later import Later
from tests.provider import LoopbackProvider, ProviderProcess

if TYPE_CHECKING:
    import anthropic
    import openai
else:
    anthropic, openai = Later("anthropic"), Later("openai")

MESSAGES = "/v1/messages"
COMPLETIONS = "/v1/chat/completions"


class Clients:
    """The real SDKs, pointed at a provider; they try once."""

    def __init__(self, provider: LoopbackProvider | ProviderProcess, key: str = "a key") -> None:
        self.anthropic = anthropic.Anthropic(
            base_url=provider.anthropic_url, api_key=key, max_retries=0
        )
        self.openai = openai.OpenAI(base_url=provider.openai_url, api_key=key, max_retries=0)

    def message(self, *parts: Any, **options: Any) -> anthropic.types.Message:
        given: dict[str, Any] = {"model": "claude", "max_tokens": 1000, **options}
        content: Any = list(parts) or "hello"
        message: anthropic.types.Message = self.anthropic.messages.create(
            messages=[{"role": "user", "content": content}], **given
        )
        return message

    def streamed_message(self, **options: Any) -> anthropic.types.ParsedMessage[None]:
        given: dict[str, Any] = {"model": "claude", "max_tokens": 1000, **options}
        with self.anthropic.messages.stream(
            messages=[{"role": "user", "content": "hello"}], **given
        ) as stream:
            return stream.get_final_message()

    def completion(self, text: str = "hello", **options: Any) -> openai.types.chat.ChatCompletion:
        completion: openai.types.chat.ChatCompletion = self.openai.chat.completions.create(
            **{"model": "gpt", "messages": [{"role": "user", "content": text}], **options}
        )
        return completion

    def chunks(self, **options: Any) -> list[openai.types.chat.ChatCompletionChunk]:
        return list(
            self.openai.chat.completions.create(
                **{
                    "model": "gpt",
                    "messages": [{"role": "user", "content": "hello"}],
                    "stream": True,
                    "stream_options": {"include_usage": True},
                    **options,
                }
            )
        )

    def close(self) -> None:
        self.anthropic.close()
        self.openai.close()


@contextmanager
def serving(*arguments: Any, **options: Any) -> Iterator[tuple[LoopbackProvider, Clients]]:
    """A provider and the SDKs' clients for it."""
    with (
        LoopbackProvider(*arguments, **options) as provider,
        closing(Clients(provider)) as clients,
    ):
        yield provider, clients


def raw(provider: LoopbackProvider, path: str, **options: Any) -> bytes:
    """All bytes that come back for a request, until the provider hangs up."""
    body = json.dumps(
        {
            "model": "m",
            "max_tokens": 1000,
            "messages": [{"role": "user", "content": "hello"}],
            **options,
        }
    ).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {len(body)}\r\n"
    )
    with socket.create_connection(("127.0.0.1", provider.port), timeout=10) as connection:
        connection.sendall(head.encode() + b"\r\n" + body)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    return received
