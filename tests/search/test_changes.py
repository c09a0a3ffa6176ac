"""Differences between programs: hunks that can be left out, as diff writes them."""

import difflib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxcode.program import Program
from maxcode.search.changes import applied, changed_lines, hunks, pieces

WINNERS = sorted((Path(__file__).parent / "winners").iterdir())
"""The best programs of recorded runs with a strong model, each of an example of its name."""

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


def rewrite(winner: Path) -> tuple[Program, Program]:
    """A task's program, and the winner of a recorded run, which is a rewrite of it."""
    examples = Path(__file__).parents[2] / "examples" / "cpp"
    before = (examples / winner.stem / "main.cpp").read_text()
    return Program.of(before), Program.of(winner.read_text())


@pytest.mark.parametrize("winner", WINNERS, ids=lambda path: path.stem)
def test_a_rewritten_file_is_one_piece(winner: Path) -> None:
    before, after = rewrite(winner)
    [whole] = pieces(before, after)
    assert len(hunks(before, after)) > 10
    assert whole.size == changed_lines(before, after)
    assert applied(before, [whole]) == after
