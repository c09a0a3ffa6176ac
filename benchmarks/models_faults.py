"""Searches at a provider that fails in 30 % of its requests: the bill against the journal.

The provider runs on loopback. Each search runs into one kind of fault, asks eight requests at a
time, and ends with its budget. The provider bills an answer as a whole once it was made, whatever
of it was sent. The journal must say no less than the bill, and neither may pass the budget.

Usage: python benchmarks/models_faults.py
"""

from __future__ import annotations

import sys
import time
from typing import Any

from common import ROOT, save

sys.path.insert(0, str(ROOT))
from kills_bill import PRICE, asking, billed_by
from tests.provider import Fault, LoopbackProvider, mixed_faults

from maxcode.errors import MaxcodeError
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.openai import OpenAIModel
from maxcode.models.remote import RemoteModel
from maxcode.models.resilience import Limits

FAULT_SHARE = 0.3
ANSWER_BYTES = 2000
BUDGET = 0.2  # dollars, of a search with one kind of fault
FAULTS = {
    "reset": Fault.DROPPED,
    "half a body": Fault.BROKEN_OFF,
    "bad JSON": Fault.BROKEN_JSON,
    "bad UTF-8": Fault.BAD_UTF8,
    "hang": Fault.HUNG,
    "slow bytes": Fault.SLOW,
    "error in a stream": Fault.STREAM_ERROR,
    "empty": Fault.EMPTY,
}
HASTY = Limits(first_wait=0.01, longest_wait=0.2, timeout=0.5)


def measure(sdk: str, fault: Fault, *, stream: bool) -> dict[str, Any]:
    """A search of whose requests a third fail; the bill and the journal at its end."""
    ended = ""
    with LoopbackProvider(
        lambda request: f"```\n{2 + request.number / 1e6}\n```\n".ljust(ANSWER_BYTES, "."),
        faults=mixed_faults(FAULT_SHARE, kinds=[fault]),
        stall=1.0,
    ) as provider:
        options: dict[str, Any] = {"max_tokens": 500, "stream": stream}
        options |= {"price": PRICE, "limits": HASTY}
        model: RemoteModel
        if sdk == "anthropic":
            model = AnthropicModel("loopback", base_url=provider.anthropic_url, **options)
        else:
            model = OpenAIModel("loopback", base_url=provider.openai_url, **options)
        search = asking(model, BUDGET)
        try:
            search.run()
        except MaxcodeError as error:
            ended = type(error).__name__
        model.close()
        while provider.in_flight:  # until it notices who hung up
            time.sleep(0.02)
        charges = provider.charges
    billed = billed_by(charges)
    spent = search.state.spent.dollars
    return {
        "sdk": sdk,
        "streamed": stream,
        "requests": len(charges),
        "billed": round(billed, 4),
        "journal": round(spent, 4),
        "billed_beyond_the_journal": round(max(billed - spent, 0.0), 4),
        "billed_beyond_the_budget": round(max(billed - BUDGET, 0.0), 4),
        "journal_beyond_the_budget": round(max(spent - BUDGET, 0.0), 4),
        "ended_by": ended or (search.state.stopped.reason if search.state.stopped else ""),
    }


def main() -> None:
    rows: list[dict[str, Any]] = []
    for name, fault in FAULTS.items():
        for sdk in ("anthropic", "openai"):
            for stream in (False, True) if fault is not Fault.STREAM_ERROR else (True,):
                rows.append({"fault": name, **measure(sdk, fault, stream=stream)})
                print(rows[-1], flush=True)
    by_fault = {"budget": BUDGET, "searches": rows}
    save("models_faults", {"fault_share": FAULT_SHARE, "by_fault": by_fault})


if __name__ == "__main__":
    main()
