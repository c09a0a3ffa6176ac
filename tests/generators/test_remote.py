"""The generators of providers, through their real SDKs, against a provider on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.provider import LoopbackProvider, Request

from maxcode.budget import Budget
from maxcode.generators.llm import ModelGenerator
from maxcode.interfaces import Generator
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.resilience import Limits
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.search import Search
from maxcode.testing import (
    GeneratorContract,
    ScriptedExecutor,
    sample_task,
)

_QUICK = Limits(first_wait=0.001, longest_wait=0.01)


def _answer(request: Request) -> str:
    code = sample_task().baseline.code
    prompt = hash((request.parts, request.seed)) % 1000
    return f"Summary: A comment.\n\n```cpp\n{code}// {prompt}\n```\n"


@pytest.fixture(scope="module", autouse=True)
def provider() -> Iterator[LoopbackProvider]:
    with pytest.MonkeyPatch.context() as patch, LoopbackProvider(_answer) as provider:
        patch.setenv("ANTHROPIC_API_KEY", "sk-a")
        patch.setenv("OPENAI_API_KEY", "sk-o")
        patch.setenv("ANTHROPIC_BASE_URL", provider.anthropic_url)
        patch.setenv("OPENAI_BASE_URL", provider.openai_url)
        yield provider


@pytest.mark.slow
class TestAnthropicGenerator(GeneratorContract):
    pays = True
    reproducible = False

    def make(self) -> Generator:
        return ModelGenerator(AnthropicModel("claude-sonnet-5-5", limits=_QUICK))


@pytest.mark.slow
class TestOpenAIGenerator(GeneratorContract):
    pays = True

    def make(self) -> Generator:
        return ModelGenerator(OpenAIModel("gpt-5-mini", limits=_QUICK))


def _search(provider: LoopbackProvider, budget: Budget, **options: Any) -> Search:
    return Search(
        sample_task(),
        generator=ModelGenerator(
            OpenAIModel(
                "local",
                base_url=provider.openai_url,
                limits=_QUICK,
                price=Price.parse("0/0"),
                **options,
            )
        ),
        executor=ScriptedExecutor(lambda _: 1.0),
        policy=MaxCodeLoop(k=2, d=3),
        budget=budget,
        options=Options(minimise=0, fuzz=0),
    )


@pytest.mark.slow
def test_the_seconds_of_a_budget_end_an_answer_under_way() -> None:
    with LoopbackProvider(_answer, latency=100.0) as slow:
        result = _search(slow, Budget(seconds=0.5)).run()
    assert (result.status, result.by_status) == ("done", {})
    assert result.reason.startswith("budget spent")
    [used] = result.usage.values()
    assert used.answers == 0
    assert used.lost > 0


@pytest.mark.slow
def test_a_small_context_ends_no_search() -> None:
    with LoopbackProvider(_answer, context=1200) as small:
        result = _search(small, Budget(evaluations=5), max_tokens=400).run()
    assert result.spent.evaluations == 5
    assert sum(charge.status == 400 for charge in small.charges) <= 4


@pytest.mark.slow
def test_a_task_that_no_prompt_is_short_enough_for_says_so() -> None:
    with LoopbackProvider(_answer, context=150) as tiny:
        result = _search(tiny, Budget(evaluations=2)).run()
    assert result.status == "done"
    assert {step.tags for step in list(result.tree)[1:]} == {("too-long",)}
    assert "the prompt is too long" in result.tree[1].evaluation.feedback
