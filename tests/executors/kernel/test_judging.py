"""Limits learned of a reference, and the inputs on which outputs are judged."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from maxcode.executors.kernel.worker import comparing, reorderings, tensors, varying
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.messages import LearnedKinds, UnreliableError

Call = Callable[..., Any]
CONV = nn.Conv2d(8, 8, 3)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Module(nn.Module):
    """Calls a function."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call

    def forward(self, *given: torch.Tensor) -> Any:
        return self.call(*given)


def judged(
    call: Call, draw: Callable[[], list[Any]], seeds: Sequence[int] = (1, 2, 3)
) -> tuple[Judged, LearnedKinds]:
    def drawn(seed: int) -> list[Any]:
        torch.manual_seed(seed)
        return draw()

    made = Judged(Module(call), "cpu", drawn, [*seeds])
    return made, made.learn(None)


def refused(call: Call, draw: Callable[[], list[Any]]) -> str:
    """Reason for which nothing can be judged."""
    with pytest.raises(UnreliableError) as raised:
        judged(call, draw)
    return str(raised.value)


def in_turn(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy().cumsum(axis=1, dtype="float32")[:, -1:].copy())


def by_channels(x: torch.Tensor) -> torch.Tensor:
    parts = [
        torch.conv2d(x[:, n : n + 1], CONV.weight[:, n : n + 1]) for n in range(CONV.in_channels)
    ]
    bias = torch.as_tensor(CONV.bias)
    return torch.stack(parts).sum(dim=0) + bias.view(1, -1, 1, 1)


def bfloat16(one: torch.Tensor) -> torch.Tensor:
    return one.bfloat16().float()


OPERATORS: dict[str, tuple[Call, Callable[[], list[torch.Tensor]], Call]] = {
    "product": (
        lambda a, b: a @ b,
        lambda: [torch.randn(16, 128), torch.randn(128, 16)],
        lambda a, b: (a[:, :, None] * b).sum(dim=1),
    ),
    "convolution": (CONV, lambda: [torch.randn(2, 8, 12, 12)], by_channels),
    "softmax": (
        lambda x: torch.softmax(x, 1),
        lambda: [torch.randn(8, 512)],
        lambda x: (
            torch.exp(x - x.amax(1, keepdim=True)) / in_turn(torch.exp(x - x.amax(1, keepdim=True)))
        ),
    ),
    "sum": (lambda x: x.sum(1, keepdim=True), lambda: [torch.rand(8, 512)], in_turn),
}


@cache
def learned(name: str) -> Judged:
    call, draw, _ = OPERATORS[name]
    made, found = judged(call, draw)
    assert found.kinds == (*varying.KINDS,)
    return made


def problems(name: str, call: Call, change: Call = lambda one: one) -> list[str]:
    """Faults of a way to compute, on each kind of inputs."""
    reference, draw, _ = OPERATORS[name]
    made, found = learned(name), []
    for kind, [allowed] in made.allowed.items():
        torch.manual_seed(77)
        given = made.varied(draw(), kind, 77)
        with torch.no_grad():
            output, wanted = call(*map(change, given)), reference(*given)
        problem = comparing.problem(output, wanted, allowed)
        if problem:
            problem = comparing.problem(output, wanted, made.allowed_for(given, 77, kind)[0])
        found.append(problem)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATORS)
def test_another_order_of_summation_is_right_on_all_inputs(name: str) -> None:
    assert not any(problems(name, OPERATORS[name][2]))


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATORS)
def test_bfloat16_for_float32_is_wrong(name: str) -> None:
    assert any(problems(name, OPERATORS[name][0], bfloat16))


@pytest.mark.slow
def test_eight_bits_for_bfloat16_are_wrong_and_float32_inside_is_right() -> None:
    def eight_bits(one: torch.Tensor) -> torch.Tensor:
        scale = one.float().abs().amax(1, keepdim=True) / 127
        return (one.float() / scale).round() * scale

    def draw() -> list[torch.Tensor]:
        return [torch.randn(32, 1024).bfloat16()]

    made, _ = judged(lambda x: torch.softmax(x, dim=1), draw)
    [x] = draw()
    wanted = torch.softmax(x, dim=1)
    for [limits] in (made.allowed["task"], made.allowed_for([x], 77, "task")):
        inside, eight = (torch.softmax(one, dim=1).bfloat16() for one in (x.float(), eight_bits(x)))
        assert not comparing.problem(inside, wanted, limits)
        assert comparing.problem(eight, wanted, limits)


def in_float32(x: torch.Tensor) -> torch.Tensor:
    assert x.dtype is torch.float32
    return torch.exp(20 * x)


def noisy(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(20 * x) * torch.rand(x.shape)


@pytest.mark.slow
@pytest.mark.parametrize("call", [in_float32, noisy])
def test_where_double_precision_says_nothing_a_rounding_of_the_inputs_is_allowed(
    call: Call,
) -> None:
    made, _ = judged(call, lambda: [torch.randn(16, 64)])
    x = torch.randn(16, 64)
    [wanted] = tensors.Call(Module(call), [x], 1, "cpu").outputs()
    [allowed] = made.allowed["task"]
    torch.manual_seed(1)
    other = torch.exp(x) ** 20 * (torch.rand(x.shape) if call is noisy else 1.0)
    assert not comparing.problem(other, wanted, allowed)
    assert comparing.problem(
        torch.exp(20 * bfloat16(x)) * (wanted / torch.exp(20 * x)), wanted, allowed
    )


def test_limits_of_very_inputs_are_of_the_random_numbers_that_a_module_draws() -> None:
    made, _ = judged(lambda x: x + torch.rand(x.shape), lambda: [torch.randn(16, 64)])
    [allowed] = made.allowed_for([torch.randn(16, 64)], 5, "task")
    assert allowed["row"] < 1e-4


@pytest.mark.slow
def test_what_is_rounding_error_cannot_be_judged_but_by_a_tolerance() -> None:
    def call(x: torch.Tensor) -> torch.Tensor:
        return (x - x.mean()).mean(dim=1)

    def draw() -> list[Any]:
        return [torch.randn(1, 4096)]

    assert "mostly rounding error" in refused(call, draw)
    assert Judged(Module(call), "cpu", lambda _: draw(), [1, 2]).learn(0.5).tolerance


@pytest.mark.slow
def test_a_sum_of_very_many_is_no_rounding_error() -> None:
    """Added up one by one, ones in float32 stay at 2 ** 24."""
    [total] = reorderings.in_turn(tensors.Call(Module(torch.sum), [torch.ones(1 << 25)], 1, "cpu"))
    assert total == 1 << 25


@pytest.mark.slow
def test_numbers_that_are_only_noted_as_conjugate_are_judged() -> None:
    made, _ = judged(lambda x: torch.fft.rfft(x).conj(), lambda: [torch.randn(8, 64)])
    x = torch.randn(8, 64)
    [wanted] = tensors.Call(Module(lambda x: torch.fft.rfft(x).conj()), [x], 1, "cpu").outputs()
    [allowed] = made.allowed["task"]
    assert not comparing.problem(torch.fft.rfft(x).conj().resolve_conj(), wanted, allowed)
    assert comparing.problem(torch.fft.rfft(x), wanted, allowed)


class Orthogonal(nn.Module):
    """Lengths after a rotation."""

    def __init__(self) -> None:
        super().__init__()
        self.rotation = nn.Linear(16, 16, bias=False)
        nn.init.orthogonal_(self.rotation.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rotated: torch.Tensor = self.rotation(x)
        return rotated.square().sum(dim=1)


@pytest.mark.slow
def test_what_holds_only_until_a_module_is_trained_is_no_shortcut() -> None:
    module = Orthogonal()

    def drawn(seed: int) -> list[Any]:
        generator = torch.Generator().manual_seed(seed)
        return [torch.randn(32, 16, generator=generator)]

    def right(x: torch.Tensor) -> bool:
        [wanted] = tensors.Call(module, [x], 1, "cpu").outputs()
        return not comparing.problem(x.square().sum(dim=1), wanted, allowed)

    allowed = comparing.within_rows(1e-5, 16)
    assert right(*drawn(4))
    judge = Judged(module, "cpu", drawn, [1, 2, 3])
    assert judge.learn(None).moved
    [allowed] = judge.allowed["task"]
    assert not right(*drawn(4))


class Counting(nn.Module):
    """Adds up what it was given."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total += x.sum(dim=0)
        return x + self.total


def test_outputs_that_depend_on_earlier_calls_are_refused_for_that() -> None:
    judge = Judged(Counting(), "cpu", lambda _: [torch.randn(16, 16)], [1, 2])
    with pytest.raises(UnreliableError, match=r"other outputs for .*what earlier calls left"):
        judge.learn(None)


def test_outputs_whose_shape_depends_on_values_are_refused_for_that() -> None:
    said = refused(lambda x: x[x > 0], lambda: [torch.randn(16, 16)])
    assert said.startswith("the shape of its outputs depends on the values of its inputs; ")
    assert "pad" in said


@pytest.mark.slow
def test_an_input_that_is_always_the_same_is_named() -> None:
    _, report = judged(lambda x, i: x[i], lambda: [torch.randn(8, 8), torch.arange(8).flip(0)])
    assert report.remarks == ("input 1 is the same for every seed",)


@pytest.mark.slow
def test_what_a_module_does_not_bear_is_left_out() -> None:
    def picky(x: torch.Tensor) -> torch.Tensor:
        return torch.log(x) if x.mean() > 18 else x / 0

    _, report = judged(picky, lambda: [torch.rand(16, 16) * 20 + 10])
    assert "scaled" not in report.kinds
    assert any(one.startswith("inputs cannot be") and "scaled" in one for one in report.remarks)


# -- kinds of tensors ----------------------------------------------------------------------------


def symmetric() -> torch.Tensor:
    one = torch.randn(16, 16)
    return one + one.T


TENSORS: dict[str, tuple[Callable[[], torch.Tensor], Callable[[torch.Tensor], bool]]] = {
    "mask": (
        lambda: torch.randint(0, 2, (16, 16)).float(),
        lambda one: bool(((one == 0) | (one == 1)).all()),
    ),
    "positive": (lambda: torch.rand(16, 16) + 0.5, lambda one: bool((one >= 0.5).all())),
    "unit": (lambda: torch.rand(16, 16), lambda one: bool(((one >= 0) & (one <= 1)).all())),
    "sorted": (
        lambda: torch.randn(16, 16).sort(dim=1).values,
        lambda one: bool((one.diff(dim=1) >= 0).all()),
    ),
    "symmetric": (
        symmetric,
        lambda one: torch.equal(one, one.T),
    ),
    "triangular": (
        lambda: torch.randn(16, 16).tril(),
        lambda one: torch.equal(one, one.tril()),
    ),
    "shares": (
        lambda: torch.softmax(torch.randn(16, 16), dim=1),
        lambda one: bool(((one.sum(dim=1) - 1).abs() < 1e-3).all()),
    ),
    "whole": (
        lambda: torch.randint(0, 50, (16, 16)).float(),
        lambda one: bool(((one == one.round()) & (one >= 0) & (one < 50)).all()),
    ),
    "indices": (
        lambda: torch.randint(0, 9, (16,)),
        lambda one: bool(((one >= 0) & (one < 9)).all()),
    ),
}


@pytest.mark.parametrize("name", TENSORS)
def test_variations_keep_to_the_kind_of_a_tensor(name: str) -> None:
    draw, holds = TENSORS[name]
    torch.manual_seed(1)
    [trait] = varying.traits([[draw()] for _ in range(3)])
    changes = 0
    for kind in varying.KINDS:
        for seed in range(5):
            one = draw()
            made = varying.Variation(kind, seed).changed(one, trait)
            assert holds(made), kind
            assert made.shape == one.shape
            assert made.dtype == one.dtype
            changes += not torch.equal(made, one)
    assert (changes > 0) == (name != "indices")


def test_a_nan_where_none_should_be_is_wrong_and_a_common_one_is_right() -> None:
    wanted, allowed = torch.tensor([[1.0, torch.nan], [2.0, torch.inf]]), within(1e-6)
    assert not comparing.problem(wanted.clone(), wanted, allowed)
    assert "finite" in comparing.problem(torch.ones(2, 2), wanted, allowed)
    assert "NaN" in comparing.problem(wanted, torch.ones(2, 2), allowed)
    swapped = torch.tensor([[1.0, -torch.inf], [2.0, torch.nan]])
    assert "another of these" in comparing.problem(swapped, wanted, allowed)


def within(tolerance: float) -> comparing.Errors:
    return comparing.within_rows(tolerance, 2)


def test_a_row_that_nearly_cancels_counts_as_a_hundredth_of_the_typical() -> None:
    wanted = torch.ones(64, 8, dtype=torch.float64)
    wanted[5] = 1e-3
    found = wanted.clone()
    found[5] += 1e-6
    assert abs(comparing.errors(found, wanted)["row"] - 1e-4) < 1e-6


@pytest.mark.slow
def test_outputs_of_eight_bits_and_unsigned_integers_are_judged() -> None:
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16):

        def cast(x: torch.Tensor, dtype: torch.dtype = dtype) -> torch.Tensor:
            return (8 * x).abs().to(dtype)

        made, _ = judged(cast, lambda: [torch.randn(16, 16)])
        x = torch.randn(16, 16)
        assert not comparing.problem(cast(x), cast(x), made.allowed["task"][0])
        assert comparing.problem(cast(-x / 2), cast(x), made.allowed["task"][0])


class Tied(nn.Module):
    """Attention, whose first query likes two keys so much and so equally that rounding decides."""

    def forward(self, queries: torch.Tensor, keys: torch.Tensor) -> Any:
        return torch.softmax(queries @ keys.mT / 32**0.5, dim=-1) @ keys

    def otherwise(self, queries: torch.Tensor, keys: torch.Tensor) -> Any:
        return torch.softmax((queries * 32**-0.5) @ keys.mT, dim=-1) @ keys

    def inputs(self, seed: int) -> list[torch.Tensor]:
        random = torch.Generator().manual_seed(seed)
        queries, keys = (torch.randn(n, 32, generator=random) for n in (64, 256))
        both, apart = keys[0] + keys[1], functional.normalize(keys[0] - keys[1], dim=0)
        queries[0] = 2000 * (both - (both @ apart) * apart)
        return [queries, keys]


@pytest.mark.slow
def test_where_rounding_decides_an_honest_way_is_within_what_it_may_be() -> None:
    tied = Tied()
    usual = Judged(tied, "cpu", tied.inputs, [50, 51, 52])
    usual.learn(None)
    for seed in range(20):
        given = tied.inputs(seed)
        [allowed] = usual.allowed_for(given, seed, "task")
        wanted, other = tied(*given), tied.otherwise(*given)
        assert not comparing.problem(other, wanted, allowed), seed
        wrong = wanted * 1.01
        assert comparing.problem(wrong, wanted, allowed)
