"""Right and wrong faster programs of tasks of real shape: who is refused, found or told of wrongly.

Each folder (`further_inputs_tasks/unpack.py` makes them) has `original.cpp`, `tests/NNN.in` and
`.out`, mostly `statement.md`, programs `right_N.cpp`, which are right for all that the statement
allows, and `wrong_N.cpp`, which pass the tests. Each is
compared with the original as before a promotion; the first right one of a task is then timed on the
tests and on inputs held out, for the headline. With --only the other tasks keep their figures.

Usage: python benchmarks/further_inputs.py FOLDER [--only NAME]... [--out NAME] [--no-headlines]
       [--seconds 10]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

from common import earlier, machine, save

from maxcode.evaluation import FuzzPlan
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.rounds import SCORE
from maxcode.program import Program
from maxcode.search.summary import elsewhere
from maxcode.tasks.program import ProgramTask, TestCase


def load(folder: Path) -> ProgramTask:
    """The task of a folder, with nothing declared."""
    tests = tuple(
        TestCase(path.stem, path.read_bytes(), path.with_suffix(".out").read_bytes())
        for path in sorted(folder.glob("tests/*.in"))
    )
    told = folder / "statement.md"
    statement = told.read_text("utf-8") if told.exists() else folder.name
    return ProgramTask(folder.name, statement, program(folder / "original.cpp"), tests=tests)


def program(path: Path) -> Program:
    return Program.of(path.read_text("utf-8"), "main.cpp")


def judge(
    executor: ProgramExecutor, folder: Path, plan: FuzzPlan, *, headlines: bool
) -> dict[str, Any]:
    """What became of each program of a task."""
    task = load(folder)
    baseline = executor.prepare(task)
    found: dict[str, Any] = {"baseline_seconds": baseline.value, "programs": {}}
    for path in sorted(folder.glob("right_*.cpp")) + sorted(folder.glob("wrong_*.cpp")):
        candidate = program(path)
        verdict = executor.try_out(task, candidate, quick=False)
        one: dict[str, Any] = {"tests": verdict.status.value}
        found["programs"][path.stem] = one
        if verdict.problem:
            continue
        began = time.monotonic()
        fuzzed = executor.fuzz(task, candidate, plan)
        one |= {
            "seconds": round(time.monotonic() - began, 2),
            "agreed": fuzzed.agreed,
            "rejected": fuzzed.rejected,
            "few": fuzzed.few,
            "why": fuzzed.why,
            "refused": fuzzed.problem[:1500],
            "bytes": len(fuzzed.counterexample.input) if fuzzed.counterexample else None,
            "remark": fuzzed.remark,
            "beyond": fuzzed.beyond.input[:300] if fuzzed.beyond else "",
        }
        found["learned"] = fuzzed.learned
        if headlines and path.stem == "right_1" and not fuzzed.problem:
            compared = executor.compare(task, candidate, task.baseline)
            held_out = executor.held_out(task, candidate, 1)
            if compared.first_wrong:
                one["refused"] = compared.first_wrong.problem[:1500]
            one["speedup"] = compared.ratio.value if compared.ratio else compared.problem
            one["held_out"] = held_out.ratio.value if held_out.ratio else held_out.problem
            one["held_out_inputs"] = held_out.inputs
            one["headline"] = elsewhere(compared.ratio, held_out) if compared.ratio else ""
            if held_out.counterexample:
                one["refused"] = held_out.problem[:1500]
    return found


def summary(found: dict[str, Any]) -> dict[str, Any]:
    """The figures over all tasks."""
    every = {f"{t} {p}": one for t, task in found.items() for p, one in task["programs"].items()}
    passing = {name: one for name, one in every.items() if one["tests"] == "ok"}
    right = {name: one for name, one in passing.items() if " right" in name}
    wrong = {name: one for name, one in passing.items() if " wrong" in name}
    sizes = [one["bytes"] for one in wrong.values() if one["bytes"]]
    return {
        "tasks": len(found),
        "right": len(right),
        "right_refused": [name for name, one in right.items() if one["refused"]],
        "right_with_a_remark": [name for name, one in right.items() if one["remark"]],
        "right_with_a_false_headline": [n for n, one in right.items() if one.get("headline")],
        "right_held_out_measured": sum(
            isinstance(o.get("held_out"), float) for o in right.values()
        ),
        "wrong": len(wrong),
        "wrong_refused": sum(bool(one["refused"]) for one in wrong.values()),
        "wrong_with_a_remark_only": [
            name for name, one in wrong.items() if one["remark"] and not one["refused"]
        ],
        "wrong_missed": [n for n, o in wrong.items() if not o["remark"] and not o["refused"]],
        "fail_their_tests": [name for name, one in every.items() if one["tests"] != "ok"],
        "few_inputs": [name for name, one in passing.items() if one["few"]],
        "bytes_of_counterexamples_median": median(sizes or [0]),
        "bytes_of_counterexamples_most": max(sizes or [0]),
        "seconds_median": median([one["seconds"] for one in passing.values()] or [0]),
        "seconds_most": max([one["seconds"] for one in passing.values()] or [0]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--out", default="further_inputs")
    parser.add_argument("--no-headlines", action="store_true")
    parser.add_argument("--seconds", type=float, default=FuzzPlan().seconds, help="a comparison")
    chosen = parser.parse_args()
    plan = FuzzPlan(seed=1, seconds=chosen.seconds)
    taken_on = machine()
    found: dict[str, Any] = earlier(chosen.out).get("by_task", {}) if chosen.only else {}
    with ProgramExecutor(confirm=SCORE) as executor:
        for folder in sorted(path.parent for path in chosen.folder.glob("*/original.cpp")):
            if chosen.only and folder.name not in chosen.only:
                continue
            one = judge(executor, folder, plan, headlines=not chosen.no_headlines)
            found[folder.name] = one
            print(folder.name, flush=True)
            for name, each in one["programs"].items():
                refused = each.get("refused", "").partition("\n")[0]
                what = refused or each.get("remark") or each.get("headline") or each["tests"]
                print(f"  {name}: {what[:150]} ({each.get('agreed')})", flush=True)
            save(chosen.out, summary(found) | {"by_task": found}, taken_on)  # what is done is kept
    for name, figure in summary(found).items():
        print(f"{name:34} {figure}")


if __name__ == "__main__":
    main()
