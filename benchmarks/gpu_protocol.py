"""The part of gpu_campaign.py on what measuring depends on: clocks, the L2 cache, others' work."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from gpu_setting import Campaign, Item, equal, more, shown

from maxcode.executors.kernel import timing
from maxcode.measure.rounds import interleave
from maxcode.tasks.kernel import KernelJudging, KernelTask

_MIDDLE = 4  # the pair of processes in which clocks are locked; there are six at least
_RUN = 2  # its run before which they are
_BUSY = """
import time, torch
device, size = ("cuda", 4096) if torch.cuda.is_available() else ("cpu", 512)
a = torch.randn(size, size, device=device)
until = time.monotonic() + 300
print("busy", flush=True)
while time.monotonic() < until:
    a = (a @ a).tanh()
    if device == "cuda":
        torch.cuda.synchronize()
"""
_SUMS = """
import torch
from torch import nn

ROWS = {rows}


class Model(nn.Module):
    def forward(self, x):
        return x.sum(dim=1)


def get_inputs():
    return [torch.randn(ROWS, 1024)]


def get_init_inputs():
    return []
"""
_CACHED = 16 << 20  # bytes of inputs, that an L2 cache of today holds
_ROW = 4096  # bytes
_WARM = """
import json, runpy, statistics, sys, time, torch
names = runpy.run_path(sys.argv[1])
device = "cuda" if torch.cuda.is_available() else "cpu"
wait = torch.cuda.synchronize if device == "cuda" else lambda: None
model = names["Model"]().to(device)
inputs = [one.to(device) for one in names["get_inputs"]()]
each = []
with torch.no_grad():
    for _ in range(600):
        wait()
        began = time.perf_counter()
        model(*inputs)
        wait()
        each.append(time.perf_counter() - began)
    began = time.perf_counter()
    for _ in range(500):
        model(*inputs)
    wait()
    row = (time.perf_counter() - began) / 500
print(json.dumps({"awaited": statistics.median(each[100:]), "in a row": row}))
"""


def protocol(campaign: Campaign) -> Iterator[Item]:
    """What clocks, the L2 cache and others do to verdicts."""
    yield "clocks", partial(_clocks, campaign)
    yield "L2 cache", partial(_cache, campaign)
    yield "other work", partial(_other_work, campaign)


def _clocks(campaign: Campaign) -> dict[str, Any]:
    """A kernel against one that computes all twice, as clocks are halved in the midst of it.

    What is computed is a product of matrices, which takes as much longer as clocks are slower. Once
    that is compared, the slower one is judged while clocks are still locked.
    """
    task = campaign.task("matmul_epilogue")

    def ratio(number: int) -> dict[str, Any]:
        twice = equal(task, number + 1, more(1.0))
        found = campaign.executor.compare(task, equal(task, number), twice)
        samples = {one.meter: list(one.samples) for one in found.first}
        value = found.ratio and [found.ratio.low, found.ratio.value, found.ratio.high]
        verdict = shown(campaign.executor.evaluate(task, twice))
        return {"ratio": value, "problem": found.problem, "samples": samples, "verdict": verdict}

    def clock() -> str | None:
        return campaign.asked("clocks.sm")

    steady = {**ratio(0), "clock": clock()}
    result: dict[str, Any] = {"steady": steady}
    seen: list[str | None] = []
    with ExitStack() as stack:

        def halve() -> None:
            most = campaign.asked("clocks.max.sm") or ""
            if not most.isdecimal():
                result["lock"] = {"allowed": False, "said": f"the clock is not known: {most!r}"}
                return
            half = int(most) // 2
            stack.callback(campaign.smi, "-rgc")  # whatever comes of it
            fine, said = campaign.smi("-lgc", f"{half},{half}")
            result["lock"] = {"clock": half, "allowed": fine, "said": said[:300]}

        with in_the_middle(halve, lambda: seen.append(clock())):
            changed = ratio(2)
    if not result.get("lock", {}).get("allowed"):
        return {**result, "changed": "not allowed"}
    one, other = steady["ratio"], changed["ratio"]
    holds = bool(one and other and one[0] <= other[2] and other[0] <= one[2])
    return {**result, "changed": {**changed, "clocks": seen}, "holds": holds}


@contextmanager
def in_the_middle(change: Callable[[], object], look: Callable[[], object]) -> Iterator[None]:
    """Have something changed in the midst of a comparison and of a pair of it, and then look."""
    pairs = 0

    def changing(first: Callable[[], Any], second: Callable[[], Any], *given: Any) -> Any:
        nonlocal pairs
        if isinstance(first, partial):  # all pairs, of which each comes here again
            return interleave(first, second, *given)
        pairs += 1
        if pairs != _MIDDLE:
            return interleave(first, second, *given)
        runs = 0

        def counted() -> Any:
            nonlocal runs
            runs += 1
            if runs == _RUN:
                change()
            return first()

        found = interleave(counted, second, *given)
        look()
        return found

    with mock.patch.object(timing, "interleave", changing):
        yield


def _cache(campaign: Campaign) -> dict[str, Any]:
    """A kernel whose inputs fit into the L2 cache, judged, and called again on what it has read."""
    size = _CACHED
    reference = _SUMS.format(rows=size // _ROW)
    task = KernelTask("sums of rows", "", reference=reference, judging=KernelJudging(device="cuda"))
    with closing(campaign.fresh()) as own:
        judged = shown(own.evaluate(task, equal(task, 0)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reference.py")
        path.write_text(reference)
        command = [sys.executable, "-c", _WARM, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"the warm calls failed: {done.stderr[-800:]}")
    warm = json.loads(done.stdout)
    call = judged["call"].get("wall")
    ratios = {name: call and call / value for name, value in warm.items()}
    return {"bytes": size, "judged": judged, "warm": warm, "judged by warm": ratios}


def _other_work(campaign: Campaign) -> dict[str, Any]:
    """Verdicts on equal candidates, and on one that does twice as much, alone and beside others."""
    task = campaign.task("softmax")

    def both(number: int) -> dict[str, Any]:
        twice = equal(task, number + 1, more(1.0))
        return {
            "equal": shown(campaign.executor.evaluate(task, equal(task, number))),
            "twice": shown(campaign.executor.evaluate(task, twice)),
        }

    alone = both(1)
    with subprocess.Popen([sys.executable, "-c", _BUSY], stdout=subprocess.PIPE) as busy:
        assert busy.stdout
        try:
            began = busy.stdout.readline() == b"busy\n"
            use = campaign.asked("utilization.gpu")
            together = both(3)
            lasted = began and busy.poll() is None
        finally:
            busy.kill()
    seen = {"kept it busy to the end": lasted, "use of the GPU in per cent": use}
    statuses = {name: found["status"] for name, found in together.items()}
    return {"alone": alone, "beside other work": together, "statuses": statuses, **seen}
