"""The rules of FlashInfer-Bench and SOL-ExecBench, with real torch in real bubblewrap."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import TaskError
from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.kernelbench import in_mode
from maxcode.executors.kernel.trace import TraceVerdict, difference
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks import KernelJudging, KernelTask
from maxcode.tasks.trace_format import Solution, read_problem
from maxcode.tasks.trace_solution import program_of
from maxcode.tasks.trace_task import trace_task

BRIEF, LONGER = Plan(least=3, most=3), Plan(least=8, most=8)
JUDGING = KernelJudging(timeout=5.0, memory=1 << 30, device="cpu")
DEFINITION: dict[str, Any] = {
    "name": "rows",
    "axes": {"n": {"type": "var"}, "d": {"type": "const", "value": 64}},
    "inputs": {
        "x": {"shape": ["n", "d"], "dtype": "float32"},
        "weight": {"shape": ["d"], "dtype": "float32"},
    },
    "outputs": {"y": {"shape": ["n", "d"], "dtype": "float32"}},
    "reference": "import torch\n\n@torch.no_grad()\ndef run(x, weight):\n"
    "    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight\n",
}
RANDOM = {"x": {"type": "random"}, "weight": {"type": "random"}}
TOLERANCE = {"max_atol": 1e-3, "max_rtol": 0.0, "required_matched_ratio": 0.9}


def task_of(folder: Path, *, traced: bool, **tolerance: float) -> KernelTask:
    """A task with two workloads, in one benchmark's form or the other's."""
    folder.mkdir()
    (folder / "definition.json").write_text(json.dumps(DEFINITION))
    workloads: list[dict[str, Any]] = [
        {"uuid": f"n{n}", "axes": {"n": n}, "inputs": RANDOM} for n in (32, 5)
    ]
    if tolerance:
        workloads = [{**one, "tolerance": tolerance} for one in workloads]
    if traced:
        workloads = [{"definition": "rows", "workload": one} for one in workloads]
    (folder / "workload.jsonl").write_text("\n".join(map(json.dumps, workloads)))
    path = folder / "definition.json"
    problem = read_problem(path).at_most(4)
    return in_mode(trace_task(problem, JUDGING, path), problem.mode)


@pytest.fixture(scope="module")
def flashinfer(tmp_path_factory: pytest.TempPathFactory) -> KernelTask:
    return task_of(tmp_path_factory.mktemp("trace") / "flashinfer", traced=True)


@pytest.fixture(scope="module")
def sol(tmp_path_factory: pytest.TempPathFactory) -> KernelTask:
    return task_of(tmp_path_factory.mktemp("trace") / "sol", traced=False, **TOLERANCE)


@pytest.fixture(scope="module")
def executor(warmed: Sandbox) -> Iterator[KernelExecutor]:
    with KernelExecutor(warmed, score=BRIEF, confirm=LONGER) as executor:
        yield executor


def candidate(task: KernelTask, after: str = "") -> Program:
    """A solution that writes the reference's result with a line after it."""
    code = "import torch\n\ndef fill(x, weight, y):\n"
    code += "    r = torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)\n"
    code += f"    torch.mul(x * r, weight, out=y)\n    {after or 'return'}\n"
    spec = {"languages": ["pytorch"], "target_hardware": ["LOCAL"], "entry_point": "a.py::fill"}
    sources = [{"path": "a.py", "content": code}]
    given = {"name": "s", "definition": "rows", "author": "a", "spec": spec, "sources": sources}
    assert task.problem
    return program_of(Solution.model_validate(given), task.problem)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flashinfer", "sol"])
def test_an_honest_solution_passes_on_all_workloads(
    name: str, request: pytest.FixtureRequest, executor: KernelExecutor
) -> None:
    task: KernelTask = request.getfixturevalue(name)
    assert task.problem
    assert "by the rules of" in executor.prepare(task).note
    evaluation = executor.evaluate(task, candidate(task))
    assert evaluation.ok, evaluation.feedback
    traces = TraceVerdict.of(evaluation).traces
    assert [one.workload.uuid for one in traces] == ["n32", "n5"]
    for one in traces:
        assert one.evaluation
        assert (one.evaluation.status, one.definition) == ("PASSED", "rows")
        assert one.evaluation.correctness
        assert one.evaluation.performance
        latency, reference, factor = (
            one.evaluation.performance[key]
            for key in ("latency_ms", "reference_latency_ms", "speedup_factor")
        )
        assert factor == pytest.approx(reference / latency)
    assert evaluation.speedup
    assert evaluation.speedup.low < evaluation.speedup.value < evaluation.speedup.high
    calls = 150 if name == "flashinfer" else 50
    assert len(evaluation.measurements[0].samples) == calls


# What a line after the honest result makes of it, by FlashInfer-Bench's and by SOL-ExecBench's
# rules with the tolerance above.
CASES = {
    "few elements far off": ("y[:, 0] += 5", "INCORRECT_NUMERICAL", "PASSED"),
    "all a little off": ("y += 5e-3", "PASSED", "INCORRECT_NUMERICAL"),
    "relative alone": ("y *= 1.008", "PASSED", "INCORRECT_NUMERICAL"),
    "a NaN": ("y[0, 0] = float('nan')", "INCORRECT_NUMERICAL", "INCORRECT_NUMERICAL"),
    "zeros": ("y.zero_()", "INCORRECT_NUMERICAL", "INCORRECT_NUMERICAL"),
    "an error": ("raise RuntimeError('no')", "RUNTIME_ERROR", "RUNTIME_ERROR"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_their_tolerances_decide(
    case: str, flashinfer: KernelTask, sol: KernelTask, executor: KernelExecutor
) -> None:
    line, *wanted = CASES[case]
    for task, status in zip((flashinfer, sol), wanted, strict=True):
        evaluation = executor.evaluate(task, candidate(task, line))
        last = TraceVerdict.of(evaluation).traces[-1].evaluation
        assert last
        assert last.status == status, evaluation.feedback
        assert evaluation.ok == (status == "PASSED")
        assert (last.correctness is not None) == (status in ("PASSED", "INCORRECT_NUMERICAL"))


@pytest.mark.slow
def test_a_shape_and_a_type_are_called_what_they_are(
    sol: KernelTask, executor: KernelExecutor
) -> None:
    for returned, status in (("y.double()", "INCORRECT_DTYPE"), ("y[:, 1:]", "INCORRECT_SHAPE")):
        code = candidate(sol).code.replace("return y", f"return {returned}")
        evaluation = executor.evaluate(sol, sol.baseline.with_code(code))
        last = TraceVerdict.of(evaluation).traces[-1].evaluation
        assert last
        assert last.status == status, evaluation.feedback


@pytest.mark.slow
def test_strict_mode_judges_the_same_task(sol: KernelTask, executor: KernelExecutor) -> None:
    strict = in_mode(sol, "strict")
    off = candidate(sol, "y[:, 0] += 5")
    ours, theirs = executor.evaluate(strict, off), executor.evaluate(sol, off)
    assert (ours.status, theirs.status) == (Status.WRONG_ANSWER, Status.OK)
    assert "passes there, fails here" in difference(ours, theirs)
    honest = executor.evaluate(strict, candidate(sol))
    assert honest.ok, honest.feedback


@pytest.mark.slow
def test_two_solutions_are_compared(sol: KernelTask, executor: KernelExecutor) -> None:
    slow = candidate(sol, "for _ in range(30): x.sin().sum()")
    comparison = executor.compare(sol, candidate(sol), slow)
    assert comparison.ratio
    assert comparison.ratio.low > 1


@pytest.mark.slow
def test_definitions_with_rules_of_their_own_are_refused(
    tmp_path: Path, executor: KernelExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DEFINITION, "op_type", "sampling")
    with pytest.raises(TaskError, match="judges it by rules of its own"):
        executor.prepare(task_of(tmp_path / "sampling", traced=True))


def test_verdicts_that_agree_differ_in_nothing() -> None:
    one = Evaluation(Status.OK, Interval(1.0, 0.9, 1.1, 0.95))
    assert difference(one, one) == ""
