"""Differences between programs: changes that can be left out, formatting, what is not used."""

import difflib
import io
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxcode.lang.syntax import same_tokens
from maxcode.program import Program
from maxcode.search.changes import (
    Names,
    applied,
    changed_lines,
    changes,
    hunks,
    reformatted,
    split,
)
from maxcode.task import Task

LINES = st.lists(
    st.sampled_from(["a;\n", "b = 1;\n", "{\n", "}\n", "\n", "// c\n", "d"]), max_size=9
)


@pytest.mark.slow
@given(LINES, LINES, st.sampled_from(["m.cpp", "m.txt", "m.py"]))
def test_all_changes_together_make_the_other_program(
    old: list[str], new: list[str], path: str
) -> None:
    before, after = Program.of("".join(old), path), Program.of("".join(new), path)
    units = changes(before, after)
    assert applied(before, units) == after
    assert applied(before, split(before, after, units)) == after
    assert applied(before, []) == before
    lines = difflib.unified_diff(
        io.StringIO(before.code).readlines(), io.StringIO(after.code).readlines(), n=0
    )
    headers = [line.strip() for line in lines if line.startswith("@@ ")]
    assert [hunk.header for hunk in hunks(before, after)] == headers
    assert sum(hunk.size for hunk in hunks(before, after)) == changed_lines(before, after)


@pytest.mark.slow
@given(LINES, LINES)
def test_reformatting_keeps_the_tokens_and_never_adds_changes(
    old: list[str], new: list[str]
) -> None:
    before, after = Program.of("".join(old)), Program.of("".join(new))
    found = reformatted(Task("t", "", before), after)
    assert same_tokens("main.cpp", found.code, after.code)


def cpp(text: str) -> Program:
    return Program.of(dedent(text))


BEFORE = cpp(
    """\
    // Adds numbers.
    #include <cstdio>

    int main() {
        int n;  // how many
        scanf("%d", &n);
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;  // one more
        }
        printf("%ld\\n", sum);
    }
    """
)


def test_the_baselines_formatting_and_comments_are_kept() -> None:
    after = cpp(
        """\
        #include <cstdio>

        int main()
        {
          int n;
          scanf("%d",&n);
          long sum=(long)n*(n-1)/2;
          printf( "%ld\\n", sum );
        }
        """
    )
    found = reformatted(Task("t", "", BEFORE), after)
    assert same_tokens("main.cpp", found.code, after.code)
    wanted = BEFORE.code.splitlines()
    wanted[6:10] = ["    long sum =(long)n*(n-1)/2;"]
    assert found.code.splitlines() == wanted


def test_python_keeps_comments_but_not_what_indentation_means() -> None:
    before = Program.of("# Why.\nif x:\n    a()\n    b()  # b\n", "m.py")
    after = Program.of("if  x:\n    a()\nb()\n", "m.py")
    found = reformatted(Task("t", "", before), after)
    assert found.code.startswith("# Why.\n")
    assert found.code.endswith("    a()\nb()\n")
    unread = Program.of("def f(:\n", "m.py")
    assert reformatted(Task("t", "", before), unread) == unread


def test_a_large_hunk_is_split_into_statements() -> None:
    after = BEFORE.with_code(
        BEFORE.code.replace(
            "int main",
            "struct A {\n    int a;\n};\n\n// b\nint b() {\n    return 1;\n}\n\nint main",
        )
    )
    units = changes(BEFORE, after)
    assert len(units) == 1
    pieces = ["".join(change.lines) for (change,) in split(BEFORE, after, units)]
    assert pieces == ["\nstruct A {\n    int a;\n};\n", "\n// b\nint b() {\n    return 1;\n}\n"]
    text = Program.of("x\n", "m.txt"), Program.of("1\nx\n2\n3\n", "m.txt")
    assert len(split(*text, changes(*text))) == 3


def test_what_uses_a_name_goes_with_its_declaration() -> None:
    after = BEFORE.with_code(
        BEFORE.code.replace("int main", "static int half(int x) { return x / 2; }\n\nint main")
        .replace("sum = 0", "sum = half(0)")
        .replace("%ld\\n", "%ld")
    )
    units = changes(BEFORE, after)
    names = Names(BEFORE, after)
    assert names.closed(BEFORE, units[1:]) == [units[2]]
    assert names.closed(BEFORE, units[:1]) == units[:1]
    assert names.uses(BEFORE, units) == [[units[1]]]
