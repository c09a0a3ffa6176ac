"""Measurements on a GPU, in parts that go on where the last run stopped.

A part is a number of items. Parts are taken in the order of what they are worth, each for its own
seconds a round. An item that takes too long is ended with its process, noted as such, and the next
goes on. After ``--seconds`` all is over; an item that is cut short by that is begun anew next time.
After each item all results are written to FOLDER/gpu_campaign.json, with machine and seconds. Items
that are there or in benchmarks/results are not done again, but for failed ones, which come last.
It has not run yet, for want of a GPU.

    python benchmarks/gpu_campaign.py --list                # what there is to do
    python benchmarks/gpu_campaign.py --dry-run --kernelbench FOLDER    # on a simulated GPU
    python benchmarks/gpu_campaign.py --seconds 480 --results FOLDER --kernelbench FOLDER
    python benchmarks/gpu_campaign.py kernels cheats        # these parts only

A dry run does one item of each part. FOLDER of KernelBench is that with level1 to level3; ``src``
beside it has its own evaluator, which ``agreement`` needs. Nothing of it is installed.

Where nothing can be installed from a network, carry what is missing beside torch and numpy, as
wheels in a folder that git ignores (about 10 MB): annotated-types, lazy-loader, pydantic,
pydantic-core, typing-inspection, platformdirs, sqlalchemy, tree-sitter, tree-sitter-cpp,
ninja (with which KernelBench's own evaluator builds extensions), and maxcode
itself (``pip wheel --no-deps .``); for ``tests`` pytest with iniconfig, packaging and pluggy; then

    python3 -m pip install --no-index --no-deps --target /tmp/site .wheels/*.whl
    PYTHONPATH=/tmp/site PATH=/tmp/site/bin:$PATH python3 benchmarks/gpu_campaign.py ...

Without bubblewrap ``--sandbox process`` judges with limits only; its program may be carried, too,
and needs no installation: ``dpkg -x bubblewrap_*.deb /``.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

from common import RESULTS, ROOT, machine

sys.path.insert(0, str(ROOT))

from bounded import DiedError, Helper, OverdueError
from gpu_parts import PARTS, Campaign

from maxcode.errors import MaxcodeError
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
        warmed = WarmedSandbox()
        stack.callback(warmed.close)
        yield warmed, gpu


class Results:
    """Measurements by part and item; written to a folder after each item."""

    def __init__(self, folder: Path, taken_on: dict[str, Any]) -> None:
        self._path = folder / f"{NAME}.json"
        self._machine = taken_on
        self._tried: set[tuple[str, str]] = set()
        self.parts: dict[str, dict[str, Any]] = {}
        for path in (RESULTS / f"{NAME}.json", self._path):
            if path.exists():
                for part, items in json.loads(path.read_text())["parts"].items():
                    self.parts.setdefault(part, {}).update(items)

    def missing(self, part: str, names: list[str]) -> list[str]:
        """Items that are not done, then those that failed in an earlier run."""
        done = self.parts.get(part, {})
        failed = [one for one in names if one in done and done[one].get("problem")]
        new = [name for name in names if name not in done]
        return new + [name for name in failed if (part, name) not in self._tried]

    def spent(self, part: str) -> float:
        """Seconds of all items of a part, in this and in earlier runs."""
        return float(sum(one["took"] for one in self.parts.get(part, {}).values()))

    def add(self, part: str, name: str, found: dict[str, Any]) -> None:
        """Keep an item, and write all."""
        self._tried.add((part, name))
        self.parts.setdefault(part, {})[name] = {**found, "machine": self._machine}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"parts": self.parts}, indent=1) + "\n")
        new.replace(self._path)


def serve(make: Callable[[ExitStack], Campaign], connection: Connection) -> None:
    """Do the items that are asked for by part and name; in a process of its own."""
    items: dict[str, dict[str, Callable[[], dict[str, Any]]]] = {}
    with ExitStack() as stack:
        campaign = make(stack)
        connection.send(None)
        while True:
            part, name = connection.recv()
            try:
                if part not in items:
                    items[part] = dict(PARTS[part].items(campaign))
                found = items[part][name]()
            except (MaxcodeError, OSError, ValueError, subprocess.SubprocessError) as error:
                last = traceback.format_exception(error)[-2:]
                found = {"problem": "".join(last)[-1500:]}
            connection.send(found)


def run(helper: Helper, part: str, name: str, results: Results, end: float, longest: float) -> None:
    """Do an item within ``longest`` seconds, and keep its result."""
    began = time.monotonic()
    try:
        found = helper.ask((part, name), min(longest, end - began))
    except (OverdueError, DiedError) as error:
        if isinstance(error, OverdueError) and end - time.monotonic() < LEAST:
            return  # not its fault
        found = {"problem": str(error)}
    found["took"] = round(time.monotonic() - began, 2)
    results.add(part, name, found)
    print(f"{part}: {name}: {json.dumps(found)[:160]}", flush=True)


def rounds(
    helper: Helper, names: dict[str, list[str]], results: Results, end: float, *, dry: bool
) -> None:
    """Take the parts in turn, each for its share of a round, until all is over or done.

    The seconds of earlier runs count. A dry run does one item of each part.
    """
    left = {part: results.missing(part, names[part]) for part in names}
    number = 0
    while any(left.values()) and end - time.monotonic() > LEAST:
        number += 1
        for part, missing in left.items():
            while missing and end - time.monotonic() > LEAST:
                if results.spent(part) >= number * PARTS[part].share and not dry:
                    break
                longest = PARTS[part].longest * (PATIENCE if dry else 1.0)
                run(helper, part, missing.pop(0), results, end, longest)
                if dry:
                    missing.clear()


def summary(names: dict[str, list[str]], results: Results) -> Iterator[str]:
    """Of each part how much is done, what failed, and how long the rest may take."""
    for part, all_of_it in names.items():
        found = [results.parts.get(part, {}).get(name) for name in all_of_it]
        done = [one for one in found if one is not None]
        failed = sum(bool(one.get("problem")) for one in done)
        line = f"{part}: {len(done)} of {len(found)} done"
        line += f", {failed} with a problem" if failed else ""
        if done and len(done) < len(found):
            each = results.spent(part) / len(done)
            line += f"; {each:.1f} s each, {each * (len(found) - len(done)) / 60:.0f} min for all"
        yield line


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
    """Do as the command line says; 0 where all is done, 2 where something is left or failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=480.0, help="after which all is over")
    parser.add_argument("--list", action="store_true", help="only say what there is to do")
    parser.add_argument("--dry-run", action="store_true", help="one item each, on a simulated GPU")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where they are written")
    parser.add_argument("--kernelbench", type=Path, help="its folder with level1, level2, level3")
    parser.add_argument("--sandbox", choices=[*SANDBOXES], default="bubblewrap")
    given = parser.parse_args()
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]}")
    if given.kernelbench:
        given.kernelbench = given.kernelbench.resolve()
    gpu = this_gpu() if not given.dry_run else None
    if not (given.dry_run or given.list) and (gpu is None or not torch_cuda()):
        print("there is no GPU here that torch can use; --list says what would be done")
        return 1

    def make(stack: ExitStack) -> Campaign:
        if given.dry_run:
            sandbox, used = stack.enter_context(simulated())
        else:
            sandbox, used = SANDBOXES[given.sandbox](), gpu or Gpu(Path("none"), ())
        campaign = Campaign(sandbox, used, given.kernelbench, small=given.dry_run)
        return stack.enter_context(closing(campaign))

    with ExitStack() as stack:
        known = stack.enter_context(closing(unused(given.kernelbench, small=given.dry_run)))
        parts = [part for part in PARTS if part in (given.parts or PARTS)]
        names = {part: [name for name, _ in PARTS[part].items(known)] for part in parts}
        if given.list:
            print("\n".join(f"{part}: {name}" for part in parts for name in names[part]))
            return 0
        if given.dry_run and given.results == RESULTS:  # nothing of it is a figure
            given.results = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        results = Results(given.results, {**gpu_facts(), "sandbox": given.sandbox})
        helper = Helper(lambda connection: serve(make, connection))
        stack.callback(helper.end)
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        rounds(helper, names, results, time.monotonic() + given.seconds, dry=given.dry_run)
    print("\n".join(summary(names, results)))
    left = any(results.missing(part, names[part]) for part in parts)
    failed = any(
        one.get("problem") for part in parts for one in results.parts.get(part, {}).values()
    )
    return 2 if failed or (left and not given.dry_run) else 0


def unused(kernelbench: Path | None, *, small: bool) -> Campaign:
    """A campaign whose items are only named."""
    return Campaign(ProcessSandbox(), Gpu(Path("none"), ()), kernelbench, small=small)


if __name__ == "__main__":
    sys.exit(main())
