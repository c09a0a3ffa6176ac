"""A/A: a search among 64 candidates that are the same program; none may be promoted.

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
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from aa import busy, search, totals
from common import EXAMPLES, save

from maxcode import ProgramExecutor
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.program import Program
from maxcode.tasks import ProgramTask, load_program_folder

FIVE = ("edit_distance", "histogram", "partitions", "prime_sieve", "word_count")
NAIVE = 3  # runs that a naive judge takes the mean of
SHORTER = 10.0  # times, for counted programs


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

    return min((replace(task, tests=(test,)) for test in task.tests), key=ratio)


def among_equals(task: ProgramTask, candidates: int, seconds: float) -> dict[str, Any]:
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
    rows: list[dict[str, Any]] = []
    for meter in given.meters.split(","):
        counted = meter == "instructions"
        for folder in [path for path in EXAMPLES if path.name in given.names]:
            task = with_one_test(folder, given.target / (SHORTER if counted else 1))
            task = replace(task, judging=replace(task.judging, meter=meter))
            for load in given.loads.split(","):
                candidates = given.counted if counted else given.candidates
                with busy() if load == "busy" else nullcontext():
                    found = among_equals(task, candidates, given.seconds)
                rows.append({"example": folder.name, "meter": meter, "load": load, **found})
                print(rows[-1], flush=True)
                figures = {
                    "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                    "totals": list(totals(rows)),
                    "searches": rows,
                }
                save(given.name, figures)


if __name__ == "__main__":
    main()
