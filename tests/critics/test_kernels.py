"""What the critic says of kernels: of their profiles, and of how they fail."""

import pytest
from tests.critics._steps import diagnosed

from maxcode.evaluation import (
    Critique,
    Evaluation,
    HotFunction,
    Interval,
    Measurement,
    Profile,
    Roofline,
    Status,
)
from maxcode.program import Program
from maxcode.task import Task

_CODE = "import torch\nclass ModelNew(torch.nn.Module):\n    pass\n"
_ROOF = Roofline(10**9, 10**9, bandwidth=1e9, peak=2e9, dtype="float32")  # one second


def critique(evaluation: Evaluation, profile: Profile | None = None, code: str = _CODE) -> Critique:
    """Of a step that grew from the baseline."""
    task = Task("small", "Compute.", Program.of(f"{code}# 1\n", "kernel.py"), language="python")
    return diagnosed(task, (Program.of(code, "kernel.py"), evaluation), profile=profile)


def passed(seconds: float) -> Evaluation:
    samples = (Measurement("wall", "s", (seconds,)),)
    return Evaluation(Status.OK, Interval(2, 1.9, 2.1), measurements=samples)


def profile(*rows: tuple[str, float, int], own: str = "", launches: int = 2) -> Profile:
    functions = tuple(
        HotFunction(name, share, share, calls, name == own) for name, share, calls in rows
    )
    return Profile("hot", functions=functions, launches=launches, allocated=3e6, roofline=_ROOF)


def test_many_small_operators_are_to_be_fused() -> None:
    rows = [("aten::exp", 0.3, 1), ("aten::div", 0.25, 4), ("aten::sum", 0.2, 2)]
    found = critique(passed(8.0), profile(*rows, ("aten::copy_", 0.2, 3), launches=12))
    assert found.bottleneck == "memory"
    assert "55 % of the time: elementwise operators" in found.evidence
    assert "aten::div 25 % in 4 calls" in found.evidence
    assert "starts 12 operators and allocates 3.0 MB" in found.evidence
    assert "reaches 12 % of the speed of light, which is bound by memory." in found.evidence
    assert "fuse neighbours into one loop" in found.suggestions[0]
    assert any("take views instead of copies" in advice for advice in found.suggestions)
    assert found.text.startswith("2.00x the speed of the baseline")


@pytest.mark.parametrize(
    ("name", "kind", "seen"),
    [
        ("aten::addmm", "compute", "matrix products"),
        ("aten::_softmax", "memory", "softmax and normalisation"),
        ("aten::mul_", "memory", "elementwise operators"),
        ("aten::zeros", "memory", "making, filling"),
        ("aten::index_select", "memory", "picking and placing"),
        ("aten::topk", "algorithm", "sorting and selecting"),
        ("aten::max_pool2d_with_indices", "memory", "reductions and pooling"),
        ("(outside of operators)", "compute", "Python, and code that torch does not see"),
        ("void at::native::vectorized_elementwise_kernel<4>", "memory", "elementwise"),
        ("void at::native::reduce_kernel<512>", "memory", "reductions"),
        ("sm90_xmma_gemm_f32f32", "compute", "matrix products"),
    ],
)
def test_operators_are_told_apart(name: str, kind: str, seen: str) -> None:
    found = critique(passed(8.0), profile((name, 1.0, 1)))
    assert found.bottleneck == kind
    assert seen in found.evidence


def test_an_own_kernel_is_bound_by_its_roof() -> None:
    own = profile(("ours.softmax", 0.9, 1), ("aten::empty", 0.1, 1), own="ours.softmax")
    code = f"{_CODE}load_inline('ours', cpp_sources=SOURCE)\n"
    found = critique(passed(8.0), own, code)
    assert found.bottleneck == "memory"
    assert "the program's own extension (ours.softmax 90 %)" in found.evidence
    assert "without optimisation" in found.suggestions[0]
    optimized = code.replace("SOURCE", "SOURCE, extra_cflags=['-O3']")
    assert "without optimisation" not in critique(passed(8.0), own, optimized).text


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(1.25, "80 % of the speed of light"), (1.25, "little is left"), (0.5, "does with less")],
)
def test_the_position_under_the_roof(seconds: float, said: str) -> None:
    assert said in critique(passed(seconds), profile(("aten::exp", 1.0, 1))).evidence


FAILURES = [
    ("build_error", "kernel.py defines no class ModelNew", "Define class ModelNew"),
    ("build_error", "main.cpp:4:9: error: 'v' was not declared in this scope", "Declare `v`"),
    ("wrong_answer", "2 elements are NaN or infinite and should not be", "the maximum"),
    ("wrong_answer", "it is off by 0.0025 relative to the size of a row", "in float32 at least"),
    ("wrong_answer", "it is off by 1 relative to the size of a row", "index arithmetic"),
    ("wrong_answer", "wrong when it was timed, in call 1 of batch 1", "initialise memory"),
    ("runtime_error", "forward: RuntimeError: an illegal memory access", "Guard the last block"),
    ("out_of_memory", "", "in blocks"),
    ("suspect", "it computed for 1 s while it was not being timed", "within the call"),
]


@pytest.mark.parametrize(("status", "feedback", "advice"), FAILURES)
def test_each_failure_has_its_advice(status: str, feedback: str, advice: str) -> None:
    found = critique(Evaluation(Status(status), feedback=feedback))
    assert advice.lower() in f"{found.suggestions[0]} {found.evidence}".lower()
