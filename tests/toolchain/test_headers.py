import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
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
static int sum(const int* a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * 3; return s; }
template <class T> T most(const vector<T>& v) { T m = v[0]; for (T x : v) if (x > m) m = x; return m; }
int main() { vector<int> v(1000, 2); v.push_back(5); return (sum(v.data(), 1000) + most(v)) % 100; }
"""  # noqa: E501
UNROLL = '#pragma GCC optimize("O3,unroll-loops")\n'
AVX = '#pragma GCC target ("avx2", "bmi")\n'


@pytest.fixture(scope="module")
def pair(bubblewrap: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Gxx, Gxx]:
    """Without and with a header for VECTOR."""
    plain, ours = (Gxx(bubblewrap, tmp_path_factory.mktemp(name)) for name in ("plain", "ours"))
    ours.expect(Program.of(VECTOR), ["-O1"])
    plain._headers.find = lambda *_: None  # type: ignore[method-assign]
    return plain, ours


def build(gxx: Gxx, text: str, flags: Sequence[str] = ("-O1",)) -> Built:
    return gxx.build(Program.of(text), flags, 60)


def content(built: Built) -> bytes:
    assert built.executable is not None, built.errors
    return built.executable.read_bytes()


PRODUCT = """
using Matrix = std::vector<std::vector<double>>;
double product(const Matrix& a, const Matrix& b, Matrix& c) {
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t k = 0; k < b.size(); k++)
            for (std::size_t j = 0; j < b[k].size(); j++) c[i][j] += a[i][k] * b[k][j];
    return c.back().back();
}
int main(int n, char**) {
    Matrix a(9, std::vector<double>(9, n)), b = a, c = a;
    return static_cast<int>(product(a, b, c)) % 2;
}
"""  # what options make a difference to


def included(sandbox: Any) -> list[bool]:
    """For each program that was built, whether a header was put before it."""
    return [
        any(word.endswith("block.h") for word in command)
        for command in sandbox.commands
        if "./main.cpp" in command
    ]


def compiled(sandbox: Any) -> int:
    """How many headers were compiled."""
    return sum("c++-header" in command and "-E" not in command for command in sandbox.commands)


# -- the block -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("", []),
        ("int main() {}", []),
        ("#include <a>\n#include <b/c.h>\nint x;", ["#include <a>", "#include <b/c.h>"]),
        ("\n // x\n/* y\n z */ # include\t<a> // w", ["# include\t<a>"]),
        ("#include <a>\r\n\r\n#include <b>\r\n", ["#include <a>", "#include <b>"]),
        ("#include <a> /* x */ /* y */\n#include <b>", ["#include <a>", "#include <b>"]),
        (f"{UNROLL}{AVX}{VECTOR}", [UNROLL.strip(), AVX.strip(), VECTOR.strip()]),
        ("/* #include <a>\n*/\n#include <b>", ["#include <b>"]),
        ("// #include <a> \n#include <b>", ["#include <b>"]),
        # what ends it
        ("#include <a>\nusing namespace std;\n#include <b>", ["#include <a>"]),
        ("#include <a>\n#define X 1\n#include <b>", ["#include <a>"]),
        ('#include <a>\n#include "b"\n#include <c>', ["#include <a>"]),
        ("#include <a>\n#if 0\n#include <b>\n#endif", ["#include <a>"]),
        ("#include <a>\n#pragma once\n#include <b>", ["#include <a>"]),
        ("#include <a>\n#pragma GCC poison x\n#include <b>", ["#include <a>"]),
        ("#include <a> #include <b>\n#include <c>", []),
        ("#include </etc/passwd>\n", []),
        ("#include <../x>\n", []),
        ("#include X\n", []),
        # what is more than a line
        ("// x \\\n#include <a>\n", []),
        ("// x ??/\n#include <a>\n", []),
        ("#include <a> \\\n\n#include <b>", []),
        ("#include <a> /* x\n*/ #include <b>\n", []),
        ("#include <a>/* x\n*/ #include <b>\n", []),
        ("#include <a>\n/* x\n*/ #pragma GCC optimize(\"O3\")\n", ["#include <a>"]),
        ("#include <a> /* x */ int y;\n", []),
        ("/* x", []),
        ('#pragma GCC optimize("O3/*")\n#include <a>', []),
        ('#pragma GCC optimize("O3" // x\n#include <a>', []),
        ("\N{NO-BREAK SPACE}#include <a>\n", []),
        ("#include <\N{LATIN SMALL LETTER E WITH ACUTE}>\n", []),
    ],
)  # fmt: skip
def test_the_block_that_a_program_begins_with(text: str, block: list[str]) -> None:
    assert list(leading_block(text)) == block


TRICKY = [
    "/* a */ #include <stddef.h> // b\n#include <climits>\nint x = INT_MAX;\n",
    "#include <cassert>\n#define NDEBUG\n#include <cassert>\nvoid f() { assert(0); }\n",
    "#include <cstddef> /* \n int gone; */\nint x = __LINE__;\n",
    "// \\\n#include <cstdio>\nint printf;\n",
    "#include <cstdio>\n#undef BUFSIZ\n#define BUFSIZ 3\n#include <cstdio>\nint x = BUFSIZ;\n",
    "%: include <cstdio>\nint x = BUFSIZ;\n",
]


@pytest.mark.parametrize("text", TRICKY)
def test_a_block_put_first_changes_nothing_of_what_the_compiler_sees(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "main.cpp").write_text(text)
    (tmp_path / "block.h").write_text("\n".join(leading_block(text)))
    command = ["g++", "-E", "-P", "main.cpp"]
    plain, ahead = (
        subprocess.run(
            [*command, *more], cwd=tmp_path, capture_output=True, check=True, timeout=30
        ).stdout.split()
        for more in ([], ["-include", "./block.h"])
    )
    assert plain == ahead


# -- what is built -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "flags"),
    [
        (VECTOR, ("-O1", "-std=c++20", "-DX=1", "-Wall", "-lm", "-s")),
        (AVX + UNROLL + VECTOR, ("-O2",)),
        pytest.param(UNROLL + VECTOR, ("-O2",), marks=pytest.mark.slow),
        pytest.param(VECTOR + AVX, ("-O3",), marks=pytest.mark.slow),
        pytest.param(
            '#pragma GCC target("fma")\n#pragma GCC optimize("Ofast")\n' + VECTOR,
            ("-O3",),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_executable_is_the_same_byte_for_byte(
    sandbox: Any, tmp_path: Path, block: str, flags: Sequence[str]
) -> None:
    plain, ours = Gxx(sandbox, tmp_path / "plain"), Gxx(sandbox, tmp_path / "ours")
    expected = content(build(plain, block + PRODUCT, flags))
    ours.expect(Program.of(block), flags)
    assert content(build(ours, block + BODY, flags))
    assert included(sandbox) == [False, False, True]
    found = content(build(ours, block + PRODUCT, flags))
    assert included(sandbox)[3:] == [True]
    assert found == expected
    for header in tmp_path.rglob("block.h"):  # read only if g++ refuses what is compiled of it
        header.write_text("#error not compiled ahead\n")
    assert content(build(ours, block + PRODUCT + "// again", flags)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "rest",
    [
        "int main() {\n    sort();\n}\n",  # not included
        "int main() {\n    std::vector<int> v;\n    v.push_bak(1);\n}\n",
        "int main() { std::vector<int&> v; }\n",  # within the header
        "int main() { std::map<int, int> m; }\n",  # with a hint at what to include
        "int vector;\nusing namespace std;\nvector<int> v;\nint main() {}\n",
        "int missing();\nint main() { return missing(); }\n",
        "#error stop\n",
        "#include <no_such_header>\n",
    ],
)
def test_errors_are_the_same(pair: tuple[Gxx, Gxx], rest: str) -> None:
    first, second = (build(gxx, VECTOR + rest) for gxx in pair)
    assert (first, first.executable) == (second, None)
    assert first.errors


@pytest.mark.slow
def test_lines_and_macros_are_the_programs_own(gxx: Gxx, tmp_path: Path) -> None:
    text = VECTOR + (
        "#include <cassert>\n#include <cstdio>\n"
        'int main() { printf("%s %d %d", __FILE__, __LINE__, __INCLUDE_LEVEL__); }\n'
    )
    gxx.expect(Program.of(text), ["-O1"])
    executable = build(gxx, text).executable
    assert executable is not None
    run = subprocess.run([executable], capture_output=True, check=True, timeout=30)
    assert run.stdout == b"./main.cpp 4 0"


@pytest.mark.slow
def test_a_header_that_g_plus_plus_refuses_is_compiled_anew(gxx: Gxx, tmp_path: Path) -> None:
    gxx.expect(Program.of(VECTOR), ["-O1"])
    expected = content(build(gxx, VECTOR + BODY))
    (made,) = tmp_path.rglob("block.h.gch")
    whole = made.read_bytes()
    for number, broken in enumerate([b"nonsense", whole[: len(whole) // 2]]):
        made.write_bytes(broken)
        assert content(build(gxx, f"{VECTOR}{BODY}// {number}")) == expected


@pytest.mark.slow
def test_more_may_be_included_after_options_that_a_header_gave(gxx: Gxx, sandbox: Any) -> None:
    block = f"{AVX}#include <string>\n"
    gxx.expect(Program.of(block), ["-O1"])
    assert build(gxx, block + "int main() {}\n").executable
    text = f"{block}int before;\n#include <deque>\nint main() {{ return before; }}\n"
    assert build(gxx, text).executable
    assert included(sandbox) == [False, True, True]
    assert "main.cpp:6" in build(gxx, text + "int x = no_such_name;\n").errors


@pytest.mark.slow
def test_a_header_that_changes_a_program_is_given_up(
    gxx: Gxx, sandbox: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxcode.toolchain.gxx.without_options", lambda text, _: text)
    fast = '#pragma GCC target("avx2,fma")\n#pragma GCC optimize("Ofast,unroll-loops")\n'
    block = fast + VECTOR
    gxx.expect(Program.of(block), ["-O3"])
    for number in range(2):
        assert build(gxx, f"{block}{PRODUCT}// {number}", ["-O3"]).executable
    assert included(sandbox) == [False, True, False]


@pytest.mark.slow
def test_a_program_that_does_not_build_proves_nothing(gxx: Gxx, sandbox: Any) -> None:
    gxx.expect(Program.of(VECTOR), ["-O1"])
    assert "stop" in build(gxx, VECTOR + "#error stop\n").errors
    assert build(gxx, VECTOR + BODY).executable
    assert included(sandbox) == [False, False, True]


# -- when it is worth it ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_block_is_compiled_on_its_third_use(gxx: Gxx, sandbox: Any) -> None:
    for number in range(4):
        build(gxx, f"{VECTOR}int main() {{ return {number}; }}\n")
    assert included(sandbox) == [False, False, False, True, True]
    assert compiled(sandbox) == 1


@pytest.mark.slow
def test_one_that_was_announced_is_compiled_on_its_first(gxx: Gxx, sandbox: Any) -> None:
    text, flags = "#include <bits/stdc++.h>\n" + BODY, ("-O3", "-std=c++17")
    expected = content(build(gxx, text + "//", flags))
    gxx.expect(Program.of(text), flags)
    assert content(build(gxx, text, flags)) == expected
    assert included(sandbox) == [False, False, True]


@pytest.mark.slow
def test_another_run_finds_it_in_the_cache(another: Any, sandbox: Any) -> None:
    first, second = another(), another()
    first.expect(Program.of(VECTOR), ["-O1"])
    build(first, VECTOR + BODY)
    build(second, f"{VECTOR}{BODY}//")
    assert included(sandbox) == [False, True, True]
    assert compiled(sandbox) == 1


@pytest.mark.slow
def test_other_flags_need_another(gxx: Gxx, sandbox: Any) -> None:
    for flags in (["-O1"], ["-O2"], ["-O1", "-DX"]):
        build(gxx, VECTOR + BODY, flags)
    assert included(sandbox) == [False] * 3


@pytest.mark.slow
def test_a_beginning_that_blocks_have_in_common_counts(gxx: Gxx, sandbox: Any) -> None:
    for name in ("cstring", "cmath", "cctype", "cstdio"):
        build(gxx, f"{VECTOR}#include <{name}>\n{BODY}")
    assert included(sandbox) == [False, False, False, True, True]
    assert compiled(sandbox) == 1
    for number in range(3):  # with that, an end of its own has to pay for itself
        build(gxx, f"{VECTOR}#include <cerrno>\n{BODY}// {number}")
    assert included(sandbox)[5:] == [True, True, False, True]
    assert compiled(sandbox) == 2


@pytest.mark.slow
def test_the_beginning_of_a_block_does_meanwhile(gxx: Gxx, sandbox: Any) -> None:
    gxx.expect(Program.of(VECTOR), ["-O1"])
    build(gxx, VECTOR + BODY)
    build(gxx, VECTOR + "#include <cstring>\n" + BODY)
    assert included(sandbox) == [False, True, True]
    assert compiled(sandbox) == 1


@pytest.mark.slow
def test_many_at_once_compile_it_once(gxx: Gxx, sandbox: Any) -> None:
    gxx.expect(Program.of(VECTOR), ["-O1"])
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda n: build(gxx, f"{VECTOR}{BODY}//{n}"), range(4)))
    assert len({content(built) for built in made}) == 1
    assert sum(included(sandbox)) == 4
    assert compiled(sandbox) == 1


@pytest.mark.slow
def test_only_so_many_are_kept(gxx: Gxx, sandbox: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxcode.toolchain.headers._MAX_KEPT", 1)
    for name in ("cstdio", "cstdlib", "cstring"):
        gxx.expect(Program.of(f"#include <{name}>\n"), ["-O1"])
        build(gxx, f"#include <{name}>\nint main() {{}}\n")
    assert included(sandbox) == [False, True, False, False]


@pytest.mark.parametrize("flags", [["-I."], ["-include", "cstdio"], ["-Wp,-DX"], ["-nostdinc++"]])
def test_flags_that_change_what_an_include_means_go_without(
    gxx: Gxx, sandbox: Any, flags: list[str]
) -> None:
    gxx.expect(Program.of(VECTOR), flags)
    gxx.build(Program({"main.cpp": VECTOR, "vector": "int main() {}\n"}, "main.cpp"), flags, 60)
    assert included(sandbox) == [False]


@pytest.mark.slow
def test_several_sources_go_without(gxx: Gxx, sandbox: Any) -> None:
    program = Program({"main.cpp": VECTOR + BODY, "other.cpp": "#include <map>\n"}, "main.cpp")
    gxx.expect(program, ["-O1"])
    content(gxx.build(program, ["-O1"], 60))
    assert included(sandbox) == [False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("second", "needed"),
    [("int second;", "int second;"), ("#undef ONCE\n#define ONCE 2", "static_assert(ONCE == 1);")],
)
def test_a_header_that_is_not_the_same_the_second_time_is_left_alone(
    sandbox: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str, needed: str
) -> None:
    place = tmp_path / "opt"  # where g++ has such a header
    for folder in ("bin", "include"):
        (place / folder).mkdir(parents=True)
    (place / "include" / "twice").write_text(
        f"#ifndef ONCE\n#define ONCE 1\n#else\n{second}\n#endif\n"
    )
    compiler = place / "bin" / "g++"
    compiler.write_text(f'#!/bin/sh\nexec /usr/bin/g++ "$@" -isystem {place}/include\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}/bin:{os.environ['PATH']}")
    gxx = Gxx(sandbox, tmp_path / "built")
    text = f"#include <twice>\n{needed}\nint main() {{}}\n"
    gxx.expect(Program.of(text), ["-O1"])
    content(build(gxx, text))
    assert (included(sandbox), compiled(sandbox)) == ([False], 0)
