"""How outputs lie in memory, as far as a caller may count on it."""

import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch
from torch.multiprocessing import reductions

from maxcode.executors.kernel.worker.layout import (
    AGAIN,
    INPUT,
    SHARED,
    STRIDED,
    WEIGHT,
    Layouts,
)

weak: Any = reductions.StorageWeakRef


def seen(
    call: Callable[[torch.Tensor], Any], times: int = 2, *, keep: bool = True, asked: bool = False
) -> list[list[str]]:
    """By default a result is kept until the next call has returned."""
    layouts = Layouts(asked=asked)
    for _ in range(times):
        x = torch.randn(4, 6)
        layouts.begin()
        value = call(x)
        layouts.look(value, [x])
        value = value if keep else None
    return layouts.seen


KEPT = torch.zeros(4, 6)
CALLS: dict[str, tuple[Callable[[torch.Tensor], Any], list[list[str]]]] = {
    "a new tensor": (lambda x: x + 1, [[]]),
    "a column": (lambda x: (x + 1)[:, :1], [[STRIDED]]),
    "heads that share memory": (lambda x: (x + 1)[None].expand(3, 4, 6), [[SHARED, STRIDED]]),
    "columns of one result": (
        lambda x: ((y := x + 1)[:, ::2], y[:, 1::2]),
        [[STRIDED], [STRIDED]],
    ),
    "a transposed result twice": (lambda x: [(x + 1).t()] * 2, [[STRIDED], [SHARED, STRIDED]]),
    "windows that overlap": (lambda x: (x + 1).unfold(1, 3, 1), [[SHARED, STRIDED]]),
    "its input": (lambda x: x, [[INPUT]]),
    "half of its input": (lambda x: x[2:], [[INPUT]]),
    "a copy beside its input": (lambda x: (x.clone(), {"x": x.t()}), [[], [INPUT, STRIDED]]),
    "one tensor each time": (KEPT.copy_, [[AGAIN]]),
    "one tensor twice": (lambda x: [x + 1] * 2, [[], [SHARED]]),
    "two halves": (lambda x: [y := x + 1, y[:0]] and [(z := x + 1)[:2], z[2:]], [[], []]),
    "a whole and its end": (lambda x: [y := x + 1, y[3:]], [[], [SHARED]]),
    "nothing": (lambda x: x[:0], [[]]),
    "what lies nowhere": (lambda x: x.to("meta"), [[]]),
    "what is sparse": (lambda x: x.to_sparse(), [[]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_a_caller_may_do_with_outputs_is_seen(name: str) -> None:
    call, expected = CALLS[name]
    assert seen(call, asked=True) == expected


def test_one_tensor_each_time_is_seen_among_few_calls() -> None:
    for _ in range(50):
        assert seen(KEPT.copy_, times=4, keep=False) == [[AGAIN]]


def test_a_module_may_keep_memory_that_it_returns_again_once_all_others_let_go() -> None:
    base = torch.zeros(4, 6)
    count: Any = torch._C._storage_Use_Count
    alone = count(base.untyped_storage()._cdata)

    def call(x: torch.Tensor) -> torch.Tensor:
        free = count(base.untyped_storage()._cdata) <= alone
        return base.detach().copy_(x) if free else x.clone()

    assert seen(call, times=200, keep=False) == [[]]
    assert seen(call, times=1000, keep=False, asked=True) == [[AGAIN]]


def test_a_look_leaves_no_mark_on_results_by_which_a_pool_knows_those_that_are_free() -> None:
    given: list[torch.Tensor] = []

    def call(x: torch.Tensor) -> torch.Tensor:
        given.append(x + 1)
        return given[-1]

    assert seen(call, times=50, keep=False) == [[]]
    internals: Any = torch._C
    owners = [internals._storage_Use_Count(internals._storage_address(one)) for one in given]
    assert sorted(owners) in ([1] * 50, [1] * 49 + [2])  # one is kept as by a caller


def test_memory_that_nobody_keeps_may_serve_again() -> None:
    assert seen(torch.sin, times=50) == [[]]


def test_what_was_kept_until_a_call_may_give_its_memory_to_the_next() -> None:
    places = [numpy.zeros((4, 6))]  # an allocator that gives the last place if nobody keeps it
    last: list[torch.Tensor] = []

    def call(x: torch.Tensor) -> torch.Tensor:
        kept = [weak(one.untyped_storage()) for one in last]
        last.clear()
        if not all(one.expired() for one in kept):
            places.append(numpy.zeros((4, 6)))
        last.append(torch.from_numpy(places[-1]).copy_(x))
        return last[0]

    assert seen(call, keep=False) == [[]]
    assert seen(call, times=200) == [[]]


def test_the_first_call_returns_nothing_again() -> None:
    assert seen(KEPT.copy_, times=1) == [[]]


def test_one_of_a_few_tensors_each_time_is_seen() -> None:
    ring = [torch.zeros(4, 6) for _ in range(16)]

    def call(x: torch.Tensor) -> torch.Tensor:
        ring.append(ring.pop(0))
        return ring[-1].copy_(x)

    assert seen(call, times=200) == [[AGAIN]]


def test_memory_that_waits_until_nobody_keeps_a_result_may_serve_again() -> None:
    pool: list[Any] = []

    def call(x: torch.Tensor) -> torch.Tensor:
        for number in range(len(pool)):
            if sys.getrefcount(pool[number]) == 2:  # the pool's, and the argument
                return torch.from_numpy(pool[number]).copy_(x)
        pool.append(x.numpy().copy())
        return torch.from_numpy(pool[-1])

    assert seen(call, times=200) == [[]]
    assert len(pool) < 6


def test_memory_that_a_caller_keeps_under_another_name_may_not_serve_again() -> None:
    pool: list[torch.Tensor] = []

    def call(x: torch.Tensor) -> torch.Tensor:
        for number in range(len(pool)):
            if sys.getrefcount(pool[number]) == 2:  # which its aliases are not counted in
                return pool[number].copy_(x)
        pool.append(x.clone())
        return pool[-1]

    assert seen(call, times=200, keep=False) == [[AGAIN]]


def test_a_result_that_is_kept_and_changes_is_seen_at_any_address() -> None:
    pages = torch.zeros(4, 6)

    def call(x: torch.Tensor) -> torch.Tensor:
        pages.copy_(x)  # another tensor of the same memory each time
        return torch.from_numpy(numpy.frombuffer(pages.numpy().data, numpy.float32))

    assert AGAIN in seen(call, times=200, keep=False)[0]


def test_memory_of_inputs_and_weights_is_none_that_serves_again() -> None:
    layer, x = torch.nn.Linear(6, 6), torch.randn(4, 6)
    layouts = Layouts(layer)
    for _ in range(200):
        layouts.begin()
        x.copy_(torch.randn(4, 6))
        layouts.look([x, layer.weight], [x])
    assert layouts.seen == [[INPUT], [WEIGHT]]


def test_memory_of_weights_is_seen() -> None:
    layer = torch.nn.Linear(6, 6)
    layouts = Layouts(layer)
    layouts.begin()
    layouts.look([layer.weight, layer.weight * 2, layer.bias[2:]], [])
    assert layouts.seen == [[WEIGHT], [], [WEIGHT]]


def test_memory_in_which_a_weight_was_before_a_call_is_anybodys_after_it() -> None:
    layer = torch.nn.Linear(6, 6)
    layouts = Layouts(layer)
    layouts.begin()
    before = layer.weight.data
    layer.double()  # which gives them other memory
    layouts.look([before, layer.weight], [])
    assert layouts.seen == [[], [WEIGHT]]


@pytest.mark.slow
def test_outputs_that_a_module_keeps_are_known_once_all_others_let_go() -> None:
    layouts, kept = Layouts(asked=True), torch.zeros(3)
    for _ in range(3):
        layouts.begin()
        layouts.look([kept + 1, kept[1:], kept * 2], [])
        assert layouts.left() == {1}
