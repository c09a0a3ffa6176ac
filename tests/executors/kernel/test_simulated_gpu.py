"""Judging on a GPU, with one that is simulated at the driver's edge; see tests/_simulated_cuda.py.

What is said here of verdicts holds for the code that runs on a real one; of times nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel import executor as executors
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import Gpu
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask

REFERENCE = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.layer(x))


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return [256]
"""
TASK = KernelTask(
    "layer on a GPU",
    "",
    reference=REFERENCE,
    judging=KernelJudging(device="cuda", timeout=5.0, memory=1 << 30),
)
HONEST = "return torch.clamp(self.layer(x), min=0)"


def kernel(forward: str, before: str = "") -> Program:
    """A candidate with these lines in its forward."""
    lines = "\n        ".join(forward.strip().split("\n"))
    return Program.of(
        f"import torch\nfrom torch import nn\n{before}\n"
        "class ModelNew(nn.Module):\n"
        "    def __init__(self, width):\n        super().__init__()\n"
        "        self.layer = nn.Linear(width, width)\n"
        f"    def forward(self, x):\n        {lines}\n",
        "kernel.py",
    )


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a simulated GPU, which is the only one of this machine."""
    folder = tmp_path_factory.mktemp("device")
    (folder / "nvidia0").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executors, "this_gpu", lambda: Gpu(folder / "nvidia0", ()))
        patch.setattr(executors, "torch_cuda", lambda: "13.0")
        yield folder


@pytest.fixture(scope="module")
def executor(device: Path, warmed: Sandbox) -> Iterator[KernelExecutor]:
    with KernelExecutor(warmed, score=Plan(least=3, most=3), confirm=Plan(least=6, most=6)) as one:
        yield one


def judged(executor: KernelExecutor, forward: str, before: str = "") -> Evaluation:
    return executor.evaluate(TASK, kernel(forward, before))


def test_a_task_is_prepared_and_an_honest_kernel_passes(executor: KernelExecutor) -> None:
    baseline = executor.prepare(TASK)
    assert "Simulated GPU" in baseline.note
    assert baseline.machine.startswith("device: cuda\nGPU: Simulated GPU, compute capability 9.0")
    found = judged(executor, HONEST)
    assert found.status is Status.OK, found.feedback
