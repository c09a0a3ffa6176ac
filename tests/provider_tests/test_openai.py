from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests._later import Later
from tests.provider import LoopbackProvider, ProviderError, Reply, Request
from tests.provider_tests._clients import Clients, serving

from maxcode.budget import Stop

if TYPE_CHECKING:
    import openai
else:
    openai = Later("openai")

Served = tuple[LoopbackProvider, Clients]


def joined(chunks: list[openai.types.chat.ChatCompletionChunk], index: int = 0) -> str:
    return "".join(
        choice.delta.content or ""
        for chunk in chunks
        for choice in chunk.choices
        if choice.index == index
    )


def numbered(request: Request) -> Reply:
    return Reply(f"answer {request.sample}", thinking="hm" * request.sample)


def test_a_completion_comes_with_its_usage(served: Served) -> None:
    provider, clients = served
    completion = clients.completion("12345")
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (2, 8)
    assert completion.usage.total_tokens == 10
    assert (provider.charges[0].input, provider.charges[0].output) == (2, 8)


def test_the_script_sees_what_was_asked(served: Served) -> None:
    provider, clients = served
    messages = [
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    ]
    clients.completion(
        messages=messages, temperature=0.5, seed=3, n=2, max_tokens=7, reasoning_effort="low"
    )
    [request] = provider.requests
    assert (request.api, request.model, request.system) == ("openai", "gpt", "be brief")
    assert request.parts == ("a", "b")
    assert (request.temperature, request.seed, request.samples) == (0.5, 3, 2)
    assert (request.max_tokens, request.effort) == (7, "low")
    assert "a key" not in repr(request)


def test_choices_differ_by_sample_and_their_usage_is_added_up() -> None:
    with serving(numbered) as (provider, clients):
        completion = clients.completion(n=3)
        texts = [choice.message.content for choice in completion.choices]
        assert texts == ["answer 0", "answer 1", "answer 2"]
        assert completion.usage
        assert completion.usage.completion_tokens_details
        assert completion.usage.completion_tokens_details.reasoning_tokens == 0 + 1 + 1
        assert completion.usage.completion_tokens == 3 * 2 + 2
        assert provider.charges[0].output == 8


@pytest.mark.slow
def test_a_streamed_completion_is_the_same_as_a_whole_one() -> None:
    with serving(lambda request: f"{request.sample} " * 500) as (_, clients):
        whole, chunks = clients.completion(n=2), clients.chunks(n=2)
    assert joined(chunks, 0) == whole.choices[0].message.content
    assert joined(chunks, 1) == whole.choices[1].message.content
    assert chunks[-1].usage == whole.usage
    assert not any(chunk.usage for chunk in chunks[:-1])


def test_a_stream_tells_usage_only_where_asked(served: Served) -> None:
    _, clients = served
    assert not any(chunk.usage for chunk in clients.chunks(stream_options=None))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [(Reply("x" * 50), "length"), (Reply("", stop=Stop.REFUSED), "content_filter")],
)
def test_why_it_stopped_is_told(reply: Reply, reason: str) -> None:
    with serving(lambda _: reply) as (_, clients):
        choice = clients.completion(max_completion_tokens=10).choices[0]
        [last] = [c for chunk in clients.chunks(max_tokens=10) for c in chunk.choices][-1:]
    assert choice.finish_reason == last.finish_reason == reason
    assert len(choice.message.content or "") <= 40


@pytest.mark.parametrize("options", [{"messages": []}, {"n": 0}, {"max_completion_tokens": "many"}])
def test_what_the_api_does_not_take_is_refused(served: Served, options: dict[str, Any]) -> None:
    _, clients = served
    with pytest.raises(openai.BadRequestError) as caught:
        clients.completion(**options)
    assert caught.value.param == next(iter(options))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (401, "invalid_api_key", "AuthenticationError"),
        (404, "model_not_found", "NotFoundError"),
        (429, "rate_limit_exceeded", "RateLimitError"),
        (500, None, "InternalServerError"),
    ],
)
def test_errors_have_the_form_of_the_api(status: int, code: str | None, error: str) -> None:
    raised: type[openai.APIStatusError] = getattr(openai, error)

    def answer(request: Request) -> str:
        raise ProviderError(status, "no such thing", param="n")

    with serving(answer) as (_, clients), pytest.raises(raised) as caught:
        clients.completion()
    assert caught.value.code == code
    assert caught.value.param == "n"
    assert "no such thing" in str(caught.value)


def test_a_wrong_key_is_refused() -> None:
    with serving(key="right") as (_, clients), pytest.raises(openai.AuthenticationError):
        clients.completion()
