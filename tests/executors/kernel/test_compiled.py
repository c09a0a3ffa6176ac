"""The baseline by torch.compile, with real torch in real bubblewrap."""

from dataclasses import replace

import pytest
from tests.executors.kernel._sources import inputs, model

from maxcode.executors.kernel import strict
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask

TASK = KernelTask(
    "waves",
    "",
    reference=model(
        "return torch.sin(x * self.weight) * 0.5 + x",
        "self.weight = nn.Parameter(torch.randn(128))",
        name="Model",
    )
    + inputs("torch.randn(64, 128)"),
    judging=KernelJudging(timeout=10.0, memory=2 << 30, baselines=("eager", "compile")),
)
SCORE = Plan(least=3, most=3)


@pytest.mark.slow
def test_what_torch_compile_makes_of_it_is_reported(sandbox: Sandbox) -> None:
    with KernelExecutor(sandbox, score=SCORE) as executor:
        baseline = executor.prepare(TASK)
        assert "torch.compile makes it " in baseline.note
        assert baseline.measurements[-1].meter == "torch.compile"
        assert len(baseline.measurements[-1].samples) >= 6
        honest = TASK.baseline
        assert "x against torch.compile" in executor.evaluate(TASK, honest).feedback


@pytest.mark.slow
def test_one_that_is_wrong_is_said_to_be_and_judging_goes_on(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(task: KernelTask) -> Program:
        return replace(task.baseline, files={"kernel.py": task.baseline.code.replace("sin", "cos")})

    monkeypatch.setattr(strict, "compiled_program", wrong)
    with KernelExecutor(sandbox, score=SCORE) as executor:
        note = executor.prepare(TASK).note
        assert "no baseline by torch.compile: wrong answer: it is off by" in note
        assert "torch.compile" not in executor.evaluate(TASK, TASK.baseline).feedback
