"""KernelBench's rules, with real torch in real bubblewrap."""

from dataclasses import replace
from math import log
from random import Random

import pytest
from tests.executors.kernel import _sources as sources
from tests.executors.kernel._sources import inputs, model

from maxcode.errors import TaskError
from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.kernelbench import (
    Verdict,
    in_mode,
    ratio_of_means,
    reason,
)
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.kernel import MODES, KernelJudging, KernelTask, Variant

BRIEF = Plan(least=3, most=3)

_LAYERS = "self.start = start\nself.first = nn.Linear(32, 48)\nself.second = nn.Linear(48, 16)\n"
REFERENCE = model(
    "return self.second(torch.relu(self.first(x))) * n + self.start",
    _LAYERS,
    name="Model",
    given="x, n",
    takes="start",
) + inputs("torch.randn(64, 32), torch.randint(1, 4, (16,))", "torch.arange(16)")
JUDGING = KernelJudging(
    mode="kernelbench",
    timeout=5.0,
    memory=1 << 30,
    variants=(Variant(), Variant("scaled", (), "mixed-scale")),
)
TASK = KernelTask("linear", "", reference=REFERENCE, judging=JUDGING)


def kernel(forward: str, before: str = "", init: str = "") -> Program:
    """A candidate with the reference's weights, and these lines in its methods."""
    return sources.kernel(forward, f"{init}\n{_LAYERS}", given="x, n", takes="start", before=before)


RIGHT = "y = self.second(self.first(x).relu()).mul(n).add(self.start)\n"
HONEST = kernel(RIGHT + "return y")


@pytest.mark.slow
def test_the_task_itself_is_timed(executor: KernelExecutor) -> None:
    baseline = executor.prepare(TASK)
    assert "by the rules of KernelBench" in baseline.note
    assert len(baseline.measurements[0].samples) == 100


@pytest.mark.slow
def test_an_honest_kernel_is_right_and_timed(executor: KernelExecutor) -> None:
    evaluation = executor.evaluate(TASK, HONEST)
    assert evaluation.ok, evaluation.feedback
    assert len(evaluation.measurements[0].samples) == len(evaluation.reference[0].samples) == 100
    result = Verdict.of(evaluation).result
    assert (result.compiled, result.correctness) == (True, True)
    assert result.metadata["correctness_trials"] == "(5 / 5)"
    stats = result.runtime_stats
    assert not isinstance(stats, dict)
    assert stats.num_trials == 100
    assert stats.min <= stats.mean == result.runtime <= stats.max
    assert float(f"{stats.mean:.3g}") == stats.mean


WITNESS = kernel(
    RIGHT
    + """
assert self.training and self.seen == self.drawn and x.dtype == n.dtype == torch.float32
assert self.start.dtype == torch.float32
seed = SEEDS[min(CALLS.count(0), 5)]
CALLS.append(0)
torch.manual_seed(seed)
assert torch.equal(x, torch.randn(64, 32)), "other inputs"
assert torch.is_grad_enabled() == (len(CALLS) > 5), "gradients"
return y
""",
    "CALLS = []\ntorch.manual_seed(42)\n"
    "SEEDS = [torch.randint(0, 2**32 - 1, (1,)).item() for _ in range(5)] + [42]\n",
    "self.seen = torch.rand(()).item(); torch.manual_seed(42); self.drawn = torch.rand(()).item()"
    "; torch.manual_seed(42)",
)


@pytest.mark.slow
def test_seeds_types_and_modes_are_that_benchmarks(executor: KernelExecutor) -> None:
    evaluation = executor.evaluate(TASK, WITNESS)
    assert evaluation.ok, evaluation.feedback


FAILURES = {
    "a syntax error": (
        Program.of("def f(:\n", "kernel.py"),
        Status.BUILD_ERROR,
        (False, False, {"compilation_error"}),
    ),
    "a constructor that cannot run": (
        kernel("return x", init="raise RuntimeError('no')"),
        Status.RUNTIME_ERROR,
        (True, False, {"runtime_error"}),
    ),
    "a failing forward": (
        kernel("return x @ x"),
        Status.RUNTIME_ERROR,
        (True, False, {"runtime_error"}),
    ),
    "other values": (
        kernel(RIGHT + "return y + 0.25"),
        Status.WRONG_ANSWER,
        (True, False, {"correctness_issue", "correctness_trials"}),
    ),
    "a failure while it is timed": (
        kernel(RIGHT + "assert not torch.is_grad_enabled()\nreturn y"),
        Status.RUNTIME_ERROR,
        (True, True, {"error_during_performance"}),
    ),
    "a crash": (
        kernel("import ctypes\nctypes.string_at(0)\nreturn x"),
        Status.RUNTIME_ERROR,
        (False, False, {"runtime_error"}),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_reported_as_that_benchmark_does(executor: KernelExecutor, name: str) -> None:
    program, status, (compiled, correct, keys) = FAILURES[name]
    evaluation = executor.evaluate(TASK, program)
    assert evaluation.status is status, evaluation.feedback
    result = Verdict.of(evaluation).result
    assert (result.compiled, result.correctness) == (compiled, correct)
    assert result.metadata.keys() == keys | {"hardware", "device"}
    assert (result.runtime, result.runtime_stats) == (-1.0, {})


def clock(now: str) -> Program:
    """A candidate whose process has this clock."""
    return kernel(
        RIGHT + "return y",
        "from maxcode.executors.kernel.worker import forward\n"
        f"real = forward._now\nforward._now = lambda: {now}\n",
    )


@pytest.mark.slow
def test_the_process_is_believed_what_it_says_of_time(executor: KernelExecutor) -> None:
    evaluation = executor.evaluate(TASK, clock("real() / 1e4"))
    assert evaluation.reward > 100, evaluation.feedback
    assert Verdict.of(evaluation).result.metadata["excessive_speedup"] is True
    assert executor.evaluate(TASK, clock("0.0")).status is Status.SUSPECT


OTHER_ORDER = Program.of(
    HONEST.code.replace(
        "self.first = nn.Linear(32, 48)\n        self.second = nn.Linear(48, 16)",
        "self.second = nn.Linear(48, 16)\n        self.first = nn.Linear(32, 48)",
    ),
    "kernel.py",
)
CHANGING = kernel(RIGHT + "x.zero_()\nreturn y")
RIGHT_AT_FIRST = kernel(
    f"CALLS.append(0)\nif len(CALLS) > 6: return torch.zeros(64, 16)\n{RIGHT}return y",
    "CALLS = []\n",
)


@pytest.mark.slow
def test_differences_are_explained(executor: KernelExecutor) -> None:
    programs = {
        "honest": HONEST,
        "drawn in another order": OTHER_ORDER,
        "changing": CHANGING,
        "no mixed scales": kernel(RIGHT + "return y.clamp(-30, 30)"),
        "right at first": RIGHT_AT_FIRST,
    }
    strict, theirs = (
        {name: executor.evaluate(in_mode(TASK, mode), one) for name, one in programs.items()}
        for mode in MODES
    )
    said = {name: reason(strict[name], theirs[name]) for name in programs}
    assert said["honest"] == ""
    assert "fails there, passes here" in said["drawn in another order"]
    assert "passes there, fails here" in said["changing"]
    assert "it changes its inputs" in said["changing"]
    assert "variant scaled" in said["no mixed scales"]
    assert "passes there, fails here" in said["right at first"]


def test_speeds_that_are_far_apart_are_a_difference() -> None:
    def ok(value: float, low: float, high: float) -> Evaluation:
        return Evaluation(Status.OK, Interval(value, low, high))

    assert "40x there and 1.1x here" in reason(ok(1.1, 1.0, 1.2), ok(40.0, 39.0, 41.0))
    assert reason(ok(1.1, 1.0, 1.2), ok(1.5, 1.4, 1.6)) == ""
    assert reason(ok(1.1, 0.2, 5.0), ok(4.0, 3.0, 5.0)) == ""
    wrong = Evaluation(Status.WRONG_ANSWER, feedback="wrong")
    assert reason(wrong, Evaluation(Status.TIMEOUT)) == ""


@pytest.mark.slow
def test_two_kernels_are_compared(executor: KernelExecutor) -> None:
    compared = executor.compare(TASK, HONEST, TASK.baseline)
    assert compared.ratio is not None
    assert len(compared.first[0].samples) == 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("+ self.start", "+ torch.rand(16)", "draws random numbers"),
        ("return self.second", "return x, self.second", "no single tensor"),
    ],
)
def test_what_its_rules_cannot_judge_is_said(
    executor: KernelExecutor, old: str, new: str, said: str
) -> None:
    task = replace(TASK, name="odd", reference=REFERENCE.replace(old, new))
    with pytest.raises(TaskError, match=said) as caught:
        executor.prepare(task)
    assert "odd" in str(caught.value)


@pytest.mark.slow
def test_the_audit_is_by_the_rules_of_the_mode(executor: KernelExecutor) -> None:
    small = REFERENCE.replace("return self.second", "return 1e-6 * self.second").replace(
        "arange(16)", "zeros(16)"
    )
    task = replace(TASK, reference=small)
    assert executor.audit(task).passing == ("default: a constant", "default: zeros")
    assert executor.audit(replace(task, judging=KernelJudging())).passing == ()


@pytest.mark.slow
def test_the_interval_of_a_ratio_of_means_covers() -> None:
    rng, covered = Random(1), 0
    for _ in range(400):
        over = [rng.gauss(3.0, 0.6) for _ in range(100)]
        under = [rng.expovariate(1.0) + 0.5 for _ in range(100)]
        found = ratio_of_means(over, under)
        covered += found.low <= 2.0 <= found.high
        assert log(found.high / found.value) == pytest.approx(log(found.value / found.low))
    assert 0.92 <= covered / 400 <= 0.98
