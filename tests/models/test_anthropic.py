from __future__ import annotations

from typing import Any

import pytest
from tests.models._remote import LONG, PROMPT, asked, make_anthropic, served

from maxcode.errors import InputError
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.base import Prompt


@pytest.mark.slow
def test_the_prompt_arrives_in_its_parts() -> None:
    with served(make_anthropic) as (provider, model):
        asked(model)
        [request] = provider.requests
    assert (request.system, request.parts) == (PROMPT.system, PROMPT.parts)
    assert request.model == "claude"
    assert request.max_tokens == 16_384
    assert request.temperature is None
    assert request.thinking == 0
    assert request.stream


def test_a_budget_of_thinking_is_sent() -> None:
    with served(make_anthropic, model={"thinking": 2048, "max_tokens": 4096}) as (provider, model):
        asked(model)
        assert provider.requests[0].thinking == 2048


def test_effort_is_adaptive_thinking() -> None:
    with served(make_anthropic, model={"effort": "high"}) as (provider, model):
        asked(model)
        [request] = provider.requests
    assert request.body["thinking"] == {"type": "adaptive"}
    assert request.body["output_config"] == {"effort": "high"}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"thinking": 100}, "at least 1024"),
        ({"thinking": 20_000}, "below max_tokens=16384"),
        ({"thinking": 2048, "effort": "low"}, "not both"),
    ],
)
def test_settings_that_cannot_be_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        AnthropicModel("claude", base_url="http://localhost", **options)


def test_the_key_of_the_environment_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY"):
        AnthropicModel("claude")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "a token")  # which the SDK alone would take
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY"):
        AnthropicModel("claude")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
    with AnthropicModel("claude-sonnet-4-5") as model:
        assert model.name == "anthropic:claude-sonnet-4-5"
        assert model.price is not None


# -- the cache -------------------------------------------------------------------------------


@pytest.mark.slow
def test_later_samples_read_what_the_first_wrote() -> None:
    options = {"max_tokens": 1000}
    with served(make_anthropic, latency=0.05, model=options) as (provider, model):
        came = asked(model, 4, prompt=LONG)
    assert sum(answer.call.written > 0 for answer in came) == 1
    assert sum(answer.call.cached > 1024 for answer in came) == 3
    assert provider.most_in_flight >= 3


def test_a_growing_history_is_read_from_the_cache() -> None:
    def prompt(attempts: int) -> Prompt:
        history = [f"attempt {i} " + "word " * 50 for i in range(attempts)]
        return Prompt("system " * 200, ("task " * 1200, *history, "now?"))

    with served(make_anthropic) as (provider, model):
        asked(model, prompt=prompt(0))
        for before, after in [(0, 1), (1, 9), (9, 27), (27, 45)]:
            call = asked(model, prompt=prompt(after))[0].call
            assert call.cached >= (prompt(before).size - 100) // 4, f"{before} to {after}"
        assert all(sum(b.marked for b in r.blocks) <= 4 for r in provider.requests)
        assert not any(request.blocks[-1].marked for request in provider.requests)
