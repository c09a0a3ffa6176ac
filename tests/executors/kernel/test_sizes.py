"""Tasks whose tensors are very large or very small."""

from dataclasses import replace

import pytest
from tests.executors.kernel._sources import inputs, model

from maxcode.errors import TaskError
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant

GIB = 1 << 30
REFERENCE = model("return torch.sin(5 * x)", name="Model", before="ROWS = 300_000") + inputs(
    "torch.rand(ROWS, 1024)"
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["strict", "kernelbench"])
def test_inputs_that_do_not_fit_are_an_error_of_the_task(warmed: Sandbox, mode: str) -> None:
    small = Variant("small", (("ROWS", 4),))
    judging = KernelJudging(mode=mode, variants=(Variant(), small), memory=GIB)
    task = KernelTask("large", "", reference=REFERENCE, judging=judging)
    with KernelExecutor(warmed) as executor:
        for look in (executor.prepare, executor.audit):
            with pytest.raises(TaskError, match=r"variant 'default': .* do not fit"):
                look(task)
        if mode == "strict":
            fits = replace(task, judging=replace(judging, variants=(small,)))
            assert executor.audit(fits).passing == ()


@pytest.mark.slow
def test_a_single_number_is_no_constant_for_being_one(warmed: Sandbox) -> None:
    one = REFERENCE.replace("torch.sin(5 * x)", "x.sum()").replace("300_000", "4")
    always = one.replace("x.sum()", "x.sum() * 0 + 3")
    with KernelExecutor(warmed) as executor:
        for mode in ("strict", "kernelbench"):
            judging = KernelJudging(mode=mode, memory=GIB)
            task = KernelTask("sum", "", reference=one, judging=judging)
            assert executor.audit(task).passing == ()
        task = KernelTask("three", "", reference=always, judging=judging)
        assert "default: a constant" in executor.audit(task).passing
