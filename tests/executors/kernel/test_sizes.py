"""Whether a task's tensors fit where it is judged."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from maxcode.errors import TaskError
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.sizes import Room
from maxcode.executors.kernel.worker.messages import TensorBytes
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
GIB = 1 << 30
REFERENCE = """
import torch
from torch import nn

ROWS = 1 << 20


class Model(nn.Module):
    def forward(self, x):
        return torch.sin(5 * x)


def get_inputs():
    return [torch.rand(ROWS, 1024)]


def get_init_inputs():
    return []
"""


def test_a_call_of_4_gib_fits_an_80_gb_gpu_and_no_cpu() -> None:
    size = TensorBytes(4 * GIB, 0, 4 * GIB)
    assert Room(64 * GIB, GIB, 80 * GIB).check("a", size) == 4
    assert Room(GIB, GIB, 80 * GIB).check("a", size) == 4  # inputs are made on the GPU
    with pytest.raises(TaskError, match=r"4 GiB of inputs, 4 GiB of outputs.* at most 1 GiB"):
        Room(64 * GIB, GIB).check("a", size)
    with pytest.raises(TaskError, match=r"several times into 24 GiB of the GPU's"):
        Room(64 * GIB, GIB, 24 * GIB).check("a", size)
    once = Room(16 * GIB, GIB, learns=False)
    assert once.check("a", TensorBytes(GIB, 0, GIB)) == 1  # more than strict mode has room for
    theirs = Room(7 * GIB, GIB, 80 * GIB, learns=False)
    with pytest.raises(TaskError, match=r"7 GiB of main memory"):
        theirs.check("a", size)


def test_weights_that_fit_into_no_file_are_said_before_anything_is_made() -> None:
    with pytest.raises(TaskError, match=r"2 GiB of weights.* share at most 1 GiB"):
        Room(16 * GIB, GIB, 80 * 10**9).check("a", TensorBytes(1, 2 * GIB, 1))
    with pytest.raises(TaskError, match=r"2 GiB of weights.* share at most 1 GiB"):
        Room(16 * GIB, GIB).check("a", TensorBytes(1, 2 * GIB, 1))
    assert Room(16 * GIB, GIB, learns=False).check("a", TensorBytes(1, 2 * GIB, 1))


def test_all_problems_of_kernelbench_fit_an_80_gb_gpu() -> None:
    known = json.loads((RESULTS / "gpu_sizes.json").read_text())["items"]
    parts = ("inputs", "weights", "outputs")
    sizes = {
        name: TensorBytes(**{part: one[part] for part in parts}) for name, one in known.items()
    }
    assert len(sizes) == 250
    for learns in (True, False):
        room = Room(24 * GIB, 12 * GIB, 80 * 10**9, learns=learns)
        left_out = [name for name, size in sizes.items() if not room.most_at_once(size)]
        # By its own rules inputs are made in main memory, here of 16 GiB.
        assert left_out == ([] if learns else ["level1/45_Average_Pooling_2D.py"])


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["strict", "kernelbench"])
def test_what_cannot_fit_is_said_before_anything_is_made(warmed: Sandbox, mode: str) -> None:
    small = Variant("small", (("ROWS", 4),))
    judging = KernelJudging(mode=mode, variants=(Variant(), small), memory=GIB)
    task = KernelTask("large", "", reference=REFERENCE, judging=judging)
    with KernelExecutor(warmed) as executor:
        for look in (executor.prepare, executor.audit):
            with pytest.raises(TaskError, match=r"variant 'default': a call has 4 GiB of inputs"):
                look(task)
        if mode == "strict":
            fits = replace(task, judging=replace(judging, variants=(small,)))
            assert executor.audit(fits).passing == ()


@pytest.mark.slow
def test_a_single_number_is_no_constant_for_being_one(warmed: Sandbox) -> None:
    one = REFERENCE.replace("torch.sin(5 * x)", "x.sum()").replace("1 << 20", "4")
    always = one.replace("x.sum()", "x.sum() * 0 + 3")
    with KernelExecutor(warmed) as executor:
        for mode in ("strict", "kernelbench"):
            judging = KernelJudging(mode=mode, memory=GIB)
            task = KernelTask("sum", "", reference=one, judging=judging)
            assert executor.audit(task).passing == ()
        task = KernelTask("three", "", reference=always, judging=judging)
        assert "default: a constant" in executor.audit(task).passing
