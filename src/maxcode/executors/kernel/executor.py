"""KernelExecutor: judges PyTorch modules against a reference, in processes that share nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock
from time import monotonic

from maxcode.errors import ExecutorError, TaskError, ToolError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Evaluation,
    Measurement,
    Profile,
    Status,
)
from maxcode.executors.kernel import profiling
from maxcode.executors.kernel.bench import Bench, Setting
from maxcode.executors.kernel.compat import CompatBench
from maxcode.executors.kernel.sides import KernelFailedError
from maxcode.executors.kernel.timing import Batch, Turn
from maxcode.interfaces import Executor
from maxcode.measure.lane import Lane, other_processors, timing_processors
from maxcode.measure.rounds import CONFIRM, SCORE, Plan
from maxcode.measure.statistics import noise
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.task import Task
from maxcode.tasks.kernel import KernelTask
from maxcode.toolchain.build_cache import BuildCache


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
        self._scratch = tempfile.TemporaryDirectory(prefix="maxcode-")
        self._benches: dict[str, Bench] = {}  # by task
        self._verdicts: dict[tuple[str, str], Evaluation] = {}
        self._stopped = Event()
        self._judging = Lock()  # of one candidate at a time, from the first check on
        self._setting_up = Lock()

    def close(self) -> None:
        """End all processes, and remove what was built here; the cache stays."""
        for bench in self._benches.values():
            bench.close()
        self._benches.clear()
        self._scratch.cleanup()

    def __enter__(self) -> KernelExecutor:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def prepare(self, task: Task) -> Baseline:
        """Check that the reference can be relied on, and time it. Raises :class:`TaskError`."""
        task, started = _kernel(task), monotonic()
        self._stopped.clear()
        bench = self._bench(task)
        samples = bench.samples if isinstance(bench, CompatBench) else None
        samples = samples or _reference(bench.honest)
        others = bench.yardsticks.measurements if bench.yardsticks else ()
        return Baseline(
            (samples, *others),
            self._note(bench, samples),
            seconds=monotonic() - started,
            noise=noise(samples.samples),
        )

    def audit(self, task: Task) -> list[str]:
        """What would pass for the task without any computation, each with the variant's name.

        Only the reference is run. Raises :class:`TaskError` when it cannot be relied on.
        """
        bench = self._opened(_kernel(task))
        try:
            return bench.audit()
        finally:
            bench.close()

    def stop(self) -> None:
        """Begin nothing more."""
        self._stopped.set()

    def evaluate(self, task: Task, program: Program) -> Evaluation:
        """Load, check, then time. What this executor has judged before, it judges the same."""
        task = _kernel(task)
        key = task.digest, program.digest
        if key in self._verdicts:
            return self._verdicts[key]
        started = monotonic()
        try:
            evaluation = self._judge(task, program)
        except KernelFailedError as failed:
            evaluation = Evaluation(failed.status, feedback=failed.feedback)
        except (ExecutorError, TaskError, ToolError, OSError) as error:
            self._give_up(task)
            return Evaluation(Status.INFRASTRUCTURE, feedback=str(error))
        evaluation = replace(evaluation, seconds=monotonic() - started)
        if evaluation.status is not Status.TIMEOUT:  # which may have been the machine's fault
            self._verdicts[key] = evaluation
        return evaluation

    def compare(self, task: Task, a: Program, b: Program) -> Comparison:
        """Time two candidates in turn on the same fresh inputs, longer than ``evaluate`` does."""
        task, started = _kernel(task), monotonic()
        bench = self._bench(task)
        try:
            with bench.opened(a) as first, bench.opened(b) as second, self._alone(task):
                if isinstance(bench, CompatBench):
                    compared = bench.compare(first, second, self._confirm)
                    return replace(compared, seconds=monotonic() - started)
                bench.check(first)
                bench.check(second)
                duel = bench.duel(first, second)
                ratio = duel.measure(self._confirm)
        except KernelFailedError as failed:
            return Comparison(
                None, problem=f"a kernel failed: {failed}", seconds=monotonic() - started
            )
        second_turns = duel.second.turns[1:] if duel.second else []
        return Comparison(
            ratio,
            (_seconds(duel.first.turns[1:]),),
            (_seconds(second_turns),),
            seconds=monotonic() - started,
        )

    def profile(self, task: Task, program: Program) -> Profile:
        """Where the calls of a kernel that passed spend their time, as its process tells.

        What it does wrong now is said in the text. Raises what :meth:`prepare` does.
        """
        task = _kernel(task)
        bench = self._bench(task)
        try:
            with bench.opened(program) as candidate, self._alone(task):
                return bench.profile(candidate)
        except KernelFailedError as failed:
            return Profile(f"not profiled: {failed}"[:2000])

    def _judge(self, task: KernelTask, program: Program) -> Evaluation:
        bench = self._bench(task)
        if isinstance(bench, CompatBench):
            return bench.judge(program, self._alone(task))
        with bench.opened(program) as candidate, self._alone(task):
            bench.check(candidate)
            duel = bench.duel(candidate)
            ratio = duel.measure(self._score)
            settings = candidate.settings()
        variants = len(bench.variants)
        samples = _seconds(duel.first.turns[1:])
        said = f"{ratio} against the reference"
        if bench.yardsticks:
            changes = [*profiling.changed(settings, bench.yardsticks.settings)]
            said = bench.yardsticks.of_candidate(ratio, samples.median, changes)
        return Evaluation(
            Status.OK,
            ratio,
            feedback=f"correct on {variants} kind{'s' if variants > 1 else ''} of inputs, {said}",
            measurements=(samples,),
            reference=(_reference(duel.batches[1:]),),
        )

    @contextmanager
    def _alone(self, task: KernelTask) -> Iterator[None]:
        """One candidate at a time is checked and timed."""
        with self._judging, self._lane(task).hold(self._stopped):
            yield

    def _bench(self, task: KernelTask) -> Bench:
        """What was set up for the task; set up now if need be."""
        with self._setting_up:
            if task.digest not in self._benches:
                bench = self._opened(task)
                try:
                    with self._alone(task):
                        bench.prepare()
                except BaseException:
                    bench.close()
                    raise
                self._benches[task.digest] = bench
            return self._benches[task.digest]

    def _opened(self, task: KernelTask) -> Bench:
        """What judges the task by its mode; not prepared."""
        lane = self._lane(task).processors
        setting = Setting(
            sandbox=self._sandbox,
            folder=Path(tempfile.mkdtemp(dir=self._scratch.name)),
            device=_device(task),
            timing=lane,
            others=other_processors(lane),
            cache=self._cache,
        )
        setting.folder.chmod(0o755)  # a sandbox may read as another user
        return CompatBench(setting, task) if _by_kernelbench(task) else Bench(setting, task)

    def _give_up(self, task: KernelTask) -> None:
        """What was set up may be broken: it is set up anew when it is needed."""
        with self._setting_up, self._judging:
            bench = self._benches.pop(task.digest, None)
            if bench is not None:
                bench.close()

    def _lane(self, task: KernelTask) -> Lane:
        return Lane(self._processors or timing_processors(task.judging.threads))

    def _note(self, bench: Bench, samples: Measurement) -> str:
        isolation = "isolated" if self._sandbox.isolated else "limited, not isolated"
        note = (
            f"{'by the rules of KernelBench, ' if _by_kernelbench(bench.task) else ''}"
            f"{len(bench.variants)} kind(s) of inputs, {samples.median * 1e3:.3g} ms a call "
            f"(median of {len(samples.samples)}), {isolation}, on the CPU, "
            f"{bench.task.judging.threads} thread(s)"
        )
        if bench.yardsticks:
            note += f"; {bench.yardsticks.of_reference(samples.median)}"
        if bench.degenerate:
            note += f"; beware: without any computation one passes ({'; '.join(bench.degenerate)})"
        return note


def _device(task: KernelTask) -> str:
    """Raises :class:`ToolError` for what cannot be had here."""
    if task.judging.device == "cuda":
        raise ToolError(
            f"task {task.name!r} asks for device cuda, and no GPU can be used here; "
            'set device = "cpu" or "auto" in its task.toml'
        )
    return "cpu"


def _by_kernelbench(task: KernelTask) -> bool:
    return task.judging.mode == "kernelbench"


def _reference(batches: Sequence[Batch]) -> Measurement:
    return Measurement("wall", "s", tuple(one.seconds for one in batches))


def _seconds(turns: Sequence[Turn]) -> Measurement:
    return Measurement("wall", "s", tuple(one.seconds for one in turns))


def _kernel(task: Task) -> KernelTask:
    if not isinstance(task, KernelTask):
        raise TaskError(f"KernelExecutor judges kernels; {task.name!r} is a {type(task).__name__}")
    return task
