from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests._later import Later
from tests.provider import LoopbackProvider, ProviderError, Reply, Request
from tests.provider_tests._clients import Clients, serving

from maxcode.budget import Stop

if TYPE_CHECKING:
    import anthropic
else:
    anthropic = Later("anthropic")

Served = tuple[LoopbackProvider, Clients]
THINKING = {"type": "enabled", "budget_tokens": 1024}


def text_of(message: Any) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def thoughtful(request: Request) -> Reply:
    return Reply("the answer to all", thinking="x" * 400)


def test_a_message_comes_with_its_usage(served: Served) -> None:
    provider, clients = served
    message = clients.message({"type": "text", "text": "four"}, {"type": "text", "text": "fives"})
    assert text_of(message).startswith("Answer 0 to ")
    assert message.stop_reason == "end_turn"
    assert message.usage.input_tokens == 3
    assert message.usage.output_tokens == -(-len(text_of(message)) // 4)
    [charge] = provider.charges
    assert (charge.input, charge.output) == (3, message.usage.output_tokens)
    assert charge.complete


def test_the_script_sees_what_was_asked() -> None:
    seen: list[Request] = []

    def answer(request: Request) -> str:
        seen.append(request)
        return "ok"

    with serving(answer) as (provider, clients):
        clients.message(
            {"type": "text", "text": "a"},
            {"type": "text", "text": "b"},
            system="be brief",
            max_tokens=2000,
            thinking=THINKING,
        )
        assert provider.requests == seen
    [request] = seen
    assert (request.api, request.model, request.system) == ("anthropic", "claude", "be brief")
    assert request.parts == ("a", "b")
    assert (request.max_tokens, request.thinking) == (2000, 1024)
    assert request.body["thinking"] == THINKING
    assert len(request.key) == 16
    assert "a key" not in repr(request)


def test_the_same_is_answered_alike_and_something_else_otherwise(served: Served) -> None:
    _, clients = served
    first, again, other = (clients.message({"type": "text", "text": text}) for text in "aab")
    assert text_of(first) == text_of(again) != text_of(other)


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_thinking_comes_in_a_block_of_its_own_and_is_output(stream: bool) -> None:
    with serving(thoughtful) as (provider, clients):
        ask = clients.streamed_message if stream else clients.message
        message = ask(max_tokens=2000, thinking=THINKING)
        assert [block.type for block in message.content] == ["thinking", "text"]
        assert text_of(message) == "the answer to all"
        assert message.usage.output_tokens == 100 + 5
        assert message.usage.output_tokens_details
        assert message.usage.output_tokens_details.thinking_tokens == 100
        assert provider.charges[0].output == 105


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_too_long_is_cut_off(stream: bool) -> None:
    with serving(lambda _: "é" * 100) as (_, clients):
        ask = clients.streamed_message if stream else clients.message
        message = ask(max_tokens=10)
        assert text_of(message) == "é" * 20
        assert message.stop_reason == "max_tokens"
        assert message.usage.output_tokens == 10


def test_a_streamed_message_is_the_same_as_a_whole_one() -> None:
    with serving(lambda _: "word " * 500) as (_, clients):
        whole, streamed = clients.message(), clients.streamed_message()
    assert text_of(whole) == text_of(streamed)
    assert whole.usage.output_tokens == streamed.usage.output_tokens == 625
    assert whole.stop_reason == streamed.stop_reason


def test_a_refusal_is_a_stop_reason() -> None:
    with serving(lambda _: Reply("", stop=Stop.REFUSED)) as (_, clients):
        message = clients.message()
    assert message.stop_reason == "refusal"
    assert message.content == []


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"max_tokens": 1000, "thinking": THINKING}, "must be greater"),
        ({"max_tokens": 9, "thinking": {**THINKING, "budget_tokens": 8}}, "budget_tokens"),
        ({"max_tokens": 0}, "max_tokens"),
        (
            {"max_tokens": 2000, "thinking": THINKING, "extra_body": {"temperature": 0.5}},
            "may only be set to 1",
        ),
        (
            {"thinking": {"type": "adaptive"}, "extra_body": {"temperature": 0.5}},
            "may only be set to 1",
        ),
        ({"system": [{"type": "text", "text": ""}]}, "non-empty"),
        ({"system": [{"type": "image"}]}, "only blocks of text"),
    ],
)
def test_what_the_api_does_not_take_is_refused(
    served: Served, options: dict[str, Any], complaint: str
) -> None:
    provider, clients = served
    with pytest.raises(anthropic.BadRequestError, match=complaint):
        clients.message(**options)
    assert provider.charges[0].status == 400
    assert provider.statistics().completed.input == 0


def test_thinking_takes_a_temperature_of_one(served: Served) -> None:
    provider, clients = served
    clients.message(max_tokens=2000, thinking=THINKING, extra_body={"temperature": 1.0})
    assert provider.charges[0].status == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (400, "invalid_request_error", "BadRequestError"),
        (404, "not_found_error", "NotFoundError"),
        (429, "rate_limit_error", "RateLimitError"),
        (500, "api_error", "InternalServerError"),
        (529, "overloaded_error", "InternalServerError"),
    ],
)
def test_errors_have_the_form_of_the_api(status: int, kind: str, error: str) -> None:
    raised: type[anthropic.APIStatusError] = getattr(anthropic, error)

    def answer(request: Request) -> str:
        raise ProviderError(status, "no", headers={"retry-after-ms": "20"})

    with serving(answer) as (_, clients), pytest.raises(raised) as caught:
        clients.message()
    assert caught.value.body == {"type": "error", "error": {"type": kind, "message": "no"}}
    assert caught.value.response.headers["retry-after-ms"] == "20"


@pytest.mark.slow
def test_a_wrong_key_and_an_unknown_model_are_refused() -> None:
    with serving(key="right") as (_, clients), pytest.raises(anthropic.AuthenticationError):
        clients.message()
    with serving(key="a key", models={"opus"}) as (_, clients):
        assert clients.message(model="opus").model == "opus"
        with pytest.raises(anthropic.NotFoundError, match="sonnet"):
            clients.message(model="sonnet")
