"""Outputs that may fill a good part of a GPU: some of their rows are learned from, in parts."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.executors.kernel.test_judging import Module
from torch import nn

from maxcode.executors.kernel.sizes import learned_from
from maxcode.executors.kernel.worker import comparing, judging, learning, reorderings, varying
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.messages import ModuleSpec, TensorBytes, VariantSource
from maxcode.executors.kernel.worker.variant import Variant


@pytest.mark.slow
def test_a_sum_of_very_many_is_no_rounding_error() -> None:
    """Added up one by one, ones in float32 stay at 2 ** 24."""
    ones = torch.ones(1 << 25)
    [total] = reorderings.WAYS[reorderings.IN_TURN](Module(torch.sum), [ones], 1, "cpu")
    assert total == 1 << 25


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
    variant = Variant(VariantSource("a", SOURCE, "task", ModuleSpec("cpu", 1)))
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
