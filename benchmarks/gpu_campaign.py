"""All that is to be measured on a GPU, in parts that go on where the last run stopped.

A part is a number of items. Parts are taken in the order of what they are worth, each for its own
seconds at most, in rounds until ``--seconds`` are over or all is done. After each item all results
are written: FOLDER/gpu_campaign.json, with the machine that each was taken on. Items that are there
or in benchmarks/results are not done again, but for those that failed. Only ``sizes`` has run yet,
for want of a GPU.

    python benchmarks/gpu_campaign.py --list                # what there is to do
    python benchmarks/gpu_campaign.py --dry-run             # one item of each, on a simulated GPU
    python benchmarks/gpu_campaign.py --seconds 480 --results FOLDER --kernelbench FOLDER
    python benchmarks/gpu_campaign.py kernels cheats        # these parts only
    python benchmarks/gpu_campaign.py sizes --kernelbench FOLDER    # needs no GPU

Where nothing can be installed from a network, carry what is missing beside torch, as wheels in a
folder that git ignores (about 10 MB): annotated-types, pydantic, pydantic-core, typing-inspection,
platformdirs, sqlalchemy, tree-sitter, tree-sitter-cpp, tree-sitter-toml, and maxcode itself
(``pip wheel --no-deps .``); then

    python3 -m pip install --no-index --no-deps --target /tmp/site .wheels/*.whl
    PYTHONPATH=/tmp/site python3 benchmarks/gpu_campaign.py ...

``kernels`` and ``agreement`` need KernelBench: the folder with level1 to level3, and ``src`` beside
it for its own evaluator. Without bubblewrap ``--sandbox process`` judges with limits only; its
program may be carried, too, and needs no installation: ``dpkg -x bubblewrap_*.deb /``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from common import RESULTS, ROOT, machine, save

sys.path.insert(0, str(ROOT))

from gpu_parts import PARTS, Campaign, Item

from maxcode.errors import MaxcodeError
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import Gpu, this_gpu, torch_cuda
from maxcode.executors.kernel.reference import TensorBytes
from maxcode.executors.kernel.sizes import Room
from maxcode.measure.rounds import CONFIRM, SCORE, Plan
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox

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
NAME = "gpu_campaign"
SANDBOXES: dict[str, Callable[[], Sandbox]] = {
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
}


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


@contextmanager
def simulated() -> Iterator[tuple[Sandbox, Gpu]]:
    """A GPU at the driver's edge, as the tests have it: what can be tried without one."""
    from tests._warmed import WarmedSandbox  # noqa: PLC0415

    from maxcode.executors.kernel import executor, timing  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        gpu = Gpu(Path(folder, "nvidia0"), ())
        gpu.device.touch()
        for target, name, value in (
            (executor, "this_gpu", lambda: gpu),
            (executor, "torch_cuda", lambda: "13.0"),
            (timing, "_LATENCY", 0.008),
            (timing, "_BATCH_SECONDS", 0.05),
        ):
            stack.enter_context(mock.patch.object(target, name, value))
        warmed = WarmedSandbox()
        stack.callback(warmed.close)
        yield warmed, gpu


class Results:
    """What was measured, by part and item; written to a folder after each item."""

    def __init__(self, folder: Path, taken_on: dict[str, Any]) -> None:
        self._path = folder / f"{NAME}.json"
        self._machine = taken_on
        self.parts: dict[str, dict[str, Any]] = {}
        for path in (RESULTS / f"{NAME}.json", self._path):
            if path.exists():
                for part, items in json.loads(path.read_text())["parts"].items():
                    whole = {n: one for n, one in items.items() if not one.get("problem")}
                    self.parts.setdefault(part, {}).update(whole)

    def add(self, part: str, name: str, found: dict[str, Any]) -> None:
        """Keep an item, and write all."""
        self.parts.setdefault(part, {})[name] = {**found, "machine": self._machine}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"parts": self.parts}, indent=1) + "\n")
        new.replace(self._path)


def run(part: str, items: Iterator[Item], results: Results, until: float, most: int) -> bool:
    """Do what is missing of a part, at most so many items; whether that is all of it."""
    done = 0
    for name, work in items:
        if name in results.parts.get(part, {}):
            continue
        if done >= most or time.monotonic() > until:
            return False
        began = time.monotonic()
        try:
            found = work()
        except (MaxcodeError, OSError, ValueError, subprocess.SubprocessError) as error:
            last = traceback.format_exception(error)[-2:]
            found = {"problem": "".join(last)[-1000:]}
        found["took"] = round(time.monotonic() - began, 2)
        results.add(part, name, found)
        print(f"{part}: {name}: {json.dumps(found)[:160]}", flush=True)
        done += 1
    return True


def gpu_facts() -> dict[str, Any]:
    """The machine with its GPU, as nvidia-smi names it."""
    facts = ("name", "driver_version", "clocks.max.sm", "persistence_mode", "mig.mode.current")
    command = ["nvidia-smi", f"--query-gpu={','.join(facts)}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return machine()
    return {**machine(), "gpu": done.stdout.strip()}


def measure_sizes(folder: Path) -> int:
    """The part that needs no GPU, all at once."""
    found = {name: work() for name, work in sizes(folder)}
    save("gpu_sizes", {**fitting(found), "items": found}, machine())
    return 0


def main() -> int:
    """Do as the command line says; 0 where all is done, 2 where something is left."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"sizes, {', '.join(PARTS)}")
    parser.add_argument("--seconds", type=float, default=480.0, help="after which none is begun")
    parser.add_argument("--list", action="store_true", help="only say what there is to do")
    parser.add_argument("--dry-run", action="store_true", help="one item each, on a simulated GPU")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where they are written")
    parser.add_argument("--kernelbench", type=Path, help="its folder with level1, level2, level3")
    parser.add_argument("--sandbox", choices=[*SANDBOXES], default="bubblewrap")
    given = parser.parse_args()
    if given.parts == ["sizes"]:
        if not given.kernelbench:
            parser.error("sizes needs --kernelbench")
        return measure_sizes(given.kernelbench)
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]}, or it is to be named alone")
    wanted = [part for part in PARTS if part in (given.parts or PARTS)]
    with ExitStack() as stack:
        if given.dry_run:
            sandbox, gpu = stack.enter_context(simulated())
            if given.results == RESULTS:  # nothing of it is a figure
                given.results = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            gpu = this_gpu() or Gpu(Path("none"), ())
            if not given.list and (gpu.device.name == "none" or not torch_cuda()):
                print("there is no GPU here that torch can use; --list says what would be done")
                return 1
            sandbox = SANDBOXES[given.sandbox]()
        score, confirm = SCORE, CONFIRM
        if given.dry_run:
            score, confirm = Plan(least=3, most=3), Plan(least=6, most=6)
        executor = KernelExecutor(sandbox, score=score, confirm=confirm)
        stack.enter_context(executor)
        campaign = Campaign(executor, sandbox, gpu, given.kernelbench, small=given.dry_run)
        if given.list:
            for part in wanted:
                print("\n".join(f"{part}: {name}" for name, _ in PARTS[part][0](campaign)))
            return 0
        taken_on = {**gpu_facts(), "isolated": sandbox.isolated}
        results = Results(given.results, taken_on)
        most = 1 if given.dry_run else 1 << 30
        left = rounds(campaign, wanted, results, given.seconds, most)
    print(f"left: {', '.join(left) or 'nothing'}")
    return 2 if left and not given.dry_run else 0


def rounds(
    campaign: Campaign, left: list[str], results: Results, seconds: float, most: int
) -> list[str]:
    """Take the parts in turn, each for its own time, until all is over; what is left of them.

    With ``most`` items of a part there is one round.
    """
    end = time.monotonic() + seconds
    while left and time.monotonic() < end:
        remaining = []
        for part in left:
            items, bound = PARTS[part]
            until = min(end, time.monotonic() + bound)
            if not run(part, items(campaign), results, until, most):
                remaining.append(part)
        left = remaining
        if most == 1:
            break
    return left


if __name__ == "__main__":
    sys.exit(main())
