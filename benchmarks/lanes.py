"""How busy the lanes of a search are when candidates take unequal times, by the order of commits.

Judging a candidate waits, so the machine's processors decide nothing as long as the loop keeps up:
640 candidates, 32 a second when all lanes are busy. Durations have one of four distributions.
``busy`` is the share of the lanes' time in which they judged, from the first candidate that was
begun to the last: what a search that goes on reaches, without the wait for its last candidates.
``whole`` has those in it. ``missed`` is how many expansions were committed, on average, between
when one was asked for and its own commitment: results that its policy did not know.

Usage: python benchmarks/lanes.py [--lanes 8 64] [--ahead 1 2 4 8] [--postgresql]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import mean
from threading import Lock
from time import monotonic, sleep
from typing import Any

from common import ROOT, machine, save

from maxcode import (
    Baseline,
    Budget,
    Comparison,
    Evaluation,
    Executor,
    Expansion,
    Generator,
    Interval,
    Measurement,
    Observation,
    Options,
    Program,
    Proposal,
    Search,
    SearchPolicy,
    SearchTree,
    Status,
    Task,
)
from maxcode.journal.events import Asked, Committed

CANDIDATES = 640
RATE = 32  # a second, if no lane is idle
DURATIONS: dict[str, Callable[[Random], float]] = {
    "constant": lambda _: 1.0,
    "exponential": lambda rng: rng.expovariate(1.0),
    "5 % take 19 times as long": lambda rng: (19 if rng.random() < 0.05 else 1) / 1.9,
    "lognormal, sigma 1": lambda rng: rng.lognormvariate(-0.5, 1.0),
}
MODES: list[tuple[str, Any, float]] = [  # the order of commits, and expansions under way for a lane
    ("asked", "asked", 1),
    ("asked", "asked", 4),
    ("asked", "asked", 8),
    ("completed", "completed", 2),
]


class New(Generator):
    """A program of its own for each expansion."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        return [Proposal(Program.of(f"{observation.number} {i}")) for i in range(n)]


class AtRandom(SearchPolicy):
    """One child of a step drawn at random: never waits, and is asked again after each commit."""

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        return [Expansion(rng.randrange(len(tree)))]


class Waiting(Executor):
    """Judges by waiting, and notes when."""

    def __init__(self, duration: Callable[[Random], float], mean: float) -> None:
        self._duration = duration
        self._mean = mean
        self._lock = Lock()
        self.judged: list[tuple[float, float]] = []  # from and to

    def prepare(self, task: Task) -> Baseline:
        return Baseline((Measurement("none", "s", (1.0,)),))

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        begun = monotonic()
        sleep(self._mean * self._duration(Random(program.digest)))
        with self._lock:
            self.judged.append((begun, monotonic()))
        return Evaluation(Status.OK, Interval(0.5, 0.5, 0.5))

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        return Comparison(Interval(1.0, 1.0, 1.0))


def measure(store: str, duration: str, order: Any, lanes: int, ahead: float) -> dict[str, Any]:
    executor = Waiting(DURATIONS[duration], lanes / RATE)
    search = Search(
        Task("lanes", "", Program.of("start")),
        generator=New(),
        executor=executor,
        policy=AtRandom(),
        budget=Budget(evaluations=CANDIDATES),
        journal=store,
        options=Options(
            threads=lanes, in_flight=round(ahead * lanes), commit_order=order, patience=10**6
        ),
    )
    result = search.run()
    assert (result.status, len(executor.judged)) == ("done", CANDIDATES)
    first, last = min(a for a, _ in executor.judged), max(a for a, _ in executor.judged)
    end = max(b for _, b in executor.judged)
    busy = sum(min(b, last) - a for a, b in executor.judged)
    return {
        "busy": round(busy / lanes / (last - first), 3),
        "whole": round(sum(b - a for a, b in executor.judged) / lanes / (end - first), 3),
        "missed": round(missed(search), 1),
    }


def missed(search: Search) -> float:
    committed, asked, found, number = 0, {}, [], 0
    for recorded in search.state.log.events():
        match recorded.event:
            case Asked(expansions=expansions):
                for _ in expansions:
                    asked[number] = committed
                    number += 1
            case Committed(number=done):
                found.append(committed - asked[done])
                committed += 1
    return mean(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lanes", type=int, nargs="+", default=[8, 64])
    parser.add_argument("--ahead", type=int, nargs="+", default=[1, 2, 4, 8], help="for each lane")
    parser.add_argument("--postgresql", action="store_true")
    arguments = parser.parse_args()
    taken_on, rows = machine(), []
    with tempfile.TemporaryDirectory(prefix="maxcode-") as folder, ExitStack() as stack:
        databases: dict[str, Callable[[str], str]] = {
            "sqlite": lambda name: str(Path(folder) / f"{name}.db")
        }
        if arguments.postgresql:
            sys.path.insert(0, str(ROOT))
            from tests import _postgresql  # noqa: PLC0415 - of the repository, not installed

            _postgresql._SETTINGS = "-c listen_addresses= -c max_connections=40"  # with fsync
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pg-")))
            server = _postgresql.Server(place)
            server.start()
            stack.callback(server.stop)
            databases = {"postgresql": lambda _: server.new_database()}
        for database, new in databases.items():
            for lanes in arguments.lanes:
                for duration in DURATIONS:
                    for name, order, ahead in MODES:
                        if ahead not in arguments.ahead:
                            continue
                        store = new(f"{lanes}-{duration[:3]}-{name}-{ahead}")
                        found = measure(store, duration, order, lanes, ahead)
                        rows.append(
                            {
                                "database": database,
                                "lanes": lanes,
                                "mean_seconds": lanes / RATE,
                                "durations": duration,
                                "commit_order": name,
                                "in_flight_per_lane": ahead,
                                **found,
                            }
                        )
                        print(rows[-1], flush=True)
    name = "lanes_postgresql" if arguments.postgresql else "lanes"
    figures = {"candidates": CANDIDATES, "rows": rows}
    save(name, figures, taken_on)


if __name__ == "__main__":
    main()
