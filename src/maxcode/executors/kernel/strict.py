"""StrictJudge: judges kernels by maxcode's own rules, those of docs/manual/tasks.md."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from statistics import median
from time import monotonic

from maxcode.errors import TaskError
from maxcode.evaluation import (
    Comparison,
    Counterexample,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    Interval,
    Measurement,
    Status,
)
from maxcode.executors.kernel import profiling
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.judge import Alone, KernelJudge, Setting
from maxcode.executors.kernel.profiling import Baselines, CompileBaseline, compiled_program
from maxcode.executors.kernel.reference import ModuleSpec, Outputs
from maxcode.executors.kernel.timing import (
    Batch,
    PairedTimer,
    RestartingTimer,
    TimedRun,
    Workload,
    calls_of,
)
from maxcode.executors.kernel.workers import Worker
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.text import counted

_TRIALS = 3  # inputs of each variant that outputs are checked for
_WARM_UPS = 3  # runs, of which the last shows how long a call takes
_CALIBRATION = Plan(least=6, most=6)
_COMPILED = Plan(least=6, most=12)
_PROCESS_SPREAD = {"cpu": 0.03, "cuda": 0.005}
"""What two processes with the same kernel may differ by, as long as they live, for the chance of
their memory. On a CPU as measured by benchmarks/aa_kernels.py; on a GPU it is a guess.
"""
_PATIENCE = 50.0  # batches of the reference, for which one of a candidate is waited
_ERROR_FACTOR = 10.0  # how much further than the reference a candidate may be off
_MIN_TOLERANCE = {"float64": 1e-11, "float32": 1.2e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
"""Allowed in any case: another order of summation differs by as much where rows are long."""


@dataclass(frozen=True, slots=True)
class _Expected:
    """What the reference says of a variant: what calls return, and how far off is right."""

    outputs: Outputs
    tolerance: tuple[float, ...]  # of each output


class StrictJudge(KernelJudge):
    """See :class:`KernelJudge`."""

    _workload: Workload

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        super().__init__(setting, task)
        self._expected: dict[str, _Expected] = {}

    def prepare(self) -> None:
        """Learn what is expected, how a batch is made up, and what it costs besides its calls."""
        super().prepare()
        self._workload = self._sized(self.variants[-1])
        roof = self.reference.roofline(self._workload.variant)
        self._workload = self._calibrated(self._workload, roof.bandwidth)
        compiled = self._compile() if "compile" in self.task.judging.baselines else None
        self.baselines = Baselines(roof, self.reference.settings(), compiled)

    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:
        """See :meth:`KernelJudge.judge`."""
        with self._open(program) as candidate, alone:
            self._check(candidate)
            timer = self._timer(candidate)
            ratio = self._widened(timer.measure(plan))
            settings = candidate.settings()
        samples, kinds = _wall(timer.first.runs), len(self.variants)
        text = f"{ratio} against the reference"
        if self.baselines:
            changes = [*profiling.changed(settings, self.baselines.settings)]
            text = self.baselines.describe_candidate(ratio, samples.median, changes)
        if timer.first.clipped:
            text += "; it may be faster: what surrounds its calls takes longer than they do"
        return Evaluation(
            Status.OK,
            ratio,
            feedback=f"correct on {kinds} kind{'s' if kinds > 1 else ''} of inputs, {text}",
            measurements=(samples,),
            reference=(_wall(timer.batches),),
        )

    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """See :meth:`KernelJudge.compare`."""
        with alone:
            ours, theirs, ratio = RestartingTimer(lambda: self._paired(a, b)).measure(plan)
        first, second = (Measurement("wall", "s", tuple(one)) for one in (ours, theirs))
        return Comparison(self._widened(ratio), (first,), (second,))

    def fuzz(self, program: Program, plan: FuzzPlan, alone: Alone) -> FuzzResult:
        """Further inputs of each kind, of secret seeds; see :meth:`KernelJudge.fuzz`.

        A seed is drawn anew each time, so what was found cannot be tried on others.
        """
        until, agreed = monotonic() + plan.seconds, 0
        learned = f"{counted(len(self.variants), 'kind')} of inputs, of secret seeds"
        with self._open(program) as candidate, alone:
            for variant in cycle(self.variants):
                if agreed >= plan.count or monotonic() > until:
                    return FuzzResult(agreed, learned=learned)
                try:
                    self._check_on(candidate, variant)
                except KernelFailedError as failed:
                    if failed.status is Status.TIMEOUT:  # which may be the machine's fault
                        return FuzzResult(agreed, learned=learned)
                    problem = f"right at first, but not on further inputs: {failed.feedback}"
                    found = Counterexample(f"inputs of variant {variant.name}, of a secret seed")
                    return FuzzResult(agreed, 0, problem, found, learned)
                agreed += _TRIALS
        raise AssertionError("a task has a variant")

    @contextmanager
    def _paired(self, a: Program, b: Program) -> Iterator[PairedTimer]:
        """Fresh processes of two candidates, checked."""
        with self._open(a) as first, self._open(b) as second:
            self._check(first)
            self._check(second)
            yield self._timer(first, second)

    def _widened(self, ratio: Interval) -> Interval:
        """The interval with what one process differs from the next."""
        spread = 1 + _PROCESS_SPREAD[self._setting.device]
        return replace(ratio, low=ratio.low / spread, high=ratio.high * spread)

    def _module_spec(self) -> ModuleSpec:
        seed, judging = self._secret.getrandbits(31), self.task.judging
        return ModuleSpec(self._setting.device, seed, judging.dtype, judging.train)

    def _learn(self) -> None:
        for variant in self.variants:
            self.reference.load(variant)
            self.reference.make(variant, self._seeds(_TRIALS))
            seed = self._seeds(1)[0]
            _, outputs = self.reference.run(variant, seed, 0)
            tolerance = self._tolerance(outputs, self.reference.own_errors(variant, seed))
            self._expected[variant.name] = _Expected(outputs, tolerance)
            passing = self.reference.audit(variant, tolerance)
            self.trivial += [f"{variant.name}: {answer}" for answer in passing]

    def _tolerance(self, outputs: Outputs, errors: list[float] | None) -> tuple[float, ...]:
        """Of each output, relative to the size of a row."""
        if self.task.judging.tolerance is not None:
            return (self.task.judging.tolerance,) * len(outputs.tensors)
        own = errors or [0.0] * len(outputs.tensors)
        return tuple(
            max(_MIN_TOLERANCE.get(one["dtype"], 0.0), _ERROR_FACTOR * error)
            for one, error in zip(outputs.tensors, own, strict=True)
        )

    def _sized(self, variant: Variant) -> Workload:
        expected, judging = self._expected[variant.name], self.task.judging
        inputs = self.reference.make(variant, self._seeds(_TRIALS))
        for _ in range(_WARM_UPS):
            slot = expected.outputs.slot
            seconds, _ = self.reference.run(variant, self._seeds(1)[0], slot)
        size = inputs.size // _TRIALS + slot
        calls = calls_of(median(seconds), size)
        return Workload(
            variant,
            expected.outputs,
            calls,
            expected.tolerance,
            size=size,
            timeout=judging.timeout + _PATIENCE * calls * median(seconds),
            threads=judging.threads,
            events=self._setting.gpu is not None,
        )

    def _calibrated(self, work: Workload, bandwidth: float) -> Workload:
        """Learn from rounds of the task's own module what a batch takes besides its calls.

        And what a call takes at least, unless that module takes less: then it does not look at all
        of its inputs, and no candidate has to.
        """
        try:
            with self._open(self.task.baseline) as candidate:
                self._check(candidate)
                timer = self._timer(candidate)
                timer.measure(_CALIBRATION)
        except KernelFailedError as failed:
            raise TaskError(
                f"task {self.task.name!r}: its own module fails as a candidate "
                f"({failed.status.replace('_', ' ')}): {failed.feedback}"
            ) from failed
        self.samples = _wall(timer.batches)
        least = work.size / bandwidth
        least = 0.0 if self.samples.median < least else least
        return replace(work, overhead=timer.first.overhead(), least=least)

    def _check(self, candidate: Candidate) -> None:
        """Compare outputs on fresh inputs of all variants. Raises :class:`KernelFailedError`."""
        for variant in self.variants:
            self._check_on(candidate, variant)

    def _check_on(self, candidate: Candidate, variant: Variant) -> None:
        expected = self._expected[variant.name]
        candidate.construct(self.reference.load(variant))
        inputs = self.reference.make(variant, self._seeds(_TRIALS))
        seed = self._seeds(1)[0]
        self.reference.run(variant, seed, 0)
        kept = self.reference.state(variant)
        where = f"variant {variant.name}: " if len(self.variants) > 1 else ""
        try:
            candidate.take(inputs)
            candidate.run(seed, expected.outputs, _TRIALS, watch=True, state=kept)
            answers = {k: candidate.written(expected.outputs, k) for k in range(_TRIALS)}
            problem, _ = self.reference.check(variant, answers, expected.tolerance)
            if kept and not problem:
                left = candidate.left(expected.outputs, _TRIALS, kept)
                problem = self.reference.check_state(variant, left, max(expected.tolerance))
        except KernelFailedError as failed:
            raise KernelFailedError(failed.status, f"{where}{failed.feedback}") from failed
        if problem:
            raise KernelFailedError(Status.WRONG_ANSWER, f"{where}{problem}")

    def _timer(self, candidate: Candidate, other: Candidate | None = None) -> PairedTimer:
        """Rounds of a candidate, that was checked, beside the reference or another candidate."""
        for one in filter(None, (candidate, other)):
            one.pin(self._setting.timing)
            one.may_build = False
        return PairedTimer(self.reference, self._workload, candidate, other)

    def _compile(self) -> CompileBaseline:
        """Check and time what torch.compile makes of the reference, in a process of its own.

        It reads Python's headers besides, and has as long for a call as for a build.
        """
        judging = self.task.judging
        patient = replace(judging, timeout=max(judging.timeout, judging.build_timeout))
        headers = Path(sysconfig.get_path("include"))
        setting = self._worker_setting("candidate.py")
        setting = replace(setting, read=(*setting.read, headers), memory=2 * judging.memory)
        folder = self._setting.folder / "compiled"
        outputs = self._exchange.outputs()
        try:
            with Worker(self._setting.sandbox, setting, folder, outputs) as worker:
                worker.ready()
                program = compiled_program(self.task)
                candidate = self._load(worker, program, replace(self.task, judging=patient))
                self._check_on(candidate, self.variants[-1])
                timer = self._timer(candidate)
                ratio = timer.measure(_COMPILED)
        except KernelFailedError as failed:
            status = failed.status.replace("_", " ")
            return CompileBaseline(None, problem=f"{status}: {failed.feedback}")
        return CompileBaseline(ratio, replace(_wall(timer.first.runs), meter="torch.compile"))


def _wall(rounds: Iterable[Batch | TimedRun]) -> Measurement:
    """Seconds of a call in each round but the first, which was for warming up."""
    return Measurement("wall", "s", tuple(one.seconds for one in rounds)[1:])
