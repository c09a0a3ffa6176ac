"""What prompts say of a task's inputs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.prompts._observations import cpp_task, observed, right, step

from maxcode.prompts.inputs import shown_inputs
from maxcode.prompts.prompts import Prompts
from maxcode.tasks import ProgramTask, TestCase


def _task(*inputs: bytes) -> ProgramTask:
    tests = tuple(TestCase(f"{n:03}", data, b"") for n, data in enumerate(inputs, 1))
    return replace(cpp_task(), tests=tests)


def test_their_form_and_ranges_are_shown_with_a_sample() -> None:
    task = _task(b"2\n5 -7\n1 2\n", b"3\n9 1\n4 4\n0 8\n")
    prompt = Prompts().generator(replace(observed([step(0, "", right(1.0), None)]), task=task))
    shown = shown_inputs(task)
    assert shown is not None
    assert "n: integer 2 to 50000" in shown.form  # as its statement says
    assert "k: integer -7 to 8" in shown.form
    assert shown.whole
    assert shown.form in prompt.parts[0]
    assert "3\n9 1\n4 4\n0 8\n" in prompt.parts[0]


@pytest.mark.slow
def test_only_the_beginning_of_a_large_input_is_shown() -> None:
    rows = "".join(f"{number}\n" for number in range(20_000))
    shown = shown_inputs(_task(b"1\n5\n", f"20000\n{rows}".encode()))
    assert shown is not None
    assert (shown.whole, shown.name) == (False, "002")
    assert "m: integer 0 to 19999" in shown.form
    assert shown.sample == "20000\n0\n1\n2\n3\n4\n5\n6\n"
