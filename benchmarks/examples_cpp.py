"""Confirmed speedup of the offline generator on every example, at equal budget.

Several searches may run side by side to save time; their measurements then disturb one another,
which widens the intervals. The figures so far are written after each example.

Usage: python benchmarks/examples_cpp.py [--evaluations 40] [--policy maxcode] [--jobs 1] [NAME ...]
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from common import EXAMPLES, machine, save

from maxcode import (
    BestOfN,
    Budget,
    MaxCodeLoop,
    Options,
    ProgramExecutor,
    RewriteGenerator,
    optimize,
)
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.tasks import load_task

POLICIES = {"maxcode": MaxCodeLoop, "best-of-n": BestOfN}


def search(folder: Path, policy: str, evaluations: int, seed: int) -> dict[str, Any]:
    """One search, and what came of it."""
    started = time.monotonic()
    with ProgramExecutor() as executor:
        result = optimize(
            load_task(folder),
            generator=RewriteGenerator(),
            executor=executor,
            policy=POLICIES[policy](),
            budget=Budget(evaluations=evaluations),
            options=Options(seed=seed, fuzz=0, minimise=0),  # the search alone
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
    parser.add_argument("--evaluations", type=int, default=40)
    parser.add_argument("--policy", choices=POLICIES, default="maxcode")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    taken_on = machine()
    folders = [path for path in EXAMPLES if not given.names or path.name in given.names]
    rows: list[dict[str, Any]] = []
    with ThreadPoolExecutor(given.jobs) as pool:
        under_way = [
            pool.submit(search, path, given.policy, given.evaluations, given.seed)
            for path in folders
        ]
        for done in as_completed(under_way):
            rows.append(done.result())
            rows.sort(key=lambda row: str(row["example"]))
            figures = {
                "evaluations": given.evaluations,
                "policy": given.policy,
                "seed": given.seed,
                "side_by_side": given.jobs,
                "plans": {"score": repr(SCORE), "confirm": repr(CONFIRM)},
                "speedup_at_least_2": sum(row["speedup"] >= 2 for row in rows),
                "speedup_at_least_1.1": sum(row["speedup"] >= 1.1 for row in rows),
                "examples": rows,
            }
            save(f"examples_cpp_{given.policy}", figures, taken_on)


if __name__ == "__main__":
    main()
