"""Words for figures: no more digits than people can use."""

import pytest

from maxcode import text as words
from maxcode.evaluation import Interval


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.00x"), (3.216, "3.22x"), (12.34, "12.3x"), (123.4, "123x"), (0.874, "0.87x")],
)
def test_factor(value: float, text: str) -> None:
    assert words.factor(value) == text


def test_interval() -> None:
    assert words.interval(Interval(2.314, 2.266, 12.35)) == "2.31x [2.27, 12.3]"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0000123, "12.3 us"),
        (0.0082149, "8.21 ms"),
        (0.9996, "1 s"),
        (1.2549, "1.25 s"),
        (59.99, "1 min 0 s"),
        (125.2, "2 min 5 s"),
        (3785, "1 h 3 min"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(7.9, "0:07"), (125, "2:05"), (3753, "1:02:33")])
def test_clock(seconds: float, text: str) -> None:
    assert words.clock(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (312, "312 B"), (1234, "1.23 kB"), (48e6, "48 MB"), (2e9, "2 GB")],
)
def test_size(count: int, text: str) -> None:
    assert words.size(count) == text


@pytest.mark.parametrize(("amount", "text"), [(0, "$0.00"), (0.0123, "$0.0123"), (5, "$5.00")])
def test_dollars(amount: float, text: str) -> None:
    assert words.dollars(amount) == text


@pytest.mark.parametrize(
    ("paid", "unpriced", "text"),
    [(0, 0, "$0.00"), (3.2, 0, "$3.20"), (0, 9, "price unknown"), (3.2, 9, "$3.20 and more")],
)
def test_price(paid: float, unpriced: int, text: str) -> None:
    assert words.price(paid, unpriced) == text
