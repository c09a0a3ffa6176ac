"""The provider's bill against the journal, for runs that are killed while requests are under way.

A search in a process of its own asks a loopback provider, eight requests at a time. It is killed
at random moments after it began to ask, and resumed, until it was killed often enough or its
budget is spent. The journal must never say less than what was billed, nor more than the budget.

Usage: python benchmarks/kills_bill.py [--kills 20]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from common import ROOT, options, save

sys.path.insert(0, str(ROOT))

from kills import session
from tests.provider import Charge, LoopbackProvider, Request

from maxcode import BestOfN, Budget, Journal, ModelGenerator, Options, Search
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel
from maxcode.testing import ScriptedExecutor, toy_task, toy_verdict

PRICE = Price.parse("3/15/0.3/3.75")
CASES = [
    (wire, stream, budget)
    for wire in ("openai", "anthropic")
    for stream, budget in ((False, 0.15), (True, 0.15), (False, 3.0))
]


def asking(
    model: RemoteModel, budget: float, journal: Journal | RunLog | None = None, n: int = 400
) -> Search:
    """A search that asks a model for ``n`` programs, eight requests at a time."""
    return Search(
        toy_task(),
        generator=ModelGenerator(model),
        executor=ScriptedExecutor(toy_verdict),
        policy=BestOfN(batch=1, n=n),
        budget=Budget(dollars=budget),
        journal=journal,
        options=Options(in_flight=8, threads=1, patience=10_000),
    )


def program(request: Request) -> str:
    """A program of the toy task, another for each request."""
    return f"```\n{2 + request.number / 1e6}\n```\n"


def billed_by(charges: Iterable[Charge]) -> float:
    """The dollars of a provider's bill."""
    names = ("input", "cached", "written", "output")
    return sum(PRICE.dollars(**{name: getattr(one, name) for name in names}) for one in charges)


def work(
    wire: str, url: str, stream: bool, budget: float, store: str, run_id: str, to: Connection
) -> None:
    """Begin or resume a search."""
    kind = OpenAIModel if wire == "openai" else AnthropicModel
    model = kind("model", base_url=url, max_tokens=500, price=PRICE, stream=stream)
    with Journal.open(store) as journal:
        search = asking(model, budget, journal.run(run_id) if run_id else journal)
        to.send("ready")
        search.run()


def killed(case: tuple[str, bool, float], kills: int, rng: Random) -> dict[str, Any]:
    """One run, killed and resumed; the bill and the journal at its end."""
    wire, stream, budget = case
    done = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        LoopbackProvider(program, latency=0.2) as provider,
    ):
        store, run_id = str(Path(folder) / "runs.db"), ""
        url = provider.openai_url if wire == "openai" else provider.anthropic_url
        while True:
            patience = rng.uniform(0.05, 1.2) if done < kills else None
            ended, _ = session(work, (wire, url, stream, budget, store, run_id), patience)
            done += ended
            with Journal.open(store) as journal:
                if not journal.run_ids():
                    continue
                run_id = journal.run_ids()[0]
                state = RunState.load(journal.run(run_id))
            if not ended:
                break
        time.sleep(0.5)  # what the provider had begun is billed by then
        charges = provider.charges
    billed = billed_by(charges)
    lost = state.account.usage.popitem()[1].lost if state.account.usage else 0
    return {
        "wire": wire,
        "streamed": stream,
        "budget": budget,
        "kills": done,
        "requests": len(charges),
        "charged_without_an_answer": lost,
        "billed": round(billed, 5),
        "journal": round(state.spent.dollars, 5),
        "billed_beyond_the_journal": round(max(billed - state.spent.dollars, 0.0), 5),
        "journal_beyond_the_budget": round(max(state.spent.dollars - budget, 0.0), 5),
    }


def main() -> None:
    given = options(__doc__, kills=20)
    rng = Random(2026)
    rows: list[dict[str, Any]] = []
    for case in CASES:
        rows.append(killed(case, given.kills, rng))
        print(json.dumps(rows[-1]), flush=True)
        total = {"kills": sum(row["kills"] for row in rows)}
        for name in ("billed", "billed_beyond_the_journal", "journal_beyond_the_budget"):
            total[name] = round(sum(row[name] for row in rows), 5)
        save("kills_bill", {"total": total, "runs": rows})


if __name__ == "__main__":
    main()
