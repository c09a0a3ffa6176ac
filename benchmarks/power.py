"""Power: how often a candidate that is truly 2, 5, 10 or 50 % faster is promoted, and how soon.

A program runs a loop whose every step waits for the one before, so its time is a start plus a fixed
time for each step. Both are measured first, by programs with no and with all steps in turn; a
candidate then has as many steps as make its whole time shorter by exactly what is planted. A kernel
computes one tensor over and over and throws it away. Every trial is a search of its own with an
executor that knows nothing but the baseline: score, and compare if the score is above 1. Seconds
are those of the evaluation and the comparison together.

A gain of 0 is an equal program, which must not be promoted.

Usage: python benchmarks/power.py [--language c++|c|python|kernel] [--trials 20]
       [--gains 2,5,10,50] [--target 0.045] [--meter cpu] [--loads quiet] [--name power_cpp]
"""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from dataclasses import dataclass
from statistics import median
from typing import Any

from aa import busy
from common import machine, save

from maxcode import ProgramExecutor, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks import KernelTask, ProgramTask
from maxcode.tasks.kernel import KernelJudging
from maxcode.tasks.languages import LANGUAGES
from maxcode.tasks.program import Judging, TestCase

CALIBRATION = {"c++": 100_000_000, "c": 100_000_000, "python": 2_000_000}  # steps, some 0.2 s
COUNTED = 10_000_000  # steps of a baseline whose instructions are counted
KERNEL = 400  # steps of a kernel's reference
PASSES = 6

C = """// trial {trial}
#include <stdio.h>
int main() {{
    unsigned long x = 88172645463325252UL;
    for (long step = 0; step < {steps}L; ++step) {{
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }}
    asm volatile("" : : "r"(x));
    puts("done");
}}
"""
SOURCES = {
    "c++": C,
    "c": C,
    "python": """# trial {trial}
def main(x):
    for _ in range({steps}):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return x
assert main(1) >= 0
print("done")
""",
    "kernel": """# trial {trial}
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = x.clone()
        for _ in range({steps}):
            torch.sin(x, out=y)
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4096)]


def get_init_inputs():
    return []
""",
}


@dataclass(frozen=True)
class Kind:
    """Programs of a language, or kernels, that take so many steps."""

    language: str
    meter: str

    @property
    def executor(self) -> type[KernelExecutor] | type[ProgramExecutor]:
        return KernelExecutor if self.language == "kernel" else ProgramExecutor

    def program(self, steps: int, trial: str = "baseline") -> Program:
        entry = "kernel.py" if self.language == "kernel" else LANGUAGES[self.language].entry
        return Program.of(SOURCES[self.language].format(steps=steps, trial=trial), entry)

    def task(self, steps: int) -> Task:
        program = self.program(steps)
        if self.language == "kernel":
            reference = program.code.replace("ModelNew", "Model")
            return KernelTask("power", "", reference=reference, judging=KernelJudging(device="cpu"))
        return ProgramTask(
            "power",
            "Say that it is done.",
            program,
            language=self.language,
            tests=(TestCase("001", b"", b"done\n"),),
            judging=Judging(meter=self.meter),
        )


@dataclass(frozen=True)
class Cost:
    """Value of the meter for the start of a program, and for each of its steps."""

    start: float
    step: float

    @classmethod
    def measured(cls, kind: Kind) -> Cost:
        if kind.language == "kernel":
            return cls(0.0, 1.0)

        def value(steps: int) -> float:
            with kind.executor() as executor:
                return min(executor.prepare(kind.task(steps)).measurements[0].samples)

        steps = CALIBRATION[kind.language]
        taken = [(value(1), value(steps)) for _ in range(PASSES)]
        start = median(one for one, _ in taken)
        return cls(start, (median(both for _, both in taken) - start) / steps)

    def steps(self, value: float) -> int:
        return round((value - self.start) / self.step)


def trial(kind: Kind, asked: Task, candidate: Program) -> dict[str, Any] | None:
    """One candidate and one chance; None where the machine was too busy for its time limit."""
    with kind.executor() as executor:
        baseline = executor.prepare(asked)
        began = time.monotonic()
        evaluation = executor.evaluate(asked, candidate)
        if evaluation.status is Status.TIMEOUT:
            return None
        assert evaluation.ok, evaluation
        found: dict[str, Any] = {"score": evaluation.reward, "noise": baseline.noise}
        promoted, rounds = False, 0
        if evaluation.reward > 1:
            comparison = executor.compare(asked, candidate, asked.baseline)
            assert comparison.ratio is not None, comparison
            promoted = comparison.ratio.low > 1
            rounds = len(comparison.first[0].samples)
            found["confirmed"] = comparison.ratio
        return {**found, "promoted": promoted, "rounds": rounds, "s": time.monotonic() - began}


def power(kind: Kind, cost: Cost, gain: float, given: argparse.Namespace, load: str) -> Any:
    if kind.language == "kernel":
        target = float(KERNEL)
    else:
        target = given.target if given.meter in {"cpu", "wall"} else cost.step * COUNTED
    baseline, steps = cost.steps(target), cost.steps(target / (1 + gain))
    true = (cost.start + cost.step * baseline) / (cost.start + cost.step * steps)
    trials: list[dict[str, Any]] = []
    number = 0
    while len(trials) < given.trials:
        number += 1
        with busy() if load == "busy" else nullcontext():
            found = trial(kind, kind.task(baseline), kind.program(steps, f"{gain} {number}"))
            trials += [found] if found else []
            print(number, found, flush=True)
    ratios = [one["confirmed"] for one in trials if "confirmed" in one]
    return {
        "load": load,
        "gain_percent": round(100 * (true - 1), 2),
        "trials": len(trials),
        "timeouts": number - len(trials),
        "share_promoted": round(sum(one["promoted"] for one in trials) / len(trials), 4),
        "share_compared": round(len(ratios) / len(trials), 4),
        "intervals_that_hold_the_gain": sum(one.low <= true <= one.high for one in ratios),
        "median_confirmed": round(median(one.value for one in ratios), 5) if ratios else None,
        "median_score": round(median(one["score"] for one in trials), 5),
        "median_rounds": median(one["rounds"] for one in trials),
        "median_noise": round(median(one["noise"] for one in trials), 5),
        "median_seconds": round(median(one["s"] for one in trials), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--gains", default="2,5,10,50", help="in percent")
    parser.add_argument("--target", type=float, default=0.045, help="seconds of the baseline")
    parser.add_argument("--meter", default="cpu")
    parser.add_argument("--loads", default="quiet")
    parser.add_argument("--language", default="c++", choices=SOURCES)
    parser.add_argument("--name", default="power_cpp", help="of the file of results")
    given = parser.parse_args()
    taken_on, kind = machine(), Kind(given.language, given.meter)
    cost = Cost.measured(kind)
    rows: list[dict[str, Any]] = []
    for load in given.loads.split(","):
        for percent in given.gains.split(","):
            rows.append(power(kind, cost, float(percent) / 100, given, load))
            print(rows[-1], flush=True)
            figures = {
                "language": given.language,
                "target": given.target,
                "meter": given.meter,
                "start": cost.start,
                "step": cost.step,
                "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                "gains": rows,
            }
            save(given.name, figures, taken_on)


if __name__ == "__main__":
    main()
