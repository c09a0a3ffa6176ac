"""Callgrind and addr2line on real programs, in a real sandbox, and reports written by hand."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from maxcode.measure.callgrind import Executed, Function, callgrind, parse
from maxcode.measure.symbols import frames
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox

_PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>

__attribute__((noinline)) long odd(long n);
__attribute__((noinline)) long even(long n) { return n == 0 ? 1 : odd(n - 1) ^ 2; }
__attribute__((noinline)) long odd(long n) { return n == 0 ? 0 : even(n - 1) ^ 3; }

inline long squared(long x) {
    volatile long y = x;
    return y * y;
}

__attribute__((noinline)) long work(long n) {
    return squared(n) + 1;
}

void* volatile kept;

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "";
    for (int i = 0; i < 20000; i++) puts("# callgrind format");
    long sum = 0;
    for (int i = 0; i < 500; i++) sum += work(i);
    sum += even(60);
    if (!strcmp(what, "allocate")) {
        for (int i = 0; i < 300; i++) kept = new int(i);
        for (int i = 0; i < 20; i++) kept = new long[i + 1];
        for (int i = 0; i < 4; i++) kept = malloc(100);
        for (int i = 0; i < 2; i++) kept = calloc(10, 10);
        kept = realloc(kept, 5000);
    }
    return sum == 0;
}
"""


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    if shutil.which("valgrind") is None:
        pytest.skip("needs valgrind")
    return BubblewrapSandbox()


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "main.cpp").write_text(_PROGRAM)
    command = ["g++", "-O1", "-g", "./main.cpp", "-o", "program"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "program"


Count = Callable[..., tuple[Completed, Executed | None]]


@pytest.fixture(scope="session")
def count(sandbox: Sandbox, program: Path) -> Count:
    """Runs the program with that word under callgrind."""

    def run(word: str = "") -> tuple[Completed, Executed | None]:
        limits = Limits(seconds=1.0, memory=64 << 20, output=1 << 20)
        return callgrind(sandbox, [str(program), word], limits, Files(read=(program,)))

    return run


@pytest.fixture(scope="session")
def counted(count: Count) -> Executed:
    completed, executed = count()
    assert executed is not None, completed.stderr
    return executed


def test_a_real_program_is_counted(counted: Executed, program: Path) -> None:
    functions = {f.name: costs for f, costs in counted.functions.items() if "program" in f.object}
    assert functions["work(long)"].calls == 500
    assert functions["work(long)"].self == functions["work(long)"].inclusive
    assert functions["even(long)"].calls == 31
    assert functions["odd(long)"].calls == 30
    assert functions["odd(long)"].inclusive < functions["even(long)"].inclusive < 1000
    assert functions["main"].inclusive < counted.instructions
    recursive = {function.name for function in counted.recursive}
    assert {"even(long)", "odd(long)"} <= recursive
    assert "work(long)" not in recursive


def test_inlined_code_keeps_its_line_and_has_frames(
    counted: Executed, program: Path, sandbox: Sandbox
) -> None:
    lines = _PROGRAM.split("\n")
    product = next(n for n, line in enumerate(lines, 1) if "y * y" in line)
    caller = next(n for n, line in enumerate(lines, 1) if "squared(n)" in line)
    inlined = [
        spot
        for spot in counted.costs
        if spot.function.name == "work(long)" and spot.line == product
    ]
    assert inlined
    found = frames(sandbox, program, [spot.address for spot in inlined])
    chain = found[inlined[0].address]
    assert [frame.line for frame in chain] == [product, caller]
    assert [frame.function.partition("(")[0] for frame in chain] == ["squared", "work"]
    assert all(frame.file.endswith("main.cpp") for frame in chain)


@pytest.mark.slow
def test_allocations_of_a_real_program(count: Count, counted: Executed) -> None:
    _, executed = count("allocate")
    assert executed is not None
    assert executed.allocations - counted.allocations == 300 + 20 + 4 + 2 + 1


def report(*lines: str) -> bytes:
    start = ["# callgrind format", "version: 1", "positions: instr line", "events: Ir", ""]
    return "\n".join([*start, *lines, ""]).encode()


def named(executed: Executed) -> dict[str, tuple[int, int, int]]:
    return {f.name: (c.self, c.inclusive, c.calls) for f, c in executed.functions.items()}


def test_recursion_is_counted_once() -> None:
    executed = parse(
        report(
            *("ob=(1) /bin/program", "fl=(1) main.cpp", "fn=(1) main"),
            *("cfn=(2) f(int)", "calls=1 0x20 5 ", "0x10 3 100"),
            *("fn=(2)", "0x20 5 10", "cfn=(3) f(int)'2", "calls=1 0x20 5 ", "0x24 6 90"),
            *("fn=(3)", "0x20 5 90", "cfn=(3)", "calls=8 0x20 5 ", "0x24 6 500"),
        )
    )
    assert named(executed)["f(int)"] == (100, 100, 10)
    assert executed.recursive == {Function("/bin/program", "f(int)")}


def test_nonsense_is_passed_over() -> None:
    executed = parse(
        report(
            *("0x1 1 5", "fn=(77)", "0x2 2 6", "cfn=(78)", "calls=2 0x1 1 ", "0x3 3 4"),
            *("calls=999999999999999999999999 1", "0xzz 1 1", "0x4 -1 1", "0x5 1 1e9", "\0\0"),
            *("fn=", "ob", "summary: 12345", "0x6 1 1 1", "=" * 1000, "(1) x"),
        )
        + b"\xff\xfe 0x1 1 1"
    )
    assert executed.instructions == 11
