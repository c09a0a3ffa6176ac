"""The provider's bill against the journal, for runs that are killed while requests are under way.

A search asks a loopback provider in a process of its own, eight requests at a time. It is killed
at random moments after it began to ask, and resumed, until it was killed often enough or its
budget is spent. The journal must never say less than what was billed, nor more than the budget.

With ``--append`` runs are added to those of the results until ``--total`` kills were made in all,
or ``--seconds`` are over.

Usage: python benchmarks/kills_bill.py [--kills 20] [--append --total 200 --seconds 240]
"""

from __future__ import annotations

import argparse
import itertools
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from common import ROOT, earlier, machine, save

sys.path.insert(0, str(ROOT))

from tests.provider.process import ProviderProcess

from maxcode import BestOfN, Budget, Journal, ModelGenerator, Options, Search
from maxcode.journal.state import RunState
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.testing import ScriptedExecutor, toy_task, toy_verdict

DOLLARS = {"input": 3e-6, "cached": 0.3e-6, "written": 3.75e-6, "output": 15e-6}
PRICE = Price.parse("3/15/0.3/3.75")
CASES = [
    (wire, stream, budget)
    for wire in ("openai", "anthropic")
    for stream, budget in ((False, 0.15), (True, 0.15), (False, 3.0))
]


def work(wire: str, url: str, stream: bool, budget: float, store: str, run_id: str) -> None:
    """What the process does that is going to be killed."""
    kind = OpenAIModel if wire == "openai" else AnthropicModel
    model = kind("model", base_url=url, max_tokens=500, price=PRICE, stream=stream)
    with Journal.open(store) as journal:
        search = Search(
            toy_task(),
            generator=ModelGenerator(model),
            executor=ScriptedExecutor(toy_verdict),
            policy=BestOfN(batch=1, n=400),
            budget=Budget(dollars=budget),
            journal=journal.run(run_id) if run_id else journal,
            options=Options(in_flight=8, threads=1, patience=10_000),
        )
        print("ready", flush=True)
        search.run()


def killed(case: tuple[str, bool, float], kills: int, rng: Random) -> dict[str, Any]:
    """One run, killed and resumed; the bill and the journal at its end."""
    wire, stream, budget = case
    done = resumed = 0
    with tempfile.TemporaryDirectory() as folder, ProviderProcess(latency=0.2) as provider:
        store, run_id = str(Path(folder) / "runs.db"), ""
        url = provider.openai_url if wire == "openai" else provider.anthropic_url
        while True:
            arguments = [wire, url, str(int(stream)), str(budget), store, run_id]
            command = [sys.executable, __file__, "--work", *arguments]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout
                process.stdout.readline()
                try:
                    process.wait(rng.uniform(0.05, 1.2) if done < kills else None)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
            if process.returncode not in (0, -signal.SIGKILL):
                raise SystemExit(f"the search failed: {process.returncode}")
            done += process.returncode == -signal.SIGKILL
            with Journal.open(store) as journal:
                if not journal.run_ids():
                    continue
                run_id = journal.run_ids()[0]
                state = RunState.load(journal.run(run_id))
            if process.returncode == 0:
                break
            resumed += 1
        time.sleep(0.5)  # what the provider had begun is billed by then
        statistics = provider.statistics()
    parts = (statistics.completed, statistics.broken_off)
    billed = sum(getattr(part, name) * each for part in parts for name, each in DOLLARS.items())
    lost = state.account.usage.popitem()[1].lost if state.account.usage else 0
    return {
        "wire": wire,
        "streamed": stream,
        "budget": budget,
        "kills": done,
        "requests": statistics.requests,
        "charged_without_an_answer": lost,
        "billed": round(billed, 5),
        "journal": round(state.spent.dollars, 5),
        "billed_beyond_the_journal": round(max(billed - state.spent.dollars, 0.0), 5),
        "journal_beyond_the_budget": round(max(state.spent.dollars - budget, 0.0), 5),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20, help="of each run, at most")
    parser.add_argument("--append", action="store_true", help="to what was measured before")
    parser.add_argument("--total", type=int, default=200, help="kills, with --append")
    parser.add_argument("--seconds", type=float, default=240, help="after which none is begun")
    parser.add_argument("--work", nargs=6)
    arguments = parser.parse_args()
    if arguments.work:
        wire, url, stream, budget, store, run_id = arguments.work
        work(wire, url, bool(int(stream)), float(budget), store, run_id)
        return
    taken_on = machine()
    rows = earlier("kills_bill").get("runs", []) if arguments.append else []
    cases = itertools.islice(
        itertools.cycle(CASES), len(rows), None if arguments.append else len(CASES)
    )
    rng, until = Random(2026 + len(rows)), time.monotonic() + arguments.seconds
    for case in cases:
        done = sum(row["kills"] for row in rows)
        if arguments.append and (done >= arguments.total or time.monotonic() > until):
            break
        rows.append(killed(case, arguments.kills, rng))
        print(json.dumps(rows[-1]), flush=True)
    total = {"kills": sum(row["kills"] for row in rows)}
    for name in ("billed", "billed_beyond_the_journal", "journal_beyond_the_budget"):
        total[name] = round(sum(row[name] for row in rows), 5)
    save("kills_bill", {"total": total, "runs": rows}, taken_on)


if __name__ == "__main__":
    main()
