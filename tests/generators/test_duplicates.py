"""C++ answers that repeat another answer to the same step but for comments and layout."""

from __future__ import annotations

from dataclasses import replace

from maxcode.generators.duplicates import without_repeats
from maxcode.interfaces import Proposal
from maxcode.program import Program
from maxcode.testing import sample_observations, sample_task

TASK = replace(sample_task(), editable=())
FASTER = TASK.baseline.code.replace("int", "long", 1)


def checked(*texts: str) -> list[Proposal]:
    proposals = [Proposal(Program.of(text), tags=("form:program",)) for text in texts]
    return without_repeats(proposals, sample_observations(TASK)[0])


def test_a_program_that_differs_in_comments_only_is_not_judged() -> None:
    one, two = checked(FASTER, f"// faster\n{FASTER}")
    assert one.program is not None
    assert two.program is None
    assert two.tags == ("unchanged", "form:program")
    assert "answer 1 of the same step but for comments and layout" in two.problem


def test_equal_programs_and_those_that_do_something_else_are_kept() -> None:
    found = checked(FASTER, FASTER, FASTER.replace("long", "short", 1))
    assert all(one.program is not None for one in found)
