"""Calls a second through both SDKs: a provider that answers in 200 ms, 64 calls in flight.

The provider runs on loopback in a process of its own. The ideal is 64 / 0.2 = 320 calls a second.

Usage: python benchmarks/models_throughput.py [--calls 3200]
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from common import ROOT, machine, save

sys.path.insert(0, str(ROOT))
from tests.provider import ProviderProcess

from maxcode.budget import Transcript
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.base import Prompt, ask
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.remote import RemoteModel
from maxcode.models.resilience import Limits

IN_FLIGHT = 64
LATENCY = 0.2
ANSWER_BYTES = 2000
TASK = "A line of the program to be made faster.\n" * 50


def model_of(sdk: str, provider: ProviderProcess, *, stream: bool) -> RemoteModel:
    price, limits = Price.parse("3/15"), Limits(in_flight=IN_FLIGHT)
    if sdk == "anthropic":
        return AnthropicModel(
            "loopback", base_url=provider.anthropic_url, stream=stream, price=price, limits=limits
        )
    return OpenAIModel(
        "loopback", base_url=provider.openai_url, stream=stream, price=price, limits=limits
    )


def measure(sdk: str, calls: int, *, stream: bool) -> dict[str, float]:
    """Calls a second, and the processor's time for each, when all connections are open."""
    with (
        ProviderProcess(latency=LATENCY, answer_bytes=ANSWER_BYTES) as provider,
        model_of(sdk, provider, stream=stream) as model,
        ThreadPoolExecutor(IN_FLIGHT) as pool,
    ):

        def call(number: int) -> None:
            prompt = Prompt("You make programs faster.", (TASK, f"Attempt {number}."))
            ask(model, prompt, 1, seed=number, transcript=Transcript())

        list(pool.map(call, range(2 * IN_FLIGHT)))
        started, worked = time.perf_counter(), time.process_time()
        list(pool.map(call, range(calls)))
        seconds, work = time.perf_counter() - started, time.process_time() - worked
        assert provider.statistics().most_in_flight == IN_FLIGHT
    rate = calls / seconds
    return {
        "calls_per_second": round(rate, 1),
        "share_of_ideal": round(rate / (IN_FLIGHT / LATENCY), 3),
        "processor_ms_each": round(1000 * work / calls, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=3200)
    parser.add_argument("--dry", action="store_true", help="write no results")
    arguments = parser.parse_args()
    taken_on = machine()
    rows: list[dict[str, Any]] = []
    for sdk in ("anthropic", "openai"):
        for stream in (False, True):
            repeats = [measure(sdk, arguments.calls, stream=stream) for _ in range(3)]
            median = sorted(repeats, key=lambda row: row["calls_per_second"])[1]
            rows.append({"sdk": sdk, "streamed": stream, **median})
            print(rows[-1], flush=True)
    if not arguments.dry:
        figures = {
            "in_flight": IN_FLIGHT,
            "latency_seconds": LATENCY,
            "calls": arguments.calls,
            "median_of": 3,
            "rows": rows,
        }
        save("models_throughput", figures, taken_on)


if __name__ == "__main__":
    main()
