"""Answers as models write them, in ``answers/*.txt``, are read as a person would read them.

Each file begins with what is expected: ``program`` (a folder of ``answers/programs``), or the
``kind`` of unusable answer and what the problem ``says``; with ``bases`` (the first is the one to
improve), ``stop`` and ``newline`` where they are not the usual.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcode.budget import (
    Answer,
    Call,
    Stop,
)
from maxcode.program import Program
from maxcode.prompts.answers import Reading, Unusable, read_answer
from maxcode.task import Task
from maxcode.tasks.kernel import KernelTask

CORPUS = Path(__file__).parent / "answers"
PROGRAMS = CORPUS / "programs"


def program(name: str) -> Program:
    files = {path.stem: path.read_bytes().decode() for path in (PROGRAMS / name).iterdir()}
    return Program(files, "kernel.py" if "kernel.py" in files else "main.cpp")


def task_of(base: Program) -> Task:
    return Task("task", "Be fast.", base, language="python" if "py" in base.entry else "c++")


def read(text: str, *bases: Program, stop: Stop = Stop.END, task: Task | None = None) -> Reading:
    return read_answer(Answer(text, Call("m", "r"), stop), bases, task or task_of(bases[0]))


def cases() -> list[Any]:
    return [pytest.param(path, id=path.stem) for path in sorted(CORPUS.glob("*.txt"))]


@pytest.mark.slow
@pytest.mark.parametrize("path", cases())
def test_it_is_read_as_a_person_would(path: Path) -> None:
    _, header, text = path.read_bytes().decode().split("+++\n", 2)
    expected = tomllib.loads(header)
    bases = [program(name) for name in expected["bases"]]
    text = text.replace("\n", expected.get("newline", "\n"))
    reading = read(text, *bases, stop=Stop(expected.get("stop", "end")))
    assert (reading.kind, reading.summary) == (expected.get("kind"), expected.get("summary", ""))
    for words in expected.get("says", []):
        assert words in reading.problem
    if wanted := expected.get("program"):
        assert reading.program is not None
        assert dict(reading.program.files) == dict(program(wanted).files)
        assert reading.problem == ""
    else:
        assert reading.program is None


SLOW = program("sum/slow")

ODD = {
    "backticks": "`" * 100_000,
    "fences": "```cpp\n" * 3_000 + "~~~~\n" * 3_000,
    "longer and longer fences": "".join("`" * n + "\n" for n in range(3, 600)),
    "open comments": "```cpp\n/*\n```\n" * 3_000,
    "open strings": "```cpp\n" + 'R"(' * 100_000 + '"\\"' * 100_000,
    "brackets": "```cpp\n" + "(" * 1_000_000 + "\n```",
    "tags": "<code>\n" * 10_000 + "</code>\n" * 10_000,
    "blanks": "Summary" + " " * 1_000_000 + "`\n" + "```" + " \t" * 500_000 + "`",
    "markers": "<<<<<<< SEARCH\n" * 10_000,
    "edits": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n" * 5_000,
    "hunks": "@@ -1 +1 @@\n+a\n" * 10_000,
    "one word": "a" * 2_000_000,
    "angles": "<" * 1_000_000,
    "a long search": "<<<<<<< SEARCH\n" + "foo(\n" * 50_000 + "=======\n>>>>>>> REPLACE\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_answers_are_read_in_one_pass(text: str) -> None:
    assert read(text, SLOW).program is None


def test_code_without_a_path_is_for_the_file_that_may_change() -> None:
    base = program("table/slow")
    task = Task("table", "Be fast.", base, editable=("table.cpp",), language="c++")
    flat = program("table/flat").files["table.cpp"]
    reading = read(f"```cpp\n{flat}```\n", base, task=task)
    assert reading.program == base.with_file("table.cpp", flat)


def test_a_kernel_is_known_by_its_class() -> None:
    source = (
        "class Model:\n    def forward(self, x):\n        return x\n\n\n"
        "def get_inputs():\n    return [1]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    task = KernelTask("same", "Return it.", reference=source)
    code = "class ModelNew:\n    def forward(self, x):\n        return +x\n"
    reading = read(f"```python\n{code}```\n", task.baseline, task=task)
    assert reading.program is not None
    assert reading.program.code == code
    assert read(f"```python\n{source}```\n", task.baseline, task=task).kind is Unusable.PARTIAL


def test_a_task_of_another_kind_takes_what_is_in_the_fence() -> None:
    base = Program.of("1.0\n", "number.txt")
    task = Task("toy", "Make the number larger.", base)
    assert read("Perhaps:\n```\n2.0\n```\n", base, task=task).program == base.with_code("2.0\n")
    assert read("Perhaps 2.0", base, task=task).kind is Unusable.NO_PROGRAM


LINES = st.lists(
    st.sampled_from(
        [
            "```",
            "```cpp",
            "~~~",
            "    ````  ",
            "=======",
            "",
            "\tint größe = 1'000'000; // `x`",
            "@media",
            "+1",
            'auto s = "it\'s";',
            "* list",
            "Summary: no",
            "<code>",
        ]
    ),
    max_size=8,
)
"""What may stand in a comment of a program, to be taken for something else."""


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    inside=LINES,
    fence=st.sampled_from(["````", "`````", "``````````", "~~~~~", "~~~~~~~~"]),
    info=st.sampled_from(["", "cpp", "C++", 'cpp title="main.cpp"', "{.cpp}", "cpp:main.cpp"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    before=st.sampled_from(["", "Summary: faster\n\n", "1. First:\n\n", "main.cpp\n"]),
    after=st.sampled_from(["", "\n", "\nThat `should` do.\n", "  \n\n```bash\nmake\n```\n"]),
)
def test_a_program_survives_its_fence(
    inside: list[str], fence: str, info: str, newline: str, before: str, after: str
) -> None:
    comment = "\n".join(["/*", *inside, "*/"])
    code = f'#include <cstdio>\n{comment}\nint main() {{\n    puts("x");\n}}\n'
    text = f"{before}{fence}{info}\n{code}{fence}\n{after}".replace("\n", newline)
    reading = read(text, SLOW)
    assert reading.program is not None, reading.problem
    assert reading.program.code == code
