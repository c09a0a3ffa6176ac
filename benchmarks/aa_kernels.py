"""A/A: a search among 64 candidates that are the same kernel; none may be promoted.

The candidates differ from the example's own module in a comment. The rule is the search's: what
scores above the best is compared with it and promoted if the interval lies above 1. The naive judge
is KernelBench's: the mean of a hundred calls on the same inputs, by the process's own clock.

Usage: python benchmarks/aa_kernels.py [--candidates 64] [--naive 16] [--loads quiet,busy]
       [--seconds 600] [--name aa_kernels] [NAME ...]
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from typing import Any

from aa import busy, search, totals
from common import ROOT, save

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.program import Program
from maxcode.tasks import KernelTask, load_task

KERNELS = ROOT / "examples" / "kernels"
FOUR = ("elementwise_chain", "layer_norm", "matmul_epilogue", "softmax")


def among_equals(task: KernelTask, candidates: int, naive: int, seconds: float) -> dict[str, Any]:
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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=FOUR)
    parser.add_argument("--candidates", type=int, default=64)
    parser.add_argument("--naive", type=int, default=16, help="how many the naive judge judges")
    parser.add_argument("--loads", default="quiet,busy")
    parser.add_argument("--seconds", type=float, default=600.0, help="at most, for each search")
    parser.add_argument("--name", default="aa_kernels", help="of the file of results")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in given.names:
        task = load_task(KERNELS / name)
        assert isinstance(task, KernelTask)
        for load in given.loads.split(","):
            with busy() if load == "busy" else nullcontext():
                found = among_equals(task, given.candidates, given.naive, given.seconds)
            rows.append({"example": name, "meter": "wall", "load": load, **found})
            print(rows[-1], flush=True)
            figures = {
                "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                "totals": list(totals(rows)),
                "searches": rows,
            }
            save(given.name, figures)


if __name__ == "__main__":
    main()
