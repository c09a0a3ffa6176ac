"""Every candidate of the kernel examples: its verdict, what it says it must get, and its speedup.

Those that need a GPU are left out. Candidates are judged one after another, as a search with one
worker would; seconds are of the whole judging of one, builds and the wait for a worker included.

Usage: python benchmarks/examples_kernels.py [NAME ...]
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from common import ROOT, machine, save

from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import SCORE
from maxcode.program import Program
from maxcode.tasks import load_task

FOLDERS = sorted(path.parent for path in (ROOT / "examples" / "kernels").glob("*/task.toml"))
HEADER = re.compile(r'"""expected: (?P<verdicts>[A-Z_ |]+)(?P<cuda>; needs: cuda)?\.')


def judged(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each candidate of a task."""
    task = load_task(folder)
    with KernelExecutor() as executor:
        executor.prepare(task)
        for path in sorted((folder / "candidates").glob("*.py")):
            text = path.read_text("utf-8")
            header = HEADER.match(text)
            if header is None:
                raise ValueError(f"{path} does not say what verdict is expected")
            if header["cuda"]:
                continue
            began = time.monotonic()
            found = executor.evaluate(task, Program.of(text, "kernel.py"))
            expected = header["verdicts"].split(" | ")
            yield row(folder.name, path.stem, expected, found, time.monotonic() - began)


def row(
    task: str, name: str, expected: list[str], found: Evaluation, seconds: float
) -> dict[str, Any]:
    speedup = found.speedup if found.status is Status.OK else None
    return {
        "task": task,
        "candidate": name,
        "verdict": found.status.name,
        "expected": expected,
        "as_expected": found.status.name in expected,
        "speedup": round(speedup.value, 3) if speedup else None,
        "low": round(speedup.low, 3) if speedup else None,
        "high": round(speedup.high, 3) if speedup else None,
        "seconds": round(seconds, 1),
        "feedback": "" if found.ok else found.feedback.strip().partition("\n")[0][:160],
    }


def table(one: dict[str, Any]) -> str:
    interval = f"{one['speedup']} ({one['low']} to {one['high']})" if one["speedup"] else ""
    mark = "" if one["as_expected"] else f"  expected {' | '.join(one['expected'])}"
    name = f"{one['task']}/{one['candidate']}"
    return f"{name:38} {one['verdict']:14} {interval:24} {one['seconds']:6.1f} s{mark}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    taken_on = machine()
    rows = []
    for folder in FOLDERS:
        if not given.names or folder.name in given.names:
            for one in judged(folder):
                print(table(one), flush=True)
                rows.append(one)
    figures = {
        "plan": repr(SCORE),
        "candidates": len(rows),
        "as_expected": sum(one["as_expected"] for one in rows),
        "unexpected": [f"{r['task']}/{r['candidate']}" for r in rows if not r["as_expected"]],
        "median_seconds": median(one["seconds"] for one in rows),
        "rows": rows,
    }
    if not given.names:
        save("examples_kernels", figures, taken_on)


if __name__ == "__main__":
    main()
