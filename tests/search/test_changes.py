"""Differences between programs: hunks that can be left out, as diff writes them."""

import difflib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxcode.program import Program
from maxcode.search.changes import applied, changed_lines, hunks

LINES = st.lists(
    st.sampled_from(["a;\n", "b = 1;\n", "{\n", "}\n", "\n", "// c\n", "d"]), max_size=9
)


@pytest.mark.slow
@given(LINES, LINES)
def test_all_hunks_together_make_the_other_program(old: list[str], new: list[str]) -> None:
    before, after = Program.of("".join(old)), Program.of("".join(new))
    found = hunks(before, after)
    assert applied(before, found) == applied(before, reversed(found)) == after
    assert applied(before, []) == before
    lines = difflib.unified_diff(
        io.StringIO(before.code).readlines(), io.StringIO(after.code).readlines(), n=0
    )
    headers = [line.strip() for line in lines if line.startswith("@@ ")]
    assert [hunk.header for hunk in found] == headers
    assert sum(hunk.size for hunk in found) == changed_lines(before, after)


def test_any_hunk_can_be_left_out() -> None:
    before = Program({"m.cpp": "a\nb\nc\nd\n", "gone.h": "x\n"}, "m.cpp")
    after = Program({"m.cpp": "a\n1\n2\nc\n", "new.h": "y\n"}, "m.cpp")
    removed, first, last, added = hunks(before, after)
    assert applied(before, [first]).files["m.cpp"] == "a\n1\n2\nc\nd\n"
    assert applied(before, [last]).files["m.cpp"] == "a\nb\nc\n"
    assert "gone.h" not in applied(before, [removed]).files
    assert applied(before, [added]).files["new.h"] == "y\n"
    assert applied(before, [removed, first, last, added]) == after
