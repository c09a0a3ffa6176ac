"""Outputs that may fill a good part of a GPU: some of their rows are learned from, in parts."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.executors.kernel.test_judging import Module, judged
from torch import nn

from maxcode.executors.kernel.sizes import learned_from
from maxcode.executors.kernel.worker import comparing, judging, learning, reorderings, varying
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.messages import LoadVariant, ModuleSpec, TensorBytes
from maxcode.executors.kernel.worker.variant import Variant

ROWS, COLUMNS = 64, 32


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs of a few kilobytes are large ones, of which not all is in memory at a time."""
    monkeypatch.setattr(comparing, "ENOUGH", (16 * COLUMNS, 8))
    monkeypatch.setattr(reorderings, "_AT_ONCE", 7)
    monkeypatch.setattr(comparing, "_PART", 100)


def draw() -> list[Any]:
    return [torch.randn(ROWS, COLUMNS)]


@pytest.mark.usefixtures("large")
def test_some_rows_of_an_output_come_from_all_its_parts_and_are_always_the_same() -> None:
    number = torch.arange(ROWS * COLUMNS).reshape(4, ROWS // 4, COLUMNS)
    [some] = learning.some_rows([number])
    assert some.shape == (16, COLUMNS)
    assert sorted((some[:, 0] // (ROWS * COLUMNS // 16)).tolist()) == [*range(16)]
    [others] = learning.some_rows([number.double() + 1])
    assert torch.equal(others, some + 1)
    few = number[0, :8]
    assert learning.some_rows([few])[0] is few
    one_column = number.reshape(-1, 1)
    assert learning.some_rows([one_column])[0] is one_column


@pytest.mark.slow
def test_some_rows_say_how_far_off_all_may_be(request: pytest.FixtureRequest) -> None:
    whole, _ = judged(lambda x: torch.softmax(x, dim=1), draw)
    request.getfixturevalue("large")
    part, report = judged(lambda x: torch.softmax(x, dim=1), draw)
    assert report.learned
    assert [*report.learned.kinds] == part.kinds == whole.kinds
    for kind, [allowed] in part.allowed.items():
        for name, value in allowed.items():
            assert 0.3 * value <= whole.allowed[kind][0][name] <= 4 * value, (kind, name)
    [x] = draw()
    wanted = torch.softmax(x, dim=1)
    wrong = torch.softmax(x.bfloat16().float(), dim=1)
    assert comparing.problem(wrong, wanted, part.allowed["task"][0])


@pytest.mark.usefixtures("large")
def test_shapes_of_large_outputs_that_depend_on_values_are_refused() -> None:
    _, report = judged(lambda x: x[x[:, 0] > 0], draw)
    assert "shape of its outputs depends" in report.problem


SUMS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "all": lambda x: x.sum(),
    "a dimension in the middle": lambda x: x.sum(dim=1),
    "two dimensions": lambda x: x.mean(dim=(0, 2), keepdim=True),
    "a running sum": lambda x: x.cumsum(dim=1).view(-1),
    "shares": lambda x: torch.softmax(x, dim=0),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_in_turn_are_the_same_in_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, way = torch.randn(6, 50, 9), reorderings.WAYS[reorderings.IN_TURN]
    [whole] = way(Module(SUMS[name]), [x], 1, "cpu")
    monkeypatch.setattr(reorderings, "_AT_ONCE", 7)
    [parts] = way(Module(SUMS[name]), [x], 1, "cpu")
    assert torch.equal(whole, parts)
    assert torch.allclose(whole, SUMS[name](x), atol=1e-5)


@pytest.mark.slow
def test_a_sum_of_very_many_is_no_rounding_error() -> None:
    """Added up one by one, ones in float32 stay at 2 ** 24."""
    ones = torch.ones(1 << 25)
    [total] = reorderings.WAYS[reorderings.IN_TURN](Module(torch.sum), [ones], 1, "cpu")
    assert total == 1 << 25


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_errors_are_the_same_in_parts(size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = size * torch.randn(40, 30)
    found = wanted * (1 + 1e-4 * torch.randn(40, 30))
    whole = comparing.errors(found, wanted)
    monkeypatch.setattr(comparing, "_PART", 100)
    assert comparing.errors(found, wanted) == whole
    assert 3e-5 < whole["rms"] < 3e-4


def most_held() -> int:
    """Bytes of memory that this process had at most, since this was asked last."""
    lines = Path("/proc/self/status").read_text().splitlines()
    [held] = [int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")]
    Path("/proc/self/clear_refs").write_text("5")
    return held


LARGE: dict[str, tuple[nn.Module, list[int]]] = {
    "outputs as large as inputs": (Module(torch.sigmoid), [2560, 1 << 12]),
    "small outputs": (Module(lambda x: x.amax(dim=1)), [2560, 1 << 12]),
    "large outputs": (nn.Conv2d(2, 16, 1), [2, 2, 512, 640]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_learning_takes_no_more_memory_than_is_counted_with(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, shape = LARGE[name]
    monkeypatch.setattr(comparing, "ENOUGH", (1 << 17, 64))
    monkeypatch.setattr(reorderings, "_AT_ONCE", 1 << 17)
    monkeypatch.setattr(reorderings, "_RUN", 1 << 17)
    monkeypatch.setattr(comparing, "_PART", 1 << 17)
    monkeypatch.setattr(varying, "_PART", 1 << 17)
    monkeypatch.setattr(judging, "_LEAST", 1.0)

    def drawn(shape: Sequence[int], seed: int) -> list[Any]:
        torch.manual_seed(seed)
        return [torch.rand(*shape)]

    Judged(module, "cpu", partial(drawn, [*shape[:-2], 8, 8]), [1, 2, 3]).learn(None)  # imports
    given = drawn(shape, 0)
    with torch.no_grad():
        size = TensorBytes(given[0].nbytes, 0, module(*given).nbytes)
    del given
    ctypes.CDLL(None).malloc_trim(0)  # what earlier tests freed would be used again, unseen
    most_held()
    before = most_held()
    Judged(module, "cpu", partial(drawn, shape), [1, 2, 3]).learn(None)
    assert 0.5 < (most_held() - before) / learned_from(size) < 1.2


SOURCE = """
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(64, 32)]


def get_init_inputs():
    return []
"""


@pytest.mark.slow
def test_what_a_gpu_has_no_memory_to_look_closer_at_is_judged_by_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    variant = Variant(LoadVariant("a", SOURCE, "task", ModuleSpec("cpu", 1)))
    variant.judged = Judged(variant.module, "cpu", variant.draw, [1, 2, 3])
    variant.judged.learn(None)
    variant.make([4], ["task"])
    variant.seeds = [5]
    [x] = variant.inputs[0]
    variant.expected = [[torch.softmax(x, dim=1)]]
    [right] = variant.expected[0]

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(learning, "learn", full)
    assert "it is off by" in variant.problem(0, 0, right * 1.00005)
    assert not variant.problem(0, 0, right.clone())
