"""Forms of answers: which is asked for, and what is made of functions on their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maxcode.budget import Answer, Call, Stop
from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.generators.llm import ModelGenerator
from maxcode.models.prices import Price
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.prompts.answers import Reading, Unusable, read_answer
from maxcode.prompts.forms import Form
from maxcode.prompts.prompts import Prompts
from maxcode.search.search import Search
from maxcode.tasks.program import ProgramTask, TestCase
from maxcode.testing import ScriptedExecutor, ScriptedModel

CODE = """\
#include <cstdio>
#include <vector>
using namespace std;

namespace sums {
template <class T>
T largest(const vector<T>& values) { return values[0]; }
}  // namespace sums

long total(const vector<long>& values) {
    long sum = 0;
    for (long value : values) sum += value;
    return sum;
}

long total(long from, long to) {
    return to - from;
}

int main() {
    vector<long> values{1, 2};
    printf("%ld\\n", total(values));
}
"""
BASE = Program.of(CODE)
TASK = ProgramTask("sums", "Add.", BASE, tests=(TestCase("1", b"", b"3\n"),))


def read(code: str, form: Form = "function", stop: Stop = Stop.END) -> Reading:
    text = f"Summary: less.\n\n```cpp\n{code}\n```\n"
    return read_answer(Answer(text, Call("m", "r"), stop), [BASE], TASK, form)


def changed(old: str, new: str) -> Program:
    assert old in CODE
    return BASE.with_code(CODE.replace(old, new))


MAIN = 'int main() {\n    puts("3");\n}'
TOTAL = "long total(long from, long to) {\n    return -(from - to);\n}"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (MAIN, changed(CODE[CODE.index("int main") :].rstrip(), MAIN)),
        (TOTAL, changed("long total(long from, long to) {\n    return to - from;\n}", TOTAL)),
        (
            f"#include <cstdio>\n#include <map>\nusing namespace std;\n\nint three = 3;\n\n{MAIN}",
            BASE.with_code(
                "#include <map>\n"
                + CODE[: CODE.index("int main")]
                + f"int three = 3;\n\n{MAIN}\n"
            ),
        ),
        (
            "template <class T>\nT largest(const vector<T>& values) { return values.back(); }",
            changed("values[0]", "values.back()"),
        ),
        ("T largest(const vector<T>& values) { return {}; }", changed("values[0]", "{}")),
    ],
)  # fmt: skip
def test_a_function_takes_the_place_of_its_own(code: str, expected: Program) -> None:
    reading = read(code)
    assert reading.program == expected, reading.problem
    assert reading.summary == "less."


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("long other(long x) {\n    return x;\n}", Unusable.PARTIAL),
        ("long total(char x) {\n    return x;\n}", Unusable.PARTIAL),  # which of two?
        ("int main() {\n    // ... as before ...\n}", Unusable.PARTIAL),
        ("int main() {\n    return (;\n", Unusable.PARTIAL),
    ],
)
def test_what_takes_no_place_is_a_piece(code: str, kind: Unusable) -> None:
    assert read(code).kind is kind


# -- which one is asked for ----------------------------------------------------------------------


def search(usable: Form, steps: int = 40) -> tuple[list[str], ScriptedModel]:
    """The tags of a search in which only answers of that form can be read; and the model."""
    answers = {
        "program": ("the whole program, in one fence", CODE.replace("sum = 0", "{0} = 0")),
        "edits": ("Then search/replace blocks", ""),
        "function": ("only the function that you change", 'int main() { puts("{0}"); }'),
    }  # fmt: skip
    words, code = answers[usable]

    def script(prompt: object, sample: int) -> str:
        number = len(model.calls)
        asked = getattr(prompt, "system", "")
        if words not in asked:
            return f"I do not know {sample}."
        if usable == "edits":
            return (
                "<<<<<<< SEARCH\n    return to - from;\n=======\n"
                f"    return to - from - {number};\n>>>>>>> REPLACE\n"
            )
        return "```cpp\n" + code.replace("{0}", f"x{number}") + "\n```"

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
    return [tag.removeprefix("form:") for tag in tags], model


@pytest.mark.slow
@pytest.mark.parametrize("usable", ["edits", "function"])
def test_another_form_is_found_where_the_usual_one_is_not_given(usable: Form) -> None:
    forms, _ = search(usable)
    assert forms[:4] == ["program"] * 4
    assert forms[20:].count(usable) >= 14
    assert forms == search(usable)[0]


def test_forms_are_those_that_templates_can_ask_for(tmp_path: Path) -> None:
    assert Prompts().forms(TASK) == ("program", "edits", "function")
    assert Prompts(form="function").forms(TASK) == ("function",)
    assert Prompts("pie:few-shot").forms(TASK) == ("program",)
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "rules.jinja").write_text("Be quick.")
    assert Prompts(tmp_path).forms(TASK) == ("program",)
    poem: Any = "poem"
    with pytest.raises(InputError, match="answers are program, edits, function or auto"):
        Prompts(form=poem)
    assert Prompts(form="edits").identity != Prompts().identity
