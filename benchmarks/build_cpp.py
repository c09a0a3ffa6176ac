"""Seconds to build each example: plain g++, and as maxcode builds it; side by side, in the sandbox.

Every build is of a new text. Both kinds take turns in random order, and their executables are
compared byte for byte.

Usage: python benchmarks/build_cpp.py [--rounds 5] [NAME ...]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from common import EXAMPLES, machine, save

from maxcode.program import Program
from maxcode.sandbox.base import Files, Limits
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.tasks.cpp import CppTask, load_cpp_folder
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.gxx import Built, Gxx

PLAIN = 'cd "$1" && shift && g++ "$@" -o /tmp/made && cat /tmp/made'


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    outcome = work()
    return time.perf_counter() - started, outcome


class Bench:
    """One example, built in every way."""

    def __init__(self, task: CppTask, scratch: Path) -> None:
        self.program, self.flags = task.baseline, task.judging.flags
        self.scratch = scratch
        self.sandbox = BubblewrapSandbox()
        self.runs = 0

    def gxx(self) -> Gxx:
        """As in a run of its own, with the cache of all runs."""
        self.runs += 1
        return Gxx(self.sandbox, self.scratch / f"run{self.runs}", BuildCache(self.scratch / "c"))

    def build(self, gxx: Gxx, program: Program) -> tuple[float, bytes]:
        seconds, built = timed(lambda: gxx.build(program, self.flags, 120))
        assert isinstance(built, Built)
        assert built.executable is not None, built.errors
        return seconds, built.executable.read_bytes()

    def build_plainly(self, program: Program) -> tuple[float, bytes]:
        folder = self.scratch / "src"
        program.write(folder)
        folder.chmod(0o755)
        sources = [f"./{path}" for path in program.files if path.endswith(".cpp")]
        command = ["/bin/sh", "-c", PLAIN, "sh", str(folder), *sources, *self.flags]
        limits = Limits(120, memory=4 << 30, output=256 << 20, scratch=768 << 20, processes=256)
        seconds, done = timed(lambda: self.sandbox.run(command, limits, Files(read=(folder,))))
        assert done.ok, done.stderr
        return seconds, done.stdout

    def measure(self, rounds: int, rng: Random) -> dict[str, Any]:
        gxx = self.gxx()
        gxx.expect(self.program, self.flags)
        first, _ = self.build(gxx, self.program)
        ours, plain, same = list[float](), list[float](), True
        for number in range(rounds):
            program = self.program.with_code(f"{self.program.code}\n// {number}\n")
            ways: list[tuple[list[float], Callable[[Program], tuple[float, bytes]]]] = [
                (ours, lambda program: self.build(gxx, program)),
                (plain, self.build_plainly),
            ]
            rng.shuffle(ways)
            made = []
            for taken, way in ways:
                seconds, executable = way(program)
                taken.append(seconds)
                made.append(executable)
            same = same and made[0] == made[1]
        again, _ = self.build(gxx, self.program)
        later = self.gxx()
        self.build(later, self.program)  # asks the compiler for its version
        kept, _ = self.build(later, program)
        return {
            "entire_standard_library": "bits/stdc++.h" in self.program.code,
            "plain_seconds": [round(seconds, 3) for seconds in plain],
            "ours_seconds": [round(seconds, 3) for seconds in ours],
            "times_faster": round(statistics.median(plain) / statistics.median(ours), 2),
            "same_executable": same,
            "first_build_with_its_header_seconds": round(first, 3),
            "again_in_the_same_run_ms": round(1000 * again, 3),
            "again_in_a_later_run_ms": round(1000 * kept, 3),
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    taken_on = machine()
    rng = Random(2026)
    examples: dict[str, Any] = {}
    for folder in EXAMPLES:
        if arguments.names and folder.name not in arguments.names:
            continue
        with tempfile.TemporaryDirectory(prefix="maxcode-") as scratch:
            bench = Bench(load_cpp_folder(folder), Path(scratch))
            examples[folder.name] = bench.measure(arguments.rounds, rng)
        print(folder.name, examples[folder.name], flush=True)
    if not arguments.names:
        save("build_cpp", {"rounds": arguments.rounds, "examples": examples}, taken_on)


if __name__ == "__main__":
    main()
