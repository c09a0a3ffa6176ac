"""KernelExecutor: judges PyTorch modules against a reference, in separate processes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import monotonic

from maxcode.errors import ExecutorError, TaskError, ToolError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    Profile,
    Status,
)
from maxcode.executors.base import LocalExecutor
from maxcode.executors.kernel.candidate import KernelFailedError
from maxcode.executors.kernel.judge import Audit, KernelJudge, Setting
from maxcode.executors.kernel.kernelbench import KernelBenchJudge
from maxcode.executors.kernel.machine import Gpu, this_gpu, torch_cuda
from maxcode.executors.kernel.strict import StrictJudge
from maxcode.interfaces import Incumbent
from maxcode.measure.lane import Lane, other_processors, timing_processors
from maxcode.measure.rounds import CONFIRM, SCORE, Plan
from maxcode.measure.statistics import noise
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.task import Task
from maxcode.tasks.kernel import KernelTask
from maxcode.toolchain.build_cache import BuildCache

_JUDGES: Mapping[str, Callable[[Setting, KernelTask], KernelJudge]] = {
    "strict": StrictJudge,
    "kernelbench": KernelBenchJudge,
}
"""Judges by a task's mode."""


class KernelExecutor(LocalExecutor[KernelTask]):
    """Judges kernels: a candidate's ``ModelNew`` against the task's ``Model``.

    This process owns seeds, clocks and verdicts. Every candidate runs in a fresh process of
    ``sandbox``, by default bubblewrap, without access to the reference. Candidates are loaded and
    built in parallel, but checked and timed in turn, in the lane of ``processors`` (by default the
    last usable; more if the task computes with several threads).

    ``score`` and ``confirm`` are the plans of scores and confirmations; ``cache`` keeps builds.
    Keep an executor for a whole search and close it, or use it as a context manager. Raises
    :class:`~maxcode.errors.ToolError` if torch or g++ is missing or the sandbox cannot work.
    """

    _kind = KernelTask
    _subject = "kernels"

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        score: Plan = SCORE,
        confirm: Plan = CONFIRM,
        processors: Sequence[int] | None = None,
        cache: BuildCache | None = None,
    ) -> None:
        super().__init__(score, confirm)
        self._sandbox = sandbox or BubblewrapSandbox()
        self._processors = tuple(processors) if processors else None
        self._cache = cache or BuildCache()
        self._judges: dict[str, KernelJudge] = {}
        self._judging = Lock()  # of one candidate at a time, from the first check on
        self._setting_up = Lock()

    def close(self) -> None:
        """End all processes and remove their builds; the cache stays."""
        for judge in self._judges.values():
            judge.close()
        self._judges.clear()
        super().close()

    def prepare(self, task: Task) -> Baseline:
        """Check and time the reference. Raises :class:`TaskError` if it is unreliable."""
        task, started = self._own(task), monotonic()
        self._deadline.stopped.clear()
        judge = self._judge(task)
        others = judge.baselines.measurements if judge.baselines else ()
        return Baseline(
            (judge.samples, *others),
            judge.note(),
            seconds=monotonic() - started,
            noise=noise(judge.samples.samples),
            machine=judge.machine.describe(),
            passed=f"same output on {judge.kinds}",
            isolated=self._sandbox.isolated,
        )

    def audit(self, task: Task) -> Audit:
        """Trivial answers the task would accept, and inputs it cannot vary.

        Only the reference is run. Raises :class:`TaskError` if it is unreliable.
        """
        task = self._own(task)
        with closing(self._open(task)) as judge, self._alone(task):
            return judge.audit()

    def _evaluated(
        self,
        task: KernelTask,
        program: Program,
        against: Incumbent | None,  # noqa: ARG002 - it is timed against the reference
    ) -> Evaluation:
        judge: KernelJudge | None = None
        try:
            judge = self._judge(task)
            evaluation = judge.judge(program, self._score, self._alone(task))
        except KernelFailedError as failed:
            evaluation = Evaluation(failed.status, feedback=failed.feedback)
        except (ExecutorError, TaskError, ToolError, OSError) as error:
            if judge is not None and not self._deadline.passed:
                self._discard(task)  # it may be broken: set it up anew when needed
            return Evaluation(Status.INFRASTRUCTURE, feedback=str(error))
        if judge and judge.closed and not evaluation.ok:  # by us, with the candidate's process
            ended = "its process was ended from outside"
            return Evaluation(Status.INFRASTRUCTURE, feedback=ended)
        return evaluation

    def _compared(self, task: KernelTask, a: Program, b: Program, plan: Plan) -> Comparison:
        """Time two candidates in turn on the same fresh inputs."""
        try:
            return self._judge(task).compare(a, b, plan, self._alone(task))
        except KernelFailedError as failed:
            return Comparison(None, problem=f"a kernel failed: {failed}")

    def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult:
        """Check a kernel on further inputs of secret seeds, which counterexamples do not name."""
        task, started = self._own(task), monotonic()
        try:
            found = self._judge(task).fuzz(program, plan, self._alone(task))
        except KernelFailedError as failed:
            why = f"the kernel cannot be run again: {failed}"
            found = FuzzResult(why=why, wanted=plan.count)
        return replace(found, seconds=monotonic() - started)

    def profile(self, task: Task, program: Program) -> Profile:
        """Profile of a kernel that passed, as reported by its process.

        Failures are described in the text. Raises as :meth:`prepare` does.
        """
        task = self._own(task)
        try:
            return self._judge(task).profile(program, self._alone(task))
        except KernelFailedError as failed:
            return Profile(f"not profiled: {failed}"[:2000])

    @contextmanager
    def _alone(self, task: KernelTask) -> Iterator[None]:
        """Exclusive use of the lane, for checking and timing a candidate."""
        with self._judging, self._watch.hold(self._lane(task), lambda: self._deadline.passed):
            yield

    def _judge(self, task: KernelTask) -> KernelJudge:
        """The judge of the task; prepared on first use."""
        with self._setting_up:
            if task.digest not in self._judges:
                judge = self._open(task)
                try:
                    with self._alone(task):
                        judge.prepare()
                except BaseException:
                    judge.close()
                    raise
                self._judges[task.digest] = judge
            return self._judges[task.digest]

    def _open(self, task: KernelTask) -> KernelJudge:
        """A new judge for the task's mode; not prepared."""
        lane = self._lane(task).processors
        setting = Setting(
            sandbox=self._sandbox,
            folder=Path(tempfile.mkdtemp(dir=self._scratch.path)),
            gpu=_gpu(task),
            timing=lane,
            others=other_processors(lane),
            cache=self._cache,
            deadline=self._deadline,
        )
        setting.folder.chmod(0o755)  # a sandbox may read as another user
        return _JUDGES[task.judging.mode](setting, task)

    def _discard(self, task: KernelTask) -> None:
        with self._setting_up, self._judging:
            judge = self._judges.pop(task.digest, None)
            if judge is not None:
                judge.close()

    def _lane(self, task: KernelTask) -> Lane:
        gpu = _gpu(task)
        processors = self._processors or timing_processors(task.judging.threads)
        return Lane(processors, [gpu.device] if gpu else [])


def _gpu(task: KernelTask) -> Gpu | None:
    """The GPU to judge on; None for the CPU. Raises :class:`ToolError` if the device is missing."""
    wanted = task.judging.device
    gpu = this_gpu() if wanted != "cpu" and torch_cuda() else None
    if gpu is None and wanted == "cuda":
        raise ToolError(
            f"task {task.name!r} asks for device cuda, and no GPU can be used here; "
            'set device = "cpu" or "auto" in its task.toml'
        )
    return gpu
