"""Definitions and includes that a program adds and does not use."""

import subprocess
from pathlib import Path
from textwrap import dedent

from maxcode.lang.unused import without_unused
from maxcode.program import Program


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
