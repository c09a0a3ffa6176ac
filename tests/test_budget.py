import time
from concurrent.futures import ThreadPoolExecutor
from math import inf, nan
from threading import Barrier
from typing import Any

import pytest

from maxcode.budget import FREE, Budget, Cost, Ledger
from maxcode.errors import InputError

_THREADS = 16

# -- reading and writing -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("evaluations=40", Budget(evaluations=40)),
        (" 40 ", Budget(evaluations=40)),
        ("evals=40,s=1.5,usd=5,tokens=7", Budget(40, 7, 5.0, 1.5)),
        (" evaluations = 40 , seconds = 1e3 ", Budget(evaluations=40, seconds=1000.0)),
        ("tokens=1e6", Budget(tokens=1_000_000)),
        ("evaluations=inf,seconds=9", Budget(seconds=9.0)),
    ],
)
def test_a_budget_is_read(text: str, budget: Budget) -> None:
    assert Budget.parse(text) == budget


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "cannot read ''"),
        ("evaluations=4 seconds=5", "cannot read 'evaluations=4 seconds=5'"),
        ("minutes=4", "cannot read 'minutes=4'"),
        ("usd=$5", r"'\$5' is not a number"),
        ("tokens=0.1", "whole numbers, not 0.1"),
        ("evaluations=nan", "whole numbers, not nan"),
        ("evaluations=0", "evaluations must be a number above 0"),
        ("seconds=nan", "seconds must be a number above 0"),
    ],
)
def test_nonsense_is_refused_by_name(text: str, part: str) -> None:
    with pytest.raises(InputError, match=rf"^budget: .*{part}"):
        Budget.parse(text)


@pytest.mark.parametrize("name", ["evaluations", "tokens", "dollars", "seconds"])
@pytest.mark.parametrize("amount", [-1, nan, inf])
def test_limits_and_costs_are_finite_and_not_negative(name: str, amount: Any) -> None:
    with pytest.raises(InputError, match=name):
        Budget(**{name: amount})
    with pytest.raises(ValueError, match=name):
        Cost(**{name: amount})


def test_costs_add_up_currency_by_currency() -> None:
    assert Cost(1, 20, 0.5, 3.0) + Cost(2, 5, 0.25) == Cost(3, 25, 0.75, 3.0)


@pytest.mark.parametrize("text", ["evaluations=40,tokens=7", "usd=0.1,seconds=1e+20"])
def test_what_is_printed_can_be_read_again(text: str) -> None:
    assert str(Budget.parse(text)) == text


# -- the ledger, one thread --------------------------------------------------------------------


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_reservation_takes_room_until_it_is_settled() -> None:
    ledger = Ledger(Budget(evaluations=3), clock=Clock())
    held = ledger.reserve(Cost(evaluations=2))
    assert held is not None
    assert ledger.spent == FREE
    assert ledger.reserve(Cost(evaluations=2)) is None
    held.commit(Cost(evaluations=1))
    assert ledger.spent == Cost(evaluations=1)
    assert ledger.reserve(Cost(evaluations=2)) is not None


def test_a_reservation_settles_once() -> None:
    ledger = Ledger(Budget(evaluations=4), clock=Clock())
    held = ledger.reserve(Cost(evaluations=1))
    assert held is not None
    held.commit(Cost(evaluations=1))
    for again in (held.release, lambda: held.commit(Cost(evaluations=1))):
        with pytest.raises(RuntimeError, match="settled before"):
            again()
    assert ledger.spent == Cost(evaluations=1)


@pytest.mark.parametrize("name", ["evaluations", "tokens", "dollars"])
def test_each_limit_holds_on_its_own(name: str) -> None:
    ledger = Ledger(Budget(**{name: 2}), clock=Clock())
    assert ledger.reserve(Cost(**{name: 3})) is None
    assert ledger.exhausted() == []
    assert ledger.reserve(Cost(**{name: 2})) is not None
    assert ledger.exhausted() == [name]
    assert ledger.reserve(Cost(**{name: 1})) is None
    others = {"evaluations": 9, "tokens": 9, "dollars": 9, "seconds": 9} | {name: 0}
    assert ledger.reserve(Cost(**others)) is not None


def test_seconds_go_by_the_clock_and_not_by_what_was_committed() -> None:
    clock = Clock()
    ledger = Ledger(Budget(seconds=10), clock=clock)
    held = ledger.reserve(Cost(seconds=4))
    assert held is not None
    clock.now += 3
    held.commit(Cost(seconds=4))
    assert ledger.spent.seconds == 3
    assert ledger.reserve(Cost(seconds=7)) is not None
    assert ledger.reserve(Cost(seconds=7)) is not None  # at the same time, so not added up
    assert ledger.reserve(Cost(seconds=7.5)) is None
    clock.now += 6.5
    assert ledger.exhausted() == []
    assert ledger.reserve(Cost(seconds=1)) is None
    clock.now += 0.5
    assert ledger.exhausted() == ["seconds"]
    clock.now += 1
    assert ledger.reserve(FREE) is None


def test_earlier_sessions_count() -> None:
    clock = Clock()
    ledger = Ledger(Budget(evaluations=5, seconds=60), Cost(evaluations=4, seconds=50), clock)
    clock.now += 6
    assert ledger.spent == Cost(evaluations=4, seconds=56)
    assert ledger.reserve(Cost(evaluations=2)) is None
    assert ledger.reserve(Cost(evaluations=1, seconds=5)) is None
    assert ledger.reserve(Cost(evaluations=1, seconds=4)) is not None
    assert ledger.exhausted() == ["evaluations"]


@pytest.mark.parametrize("tenths", [3, 10])  # as floats they add up to more, and to less
def test_tenths_of_a_dollar_add_up(tenths: int) -> None:
    ledger = Ledger(Budget(dollars=tenths / 10), clock=Clock())
    for _ in range(tenths):
        assert ledger.exhausted() == []
        held = ledger.reserve(Cost(dollars=0.1))
        assert held is not None
        held.commit(Cost(dollars=0.1))
    assert ledger.exhausted() == ["dollars"]
    assert ledger.reserve(Cost(dollars=0.1)) is None


# -- the ledger, many threads ------------------------------------------------------------------


def _spend(ledger: Ledger, price: Cost) -> int:
    """From many threads at once, reserve and commit until nothing is left; gives the commits."""
    together = Barrier(_THREADS)

    def worker(_: int) -> int:
        together.wait()
        commits = 0
        while (held := ledger.reserve(price)) is not None:
            held.commit(price)
            commits += 1
        return commits

    with ThreadPoolExecutor(_THREADS) as pool:
        return sum(pool.map(worker, range(_THREADS)))


def _yielding_clock() -> float:
    """Lets other threads run in the middle of every look at the ledger."""
    time.sleep(0)
    return 0.0


@pytest.mark.parametrize(
    ("budget", "price"),
    [(Budget(evaluations=50), Cost(evaluations=1)), (Budget(dollars=5.0), Cost(dollars=0.1))],
)
def test_threads_never_pass_the_budget(budget: Budget, price: Cost) -> None:
    ledger = Ledger(budget, clock=_yielding_clock)
    assert _spend(ledger, price) == 50
    assert ledger.spent.evaluations == 50 * price.evaluations
    assert ledger.spent.dollars == pytest.approx(50 * price.dollars)
