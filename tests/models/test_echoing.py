"""A server that echoes the key it is sent in every field: nobody behind the client sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from tests.models._remote import PROMPT, limits

from maxcode.budget import Answer
from maxcode.errors import ModelError
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.openai import OpenAIModel
from maxcode.models.remote import RemoteModel

KEY = "key-0123/4567+89abcdef" + "x" * 40
"""Longer than what is quoted of odd answers."""

Written = tuple[int, dict[str, str], bytes]
"""A status, headers and a body, made of the key and of whether a stream was asked for."""

Echo = Callable[[str, bool], Written]


def sse(*events: Any) -> bytes:
    lines = (one if isinstance(one, str) else json.dumps(one) for one in events)
    return b"".join(f"data: {line}\n\n".encode() for line in lines)


def halves(key: str) -> tuple[str, str]:
    return key[: len(key) // 2], key[len(key) // 2 :]


def completion(key: str, stream: bool) -> Written:
    """OpenAI's wire: every text of a chunk, and the content in pieces."""
    head = {"id": key, "object": key, "model": key, "system_fingerprint": key, "service_tier": key}
    usage = {"prompt_tokens": key, "completion_tokens": key, key: key}
    logprobs = {"content": [{"token": key, "logprob": 0.0, "top_logprobs": []}], "refusal": key}
    texts = {"role": key, "reasoning": key, "reasoning_content": key}

    def choice(name: str, text: str) -> dict[str, Any]:
        said = {**texts, "content": f"a {text}", "refusal": None}
        return {"index": 0, name: said, "finish_reason": key, "logprobs": logprobs}

    if not stream:
        return (
            200,
            {},
            json.dumps({**head, "choices": [choice("message", key)], "usage": usage}).encode(),
        )
    pieces = [choice("delta", text) for text in (*halves(key), key)]
    pieces[1]["delta"]["content"] = halves(key)[1]
    return (
        200,
        {},
        sse(
            *({**head, "choices": [one]} for one in pieces),
            {**head, "choices": [], "usage": usage},
            "[DONE]",
        ),
    )


def message(key: str, stream: bool) -> Written:
    """Anthropic's wire."""
    usage = {"input_tokens": key, "output_tokens": key}
    whole = {
        "id": key,
        "type": "message",
        "model": key,
        "role": key,
        "stop_reason": key,
        "stop_sequence": key,
        "content": [{"type": "thinking", "thinking": key, "signature": key}],
        "usage": usage,
    }
    if not stream:
        content = [{"type": "text", "text": f"a {key}"}, {"type": "text", "text": f"b {key}"}]
        return 200, {}, json.dumps({**whole, "content": content}).encode()
    pieces = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        for text in ("a ", *halves(key), f" b {key}")
    ]
    return (
        200,
        {},
        sse(
            {"type": "message_start", "message": {**whole, "content": []}},
            {"type": "ping", "id": key},
            *pieces,
            {"type": "message_delta", "delta": {"stop_reason": key}, "usage": usage},
            {"type": "message_stop"},
        ),
    )


def error_of(status: int) -> Echo:
    """An error with the key in each field, and in headers that clients read."""

    def echo(key: str, stream: bool) -> Written:
        error = {"message": f"bad key {key}", "type": key, "param": key, "code": key, "n_ctx": key}
        headers = {
            "retry-after": key,
            "retry-after-ms": key,
            "x-should-retry": key,
            "request-id": key,
        }
        return (
            status,
            headers,
            json.dumps({"type": "error", "error": error, "message": key}).encode(),
        )

    return echo


def page(key: str, stream: bool) -> Written:
    return 502, {"content-type": "text/html"}, f"<h1>{key}</h1>".encode()


def moved(key: str, stream: bool) -> Written:
    return 302, {"location": f"/elsewhere?key={key}"}, b""


def broken(key: str, stream: bool) -> Written:
    return 200, {}, sse(f'{{"choices": "{key}') if stream else f'{{"choices": "{key}'.encode()


def streamed_error(key: str, stream: bool) -> Written:
    error = {"type": "error", "error": {"message": f"no: {key}", "type": key, "code": key}}
    begun = {
        "type": "message_start",
        "message": {"content": [], "usage": {"input_tokens": 3}},
        "choices": [],
    }
    return 200, {}, sse(begun, error) if stream else json.dumps(error).encode()


@contextmanager
def echoing(*echoes: Echo) -> Iterator[str]:
    """A server that answers each request by what the next makes of the key that it was sent.

    Gives its address.
    """
    rest = iter(echoes)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            sent = self.headers.get("x-api-key") or self.headers["authorization"].split()[1]
            assert sent == KEY
            status, headers, body = next(rest)(sent, bool(asked.get("stream")))
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


ONCE = limits(attempts=1, timeout=5.0)


def asked(model: RemoteModel) -> tuple[list[Answer], str]:
    """What comes of a request: answers, and the error that is shown with all that led to it."""
    answers: list[Answer] = []
    try:
        answers.extend(model.sample(PROMPT, [0], request="r", seed=0))
    except ModelError as error:
        return answers, str(error)
    return answers, ""


def check_hidden(answers: list[Answer], error: str) -> None:
    """No piece of the key that is worth anything is left, and something was said in its place."""
    text = f"{[(one.text, one.call, one.stop) for one in answers]}{error}"
    assert text
    for piece in (KEY, KEY[:12], KEY[-12:], "0123/4567"):
        assert piece not in text


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHOED_KEY", KEY)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(
    ("kind", "echo"),
    [(OpenAIModel, completion), (AnthropicModel, message)],
    ids=["openai", "anthropic"],
)
def test_an_answer_has_no_key_in_it(kind: type[RemoteModel], echo: Echo, stream: bool) -> None:
    with (
        echoing(echo) as url,
        kind("m", base_url=url, key="ECHOED_KEY", stream=stream, limits=ONCE) as model,
    ):
        answers, error = asked(model)
    check_hidden(answers, error)
    assert [one.call.problem for one in answers] == [""]
    text = answers[0].text
    assert text in (
        "a [redacted]",
        "a [redacted]a [redacted]",
        "a [redacted] b [redacted]",
        "a [redacted]b [redacted]",
    )


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("kind", [OpenAIModel, AnthropicModel], ids=["openai", "anthropic"])
def test_no_failure_names_the_key(kind: type[RemoteModel], stream: bool) -> None:
    refused = map(error_of, (400, 401, 403, 404, 413, 429, 500))
    echoes = [*refused, page, moved, broken, streamed_error]
    with (
        echoing(*echoes) as url,
        kind("m", base_url=url, key="ECHOED_KEY", stream=stream, limits=ONCE) as model,
    ):
        for echo in echoes:
            answers, error = asked(model)
            assert error or answers[0].call.problem, echo
            check_hidden(answers, error)
