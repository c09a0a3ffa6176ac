"""Kills searches whose generator repairs its answers, or is an agent, and resumes them.

Repair: a loopback model answers half of the time with what does not build, or with no program, and
is asked up to twice more. Agent: a process in the sandbox that edits, tries, edits again. Each
search is killed at random moments until it was killed often enough, then seen to its end. All that
it had reported as recorded must still be there, no sample whose answer is recorded may be asked
for again, every sample that was asked for must have an answer or be charged, and the tree must
equal that of a search which nobody killed.

Figures are added to those of earlier calls, so that many kills need no long call.

Usage: python benchmarks/kills_agents.py repair|agent [--kills 100] [--seconds 240]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from common import RESULTS, ROOT, machine, save

sys.path.insert(0, str(ROOT))

import openai  # noqa: F401 - once, before processes are forked
from tests.provider import LoopbackProvider, Request

from maxcode import BestOfN, Budget, Journal, MaxCodeLoop, ModelGenerator, Options, Search
from maxcode.generators.agent import AgentGenerator
from maxcode.interfaces import Generator
from maxcode.journal.events import Answered, Event, Requested
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.prompts.prompts import Prompts
from maxcode.system import python_executable
from maxcode.testing import (
    ScriptedExecutor,
    sample_observations,
    sample_task,
    toy_task,
    toy_verdict,
)

EACH = 5  # kills of one search
LONGEST = {"repair": 0.5, "agent": 2.5}  # seconds until a kill
EVALUATIONS = {"repair": 24, "agent": 8}
PRICE = Price.parse("3/15")
PROMPTS = Prompts()
PROMPTS.generator(sample_observations(sample_task())[0])  # reads templates once for all processes
AGENT = """\
import hashlib, json, pathlib, subprocess, sys
source = pathlib.Path("number.txt")
prompt = sys.stdin.read()
number = int(hashlib.sha256(prompt.encode()).hexdigest()[:6], 16)
source.write_text("build_error")
assert subprocess.run(["maxcode", "try"], capture_output=True).returncode == 1
source.write_text(f"{1 + number / 2**24:.5f}")
assert subprocess.run(["maxcode", "try"], capture_output=True).returncode == 0
usage = {"input_tokens": len(prompt) // 4, "output_tokens": 10}
print(json.dumps({"type": "result", "total_cost_usd": 0.01, "usage": usage, "result": "done"}))
"""


def answer(request: Request) -> str:
    """What a model that often errs says; the same to the same request."""
    said = f"{request.seed} {request.system} {request.parts}"
    number = int(hashlib.sha256(said.encode()).hexdigest()[:8], 16) / 2**32
    if number < 0.15:
        return "I would rather not."
    program = "build_error" if number < 0.5 else f"{1 + number:.5f}"
    return f"Summary: another number.\n\n```\n{program}\n```\n"


def work(kind: str, where: str, store: str, run_id: str, seed: int, to: Connection) -> None:
    """What the process does that is going to be killed."""
    generator: Generator
    if kind == "repair":
        model = OpenAIModel("model", base_url=where, max_tokens=500, price=PRICE)
        generator = ModelGenerator(model, PROMPTS, repair=2)
    else:
        generator = AgentGenerator(
            f"{python_executable()} -I -S -B {where}", read=where, usd=0.05, tokens=20_000
        )

    def report(event: Event, state: RunState) -> None:
        to.send(event.kind)

    with Journal.open(store) as journal:
        search = Search(
            toy_task(),
            generator=generator,
            executor=ScriptedExecutor(toy_verdict, delay=0.005),
            policy=BestOfN(n=400, batch=1) if kind == "repair" else MaxCodeLoop(k=1),
            budget=Budget(evaluations=EVALUATIONS[kind]),
            journal=journal.run(run_id) if run_id else journal,
            options=Options(seed=seed, in_flight=3, threads=2, patience=10_000, minimise=0.0),
            observers=[report],
        )
        to.send("ready")
        search.run()


def session(
    kind: str, where: str, store: str, run_id: str, seed: int, patience: float | None
) -> tuple[bool, int]:
    """One process, killed unless it ends before; whether it was, and the events it reported."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(kind, where, store, run_id, seed, theirs))
    process.start()
    theirs.close()
    with suppress(EOFError):
        ours.recv()
    until = None if patience is None else time.monotonic() + patience
    reported, killed = 0, False
    while True:
        left = None if until is None else max(until - time.monotonic(), 0.0)
        if not ours.poll(left):
            process.kill()
            killed, until = True, None
            continue
        try:
            ours.recv()
        except EOFError:
            break
        reported += 1
    process.join()
    if process.exitcode not in (0, -9):
        raise SystemExit(f"the search failed: {process.exitcode}")
    return killed and process.exitcode == -9, reported


def shape(log: RunLog) -> list[tuple[object, ...]]:
    """A tree without what a clock wrote into it."""
    tree = RunState.load(log).tree
    steps = [
        (s.id, s.parent, s.program.digest, s.evaluation.status, s.reward, s.tags) for s in tree
    ]
    return [*steps, ("best", tree.best.id)]


def requests(events: list[Event]) -> dict[str, int]:
    """How many samples were asked for, answered, charged without an answer, and asked for again."""
    answered: dict[tuple[object, ...], bool] = {}
    found = {"requested": 0, "answered": 0, "charged": 0, "asked_twice": 0, "open": 0}
    waiting: set[tuple[object, ...]] = set()
    for event in events:
        if isinstance(event, Requested):
            for sample in event.samples:
                key = (event.number, event.role, event.step, event.request, sample)
                found["requested"] += 1
                found["asked_twice"] += answered.get(key, False)
                waiting.add(key)
        elif isinstance(event, Answered):
            call = event.call
            key = (event.number, event.role, event.step, call.request, call.sample)
            answered[key] = not call.problem
            found["charged" if call.problem else "answered"] += 1
            waiting.discard(key)
    found["open"] = len(waiting)
    return found


def killed_run(kind: str, where: str, seed: int, kills: int, rng: Random) -> dict[str, Any]:
    """One search, killed up to ``kills`` times on its way, then finished."""
    with tempfile.TemporaryDirectory() as folder:
        done = lost = reported = 0
        store, run_id, before = str(Path(folder) / "runs.db"), "", list[Event]()
        while True:
            patience = rng.uniform(0.05, LONGEST[kind]) if done < kills else None
            killed, fresh = session(kind, where, store, run_id, seed, patience)
            done += killed
            reported += fresh
            with Journal.open(store) as journal:
                if not journal.run_ids():
                    lost += fresh
                    continue
                log = journal.run("last")
                run_id = log.run_id
                after = [recorded.event for recorded in log.events()]
                lost += max(fresh - (len(after) - len(before)), 0)
                lost += sum(a != b for a, b in zip(before, after, strict=False))
                before = after
                if not killed:
                    tree = RunState.load(log).tree
                    return {
                        "kills": done,
                        "events_reported": reported,
                        "events_lost": lost,
                        **requests(after),
                        "repairs": sum(tag.startswith("repair:") for s in tree for tag in s.tags),
                        "tree": shape(log),
                    }


def expected(kind: str, where: str, seed: int) -> list[tuple[object, ...]]:
    """The tree of a search which nobody kills."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "runs.db")
        session(kind, where, store, "", seed, None)
        with Journal.open(store) as journal:
            return shape(journal.run("last"))


def known(path: Path) -> dict[str, dict[str, int]]:
    """The sums of earlier calls, by kind."""
    found = json.loads(path.read_text()) if path.exists() else {}
    return {kind: found[kind] for kind in LONGEST if kind in found}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=LONGEST)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=240.0)
    arguments = parser.parse_args()
    kind, taken_on = arguments.kind, machine()
    path = RESULTS / "kills_agents.json"
    until = time.monotonic() + arguments.seconds
    with tempfile.TemporaryDirectory() as folder, LoopbackProvider(answer, latency=0.02) as model:
        script = Path(folder) / "agent.py"
        script.write_text(AGENT)
        where = model.openai_url if kind == "repair" else str(script)
        left = arguments.kills
        while left > 0 and time.monotonic() < until:
            seed = known(path).get(kind, {}).get("runs", 0)
            run = killed_run(kind, where, seed, min(left, EACH), Random(f"2026 {kind} {seed}"))
            run["trees_unequal"] = int(run.pop("tree") != expected(kind, where, seed))
            left -= run["kills"]
            print(kind, json.dumps(run), flush=True)
            figures = known(path)
            sums = figures.setdefault(kind, {})
            for name, value in {"runs": 1, **run}.items():
                sums[name] = sums.get(name, 0) + value
            save("kills_agents", figures, taken_on)


if __name__ == "__main__":
    main()
