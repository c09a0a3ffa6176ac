"""Prompts that exceed what a server takes: how that is learned, and what is done about it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tests.models._remote import Maker, asked, first, limits, make_openai, served
from tests.provider import ProviderError, Request

from maxcode.budget import Transcript
from maxcode.errors import ContextError, PromptTooLongError
from maxcode.models.base import Prompt, ask_fitting

BYTES = 3  # that we take a token to have; the server's have four


def prompt(tokens: int) -> Prompt:
    """As many tokens as asked for, unless that is too few."""
    if tokens < 100:
        raise ContextError("a prompt needs about 100 tokens")
    return Prompt("", ("x" * (BYTES * tokens),))


def fitted(model: Any, most: int = 48_000, n: int = 1) -> tuple[Prompt, int]:
    shown, came = ask_fitting(model, prompt, most, n, seed=0, transcript=Transcript())
    return shown, len(came)


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_is_made_as_short_as_the_server_wants_it(stream: bool) -> None:
    with served(make_openai, context=2560, model={"stream": stream}) as (provider, model):
        shown, came = fitted(model, 8192)
        before = len(provider.requests)
        again, _ = fitted(model, 8192)
        assert len(provider.requests) == before + 1  # it is remembered
    assert came == 1
    assert shown == again
    assert 1500 < shown.size / BYTES < 4096


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "'max_tokens' is too large. This model's maximum context length is 8192 tokens"),
        (500, "Context size has been exceeded."),
    ],
)
def test_a_full_context_is_no_passing_failure(status: int, said: str) -> None:
    with served(make_openai, faults=first(ProviderError(status, said))) as (provider, model):
        with pytest.raises(PromptTooLongError):
            asked(model)
        assert len(provider.requests) == 1


@pytest.mark.slow
def test_nothing_is_waited_for_after_the_deadline(make_any: Maker) -> None:
    with served(make_any, latency=30.0, model={"limits": limits(in_flight=1)}) as (_, model):
        started = time.monotonic()
        request = model.request(prompt(100), 0)
        came = list(
            model.sample(prompt(100), [0, 1], request=request, seed=0, deadline=started + 0.3)
        )
        assert time.monotonic() - started < 10
        assert model.awaited() is None
    assert {answer.call.sample for answer in came} == {0, 1}
    assert all("the time of the search is over" in answer.call.problem for answer in came)


def test_an_answer_under_way_is_told_of() -> None:
    seen: list[Any] = []

    def reply(_: Request) -> str:
        seen.append(model.awaited())
        return "text"

    with served(make_openai, answer=reply) as (_, model):
        assert model.awaited() is None
        asked(model)
    assert (seen[0].requests, seen[0].tokens) == (1, 0)
