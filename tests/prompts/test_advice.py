"""Whether advice was followed, as later prompts say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.prompts._observations import observed, right, step

from maxcode.evaluation import Critique, Evaluation, Status
from maxcode.prompts.advice import Advice, advice_taken
from maxcode.prompts.prompts import Prompts
from maxcode.tree import Step

ADVICE = ("Store the counters in a flat array instead of the map", "Read the input in blocks")


def _steps() -> list[Step]:
    critique = Critique("slow", suggestions=ADVICE)
    asked = replace(step(1, "a", right(2.0), 0), critique=critique)
    gained = replace(step(2, "b", right(3.0), 1), summary="The counters are in a flat array now.")
    failed = Evaluation(Status.WRONG_ANSWER, feedback="wrong")
    wrong = replace(step(3, "c", failed, 1), summary="a flat array, indexed, for counters")
    other = replace(step(4, "d", right(2.1), 1), summary="The loop is unrolled.")
    return [step(0, "", right(1.0), None), asked, gained, wrong, other]


def test_what_came_of_a_suggestion_is_known_by_the_summaries_of_children() -> None:
    followed, other = advice_taken(_steps())
    outcome = "attempt 2 followed it and gained, 2.00x to 3.00x; attempt 3 followed it and failed"
    assert followed == Advice(1, ADVICE[0], outcome)
    assert other == Advice(1, ADVICE[1])


def test_nothing_is_said_as_long_as_none_was_followed() -> None:
    root, asked, *_, other = _steps()
    assert advice_taken([root, asked, other]) == ()
    assert advice_taken([root]) == ()


@pytest.mark.slow
def test_generators_are_shown_it_and_critics_are_not() -> None:
    seen = observed(_steps())
    prompt = Prompts().generator(seen)
    assert "followed it and gained, 2.00x to 3.00x" in prompt.parts[-1]
    assert "not tried yet" in prompt.parts[-1]
    assert "followed it" not in Prompts().critic(seen, seen.step).text
