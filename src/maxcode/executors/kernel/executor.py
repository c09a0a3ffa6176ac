"""KernelExecutor: judges PyTorch modules against a reference, in processes that share nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock
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
from maxcode.executors.kernel.candidate import KernelFailedError
from maxcode.executors.kernel.judge import Audit, KernelJudge, Setting
from maxcode.executors.kernel.kernelbench import KernelBenchJudge
from maxcode.executors.kernel.machine import Gpu, this_gpu, torch_cuda
from maxcode.executors.kernel.strict import StrictJudge
from maxcode.interfaces import Executor
from maxcode.measure.lane import Lane, LaneWatch, other_processors, timing_processors
from maxcode.measure.rounds import CONFIRM, SCORE, Plan, within
from maxcode.measure.statistics import noise
from maxcode.program import Program
from maxcode.sandbox.base import OUT_OF_TIME, Deadline, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.system import ScratchFolder
from maxcode.task import Task
from maxcode.tasks.kernel import KernelTask
from maxcode.toolchain.build_cache import BuildCache

_JUDGES: Mapping[str, Callable[[Setting, KernelTask], KernelJudge]] = {
    "strict": StrictJudge,
    "kernelbench": KernelBenchJudge,
}
"""By the mode of a task."""

_EXPLAINED = (Status.RUNTIME_ERROR, Status.WRONG_ANSWER)  # which tools may say more of


class KernelExecutor(Executor):
    """Judges kernels: a candidate's ``ModelNew`` against the task's ``Model``.

    Three parties take part. This process owns seeds, clocks and verdicts, and never imports torch.
    The reference has a process that never sees code of a candidate. Every candidate has one of its
    own, taken from some that stand ready, which sees neither the reference nor what is expected.
    All are in ``sandbox``, bubblewrap unless another is given. Candidates are loaded and built in
    parallel; one at a time is checked and timed, in the exclusive lane of ``processors`` (unless
    given, the last that may be used; more of them if the task computes with several threads).

    ``score`` and ``confirm`` say how long to measure for the search's own score and for a
    confirmation; ``cache`` keeps builds between executors. Keep one executor for a search and close
    it, or use it as a context manager.

    Raises :class:`~maxcode.errors.ToolError` when torch or g++ is missing or the sandbox cannot
    work.
    """

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        score: Plan = SCORE,
        confirm: Plan = CONFIRM,
        processors: Sequence[int] | None = None,
        cache: BuildCache | None = None,
    ) -> None:
        self._sandbox = sandbox or BubblewrapSandbox()
        self._score = score
        self._confirm = confirm
        self._processors = tuple(processors) if processors else None
        self._cache = cache or BuildCache()
        self._scratch = ScratchFolder("maxcode-builds-")
        self._judges: dict[str, KernelJudge] = {}  # by task
        self._verdicts: dict[tuple[str, str], Evaluation] = {}
        self._stopped = Event()
        self._deadline = Deadline()
        self._watch = LaneWatch()
        self._judging = Lock()  # of one candidate at a time, from the first check on
        self._setting_up = Lock()

    def close(self) -> None:
        """End all processes, and remove what was built here; the cache stays."""
        for judge in self._judges.values():
            judge.close()
        self._judges.clear()
        self._scratch.remove()

    def __enter__(self) -> KernelExecutor:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def prepare(self, task: Task) -> Baseline:
        """Check that the reference can be relied on, and time it. Raises :class:`TaskError`."""
        task, started = _kernel_task(task), monotonic()
        self._stopped.clear()
        judge = self._judge(task)
        others = judge.baselines.measurements if judge.baselines else ()
        return Baseline(
            (judge.samples, *others),
            judge.note(),
            seconds=monotonic() - started,
            noise=noise(judge.samples.samples),
            machine=judge.machine.describe(self._stopped),
        )

    def audit(self, task: Task) -> Audit:
        """What would pass for the task without any computation, and what cannot be varied.

        Only the reference is run. Raises :class:`TaskError` when it cannot be relied on.
        """
        task = _kernel_task(task)
        with closing(self._open(task)) as judge, self._alone(task):
            return judge.audit()

    def on_wait(self, show: Callable[[str], None]) -> None:
        """See :meth:`Executor.on_wait`: what is waited for is the timing lane."""
        self._watch.show = show

    def stop(self) -> None:
        """Begin nothing more."""
        self._stopped.set()

    def evaluate(self, task: Task, program: Program) -> Evaluation:
        """Load, check, then time. What this executor has judged before, it judges the same."""
        task = _kernel_task(task)
        key = task.digest, program.digest
        if key in self._verdicts:
            return self._verdicts[key]
        started = monotonic()
        judge: KernelJudge | None = None
        try:
            judge = self._judge(task)
            evaluation = judge.judge(program, self._score, self._alone(task))
        except KernelFailedError as failed:
            evaluation = Evaluation(failed.status, feedback=failed.feedback)
            if judge is not None and failed.status in _EXPLAINED and not self._ended():
                more = self._explanation(judge, task, program)
                evaluation = replace(evaluation, feedback=failed.feedback + more)
        except (ExecutorError, TaskError, ToolError, OSError) as error:
            if judge is not None and not self._deadline.passed:
                self._discard(task)  # it may be broken: set it up anew when needed
            return Evaluation(Status.INFRASTRUCTURE, feedback=str(error))
        if judge and judge.closed and not evaluation.ok:  # by us, with the candidate's process
            return Evaluation(Status.INFRASTRUCTURE, feedback="its process was ended from outside")
        evaluation = replace(evaluation, seconds=monotonic() - started)
        if evaluation.status is not Status.TIMEOUT:  # which may have been the machine's fault
            self._verdicts[key] = evaluation
        return evaluation

    def _explanation(self, judge: KernelJudge, task: KernelTask, program: Program) -> str:
        """What a task's tools say of a candidate that failed, which changes no verdict."""
        try:
            return judge.explained(program, self._alone(task))
        except (ExecutorError, TaskError, ToolError, OSError) as error:
            return f"\n(not looked at further: {error})"

    def evaluate_until(self, task: Task, program: Program, deadline: float) -> Evaluation:
        """See :meth:`Executor.evaluate_until`; builds and what is asked of a candidate end by then.

        What the reference has begun is waited for.
        """
        with self._deadline.at(deadline):
            evaluation = self.evaluate(task, program)
        if monotonic() < deadline:
            return evaluation
        self._verdicts.pop((task.digest, program.digest), None)  # of a run that was cut short
        return Evaluation(Status.INFRASTRUCTURE, feedback=OUT_OF_TIME)

    def compare(self, task: Task, a: Program, b: Program) -> Comparison:
        """Time two candidates in turn on the same fresh inputs, longer than ``evaluate`` does."""
        return self._compare(task, a, b, self._confirm)

    def compare_within(self, task: Task, a: Program, b: Program, margin: float) -> Comparison:  # noqa: ARG002
        """The same until the difference is clear, or for as many rounds as that takes."""
        return self._compare(task, a, b, within(self._confirm))

    def _compare(self, task: Task, a: Program, b: Program, plan: Plan) -> Comparison:
        task, started = _kernel_task(task), monotonic()
        judge = self._judge(task)
        try:
            comparison = judge.compare(a, b, plan, self._alone(task))
        except KernelFailedError as failed:
            comparison = Comparison(None, problem=f"a kernel failed: {failed}")
        return replace(comparison, seconds=monotonic() - started)

    def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult:
        """Check a kernel on inputs of further secret seeds, which no counterexample names."""
        task, started = _kernel_task(task), monotonic()
        try:
            found = self._judge(task).fuzz(program, plan, self._alone(task))
        except KernelFailedError as failed:
            why = f"the kernel cannot be run again: {failed}"
            found = FuzzResult(why=why, wanted=plan.count)
        return replace(found, seconds=monotonic() - started)

    def profile(self, task: Task, program: Program) -> Profile:
        """Where the calls of a kernel that passed spend their time, as its process reports.

        What it does wrong now is in the text. Raises what :meth:`prepare` does.
        """
        task = _kernel_task(task)
        try:
            return self._judge(task).profile(program, self._alone(task))
        except KernelFailedError as failed:
            return Profile(f"not profiled: {failed}"[:2000])

    @contextmanager
    def _alone(self, task: KernelTask) -> Iterator[None]:
        """One candidate at a time is checked and timed."""
        with self._judging, self._watch.hold(self._lane(task), self._ended):
            yield

    def _ended(self) -> bool:
        return self._stopped.is_set() or self._deadline.passed

    def _judge(self, task: KernelTask) -> KernelJudge:
        """The judge of the task; set up now if need be."""
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
        """What judges the task by its mode; not prepared."""
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
    """Where to judge, if not on the CPU. Raises :class:`ToolError` for what cannot be had here."""
    wanted = task.judging.device
    gpu = this_gpu() if wanted != "cpu" and torch_cuda() else None
    if gpu is None and wanted == "cuda":
        raise ToolError(
            f"task {task.name!r} asks for device cuda, and no GPU can be used here; "
            'set device = "cpu" or "auto" in its task.toml'
        )
    return gpu


def _kernel_task(task: Task) -> KernelTask:
    if not isinstance(task, KernelTask):
        raise TaskError(f"KernelExecutor judges kernels; {task.name!r} is a {type(task).__name__}")
    return task
