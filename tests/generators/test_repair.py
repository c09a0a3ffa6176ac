"""Answers that are mended before they are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests._runs import copied

from maxcode.budget import Budget, Cost
from maxcode.errors import InputError
from maxcode.evaluation import Status, Trial
from maxcode.generators.llm import ModelGenerator
from maxcode.journal.events import Answered, Requested
from maxcode.journal.journal import Journal
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.observation import Observation, TryOut
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.prompts.prompts import REPAIR
from maxcode.search.search import Search
from maxcode.testing import (
    MemoryTranscript,
    ScriptedModel,
    outline,
    sample_observations,
    sample_task,
)

_PRICE = Price.parse("3/15")
_BROKEN = "breaks"


def _nothing(program: Program, *, quick: bool) -> Trial | None:
    return None


def _first(trial: TryOut = _nothing) -> Observation:
    observation = sample_observations(sample_task())[0]
    return replace(observation, transcript=MemoryTranscript(), try_out=trial)


def _code(text: str) -> str:
    return f"Summary: {text}\n```cpp\n{sample_task().baseline.code}// {text}\n```\n"


def _turns(prompt: Prompt) -> int:
    """How often the prompt shows an answer: never the first, and only the last one later."""
    return prompt.user.count("# What is wrong with it")


def _breaks(program: Program, *, quick: bool) -> Trial:
    if _BROKEN in program.code:
        return Trial(Status.BUILD_ERROR, "line 7: no such name 'fast'")
    return Trial(Status.OK)


@pytest.mark.slow
def test_an_answer_without_a_program_may_be_given_again() -> None:
    model = ScriptedModel(
        lambda prompt, _: _code("mended") if _turns(prompt) else "I cannot.", price=_PRICE
    )
    [proposal] = ModelGenerator(model, repair=2).propose(_first(), 1)
    assert proposal.program is not None
    assert "// mended" in proposal.program.code
    assert proposal.tags == ("repair:1",)
    first, second = (prompt for prompt, _ in model.calls)
    assert second.parts[:-1] == first.parts  # so that a provider's cache has it
    assert second.system == first.system
    assert "I cannot." in second.parts[-1]
    assert proposal.prompt == second.text


def test_what_does_not_build_is_shown_its_error_and_every_turn_is_paid() -> None:
    script = lambda prompt, _: _code("mended" if _turns(prompt) else _BROKEN)  # noqa: E731
    model = ScriptedModel(script, price=_PRICE)
    observation = _first(_breaks)
    generator = ModelGenerator(model, repair=1)
    [proposal] = generator.propose(observation, 1)
    assert proposal.program is not None
    assert _BROKEN not in proposal.program.code
    assert "no such name 'fast'" in model.calls[1][0].parts[-1]
    transcript = observation.transcript
    assert isinstance(transcript, MemoryTranscript)
    assert proposal.cost.dollars == pytest.approx(
        sum(answer.call.cost.dollars for answer in transcript.kept)
    )
    assert len(transcript.kept) == 2
    assert proposal.cost.dollars <= generator.cost_ceiling(observation, 1).dollars


def test_an_error_that_comes_again_ends_it() -> None:
    problems = iter(["line 7: no such name", "line 12: no such name", "line 9: another"])
    model = ScriptedModel(lambda prompt, _: _code(f"{_BROKEN} {_turns(prompt)}"))
    observation = _first(lambda _, *, quick: Trial(Status.BUILD_ERROR, next(problems)))
    [proposal] = ModelGenerator(model, repair=5).propose(observation, 1)
    assert len(model.calls) == 2  # the second answer had the error of the first, elsewhere
    assert proposal.tags[-1] == "repair:1"


def test_every_turn_is_reserved_as_a_request_of_its_own() -> None:
    class Once(ScriptedModel):
        """The prompt of several samples is paid once."""

        def ceiling(self, prompt_bytes: int, n: int) -> Cost:
            return Cost(tokens=prompt_bytes + 10 * n)

    generator = ModelGenerator(Once(lambda *_: "no"), repair=2)
    size = generator.prompt(_first()).size
    most = generator.cost_ceiling(_first(), 3).tokens
    assert most == size + 30 + 6 * (size + REPAIR + 10)


def test_nothing_is_mended_unless_asked_for() -> None:
    model = ScriptedModel(lambda *_: "no")
    ModelGenerator(model).propose(_first(_breaks), 1)
    assert len(model.calls) == 1
    with pytest.raises(InputError, match="how often"):
        ModelGenerator(model, repair=-1)


# -- in a search -------------------------------------------------------------------------------


def _number(prompt: Prompt, sample: int) -> str:
    """Numbers for the toy world; every other answer is to be mended, twice."""
    if "# What is wrong" in prompt.parts[-1]:
        first = "not 1" in prompt.parts[-1]
        return "" if first else f"```\n{3 + len(prompt.text) % 89 / 10}\n```"
    return "not 1" if sample % 2 else f"```\n{2 + len(prompt.text) % 97 / 10 + sample}\n```"


def _search(toy: Callable[..., Search], journal: Any, **more: Any) -> tuple[Search, ScriptedModel]:
    model = ScriptedModel(_number, price=_PRICE)
    search = toy(
        generator=ModelGenerator(model, repair=2),
        policy=MaxCodeLoop(k=4, d=4),
        budget=Budget(evaluations=6, dollars=50.0),
        journal=journal,
        **more,
    )
    return search, model


@pytest.mark.slow
def test_turns_are_journalled_and_paid_and_are_no_evaluations(
    toy: Callable[..., Search], journal: Journal
) -> None:
    search, model = _search(toy, journal)
    search.run()
    events = [recorded.event for recorded in search.state.log.events()]
    answered = [event for event in events if isinstance(event, Answered)]
    assert len(answered) == len(model.calls) > search.state.spent.evaluations == 6
    assert search.state.spent.dollars == pytest.approx(
        sum(event.call.cost.dollars for event in answered)
    )
    announced = {
        (event.request, sample)
        for event in events
        if isinstance(event, Requested)
        for sample in event.samples
    }
    assert {(event.call.request, event.call.sample) for event in answered} == announced
    assert Counter(tag for step in search.state.tree for tag in step.tags)["repair:2"] >= 2


@pytest.mark.slow
def test_a_repair_that_was_paid_for_is_not_asked_again_whenever_it_was_killed(
    toy: Callable[..., Search], journal: Journal
) -> None:
    search, _ = _search(toy, journal)
    search.run()
    expected, log = outline(search.state.tree), search.state.log
    events = [recorded.event for recorded in log.events()]
    deaths = [i for i, event in enumerate(events) if isinstance(event, Answered | Requested)]
    for number in deaths[:12]:
        known = sum(isinstance(event, Answered) for event in events[: number + 1])
        again, model = _search(toy, copied(log, journal, number + 1))
        again.run()
        after = [recorded.event for recorded in again.state.log.events()]
        answered = [one for one in after if isinstance(one, Answered) and not one.call.problem]
        assert outline(again.state.tree) == expected
        assert len(model.calls) == len(answered) - known
        requests = [(one.call.request, one.call.sample) for one in answered]
        assert len(set(requests)) == len(requests)
