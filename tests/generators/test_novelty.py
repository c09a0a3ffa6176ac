"""Answers that are much like a known program, by tokens and by the vectors of a real server."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests._runs import copied
from tests.provider import Fault, LoopbackProvider, ProviderError, Request

from maxcode.budget import Budget
from maxcode.errors import InputError
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.novelty import Novelty
from maxcode.interfaces import Generator
from maxcode.journal.events import Answered, Requested
from maxcode.journal.journal import Journal
from maxcode.models.base import Prompt
from maxcode.models.embedding import OpenAIEmbedding
from maxcode.models.prices import Price
from maxcode.models.resilience import Limits
from maxcode.observation import Observation
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.search import Search
from maxcode.testing import (
    GeneratorContract,
    MemoryTranscript,
    ScriptedModel,
    outline,
    sample_observations,
    sample_task,
    toy_task,
)

_ONE_ATTEMPT = Limits(attempts=1)


def _vector(request: Request) -> str:
    """An angle for each number in a text: those of 3.14 and 3.15 have a cosine of 0.99995."""
    angle = float(re.findall(r"\d+\.?\d*", request.parts[0])[-1])
    return json.dumps([math.cos(angle), math.sin(angle)])


@pytest.fixture
def server() -> Iterator[LoopbackProvider]:
    with LoopbackProvider(_vector) as provider:
        yield provider


def _embedding(server: LoopbackProvider, limits: Limits | None = None) -> OpenAIEmbedding:
    price = Price.parse("0.02/0")
    return OpenAIEmbedding("small", base_url=server.openai_url, price=price, limits=limits)


def _first() -> Observation:
    observation = sample_observations(toy_task())[0]
    return replace(observation, transcript=MemoryTranscript())


def _numbers(*numbers: object) -> ScriptedModel:
    price = Price.parse("3/15")
    return ScriptedModel(lambda _, sample: f"```\n{numbers[sample]}\n```", price=price)


class TestWithVectors(GeneratorContract):
    pays = True

    @pytest.fixture(autouse=True)
    def _server(self, server: LoopbackProvider) -> None:
        self.server = server

    def make(self) -> Generator:
        code = sample_task().baseline.code
        model = ScriptedModel(
            lambda prompt, sample: f"```cpp\n{code}// {sample} {len(prompt.text)}\n```",
            price=Price.parse("3/15"),
        )
        return ModelGenerator(model, novelty=Novelty(_embedding(self.server)))


def test_what_is_much_like_another_is_not_judged(server: LoopbackProvider) -> None:
    generator = ModelGenerator(
        _numbers(3.14, 1.01, 3.15, 2.5, 2.5), novelty=Novelty(_embedding(server), above=0.999)
    )
    observation = _first()
    found = generator.propose(observation, 5)
    assert [one.program is None for one in found] == [False, True, True, False, False]
    assert "the baseline almost to the word (cosine 0.99" in found[1].problem
    assert "answer 1 of the same step" in found[2].problem
    assert found[2].tags[0] == "alike"
    transcript = observation.transcript
    assert isinstance(transcript, MemoryTranscript)
    paid = sum(answer.call.cost.dollars for answer in transcript.kept)
    assert (
        sum(one.cost.dollars for one in found)
        < paid
        <= generator.cost_ceiling(observation, 5).dollars
    )
    assert len(server.requests) == 5  # four programs and what they grew from
    assert generator.propose(observation, 5)[1].problem == found[1].problem
    assert len(server.requests) == 5  # the transcript had them


def test_tokens_find_what_differs_in_layout_alone_beside_one_another() -> None:
    task = replace(sample_task(), editable=())
    code = task.baseline.code
    texts = [code.replace("int", "long", 1), f"// faster\n{code.replace('int', 'long', 1)}"]
    model = ScriptedModel(lambda _, sample: f"```cpp\n{texts[sample]}\n```")
    observation = replace(sample_observations(task)[0], transcript=MemoryTranscript())
    one, two = ModelGenerator(model, novelty=Novelty()).propose(observation, 2)
    assert one.program is not None
    assert two.program is None
    assert two.tags[0] == "unchanged"
    assert "answer 1 of the same step but for comments and layout" in two.problem


def test_a_function_gives_vectors_too() -> None:
    asked = []

    def lengths(text: str) -> list[float]:
        asked.append(text)
        return [float(len(text)), 1.0]

    generator = ModelGenerator(_numbers(2.0, 3.0, 123456.5), novelty=Novelty(lengths, above=0.99))
    found = generator.propose(_first(), 3)
    assert [one.program is None for one in found] == [True, True, False]
    assert len(asked) == len(set(asked)) == 4
    assert "lengths" in str(generator.options["novelty"])


def test_an_above_that_is_no_cosine_is_refused() -> None:
    with pytest.raises(InputError, match="cosine between 0 and 1"):
        Novelty(above=1.5)


_FAULTS: list[Fault | ProviderError | str] = [
    ProviderError(401, "no such key"),
    ProviderError(404, "no such model"),
    ProviderError(400, "input is longer than the maximum context length of 12 tokens"),
    Fault.SERVER_ERROR,
    Fault.DROPPED,
    Fault.BROKEN_OFF,
    Fault.BROKEN_JSON,
    Fault.EMPTY,
    "[]",
    "[0, 0]",
    "[NaN]",
    "[1e999, 1]",
    '["x"]',
]


@pytest.mark.parametrize("fault", _FAULTS, ids=str)
def test_a_server_that_fails_ends_nothing_and_is_reported_once(
    fault: Fault | ProviderError | str,
) -> None:
    said: list[str] = []
    answer = (lambda _: fault) if isinstance(fault, str) and fault[0] == "[" else _vector
    faults = None if answer is not _vector else lambda _: fault
    with LoopbackProvider(answer, faults=faults) as server:  # type: ignore[arg-type]
        novelty = Novelty(_embedding(server, _ONE_ATTEMPT), report=said.append)
        generator = ModelGenerator(_numbers(3.14, 3.15), novelty=novelty)
        for seed in range(5):
            observation = replace(_first(), seed=seed)
            found = generator.propose(observation, 2)
            assert all(one.program for one in found)
            assert sum(one.cost.tokens for one in found) <= (
                generator.cost_ceiling(observation, 2).tokens
            )
    [word] = said
    assert "by tokens alone" in word


def test_a_text_that_is_too_long_is_asked_for_once_and_others_are_asked_for() -> None:
    """In the words of llama.cpp's server (build 11434), which has 512 unless told otherwise."""
    words = "input (1042 tokens) is too large to process. increase the physical batch size "
    refused = ProviderError(500, words + "(current batch size: 512)")
    said: list[str] = []
    faults = lambda number: refused if number < 4 else None  # noqa: E731
    with LoopbackProvider(_vector, faults=faults) as server:
        novelty = Novelty(_embedding(server), above=0.999, report=said.append)
        generator = ModelGenerator(_numbers(3.14, 3.15, 3.16), novelty=novelty)
        first = generator.propose(_first(), 3)
        assert all(one.program for one in first)
        assert len(server.charges) == 4  # three programs and the baseline, none asked for again
        second = generator.propose(replace(_first(), seed=1), 3)
        assert [one.program is None for one in second] == [False, True, True]
    assert len(said) == 1


def test_a_server_that_is_down_is_not_asked_for_ever() -> None:
    said: list[str] = []
    with LoopbackProvider(faults=lambda _: Fault.SERVER_ERROR) as server:
        novelty = Novelty(_embedding(server, _ONE_ATTEMPT), report=said.append)
        generator = ModelGenerator(_numbers(3.14), novelty=novelty)
        for seed in range(6):
            generator.propose(replace(_first(), seed=seed), 1)
        assert len(server.charges) == 4  # of the second expansion both were under way


# -- in a search -------------------------------------------------------------------------------


def _search(
    toy: Callable[..., Search], journal: Journal, server: LoopbackProvider, log: Any = None
) -> tuple[Search, ScriptedModel]:
    def number(prompt: Prompt, sample: int) -> str:
        drawn = hashlib.sha256(f"{prompt.text} {sample}".encode()).digest()[0]
        return f"```\n{2 + drawn / 100:.2f}\n```"

    model = ScriptedModel(number, price=Price.parse("3/15"))
    search = toy(
        generator=ModelGenerator(model, novelty=Novelty(_embedding(server), above=0.99)),
        policy=MaxCodeLoop(k=4, d=4),
        budget=Budget(evaluations=12, dollars=50.0),
        journal=log or journal,
    )
    return search, model


def _embedded(events: list[Any]) -> list[Answered]:
    return [one for one in events if isinstance(one, Answered) and "small" in one.call.model]


def test_every_text_is_embedded_and_paid_once_whenever_it_was_killed(
    toy: Callable[..., Search], journal: Journal, server: LoopbackProvider
) -> None:
    search, _ = _search(toy, journal, server)
    search.run()
    log, expected = search.state.log, outline(search.state.tree)
    events = [recorded.event for recorded in log.events()]
    assert any("alike" in step.tags for step in search.state.tree)
    embedded = _embedded(events)
    texts = {one.prompt for one in embedded}
    assert len(texts) == len(embedded) == len(server.requests)
    assert search.state.spent.dollars == pytest.approx(
        sum(one.call.cost.dollars for one in events if isinstance(one, Answered))
    )
    deaths = [
        number
        for number, one in enumerate(events)
        if isinstance(one, Answered | Requested) and "small" in getattr(one, "model", "small")
    ]
    for number in deaths[1 :: len(deaths) // 5]:
        known = len(_embedded(events[: number + 1]))
        before = len(server.requests)
        again, _ = _search(toy, journal, server, copied(log, journal, number + 1))
        again.run()
        after = _embedded([recorded.event for recorded in again.state.log.events()])
        whole = [one for one in after if not one.call.problem]
        assert outline(again.state.tree) == expected
        assert len({one.prompt for one in whole}) == len(whole) == len(texts)
        assert len(server.requests) - before == len(whole) - known
