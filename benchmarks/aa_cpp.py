"""A/A: a search among 64 candidates that are the same program. Nothing can be found; what is?

The candidates differ from the example's own program in a comment. The rule is the search's: what
scores above the best is compared with it and promoted if the interval lies above 1. Each example
has one test, the one whose time is nearest to --target seconds. Between the evaluations a naive
judge measures too: the mean of three runs of a copy of the same executable, against the mean of
three at the start.

Every search runs quiet and with all other processors busy copying memory. Counting instructions
takes ten times longer, so those searches have fewer candidates and a shorter test.

Usage: python benchmarks/aa_cpp.py [--candidates 64] [--counted 16] [--target 0.045]
       [--meters cpu,instructions] [--loads quiet,busy] [--seconds 600] [--name aa_cpp] [NAME ...]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from common import EXAMPLES, machine, save

from maxcode import CppExecutor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.program import Program
from maxcode.tasks import CppTask, load_cpp_folder

FIVE = ("edit_distance", "histogram", "partitions", "prime_sieve", "word_count")
NAIVE = 3  # runs that a naive judge takes the mean of
SHORTER = 10.0  # times, for counted programs


@contextmanager
def busy() -> Iterator[None]:
    """All processors but those for timing copy memory."""
    timing = timing_processors()
    others = [one for one in other_processors(timing) if one not in timing]
    processes = [multiprocessing.Process(target=copy_memory, args=(one,)) for one in others]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def copy_memory(processor: int) -> None:
    os.sched_setaffinity(0, {processor})
    block = bytearray(32 << 20)
    while True:
        block = bytearray(block)


@dataclass(frozen=True)
class Naive:
    """Runs copies of one executable, as a script would."""

    folder: Path
    task: CppTask

    def build(self) -> None:
        self.task.baseline.write(self.folder)
        command = ["g++", self.task.baseline.entry, *self.task.judging.flags, "-o", "program"]
        subprocess.run(command, cwd=self.folder, check=True)

    def mean(self) -> float:
        """Processor time of a fresh copy over all tests, the mean of three."""
        executable = self.folder / "copy"
        shutil.copy(self.folder / "program", executable)
        means = fmean(sum(self._run(executable)) for _ in range(NAIVE))
        executable.unlink()
        return means

    def _run(self, executable: Path) -> Iterator[float]:
        for test in self.task.tests:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([executable], input=test.input, capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            yield after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def with_one_test(folder: Path, target: float) -> CppTask:
    """The example with the test alone that its program takes nearest to so many seconds for."""
    task = load_cpp_folder(folder)

    def ratio(single: CppTask) -> float:
        with tempfile.TemporaryDirectory() as name:
            naive = Naive(Path(name), single)
            naive.build()
            taken = naive.mean() / target
            return max(taken, 1 / taken)

    return min((replace(task, tests=(test,)) for test in task.tests), key=ratio)


def search(task: CppTask, candidates: int, seconds: float) -> dict[str, Any]:
    """What the search's rule and a naive judge find among equals."""
    scores: list[float] = []
    compared: list[float] = []
    naive: list[float] = []
    promoted, speedup, largest = 0, 1.0, 1.0
    rounds = judging = 0.0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name, CppExecutor() as executor:
        plain = Naive(Path(name), task)
        plain.build()
        baseline = executor.prepare(task)
        best, reference = task.baseline, plain.mean()
        for number in range(candidates):
            if time.monotonic() - began > seconds:
                break
            program = Program.of(f"{task.baseline.code}\n// candidate {number}\n")
            started = time.monotonic()
            evaluation = executor.evaluate(task, program)
            assert evaluation.ok, evaluation
            scores.append(evaluation.reward)
            if evaluation.reward > speedup:
                comparison = executor.compare(task, program, best)
                assert comparison.ratio is not None, comparison
                compared.append(comparison.ratio.value)
                rounds += len(comparison.first[0].samples)
                if comparison.ratio.low > 1:
                    promoted, best = promoted + 1, program
                    speedup *= comparison.ratio.value
                    largest = max(largest, speedup)
            judging += time.monotonic() - started
            naive.append(reference / plain.mean())
    return {
        "candidates": len(scores),
        "compared": len(compared),
        "promoted": promoted,
        "largest_confirmed": round(largest, 5),
        "largest_compared": round(max(compared, default=1.0), 5),
        "largest_score": round(max(scores), 5),
        "naive_largest": round(max(naive), 5),
        "baseline": baseline.value,
        "noise": baseline.noise,
        "rounds_a_comparison": round(rounds / max(len(compared), 1), 1),
        "seconds": round(time.monotonic() - began, 1),
        "seconds_a_candidate": round(judging / len(scores), 2),
    }


def totals(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The figures that matter, for each meter and load."""
    for meter, load in dict.fromkeys((row["meter"], row["load"]) for row in rows):
        those = [row for row in rows if (row["meter"], row["load"]) == (meter, load)]
        candidates = sum(row["candidates"] for row in those)
        yield {
            "meter": meter,
            "load": load,
            "searches": len(those),
            "candidates": candidates,
            "largest_confirmed": max(row["largest_confirmed"] for row in those),
            "share_promoted": round(sum(row["promoted"] for row in those) / candidates, 5),
            "searches_with_a_promotion": sum(row["promoted"] > 0 for row in those),
            "naive_largest": max(row["naive_largest"] for row in those),
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=FIVE)
    parser.add_argument("--candidates", type=int, default=64)
    parser.add_argument("--counted", type=int, default=16)
    parser.add_argument("--target", type=float, default=0.045)
    parser.add_argument("--meters", default="cpu,instructions")
    parser.add_argument("--loads", default="quiet,busy")
    parser.add_argument("--seconds", type=float, default=600.0, help="at most, for each search")
    parser.add_argument("--name", default="aa_cpp", help="of the file of results")
    given = parser.parse_args()
    taken_on = machine()
    rows: list[dict[str, Any]] = []
    for meter in given.meters.split(","):
        counted = meter == "instructions"
        for folder in [path for path in EXAMPLES if path.name in given.names]:
            task = with_one_test(folder, given.target / (SHORTER if counted else 1))
            task = replace(task, judging=replace(task.judging, meter=meter))
            for load in given.loads.split(","):
                with busy() if load == "busy" else nullcontext():
                    candidates = given.counted if counted else given.candidates
                    found = search(task, candidates, given.seconds)
                rows.append({"example": folder.name, "meter": meter, "load": load, **found})
                print(rows[-1], flush=True)
                figures = {
                    "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                    "totals": list(totals(rows)),
                    "searches": rows,
                }
                save(given.name, figures, taken_on)


if __name__ == "__main__":
    main()
