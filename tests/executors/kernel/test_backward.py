"""Tasks whose gradients are judged, in real bubblewrap."""

from dataclasses import replace

import pytest
from tests.executors.kernel._sources import inputs, kernel, model

from maxcode.errors import TaskError
from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.kernel import KernelJudging, KernelTask

BRIEF = Plan(least=3, most=3)
JUDGING = KernelJudging(timeout=5.0, memory=1 << 30, device="cpu")
REFERENCE = model(
    "y = torch.tanh(self.linear(x))\nreturn y, y[index].sum(dim=0)",
    "self.linear = nn.Linear(width, 24)",
    name="Model",
    given="x, index",
    takes="width",
) + inputs("torch.randn(48, 32), torch.randint(48, (8,))", "32")
BACKWARD = KernelTask("tanh", "", reference=REFERENCE, judging=JUDGING, backward=True)

FUNCTION = """
class Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        y = torch.addmm(bias, x, weight.t()).tanh_()
        ctx.save_for_backward(x, weight, y)
        return y

    @staticmethod
    def backward(ctx, given):
        x, weight, y = ctx.saved_tensors
        inner = given * (1 - y * y)
        {backward}
"""
RIGHT = "return inner @ weight, inner.t() @ x, inner.sum(0)"


def function(backward: str = RIGHT, after: str = "pass") -> Program:
    """A module with a derivative of its own."""
    forward = f"y = Tanh.apply(x, self.linear.weight, self.linear.bias)\n{after}\n"
    return kernel(
        f"{forward}return y, y[index].sum(dim=0)",
        "self.linear = nn.Linear(width, 24)",
        given="x, index",
        takes="width",
        before=FUNCTION.format(backward=backward),
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", [function(), BACKWARD.baseline], ids=["own", "torch's"])
def test_right_gradients_pass(program: Program, executor: KernelExecutor) -> None:
    evaluation = executor.evaluate(BACKWARD, program)
    assert evaluation.ok, evaluation.feedback


TABLE = """
        if not hasattr(ctx.__class__, 'table'):
            ctx.__class__.table = inner @ weight, inner.t() @ x, inner.sum(0)
        return Tanh.backward.__globals__.setdefault('TABLE', ctx.__class__.table)
"""
CHEATS = {
    "zeros": function("return x * 0, weight * 0, inner.sum(0) * 0"),
    "a table of the first gradients": function(TABLE.strip()),
    "a detached output": function(after="y = y.detach()"),
    "a gradient that goes nowhere": function(RIGHT.replace("inner.sum(0)", "None")),
    "a gradient of low precision": function(
        RIGHT.replace("inner.t() @ x", "(inner.bfloat16().t() @ x.bfloat16()).float()")
    ),
}

NAMED = {
    "a gradient that goes nowhere": "the gradient of parameter 'linear.bias': it is off",
    "a gradient of low precision": "the gradient of parameter 'linear.weight': ",
}


@pytest.mark.slow
@pytest.mark.parametrize("cheat", CHEATS)
def test_gradients_that_are_none_are_caught(cheat: str, executor: KernelExecutor) -> None:
    forward_only = replace(BACKWARD, backward=False)
    assert forward_only.digest != BACKWARD.digest
    evaluation = executor.evaluate(BACKWARD, CHEATS[cheat])
    assert evaluation.status is Status.WRONG_ANSWER, evaluation.feedback
    assert NAMED.get(cheat, "") in evaluation.feedback


def judged(executor: KernelExecutor, reference: str, line: str, other: str) -> Evaluation:
    """Verdict on the reference's own module with another line."""
    task = KernelTask("a line", "", reference=reference, judging=JUDGING, backward=True)
    code = reference.replace("class Model", "class ModelNew").replace(line, other)
    return executor.evaluate(task, Program.of(code, "kernel.py"))


EMBEDDING = model(
    "return torch.tanh(self.table(index))",
    "self.table = nn.Embedding(64, 16)",
    name="Model",
    given="index",
) + inputs("torch.randint(64, (40,))")


@pytest.mark.slow
def test_a_sparse_gradient_is_judged_by_its_values(executor: KernelExecutor) -> None:
    evaluation = judged(executor, EMBEDDING, "16)", "16, sparse=True)")
    assert evaluation.ok, evaluation.feedback


SINE = """
class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x)

    @staticmethod
    def backward(ctx, given):
        return given.mul(torch.cos(ctx.saved_tensors[0]))
"""


@pytest.mark.slow
def test_a_gradient_that_is_given_is_not_written_into(executor: KernelExecutor) -> None:
    sine = model("return Sine.apply(x)", name="Model", before=SINE) + inputs("torch.randn(40, 16)")
    evaluation = judged(executor, sine, "given.mul(", "given.mul_(")
    assert evaluation.status is Status.WRONG_ANSWER, evaluation.feedback
    assert "its inputs, or the gradients of outputs that it is given" in evaluation.feedback


KINK = """
def get_inputs():
    x = torch.randn(64, 64)
    if torch.rand(()) < 0.3:
        x[0, 32:] = -x[0, :32]
    return [x]


def get_init_inputs():
    return []
"""


@pytest.mark.slow
def test_a_derivative_that_jumps_is_right_on_both_sides(executor: KernelExecutor) -> None:
    relu = "return torch.relu({})"
    reference = model(relu.format("x.sum(dim=-1)"), name="Model") + KINK
    task = KernelTask("kink", "", reference=reference, judging=JUDGING, backward=True)
    last = "flip(-1).cumsum(dim=-1)[:, -1]"
    for sums in (f"x.double().{last}.float()", f"x.{last}"):
        evaluation = executor.evaluate(task, kernel(relu.format(sums)))
        assert evaluation.ok, evaluation.feedback
    late = kernel("return nn.functional.threshold(x.sum(dim=-1), 0.3, 0)")
    evaluation = executor.evaluate(task, late)
    assert evaluation.status is Status.WRONG_ANSWER, evaluation.feedback


@pytest.mark.slow
def test_parameters_need_the_references_names(executor: KernelExecutor) -> None:
    code = function().code.replace("self.linear", "self.other")
    evaluation = executor.evaluate(BACKWARD, Program.of(code, "kernel.py"))
    assert evaluation.status is Status.RUNTIME_ERROR
    assert "the gradient of parameter 'linear.weight' is asked for" in evaluation.feedback


def test_benchmarks_rules_have_no_gradients() -> None:
    judging = replace(JUDGING, mode="kernelbench")
    with pytest.raises(TaskError, match='backward goes with mode "strict"'):
        KernelTask("tanh", "", reference=REFERENCE, judging=judging, backward=True)
