"""Edits are applied where they belong, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcode.budget import (
    Answer,
    Call,
)
from maxcode.program import Program
from maxcode.prompts.answers import read_answer
from maxcode.prompts.edits import Edit, EditError, PathError, apply_edits
from maxcode.task import Task

CODE = """\
int first(int a) {
    if (a > 1) {
        return a;
    }
    return 0;
}

int second(int a) {
    if (a > 2) {
        return a;
    }
    return 0;
}
"""
BASE = Program.of(CODE)


def edited(*edits: tuple[str, str], base: Program = BASE, tolerant: bool = True) -> str:
    return apply_edits(base, [Edit(old, new) for old, new in edits], tolerant=tolerant).code


def problem(*edits: tuple[str, str], base: Program = BASE, tolerant: bool = True) -> str:
    with pytest.raises(EditError) as raised:
        edited(*edits, base=base, tolerant=tolerant)
    return str(raised.value)


def test_what_stands_exactly_wins_over_what_is_alike() -> None:
    base = Program.of("  x = 1;\nx = 1;\n")
    assert edited(("x = 1;", "y;"), base=base) == "  x = 1;\ny;\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    if (a > 1) {  \n        return a;\t", "    if (b) {\n        return b;"),
        ("if (a > 1) {\n    return a;", "if (b) {\n    return b;"),
        ("\tif (a > 1) {\n\t\treturn a;", "\tif (b) {\n\t\treturn b;"),
        ("  if (a > 1) {\n\n    return a;", "  if (b) {\n    return b;"),
        ("    if(a>1){\n        return  a;", "    if (b) {\n        return b;"),
        ("\n    if (a > 1) {\n        return a;\n", "\n    if (b) {\n        return b;\n"),
    ],
    ids=["trailing", "out by four", "tabs", "blank line", "inner blanks", "blank lines around"],
)
def test_white_space_is_forgiven_and_indentation_kept(old: str, new: str) -> None:
    wanted = CODE.replace("(a > 1)", "(b)").replace("return a", "return b", 1)
    assert edited((old, new)) == wanted
    assert "not in main.cpp" in problem((old, new), tolerant=False)


def test_python_is_not_indented_by_guesswork() -> None:
    base = Program.of("def f():\n    if x:\n        y = 1\n    z = 2\n", "a.py")
    assert "indentation" in problem(("if x:\ny = 1\nz = 2", "y = 1"), base=base)


def test_lines_that_stand_twice_are_ambiguous() -> None:
    said = problem(("        return a;\n    }", "        return b;\n    }"))
    assert "the edit: its SEARCH lines stand 2 times in main.cpp (from lines 3, 10)" in said
    assert "add lines before or after them" in said


def test_the_closest_lines_are_quoted() -> None:
    said = problem(("    if (a > 2) {\n        return a + 1;", "    return 1;"), ("x", "y"))
    assert said.startswith("edit 1 of 2: its SEARCH lines are not in main.cpp")
    assert said.endswith("from line 9:\n        if (a > 2) {\n            return a;")
    assert "int second(int a) {" in problem(("int secondly(long a) {", ""))
    assert "nor any like them" in problem(("#pragma omp", ""))


def test_an_edit_without_a_path_goes_to_the_one_file_that_has_its_lines() -> None:
    base = Program({"main.cpp": "int a;\nint b;\n", "other.cpp": "int b;\nint c;\n"}, "main.cpp")
    changed = apply_edits(base, [Edit("int c;", "int d;")], tolerant=False)
    assert changed.files["other.cpp"] == "int b;\nint d;\n"
    assert "main.cpp, other.cpp" in problem(("int b;", "int d;"), base=base)
    assert apply_edits(base, [Edit("int b;", "x;", "src/other.cpp")], tolerant=False).files == {
        "main.cpp": "int a;\nint b;\n",
        "other.cpp": "x;\nint c;\n",
    }


@pytest.mark.parametrize("path", ["/etc/passwd", "../main.cpp", "C:\\main.cpp", "~/main.cpp"])
def test_paths_outside_of_the_program(path: str) -> None:
    with pytest.raises(PathError, match="outside of the program; its files: main"):
        apply_edits(BASE, [Edit("    return 0;", "", path)], tolerant=True)


LINES = st.lists(
    st.sampled_from(
        ["", "}", "{", "    x++;", "\ty = f(x);", "-z;", "+w;", " // gr\u00f6\u00dfer", "@@", "# a"]
    ),
    min_size=1,
    max_size=40,
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(old=LINES, new=LINES)
def test_a_unified_diff_applies(old: list[str], new: list[str]) -> None:
    head = "#include <cstdio>\nint main() {\n"
    before, after = (Program.of("\n".join([head, *lines, "end"]) + "\n") for lines in (old, new))
    diff = before.diff(after)
    text = f"Like this:\n\n```diff\n{diff}```\n"
    task = Task("task", "Be fast.", before, language="c++")
    reading = read_answer(Answer(text, Call("m", "r")), [before], task)
    if before == after:
        assert reading.program is None
    else:
        assert reading.program is not None, reading.problem
        assert reading.program.code == after.code
