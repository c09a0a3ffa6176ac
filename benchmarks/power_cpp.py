"""Power: how often a candidate that is truly 2, 5, 10 or 50 % faster is promoted, and how soon.

The program runs a loop whose every step waits for the one before, so its time is a start plus a
fixed time for each step. Both are measured first, by programs with no and with all steps in turn;
a candidate then has as many steps as make its whole time shorter by exactly what is planted. Every
trial is a search of its own with an executor that knows nothing but the baseline: score, and
compare if the score is above 1. Seconds are those of the evaluation and the comparison together.

A gain of 0 is an equal program, which must not be promoted.

Usage: python benchmarks/power_cpp.py [--trials 20] [--gains 2,5,10,50] [--target 0.045]
       [--meter cpu] [--loads quiet] [--language c++] [--name power_cpp]
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

from maxcode import ProgramExecutor
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.program import Program
from maxcode.tasks import ProgramTask
from maxcode.tasks.languages import LANGUAGES
from maxcode.tasks.program import Judging, TestCase

CALIBRATION = {"c++": 100_000_000, "c": 100_000_000, "python": 2_000_000}  # steps, some 0.2 s
PASSES = 6

PYTHON = """# trial {trial}
def main(x):
    for _ in range({steps}):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return x
assert main(1) >= 0
print("done")
"""
SOURCE = """// trial {trial}
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


def program(steps: int, language: str, trial: str = "baseline") -> Program:
    source = PYTHON if language == "python" else SOURCE
    return Program.of(source.format(steps=steps, trial=trial), LANGUAGES[language].entry)


def task(steps: int, meter: str, language: str) -> ProgramTask:
    return ProgramTask(
        "power",
        "Say that it is done.",
        program(steps, language),
        language=language,
        tests=(TestCase("001", b"", b"done\n"),),
        judging=Judging(meter=meter),
    )


@dataclass(frozen=True)
class Cost:
    """What a program costs on the meter: ``start`` and each of its steps."""

    start: float
    step: float

    @classmethod
    def measured(cls, meter: str, language: str) -> Cost:
        def value(steps: int) -> float:
            with ProgramExecutor() as executor:
                return min(executor.prepare(task(steps, meter, language)).measurements[0].samples)

        steps = CALIBRATION[language]
        taken = [(value(1), value(steps)) for _ in range(PASSES)]
        start = median(one for one, _ in taken)
        return cls(start, (median(both for _, both in taken) - start) / steps)

    def steps(self, value: float) -> int:
        return round((value - self.start) / self.step)


def trial(asked: ProgramTask, candidate: Program) -> dict[str, Any]:
    """One candidate and one chance."""
    with ProgramExecutor() as executor:
        baseline = executor.prepare(asked)
        began = time.monotonic()
        evaluation = executor.evaluate(asked, candidate)
        assert evaluation.ok, evaluation
        found: dict[str, Any] = {"score": evaluation.reward, "noise": baseline.noise}
        promoted, rounds = False, 0
        if evaluation.reward > 1:
            comparison = executor.compare(asked, candidate, asked.baseline)
            assert comparison.ratio is not None, comparison
            promoted = comparison.ratio.low > 1
            rounds = len(comparison.first[0].samples)
            found["confirmed"] = comparison.ratio.value
        return {**found, "promoted": promoted, "rounds": rounds, "s": time.monotonic() - began}


def power(cost: Cost, gain: float, given: argparse.Namespace, load: str) -> dict[str, Any]:
    target = given.target if given.meter in {"cpu", "wall"} else cost.step * 10_000_000
    asked = task(cost.steps(target), given.meter, given.language)
    steps = cost.steps(target / (1 + gain))
    trials = []
    for number in range(given.trials):
        with busy() if load == "busy" else nullcontext():
            trials.append(trial(asked, program(steps, given.language, f"{gain} {number}")))
    return {
        "load": load,
        "gain_percent": round(100 * gain, 2),
        "trials": len(trials),
        "share_promoted": round(sum(one["promoted"] for one in trials) / len(trials), 4),
        "share_compared": round(sum(one["rounds"] > 0 for one in trials) / len(trials), 4),
        "median_confirmed": round(median(one.get("confirmed", 1.0) for one in trials), 5),
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
    parser.add_argument("--language", default="c++", choices=CALIBRATION)
    parser.add_argument("--name", default="power_cpp", help="of the file of results")
    given = parser.parse_args()
    taken_on = machine()
    cost = Cost.measured(given.meter, given.language)
    rows: list[dict[str, Any]] = []
    for load in given.loads.split(","):
        for percent in given.gains.split(","):
            rows.append(power(cost, float(percent) / 100, given, load))
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
