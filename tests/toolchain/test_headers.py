"""Includes at the beginning of programs, compiled ahead."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from maxcode.program import Program
from maxcode.toolchain.base import Built
from maxcode.toolchain.gxx import Gxx
from maxcode.toolchain.headers import leading_block

VECTOR = "#include <vector>\n"
BODY = """
using namespace std;
template <class T> T most(const vector<T>& v) { T m = v[0]; for (T x : v) m = max(m, x); return m; }
int main() { vector<int> v(1000, 2); v.push_back(5); return most(v); }
"""


def build(gxx: Gxx, text: str, flags: Sequence[str] = ("-O1",)) -> Built:
    return gxx.build(Program.of(text), flags, 60)


def content(built: Built) -> bytes:
    assert built.executable is not None, built.errors
    return built.executable.read_bytes()


def included(sandbox: Any) -> list[bool]:
    """For each program that was built, whether a header was put before it."""
    return [
        any(word.endswith("block.h") for word in command)
        for command in sandbox.commands
        if "./main.cpp" in command
    ]


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("#include <a>\n#include <b/c.h>\nint x;", ["#include <a>", "#include <b/c.h>"]),
        ("\n // x\n # include\t<a>", ["#include <a>"]),
        # what ends it
        ("#include <a>\nusing namespace std;\n#include <b>", ["#include <a>"]),
        ('#include <a>\n#include "b"\n#include <c>', ["#include <a>"]),
        ('#pragma GCC optimize("O3")\n#include <a>\n', []),
        ("/* #include <a>\n*/\n#include <b>", []),
        ("// x \\\n#include <a>\n", []),  # a comment of two lines
    ],
)
def test_the_block_that_a_program_begins_with(text: str, block: list[str]) -> None:
    assert list(leading_block(text)) == block


@pytest.mark.slow
def test_a_header_is_compiled_on_its_third_use_and_changes_nothing(
    gxx: Gxx, sandbox: Any, tmp_path: Path
) -> None:
    texts = [f"{VECTOR}{BODY}// {number}" for number in range(4)]
    plain = [content(build(gxx, text)) for text in texts[:2]]
    ours = [content(build(gxx, text)) for text in texts[2:]]
    assert included(sandbox) == [False, False, True, True]
    assert {*plain} == {*ours}
    (made,) = tmp_path.rglob("block.h.gch")
    made.write_bytes(b"nonsense")  # then g++ reads the header itself
    assert content(build(gxx, f"{texts[0]} again")) == plain[0]


@pytest.mark.slow
def test_errors_lines_and_macros_are_the_programs_own(gxx: Gxx, sandbox: Any) -> None:
    code = '#include <cstdio>\nint main() { printf("%s %d", __FILE__, __LINE__); }\n'
    for number in range(3):
        executable = build(gxx, f"{code}// {number}").executable
    assert executable is not None
    run = subprocess.run([executable], capture_output=True, check=True, timeout=30)
    assert run.stdout == b"./main.cpp 2"
    assert "main.cpp:2:14" in build(gxx, "#include <cstdio>\nint main() { wrong(); }\n").errors
    assert included(sandbox) == [False, False, True, True]


@pytest.mark.parametrize("flags", [["-I."], ["-include", "cstdio"], ["-Wp,-DX"], ["-nostdinc++"]])
def test_flags_that_change_what_an_include_means_go_without(
    gxx: Gxx, sandbox: Any, flags: list[str]
) -> None:
    for number in range(3):
        files = {"main.cpp": f"{VECTOR}// {number}", "vector": "int main() {}\n"}
        gxx.build(Program(files, "main.cpp"), flags, 60)
    assert included(sandbox) == [False] * 3
