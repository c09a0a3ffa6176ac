"""A/A: a search among 64 candidates that are the same program; none may be promoted.

The candidates differ from the example's own program in a comment. The rule is the search's: what
scores above the best is compared with it and promoted if the interval lies above 1. Between the
evaluations a naive judge measures too: for C++ the mean of three runs of a copy of the same
executable, against the mean of three at the start; for kernels KernelBench's, the mean of a hundred
calls on the same inputs, by the process's own clock.

Of a C++ example the one test is taken whose time is nearest to --target seconds. Counting
instructions takes ten times longer, so those searches have fewer candidates and a shorter test.
Every search runs quiet and with all other processors busy copying memory.

Usage: python benchmarks/aa.py [--kernels] [--candidates 64] [--counted 16] [--naive 16]
       [--target 0.045] [--meters cpu,instructions] [--loads quiet,busy] [--seconds 600]
       [--name aa_cpp] [NAME ...]
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Any

from common import EXAMPLES, ROOT, save

from maxcode import ProgramExecutor
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.interfaces import Executor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks import KernelTask, ProgramTask, load_program_folder, load_task

FIVE = ("edit_distance", "histogram", "partitions", "prime_sieve", "word_count")
FOUR = ("elementwise_chain", "layer_norm", "matmul_epilogue", "softmax")
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


def search(
    executor: Executor,
    task: Task,
    equal: Callable[[int], Program],
    naive: Callable[[], float],
    candidates: int,
    seconds: float,
) -> dict[str, Any]:
    """Findings of the search's rule and of a naive judge among equals.

    ``equal`` makes a candidate of a number. ``naive`` gives its speedup as the naive judge has it.
    No candidate is begun after so many seconds.
    """
    scores: list[float] = []
    compared: list[float] = []
    plain: list[float] = []
    promoted, speedup, largest, above = 0, 1.0, 1.0, 0
    rounds = judging = 0.0
    began = time.monotonic()
    baseline = executor.prepare(task)
    best = task.baseline
    for number in range(candidates):
        if time.monotonic() - began > seconds:
            break
        program = equal(number)
        started = time.monotonic()
        evaluation = executor.evaluate(task, program)
        assert evaluation.ok, evaluation
        scores.append(evaluation.reward)
        above += evaluation.speedup is not None and evaluation.speedup.low > 1
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
        plain.append(naive())
    return {
        "candidates": len(scores),
        "scores_above_1": above,
        "compared": len(compared),
        "promoted": promoted,
        "largest_confirmed": round(largest, 5),
        "largest_compared": round(max(compared, default=1.0), 5),
        "largest_score": round(max(scores), 5),
        "naive_largest": round(max(plain), 5),
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
            "scores_above_1": sum(row["scores_above_1"] for row in those),
            "compared": sum(row["compared"] for row in those),
            "largest_confirmed": max(row["largest_confirmed"] for row in those),
            "share_promoted": round(sum(row["promoted"] for row in those) / candidates, 5),
            "searches_with_a_promotion": sum(row["promoted"] > 0 for row in those),
            "naive_largest": max(row["naive_largest"] for row in those),
        }


@dataclass(frozen=True)
class Naive:
    """Runs copies of one executable, as a script would."""

    folder: Path
    task: ProgramTask

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


def with_one_test(folder: Path, target: float) -> ProgramTask:
    """The example with the test alone that its program takes nearest to so many seconds for."""
    task = load_program_folder(folder)

    def ratio(single: ProgramTask) -> float:
        with tempfile.TemporaryDirectory() as name:
            naive = Naive(Path(name), single)
            naive.build()
            taken = naive.mean() / target
            return max(taken, 1 / taken)

    # Limits name fields, which a single test does not show.
    alone = (replace(task, tests=(test,), limits=()) for test in task.tests)
    return min(alone, key=ratio)


def among_programs(task: ProgramTask, candidates: int, seconds: float) -> dict[str, Any]:
    """A search in which every candidate is the task's own program but for a comment."""
    with tempfile.TemporaryDirectory() as name, ProgramExecutor() as executor:
        plain = Naive(Path(name), task)
        plain.build()
        reference = plain.mean()
        return search(
            executor,
            task,
            lambda number: Program.of(f"{task.baseline.code}\n// candidate {number}\n"),
            lambda: reference / plain.mean(),
            candidates,
            seconds,
        )


def among_kernels(task: KernelTask, candidates: int, naive: int, seconds: float) -> dict[str, Any]:
    """A search in which every candidate is the task's own module but for a comment."""
    plain = replace(task, judging=replace(task.judging, mode="kernelbench"))
    numbers = count()

    def equal(number: int) -> Program:
        return Program.of(f"{task.baseline.code}\n# candidate {number}\n", task.baseline.entry)

    with KernelExecutor() as executor:

        def naively() -> float:
            number = next(numbers)
            return executor.evaluate(plain, equal(number)).reward if number < naive else 1.0

        return search(executor, task, equal, naively, candidates, seconds)


def searches(given: argparse.Namespace) -> Iterator[tuple[str, str, Callable[[], dict[str, Any]]]]:
    """Name, meter and search of each example."""
    if given.kernels:
        for name in given.names or FOUR:
            kernel = load_task(ROOT / "examples" / "kernels" / name)
            assert isinstance(kernel, KernelTask)
            tried = (kernel, given.candidates, given.naive, given.seconds)
            yield name, "wall", partial(among_kernels, *tried)
        return
    for meter in given.meters.split(","):
        counted = meter == "instructions"
        candidates = given.counted if counted else given.candidates
        for folder in [path for path in EXAMPLES if path.name in (given.names or FIVE)]:
            task = with_one_test(folder, given.target / (SHORTER if counted else 1))
            task = replace(task, judging=replace(task.judging, meter=meter))
            yield folder.name, meter, partial(among_programs, task, candidates, given.seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kernels", action="store_true", help="instead of C++ programs")
    parser.add_argument("--candidates", type=int, default=64)
    parser.add_argument("--counted", type=int, default=16)
    parser.add_argument("--naive", type=int, default=16, help="kernels the naive judge judges")
    parser.add_argument("--target", type=float, default=0.045)
    parser.add_argument("--meters", default="cpu,instructions")
    parser.add_argument("--loads", default="quiet,busy")
    parser.add_argument("--seconds", type=float, default=600.0, help="at most, for each search")
    parser.add_argument("--name", help="of the file of results: aa_cpp or aa_kernels")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name, meter, among_equals in searches(given):
        for load in given.loads.split(","):
            with busy() if load == "busy" else nullcontext():
                rows.append({"example": name, "meter": meter, "load": load, **among_equals()})
            print(rows[-1], flush=True)
            figures = {
                "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                "totals": list(totals(rows)),
                "searches": rows,
            }
            save(given.name or ("aa_kernels" if given.kernels else "aa_cpp"), figures)


if __name__ == "__main__":
    main()
