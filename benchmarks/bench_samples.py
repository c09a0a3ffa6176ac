"""`maxcode bench` over the sample sets: as one run, killed and resumed, and in parts that merge.

Each command is run three times, with a store of its own: without interruption; killed twice
(SIGKILL, at random moments) and then to its end; and in four parts (``--shard``) whose stores are
merged, before the command without ``--shard`` tells the tables. Then two things are compared:

* the tables of the parts, of each part's runs and of the merged store: they must be those of the
  same runs, character by character, as the merged store makes no run (``runs_made_after_merging``);
* the tables with those of the uninterrupted command. Landscapes are simulated, so they must be the
  same but for the time that searches took. Programs are measured, so two runs of anything differ;
  said is how much, of figures that rest on speedups, and whether shares are the same.

Usage: python benchmarks/bench_samples.py [--only landscape]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from common import RESULTS, ROOT, machine, save

PARTS, KILLS = 4, 2
MAXCODE = (sys.executable, "-m", "maxcode.cli.main")
PIE = (
    *("bench", "pie", "--data", "examples/pie/test.jsonl", "--tests", "examples/pie/tests"),
    *("--generator", "pool:folder=examples/pie/solutions,by_task=true"),
)
COMMANDS: dict[str, tuple[str, ...]] = {
    "landscape": (
        *("compare", *(f"landscape:seed={seed}" for seed in range(8)), "--generator", "landscape"),
        *("--seeds", "4", "--budget", "evaluations=64", "--policy", "maxcode:k=8"),
        *("--policy", "cuda-llm", "--policy", "beam"),
    ),
    "pie": (*PIE, "--policy", "maxcode:k=2", "--budget", "evaluations=3"),
    "kernelbench": (
        *("bench", "kernelbench", "--root", "examples/kernelbench", "--level", "1,2"),
        *("--generator", "pool:folder=examples/kernelbench/solutions,by_task=true"),
        *("--policy", "best-of-n", "--budget", "evaluations=3"),
    ),
}
TIMELY = ("seconds", "overhead", "cpu", "wall")


class Place:
    """A folder for the stores and files of one command."""

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        self.folder = folder
        self.command = command
        self.environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}

    def run(self, name: str, *options: str, kill_after: float | None = None) -> dict[str, Any]:
        """Run the command with a store; what it tells, or nothing of a killed one."""
        path = self.folder / f"{name}.json"
        arguments = (*self.command, *options, "--store", str(self.folder / f"{name}.db"))
        with subprocess.Popen(
            [*MAXCODE, *arguments, "--json", str(path)],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            if kill_after is not None:
                try:
                    process.wait(timeout=kill_after)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                process.wait()
                return {}
            printed = process.communicate()[0]
        if process.returncode:
            raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
        return {"json": json.loads(path.read_text()), "printed": printed}

    def merge(self, name: str, sources: Sequence[str]) -> None:
        stores = [str(self.folder / f"{source}.db") for source in sources]
        target = str(self.folder / f"{name}.db")
        command = [*MAXCODE, "merge", *stores, "--store", target]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=self.environment)


def figures(found: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every figure of the tables by its place, but for those that are times of searches."""
    if isinstance(found, dict):
        for key, value in found.items():
            if key not in TIMELY and key != "run_id":
                yield from figures(value, f"{path}/{key}")
    elif isinstance(found, list):
        for number, value in enumerate(found):
            yield from figures(value, f"{path}/{number}")
    else:
        yield path, found


def tables(run: dict[str, Any]) -> dict[str, Any]:
    document = run["json"]
    kept = ("tables", "standings", "differences", "pairs", "efficiency", "left_out", "missing")
    return {key: document[key] for key in kept}


def compared(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """How far the tables of two runs agree."""
    ours, theirs = dict(figures(tables(one))), dict(figures(tables(other)))
    differing = [place for place in ours if ours[place] != theirs.get(place)]
    numbers = [
        abs(theirs[place] / ours[place] - 1)
        for place in differing
        if place.endswith("/value") and "rank" not in place and ours[place]
        if any(word in place for word in ("median", "speedup", "mean"))
    ]
    shares = [p for p in ours if any(word in p for word in ("%Correct", "correct", "%Opt", "fast"))]
    return {
        "figures": len(ours),
        "identical": not differing and ours.keys() == theirs.keys(),
        "differing": len(differing),
        "largest_relative_difference_of_a_speedup": max(numbers, default=0.0),
        "shares": len(shares),
        "shares_differing": len([place for place in shares if place in differing]),
    }


def measured(name: str, folder: Path, rng: Random) -> dict[str, Any]:
    place = Place(folder, COMMANDS[name])
    started = time.monotonic()
    whole = place.run("whole")
    seconds = time.monotonic() - started
    killed_after = [seconds * rng.uniform(0.2, 0.5) for _ in range(KILLS)]
    for after in killed_after:
        place.run("killed", kill_after=after)
    resumed = place.run("killed")
    parts = [f"part{number}" for number in range(1, PARTS + 1)]
    held = [
        len(place.run(part, "--shard", f"{number}/{PARTS}")["json"]["runs"])
        for number, part in enumerate(parts, 1)
    ]
    place.merge("merged", parts)
    before = place.run("merged", "--dry-run")
    merged = place.run("merged")
    made = {run["run_id"] for run in merged["json"]["runs"]} - {
        run["run_id"] for run in before["json"]["runs"]
    }
    place.merge("copied", ["killed"])
    copied = place.run("copied")
    return {
        "command": " ".join(COMMANDS[name]),
        "seconds_uninterrupted": round(seconds, 1),
        "runs": len(whole["json"]["runs"]),
        "runs_of_each_part": held,
        "runs_made_after_merging": len(made),
        "killed_after_seconds": [round(after, 1) for after in killed_after],
        "merged_and_dry_run_print_the_same": before["printed"] == merged["printed"],
        "resumed_and_its_copy_print_the_same": resumed["printed"] == copied["printed"],
        "killed_and_resumed": compared(whole, resumed),
        "in_parts_and_merged": compared(whole, merged),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=COMMANDS)
    chosen = parser.parse_args().only
    taken_on, rng = machine(), Random(0)
    path = RESULTS / "bench_samples.json"
    found = json.loads(path.read_text())["benchmarks"] if chosen and path.exists() else {}
    for name in [chosen] if chosen else COMMANDS:
        with tempfile.TemporaryDirectory(prefix="maxcode-bench-") as folder:
            found[name] = measured(name, Path(folder), rng)
        print(json.dumps({name: found[name]}, indent=2), flush=True)
        save("bench_samples", {"parts": PARTS, "kills": KILLS, "benchmarks": found}, taken_on)


if __name__ == "__main__":
    main()
