"""Kills running searches at random moments, resumes them, and counts lost and repeated work.

* ``scripted``: a scripted generator and executor
* ``cpp``: the offline generator on a C++ program
* ``repair``: a loopback model whose answers often fail, and is asked up to twice more
* ``agent``: a process in the sandbox that edits, tries, edits again

Each search is killed up to five times, then seen to its end. All events that it had reported as
recorded must still be there, and nothing whose answer is recorded may be asked for again. Every
sample that was asked for must have an answer or be charged. But for ``cpp``, the tree must equal
that of a search without kills. Figures are added to those of earlier calls.

Usage: python benchmarks/kills.py [scripted cpp repair agent] [--kills 50] [--seconds 240]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from common import ROOT, earlier, save

sys.path.insert(0, str(ROOT))

import openai  # noqa: F401 - once, before processes are forked
from tests.provider import LoopbackProvider, Request

from maxcode import (
    BestOfN,
    Budget,
    Generator,
    Journal,
    MaxCodeLoop,
    ModelGenerator,
    Observation,
    Options,
    Program,
    ProgramExecutor,
    Proposal,
    RewriteGenerator,
    Search,
)
from maxcode.generators.agent import AgentGenerator
from maxcode.journal.events import Answered, Event, Proposed, Requested
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.prompts.prompts import Prompts
from maxcode.system import python_executable
from maxcode.tasks.folder import load_task
from maxcode.testing import (
    ScriptedExecutor,
    sample_observations,
    sample_task,
    toy_task,
    toy_verdict,
)

EACH = 5  # kills of one search
LONGEST = {"scripted": 0.5, "cpp": 8.0, "repair": 0.5, "agent": 2.5}  # seconds until a kill
EVALUATIONS = {"scripted": 60, "cpp": 12, "repair": 24, "agent": 8}
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


class Asking(Generator):
    """Reports each expansion that it is asked for, before another generator answers."""

    def __init__(self, inner: Generator, to: Connection) -> None:
        self.inner = inner
        self._to = to

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        self._to.send(observation.number)
        return self.inner.propose(observation, n)


class Drawn(Generator):
    """Random numbers, slow enough to be hit while it thinks."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        rng = Random(observation.seed)
        time.sleep(rng.uniform(0, 0.02))
        return [Proposal(Program.of(f"{1 + rng.random():.5f}", "number.txt")) for _ in range(n)]


def answer(request: Request) -> str:
    """Answer of a model that often errs; the same to the same request."""
    said = f"{request.seed} {request.system} {request.parts}"
    number = int(hashlib.sha256(said.encode()).hexdigest()[:8], 16) / 2**32
    if number < 0.15:
        return "I would rather not."
    program = "build_error" if number < 0.5 else f"{1 + number:.5f}"
    return f"Summary: another number.\n\n```\n{program}\n```\n"


def generator_of(kind: str, where: str, to: Connection) -> Generator:
    """The generator of a kind; ``where`` is a model's address or an agent's script."""
    if kind == "repair":
        model = OpenAIModel("model", base_url=where, max_tokens=500, price=PRICE)
        return ModelGenerator(model, PROMPTS, repair=2)
    if kind == "agent":
        command = f"{python_executable()} -I -S -B {where}"
        return AgentGenerator(command, read=where, usd=0.05, tokens=20_000)
    return Asking(Drawn() if kind == "scripted" else RewriteGenerator(), to)


def work(kind: str, where: str, store: str, run_id: str, seed: int, to: Connection) -> None:
    """Begin or resume a search, and report its events."""

    def report(event: Event, state: RunState) -> None:
        to.send(event.kind)

    cpp, agent = kind == "cpp", kind == "agent"
    with Journal.open(store) as journal:
        search = Search(
            load_task(ROOT / "examples" / "cpp" / "prime_sieve") if cpp else toy_task(),
            generator=generator_of(kind, where, to),
            executor=ProgramExecutor() if cpp else ScriptedExecutor(toy_verdict, delay=0.005),
            policy=BestOfN(n=400, batch=1)
            if kind == "repair"
            else MaxCodeLoop(k=1 if agent else 4),
            budget=Budget(evaluations=EVALUATIONS[kind]),
            journal=journal.run(run_id) if run_id else journal,
            options=Options(
                seed=seed, in_flight=1 if cpp else 3, threads=2, patience=10_000, minimise=0.0
            ),
            observers=[report],
        )
        to.send("ready")
        search.run()


def session(
    target: Callable[..., None], given: tuple[object, ...], patience: float | None
) -> tuple[bool, list[Any]]:
    """Run a function in a process, and kill it unless it ends before; whether it was killed.

    The function gets ``given`` and a connection. Seconds until the kill count from its first
    message. Its later messages are returned, too.
    """
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(*given, theirs))
    process.start()
    theirs.close()
    with suppress(EOFError):
        ours.recv()
    until = None if patience is None else time.monotonic() + patience
    said: list[Any] = []
    while True:
        if not ours.poll(None if until is None else max(until - time.monotonic(), 0.0)):
            process.kill()
            until = None
            continue
        try:
            said.append(ours.recv())
        except EOFError:
            break
    process.join()
    if process.exitcode not in (0, -9):
        raise SystemExit(f"the search failed: {process.exitcode}")
    return process.exitcode == -9, said


def shape(log: RunLog) -> list[tuple[object, ...]]:
    """The steps of a tree and its best, without times."""
    tree = RunState.load(log).tree
    steps = [
        (s.id, s.parent, s.program.digest, s.evaluation.status, s.reward, s.tags) for s in tree
    ]
    return [*steps, ("best", tree.best.id)]


def requests(events: list[Event]) -> dict[str, int]:
    """Samples that were asked for, answered, charged without an answer, and asked for again."""
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
        done = lost = reported = again = 0
        store, run_id, before = str(Path(folder) / "runs.db"), "", list[Event]()
        while True:
            patience = rng.uniform(0.05, LONGEST[kind]) if done < kills else None
            killed, said = session(work, (kind, where, store, run_id, seed), patience)
            asked = {one for one in said if isinstance(one, int)}
            fresh = sum(isinstance(one, str) for one in said)
            done += killed
            reported += fresh
            again += len(asked & {one.number for one in before if isinstance(one, Proposed)})
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
                    counted = requests(after)
                    counted["asked_twice"] += again
                    found = {"kills": done, "events_reported": reported, "events_lost": lost}
                    return {**found, **counted, "tree": shape(log)}


def expected(kind: str, where: str, seed: int) -> list[tuple[object, ...]]:
    """The tree of a search without kills."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "runs.db")
        session(work, (kind, where, store, "", seed), None)
        with Journal.open(store) as journal:
            return shape(journal.run("last"))


def add(kind: str, run: dict[str, int]) -> None:
    """Add the figures of one search to those of its kind."""
    figures = {name: one for name, one in earlier("kills").items() if name in LONGEST}
    sums = figures.setdefault(kind, {})
    for name, value in {"runs": 1, **run}.items():
        sums[name] = sums.get(name, 0) + value
    save("kills", figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(LONGEST))
    parser.add_argument("--kills", type=int, default=50, help="of each kind")
    parser.add_argument("--seconds", type=float, default=240.0, help="for each kind, at most")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        model = stack.enter_context(LoopbackProvider(answer, latency=0.02))
        script = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "agent.py"
        script.write_text(AGENT)
        places = {"repair": model.openai_url, "agent": str(script)}
        for kind in arguments.kinds or LONGEST:
            where, left = places.get(kind, ""), arguments.kills
            until = time.monotonic() + arguments.seconds
            while left > 0 and time.monotonic() < until:
                seed = earlier("kills").get(kind, {}).get("runs", 0)
                run = killed_run(kind, where, seed, min(left, EACH), Random(f"2026 {kind} {seed}"))
                tree = run.pop("tree")
                run["trees_unequal"] = int(kind != "cpp" and tree != expected(kind, where, seed))
                left -= run["kills"]
                print(kind, json.dumps(run), flush=True)
                add(kind, run)


if __name__ == "__main__":
    main()
