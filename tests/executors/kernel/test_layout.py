"""How outputs lie in memory, as far as a caller may count on it."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch

from maxcode.executors.kernel.worker.layout import AGAIN, INPUT, SCATTERED, Layouts


def seen(call: Callable[[torch.Tensor], Any], times: int = 2) -> list[list[str]]:
    layouts = Layouts()
    for _ in range(times):
        x = torch.randn(4, 6)
        layouts.begin()
        layouts.look(call(x), [x])
    return layouts.seen


KEPT = torch.zeros(4, 6)
CALLS: dict[str, tuple[Callable[[torch.Tensor], Any], list[list[str]]]] = {
    "a new tensor": (lambda x: x + 1, [[]]),
    "a column": (lambda x: (x + 1)[:, :1], [[SCATTERED]]),
    "heads that share memory": (lambda x: (x + 1)[None].expand(3, 4, 6), [[SCATTERED]]),
    "its input": (lambda x: x, [[INPUT]]),
    "half of its input": (lambda x: x[2:], [[INPUT]]),
    "a copy beside its input": (lambda x: (x.clone(), {"x": x.t()}), [[], [INPUT, SCATTERED]]),
    "one tensor each time": (KEPT.copy_, [[AGAIN]]),
    "nothing": (lambda x: x[:0], [[]]),
    "what lies nowhere": (lambda x: x.to("meta"), [[]]),
    "what is sparse": (lambda x: x.to_sparse(), [[]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_a_caller_may_do_with_outputs_is_seen(name: str) -> None:
    call, expected = CALLS[name]
    assert seen(call) == expected


def test_memory_that_nobody_keeps_may_serve_again() -> None:
    assert seen(torch.sin, times=50) == [[]]


def test_what_was_kept_until_a_call_may_give_its_memory_to_the_next() -> None:
    place = numpy.zeros((4, 6))  # an allocator that has one place to give
    last: list[torch.Tensor] = []

    def call(x: torch.Tensor) -> torch.Tensor:
        last.clear()
        last.append(torch.from_numpy(place).copy_(x))
        return last[0]

    assert seen(call) == [[]]


def test_the_first_call_returns_nothing_again() -> None:
    assert seen(KEPT.copy_, times=1) == [[]]
