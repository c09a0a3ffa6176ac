"""The form of answers that is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.generators.llm import ModelGenerator
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.prompts.prompts import Prompts
from maxcode.search.search import Search
from maxcode.tasks.program import ProgramTask, TestCase
from maxcode.testing import ScriptedExecutor, ScriptedModel

CODE = """\
#include <cstdio>

long total(long from, long to) {
    return to - from;
}

int main() {
    long sum = 0;
    printf("%ld\\n", total(sum, 3));
}
"""
BASE = Program.of(CODE)
TASK = ProgramTask("sums", "Add.", BASE, tests=(TestCase("1", b"", b"3\n"),))


def search(steps: int = 40) -> list[str]:
    """The forms asked for in a search in which no whole program can be read."""

    def script(prompt: Prompt, sample: int) -> str:
        if "Then search/replace blocks" not in prompt.system:
            return f"I do not know {sample}."
        return (
            "<<<<<<< SEARCH\n    return to - from;\n=======\n"
            f"    return to - from - {len(model.calls)};\n>>>>>>> REPLACE\n"
        )

    model = ScriptedModel(script, price=Price(0, 0, 0, 0))
    found = Search(
        TASK,
        generator=ModelGenerator(model),
        executor=ScriptedExecutor(lambda _: Status.WRONG_ANSWER if _ != BASE else 1.0),
        policy=BestOfN(n=steps, batch=1),
        options=Options(patience=1000, minimise=0, fuzz=0),
    )
    result = found.run()
    tags = [tag for step in list(result.tree)[1:] for tag in step.tags if tag.startswith("form:")]
    return [tag.removeprefix("form:") for tag in tags]


@pytest.mark.slow
def test_edits_are_asked_for_where_whole_programs_are_not_given() -> None:
    forms = search()
    assert forms[:4] == ["program"] * 4
    assert forms[20:].count("edits") >= 14
    assert forms == search()


def test_forms_are_those_that_templates_can_ask_for(tmp_path: Path) -> None:
    assert Prompts().forms(TASK) == ("program", "edits")
    assert Prompts(form="edits").forms(TASK) == ("edits",)
    assert Prompts("pie:few-shot").forms(TASK) == ("program",)
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "rules.jinja").write_text("Be quick.")
    assert Prompts(tmp_path).forms(TASK) == ("program",)
    poem: Any = "poem"
    with pytest.raises(InputError, match="answers are program, edits or auto"):
        Prompts(form=poem)
    assert Prompts(form="edits").identity != Prompts().identity
