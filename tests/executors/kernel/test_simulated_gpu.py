"""Judging on a GPU, with one that is simulated at the driver's edge; see tests/_simulated_cuda.py.

What is said here of verdicts holds for the code that runs on a real one; of times nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.executors.kernel import _sources as sources
from tests.executors.kernel._sources import inputs, model

from maxcode.errors import TaskError, ToolError
from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel import executor as executors
from maxcode.executors.kernel import runs
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import Gpu
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant

pytestmark = pytest.mark.slow

_LAYER = "self.layer = nn.Linear(width, width)"
REFERENCE = model("return torch.relu(self.layer(x))", _LAYER, name="Model", takes="width") + inputs(
    "torch.randn(64, 256)", "256"
)
TASK = KernelTask(
    "layer on a GPU",
    "",
    reference=REFERENCE,
    judging=KernelJudging(device="cuda", timeout=5.0, memory=1 << 30),
)
HONEST = "return torch.clamp(self.layer(x), min=0)"


def kernel(forward: str, before: str = "") -> Program:
    """A candidate with these lines in its forward."""
    return sources.kernel(forward, _LAYER, takes="width", before=before)


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
    score, confirm = Plan(least=3, most=3), Plan(least=6, most=6)
    with (
        pytest.MonkeyPatch.context() as patch,
        KernelExecutor(warmed, score=score, confirm=confirm) as one,
    ):
        for name in ("_ROUND_SECONDS", "_BATCH_SECONDS"):
            patch.setattr(runs, name, 0.05)  # what waits here is late by milliseconds
        yield one


def judged(executor: KernelExecutor, forward: str, before: str = "") -> Evaluation:
    return executor.evaluate(TASK, kernel(forward, before))


def test_a_task_is_prepared_and_an_honest_kernel_passes(executor: KernelExecutor) -> None:
    baseline = executor.prepare(TASK)
    assert "Simulated GPU" in baseline.note
    assert baseline.machine.startswith("device: cuda\nGPU: Simulated GPU, compute capability 9.0")
    assert "\nnvcc compiles for: 9.0a\n" in baseline.machine
    found = judged(executor, HONEST)
    assert found.status is Status.OK, found.feedback


@pytest.mark.parametrize("setting", ["cuda.matmul", "cudnn"])
def test_float32_is_computed_in_float32(executor: KernelExecutor, setting: str) -> None:
    found = judged(executor, f"assert not torch.backends.{setting}.allow_tf32\n{HONEST}")
    assert found.status is Status.OK, found.feedback


LASTING = "torch.cuda.simulated.launch(lambda: None, 0.008)\n"


@pytest.mark.parametrize(
    ("forward", "before"),
    [
        (f"y = torch.relu(self.layer(x))\n{LASTING}return y", ""),
        (
            "y = torch.empty_like(x)\n"
            "torch.cuda.simulated.launch(lambda: y.copy_(torch.relu(self.layer(x))), 0.008)\n"
            "return y",
            "from maxcode.executors.kernel.worker import forward\n"
            "forward._synchronize = lambda: None",
        ),
        (
            LASTING + HONEST,
            "class Event(torch.cuda.Event):\n"
            "    def elapsed_time(self, end):\n        return 1e-6\n"
            "torch.cuda.Event = Event\n",
        ),
    ],
    ids=["goes on after the call", "synchronisation that does not wait", "forged events"],
)
def test_all_work_is_part_of_a_calls_time(
    executor: KernelExecutor, forward: str, before: str
) -> None:
    found = judged(executor, forward, before)
    assert found.status is Status.OK, found.feedback
    assert found.measurements[0].median > 0.006


def test_inputs_are_made_on_the_device_if_they_can_be(executor: KernelExecutor) -> None:
    there = REFERENCE.replace("forward(self, x):", "forward(self, x, where):").replace(
        "torch.randn(64, 256)]",
        "torch.randn(64, 256), str((x := torch.randn(1)).is_cuda)]",
    )
    there = there.replace("return torch.relu", "assert where == 'True'\n        return torch.relu")
    task = replace(TASK, reference=there, name="drawn there")
    executor.prepare(task)
    own = "generator = torch.Generator(); return [torch.randn(64, 256, generator=generator)]"
    numpy = "return [torch.from_numpy(torch.randn(64, 256).numpy())]"
    for number, made in enumerate((own, numpy)):
        reference = REFERENCE.replace("return [torch.randn(64, 256)]", made)
        executor.prepare(replace(TASK, reference=reference, name=f"drawn here {number}"))


def test_inputs_and_outputs_of_calls_stay_on_the_device(executor: KernelExecutor) -> None:
    """Nothing that large is brought to main memory between the calls of a candidate."""
    task = KernelTask(
        "nothing crosses",
        "",
        reference=REFERENCE.replace("randn(64, 256)", "randn(4096, 256)"),
        judging=TASK.judging,
    )
    watched = (
        "crossed, inputs = torch.cuda.simulated.crossed, x.nbytes\n"
        "before = getattr(self, 'crossed', crossed)\nself.crossed = crossed\n"
        "assert crossed - before < inputs, f'{crossed - before} bytes crossed'\n"
    )
    found = executor.evaluate(task, kernel(watched + HONEST))
    assert found.status is Status.OK, found.feedback
    brought = kernel(watched + "return torch.clamp(self.layer(x.cpu().cuda()), min=0)")
    found = executor.evaluate(task, brought)
    assert "bytes crossed" in found.feedback


@pytest.mark.parametrize(
    ("forward", "status", "words"),
    [
        ("raise torch.OutOfMemoryError('CUDA out of memory.')", Status.OUT_OF_MEMORY, "memory"),
        (
            "torch.cuda.simulated.fault('an illegal memory access was encountered')\n" + HONEST,
            Status.RUNTIME_ERROR,
            "illegal memory access",
        ),
        (
            "torch.cuda.simulated.hold(1 << 30)\n" + HONEST,
            Status.OUT_OF_MEMORY,
            "reference finds none",
        ),
        (
            "return torch.relu(self.layer.half()(x.half())).float()",
            Status.WRONG_ANSWER,
            "is off by",
        ),
        (
            "y = torch.relu(self.layer(x))\nx.zero_()\nreturn y",
            Status.WRONG_ANSWER,
            "it changes its inputs",
        ),
        (
            "y = torch.relu(self.layer(x))\nreturn y, y",
            Status.WRONG_ANSWER,
            "another structure",
        ),
        ("torch.cuda.simulated.launch(lambda: None, 1000.0)\n" + HONEST, Status.TIMEOUT, "time"),
    ],
    ids=[
        *("out of memory", "sticky error", "hog"),
        *("half precision", "changed inputs", "structure", "hangs"),
    ],
)
def test_what_goes_wrong_on_the_device_is_the_candidates_fault(
    executor: KernelExecutor, forward: str, status: Status, words: str
) -> None:
    found = judged(executor, forward)
    assert found.status is status, found.feedback
    assert words in found.feedback
    assert judged(executor, HONEST).status is Status.OK


def test_a_change_of_processes_before_a_call_is_no_part_of_it(
    executor: KernelExecutor, device: Path
) -> None:
    lasting = "torch.cuda.simulated.launch(lambda: None, 0.02)\n"
    indented = f"{lasting}        return torch.relu"
    reference = REFERENCE.replace("return torch.relu", indented)
    task = replace(TASK, reference=reference, name="lasting")
    (device / "switch").write_text("0.02")
    try:
        found = executor.evaluate(task, kernel(lasting + HONEST))
    finally:
        (device / "switch").unlink()
    assert found.ok, found.feedback
    assert found.reward > 0.75  # 0.5 with it


def test_a_kernel_is_profiled_where_its_inputs_are(executor: KernelExecutor) -> None:
    found = executor.profile(TASK, kernel(HONEST))
    assert found.seconds is not None, found.text
    assert found.seconds > 0


def test_two_kernels_are_compared_on_the_device(executor: KernelExecutor) -> None:
    slow = "torch.cuda.simulated.launch(lambda: None, 0.002)\n" + HONEST
    found = executor.compare(TASK, kernel(HONEST), kernel(slow))
    assert found.ratio is not None, found.problem
    assert found.ratio.low > 1


def test_the_rules_of_kernelbench_hold_on_the_device(executor: KernelExecutor) -> None:
    task = replace(TASK, judging=replace(TASK.judging, mode="kernelbench"), name="theirs")
    unaware = REFERENCE.replace("class Model", "class ModelNew")
    assert executor.evaluate(task, Program.of(unaware, "kernel.py")).status is Status.OK
    zeros = executor.evaluate(task, kernel("return torch.zeros_like(x)"))
    assert zeros.status is Status.WRONG_ANSWER, zeros.feedback


def test_gradients_are_judged_on_the_device(executor: KernelExecutor) -> None:
    task = replace(TASK, backward=True, name="gradients")
    found = executor.evaluate(task, kernel(HONEST))
    assert found.status is Status.OK, found.feedback
    detached = executor.evaluate(task, kernel("return torch.relu(self.layer(x)).detach()"))
    assert detached.status is Status.WRONG_ANSWER, detached.feedback


def test_memory_that_is_shared_grows_with_a_larger_variant(executor: KernelExecutor) -> None:
    sized = REFERENCE.replace("torch.randn(64, 256)", "torch.randn(ROWS, 256)") + "\nROWS = 64\n"
    variants = Variant("large", (("ROWS", 512),)), Variant("small")  # the first is learned last
    judging = replace(TASK.judging, variants=variants)
    task = KernelTask("two sizes", "", reference=sized, judging=judging)
    found = executor.evaluate(task, kernel(HONEST))
    assert found.status is Status.OK, found.feedback


def test_what_a_module_keeps_is_compared_on_the_device(executor: KernelExecutor) -> None:
    normed = REFERENCE.replace(
        "        self.layer = nn.Linear(width, width)\n",
        "        self.layer = nn.Linear(width, width)\n        self.norm = nn.BatchNorm1d(width)\n",
    ).replace("torch.relu(self.layer(x))", "self.norm(self.layer(x))")
    task = KernelTask(
        "in training", "", reference=normed, judging=replace(TASK.judging, train=True)
    )
    found = executor.evaluate(task, task.baseline)
    assert found.status is Status.OK, found.feedback
    forgetful = task.baseline.code.replace(
        "self.norm(self.layer(x))",
        "torch.batch_norm(self.layer(x), self.norm.weight, "
        "self.norm.bias, None, None, True, 0.1, 1e-5, False)",
    )
    assert forgetful != task.baseline.code
    left = executor.evaluate(task, Program.of(forgetful, "kernel.py"))
    assert left.status is Status.WRONG_ANSWER, left.feedback
    assert "norm.running" in left.feedback


def test_a_device_that_is_lost_is_nobodys_fault(executor: KernelExecutor, device: Path) -> None:
    found = judged(executor, "torch.cuda.simulated.lose()\n" + HONEST)
    (device / "lost").unlink()
    assert found.status is Status.INFRASTRUCTURE, found.feedback


def test_a_gpu_that_torch_cannot_use_is_named(device: Path, warmed: Sandbox) -> None:
    (device / "unusable").touch()
    try:
        with KernelExecutor(warmed) as one, pytest.raises(ToolError, match="torch") as raised:
            one.prepare(replace(TASK, name="unusable"))
    finally:
        (device / "unusable").unlink()
    assert "nvidia0 is there, but torch cannot use it: No CUDA GPUs are available" in str(
        raised.value
    )
    assert 'set device = "cpu"' in str(raised.value)


def test_no_memory_for_what_processes_share_ends_the_task_with_the_drivers_words(
    device: Path, warmed: Sandbox
) -> None:
    (device / "full").touch()
    try:
        with KernelExecutor(warmed) as one, pytest.raises(TaskError) as raised:
            one.prepare(replace(TASK, name="no room"))
    finally:
        (device / "full").unlink()
    assert "CUDA error: cuMemCreate: out of memory" in str(raised.value)


def test_each_call_of_a_verdict_finds_the_cache_emptied(executor: KernelExecutor) -> None:
    canary = "assert torch.cuda.simulated.was_cold(), 'the cache holds what was there before'\n"
    found = judged(executor, canary + HONEST)
    assert found.status is Status.OK, found.feedback
    twice = judged(executor, 2 * canary + HONEST)
    assert "the cache holds what was there before" in twice.feedback
