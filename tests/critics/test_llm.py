"""A critic that asks a model."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

import pytest

from maxcode.budget import FREE, Answer, Call
from maxcode.critics.llm import LLMCritic
from maxcode.errors import ModelError, PromptTooLongError
from maxcode.evaluation import Critique
from maxcode.interfaces import Critic
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.observation import Observation
from maxcode.prompts.prompts import Prompts
from maxcode.testing import (
    CriticContract,
    MemoryTranscript,
    ScriptedModel,
    sample_observations,
    sample_task,
)
from maxcode.tree import Step

_GOOD = {
    "bottleneck": "memory",
    "diagnosis": "Every row is copied.",
    "evidence": "Line 3 allocates.",
    "suggestions": ["Pass it by reference.", "Reserve."],
}


class TestLLMCritic(CriticContract):
    pays = True

    def make(self) -> Critic:
        def script(*_: object) -> str:
            return f"```json\n{json.dumps(_GOOD)}\n```"

        return LLMCritic(ScriptedModel(script, price=Price.parse("1/5")))


def _said(answer: str, max_tokens: int = 100_000) -> Critique:
    observation, step = _shown()
    model = ScriptedModel(lambda *_: answer, max_tokens=max_tokens)
    return LLMCritic(model).critique(observation, step)


def _shown() -> tuple[Observation, Step]:
    observation = sample_observations(sample_task())[2]
    return replace(observation, transcript=MemoryTranscript()), observation.step


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(_GOOD),
        f"Let me think {{about}} it.\n```json\n{json.dumps(_GOOD, indent=2)}\n```\nThat is all.",
        f"```\n{json.dumps(_GOOD)}\n```",
        f'```json\n{{"bottleneck": "none"}}\n```\nNo:\n```json\n{json.dumps(_GOOD)}\n```',
        f"Here: {json.dumps(_GOOD)}",
        json.dumps({**_GOOD, "bottleneck": " Memory ", "confidence": 0.9}),
    ],
)
def test_a_diagnosis_is_read_wherever_it_stands(answer: str) -> None:
    critique = _said(answer)
    assert critique.bottleneck == "memory"
    assert critique.evidence == "Line 3 allocates."
    assert critique.suggestions == ("Pass it by reference.", "Reserve.")
    assert critique.text == (
        "Bottleneck: memory. Every row is copied.\nEvidence: Line 3 allocates.\n"
        "1. Pass it by reference.\n2. Reserve."
    )
    assert critique.cost.tokens > 0


def test_code_in_a_suggestion_does_no_harm() -> None:
    advice = "Write\n```cpp\nfor (auto& x : {1}) {}\n```\nthere."
    found = json.dumps({**_GOOD, "suggestions": [advice]})
    assert _said(f"```json\n{found}\n```").suggestions == (advice,)


@pytest.mark.parametrize(
    "answer",
    [
        "It is slow because of the map.",
        json.dumps({**_GOOD, "bottleneck": "karma"}),
        "[" * 100_000,
        "{" * 100_000,
    ],
)
def test_what_is_no_diagnosis_is_kept_as_text(answer: str) -> None:
    critique = _said(answer)
    assert answer.startswith(critique.text)
    assert (critique.bottleneck, critique.suggestions) == ("", ())
    assert len(critique.text) <= 8000


def test_what_was_cut_off_is_kept_as_far_as_it_goes() -> None:
    whole = json.dumps(_GOOD, indent=2)
    for end, suggestions in (
        (whole.index("Reserve") + 3, ("Pass it by reference.",)),
        (whole.index(" by ref"), ()),
        (whole.index('"evidence"') - 1, ()),
        (len(whole) - 2, _GOOD["suggestions"]),
    ):
        critique = _said(f"```json\n{whole[:end]}")
        assert critique.bottleneck == "memory"
        assert critique.suggestions == tuple(suggestions)
        assert "`" not in critique.text
    for tokens in (2, 5, 14):
        critique = _said(f"```json\n{whole}", max_tokens=tokens)
        assert critique.text.startswith("The critique was cut off")


def test_an_empty_answer_says_nothing() -> None:
    assert "nothing to say" in _said("  \n").text


def test_a_critique_that_cannot_be_had_is_missing_and_no_more() -> None:
    class Failing(ScriptedModel):
        def sample(
            self,
            prompt: Prompt,
            samples: Sequence[int],
            *,
            request: str,
            seed: int,
            deadline: float = inf,
        ) -> Iterator[Answer]:
            for sample in samples:
                yield Answer("", Call(self.name, request, sample, input=7, problem="overloaded"))

    observation, step = _shown()
    critique = LLMCritic(Failing(lambda *_: "")).critique(observation, step)
    assert "could be had" in critique.text
    assert "overloaded" in critique.text
    assert critique.cost == FREE
    wrong = ScriptedModel(lambda *_: ModelError("the key is wrong"))
    with pytest.raises(ModelError, match="the key is wrong"):
        LLMCritic(wrong).critique(observation, step)


def test_a_critique_that_no_prompt_is_short_enough_for_is_missing() -> None:
    observation, step = _shown()
    refused = PromptTooLongError("too long")
    critique = LLMCritic(ScriptedModel(lambda *_: refused)).critique(observation, step)
    assert "No critique could be had of this step" in critique.text
    small = LLMCritic(ScriptedModel(lambda *_: ""), Prompts(context=20))
    assert small.cost_ceiling(observation, step) == FREE
    assert "and may have 20" in small.critique(observation, step).text


def test_details_are_never_shown_to_a_model() -> None:
    observation, step = _shown()
    hidden = "the expected output is 42"
    steps = {
        one.id: replace(one, evaluation=replace(one.evaluation, details=hidden))
        for one in observation.shown
    }
    path = observation.trajectory
    assert path is not None
    assert observation.best is not None
    leaky = replace(
        observation,
        step=steps[step.id],
        best=steps[observation.best.id],
        attempts=tuple(steps[one.id] for one in observation.attempts),
        trajectory=replace(path, steps=tuple(steps[one.id] for one in path.steps)),
    )
    model = ScriptedModel(lambda *_: json.dumps(_GOOD))
    for shown in leaky.shown:
        LLMCritic(model).critique(leaky, shown)
    assert model.calls
    assert not any(hidden in prompt.text for prompt, _ in model.calls)
