"""Kills a running search at random moments, again and again, and resumes it.

Half of the kills meet a search with scripted plug-ins, whose tree must in the end equal that of a
run that was never killed; half meet the real C++ job. After each kill the journal must hold all
that the search had reported as recorded, and after each resume nothing that was answered may have
been asked again.

Usage: python benchmarks/kills.py [--kills 100]
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from common import ROOT, machine, save

from maxcode import (
    Baseline,
    Budget,
    Comparison,
    Evaluation,
    Executor,
    Generator,
    Interval,
    Journal,
    MaxCodeLoop,
    Measurement,
    Observation,
    Options,
    Program,
    ProgramExecutor,
    Proposal,
    RewriteGenerator,
    Search,
    Status,
    Task,
)
from maxcode.journal.events import (
    Event,
    Proposed,
)
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.tasks.folder import load_task

CPP = ROOT / "examples" / "cpp" / "prime_sieve"
SCRIPTED = Task("scripted", "", Program.of("start"))


class Asking(Generator):
    """Says on standard output for which expansion it is asked, before another one answers."""

    def __init__(self, inner: Generator) -> None:
        self.inner = inner

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        print(f"asked {observation.number}", flush=True)
        return self.inner.propose(observation, n)


class Drawn(Generator):
    """Slow enough to be hit while it thinks."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        rng = Random(observation.seed)
        time.sleep(rng.uniform(0, 0.02))
        return [Proposal(Program.of(f"{rng.random():.3f}")) for _ in range(n)]


class Fixed(Executor):
    """A score for each program, the same every time."""

    def prepare(self, task: Task) -> Baseline:
        return Baseline((Measurement("none", "s", (1.0,)),))

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        time.sleep(0.005)
        score = self._score(program)
        if score < 1.1:
            return Evaluation(Status.WRONG_ANSWER, feedback="as scripted")
        return Evaluation(Status.OK, Interval(score, score * 0.99, score * 1.01))

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        time.sleep(0.005)
        ratio = self._score(a) / self._score(b)
        return Comparison(Interval(ratio, ratio * 0.999, ratio * 1.001))

    def _score(self, program: Program) -> float:
        return 1.0 if program == SCRIPTED.baseline else 1 + int(program.digest[:6], 16) / 2**24


def work(kind: str, store: str, run_id: str, seed: int) -> None:
    """What the process does that is going to be killed."""

    def report(event: Event, state: RunState) -> None:
        print(f"recorded {event.kind}", flush=True)

    scripted = kind == "scripted"
    journal = Journal.open(store)
    search = Search(
        SCRIPTED if scripted else load_task(CPP),
        generator=Asking(Drawn() if scripted else RewriteGenerator()),
        executor=Fixed() if scripted else ProgramExecutor(),
        policy=MaxCodeLoop(k=4 if scripted else 3),
        budget=Budget(evaluations=60 if scripted else 12),
        journal=journal.run(run_id) if run_id else journal,
        options=Options(seed=seed, in_flight=3 if scripted else 1, threads=4),
        observers=[report],
    )
    search.run()


def start(kind: str, store: str, run_id: str, seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--work", kind, store, run_id, str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def shape(log: RunLog) -> list[tuple[object, ...]]:
    """A tree without what a clock wrote into it."""
    state = RunState.load(log)
    return [
        (s.id, s.parent, s.expansion, s.program.digest, s.evaluation.status, s.reward)
        for s in state.tree
    ] + [("best", state.tree.best.id)]


def events(log: RunLog) -> list[Event]:
    return [recorded.event for recorded in log.events()]


def killed_run(kind: str, seed: int, longest: float, kills: int, rng: Random) -> dict[str, Any]:
    """One run, killed up to ``kills`` times on its way, then finished."""
    done = lost = asked_twice = reported = 0
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "runs.db")
        run_id, before, answered = "", list[Event](), set[int]()
        while True:
            process = start(kind, store, run_id, seed)
            patience = rng.uniform(0.5, longest) if done < kills else None
            try:
                output, _ = process.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                output, _ = process.communicate()
                done += 1
            lines = output.splitlines()
            asked = {int(line.split()[1]) for line in lines if line.startswith("asked ")}
            asked_twice += len(asked & answered)
            with Journal.open(store) as journal:
                if not journal.run_ids():
                    continue
                log = journal.run("last")
                run_id = log.run_id
                after = events(log)
                fresh = sum(line.startswith("recorded ") for line in lines)
                reported += fresh
                lost += max(fresh - (len(after) - len(before)), 0)
                lost += sum(a != b for a, b in zip(before, after, strict=False))
                before = after
                answered = {event.number for event in after if isinstance(event, Proposed)}
                if process.returncode == 0:
                    equal = shape(log) == expected(kind, seed) if kind == "scripted" else None
                    return {
                        "kills": done,
                        "events_lost": lost,
                        "asked_twice": asked_twice,
                        "events_reported": reported,
                        "tree_equal": equal,
                    }


def expected(kind: str, seed: int) -> list[tuple[object, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "runs.db")
        start(kind, store, "", seed).communicate()
        with Journal.open(store) as journal:
            return shape(journal.run("last"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--work", nargs=4)
    arguments = parser.parse_args()
    if arguments.work:
        kind, store, run_id, seed = arguments.work
        work(kind, store, run_id, int(seed))
        return
    taken_on = machine()
    rng = Random(2026)
    figures: dict[str, Any] = {}
    for kind, longest in (("scripted", 1.5), ("cpp", 8.0)):
        left, runs = arguments.kills // 2, list[dict[str, Any]]()
        while left > 0:
            runs.append(killed_run(kind, len(runs), longest, min(left, 5), rng))
            left -= runs[-1]["kills"]
            print(kind, runs[-1], flush=True)
        figures[kind] = {
            "runs": len(runs),
            "kills": sum(run["kills"] for run in runs),
            "events_reported": sum(run["events_reported"] for run in runs),
            "events_lost": sum(run["events_lost"] for run in runs),
            "answers_asked_twice": sum(run["asked_twice"] for run in runs),
            "trees_unequal": sum(run["tree_equal"] is False for run in runs),
        }
    print(json.dumps(figures, indent=2))
    save("kills", figures, taken_on)


if __name__ == "__main__":
    main()
