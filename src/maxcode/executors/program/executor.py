"""ProgramExecutor: builds programs, checks them on every test, times against the fastest known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from time import monotonic

from maxcode.errors import ExecutorError, InputError, TaskError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Drawn,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Profile,
    Status,
    Trial,
)
from maxcode.executors.base import LocalExecutor, machine_errors
from maxcode.executors.program import counts
from maxcode.executors.program.draws import Draws, relinked
from maxcode.executors.program.further import FurtherInputs
from maxcode.executors.program.profile import profile
from maxcode.executors.program.runner import Pass, Place, ProgramFailedError, ProgramRunner
from maxcode.executors.program.timing import ProgramTiming, Timed, times
from maxcode.interfaces import Incumbent
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.machine import ascii_line, machine_facts
from maxcode.measure.meters import meter
from maxcode.measure.rounds import CONFIRM, SCORE, Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.task import Task
from maxcode.tasks.program import ProgramTask
from maxcode.text import factor
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.toolchains import Toolchains

_BASELINE_SAMPLES = 6


class ProgramExecutor(LocalExecutor[ProgramTask]):
    """Judges programs that read standard input, in any language of a toolchain.

    Programs are built and run in ``sandbox``, by default bubblewrap. A sample is a meter's sum over
    a pass over all tests, repeated if short. Two programs pass in turn, in random order, and their
    outputs are checked, too. Programs are built and checked in parallel, outside the timing lane;
    only a single pair at a time is timed on this machine.

    ``score`` and ``confirm`` are the measurement plans of the search's score and of a confirmation;
    ``processors`` are numbers of the processors to time on, by default the last usable, or all for
    the meter ``wall``; ``cache`` keeps builds between executors. Keep an executor for a whole
    search and close it, or use it as a context manager: it holds a folder of executables.

    Raises :class:`~maxcode.errors.ToolError` if the sandbox cannot work; :meth:`prepare` if the
    language is not installed.
    """

    _kind = ProgramTask
    _subject = "tasks of programs"

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
        self._checking = Place(other_processors(processors or timing_processors()))
        folder = self._scratch.path
        self._tools = Toolchains(self._sandbox, folder / "build", cache or BuildCache())
        self._runner = ProgramRunner(self._sandbox, self._tools, folder, self._deadline)
        self._timing = ProgramTiming(self._sandbox, self._runner, processors, self._watch)
        self._further: dict[str, FurtherInputs] = {}  # by task
        self._baselines: dict[str, Baseline] = {}  # by task
        self._lock = Lock()

    def prepare(self, task: Task) -> Baseline:
        """Build, check and time the baseline. Raises :class:`TaskError` when it fails."""
        task, started = self._own(task), monotonic()
        self._deadline.stopped.clear()
        toolchain = self._tools.of(task.language)
        try:
            checked = self._check(task, task.baseline)
            baseline = self._timing.prepare(task, checked, _BASELINE_SAMPLES)
        except ProgramFailedError as failed:
            raise TaskError(
                f"task {task.name!r}: its own program fails "
                f"({failed.evaluation.status.replace('_', ' ')}): {failed.evaluation.details}"
            ) from failed
        self._check_generator(task)
        gaps = self._runner.gaps(task, self._checking)
        facts = machine_facts(self._timing.processors(task))
        noun = "compiler" if self._runner.language(task).compiled else "runtime"
        machine = f"{facts}\n{noun}: {ascii_line(toolchain.release)}"
        if baseline.floor is not None and task.judging.meter in ("cpu", "wall"):
            each = 1e3 * baseline.floor / len(task.tests)
            machine += f"\nstart: a program that does nothing takes {each:.3g} ms for each test"
        baseline = replace(baseline, seconds=monotonic() - started, machine=machine, gaps=gaps)
        self._baselines[task.digest] = baseline
        return baseline

    def try_out(self, task: Task, program: Program, *, quick: bool) -> Trial:
        """See :class:`~maxcode.interfaces.Trials`. Its builds are kept for later."""
        task = self._own(task)
        try:
            with self._timing.undisturbed(task):
                if quick:
                    self._runner.quickest(task, program, self._checking)
                    return Trial(Status.OK)
                passed = self._runner.run(task, program, self._checking)
        except ProgramFailedError as failed:
            return Trial(failed.evaluation.status, failed.evaluation.feedback)
        taken, usual = sum(run.wall for run in passed), sum(self._runner.usual(task))
        return Trial(
            Status.OK,
            f"correct on all {len(task.tests)} tests; {taken:.3g} s in one pass over them, where "
            f"the original took {usual:.3g} s; nothing was confirmed",
        )

    def _compared(
        self,
        task: ProgramTask,
        a: Program,
        b: Program,
        plan: Plan,
        *,
        inputs: bool = True,
    ) -> Comparison:
        """Time two programs over layouts, without a margin over fresh inputs, too."""
        for name, program in (("the first", a), ("the second", b)):
            try:
                if not self._timing.seconds(task, program):  # an earlier process checked it
                    self._pass(task, program)
            except ProgramFailedError as failed:
                return Comparison(None, problem=f"{name} program failed: {failed}")
        try:
            timed = self._drawn(task, (a, b), plan, inputs=inputs and plan.floor == 1)
            problem = counts.doubt(self._timing, task, a, b, timed)
        except ProgramFailedError as failed:
            first, second = (failed.found if failed.program == one else None for one in (a, b))
            problem = f"a program failed while it was timed: {failed}"
            return Comparison(None, problem=problem, first_wrong=first, second_wrong=second)
        if problem:
            return Comparison(None, problem=problem)
        return Comparison(
            timed.ratio, timed.first, timed.second, drawn=timed.drawn, by_test=timed.by_test
        )

    def _drawn(
        self,
        task: ProgramTask,
        programs: tuple[Program, Program],
        plan: Plan,
        *,
        inputs: bool,
    ) -> Timed:
        """Time two programs over layouts and inputs, if the meter depends on them.

        They are timed unchanged if the baseline, or an unknown program, fails in another layout or
        on fresh inputs.
        """
        if meter(task.judging.meter).repeatable:
            return self._timing.measure(task, *programs, plan)
        further = self._further_inputs(task) if inputs else None
        toolchain, rng = self._tools.of(task.language), self._timing.rng
        others, folder = self._checking.processors, self._scratch.path
        with relinked(toolchain, task, programs, folder, rng, others) as (layouts, note):
            # Until a loser is given up; of few rounds half, so that some have inputs of their own.
            given = min(plan.fewest, plan.least // 2)
            drawing = Draws(task, layouts, further, given, rng, note)
            try:
                return self._timing.measure(task, *programs, plan, drawing)
            except ProgramFailedError as failed:
                if failed.program and failed.program != task.baseline:
                    drawing.raise_failure(failed.program, failed)
            except ExecutorError:
                pass
        timed = self._timing.measure(task, *programs, plan)
        note = "in one layout each, on the tests' own inputs: the original fails in others"
        return replace(timed, drawn=Drawn(note=note))

    def profile(self, task: Task, program: Program) -> Profile | None:
        """Costs of the program: from a plain run, and a run under callgrind.

        The text names tools this machine lacks for callgrind.
        """
        return profile(self._sandbox, self._runner, self._own(task), program, self._checking)

    def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult:
        """Compare with the baseline on inputs derived from the tests', many in a sandbox."""
        task, began = self._own(task), monotonic()
        try:
            with self._timing.undisturbed(task), machine_errors():
                found = self._further_inputs(task).fuzz(program, plan)
        except (ProgramFailedError, InputError) as failed:
            found = FuzzResult(why=str(failed), wanted=plan.count)
        return replace(found, seconds=monotonic() - began)

    def held_out(self, task: Task, program: Program, seed: int) -> HeldOut:
        """Time it against the baseline on inputs like the tests', each with new values."""
        task, began = self._own(task), monotonic()
        try:
            with machine_errors():
                found = self._on_held_out(task, program, seed)
        except (ProgramFailedError, InputError) as failed:
            found = HeldOut(None, problem=str(failed))
        return replace(found, seconds=monotonic() - began)

    def _on_held_out(self, task: ProgramTask, program: Program, seed: int) -> HeldOut:
        with self._timing.undisturbed(task):
            further = self._further_inputs(task)
            made, problem = further.held_out(seed)
            if made is None:
                return HeldOut(None, problem=problem)
            found = further.differing(made, program)
        inputs = len(made.tests)
        if wrong := found.counterexample:
            return HeldOut(None, inputs, problem=found.problem, counterexample=wrong)
        self._runner.expect(made, further.wall(made))
        pair = program, task.baseline
        compared = self._compared(made, *pair, self._confirm, inputs=False)
        return HeldOut(compared.ratio, inputs, compared.first, compared.second, compared.problem)

    def _check_generator(self, task: ProgramTask) -> None:
        """Check the task's own generator on a few inputs, and its limits, before all else."""
        if task.inputs is None and not task.limits:
            return
        try:
            problem = self._further_inputs(task).try_out()
        except InputError as error:
            raise TaskError(f"task {task.name!r}: {error}") from error
        if problem and task.inputs is not None:
            raise TaskError(
                f"task {task.name!r}: of what {task.inputs.name} makes no input counts: {problem}"
            )

    def _further_inputs(self, task: ProgramTask) -> FurtherInputs:
        with self._lock:
            if task.digest not in self._further:
                self._further[task.digest] = FurtherInputs(self._runner, self._checking, task)
            return self._further[task.digest]

    def _evaluated(
        self, task: ProgramTask, program: Program, against: Incumbent | None
    ) -> Evaluation:
        self._check(task, program)
        timed, reference = self._timing.score(task, program, self._score, against)
        second = reference.program if reference else task.baseline
        speedup = times(timed.ratio, reference.speedup) if reference else timed.ratio
        doubt = counts.doubt(self._timing, task, program, second, timed)
        if reference and not doubt:
            doubt = counts.implausible(self._timing, task, program, task.baseline, speedup)
        if doubt:
            return Evaluation(Status.SUSPECT, feedback=doubt)
        baseline = self._baselines.get(task.digest)
        own = baseline.without_start(speedup.value) if baseline else None
        started = f" ({factor(own)} without start-up)" if own else ""
        return Evaluation(
            Status.OK,
            speedup,
            feedback=f"correct on all {len(task.tests)} tests, {speedup}{started} against the "
            "baseline",
            measurements=timed.first,
            reference=timed.second,
            against=reference.program.digest if reference else "",
            by_test=timed.by_test,
        )

    def _check(self, task: ProgramTask, program: Program) -> Pass:
        """Pass over the tests, and again under sanitizers if the task asks for it."""
        passed = self._pass(task, program)
        if task.judging.sanitize:
            with self._timing.undisturbed(task):
                self._runner.sanitize(task, program, self._checking)
        return passed

    def _pass(self, task: ProgramTask, program: Program) -> Pass:
        with self._timing.undisturbed(task):
            passed = self._runner.run(task, program, self._checking)
        self._timing.checked(task, program, passed)
        return passed
