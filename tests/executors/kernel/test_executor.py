"""Verdicts on kernels, with real torch in real bubblewrap."""

import sysconfig
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from tests.executors.kernel import _sources as sources
from tests.executors.kernel._sources import inputs, model

from maxcode.errors import TaskError, ToolError
from maxcode.evaluation import FuzzPlan, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.interfaces import Executor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.task import Task
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant
from maxcode.testing import ExecutorContract
from maxcode.testing.executor_contract import Broken

pytestmark = pytest.mark.slow


REFERENCE = model(
    "y = x\nfor _ in range(self.times):\n    y = torch.sin(y) * 0.5\nreturn y",
    "self.times = times",
    name="Model",
    takes="times",
    before="ROWS = 128",
) + inputs("torch.randn(ROWS, 512)", "4")
TASK = KernelTask(
    "damped sine",
    "",
    reference=REFERENCE,
    judging=KernelJudging(
        timeout=5.0,
        memory=1 << 30,
        variants=(Variant("timed"), Variant("odd", (("ROWS", 7),), "mixed-scale")),
    ),
)


def kernel(forward: str, before: str = "", init: str = "self.times = times") -> Program:
    """A candidate with these lines in its methods."""
    return sources.kernel(forward, init, takes="times", before=before)


RIGHT = "y = x\nfor _ in range(self.times):\n    y = torch.sin(y).mul_(0.5)\n"
HONEST = kernel(RIGHT + "return y")


def test_an_honest_kernel_is_right_and_timed(executor: KernelExecutor) -> None:
    evaluation = executor.evaluate(TASK, HONEST)
    assert evaluation.status is Status.OK, evaluation.feedback
    assert evaluation.reward > 0
    assert evaluation.measurements[0].meter == "wall"
    assert len(evaluation.measurements[0].samples) == len(evaluation.reference[0].samples)
    assert len(evaluation.reference[0].samples) % 3 == 0  # batches of all rounds


def test_what_differs_from_process_to_process_widens_an_interval(executor: KernelExecutor) -> None:
    luck = kernel(
        "for _ in range(self.again):\n    y = torch.sin(x)\n" + RIGHT + "return y",
        before="from random import randrange\nAGAIN = randrange(200)",
        init="self.times, self.again = times, AGAIN",
    )
    comparison = executor.compare(TASK, luck, TASK.baseline)
    assert comparison.ratio, comparison.problem
    assert comparison.ratio.high > 1.5 * comparison.ratio.low


# -- failures, each of a kind of its own ---------------------------------------------------------

FAILURES = {
    "a syntax error": (Program.of("def f(:\n", "kernel.py"), Status.BUILD_ERROR, "kernel.py:1"),
    "no class": (Program.of("x = 1\n", "kernel.py"), Status.BUILD_ERROR, "no class ModelNew"),
    "a failing constructor": (
        kernel("return x", init="raise KeyError('weights')"),
        Status.RUNTIME_ERROR,
        "ModelNew(...)",
    ),
    "a failing forward": (kernel("return x @ x.T @ x.T"), Status.RUNTIME_ERROR, "forward"),
    "another shape": (kernel(RIGHT + "return y[:1]"), Status.WRONG_ANSWER, "shape"),
    "another structure": (kernel(RIGHT + "return y, y"), Status.WRONG_ANSWER, "structure"),
    "NaN": (kernel("return x * float('nan')"), Status.WRONG_ANSWER, "NaN"),
    "wrong": (kernel(RIGHT + "return y * 1.001"), Status.WRONG_ANSWER, "is off by 0.001"),
    "right in one shape only": (
        kernel(f"if x.shape[0] == 7: return x\n{RIGHT}return y"),
        Status.WRONG_ANSWER,
        "variant odd",
    ),
    "a crash": (
        kernel("import ctypes\nctypes.string_at(0)\nreturn x"),
        Status.RUNTIME_ERROR,
        "SIGSEGV",
    ),
    "an extension that does not build": (
        kernel(
            "return x",
            before="from torch.utils.cpp_extension import load_inline\n"
            "load_inline('broken', cpp_sources='#include </etc/passwd>')",
        ),
        Status.BUILD_ERROR,
        "cpp_sources.cpp:1:10: fatal error: /etc/passwd",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_has_its_status(executor: KernelExecutor, name: str) -> None:
    program, status, said = FAILURES[name]
    evaluation = executor.evaluate(TASK, program)
    assert evaluation.status is status, evaluation.feedback
    assert said in evaluation.feedback


def test_headers_that_torch_and_triton_compile_with_reach_a_candidate(sandbox: Sandbox) -> None:
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        pytest.skip("Python's headers are not installed")
    with KernelExecutor(sandbox, score=Plan(least=3, most=3)) as isolated:
        looking = HONEST.code.replace("import torch\n", f"import torch\nopen({str(header)!r})\n", 1)
        found = isolated.evaluate(TASK, HONEST.with_code(looking))
        assert found.ok, found.feedback


def test_what_does_not_end_with_the_time_of_the_search_is_judged_again(
    executor: KernelExecutor,
) -> None:
    alone = replace(TASK.judging, timeout=3600.0, variants=(Variant("timed"),))
    patient = replace(TASK, judging=alone, name="patient")
    before = executor.prepare(patient)
    endless = kernel("while True: pass")
    for candidate, moment in ((endless, monotonic() + 1.0), (HONEST, monotonic())):
        late = executor.evaluate(patient, candidate, deadline=moment)
        assert late.status is Status.INFRASTRUCTURE
        assert late.feedback == "the time of the search is over"
    assert executor.prepare(patient).measurements == before.measurements  # nothing is set up anew
    assert executor.evaluate(patient, HONEST, deadline=monotonic() + 3600).ok


# -- weights -------------------------------------------------------------------------------------

_LAYERS = {"first": "32, 48", "second": "48, 16"}


def layers(**sizes: str) -> str:
    return "\n".join(f"self.{name} = nn.Linear({size})" for name, size in sizes.items())


LINEAR = KernelTask(
    "linear",
    "",
    reference=model(
        "return self.second(torch.relu(self.first(x)))", layers(**_LAYERS), name="Model"
    )
    + inputs("torch.randn(64, 32)"),
)


def test_weights_are_the_references(executor: KernelExecutor) -> None:
    other_order = layers(second="48, 16", first="32, 48")
    assert executor.evaluate(
        LINEAR, sources.kernel("return self.second(self.first(x).relu())", other_order)
    ).ok
    other_names = "return self.b(self.a(x).clamp_min(0))"
    drawn_alike = sources.kernel(other_names, layers(a="32, 48", b="48, 16"))
    assert executor.evaluate(LINEAR, drawn_alike).ok
    neither = sources.kernel(other_names, layers(b="48, 16", a="32, 48"))
    assert executor.evaluate(LINEAR, neither).status is Status.WRONG_ANSWER


TURNED = "self.first.weight.detach().t()"
DERIVED = "return self.second(torch.relu(x @ self.turned + self.first.bias))"


@pytest.mark.parametrize(
    ("forward", "init", "said"),
    [
        (DERIVED, f"self.turned = {TURNED}", ""),  # a view follows
        (DERIVED, f"self.turned = {TURNED}.clone()", "derive what depends on them in forward"),
        (
            f"self.turned = getattr(self, 'turned', {TURNED}.clone())\n{DERIVED}",
            "",
            "has to follow them",
        ),
    ],
    ids=["view", "in the constructor", "in the first call"],
)
def test_what_is_kept_of_weights_has_to_follow_them(
    executor: KernelExecutor, forward: str, init: str, said: str
) -> None:
    program = sources.kernel(forward, f"{layers(**_LAYERS)}\n{init}")
    evaluation = executor.evaluate(LINEAR, program)
    assert evaluation.status is (Status.WRONG_ANSWER if said else Status.OK)
    assert said in evaluation.feedback


def test_results_may_lie_transposed_in_memory(executor: KernelExecutor) -> None:
    evaluation = executor.evaluate(TASK, kernel(RIGHT + "return y.t().contiguous().t()"))
    assert evaluation.ok, evaluation.feedback


# -- what is wrong with a task -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return [torch.randn(ROWS, 512)]", "raise OSError('no data')", "OSError: no data"),
        ("return [torch.randn(ROWS, 512)]", "return [open]", "cannot be handed"),
        ("return y", "return None[0]", "the reference fails"),
        ("return y", "return y, int(y.sum() * 1e4)", "hold numbers that depend on the values"),
        ("return y", "return y, (y * 1e10).long()", "before they become integers"),
        ("y = x\n", "import time; y = x + time.time() % 1\n", "cannot be relied on"),
    ],
)
def test_a_reference_that_does_not_do_is_the_tasks_fault(
    executor: KernelExecutor, old: str, new: str, said: str
) -> None:
    task = replace(TASK, reference=REFERENCE.replace(old, new), name="broken")
    with pytest.raises(TaskError, match=said) as caught:
        executor.prepare(task)
    assert "broken" in str(caught.value)


def test_a_reference_may_return_its_input_as_it_is(executor: KernelExecutor) -> None:
    reference = REFERENCE.replace("return y", "return nn.functional.dropout(x, 0.5, False), y")
    task = replace(TASK, name="dropout", reference=reference)
    evaluation = executor.evaluate(task, kernel(RIGHT + "return x, y"))
    assert evaluation.ok, evaluation.feedback


def test_a_task_that_zeros_would_pass_is_reported(executor: KernelExecutor) -> None:
    task = replace(TASK, reference=REFERENCE.replace("return y", "return y * 0"), name="nothing")
    assert "without any computation one passes" in executor.prepare(task).note
    assert "without" not in executor.prepare(TASK).note


def test_a_gpu_that_is_not_there_is_said(executor: KernelExecutor) -> None:
    task = replace(TASK, judging=replace(TASK.judging, device="cuda"), name="on a GPU")
    with pytest.raises(ToolError, match="no GPU can be used here"):
        executor.prepare(task)


def test_further_inputs_of_secret_seeds_show_a_difference(executor: KernelExecutor) -> None:
    plan = FuzzPlan(count=12, seconds=60.0)
    found = executor.fuzz(TASK, HONEST, plan)
    assert found.agreed >= 12
    assert found.counterexample is None
    assert not found.few
    hurried = executor.fuzz(TASK, HONEST, FuzzPlan(count=500, seconds=0.0, least=1))
    assert 1 <= hurried.agreed < 20
    assert hurried.few
    assert (hurried.wanted, hurried.why) == (500, "there was no time for more")
    rarely = kernel(RIGHT + "y[x > 2] = 0.1\nreturn y")
    found = executor.fuzz(TASK, rarely, plan)
    assert found.counterexample is not None
    assert "of a secret seed" in found.counterexample.input


def test_what_is_rounding_error_is_no_task(executor: KernelExecutor) -> None:
    noise = REFERENCE.replace("return y", "return (y - y.mean(1, keepdim=True)).mean(1)")
    with pytest.raises(TaskError, match=r"mostly rounding error.*or set a tolerance"):
        executor.prepare(replace(TASK, reference=noise, name="noise"))


WASTEFUL = REFERENCE.replace(
    "        y = x\n        for _ in range(self.times):\n            y = torch.sin(y) * 0.5\n",
    "        for _ in range(6):\n            y = x\n"
    "            for _ in range(self.times):\n                y = torch.sin(y) * 0.5\n",
)


class TestContract(ExecutorContract):
    @pytest.fixture(autouse=True)
    def _shared(self, executor: KernelExecutor) -> None:
        self._executor = executor

    def make(self) -> Executor:
        return self._executor

    def task(self) -> Task:
        return replace(TASK, reference=WASTEFUL, name="wasteful")

    def with_baseline(self, program: Program) -> Task:
        made = WASTEFUL[WASTEFUL.index("def get_inputs") :]
        code = program.code.replace("ModelNew", "Model")
        return replace(TASK, reference=f"{code}\nROWS = 128\n\n\n{made}", name="broken")

    def faster(self) -> Program:
        return HONEST

    def broken(self) -> list[Broken]:
        found = [FAILURES[name] for name in ("a syntax error", "a failing forward", "a crash")]
        return [(program, frozenset({status})) for program, status, _ in found]
