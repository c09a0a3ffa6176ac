"""Measurements on a GPU, in parts that go on where the last run stopped.

A part is a number of items. Parts are taken in the order of what they are worth, each for its own
seconds a round, until ``--seconds`` are over. An item that takes too long is stopped and noted.
After each item all results are written to RESULTS/gpu_campaign.json, with machine and seconds.
Items that are there are not done again, but for failed ones, which come last. It has not run yet,
for want of a GPU; first of all run ``pytest -m gpu tests/executors/kernel``.

    python benchmarks/gpu_campaign.py --dry-run --kernelbench FOLDER    # on a simulated GPU
    python benchmarks/gpu_campaign.py --seconds 480 --results FOLDER --kernelbench FOLDER
    python benchmarks/gpu_campaign.py kernels cheats        # these parts only

A dry run does one item of each part. FOLDER of KernelBench is that with level1 to level3; ``src``
beside it has its own evaluator, which ``agreement`` needs. Nothing of it is installed.

Where nothing can be installed from a network, carry what is missing beside torch and numpy, as
wheels in a folder that git ignores (about 10 MB): annotated-types, lazy-loader, pydantic,
pydantic-core, typing-inspection, platformdirs, sqlalchemy, tree-sitter, tree-sitter-cpp,
ninja (with which KernelBench's own evaluator builds extensions), and maxcode
itself (``pip wheel --no-deps .``); then

    python3 -m pip install --no-index --no-deps --target /tmp/site .wheels/*.whl
    PYTHONPATH=/tmp/site PATH=/tmp/site/bin:$PATH python3 benchmarks/gpu_campaign.py ...

Without bubblewrap ``--sandbox process`` judges with limits only; its program may be carried, too,
and needs no installation: ``dpkg -x bubblewrap_*.deb /``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any
from unittest import mock

from common import RESULTS, ROOT, machine, options

sys.path.insert(0, str(ROOT))

from gpu_parts import PARTS, Campaign

from maxcode.executors.kernel.machine import Gpu, this_gpu, torch_cuda
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox

NAME = "gpu_campaign"
PATIENCE = 4.0  # times longer may items take in a dry run, where processors do all
LEAST = 5.0  # seconds that must be left for an item to begin
SANDBOXES: dict[str, Callable[[], Sandbox]] = {
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
}


@contextmanager
def simulated() -> Iterator[tuple[Sandbox, Gpu]]:
    """A GPU simulated at the driver's edge, as in the tests."""
    from tests._warmed import WarmedSandbox  # noqa: PLC0415

    from maxcode.executors.kernel import executor, runs  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        gpu = Gpu(Path(folder, "nvidia0"), ())
        gpu.device.touch()
        for target, name, value in (
            (executor, "this_gpu", lambda: gpu),
            (executor, "torch_cuda", lambda: "13.0"),
            (runs, "_BATCH_SECONDS", 0.05),
        ):
            stack.enter_context(mock.patch.object(target, name, value))
        yield stack.enter_context(closing(WarmedSandbox())), gpu


class Results:
    """Measurements by part and item; written to a folder after each item."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{NAME}.json"
        self._machine = gpu_facts()
        self.parts: dict[str, dict[str, Any]] = {}
        if self._path.exists():
            self.parts = json.loads(self._path.read_text())["parts"]

    def missing(self, part: str, names: list[str]) -> list[str]:
        """Items that are not done, then those that failed in an earlier run."""
        done = self.parts.get(part, {})
        failed = [name for name in names if done.get(name, {}).get("problem")]
        return [name for name in names if name not in done] + failed

    def spent(self, part: str) -> float:
        """Seconds of all items of a part, in this and in earlier runs."""
        return float(sum(one["took"] for one in self.parts.get(part, {}).values()))

    def add(self, part: str, name: str, found: dict[str, Any]) -> None:
        """Keep an item, and write all."""
        self.parts.setdefault(part, {})[name] = {**found, "machine": self._machine}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"parts": self.parts}, indent=1) + "\n")
        new.replace(self._path)


def measured(
    campaign: Campaign, item: Callable[[], dict[str, Any]], seconds: float
) -> dict[str, Any]:
    """Do an item, which is stopped after so many seconds."""
    began = monotonic()
    bell = Timer(seconds, campaign.stop)
    bell.start()
    try:
        found = item()
    except Exception as error:  # noqa: BLE001 - one item must not end the others
        found = {"problem": "".join(traceback.format_exception(error)[-2:])[-1500:]}
    finally:
        bell.cancel()
    took = monotonic() - began
    if took > seconds:
        found["problem"] = f"stopped after {seconds:.3g} s: {found.get('problem', '')}"
        campaign.renew()
    return {**found, "took": round(took, 2)}


def rounds(
    campaign: Campaign, parts: list[str], results: Results, end: float, *, dry: bool
) -> Iterator[tuple[str, str]]:
    """Take the parts in turn, each for its share of a round, until all is over or done.

    Yields part and name of each item that was done. The seconds of earlier runs count. A dry run
    does one item of each part.
    """
    items = {part: dict(PARTS[part].items(campaign)) for part in parts}
    left = {part: results.missing(part, list(items[part])) for part in parts}
    number = 0
    while any(left.values()) and end - monotonic() > LEAST:
        number += 1
        for part, missing in left.items():
            while missing and end - monotonic() > LEAST:
                if results.spent(part) >= number * PARTS[part].share and not dry:
                    break
                name = missing.pop(0)
                longest = PARTS[part].longest * (PATIENCE if dry else 1.0)
                # This stays where the machine is taken away before the item is done.
                results.add(part, name, {"problem": "it did not end", "took": 0.0})
                found = measured(campaign, items[part][name], min(longest, end - monotonic()))
                results.add(part, name, found)
                yield part, name
                if dry:
                    missing.clear()


def gpu_facts() -> dict[str, Any]:
    """The machine with its GPU, as nvidia-smi names it."""
    facts = ("name", "driver_version", "clocks.max.sm", "persistence_mode", "mig.mode.current")
    command = ["nvidia-smi", f"--query-gpu={','.join(facts)}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return machine()
    return {**machine(), "gpu": done.stdout.strip()}


def main() -> int:
    """Do as the command line says; 2 where an item failed."""
    given = options(
        __doc__,
        "parts",
        seconds=480.0,
        dry_run=False,
        results=RESULTS,
        kernelbench=Path("KernelBench/KernelBench"),
        sandbox="bubblewrap",
    )
    gpu = this_gpu()
    if not given.dry_run and (gpu is None or not torch_cuda()):
        print("there is no GPU here that torch can use")
        return 1
    kernelbench = given.kernelbench.resolve() if given.kernelbench.is_dir() else None
    with ExitStack() as stack:
        if given.dry_run:  # nothing of it is a figure
            sandbox, gpu = stack.enter_context(simulated())
            given.results = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            sandbox = SANDBOXES[given.sandbox]()
        assert gpu
        campaign = Campaign(sandbox, gpu, kernelbench, small=given.dry_run)
        stack.enter_context(closing(campaign))
        results, end = Results(given.results), monotonic() + given.seconds
        parts = [part for part in PARTS if part in (given.parts or PARTS)]
        failed = 0
        for part, name in rounds(campaign, parts, results, end, dry=given.dry_run):
            found = results.parts[part][name]
            failed += bool(found.get("problem"))
            print(f"{part}: {name}: {json.dumps(found)[:160]}", flush=True)
    for part in parts:
        done = results.parts.get(part, {}).values()
        bad = sum(bool(one.get("problem")) for one in done)
        print(f"{part}: {len(done)} done, {bad} with a problem")
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
