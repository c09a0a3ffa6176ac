"""Whether advice was followed, as later prompts say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.prompts._observations import observed, right, step

from maxcode.evaluation import Critique, Evaluation, Status
from maxcode.prompts.advice import Advice, advice_taken
from maxcode.prompts.prompts import Prompts
from maxcode.tree import Step

CODE = "int main() {\n  map<int, int> hit_counts;\n  int n;\n  cin >> n;\n}\n"
ADVICE = ("Store `hit_counts` in a flat array", "Read the input in blocks (line 4)", "Vectorise.")


def _steps() -> list[Step]:
    """Attempts 2 and 3 change the first place named, and attempt 4 no place."""
    critique = Critique("slow", suggestions=ADVICE)
    asked = replace(step(1, CODE, right(2.0), 0), critique=critique)
    gained = step(2, CODE.replace("map<int, int>", "array"), right(3.0), 1)
    failed = Evaluation(Status.WRONG_ANSWER, feedback="wrong")
    wrong = step(3, CODE.replace("hit_counts", "counts"), failed, 1)
    said = "Reads the input in blocks, into a flat array."
    other = replace(step(4, CODE + "// n\n", right(2.1), 1), summary=said)
    return [step(0, "", right(1.0), None), asked, gained, wrong, other]


def test_advice_is_followed_where_a_child_changes_the_place_it_names() -> None:
    followed, *others = advice_taken(_steps())
    outcome = (
        "attempt 2 changed this place and gained, 2.00x to 3.00x; "
        "attempt 3 changed this place and failed"
    )
    assert followed == Advice(1, ADVICE[0], outcome)
    assert others == [Advice(1, ADVICE[1]), Advice(1, ADVICE[2])]


def test_a_line_is_named_by_its_number_alone_or_in_a_range() -> None:
    root, asked, *_ = _steps()
    read = step(2, CODE.replace("cin >> n", "n = read()"), right(2.0), 1)
    for text, there in (
        ("Change line 4.", True),
        ("Lines 1, 2 and 4 are slow.", True),
        ("See lines 3-9.", True),
        ("See lines 1 to 3, which read 4 numbers.", False),
        ("The input is read slowly.", False),
        ("Call read() once.", False),
    ):
        advised = replace(asked, critique=Critique("slow", suggestions=(text,)))
        (advice,) = advice_taken([root, advised, read])
        assert bool(advice.outcome) == there, text


def test_the_first_suggestions_of_the_latest_steps_are_kept_in_the_critics_order() -> None:
    many = Critique("slow", suggestions=("first", "second", "third", "fourth"))
    steps = [replace(step(n, f"{CODE}// {n}", right(2.0), 0), critique=many) for n in (1, 2)]
    later = replace(steps[1], critique=Critique("It reads slowly."))
    assert [(one.about, one.text) for one in advice_taken([*steps[:1], later])] == [
        (2, "It reads slowly."),
        *((1, text) for text in ("first", "second", "third")),
    ]
    assert [one.about for one in advice_taken(steps)] == [2, 2, 2]  # each text once
    assert [one.about for one in advice_taken(steps, quoted={2})] == [1, 1, 1]


@pytest.mark.slow
def test_generators_and_critics_are_shown_it() -> None:
    seen = observed(_steps())
    for prompt in (Prompts().generator(seen), Prompts().critic(seen, seen.step)):
        assert "changed this place and gained, 2.00x to 3.00x" in prompt.parts[-1]
        assert prompt.parts[-1].index(ADVICE[1]) < prompt.parts[-1].index(ADVICE[2])
