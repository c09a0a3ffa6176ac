"""The files of KernelBench: all load, and with small sizes a CPU judges them.

For each problem the reference is judged against itself, which must be OK, and then the reference
with zeros in place of its outputs, which must not be, unless zeros are what the task asks for: for
those `audit` says so. Verdicts are of the strict mode, on one thread; times are measured as
briefly as can be, and are not shown.

With --forward the reference of every problem is run once instead, here and as it is, with small
sizes: which do not survive these.

Problems are taken in a random order, so those that are done are a sample. Figures are written after
each, and a run goes on from what is there; problems of --redo come first.

Usage: python benchmarks/kernelbench_files.py --root KERNELBENCH [--seconds 500]
       [--redo NAME ...] [--forward]
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import torch
from common import earlier, options, save

from maxcode.errors import MaxcodeError
from maxcode.evaluation import Evaluation
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks import KernelJudging, KernelTask, load_kernelbench

NAME = "kernelbench_files"
LEVELS = (1, 2, 3)
PATIENCE = 120.0  # seconds for a problem
BRIEFLY = Plan(least=2, most=2, seconds=2.0)

ZEROS = """

from torch.utils._pytree import tree_map as _mapped

_computed = ModelNew.forward


def _zeros(self, *args, **kwargs):
    return _mapped(torch.zeros_like, _computed(self, *args, **kwargs))


ModelNew.forward = _zeros
"""


def judged(task: KernelTask) -> dict[str, Any]:
    """The verdicts on one problem."""
    began = time.monotonic()
    zeros = Program.of(f"import torch\n{task.baseline.code}{ZEROS}", "kernel.py")
    row: dict[str, Any] = {"task": task.name}
    with KernelExecutor(score=BRIEFLY) as executor:
        bell = threading.Timer(PATIENCE, executor.stop)
        bell.start()
        try:
            executor.prepare(task)
            row["reference"] = described(executor.evaluate(task, task.baseline))
            row["zeros"] = described(executor.evaluate(task, zeros))
            if row["zeros"] == "ok":
                row["degenerate"] = [*executor.audit(task).passing]
        except MaxcodeError as error:  # of the task, or of this machine
            late = time.monotonic() - began > PATIENCE
            told_first = str(error).partition("\n")[0]
            row["failed"] = f"more than {PATIENCE:.0f} s" if late else told_first[:300]
        finally:
            bell.cancel()
    return row | {"seconds": round(time.monotonic() - began, 1)}


def described(evaluation: Evaluation) -> str:
    """The status, with what is wrong where that is not the answer."""
    status = str(evaluation.status.value)
    known = status in {"ok", "wrong_answer"}
    return status if known else f"{status}: {evaluation.feedback[:300]}"


def outcome(row: dict[str, Any]) -> str:
    if "failed" in row:
        return "reference cannot be judged"
    if row["reference"] != "ok":
        return "reference against itself is not ok"
    if row["zeros"] == "ok":
        return "zeros pass, and audit says so" if row["degenerate"] else "zeros pass unseen"
    return "as it should be"


def forward(tasks: list[KernelTask]) -> dict[str, Any]:
    """Number of references that run, and the errors of the others."""
    failed: dict[str, str] = {}
    for task in tasks:
        names: dict[str, Any] = {"__name__": "reference"}
        try:
            exec(compile(task.reference, task.name, "exec"), names)  # noqa: S102 - the benchmark's
            with torch.no_grad():
                names["Model"](*names["get_init_inputs"]()).eval()(*names["get_inputs"]())
        except Exception as error:  # noqa: BLE001 - whatever a reference raises
            failed[task.name] = f"{type(error).__name__}: {error}"[:300]
            print(task.name, failed[task.name], flush=True)
    return {"run": len(tasks), "ok": len(tasks) - len(failed), "failed": failed}


def main() -> None:
    given = options(
        __doc__,
        root=Path("KernelBench/KernelBench"),
        seconds=float("inf"),
        redo=[""],
        forward=False,
    )
    began = time.monotonic()
    full = {level: load_kernelbench(given.root, level) for level in LEVELS}
    judging = KernelJudging(device="cpu", timeout=20.0)
    small = {level: load_kernelbench(given.root, level, judging, small=True) for level in LEVELS}
    if given.forward:
        figures = forward([task for level in LEVELS for task in small[level]])
        save("kernelbench_forward", figures)
        return
    rows = earlier(NAME).get("problems", [])
    rows = [row for row in rows if row["task"] not in given.redo]
    done = {row["task"] for row in rows}
    order = [task for level in LEVELS for task in small[level]]
    Random(0).shuffle(order)
    for task in sorted(order, key=lambda task: task.name not in given.redo):
        if time.monotonic() - began > given.seconds:
            break
        if task.name in done:
            continue
        rows.append(judged(task))
        print({**rows[-1], "outcome": outcome(rows[-1])}, flush=True)
        figures = {
            "loaded": {level: len(full[level]) for level in LEVELS},
            "loaded_small": {level: len(small[level]) for level in LEVELS},
            "judged": len(rows),
            "outcomes": Counter(outcome(row) for row in rows),
            "seconds": round(sum(row["seconds"] for row in rows), 1),
            "problems": rows,
        }
        save(NAME, figures)


if __name__ == "__main__":
    main()
