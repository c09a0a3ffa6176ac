"""Twenty searches at once on one PostgreSQL, killed at random and resumed by other processes.

Each process claims to be on one of three machines, so that some successors can see that the one
before them is dead, and others have to wait until its lease is old. Now and then a second process
tries to resume a run that is alive, which must be refused. In the end each tree must equal that of
a search that was never killed, with no verdict lost and none twice.

Usage: python benchmarks/drivers.py [--searches 20] [--kills 40]
"""

from __future__ import annotations

import argparse
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from common import ROOT, machine, save
from kills import SCRIPTED, Drawn, Fixed, events, shape

from maxcode import Budget, Journal, MaxCodeLoop, Options, Search
from maxcode.errors import WriterError
from maxcode.journal.events import Evaluated, Event, SessionStarted
from maxcode.journal.state import RunState

HOSTS = ("one", "two", "three")
REFUSED = 4


class Announced:
    """Prints a run's id once there is something of it to resume."""

    def __init__(self) -> None:
        self.done = False

    def __call__(self, _: Event, state: RunState) -> None:
        if not self.done and state.has_tree:
            self.done = True
            print("run", state.log.run_id, flush=True)


def search(journal: Journal, run_id: str, seed: int) -> Search:
    return Search(
        SCRIPTED,
        generator=Drawn(),
        executor=Fixed(),
        policy=MaxCodeLoop(k=4),
        budget=Budget(evaluations=120),
        journal=journal.run(run_id) if run_id else journal,
        options=Options(seed=seed, in_flight=3, threads=2),
        observers=[Announced()],
    )


def work(store: str, host: str, run_id: str, seed: int) -> int:
    """What a process does that may be killed: begins a run, or goes on with it."""
    socket.gethostname = lambda: host
    with Journal.open(store) as journal:
        try:
            search(journal, run_id, seed).run()
        except WriterError:
            return REFUSED
    return 0


@dataclass
class Run:
    seed: int
    process: subprocess.Popen[str]
    host: str
    run_id: str = ""
    sessions: int = 1


def start(store: str, host: str, run_id: str, seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--work", store, host, run_id, str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def campaign(store: str, searches: int, kills: int, rng: Random) -> dict[str, Any]:
    done, refused, tried = 0, 0, 0
    runs = [
        Run(seed, start(store, HOSTS[seed % 3], "", seed), HOSTS[seed % 3])
        for seed in range(searches)
    ]
    for run in runs:
        assert run.process.stdout is not None
        run.run_id = run.process.stdout.readline().split()[1]
    began = time.monotonic()
    active = list(runs)
    while active:
        time.sleep(rng.uniform(0.1, 0.6))
        for run in [one for one in active if one.process.poll() is not None]:
            assert run.process.returncode == 0, f"{run}: {run.process.returncode}"
            active.remove(run)
        if not active:
            break
        run = rng.choice(active)
        if rng.random() < 0.15:  # one too many
            other = rng.choice([host for host in HOSTS if host != run.host])
            second = start(store, other, run.run_id, run.seed)
            code = second.wait()
            if run.process.poll() is None:  # it was alive all the while
                tried += 1
                refused += code == REFUSED
        elif done < kills:
            run.process.send_signal(signal.SIGKILL)
            run.process.wait()
            done += 1
            run.host = rng.choice(HOSTS)
            run.process = start(store, run.host, run.run_id, run.seed)
            run.sessions += 1
    return {
        "searches": searches,
        "kills": done,
        "second_processes": tried,
        "second_processes_refused": refused,
        "seconds": round(time.monotonic() - began, 1),
        **checked(store, runs),
    }


def checked(store: str, runs: list[Run]) -> dict[str, Any]:
    unequal = twice = 0
    sessions: Counter[int] = Counter()
    with Journal.open(store) as journal:
        for run in runs:
            log = journal.run(run.run_id)
            judged = [one.program for one in events(log) if isinstance(one, Evaluated)]
            twice += len(judged) - len(set(judged))
            sessions[sum(isinstance(one, SessionStarted) for one in events(log))] += 1
            with Journal.open(":memory:") as undisturbed:
                alone = search(undisturbed, "", run.seed)
                alone.run()
                unequal += shape(log) != shape(alone.state.log)
    return {
        "runs_in_store": len(runs),
        "sessions_of_runs": dict(sorted(sessions.items())),
        "trees_unequal": unequal,
        "counted_twice": twice,
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--searches", type=int, default=20)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--work", nargs=4)
    arguments = parser.parse_args()
    if arguments.work:
        store, host, run_id, seed = arguments.work
        return work(store, host, run_id, int(seed))
    sys.path.insert(0, str(ROOT))
    from tests import _postgresql  # noqa: PLC0415 - of the repository, not installed

    _postgresql._SETTINGS = "-c listen_addresses= -c max_connections=200"  # with fsync
    taken_on = machine()
    with tempfile.TemporaryDirectory(prefix="maxcode-pg-") as folder:
        server = _postgresql.Server(Path(folder))
        server.start()
        try:
            figures = campaign(
                server.new_database(), arguments.searches, arguments.kills, Random(2026)
            )
        finally:
            server.stop()
    print(json.dumps(figures, indent=2))
    save("drivers", figures, taken_on)
    return 0


if __name__ == "__main__":
    sys.exit(main())
