"""Differences between programs: changes that can be left out, formatting, what is not used."""

import difflib
import io
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from maxcode.search.syntax import same_tokens, syntax_of
from maxcode.search.unused import without_unused
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


SUPPORT = """\
#ifndef SUPPORT_HPP
#define SUPPORT_HPP

// Counts.
template <class T>
class Counter {
public:
    Counter() = default;
    explicit Counter(T first) : count_(first) {}
    ~Counter() { std::fflush(stdout); }
    // Never called.
    void reset() { count_ = 0; }
    Counter& operator+=(T more) {
        count_ = added(count_, more);
        return *this;
    }
    Counter& operator-=(T less) { return *this += -less; }
    operator T() const { return count_; }

private:
    static T added(T a, T b) { return a + b; }
    T count_ = 0;
    std::vector<T> history_;
};

using Small = Counter<short>;
inline int unused(int x) { return std::abs(x); }

#endif

"""


def with_support() -> Program:
    includes = "#include <cstdlib>\n#include <cstdio>\n#include <vector>\n#include <cmath>\n"
    return BEFORE.with_code(
        BEFORE.code.replace("#include <cstdio>\n\n", f"{includes}\n{SUPPORT}")
        .replace("long sum = 0", "Counter<long> sum(0)")
        .replace("sum);", "(long)sum);")
    )


def test_support_code_is_cut_to_what_is_used(tmp_path: Path) -> None:
    after = with_support()
    found = without_unused(BEFORE, after)
    for gone in (
        "reset",
        "Never",
        "-=",
        "history_",
        "Small",
        "unused",
        "SUPPORT",
        "vector",
        "cmath",
    ):
        assert gone not in found.code, gone
    for kept in (
        "// Counts.",
        "~Counter",
        "+=",
        "added",
        "operator T",
        "explicit Counter",
        "// how",
    ):
        assert kept in found.code, kept
    assert "cstdlib" not in found.code
    (tmp_path / "main.cpp").write_text(found.code)
    command = ["g++", "-fsyntax-only", "main.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert without_unused(BEFORE, BEFORE) == BEFORE


def test_what_another_file_of_the_program_uses_stays() -> None:
    before = Program({"a.cpp": "int a;\n", "b.hpp": "#pragma once\n"}, "a.cpp")
    helper = "#pragma once\ninline int one() { return 1; }\ninline int two() { return 2; }\n"
    after = Program({"a.cpp": "int a = one();\n", "b.hpp": helper}, "a.cpp")
    assert without_unused(before, after).files["b.hpp"] == helper.replace(
        "inline int two() { return 2; }\n", ""
    )


def test_the_baselines_own_definitions_stay() -> None:
    before = cpp("int never() { return 1; }\nint main() {}\n")
    after = before.with_code(before.code.replace("{}", "{ return 0; }"))
    assert without_unused(before, after) == after


def test_iterators_keep_what_the_library_asks_them_for_where_care_is_taken() -> None:
    before = cpp("int main() {}\n")
    code = "struct It {\n    using value_type = int;\n    int other;\n};\n\nint main() { It it; }\n"
    careful = without_unused(before, before.with_code(code), careful=True).code
    assert ("value_type" in careful, "other" in careful) == (True, False)
    assert "value_type" not in without_unused(before, before.with_code(code)).code


def test_unused_imports_and_private_functions_of_python() -> None:
    before = Program.of("def f(x):\n    return x\n", "m.py")
    after = before.with_code(
        "from __future__ import annotations\n\nimport os\nimport math as m\n\n\n"
        "def _never():\n    return os.sep\n\n\n"
        "class ModelNew:\n    pass\n\n\ndef f(x):\n    return m.floor(x)\n"
    )
    found = without_unused(before, after).code
    assert ("import os" in found, "_never" in found, "math" in found) == (False, False, True)
    assert "ModelNew" in found  # the task may ask for it
    assert "__future__" in found


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.cpp", '#define TWICE(x) \\\n    ((x) + \\\n     (x))\nauto s = R"(a  // b)";\n'),
        ("a.py", 's = """a\n # b"""\nif s:\n\tpass\n'),
    ],
)
def test_tokens_are_the_text_but_for_spaces_and_comments(path: str, code: str) -> None:
    syntax = syntax_of(path)
    assert syntax is not None
    assert same_tokens(path, code, code + "\n\n")
    assert not same_tokens(path, code, code.replace("a", "b", 1))
    assert not same_tokens(path, code, code.replace("a", "a ", 1))
