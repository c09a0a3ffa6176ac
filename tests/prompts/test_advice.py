"""Earlier suggestions in later prompts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.prompts._observations import observed, right, step

from maxcode.evaluation import Critique
from maxcode.prompts.advice import earlier_advice
from maxcode.prompts.prompts import Prompts

MANY = Critique("slow", suggestions=("first", "second", "third", "fourth"))


def test_the_first_suggestions_of_the_latest_steps_are_kept_in_the_critics_order() -> None:
    first, second = (replace(step(n, f"// {n}", right(2.0), 0), critique=MANY) for n in (1, 2))
    words = replace(second, critique=Critique("It reads slowly."))
    given = [(1, text) for text in ("first", "second", "third")]
    assert earlier_advice([first, words]) == [(2, "It reads slowly."), *given]
    assert [about for about, _ in earlier_advice([first, second])] == [2, 2, 2]  # each text once
    assert earlier_advice([first, second], quoted={2}) == given
    assert earlier_advice([first, replace(second, duplicate_of=1)]) == given


@pytest.mark.slow
def test_generators_and_critics_are_shown_it() -> None:
    root, other, last = (step(n, f"// {n}", right(1.0 + n), n and 0) for n in range(3))
    seen = observed([replace(root, parent=None), last], [replace(other, critique=MANY)])
    for prompt in (Prompts().generator(seen), Prompts().critic(seen, seen.step)):
        assert "# Earlier advice\n\n- For attempt 1: first\n" in prompt.parts[-1]
