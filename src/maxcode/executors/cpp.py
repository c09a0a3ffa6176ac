"""CppExecutor: builds with g++, checks on every test, times against the baseline."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Lock
from time import monotonic

from maxcode.errors import ExecutorError, TaskError, ToolError
from maxcode.evaluation import Baseline, Comparison, Evaluation, Interval, Measurement, Status
from maxcode.executors.cpp_runner import CppRunner, Pass, ProgramFailedError
from maxcode.interfaces import Executor
from maxcode.measure.meters import METERS, Meter, meter
from maxcode.measure.rounds import CONFIRM, SCORE, Plan, interleave
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.task import Task
from maxcode.tasks.cpp import CppTask


class CppExecutor(Executor):
    """Judges C++ programs.

    A sample is a meter's sum over one pass over all tests. Baseline and candidate pass in turn, in
    random order, and outputs are checked in timed passes too. Programs are built and checked in
    parallel, but timed one pair at a time. ``score`` and ``confirm`` say how long to measure for
    the search's own score and for a confirmation. Keep one executor for a search and close it, or
    use it as a context manager: it holds a folder of executables.

    Raises :class:`~maxcode.errors.ToolError` when g++ is missing.
    """

    def __init__(
        self, sandbox: Sandbox | None = None, score: Plan = SCORE, confirm: Plan = CONFIRM
    ) -> None:
        self._score = score
        self._confirm = confirm
        self._scratch = tempfile.TemporaryDirectory(prefix="maxcode-")
        try:
            self._runner = CppRunner(sandbox or ProcessSandbox(), Path(self._scratch.name))
        except ToolError:
            self._scratch.cleanup()
            raise
        self._lane = Lock()  # whoever holds it may read clocks

    def close(self) -> None:
        """Remove everything that was built."""
        self._scratch.cleanup()

    def __enter__(self) -> CppExecutor:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def prepare(self, task: Task) -> Baseline:
        """Build, check and time the baseline. Raises :class:`TaskError` when it fails."""
        task, started = _cpp(task), monotonic()
        self._runner.stopped.clear()
        try:
            self._runner.run(task, task.baseline)  # builds, and warms up
            with self._lane:
                passes = [self._runner.run(task, task.baseline) for _ in range(5)]
        except ProgramFailedError as failed:
            raise TaskError(
                f"task {task.name!r}: its own program fails "
                f"({failed.evaluation.status.replace('_', ' ')}): {failed.evaluation.details}"
            ) from failed
        self._runner.expect(
            task, [max(run.wall for run in runs) for runs in zip(*passes, strict=True)]
        )
        measurements = _measurements(task, passes)
        first = measurements[0]
        tests = "1 test" if len(task.tests) == 1 else f"{len(task.tests)} tests"
        note = (
            f"{tests}, {first.median:.3g} {first.unit} of {first.meter} time "
            f"(median of {len(first.samples)}, {min(first.samples):.3g} to "
            f"{max(first.samples):.3g}), g++ {' '.join(task.judging.flags)}"
        )
        return Baseline(measurements, note, monotonic() - started)

    def stop(self) -> None:
        """Begin no further run of a program."""
        self._runner.stopped.set()

    def evaluate(self, task: Task, program: Program) -> Evaluation:
        """Build, check, then time against the baseline."""
        task, started = _cpp(task), monotonic()
        try:
            self._run(task, program)
            ours, theirs, speedup = self._measure(task, program, task.baseline, self._score)
        except ProgramFailedError as failed:
            return replace(failed.evaluation, seconds=monotonic() - started)
        except ExecutorError as error:
            return Evaluation(Status.INFRASTRUCTURE, feedback=str(error))
        return Evaluation(
            Status.OK,
            speedup,
            feedback=f"correct on all {len(task.tests)} tests, {speedup} against the baseline",
            measurements=_measurements(task, ours),
            reference=_measurements(task, theirs),
            seconds=monotonic() - started,
        )

    def compare(self, task: Task, a: Program, b: Program) -> Comparison:
        """Time two programs in turn, for longer than ``evaluate`` does."""
        task, started = _cpp(task), monotonic()
        for name, program in (("the first", a), ("the second", b)):
            try:
                self._run(task, program)
            except ProgramFailedError as failed:
                problem = f"{name} program failed: {failed}"
                return Comparison(None, problem=problem, seconds=monotonic() - started)
        try:
            first, second, ratio = self._measure(task, a, b, self._confirm)
        except ProgramFailedError as failed:
            return Comparison(None, problem=f"a program failed while it was timed: {failed}")
        return Comparison(
            ratio,
            _measurements(task, first),
            _measurements(task, second),
            seconds=monotonic() - started,
        )

    def _run(self, task: CppTask, program: Program) -> Pass:
        try:
            return self._runner.run(task, program)
        except ProgramFailedError as failed:
            if program != task.baseline:
                raise
            raise ExecutorError(f"the baseline passed before and fails now: {failed}") from failed
        except OSError as error:
            raise ExecutorError(f"running a program failed: {error}") from error

    def _measure(
        self, task: CppTask, a: Program, b: Program, plan: Plan
    ) -> tuple[list[Pass], list[Pass], Interval]:
        reward = meter(task.judging.meter)
        order = Random(f"{a.digest}{b.digest}")
        with self._lane:
            return interleave(
                lambda: self._run(task, a),
                lambda: self._run(task, b),
                lambda runs: _sample(reward, runs),
                plan,
                order,
            )


def _cpp(task: Task) -> CppTask:
    if not isinstance(task, CppTask):
        raise TaskError(f"CppExecutor judges C++ tasks; {task.name!r} is a {type(task).__name__}")
    return task


def _sample(one: Meter, runs: Pass) -> float:
    return sum(one.read(run) for run in runs)


def _measurements(task: CppTask, passes: Sequence[Pass]) -> tuple[Measurement, ...]:
    """All meters, the reward's first."""
    ordered = sorted(METERS, key=lambda known: known.name != task.judging.meter)
    return tuple(
        Measurement(one.name, one.unit, tuple(_sample(one, runs) for runs in passes))
        for one in ordered
    )
