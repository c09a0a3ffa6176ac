"""Changed lines and gain of the examples' best programs, before and after they are reduced.

Each example is searched with the offline generator, and its best program reduced. Both are then
measured against the baseline once more, and against each other, by comparisons of their own, so
that the reduction is not judged by the samples that it decided by. The figures so far are written
after each example; examples that were not begun in time are named.

Usage: python benchmarks/minimise.py [--evaluations 16] [--share 0.15] [--minutes 8]
                                     [--meter cpu] [--tasks FOLDER] [NAME ...]

With ``--tasks`` these are the tasks of a folder instead, and a file of their own.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from common import EXAMPLES, machine, save

from maxcode import (
    Budget,
    MaxCodeLoop,
    Options,
    ProgramExecutor,
    ProgramTask,
    RewriteGenerator,
    optimize,
)
from maxcode.evaluation import Interval
from maxcode.search.changes import changed_lines
from maxcode.search.result import Result
from maxcode.task import Task
from maxcode.tasks import load_task

GOAL_LINES, GOAL_GAIN = 0.4, 0.01


def interval(ratio: Interval | None) -> dict[str, float] | None:
    """The figures of a ratio."""
    if ratio is None:
        return None
    return {"value": ratio.value, "low": ratio.low, "high": ratio.high, "level": ratio.level}


def reduce(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """One search with its reduction, and what came of it."""
    started = time.monotonic()
    task = load_task(folder)
    assert isinstance(task, ProgramTask)
    task = replace(task, judging=replace(task.judging, meter=given.meter))
    with ProgramExecutor() as executor:
        result = optimize(
            task,
            generator=RewriteGenerator(),
            executor=executor,
            policy=MaxCodeLoop(),
            budget=Budget(evaluations=given.evaluations),
            options=Options(seed=given.seed, minimise=given.share),
        )
        row = described(task, executor, result)
    row = {"example": folder.name, **row, "seconds": round(time.monotonic() - started, 1)}
    print(
        f"{folder.name:16} {row['lines_before']} to {row['lines_after']} lines, "
        f"{row['seconds']:.0f} s",
        flush=True,
    )
    return row


def described(task: Task, executor: ProgramExecutor, result: Result) -> dict[str, Any]:
    """Lines and speedups of the best program as it was found and as it was reduced."""
    best = result.best
    reduced = best.reduced_from is not None
    found = result.tree[best.reduced_from] if best.reduced_from is not None else best
    before = result.tree.confirmed(found.id)
    lines = changed_lines(task.baseline, found.program), changed_lines(task.baseline, best.program)
    row: dict[str, Any] = {
        "improved": result.improved,
        "reduced": reduced,
        "lines_before": lines[0],
        "lines_after": lines[1],
        "fewer": 1 - lines[1] / max(lines[0], 1),
        "speedup_before": interval(before),
        "speedup_after": interval(result.speedup),
        "rewrites": list(found.tags),
        "evaluations": result.spent.evaluations,
        "hunks": [
            {"header": h.header, "lines": h.lines, "worth": interval(h.worth), "problem": h.problem}
            for h in result.hunks
        ],
    }
    if reduced:
        fresh = executor.compare(task, best.program, found.program, margin=GOAL_GAIN)
        row["after_over_before"] = interval(fresh.ratio)
        row["diff"] = result.diff()
    return row


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--evaluations", type=int, default=16)
    parser.add_argument("--share", type=float, default=0.15)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--meter", default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=Path)
    given = parser.parse_args()
    taken_on, started = machine(), time.monotonic()
    tasks = sorted(given.tasks.iterdir()) if given.tasks else EXAMPLES
    folders = [path for path in tasks if not given.names or path.name in given.names]
    rows: list[dict[str, Any]] = []
    for folder in folders:
        slowest = max((row["seconds"] for row in rows), default=0.0)
        if time.monotonic() - started + slowest > 60 * given.minutes:
            break
        rows.append(reduce(folder, given))
        improved = [row for row in rows if row["improved"]]
        ratios = [row["after_over_before"] for row in improved if row.get("after_over_before")]
        figures = {
            "evaluations": given.evaluations,
            "share": given.share,
            "seed": given.seed,
            "meter": given.meter,
            "goal": {"median_fewer_lines": GOAL_LINES, "gain_lost_at_most": GOAL_GAIN},
            "median_fewer_lines": median(row["fewer"] for row in improved) if improved else None,
            "median_lines": [
                median(row[name] for row in improved) for name in ("lines_before", "lines_after")
            ]
            if improved
            else None,
            "median_speed_kept": median(one["value"] for one in ratios) if ratios else None,
            "improved": len(improved),
            "reduced": sum(row["reduced"] for row in rows),
            "not_begun": [path.name for path in folders[len(rows) :]],
            "examples": rows,
        }
        save("minimise_public" if given.tasks else "minimise", figures, taken_on)


if __name__ == "__main__":
    main()
