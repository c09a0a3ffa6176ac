"""Outputs that may fill a good part of a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tests.executors.kernel.test_judging import Module

from maxcode.executors.kernel.worker import learning, reorderings
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.messages import ModuleSpec, VariantSource
from maxcode.executors.kernel.worker.variant import Variant


@pytest.mark.slow
def test_a_sum_of_very_many_is_no_rounding_error() -> None:
    """Added up one by one, ones in float32 stay at 2 ** 24."""
    ones = torch.ones(1 << 25)
    [total] = reorderings.in_turn(Module(torch.sum), [ones], 1, "cpu")
    assert total == 1 << 25


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
