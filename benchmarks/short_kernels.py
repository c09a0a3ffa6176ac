"""Short and long calls of a kernel: equals, planted gains, and a worker's loop done without.

"equal" is the task's own module as a candidate: its speedups are to be near 1, and their intervals
to hold 1. Of "gain 1.05" the reference waits until its call has taken 1.05 times as long, and the
candidate does not. "bare" is the task's own module in a worker whose loop it has replaced by the
least that still answers: what it scores above "equal" is credit for work around a call. Speedups
are as ``KernelExecutor.evaluate`` gives them, seconds are those of a verdict. With ``--against``
the same is measured of another checkout, in turn.

Usage: python benchmarks/short_kernels.py [--rounds 8] [--against FOLDER] [CASE ...]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from common import ROOT, machine, save

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.program import Program
from maxcode.tasks.kernel import KernelJudging, KernelTask

REFERENCE = """
import time
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))

    def computed(self, x):
        y = torch.zeros_like(x)
        for _ in range({steps}):
            y = torch.sin(0.9 * y + self.gain * x)
        return y

    def forward(self, x):
        began = time.perf_counter()
        y = self.computed(x)
        until = began + {factor} * (time.perf_counter() - began)
        while time.perf_counter() < until:
            pass
        return y

def get_inputs():
    return [torch.randn({rows}, 64)]

def get_init_inputs():
    return [64]
"""
SIZES = {"short": (8, 1), "20 us": (8, 2), "50 us": (48, 3), "long": (2048, 8)}
"""By name, how many rows an input has, and how many steps a call takes."""
GAINS = (1.05, 1.1)
BARE = """
import os, struct

def serve(self, module, *rest):
    request = rest[-1]
    memory = self._region(request["base"], request["room"])
    shape = request["tensors"][0]["shape"]
    x = memory[:4 * shape[0] * shape[1]].view(torch.float32).view(shape)
    forward, number, pack = module.forward, 0, struct.Struct("<IIdQ").pack
    with torch.no_grad():
        while True:
            kind = os.read(self._go, 65536)[:1]
            if kind in b"ex":
                return {}
            if kind in b"cj":
                y = forward(x)
                os.write(self._done, pack(number, 0, 0.0, y.data_ptr()))
                number += 1
            else:
                os.write(self._done, pack(0, 0, 0.0, 0))

from maxcode.executors.kernel.worker import calls
calls.Feed.serve = serve
"""
CASES = [f"{size} {kind}" for size in SIZES for kind in ("equal", "bare")]
CASES += [f"20 us gain {factor}" for factor in GAINS]


def task(size: str, factor: float) -> KernelTask:
    rows, steps = SIZES[size]
    reference = REFERENCE.format(rows=rows, steps=steps, factor=factor)
    return KernelTask(size, "", reference=reference, judging=KernelJudging(timeout=5.0))


def measured(rounds: int, case: str) -> list[dict[str, Any]]:
    """Verdicts on so many candidates of a case, which differ in a comment, by one executor."""
    size, kind = next(
        (size, case.removeprefix(size).strip()) for size in SIZES if case.startswith(size)
    )
    judged = task(size, float(kind.removeprefix("gain ")) if kind.startswith("gain") else 1.0)
    text = task(size, 1.0).reference.replace("class Model(", "class ModelNew(")
    text += BARE if kind == "bare" else ""
    with KernelExecutor() as executor:
        executor.prepare(judged)
        programs = [Program({"kernel.py": f"{text}\n# {k}\n"}, "kernel.py") for k in range(rounds)]
        return [row(executor.evaluate(judged, one)) for one in programs]


def row(evaluation: Any) -> dict[str, Any]:
    if evaluation.speedup is None:
        return {"status": str(evaluation.status), "feedback": evaluation.feedback}
    ratio = evaluation.speedup
    return {
        "speedup": round(ratio.value, 3),
        "low": round(ratio.low, 3),
        "high": round(ratio.high, 3),
        "call_us": round(evaluation.measurements[0].median * 1e6, 1),
        "seconds": round(evaluation.seconds, 2),
    }


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    fine = [one for one in rows if "speedup" in one]
    values = sorted(one["speedup"] for one in fine)
    if not values:
        return {"ok": 0, "feedback": rows[0]["feedback"]}
    return {
        "ok": f"{len(fine)} of {len(rows)}",
        "median": statistics.median(values),
        "least": values[0],
        "most": values[-1],
        "scatter": round(statistics.stdev(map(math.log, values)), 4) if len(values) > 1 else None,
        "hold_1": sum(one["low"] <= 1 <= one["high"] for one in fine),
        "wholly_above_1": sum(one["low"] > 1 for one in fine),
        "call_us": statistics.median(one["call_us"] for one in fine),
        "seconds": statistics.median(one["seconds"] for one in fine),
        "width": round(statistics.median(one["high"] / one["low"] for one in fine), 3),
    }


def of_checkout(folder: Path, rounds: int, case: str) -> list[dict[str, Any]]:
    """The same in another process, with that checkout's package."""
    command = [sys.executable, __file__, "--rounds", str(rounds), "--raw", case]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=1, help="processes of each case")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--raw", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("cases", nargs="*", default=CASES)
    given = parser.parse_args()
    if given.raw:
        print(json.dumps(measured(given.rounds, given.cases[0])))
        return
    taken_on = machine()
    checkouts = {"before": given.against, "now": ROOT} if given.against else {"now": ROOT}
    raw: dict[str, dict[str, list[dict[str, Any]]]] = {name: {} for name in checkouts}
    for number in range(given.repeats):
        for case in given.cases:
            for name in sorted(checkouts, reverse=number % 2 == 1):
                rows = raw[name].setdefault(case, [])
                rows += of_checkout(checkouts[name], given.rounds, case)
                print(f"{name:7} {case:16} {summary(rows)}", flush=True)
    figures = {
        name: {case: summary(rows) for case, rows in found.items()} for name, found in raw.items()
    }
    counts = {"rounds": given.rounds, "processes": given.repeats}
    save("short_kernels", {**counts, "figures": figures, "raw": raw}, taken_on)


if __name__ == "__main__":
    main()
