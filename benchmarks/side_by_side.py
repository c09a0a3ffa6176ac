"""Two checkouts measured in turn: importing, the loop's overhead, and verdicts on two examples.

Each measurement is a process with one of the checkouts on its path; the checkouts take turns, so
that a drift of the machine meets both. Ratios are medians of the later checkout over the earlier.

Usage: python benchmarks/side_by_side.py BEFORE AFTER [--rounds 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from common import machine, save

_VERDICT = """
import time
from maxcode import CppExecutor, Program
from maxcode.tasks import load_task
task = load_task({task!r})
with CppExecutor() as executor:
    executor.prepare(task)
    text = task.baseline.files[task.baseline.entry]
    started = time.perf_counter()
    changed = Program.of(f"{{text}}// {{started}}\\n", task.baseline.entry)
    found = executor.evaluate(task, changed)
    print(time.perf_counter() - started)
    assert found.ok, found
"""
_MEASURES = {
    "import_maxcode": "import time; a = time.perf_counter(); import maxcode; "
    "print(time.perf_counter() - a)",
    "import_every_name": "import time; a = time.perf_counter(); from maxcode import *; "
    "print(time.perf_counter() - a)",
    "loop_ms_a_candidate": "import sys; sys.path.insert(0, 'benchmarks'); import loop_overhead; "
    "print(loop_overhead.measure(1000)['ms_each'])",
    "verdict_partitions": _VERDICT.format(task="examples/cpp/partitions"),
    "verdict_histogram": _VERDICT.format(task="examples/cpp/histogram"),
}


def measured(checkout: Path, code: str) -> float:
    """What the code prints, run with the package of this checkout, in its folder."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=checkout, env=environment, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def main() -> None:
    """Measure both in turn, and write all samples down."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", nargs=2, type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    taken_on = machine()
    both = [path.resolve() for path in given.checkouts]
    samples: dict[str, list[list[float]]] = {name: [[], []] for name in _MEASURES}
    for number in range(given.rounds):
        for name, code in _MEASURES.items():
            for side in (0, 1) if number % 2 else (1, 0):
                samples[name][side].append(measured(both[side], code))
    ratios = {
        name: round(statistics.median(after) / statistics.median(before), 3)
        for name, (before, after) in samples.items()
    }
    print(ratios)
    figures = {
        name: {"ratio": ratios[name], "before": before, "after": after}
        for name, (before, after) in samples.items()
    }
    save("side_by_side", {"rounds": given.rounds, **figures}, taken_on)


if __name__ == "__main__":
    main()
