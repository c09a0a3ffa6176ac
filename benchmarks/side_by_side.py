"""Two checkouts measured in turn: importing, the loop's overhead, and verdicts on the examples.

Each process has one of the checkouts on its path; the checkouts take turns, so that a drift of the
machine meets both. For importing and the loop each sample is a process of its own. For verdicts
each checkout has a process for an example, whose judge is prepared and has judged before; both are
asked for the same candidate in turn, each time with another number in a comment. Ratios are medians
of the later checkout over the earlier.

Usage: python benchmarks/side_by_side.py BEFORE AFTER [--rounds 7] [--only start,cpp,kernels]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import ROOT, machine, save

_JUDGE = """
import sys, time
from pathlib import Path
from maxcode import CppExecutor, Program
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.tasks import load_task
kind, folder, entry = sys.argv[1:4]
task = load_task(folder)
with (CppExecutor if kind == "cpp" else KernelExecutor)() as executor:
    executor.prepare(task)
    print("ready", flush=True)
    for line in sys.stdin:
        path, _, comment = line.strip().partition(" ")
        program = Program({entry: Path(path).read_text() + comment + chr(10)}, entry)
        time.sleep(3)  # until processes stand ready again, which takes as long as starting torch
        began = time.perf_counter()
        found = executor.evaluate(task, program)
        print(time.perf_counter() - began, found.status, flush=True)
"""
_START = {
    "import_maxcode": "import time; a = time.perf_counter(); import maxcode; "
    "print(time.perf_counter() - a)",
    "import_every_name": "import time; a = time.perf_counter(); from maxcode import *; "
    "print(time.perf_counter() - a)",
    "loop_ms_a_candidate": "import sys; sys.path.insert(0, 'benchmarks'); import loop_overhead; "
    "print(loop_overhead.measure(1000)['ms_each'])",
}
_KERNELS = ("fused_cpp", "plain")  # candidates of each kernel example that are right
_ATTEMPTS = 3
_CPP = ("partitions", "histogram", "big_sums", "edit_distance", "prime_sieve", "word_count")

Samples = tuple[list[float], list[float]]
"""Of the earlier checkout and of the later."""


@dataclass(frozen=True)
class Example:
    """What is judged: an example's folder, the file of a program, and files with candidates."""

    kind: str
    folder: Path
    entry: str
    candidates: tuple[Path, ...]


class Judge:
    """A process with the package of one checkout that judges candidates of an example."""

    def __init__(self, checkout: Path, example: Example, stack: ExitStack) -> None:
        self._comment = "//" if example.kind == "cpp" else "#"
        command = [sys.executable, "-c", _JUDGE, example.kind, str(example.folder), example.entry]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, cwd=checkout, env=_environment(checkout)
        )
        self._process = stack.enter_context(process)
        self._answer()

    def seconds(self, candidate: Path, number: int) -> float:
        """Of a verdict on the candidate with a number in a comment, which has to be OK.

        Earlier checkouts refuse some right kernels now and then; those are asked for once more.
        """
        assert self._process.stdin
        for again in range(_ATTEMPTS):
            comment = f"{self._comment} {number} {again}"
            print(candidate, comment, file=self._process.stdin, flush=True)
            seconds, _, status = self._answer().partition(" ")
            if status == "ok":
                return float(seconds)
        raise RuntimeError(f"{candidate}: {status}")

    def _answer(self) -> str:
        assert self._process.stdout
        if line := self._process.stdout.readline():
            return line.strip()
        raise RuntimeError("a process that judges has ended")


def measured(checkout: Path, code: str) -> float:
    """What the code prints, run with the package of this checkout, in its folder."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=checkout,
        env=_environment(checkout),
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def starts(checkouts: list[Path], rounds: int) -> Iterator[tuple[str, Samples]]:
    """Samples of processes of their own, by name."""
    samples: dict[str, Samples] = {name: ([], []) for name in _START}
    for number in range(rounds):
        for name, code in _START.items():
            for side in _order(number):
                samples[name][side].append(measured(checkouts[side], code))
    yield from samples.items()


def verdicts(example: Example, checkouts: list[Path], rounds: int) -> Iterator[tuple[str, Samples]]:
    """Seconds of verdicts on each candidate of an example, after one that does not count."""
    with ExitStack() as stack:
        judges = [Judge(checkout, example, stack) for checkout in checkouts]
        for candidate in example.candidates:
            samples: Samples = ([], [])
            for number in range(-1, rounds):
                for side in _order(number):
                    seconds = judges[side].seconds(candidate, number)
                    if number >= 0:
                        samples[side].append(round(seconds, 3))
            yield f"{example.kind}_{example.folder.name}_{candidate.stem}", samples


def examples(kind: str) -> Iterator[Example]:
    if kind == "kernels":
        for task in sorted((ROOT / "examples" / "kernels").glob("*/task.toml")):
            paths = tuple(task.parent / "candidates" / f"{name}.py" for name in _KERNELS)
            yield Example("kernel", task.parent, "kernel.py", paths)
    if kind == "cpp":
        for name in _CPP:
            folder = ROOT / "examples" / "cpp" / name
            yield Example("cpp", folder, "main.cpp", (folder / "main.cpp",))


def samples_of(part: str, checkouts: list[Path], rounds: int) -> Iterator[tuple[str, Samples]]:
    """Samples of one of the parts that ``--only`` names."""
    if part == "start":
        yield from starts(checkouts, rounds)
    for example in examples(part):
        yield from verdicts(example, checkouts, rounds)


def _environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout / "src")}


def _order(number: int) -> tuple[int, int]:
    return (0, 1) if number % 2 else (1, 0)


def main() -> None:
    """Measure both in turn, and write all samples down."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", nargs=2, type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="start,cpp,kernels")
    given = parser.parse_args()
    taken_on = machine()
    both = [path.resolve() for path in given.checkouts]
    for part in given.only.split(","):
        figures: dict[str, Any] = {}
        for name, (before, after) in samples_of(part, both, given.rounds):
            ratio = round(statistics.median(after) / statistics.median(before), 3)
            figures[name] = {"ratio": ratio, "before": before, "after": after}
            print(name, ratio, flush=True)
            mean = statistics.geometric_mean(one["ratio"] for one in figures.values())
            together = {"rounds": given.rounds, "geometric_mean": round(mean, 3)}
            save(f"side_by_side_{part}", {**together, **figures}, taken_on)


if __name__ == "__main__":
    main()
