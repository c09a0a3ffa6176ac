"""A critic that asks a model."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

import pytest

from maxcode.budget import FREE, Answer, Call, Cost
from maxcode.critics.llm import LLMCritic
from maxcode.errors import ModelError, PromptTooLongError
from maxcode.evaluation import Critique, Evaluation, HotLine, Profile, Status
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
from maxcode.tree import Step, Trajectory

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


def _alike(first: Step, second: Step, parent: int = 0) -> tuple[int, Critique]:
    """Number of requests for the critique of the second, and this critique."""
    task = sample_task()
    root = replace(sample_observations(task)[0].step, id=0, parent=None)
    known = Critique("Off by one.", suggestions=("Begin at 1.",), cost=Cost(tokens=9))
    first = replace(first, id=1, parent=0, critique=known)
    second = replace(second, id=2, parent=parent, program=task.baseline.with_code("// 2"))
    seen = Observation(
        task, second, trajectory=Trajectory((root, second)), attempts=(first,), best=root
    )
    model = ScriptedModel(lambda *_: json.dumps(_GOOD))
    critique = LLMCritic(model).critique(replace(seen, transcript=MemoryTranscript()), second)
    assert (critique.cost == FREE) == (not model.calls)
    return len(model.calls), critique


def _failed(feedback: str) -> Step:
    verdict = Evaluation(Status.WRONG_ANSWER, feedback=feedback)
    return Step(1, 0, sample_task().baseline.with_code("// 1"), verdict)


def _hot(code: str, share: float = 0.5) -> Step:
    step = sample_observations(sample_task())[0].step
    return replace(step, profile=Profile("", lines=(HotLine("main.cpp", 3, share, code),)))


def test_siblings_with_one_cause_share_a_critique() -> None:
    wrong = _failed("test 2: line 7 differs\ngot: 4")
    for first, second in (
        (wrong, _failed("test 2: line 7 differs\ngot: 5")),
        (_hot("x += y;"), _hot("  x += y;")),
    ):
        requests, critique = _alike(first, second)
        assert requests == 0
        assert critique.suggestions == ("Begin at 1.",)
        assert critique.text == "As of attempt 1, for the same cause. Off by one."


def test_no_critique_is_shared_for_another_cause_or_by_others() -> None:
    wrong = _failed("test 2: line 7 differs")
    assert _alike(wrong, _failed("test 3: line 7 differs"))[0] == 1
    assert _alike(wrong, wrong, parent=1)[0] == 1
    assert _alike(_failed(""), _failed(""))[0] == 1
    assert _alike(_hot("x += y;", 0.1), _hot("x += y;", 0.1))[0] == 1
    assert _alike(_hot("x += y;"), wrong)[0] == 1
