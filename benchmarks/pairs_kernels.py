"""Kernels in fresh processes: by how much do two processes with the same kernel differ?

The candidate differs from the example's own module in a comment. A comparison measures it beside
that module in pair after pair of fresh processes, each ratio of which would be 1 if all processes
were alike. What a pair is off by is what the score of a single process may be off by, too.

Usage: python benchmarks/pairs_kernels.py [--pairs 24] [NAME ...]
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np
from aa_kernels import FOUR, KERNELS
from common import machine, save

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks import load_task


def pairs(name: str, count: int) -> dict[str, Any]:
    task = load_task(KERNELS / name)
    equal = Program.of(f"{task.baseline.code}\n# the same\n", task.baseline.entry)
    plan = Plan(least=count, most=count, precision=0.0, seconds=math.inf)
    with KernelExecutor(confirm=plan) as executor:
        executor.prepare(task)
        began = time.monotonic()
        comparison = executor.compare(task, equal, task.baseline)
        seconds = (time.monotonic() - began) / count
    assert comparison.ratio, comparison
    ours, theirs = (np.array(side[0].samples) for side in (comparison.first, comparison.second))
    off = np.log(theirs / ours)
    return {
        "example": name,
        "pairs": len(off),
        "seconds_a_pair": round(seconds, 2),
        "deviation": round(float(off.std(ddof=1)), 4),
        "within_of_19_in_20": round(float(np.quantile(np.abs(off), 0.95)), 4),
        "largest": round(float(np.abs(off).max()), 4),
        "mean": round(float(off.mean()), 4),
        "interval": [comparison.ratio.low, comparison.ratio.high],
        "log_ratios": [round(float(one), 4) for one in off],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=FOUR)
    parser.add_argument("--pairs", type=int, default=24)
    given = parser.parse_args()
    taken_on = machine()
    rows: list[dict[str, Any]] = []
    for name in given.names:
        rows.append(pairs(name, given.pairs))
        print({key: one for key, one in rows[-1].items() if key != "log_ratios"}, flush=True)
        save("pairs_kernels", {"examples": rows}, taken_on)


if __name__ == "__main__":
    main()
