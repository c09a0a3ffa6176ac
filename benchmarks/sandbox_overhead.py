"""What a sandbox adds to a run: `/bin/true` in each of them and in a bare subprocess, in turn.

Nothing of it is in a program's own figures: its clocks begin when everything is set up, so the
wall and processor time that the sandboxes report for `/bin/true` are shown, too.

Usage: python benchmarks/sandbox_overhead.py [--rounds 200]
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median, quantiles

from common import machine, save

from maxcode.sandbox.base import Completed, Limits, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox

TRUE = "/bin/true"


def bare() -> None:
    subprocess.run([TRUE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={}, check=True)


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
        "reported_for_the_program_ms": {
            name: round(median(samples), 3) for name, samples in inside.items()
        },
    }
    print(figures)
    save("sandbox_overhead", figures, taken_on)


if __name__ == "__main__":
    main()
