"""Tasks whose outputs have shapes that depend on the values of inputs, in real bubblewrap."""

from collections.abc import Iterator

import pytest
import torch

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.worker.padded import shapes_for
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask

BRIEF = Plan(least=3, most=3)
JUDGING = KernelJudging(timeout=5.0, memory=1 << 30, device="cpu")
REFERENCE = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        rows = x[x.sum(dim=1) > 0]
        return rows * self.gain, x.sum(dim=1)


def get_inputs():
    return [torch.randn(200, 30)]


def get_init_inputs():
    return [30]
"""
TASK = KernelTask("rows", "", reference=REFERENCE, judging=JUDGING)
OTHER_WAY = "number = (x.sum(dim=1) > 0).nonzero()[:, 0]; rows = x.index_select(0, number)"


def candidate(rows: str, returned: str = "rows * self.gain, x.sum(dim=1)") -> Program:
    """A module that chooses rows and returns them in a way of its own."""
    code = REFERENCE.partition("\n\ndef get_inputs")[0].replace("Model", "ModelNew")
    code = code.replace("rows = x[x.sum(dim=1) > 0]", rows)
    return Program.of(code.replace("rows * self.gain, x.sum(dim=1)", returned), "kernel.py")


@pytest.fixture(scope="module")
def executor(warmed: Sandbox) -> Iterator[KernelExecutor]:
    with KernelExecutor(warmed, score=BRIEF) as executor:
        yield executor


@pytest.mark.slow
def test_right_rows_in_another_way_are_right(executor: KernelExecutor) -> None:
    found = executor.evaluate(TASK, candidate(OTHER_WAY))
    assert found.status is Status.OK, found.feedback


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "returned", "problem"),
    [
        ("rows = x[x.sum(dim=1) > 1]", "", "output 0: its shape is ["),
        ("rows = x", "", "output 0: its shape is [200, 30], not ["),
        ("rows = x[x.sum(dim=1) > 0].flip(0)", "", "output 0: "),
        ("rows = x[x.sum(dim=1) > 0]", "(rows * self.gain).sum(dim=0), x.sum(dim=1)", "structure"),
    ],
    ids=["too few", "too many", "wrong values", "fewer dimensions"],
)
def test_wrong_rows_are_wrong(
    executor: KernelExecutor, rows: str, returned: str, problem: str
) -> None:
    found = executor.evaluate(TASK, candidate(rows, *filter(None, [returned])))
    assert found.status is Status.WRONG_ANSWER
    assert problem in found.feedback


@pytest.mark.slow
def test_a_backward_pass_needs_shapes_that_depend_on_no_value(executor: KernelExecutor) -> None:
    task = KernelTask("rows", "", reference=REFERENCE, judging=JUDGING, backward=True)
    with pytest.raises(TaskError, match="shape"):
        executor.prepare(task)


def test_sizes_that_differ_are_padded_to_more_than_the_largest() -> None:
    calls = [[torch.ones(3, 5), torch.ones(2), torch.ones(1)] for _ in range(2)]
    calls[1][0], calls[1][2] = torch.ones(4, 5), torch.ones(1, 1)
    assert shapes_for(calls) == [[72, 5], None, None]
