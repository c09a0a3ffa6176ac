"""The prompts of Effi-Learner, and of PIE: its own for a bare program, and ours in a search."""

from dataclasses import replace

import pytest
from tests.prompts._observations import (
    PROFILE,
    ROOT,
    SLOW,
    cpp_task,
    kernel_observed,
    observed,
)

from maxcode.errors import InputError
from maxcode.observation import Observation
from maxcode.prompts.prompts import Prompts
from maxcode.prompts.templates import (
    SETS,
)
from maxcode.tasks import ProgramTask
from maxcode.tasks.program import TestCase

FEW_SHOT, CONDITIONED, EFFI_LEARNER = SETS


def bare(task: ProgramTask | None = None) -> Observation:
    """The observation of best-of-N: the baseline alone."""
    root = replace(ROOT, program=task.baseline) if task else ROOT
    return replace(observed([root], task=task), trajectory=None, best=None)


def test_sets_of_pie_are_programs_alone() -> None:
    examples = Prompts(FEW_SHOT).generator(bare())
    assert examples.parts[0].count("# The same program, faster") == 2
    assert examples.parts[0].endswith(f"# Slow program\n\n```cpp\n{SLOW}```")
    assert examples.parts[1:] == ("# The same program, faster",)
    assert "Summary" not in examples.text
    score = Prompts(CONDITIONED).generator(bare())
    assert score.parts[1:] == ("# The same program, with a score of 10/10",)


@pytest.mark.slow
def test_effi_learner_shows_the_smallest_test_and_what_the_program_takes() -> None:
    small = TestCase("small", b"3\n1 2 ```\n", b"0\n1\n")
    large = TestCase("large", b"9" * 5000, b"LARGE")
    seen = replace(bare(), step=replace(ROOT, profile=PROFILE))
    prompts = Prompts(EFFI_LEARNER)
    shown = prompts.generator(replace(seen, task=replace(cpp_task(), tests=(large, small))))
    task = shown.parts[0]
    assert "## Test case\n\nInput:\n\n````text\n3\n1 2 ```\n````" in task
    assert "Output:\n\n```text\n0\n1\n```" in task
    assert "LARGE" not in shown.text
    assert task.index("# Task: ") < task.index("## Test case") < task.index("## The baseline")
    assert PROFILE.text in shown.parts[-1]
    for tests in ((large,), (TestCase("bytes", b"\xff", b""),)):
        others = prompts.generator(replace(seen, task=replace(cpp_task(), tests=tests)))
        assert "Test case" not in others.text


def test_sets_are_for_cpp_and_have_names() -> None:
    with pytest.raises(
        InputError, match=r"pie:few-shot are for C\+\+ programs, and 'squares' is none"
    ):
        Prompts(FEW_SHOT).generator(kernel_observed(""))
    with pytest.raises(InputError, match="no set of that name; sets: pie:few-shot, pie:perf"):
        Prompts("pie:zero-shot")
