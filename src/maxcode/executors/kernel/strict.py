"""StrictBench: judges kernels by our own rules, those of docs/manual/tasks.md."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from maxcode.errors import TaskError
from maxcode.evaluation import Comparison, Evaluation, Interval, Measurement, Status
from maxcode.executors.kernel import profiling
from maxcode.executors.kernel.candidate import CandidateSide
from maxcode.executors.kernel.judge import (
    Alone,
    KernelJudge,
    Setting,
)
from maxcode.executors.kernel.profiling import (
    Compiled,
    Yardsticks,
    compiled_program,
)
from maxcode.executors.kernel.reference import (
    KernelFailedError,
    Outputs,
    Place,
)
from maxcode.executors.kernel.timing import (
    Batch,
    PairedTimer,
    RestartingTimer,
    Turn,
    Workload,
    calls_of,
)
from maxcode.executors.kernel.workers import Worker
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant

_TRIALS = 3  # inputs of each variant that outputs are checked for
_WARMING = 3  # runs, of which the last tells how long a call takes
_CALIBRATION = Plan(least=6, most=6)
_COMPILED = Plan(least=6, most=12)
_LUCK = {"cpu": 0.03, "cuda": 0.005}
"""What two processes with the same kernel may differ by, as long as they live, for the luck of
their memory. On a CPU as measured by benchmarks/aa_kernels.py; on a GPU it is a guess.
"""
_PATIENCE = 50.0  # batches of the reference, for which one of a candidate is waited
_TIMES = 10.0  # how much further than the reference a candidate may be off
_MIN_TOLERANCE = {"float64": 1e-11, "float32": 1.2e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
"""Allowed in any case: another order of summation differs by as much where rows are long."""


@dataclass(frozen=True, slots=True)
class _Expected:
    """What the reference says of a variant: what calls return, and how far off is right."""

    outputs: Outputs
    tolerance: tuple[float, ...]  # of each output


class StrictBench(KernelJudge):
    """See :class:`KernelJudge`."""

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        super().__init__(setting, task)
        self._expected: dict[str, _Expected] = {}
        self._workload: Workload | None = None

    def prepare(self) -> None:
        """Learn what is expected, how a batch is made up, and what it costs besides its calls."""
        super().prepare()
        timed = self.variants[-1]
        self._workload = self._sized(timed)
        roof = self.side.roofline(timed)
        self._workload = self._calibrated(self._workload, roof.bandwidth)
        compiled = self._compile() if "compile" in self.task.judging.baselines else None
        self.yardsticks = Yardsticks(roof, self.side.settings(), compiled)

    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:
        """See :meth:`KernelJudge.judge`."""
        with self._opened(program) as candidate, alone:
            self._check(candidate)
            duel = self._duel(candidate)
            ratio = self._beyond_luck(duel.measure(plan))
            settings = candidate.settings()
        samples, kinds = _of_turns(duel.first.turns), len(self.variants)
        said = f"{ratio} against the reference"
        if self.yardsticks:
            changes = [*profiling.changed(settings, self.yardsticks.settings)]
            said = self.yardsticks.of_candidate(ratio, samples.median, changes)
        if duel.first.clipped:
            said += "; it may be faster: what surrounds its calls takes longer than they do"
        return Evaluation(
            Status.OK,
            ratio,
            feedback=f"correct on {kinds} kind{'s' if kinds > 1 else ''} of inputs, {said}",
            measurements=(samples,),
            reference=(_of_batches(duel.batches),),
        )

    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """See :meth:`KernelJudge.compare`."""
        with ExitStack() as stack:
            stack.enter_context(alone)
            relay = RestartingTimer(lambda: self._paired(a, b), stack)
            ours, theirs, ratio = relay.measure(plan)
        return Comparison(self._beyond_luck(ratio), (_wall(ours),), (_wall(theirs),))

    @contextmanager
    def _paired(self, a: Program, b: Program) -> Iterator[PairedTimer]:
        """Fresh processes of two candidates, checked."""
        with self._opened(a) as first, self._opened(b) as second:
            self._check(first)
            self._check(second)
            yield self._duel(first, second)

    def _beyond_luck(self, ratio: Interval) -> Interval:
        """The interval with what one process differs from the next; see :data:`_LUCK`."""
        luck = 1 + _LUCK[self._setting.device]
        return replace(ratio, low=ratio.low / luck, high=ratio.high * luck)

    def _learn(self) -> None:
        """Ask the reference what is expected, and whether that can be relied on."""
        for variant in self.variants:
            self.side.load(variant)
            self.side.make(variant, self._seeds(_TRIALS))
            seed = self._seeds(1)[0]
            _, outputs = self.side.run(variant, seed, 0)
            tolerance = self._tolerance(outputs, self.side.own_errors(variant, seed))
            self._expected[variant.name] = _Expected(outputs, tolerance)
            passing = self.side.audit(variant, tolerance)
            self.degenerate += [f"{variant.name}: {answer}" for answer in passing]

    def _calibrated(self, workload: Workload, bandwidth: float) -> Workload:
        """Learn from rounds of the baseline what a batch takes besides its calls.

        And what a call takes at least, unless the baseline takes less: then it does not look at all
        of its inputs, and nobody else need.
        """
        try:
            with self._opened(self.task.baseline) as candidate:
                self._check(candidate)
                duel = self._duel(candidate)
                duel.measure(_CALIBRATION)
        except KernelFailedError as failed:
            raise TaskError(
                f"task {self.task.name!r}: its own module fails as a candidate "
                f"({failed.status.replace('_', ' ')}): {failed.feedback}"
            ) from failed
        self.samples = _of_batches(duel.batches)
        lightest = workload.held / bandwidth
        if self.samples.median < lightest:
            lightest = 0.0
        return replace(workload, besides=duel.first.besides(), lightest=lightest)

    def _check(self, candidate: CandidateSide) -> None:
        """Compare outputs on fresh inputs of all variants. Raises :class:`KernelFailedError`."""
        for variant in self.variants:
            self._check_on(candidate, variant)

    def _check_on(self, candidate: CandidateSide, variant: Variant) -> None:
        expected = self._expected[variant.name]
        candidate.construct(self.side.load(variant))
        inputs = self.side.make(variant, self._seeds(_TRIALS))
        seed = self._seeds(1)[0]
        self.side.run(variant, seed, 0)
        where = f"variant {variant.name}: " if len(self.variants) > 1 else ""
        try:
            candidate.take(inputs)
            candidate.run(seed, expected.outputs, _TRIALS, watch=True)
            answers = {k: candidate.written(expected.outputs, k) for k in range(_TRIALS)}
            problem, _ = self.side.check(variant, answers, expected.tolerance)
        except KernelFailedError as failed:
            raise KernelFailedError(failed.status, f"{where}{failed.feedback}") from failed
        if problem:
            raise KernelFailedError(Status.WRONG_ANSWER, f"{where}{problem}")

    def _duel(self, candidate: CandidateSide, other: CandidateSide | None = None) -> PairedTimer:
        """Rounds of a candidate, that was checked, beside the reference or another candidate."""
        if self._workload is None:
            raise ValueError("the bench was not prepared")
        for side in filter(None, (candidate, other)):
            side.pin(self._setting.timing)
            side.may_build = False
        return PairedTimer(self.side, self._workload, candidate, other)

    def _compile(self) -> Compiled:
        """Check and time what torch.compile makes of the reference, in a process of its own.

        It reads Python's headers besides, and has as long for a call as for a build.
        """
        judging = self.task.judging
        patient = replace(judging, timeout=max(judging.timeout, judging.build_timeout))
        headers = Path(sysconfig.get_path("include"))
        setting = self._workers("candidate.py")
        setting = replace(setting, read=(*setting.read, headers), memory=2 * judging.memory)
        folder = self._setting.folder / "compiled"
        outputs = self._exchange.outputs()
        try:
            with Worker(self._setting.sandbox, setting, folder, outputs) as worker:
                worker.ready()
                program = compiled_program(self.task)
                side = self._loaded(worker, program, replace(self.task, judging=patient))
                self._check_on(side, self.variants[-1])
                duel = self._duel(side)
                ratio = duel.measure(_COMPILED)
        except KernelFailedError as failed:
            status = failed.status.replace("_", " ")
            return Compiled(None, problem=f"{status}: {failed.feedback}")
        return Compiled(ratio, replace(_of_turns(duel.first.turns), meter="torch.compile"))

    def _tolerance(self, outputs: Outputs, errors: list[float] | None) -> tuple[float, ...]:
        """Of each output, relative to the size of a row."""
        if self.task.judging.tolerance is not None:
            return (self.task.judging.tolerance,) * len(outputs.tensors)
        own = errors or [0.0] * len(outputs.tensors)
        return tuple(
            max(_MIN_TOLERANCE.get(one["dtype"], 0.0), _TIMES * error)
            for one, error in zip(outputs.tensors, own, strict=True)
        )

    def _sized(self, variant: Variant) -> Workload:
        expected = self._expected[variant.name]
        inputs = self.side.make(variant, self._seeds(_TRIALS))
        for _ in range(_WARMING):
            seconds, _ = self.side.run(variant, self._seeds(1)[0], expected.outputs.slot)
        held = inputs.held // _TRIALS + expected.outputs.slot
        calls = calls_of(median(seconds), held)
        return Workload(
            variant,
            expected.outputs,
            calls,
            expected.tolerance,
            held=held,
            timeout=self.task.judging.timeout + _PATIENCE * calls * median(seconds),
            threads=self.task.judging.threads,
            events=self._setting.gpu is not None,
        )

    def _placed(self) -> Place:
        """See :class:`KernelJudge`."""
        seed, judging = self._secret.getrandbits(31), self.task.judging
        return Place(self._setting.device, seed, judging.dtype, judging.train)


def _of_batches(batches: Sequence[Batch]) -> Measurement:
    """Of the reference; the first was for warming up."""
    return _wall([one.seconds for one in batches[1:]])


def _of_turns(turns: Sequence[Turn]) -> Measurement:
    return _wall([one.seconds for one in turns[1:]])


def _wall(seconds: Sequence[float]) -> Measurement:
    return Measurement("wall", "s", tuple(seconds))
