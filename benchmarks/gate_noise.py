"""Rules for a gate on a busy machine: false alarms, power and time of several rules.

    python benchmarks/gate_noise.py [--runs 200] [--pairs 6000] [--neighbours 2]

A program of some 40 ms runs again and again beside neighbours that compute now and then, as on a
shared runner. Of each process the processor time and the time on the clock are kept. Two such
samples after one another are a pair of equal programs; a gain of 2, 5 or 10 % is made by dividing
the second's times. Windows of this one record are then judged by

- `maxcode verify`: pairs in random order until it is decided, for 60 s at most;
- `asv continuous`: 20 runs of either after one another, medians 10 % apart and p < 0.002;
- benchstat: 10 runs of either after one another, p < 0.05 by the U test;
- `pytest-benchmark compare --benchmark-compare-fail=min:5%`: 20 runs of either;
- hyperfine: 10 runs of either, the ratio of means by more than its deviation above 1.

A false alarm is a verdict of "faster" or "slower" on equal programs.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import hypot
from multiprocessing import Process
from pathlib import Path
from random import Random
from statistics import fmean, median, stdev

from common import options, save
from scipy.stats import mannwhitneyu  # type: ignore[import-untyped]

from maxcode.cli.verify import ALLOWED, Expectation
from maxcode.measure.rounds import interleave

PROGRAM = """\
#include <cstdio>
#include <vector>
int main() {
    std::vector<unsigned> cells(1 << 18, 1);
    unsigned sum = 0;
    for (int round = 0; round < 40; round++)
        for (unsigned i = 0; i < cells.size(); i++)
            sum += cells[i] += sum ^ cells[(i * 2654435761u) >> 14];
    std::printf("%u\\n", sum);
}
"""
GAINS = (0.0, 0.02, 0.05, 0.10)
SECONDS = 60.0


@dataclass(frozen=True)
class Sample:
    """Seconds of a process."""

    cpu: float
    wall: float


Trace = Sequence[tuple[Sample, Sample]]
Verdict = tuple[str, float]
"""faster, slower or neither; and the seconds that it took."""


def neighbour(seed: int) -> None:
    """Compute and rest in turn, for ever."""
    rng = Random(seed)
    while True:
        until = time.monotonic() + rng.expovariate(1 / 0.5)
        while time.monotonic() < until:
            sum(range(1000))
        time.sleep(rng.expovariate(1 / 1.0))


def sample(program: Path) -> Sample:
    """Run it once."""
    began = time.perf_counter()
    process = subprocess.Popen([program], stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return Sample(usage.ru_utime + usage.ru_stime, time.perf_counter() - began)


def recorded(pairs: int, neighbours: int) -> Trace:
    """Pairs of equal programs beside neighbours."""
    others = [Process(target=neighbour, args=(seed,), daemon=True) for seed in range(neighbours)]
    with tempfile.TemporaryDirectory(prefix="maxcode-gate-") as folder:
        source, program = Path(folder, "a.cpp"), Path(folder, "a")
        source.write_text(PROGRAM)
        subprocess.run(["g++", "-O1", str(source), "-o", str(program)], check=True)
        for one in others:
            one.start()
        try:
            return [(sample(program), sample(program)) for _ in range(pairs)]
        finally:
            for one in others:
                one.terminate()


def maxcode(meter: str, trace: Trace, gain: float, seed: int) -> Verdict:
    """The plan and the words of `verify`, which ends at the last look within its seconds."""
    expect = Expectation.of("faster", ALLOWED)
    walls = [a.wall + b.wall for a, b in trace]
    plan = expect.plan()
    looks = [n for n in plan.looks if n <= len(trace) and sum(walls[:n]) <= SECONDS]
    level = 1 - (1 - plan.level) * len(looks) / len(plan.looks)  # of each look as if all came
    sides = [iter(trace), iter(trace)]

    def take(side: int) -> Callable[[], float]:
        factor = 1.0 if side else 1 / (1 + gain)
        return lambda: float(getattr(next(sides[side])[side], meter)) * factor

    shorter = replace(plan, most=looks[-1], level=level)
    ours, _, ratio = interleave(take(0), take(1), float, shorter, Random(seed))
    word = "slower" if ratio.high < 1 - ALLOWED else "faster" if expect.holds(ratio) else ""
    return word, sum(walls[: len(ours)])


Decision = Callable[[Sequence[float], Sequence[float], float], bool]
"""Whether samples of both sides, whose ratio is this or its inverse, show a difference."""


def deviation(a: Sequence[float], b: Sequence[float]) -> float:
    """Relative standard deviation of a ratio of means."""
    return hypot(stdev(a) / fmean(a), stdev(b) / fmean(b))


OTHERS: dict[str, tuple[int, Callable[[Sequence[float]], float], Decision]] = {
    "asv continuous": (
        20,
        median,
        lambda a, b, ratio: ratio > 1.1 and mannwhitneyu(a, b).pvalue < 0.002,
    ),
    "benchstat": (10, median, lambda a, b, _: mannwhitneyu(a, b).pvalue < 0.05),
    "pytest-benchmark compare": (20, min, lambda a, b, ratio: ratio > 1.05),
    "hyperfine": (10, fmean, lambda a, b, ratio: ratio - ratio * deviation(a, b) > 1),
}
"""Runs of either side, the figure compared, and when it counts."""


def other(name: str, trace: Trace, gain: float, _: int) -> Verdict:
    """Another tool's verdict on the original's clock times and then those of the faster program."""
    count, figure, sure = OTHERS[name]
    a = [one.wall for pair in trace[: count // 2] for one in pair]
    b = [one.wall / (1 + gain) for pair in trace[count // 2 : count] for one in pair]
    ratio = figure(a) / figure(b)
    word = "faster" if ratio > 1 else "slower"
    return word if sure(a, b, max(ratio, 1 / ratio)) else "", sum(a) + sum(b)


def figures(trace: Trace, runs: int) -> dict[str, dict[str, float]]:
    """Shares of false alarms and of found gains, and the median seconds, by rule."""
    rules: dict[str, Callable[[Trace, float, int], Verdict]] = {
        "maxcode verify": partial(maxcode, "cpu"),
        "maxcode verify, meter wall": partial(maxcode, "wall"),
    }
    rules |= {name: partial(other, name) for name in OTHERS}
    found: dict[str, dict[str, float]] = {}
    step = max(1, len(trace) // runs)
    for name, rule in rules.items():
        row: dict[str, float] = {}
        took: list[float] = []
        for gain in GAINS:
            words = []
            for run in range(runs):
                part = [*trace[run * step :], *trace[: run * step]]
                word, seconds = rule(part, gain, run)
                words.append(word)
                took.append(seconds)
            if gain:
                row[f"found_{gain:.0%}"] = words.count("faster") / runs
            else:
                row["false_faster"] = words.count("faster") / runs
                row["false_slower"] = words.count("slower") / runs
        found[name] = {**row, "median_seconds": median(took)}
    return found


def main() -> None:
    """Record, judge, and write the figures."""
    given = options(__doc__, runs=200, pairs=6000, neighbours=os.cpu_count() or 2)
    trace = recorded(given.pairs, given.neighbours)
    rules = figures(trace, given.runs)
    for name, row in rules.items():
        print(f"{name:28}", " ".join(f"{key} {value:.3g}" for key, value in row.items()))
    save("gate_noise", {"runs": given.runs, "neighbours": given.neighbours, "rules": rules})


if __name__ == "__main__":
    main()
