"""All that is to be measured on a GPU, in parts that go on where the last run stopped.

A part is a number of items, of which a run does as many as fit into its seconds and writes each
down at once: benchmarks/results/gpu_PART.json. Only ``sizes`` has run yet, for want of a GPU.

* ``sizes``: which of KernelBench's problems fit where, by what tensors take; needs no GPU
* ``tests``: the tests that are marked ``gpu``
* ``verdicts``: the examples' candidates, against what their first lines say
* ``cheats``: the cheats and their honest twins, those that need CUDA among them
* ``equals``: comparisons of candidates that are the same kernel, 64 for each of six examples
* ``power``: candidates that compute 2, 5 and 10 % more than they need, against those that do not
* ``seconds``: what a verdict takes, in both modes
* ``memory``: memory of the device in use as 500 candidates are judged

Usage: python benchmarks/gpu_campaign.py PART [--seconds 500] [--list] [--kernelbench FOLDER]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from common import RESULTS, ROOT, machine, save

sys.path.insert(0, str(ROOT))

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import this_gpu, torch_cuda
from maxcode.executors.kernel.reference import TensorBytes
from maxcode.executors.kernel.sizes import Room
from maxcode.program import Program
from maxcode.tasks import KernelTask, load_task

KERNELS = ROOT / "examples" / "kernels"
EXAMPLES = sorted(path.parent.name for path in KERNELS.glob("*/task.toml"))
GIB = 1 << 30
ROOMS = {  # as docs/how_to/gpu.md names them
    "strict on a CPU": Room(16 * GIB, GIB),
    "KernelBench's rules on a CPU": Room(16 * GIB, GIB, learns=False),
    "strict on 80 GB": Room(1 << 60, 0, 80 * 10**9),
    "KernelBench's rules on 80 GB": Room(1 << 60, 0, 80 * 10**9, learns=False),
    "strict on 80 GB, 24 GiB of main memory": Room(24 * GIB, 0, 80 * 10**9),
    "KernelBench's rules on 80 GB, 24 GiB of main memory": Room(
        24 * GIB, 0, 80 * 10**9, learns=False
    ),
}
Item = tuple[str, Callable[[], dict[str, Any]]]
_MORE = """
_forward = ModelNew.forward


def _and_more(self, *given):
    value = _forward(self, *given)
    _forward(self, *[one[: max(1, round({share} * len(one)))] for one in given])
    return value


ModelNew.forward = _and_more
"""
_open = ExitStack()


@cache
def executor() -> KernelExecutor:
    """One for all items of a run."""
    return _open.enter_context(KernelExecutor())


@cache
def task_of(example: str, mode: str = "strict") -> KernelTask:
    """An example, which must be judged on the GPU."""
    task = load_task(KERNELS / example)
    assert isinstance(task, KernelTask)
    return replace(task, judging=replace(task.judging, mode=mode, device="cuda"))


def equal(task: KernelTask, number: int, more: str = "") -> Program:
    """The task's own module but for a comment, and what is to follow it."""
    return Program.of(f"{task.baseline.code}\n# candidate {number}\n{more}", task.baseline.entry)


def sizes(folder: Path) -> Iterator[Item]:
    """Files of KernelBench are run in this process, on torch's device without memory."""

    def found(path: Path) -> dict[str, Any]:
        import torch  # noqa: PLC0415 - two seconds

        from maxcode.executors.kernel.worker import tensors  # noqa: PLC0415

        def held(value: Any) -> int:
            parts: list[torch.Tensor] = []
            tensors.pack(value, parts)
            return sum(map(tensors.size, parts))

        names: dict[str, Any] = {"__name__": "reference"}
        known = {"inputs": 0, "weights": 0, "outputs": 0}
        try:
            exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102
            with torch.no_grad(), torch.device("meta"):
                inputs = list(names["get_inputs"]())
                known["inputs"] = held(inputs)
                module = names["Model"](*names["get_init_inputs"]()).eval()
                known["weights"] = held(dict(module.state_dict()))
                known["outputs"] = held(module(*inputs))
        except Exception as error:  # noqa: BLE001 - which is part of what is found
            return {**known, "problem": f"{type(error).__name__}: {error}"[:200]}
        return known

    for path in sorted(folder.glob("level[123]/*.py")):
        yield str(path.relative_to(folder)), partial(found, path)


def fitting(items: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """How many problems fit where, by what is known of them."""
    parts = [{k: v for k, v in one.items() if k != "problem"} for one in items.values()]
    known = [TensorBytes(**one) for one in parts]
    fit = {name: sum(r.most_at_once(s) > 0 for s in known) for name, r in ROOMS.items()}
    return {"fit": fit, "known in part": [name for name, one in items.items() if "problem" in one]}


def tests() -> Iterator[Item]:
    def run() -> dict[str, Any]:
        command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "tests/executors/kernel"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return {"code": done.returncode, "end": done.stdout[-4000:]}

    yield "all", run


def verdicts() -> Iterator[Item]:
    def judged(example: str, path: Path) -> dict[str, Any]:
        text = path.read_text()
        named = text.partition("expected: ")[2].partition("\n")[0]
        found = executor().evaluate(task_of(example), Program.of(text, "kernel.py"))
        speedup = found.speedup and [found.speedup.low, found.speedup.high]
        about = {"named": named[:40], "speedup": speedup, "feedback": found.feedback}
        return {"status": found.status.name, **about}

    for example in EXAMPLES:
        for path in sorted((KERNELS / example / "candidates").glob("*.py")):
            text = path.read_text()
            if "cuda_sources" in text or "load_inline" not in text:  # none for a CPU's memory
                yield f"{example}/{path.name}", partial(judged, example, path)


def cheats() -> Iterator[Item]:
    from tests.executors.kernel import _cheats as suite  # noqa: PLC0415

    def judged(case: suite.Case) -> dict[str, Any]:
        on_gpu = replace(case.task, judging=replace(case.task.judging, device="cuda"))
        cheat, honest = (executor().evaluate(on_gpu, one) for one in (case.cheat, case.honest))
        one = suite.Outcome(case, cheat, honest)
        found = {"caught": one.caught, "escaped": one.escaped, "false_alarm": one.false_alarm}
        return {**found, "cheat": cheat.status.name, "twin": honest.status.name}

    for case in suite.load(cuda=True):
        yield case.name, partial(judged, case)


def equals() -> Iterator[Item]:
    for example in EXAMPLES:
        for number in range(64):
            yield f"{example}/{number}", partial(compared, example, 2 * number)


def power() -> Iterator[Item]:
    for example in EXAMPLES:
        for share in (0.02, 0.05, 0.1):
            for number in range(8):
                more = _MORE.format(share=share)
                yield f"{example}/{share}/{number}", partial(compared, example, 2 * number, more)


def compared(example: str, number: int, more: str = "") -> dict[str, Any]:
    """How much faster a candidate is than an equal one, or one that does more."""
    task = task_of(example)
    found = executor().compare(task, equal(task, number), equal(task, number + 1, more))
    ratio = found.ratio and [found.ratio.value, found.ratio.low, found.ratio.high]
    return {"ratio": ratio, "problem": found.problem, "seconds": found.seconds}


def seconds() -> Iterator[Item]:
    def taken(example: str, mode: str) -> dict[str, Any]:
        task = task_of(example, mode)
        prepared = executor().prepare(task)
        found = executor().evaluate(task, equal(task, 0))
        return {"prepare": prepared.seconds, "evaluate": found.seconds, "status": found.status.name}

    for example in EXAMPLES:
        for mode in ("strict", "kernelbench"):
            yield f"{example}/{mode}", partial(taken, example, mode)


def memory() -> Iterator[Item]:
    def used(first: int) -> dict[str, Any]:
        task = task_of("softmax")
        found = [
            executor().evaluate(task, equal(task, n)).status.name for n in range(first, first + 50)
        ]
        command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return {"used": done.stdout.strip(), "statuses": sorted(set(found))}

    for first in range(0, 500, 50):
        yield str(first + 50), partial(used, first)


PARTS: dict[str, Callable[[], Iterator[Item]]] = {
    one.__name__: one for one in (tests, verdicts, cheats, equals, power, seconds, memory)
}


def run(part: str, items: Iterator[Item], limit: float) -> bool:
    """Do what is missing of a part; whether that is all of it."""
    began, taken_on = time.monotonic(), machine()
    path = RESULTS / f"gpu_{part}.json"
    known = json.loads(path.read_text())["items"] if path.exists() else {}
    for name, work in items:
        if name in known:
            continue
        if time.monotonic() - began > limit:
            print(f"{part}: {len(known)} done; run it again to go on")
            return False
        known[name] = work()
        more = fitting(known) if part == "sizes" else {}
        if part != "sizes" or len(known) % 50 == 0:  # those take no time
            save(f"gpu_{part}", {**more, "items": known}, taken_on)
    return True


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["sizes", *PARTS])
    parser.add_argument("--seconds", type=float, default=500.0, help="after which none is begun")
    parser.add_argument("--list", action="store_true", help="only say what there is to do")
    parser.add_argument("--kernelbench", type=Path, help="its folder with level1, level2, level3")
    given = parser.parse_args()
    if given.part == "sizes" and not given.kernelbench:
        parser.error("sizes needs --kernelbench")
    items = sizes(given.kernelbench) if given.part == "sizes" else PARTS[given.part]()
    if given.list:
        print("\n".join(name for name, _ in items))
        return 0
    if given.part != "sizes" and (this_gpu() is None or not torch_cuda()):
        print("there is no GPU here that torch can use; --list says what would be done")
        return 1
    with _open:
        return 0 if run(given.part, items, given.seconds) else 2


if __name__ == "__main__":
    sys.exit(main())
