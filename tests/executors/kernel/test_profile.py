"""Profiles of kernels, with real torch in real bubblewrap."""

import pytest
from tests.executors.kernel import _sources as sources
from tests.executors.kernel._sources import inputs, model

from maxcode.evaluation import HotFunction, Profile, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.program import Program
from maxcode.tasks.kernel import KernelJudging, KernelTask

pytestmark = pytest.mark.slow

_LAYER = "torch.sigmoid(self.linear(x))"
_LINEAR = "self.linear = nn.Linear(64, 128)"
REFERENCE = model(f"return {_LAYER}", _LINEAR, name="Model") + inputs("torch.randn(256, 64)")
TASK = KernelTask(
    "dense", "", reference=REFERENCE, judging=KernelJudging(timeout=5.0, memory=1 << 30)
)


def kernel(returned: str = _LAYER, before: str = "") -> Program:
    """A candidate whose forward returns that."""
    return sources.kernel(f"return {returned}", _LINEAR, before=before)


def named(profile: Profile, name: str) -> HotFunction:
    return next(row for row in profile.functions if row.name == name)


def test_operators_and_the_speed_of_light(executor: KernelExecutor) -> None:
    profile = executor.profile(TASK, kernel())
    assert profile.text.startswith("by what its process says of itself")
    assert profile.launches == 2
    assert named(profile, "aten::addmm").calls == named(profile, "aten::sigmoid").calls == 1
    assert sum(row.share for row in profile.functions) <= 1.0001
    assert named(profile, "(outside of operators)").inclusive == pytest.approx(1)
    out = 4 * 256 * 128
    assert profile.allocated is not None
    assert profile.allocated >= 2 * out
    roof = profile.roofline
    assert roof is not None
    assert roof.moved == 4 * (256 * 64 + 64 * 128 + 128) + out
    assert roof.operations == 2 * 256 * 64 * 128
    assert roof.dtype == "float32"
    assert roof.bandwidth > 1e6 < roof.peak


def test_the_share_of_the_speed_of_light_is_reported(executor: KernelExecutor) -> None:
    baseline = executor.prepare(TASK)
    assert "speed of light" in baseline.note
    assert baseline.machine.startswith("device: cpu\nCPU: ")
    assert "measured roofs" not in baseline.machine  # which differ from run to run
    assert [one.meter for one in baseline.measurements] == ["wall", "speed of light"]
    evaluation = executor.evaluate(TASK, kernel())
    assert "of the speed of light" in evaluation.feedback


def test_an_extension_is_the_programs_own(executor: KernelExecutor) -> None:
    source = (
        "#include <pybind11/pybind11.h>\n"
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) "
        '{ m.def("again", [](pybind11::object f, pybind11::object x) { return f(x); }); }'
    )
    before = (
        "from torch.utils.cpp_extension import load_inline\n"
        f"ours = load_inline('ours', cpp_sources={source!r}, no_implicit_headers=True)\n"
    )
    profile = executor.profile(TASK, kernel("ours.again(torch.sigmoid, self.linear(x))", before))
    own = named(profile, "ours.again")
    assert own.own
    assert own.inclusive > named(profile, "aten::sigmoid").share
    assert profile.launches == 2


LIE = """
from maxcode.executors.kernel.worker import profiling
from maxcode.executors.kernel.worker.messages import Profiled
def forged(*_):
    row = {"name": "fine", "calls": 3, "alone": 1.0, "total": 1.0, "own": False}
    lie = {"microseconds": 9.0, "launches": 3, "allocated": 1}
    lie["rows"] = [row]
    %s
    return Profiled(**lie)
profiling.profiled = forged
"""


@pytest.mark.parametrize(
    "line",
    [
        "lie['rows'][0]['alone'] = -1.0",
        "lie['rows'][0]['calls'] = 10**400",
        "lie['rows'][0]['own'] = 1",
        "del lie['rows'][0]['name']",
        "lie['rows'] = 7",
        "raise OSError('no profile for you')",
    ],
)
def test_nonsense_is_no_profile(executor: KernelExecutor, line: str) -> None:
    profile = executor.profile(TASK, kernel(before=LIE % line))
    assert profile == Profile(profile.text)
    assert profile.text.startswith("not profiled: ")


def test_reports_are_cut_to_size(executor: KernelExecutor) -> None:
    line = "lie['rows'] = [{**lie['rows'][0], 'name': chr(27) + chr(10) + 'x' * 1000}] * 200"
    profile = executor.profile(TASK, kernel(before=LIE % line))
    assert 0 < len(profile.functions) <= 24
    assert sum(row.share for row in profile.functions) <= 1.0001
    assert len(profile.text) < 4000
    assert profile.text.isascii()
    assert chr(27) not in profile.text


def test_a_kernel_that_fails_now_is_not_profiled(executor: KernelExecutor) -> None:
    assert "KeyError" in executor.profile(TASK, kernel("{}[x]")).text
    assert executor.evaluate(TASK, kernel()).status is Status.OK
