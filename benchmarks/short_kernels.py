"""Short and long calls of a kernel: equals against the reference, and a worker's loop done without.

"equal" is the task's own module as a candidate: its speedups are to be near 1, and their intervals
to hold 1. "bare" is the same module in a worker whose loop it has replaced by the least that still
answers: what it scores above "equal" is credit for work around a call. Speedups are as
``KernelExecutor.evaluate`` gives them, seconds are those of a verdict. With ``--against`` the same
is measured of another checkout, in turn.

Usage: python benchmarks/short_kernels.py [--rounds 8] [--against FOLDER]
"""

from __future__ import annotations

import argparse
import json
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
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))

    def forward(self, x):
        y = torch.zeros_like(x)
        for _ in range({steps}):
            y = torch.sin(0.9 * y + self.gain * x)
        return y

def get_inputs():
    return [torch.randn({rows}, 64)]

def get_init_inputs():
    return [64]
"""
SIZES = {"short": {"rows": 8, "steps": 1}, "long": {"rows": 2048, "steps": 8}}
BARE = """
import os, struct

def serve(self, module, device, request):
    memory = self._region(request["base"], request["room"])
    shape = request["tensors"][0]["shape"]
    x = memory[:4 * shape[0] * shape[1]].view(torch.float32).view(shape)
    forward, number, pack = module.forward, 0, struct.Struct("<IIdQ").pack
    with torch.no_grad():
        while True:
            kind = os.read(self._go, 65536)[:1]
            if kind in b"ex":
                return {"changed": False}
            if kind in b"cj":
                y = forward(x)
                os.write(self._done, pack(number, 0, 0.0, y.data_ptr()))
                number += 1
            else:
                os.write(self._done, pack(0, 0, 0.0, 0))

def run(self, seed, slot):
    import mmap
    size, number, returned = slot * len(self._inputs), 0, []
    if os.fstat(self._target).st_size < size:
        os.ftruncate(self._target, size)
    memory = torch.frombuffer(mmap.mmap(self._target, size), dtype=torch.float32)
    fact = [{"dtype": "float32", "shape": list(self._inputs[0][0].shape)}]
    with torch.no_grad():
        for (x,) in self._inputs:
            y = self._module.forward(x)
            memory[number * slot // 4:][:y.numel()].view(y.shape).copy_(y)
            number += 1
            returned.append(({"tensor": 0}, fact, [y]))
    return [1e-9] * number, returned

try:
    from maxcode.executors.kernel.worker import calls
    calls.Feed.serve = serve
except ImportError:  # of a checkout where the worker makes all calls itself
    from maxcode.executors.kernel.worker import forward
    forward.Calls.run = run
"""


def task(name: str) -> KernelTask:
    reference = REFERENCE.format(**SIZES[name])
    return KernelTask(name, "", reference=reference, judging=KernelJudging(timeout=5.0))


def measured(rounds: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in SIZES:
        judged = task(name)
        equal = judged.reference.replace("class Model(", "class ModelNew(")
        with KernelExecutor() as executor:
            executor.prepare(judged)
            for kind, text in (("equal", equal), ("bare", equal + BARE)):
                programs = [
                    Program({"kernel.py": f"{text}\n# {k}\n"}, "kernel.py") for k in range(rounds)
                ]
                found[f"{name} {kind}"] = [row(executor.evaluate(judged, one)) for one in programs]
    return found


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
        "hold_1": sum(one["low"] <= 1 <= one["high"] for one in fine),
        "wholly_above_1": sum(one["low"] > 1 for one in fine),
        "call_us": statistics.median(one["call_us"] for one in fine),
        "seconds": statistics.median(one["seconds"] for one in fine),
    }


def of_checkout(folder: Path, rounds: int) -> dict[str, Any]:
    """The same in another process, with that checkout's package."""
    command = [sys.executable, __file__, "--rounds", str(rounds), "--raw"]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--raw", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.raw:
        print(json.dumps(measured(given.rounds)))
        return
    checkouts = {"before": given.against, "now": ROOT} if given.against else {"now": ROOT}
    raw = {name: of_checkout(folder, given.rounds) for name, folder in checkouts.items()}
    figures = {
        name: {what: summary(rows) for what, rows in found.items()} for name, found in raw.items()
    }
    for name, found in figures.items():
        for what, figure in found.items():
            print(f"{name:7} {what:12} {figure}")
    save("short_kernels", {"rounds": given.rounds, "figures": figures, "raw": raw}, machine())


if __name__ == "__main__":
    main()
