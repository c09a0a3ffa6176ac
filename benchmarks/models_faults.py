"""Calls to models through both SDKs, 64 at once, at a provider that fails in 30 % of requests.

The provider runs on loopback in a process of its own; its faults are of all kinds there are in
``tests.provider.Fault``. Every call must end in answers or in a ModelError. What the
calls say they cost must be no less than what the provider bills, also for answers that broke off,
and no more than what was reserved for them; the bill may pass no budget, and no thread or
connection be left.
Memory is read after every tenth of the calls.

``by_fault`` are searches, eight requests at a time, that end with their budget; 30 % of their
requests run into one fault. The provider bills an answer as a whole once it was made, whatever of
it was sent. The journal must say no less than the bill, and neither may pass the budget.

Usage: python benchmarks/models_faults.py [--calls 10000] [--parts anthropic openai by_fault]
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from common import ROOT, earlier, machine, save

sys.path.insert(0, str(ROOT))
from tests.provider import Fault, LoopbackProvider, ProviderProcess, Tokens, mixed_faults

from maxcode import BestOfN, ModelGenerator, Options, Search
from maxcode.budget import (
    FREE,
    Answer,
    Budget,
    Cost,
    Ledger,
    Reservation,
    Transcript,
)
from maxcode.errors import MaxcodeError, ModelError
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.base import Prompt, ask
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel
from maxcode.models.resilience import Limits
from maxcode.testing import ScriptedExecutor, toy_task, toy_verdict

THREADS = 64
FAULT_SHARE = 0.3
PRICE = Price.parse("3/15/0.3/3.75")
LIMITS = Limits(in_flight=THREADS // 2, first_wait=0.01, longest_wait=0.2, timeout=5.0)
MAX_TOKENS = 1000
LATENCY = 0.2  # seconds, so that many are in flight at once
ANSWER_BYTES = 2000
SAMPLES = (1, 1, 1, 3)  # of successive calls
TASKS = [
    f"Task {number}. " + "A line of the program to be made faster.\n" * 150 for number in (1, 2)
]
BUDGET = 0.2  # dollars, of a search with one kind of fault
LOST = {
    "reset": Fault.DROPPED,
    "half a body": Fault.BROKEN_OFF,
    "bad JSON": Fault.BROKEN_JSON,
    "bad UTF-8": Fault.BAD_UTF8,
    "hang": Fault.HUNG,
    "slow bytes": Fault.SLOW,
    "error in a stream": Fault.STREAM_ERROR,
    "empty": Fault.EMPTY,
}
HASTY = Limits(first_wait=0.01, longest_wait=0.2, timeout=0.2, first_byte=0.5)


class Kept(Transcript):
    """What was said, without the words."""

    def __init__(self, held: Reservation) -> None:
        self.calls: list[tuple[Cost, str]] = []
        self._lock = Lock()
        self._held = held

    def afford(self, cost: Cost) -> bool:
        """Whether the reservation can be extended by so much; it is."""
        return self._held.extend(cost)

    def keep(self, answer: Answer, prompt: str) -> None:
        with self._lock:
            self.calls.append((answer.call.cost, answer.call.problem))

    @property
    def cost(self) -> Cost:
        """The sum."""
        return sum((cost for cost, _ in self.calls), FREE)


class Tally:
    """What became of the calls; every other one is streamed. ``ledger`` is asked before each."""

    def __init__(self, models: Sequence[RemoteModel], ledger: Ledger) -> None:
        self.models = models
        self.ledger = ledger
        self.outcomes: Counter[str] = Counter()
        self.charged = FREE
        self.ceilings = FREE
        self.above_ceiling = 0
        self._lock = Lock()

    def call(self, number: int) -> None:
        """One call; counted, and charged to the ledger."""
        n = SAMPLES[number % len(SAMPLES)]
        parts = (TASKS[number % 2], f"Attempt {number}.") if number % 3 else (f"Attempt {number}.",)
        prompt = Prompt("You make programs faster.", parts)
        model = self.models[number // len(SAMPLES) % len(self.models)]
        ceiling = model.ceiling(prompt.size, n)
        reservation = self.ledger.reserve(ceiling)
        if reservation is None:
            with self._lock:
                self.outcomes["not begun: budget"] += 1
            return
        kept = Kept(reservation)
        try:
            answers = ask(model, prompt, n, seed=number, transcript=kept)
            outcome = "answered" if len(answers) == n else "answered in part"
        except ModelError:
            outcome = "ModelError"
        cost = kept.cost
        reservation.commit(cost)
        with self._lock:
            self.outcomes[outcome] += 1
            self.charged += cost
            self.ceilings += reservation.amount
            beyond = cost.beyond(reservation.amount)
            self.above_ceiling += beyond.tokens > 0 or beyond.dollars > 1e-9


@contextmanager
def serving(sdk: str, seed: int) -> Iterator[tuple[ProviderProcess, list[RemoteModel]]]:
    """A provider with faults, and clients for it: one that streams, one that does not."""
    with ExitStack() as stack:
        provider = stack.enter_context(
            ProviderProcess(
                latency=LATENCY,
                fault_share=FAULT_SHARE,
                seed=seed,
                retry_after="0.05",
                answer_bytes=ANSWER_BYTES,
            )
        )
        models = [model_of(sdk, provider, stream=stream) for stream in (False, True)]
        for model in models:
            stack.enter_context(model)
        yield provider, models


def model_of(
    sdk: str,
    provider: ProviderProcess | LoopbackProvider,
    *,
    stream: bool,
    max_tokens: int = MAX_TOKENS,
    limits: Limits = LIMITS,
) -> RemoteModel:
    options: dict[str, Any] = {"max_tokens": max_tokens, "stream": stream}
    options |= {"price": PRICE, "limits": limits}
    if sdk == "anthropic":
        return AnthropicModel("loopback", base_url=provider.anthropic_url, **options)
    return OpenAIModel("loopback", base_url=provider.openai_url, **options)


def memory_mb() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def dollars(tokens: Tokens) -> float:
    return PRICE.dollars(
        input=tokens.input, cached=tokens.cached, written=tokens.written, output=tokens.output
    )


def left_open(provider: ProviderProcess) -> int:
    """Connections that stay open, besides the one that asks."""
    for _ in range(100):
        connections = provider.statistics().open - 1
        if not connections:
            break
        time.sleep(0.02)
    return connections


def measure(sdk: str, calls: int, seed: int) -> dict[str, Any]:
    """All calls through one SDK, under a budget that is enough for them."""
    threads = set(threading.enumerate())
    with serving(sdk, seed) as (provider, models):
        tally = Tally(models, Ledger(Budget(dollars=1e6, tokens=10**12)))
        memory = []
        started = time.perf_counter()
        with ThreadPoolExecutor(THREADS) as pool:
            for tenth in range(10):
                list(pool.map(tally.call, range(calls * tenth // 10, calls * (tenth + 1) // 10)))
                memory.append(memory_mb())
        seconds = time.perf_counter() - started
        for model in models:
            model.close()
        connections = left_open(provider)
        sums = provider.statistics()
    left = sorted(thread.name for thread in set(threading.enumerate()) - threads)
    billed, broken = dollars(sums.completed), dollars(sums.broken_off)
    assert sum(tally.outcomes.values()) == calls
    assert billed + broken <= tally.charged.dollars * (1 + 1e-9), (billed, broken, tally.charged)
    assert tally.charged.dollars <= tally.ceilings.dollars, (tally.charged, tally.ceilings)
    assert tally.above_ceiling == 0
    if calls >= 2000:  # until then the allocator fills its arenas
        assert max(memory[5:]) <= 1.2 * max(memory[:5]), memory
    assert sums.most_in_flight <= 2 * LIMITS.in_flight
    assert not left, left
    assert not connections, connections
    return {
        "calls": calls,
        "outcomes": dict(tally.outcomes),
        "requests": sums.requests,
        "faults": sums.faults,
        "most_in_flight": sums.most_in_flight,
        "dollars": {
            "billed_for_complete_answers": round(billed, 4),
            "billed_for_broken_answers": round(broken, 4),
            "charged": round(tally.charged.dollars, 4),
            "reserved": round(tally.ceilings.dollars, 4),
        },
        "calls_above_their_ceiling": tally.above_ceiling,
        "threads_left": len(left),
        "connections_left": connections,
        "memory_mb": memory,
        "seconds": round(seconds, 1),
    }


def measure_budget(sdk: str, calls: int, seed: int) -> dict[str, Any]:
    """Calls under a budget that is too small for them; all threads reserve at once.

    What counts is the provider's bill, with what it charges for answers that broke off.
    """
    with serving(sdk, seed) as (provider, models):
        limit = calls / 20 * models[0].ceiling(len(TASKS[0]), 1).dollars
        tally = Tally(models, Ledger(Budget(dollars=limit)))
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(tally.call, range(calls)))
        sums = provider.statistics()
    billed = dollars(sums.completed) + dollars(sums.broken_off)
    assert tally.outcomes["not begun: budget"]
    assert tally.charged.dollars <= limit
    assert billed <= limit, (billed, limit)
    return {
        "budget": round(limit, 4),
        "billed": round(billed, 4),
        "charged": round(tally.charged.dollars, 4),
        "outcomes": dict(tally.outcomes),
    }


def measure_fault(sdk: str, fault: Fault, *, stream: bool) -> dict[str, Any]:
    """A search of whose requests a third fail; the bill and the journal at its end."""
    ended = ""
    with LoopbackProvider(
        lambda request: f"```\n{2 + request.number / 1e6}\n```\n".ljust(ANSWER_BYTES, "."),
        faults=mixed_faults(FAULT_SHARE, kinds=[fault]),
        stall=1.0,
    ) as provider:
        model = model_of(sdk, provider, stream=stream, max_tokens=500, limits=HASTY)
        search = Search(
            toy_task(),
            generator=ModelGenerator(model),
            executor=ScriptedExecutor(toy_verdict),
            policy=BestOfN(batch=1, n=400),
            budget=Budget(dollars=BUDGET),
            options=Options(in_flight=8, threads=1, patience=10_000),
        )
        try:
            search.run()
        except MaxcodeError as error:
            ended = type(error).__name__
        model.close()
        while (sums := provider.statistics()).in_flight:  # until it notices who hung up
            time.sleep(0.02)
    billed = dollars(sums.completed) + dollars(sums.broken_off)
    spent = search.state.spent.dollars
    return {
        "sdk": sdk,
        "streamed": stream,
        "requests": sums.requests,
        "billed": round(billed, 4),
        "journal": round(spent, 4),
        "billed_beyond_the_journal": round(max(billed - spent, 0.0), 4),
        "billed_beyond_the_budget": round(max(billed - BUDGET, 0.0), 4),
        "journal_beyond_the_budget": round(max(spent - BUDGET, 0.0), 4),
        "ended_by": ended or (search.state.stopped.reason if search.state.stopped else ""),
    }


def measure_faults() -> list[dict[str, Any]]:
    """All faults, by both SDKs, streamed and not."""
    rows = []
    for name, fault in LOST.items():
        for sdk in ("anthropic", "openai"):
            for stream in (False, True) if fault is not Fault.STREAM_ERROR else (True,):
                rows.append({"fault": name, **measure_fault(sdk, fault, stream=stream)})
                print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dry", action="store_true", help="write no results")
    parts = ["anthropic", "openai", "by_fault"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    arguments = parser.parse_args()
    taken_on = machine()
    figures: dict[str, Any] = {"threads": THREADS, "fault_share": FAULT_SHARE}
    figures |= {part: earlier("models_faults").get(part) for part in parts}
    for sdk in [part for part in parts[:2] if part in arguments.parts]:
        figures[sdk] = {"load_at_start": machine()["load_at_start"]}
        figures[sdk] |= measure(sdk, arguments.calls, arguments.seed)
        figures[sdk]["small_budget"] = measure_budget(
            sdk, max(100, arguments.calls // 10), arguments.seed + 1
        )
        print(sdk, figures[sdk], flush=True)
    if "by_fault" in arguments.parts:
        figures["by_fault"] = {"budget": BUDGET, "searches": measure_faults()}
    if not arguments.dry:
        save("models_faults", figures, taken_on)


if __name__ == "__main__":
    main()
