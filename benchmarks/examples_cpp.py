"""Confirmed speedup of the offline generator on every example, at equal budget.

The figures so far are written after each example.

Usage: python benchmarks/examples_cpp.py [--evaluations 8] [NAME ...]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from common import EXAMPLES, machine, save

from maxcode import (
    Budget,
    MaxCodeLoop,
    Options,
    ProgramExecutor,
    RewriteGenerator,
    optimize,
)
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.tasks import load_task


def search(folder: Path, evaluations: int) -> dict[str, Any]:
    """One search and its figures."""
    started = time.monotonic()
    with ProgramExecutor() as executor:
        result = optimize(
            load_task(folder),
            generator=RewriteGenerator(),
            executor=executor,
            policy=MaxCodeLoop(),
            budget=Budget(evaluations=evaluations),
            options=Options(fuzz=0, minimise=0),  # the search alone
        )
        print(f"{folder.name:18} {result.speedup}", flush=True)
        return {
            "example": folder.name,
            "baseline_seconds": result.baseline.value,
            "speedup": result.speedup.value,
            "low": result.speedup.low,
            "high": result.speedup.high,
            "level": result.speedup.level,
            "confirmed": result.confirmed,
            "evaluations": result.spent.evaluations,
            "by_status": {str(k): v for k, v in sorted(result.by_status.items())},
            "best": list(result.best.tags),
            "seconds": round(time.monotonic() - started, 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--evaluations", type=int, default=8)
    given = parser.parse_args()
    taken_on = machine()
    rows: list[dict[str, Any]] = []
    for folder in EXAMPLES:
        if not given.names or folder.name in given.names:
            rows.append(search(folder, given.evaluations))
            figures = {
                "evaluations": given.evaluations,
                "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                "examples": rows,
            }
            save("examples_cpp", figures, taken_on)


if __name__ == "__main__":
    main()
