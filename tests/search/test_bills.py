"""The provider's bill, the journal and the budget, whatever becomes of requests."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from tests._runs import MakeSearch
from tests.models._remote import PRICE, Maker, limits, make_anthropic, make_openai
from tests.provider import Fault, LoopbackProvider
from tests.provider.messages import Request

from maxcode.budget import Budget
from maxcode.errors import NoAnswerError
from maxcode.generators.llm import ModelGenerator
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.summary import model_usage

BUDGET = 0.1  # dollars
LOST = [fault for fault in Fault if not str(fault).startswith(("4", "5", "overloaded"))]


def long_answer(request: Request) -> str:
    return f"```\n{2 + request.number / 1000}\n```\n".ljust(2000, ".")


@pytest.mark.parametrize(
    ("make", "stream"),
    [(make_anthropic, True), (make_openai, False)],
    ids=["anthropic streamed", "openai whole"],
)
@pytest.mark.parametrize("fault", LOST)
def test_the_bill_passes_neither_the_journal_nor_the_budget(
    toy: MakeSearch, fault: Fault, make: Maker, stream: bool
) -> None:
    faults = {1: fault, 4: fault, 5: fault, 9: fault}.get
    with LoopbackProvider(long_answer, faults=faults, stall=0.6) as provider:
        hasty = limits(timeout=0.2)
        with make(provider, stream=stream, max_tokens=500, limits=hasty) as model:
            search = toy(
                generator=ModelGenerator(model),
                policy=BestOfN(batch=1, n=100),
                critic=None,
                budget=Budget(dollars=BUDGET),
                options=Options(in_flight=4, threads=1, patience=1000),
            )
            with suppress(NoAnswerError):  # where the budget is at its end
                search.run()
        while provider.in_flight:
            time.sleep(0.01)
        parts = provider.charges
        billed = sum(
            PRICE.dollars(input=p.input, cached=p.cached, written=p.written, output=p.output)
            for p in parts
        )
    spent = search.state.spent.dollars
    assert len(parts) >= 4
    assert billed <= spent + 1e-12
    assert spent <= BUDGET
    [use] = search.state.account.usage.values()
    assert use.dollars == pytest.approx(spent)
    assert bool(use.reserves) == (use.reserved > 0) == (use.lost > 0)
    [(_, text)] = model_usage(search.state.account.usage)
    assert ("a reserve" in text) == bool(use.reserves)
