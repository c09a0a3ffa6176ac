"""Seconds to judge a kernel: torch's own way, and maxcode's; side by side on the example tasks.

The candidate is each task's ``fused_cpp.py`` with a number in its C++ source, so that no round
finds what another has built. Torch's own way is a new process that imports torch, builds with
load_inline into an empty folder, constructs, checks on three inputs and times twenty calls of each
side. Ours is ``KernelExecutor.evaluate`` on a judge that is prepared, with headers that are
compiled already: a new source ("first"), then the same C++ source once more ("again").

Usage: python benchmarks/judging_kernels.py [--rounds 2] [TASK ...]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import ROOT, machine, save

from maxcode.evaluation import Status
from maxcode.executors.kernel.exchange import Exchange
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.workers import Worker, WorkerPool, WorkerSetting
from maxcode.program import Program
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.tasks import load_task
from maxcode.tasks.kernel import KernelTask

TASKS = sorted(path.parent for path in (ROOT / "examples" / "kernels").glob("*/task.toml"))
INCLUDE = "#include"
OWN = """
import sys, time
import torch
reference, candidate = {}, {}
exec(open(sys.argv[1]).read(), reference)
exec(open(sys.argv[2]).read(), candidate)
torch.set_num_threads(1)
init = reference["get_init_inputs"]()
model, ours = reference["Model"](*init).eval(), candidate["ModelNew"](*init).eval()
ours.load_state_dict(model.state_dict(), strict=False)
with torch.no_grad():
    for _ in range(3):
        inputs = reference["get_inputs"]()
        wanted, found = model(*inputs), ours(*inputs)
        pairs = zip(wanted, found) if isinstance(wanted, (tuple, list)) else [(wanted, found)]
        for one, other in pairs:
            assert torch.allclose(one, other, 1e-3, 1e-3)
    for _ in range(20):
        for module in (model, ours):
            inputs = reference["get_inputs"]()
            module(*inputs)
"""


def numbered(folder: Path, number: str) -> str:
    """The candidate's text with a number in its C++ source."""
    text = (folder / "candidates" / "fused_cpp.py").read_text()
    return text.replace(INCLUDE, f"// {number}\n{INCLUDE}", 1)


def own(folder: Path, number: str) -> float:
    """Seconds in torch's own way."""
    with tempfile.TemporaryDirectory() as scratch:
        candidate = Path(scratch, "kernel.py")
        candidate.write_text(numbered(folder, number))
        environment = {"PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"}
        environment |= {"TORCH_EXTENSIONS_DIR": scratch, "HOME": scratch}
        command = [sys.executable, "-W", "ignore", "-c", OWN]
        command += [str(folder / "reference.py"), str(candidate)]
        began = time.perf_counter()
        subprocess.run(command, check=True, env=environment, capture_output=True)
        return time.perf_counter() - began


def ours(executor: KernelExecutor, task: KernelTask, text: str) -> float:
    """Seconds of a verdict."""
    began = time.perf_counter()
    evaluation = executor.evaluate(task, Program.of(text, "kernel.py"))
    assert evaluation.status is Status.OK, evaluation.feedback
    return time.perf_counter() - began


def starts() -> dict[str, list[float]]:
    """Seconds until a worker is there: one that stood ready, and one that was started for it."""
    sandbox, taken = BubblewrapSandbox(), dict[str, list[float]](ready=[], cold=[])
    inside = Path(sys.modules[WorkerPool.__module__].__file__ or "").with_name("worker")
    setting = WorkerSetting(inside / "candidate.py", output=1 << 20)
    with Exchange(64 << 20) as exchange, tempfile.TemporaryDirectory() as scratch:
        for number in range(5):
            began = time.perf_counter()
            with Worker(sandbox, setting, Path(scratch, f"{number}"), exchange.outputs()) as cold:
                cold.ready()
                taken["cold"].append(time.perf_counter() - began)
        with WorkerPool(sandbox, setting, exchange) as pool:
            for _ in range(5):
                time.sleep(4 * statistics.median(taken["cold"]))  # for it to be refilled
                began = time.perf_counter()
                with pool.take():
                    taken["ready"].append(time.perf_counter() - began)
    return taken


def measure(executor: KernelExecutor, folder: Path, rounds: int) -> dict[str, Any]:
    task = load_task(folder)
    assert isinstance(task, KernelTask)
    executor.prepare(task)
    stamp = f"{time.time_ns()}"
    for number in range(2):  # from the second on, headers are compiled
        ours(executor, task, numbered(folder, f"{stamp} warm {number}"))
    taken: dict[str, list[float]] = {"torch": [], "first": [], "again": []}
    for number in range(rounds):
        text = numbered(folder, f"{stamp} {number}")
        taken["torch"].append(own(folder, f"{stamp} {number}"))
        taken["first"].append(ours(executor, task, text))
        taken["again"].append(ours(executor, task, f"{text}# again\n"))
    ratio = statistics.median(taken["torch"]) / statistics.median(taken["first"])
    return {
        **{f"{way}_seconds": [round(one, 2) for one in found] for way, found in taken.items()},
        "first_times_faster": round(ratio, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    taken_on = machine()
    workers = {way: [round(one, 3) for one in found] for way, found in starts().items()}
    print("worker starts", workers, flush=True)
    tasks: dict[str, Any] = {}
    with KernelExecutor() as executor:
        for folder in TASKS:
            if not arguments.names or folder.name in arguments.names:
                tasks[folder.name] = measure(executor, folder, arguments.rounds)
                print(folder.name, tasks[folder.name], flush=True)
    if not arguments.names:
        figures = {"rounds": arguments.rounds, "worker_start_seconds": workers, "tasks": tasks}
        save("judging_kernels", figures, taken_on)


if __name__ == "__main__":
    main()
