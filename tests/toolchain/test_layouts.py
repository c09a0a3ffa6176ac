"""Relinking: the same program in other layouts."""

import subprocess
from pathlib import Path
from random import Random

import pytest

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.toolchain.compiler import Compiling
from maxcode.toolchain.gxx import Gxx

pytestmark = pytest.mark.slow

SOURCE = """
#include <cstdio>
int table[256];
[[gnu::noinline]] int first(int x) { return x * 3 + table[x]; }
[[gnu::noinline]] int second(int x) { return first(x) ^ 5; }
int main() { std::printf("%d\\n", second(4)); }
"""
NAMES = ("_Z5firsti", "_Z6secondi", "main")


def drawn(folder: Path, source: str, *flags: str, count: int = 3, seed: int = 1) -> list[Path]:
    build, out = folder / "build", folder / "out"
    gxx = Gxx(BubblewrapSandbox(), build)
    layouts = gxx.layouts(Program.of(source), flags, out, Random(seed), Compiling(60.0))
    return [layouts.draw() for _ in range(count)]


def addresses(executable: Path) -> dict[str, int]:
    listed = subprocess.run(["/usr/bin/nm", executable], capture_output=True, text=True, check=True)
    rows = (line.split() for line in listed.stdout.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


@pytest.mark.parametrize("flags", [("-O2",), ("-O2", "-flto", "-static")])
def test_layouts_differ_in_nothing_but_places(tmp_path: Path, flags: tuple[str, ...]) -> None:
    executables = drawn(tmp_path, SOURCE, *flags)
    printed = {subprocess.check_output([one]) for one in executables}
    assert printed == {b"9\n"}
    found = [addresses(one) for one in executables]
    assert len({one["main"] for one in found}) == 3
    assert len({one["table"] for one in found}) == 3
    names = [name for name in NAMES if name in found[0]]  # what is left of them is inlined
    distances = {tuple(one[name] - one["main"] for name in names) for one in found}
    assert len(distances) == (3 if len(names) > 1 else 1)
    assert len({len(one.name) for one in executables}) > 1  # which moves the stack


def test_a_program_of_one_function_is_moved_too(tmp_path: Path) -> None:
    executables = drawn(tmp_path, "int main() { return 0; }", "-O2", count=4)
    assert len({addresses(one)["main"] for one in executables}) == 4


def test_what_cannot_be_relinked_says_why(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"relinking ended with status 1: .*missing"):
        drawn(tmp_path, "int missing(); int main() { return missing(); }", "-O2")
    with pytest.raises(ToolError, match="does not build as one object"):
        drawn(tmp_path / "other", "int main() { return missing(); }", "-O2")
