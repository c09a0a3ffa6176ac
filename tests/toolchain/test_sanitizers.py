from pathlib import Path
from typing import Any

import pytest

from maxcode.program import Program
from maxcode.sandbox.base import Files, Limits
from maxcode.toolchain.gxx import (
    SANITIZE,
    Gxx,
    sanitized_command,
    sanitized_flags,
    sanitizer_cause,
)

pytestmark = pytest.mark.slow

HEAD = """\
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <vector>
int total(const int* p, int n) {
    int s = 0;
    for (int i = 0; i <= n; i++) s += p[i];
    return s;
}
struct Node { int value; Node* next; };
int deep(int n) { volatile char room[100]; room[0] = 0; return n ? deep(n - 1) + room[0] : 0; }
template <class T> struct Box { T get(std::vector<T>& v, int i) { return v[i]; } };
int main() {
    int what, one = 1;
    if (scanf("%d", &what) != 1) return 2;
    switch (what) {
"""

CASES = [
    ('int* p = new int[10](); printf("%d", total(p, 10));', "heap-buffer-overflow at main.cpp:8"),
    (
        'int x = 2147483647; x += one; printf("%d", x);',
        "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"
        " at main.cpp:{}",
    ),
    (
        'std::vector<int> v(3); v.reserve(100); printf("%d", Box<int>().get(v, 4 + one));',
        "container-overflow at main.cpp:13",
    ),
    ("*(volatile int*)(one * 16l) = 3;", "SEGV at main.cpp:{}"),
    ('printf("%d", deep(100000000));', "stack-overflow at main.cpp:12"),
    ("assert(one > 5);", "ABRT at main.cpp:{}"),
    # what is in order
    ('std::vector<int> v(one); v.reserve(9); v.push_back(3); printf("%d", v[1]);', ""),
    ('printf("%d", deep(100000));', ""),  # fits without sanitizers
    ("new int[10];", ""),  # the system takes it back
    ("return 3;", ""),
]


@pytest.fixture(scope="module")
def program(bubblewrap: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    cases = "".join(f"case {n}: {{ {code} break; }}\n" for n, (code, _) in enumerate(CASES))
    gxx = Gxx(bubblewrap, tmp_path_factory.mktemp("built"))
    flags = sanitized_flags(["-O3", "-std=c++17", "-static", "-flto", "-s"])
    built = gxx.build(Program.of(f"{HEAD}{cases}}}\n}}\n"), flags, 120)
    assert built.executable is not None, built.errors
    return built.executable


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_cause_and_its_place(
    bubblewrap: Any, program: Path, tmp_path: Path, number: int
) -> None:
    (tmp_path / "in").write_text(f"{number}\n")
    limits, files = Limits(seconds=60, memory=None), Files(stdin=tmp_path / "in", read=(program,))
    completed = bubblewrap.run(sanitized_command(program), limits, files)
    _, expected = CASES[number]
    line = HEAD.count("\n") + number + 1
    found = sanitizer_cause(completed.stderr)
    assert found.startswith(expected.format(line))
    assert bool(found) == bool(expected)
    assert (completed.code == 1) == bool(expected)


def test_flags_that_sanitizers_do_not_go_with_are_left_out() -> None:
    kept = ("-O3", "-std=c++20", "-march=native", "-DNDEBUG", "-lm", "-fopenmp", "-Wall")
    dropped = ("-static", "-static-libgcc", "-s", "-flto=auto", "-Werror", "-Werror=shadow")
    flags = sanitized_flags([*kept, *dropped, "-fsanitize=thread", "-pie", "-fwhole-program"])
    assert flags == (*kept, *SANITIZE)


def test_undefined_behaviour_inside_a_library_is_led_back_to_the_program() -> None:
    stderr = """\
/usr/include/c++/12/bits/stl_vector.h:1123:34: runtime error: reference binding to null pointer
    #0 0x40 in std::vector<int, std::allocator<int> >::operator[](unsigned long) /usr/i/stl.h:1123
    #1 0x41 in (anonymous namespace)::Grid<std::pair<int, long> >::at(int, int) ./lib/grid.h:31
    #2 0x42 in main ./main.cpp:9
    #3 0x43 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

"""
    assert sanitizer_cause(stderr.encode()) == (
        "reference binding to null pointer at lib/grid.h:31 in "
        "(anonymous namespace)::Grid<std::pair<int, long> >::at(int, int)"
    )
