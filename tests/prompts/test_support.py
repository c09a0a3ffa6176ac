"""Support code of rewrites: models see its interface, and what they write has all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from maxcode.generators.llm import ModelGenerator
from maxcode.generators.rewrites.support import all_codes
from maxcode.models.base import Prompt
from maxcode.program import Program
from maxcode.prompts.support import folded, unfolded
from maxcode.testing import MemoryTranscript, ScriptedModel, sample_observations, sample_task

MAIN = "int main() {\n    return 0;\n}\n"


@pytest.mark.parametrize("code", all_codes())
def test_what_was_folded_comes_back(code: str) -> None:
    program = Program.of(f"#include <cstdio>\n\n{code}\n\n{MAIN}")
    shown = folded(program)
    assert len(shown.code) < len(program.code)
    assert MAIN in shown.code
    assert "#ifndef" not in shown.code
    assert unfolded(shown, [program]) == program


def test_all_of_them_are_shown_in_a_few_lines() -> None:
    program = Program.of("\n\n".join([*all_codes(), MAIN]))
    shown = folded(program)
    assert len(shown.code) < len(program.code) / 2
    for name in ("class TokenReader", "bool eof() const", "class DenseMap", "V& operator[](K key)"):
        assert name in shown.code
    for private in ("skip_space", "pages_"):
        assert private not in shown.code
    assert unfolded(shown, [program]) == program


def test_what_has_none_stays_as_it_is() -> None:
    program = Program.of(MAIN)
    assert folded(program) is program
    unknown = Program.of(f'#include "maxcode/other.hpp"\n{MAIN}')
    assert unfolded(unknown, [program]) == unknown


def test_a_model_builds_on_a_program_with_support_code() -> None:
    task = sample_task()
    root, *_ = sample_observations(task)
    code = f"{max(all_codes(), key=len)}\n{task.baseline.code}"
    step = replace(root.step, id=7, parent=0, program=task.baseline.with_code(code))
    observation = replace(root, step=step, best=step, transcript=MemoryTranscript())

    def script(prompt: Prompt, _: int) -> str:
        assert code not in prompt.text
        begin = prompt.user.rindex('#include "maxcode/')
        shown = prompt.user[begin : prompt.user.index("```", begin)]
        return f"```cpp\n{shown}// faster\n```\n"

    [proposal] = ModelGenerator(ScriptedModel(script)).propose(observation, 1)
    assert proposal.program == task.baseline.with_code(f"{code}// faster\n"), proposal.problem
