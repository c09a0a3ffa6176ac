"""Both clients of remote models, pointed at a loopback provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tests.provider import Fault, LoopbackProvider, ProviderError

from maxcode.budget import (
    Answer,
    Transcript,
)
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.base import Prompt, ask
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel
from maxcode.models.resilience import Limits

QUICK = Limits(first_wait=0.002, longest_wait=2.0, timeout=5.0)
PRICE = Price.parse("3/15/0.3/3.75")
PROMPT = Prompt("You make code faster.", ("The task.", "Make it faster."))
LONG = Prompt("system " * 100, ("task " * 1500, "history " * 300, "Make it faster."))

Maker = Callable[..., RemoteModel]


def make_anthropic(provider: LoopbackProvider, **options: Any) -> AnthropicModel:
    given = {"limits": QUICK, "price": PRICE, "base_url": provider.anthropic_url, **options}
    return AnthropicModel("claude", **given)


def make_openai(provider: LoopbackProvider, **options: Any) -> OpenAIModel:
    given = {"limits": QUICK, "price": PRICE, "base_url": provider.openai_url, **options}
    return OpenAIModel("gpt", **given)


def answers(model: RemoteModel, n: int = 1, prompt: Prompt = PROMPT, seed: int = 0) -> list[Answer]:
    """What the transcript would see, failures included, in the order of samples."""
    request = model.request(prompt, seed)
    came = list(model.sample(prompt, range(n), request=request, seed=seed))
    assert all(answer.call.request == request for answer in came)
    return sorted(came, key=lambda answer: answer.call.sample)


def asked(model: RemoteModel, n: int = 1, prompt: Prompt = PROMPT) -> list[Answer]:
    return ask(model, prompt, n, seed=0, transcript=Transcript())


def first(*faults: Fault | ProviderError | None) -> Callable[[int], Fault | ProviderError | None]:
    """Faults of the first requests; all later ones are fine."""
    return lambda number: faults[number] if number < len(faults) else None


def limits(**changes: Any) -> Limits:
    return replace(QUICK, **changes)


@contextmanager
def served(make: Maker, *, model: Any = None, **options: Any) -> Iterator[Any]:
    """A provider with these options, and a model that asks it."""
    with LoopbackProvider(**options) as provider, make(provider, **(model or {})) as client:
        yield provider, client
