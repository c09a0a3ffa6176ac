"""What a sandbox adds to a run: `/bin/true` in each of them and in a bare subprocess, in turn.

Nothing of it is in a program's own figures: its clocks begin when everything is set up, so the
wall and processor time that the sandboxes report for `/bin/true` are shown, too. Beside it what a
run takes of 16 that share a sandbox, with a file system each ("alone") and without, in processor
time of all processes and threads: that does not depend on what else the machine does.

Usage: python benchmarks/sandbox_overhead.py [--rounds 200]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF
from statistics import median, quantiles

from common import machine, save

from maxcode.sandbox.base import Completed, Files, Limits, Sandbox, SharedRun
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox

TRUE = "/bin/true"
TOGETHER = 16


def bare() -> None:
    subprocess.run([TRUE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={}, check=True)


def used() -> float:
    """Processor seconds of this process and all that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))


def of_shared(rounds: int) -> dict[str, float]:
    """Processor milliseconds of a run of several in a sandbox."""
    sandbox, true = BubblewrapSandbox(), Path(TRUE)
    ways = {"alone": Files(program=true), "sharing_all": Files(read=(true,))}
    taken = defaultdict[str, list[float]](list)
    for _ in range(rounds):
        for name, files in ways.items():
            before = used()
            ended = list(sandbox.run_each([TRUE], [SharedRun(Limits(), files)] * TOGETHER))
            assert len(ended) == TOGETHER, ended[-1].cause
            taken[name].append(1000 * (used() - before) / TOGETHER)
    return {name: round(median(samples), 2) for name, samples in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    taken_on = machine()
    sandboxes: dict[str, Sandbox] = {
        "bubblewrap": BubblewrapSandbox(),
        "process": ProcessSandbox(),
    }
    limits = Limits()
    ways: dict[str, Callable[[], Completed | None]] = {"bare": bare}
    for name, sandbox in sandboxes.items():
        ways[name] = partial(sandbox.run, [TRUE], limits)
    taken = defaultdict[str, list[float]](list)
    inside = defaultdict[str, list[float]](list)
    order = Random(0)
    for _ in range(rounds):
        for name in order.sample(list(ways), len(ways)):
            began = time.perf_counter()
            completed = ways[name]()
            taken[name].append(1000 * (time.perf_counter() - began))
            if completed:
                inside[f"{name}_wall"].append(1000 * completed.wall)
                inside[f"{name}_cpu"].append(1000 * completed.cpu)
    nothing = median(taken["bare"])
    figures = {
        "rounds": rounds,
        "milliseconds_a_run": {
            name: {
                "median": round(median(samples), 2),
                "95_percent_below": round(quantiles(samples, n=20)[-1], 2),
                "over_bare": round(median(samples) - nothing, 2),
            }
            for name, samples in taken.items()
        },
        "processor_milliseconds_a_shared_run": of_shared(rounds // 10),
        "reported_for_the_program_ms": {
            name: round(median(samples), 3) for name, samples in inside.items()
        },
    }
    print(figures)
    save("sandbox_overhead", figures, taken_on)


if __name__ == "__main__":
    main()
