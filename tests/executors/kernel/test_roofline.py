"""The speed of light: its formulas, its words, and how journals keep it."""

from maxcode.evaluation import Interval, Measurement, Roofline
from maxcode.executors.kernel.profiling import (
    Baselines,
    CompileBaseline,
)

STREAMING = Roofline(8 * 10**9, 10**9, bandwidth=4e9, peak=1e9, dtype="float32")
PRODUCT = Roofline(10**6, 6 * 10**9, bandwidth=4e9, peak=2e9, dtype="float32")


def test_the_slower_roof_bounds() -> None:
    assert (STREAMING.seconds, STREAMING.bound, STREAMING.intensity) == (2.0, "memory", 0.125)
    assert (PRODUCT.seconds, PRODUCT.bound, PRODUCT.intensity) == (3.0, "compute", 6000.0)
    assert STREAMING.share(8.0) == 0.25
    nothing = Roofline(0, 0, 1.0, 1.0)
    assert (nothing.seconds, nothing.intensity) == (0.0, 0.0)


def test_feedback_names_all_baselines() -> None:
    ratio, times = Interval(3.0, 2.9, 3.1), Measurement("torch.compile", "s", (1.0,))
    compiled = CompileBaseline(Interval(1.5, 1.4, 1.6), times)
    baselines = Baselines(STREAMING, compiled)
    said = baselines.describe_candidate(ratio, 4.0)
    assert said.startswith("3.00x [2.90, 3.10] against the reference, 2.00x against torch.compile")
    assert "50 % of the speed of light" in said
    assert [one.meter for one in baselines.measurements] == ["speed of light", "torch.compile"]
    failed = Baselines(STREAMING, CompileBaseline(None, problem="wrong answer: off by 1"))
    assert "against torch.compile" not in failed.describe_candidate(ratio, 4.0)
    assert "no baseline by torch.compile: wrong answer: off by 1" in failed.describe_reference(8.0)
