"""Power on kernels: how often a candidate that is truly 2, 5 or 10 % faster is promoted.

A call computes one tensor over and over and throws it away, so its time is that of its steps, and a
candidate has as many as make it shorter by what is planted. Each trial is a search of its own:
score, and compare if the score is above 1. Seconds are those of both together.

Usage: python benchmarks/power_kernels.py [--trials 10] [--gains 2,5,10] [--steps 400]
       [--name power_kernels]
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any

from common import save

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.program import Program
from maxcode.tasks import KernelTask
from maxcode.tasks.kernel import KernelJudging

SOURCE = """# trial {trial}
import torch
from torch import nn


class {name}(nn.Module):
    def forward(self, x):
        y = x.clone()
        for _ in range({steps}):
            torch.sin(x, out=y)
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4096)]


def get_init_inputs():
    return []
"""


def trial(executor: KernelExecutor, task: KernelTask, candidate: Program) -> dict[str, Any]:
    """One candidate and one chance."""
    began = time.monotonic()
    evaluation = executor.evaluate(task, candidate)
    assert evaluation.ok, evaluation
    found: dict[str, Any] = {"score": evaluation.reward, "promoted": False}
    if evaluation.reward > 1:
        comparison = executor.compare(task, candidate, task.baseline)
        assert comparison.ratio is not None, comparison
        found["promoted"] = comparison.ratio.low > 1
        found["confirmed"] = comparison.ratio.value
        found["interval"] = [comparison.ratio.low, comparison.ratio.high]
    return {**found, "s": round(time.monotonic() - began, 2)}


def power(
    executor: KernelExecutor, task: KernelTask, gain: float, given: argparse.Namespace
) -> dict[str, Any]:
    steps = round(given.steps / (1 + gain))
    true = given.steps / steps
    trials = []
    for number in range(given.trials):
        text = SOURCE.format(name="ModelNew", steps=steps, trial=f"{gain} {number}")
        trials.append(trial(executor, task, Program.of(text, "kernel.py")))
    confirmed = [one["confirmed"] for one in trials if "confirmed" in one]
    intervals = [one["interval"] for one in trials if "interval" in one]
    held = [low <= true <= high for low, high in intervals]
    return {
        "gain_percent": round(100 * (true - 1), 2),
        "trials": len(trials),
        "promoted": sum(one["promoted"] for one in trials),
        "compared": len(confirmed),
        "intervals_that_hold_the_gain": sum(held),
        "median_confirmed": round(median(confirmed), 4) if confirmed else None,
        "median_score": round(median(one["score"] for one in trials), 4),
        "median_seconds": median(one["s"] for one in trials),
        "each": trials,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--gains", default="2,5,10", help="in percent")
    parser.add_argument("--steps", type=int, default=400, help="of the reference")
    parser.add_argument("--name", default="power_kernels", help="of the file of results")
    given = parser.parse_args()
    reference = SOURCE.format(name="Model", steps=given.steps, trial="reference")
    task = KernelTask("power", "", reference=reference, judging=KernelJudging(device="cpu"))
    rows: list[dict[str, Any]] = []
    with KernelExecutor() as executor:
        executor.prepare(task)
        for percent in given.gains.split(","):
            rows.append(power(executor, task, float(percent) / 100, given))
            print({key: one for key, one in rows[-1].items() if key != "each"}, flush=True)
            figures = {
                "steps": given.steps,
                "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                "gains": rows,
            }
            save(given.name, figures)


if __name__ == "__main__":
    main()
