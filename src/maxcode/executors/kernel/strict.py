"""StrictJudge: judges kernels by maxcode's own rules, those of docs/manual/tasks.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import cycle
from random import SystemRandom
from statistics import median
from time import monotonic

from maxcode.errors import TaskError
from maxcode.evaluation import (
    Comparison,
    Counterexample,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    Measurement,
    Status,
)
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.checks import TRIALS, Expected, OutputChecks
from maxcode.executors.kernel.judge import Alone, KernelJudge, Setting
from maxcode.executors.kernel.profiling import Baselines, CompileBaseline, compiled_program
from maxcode.executors.kernel.resources import note
from maxcode.executors.kernel.runs import Batch, TimedRun, Workload, batches_of
from maxcode.executors.kernel.timing import PairedTimer, measure_restarting
from maxcode.executors.kernel.worker.messages import TASK, LearnedKinds, ModuleSpec
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant

_WARM_UPS = 3  # runs, of which the last shows how long a call takes
_CALIBRATION = Plan(least=6, most=6)
_COMPILED = Plan(least=6, most=12)
_PATIENCE = 50.0  # batches of the reference, for which one of a candidate is waited


class StrictJudge(KernelJudge):
    """See :class:`KernelJudge`."""

    _workload: Workload

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        seed, judging = SystemRandom().getrandbits(31), task.judging
        about = setting.device, seed, judging.dtype, judging.train
        super().__init__(setting, task, ModuleSpec(*about, backward=task.backward))
        self._checks = OutputChecks(self.reference, self.variants)

    def prepare(self) -> None:
        """Learn expected outputs, the size of a batch, and its cost besides its calls."""
        super().prepare()
        self._workload = self._sized(self.variants[-1])
        roof = self.reference.roofline(self._workload.variant)
        self._workload = self._calibrated()
        compiled = self._compile() if "compile" in self.task.judging.baselines else None
        self.baselines = Baselines(roof, compiled)

    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:
        """See :meth:`KernelJudge.judge`."""
        with self._open(program) as candidate, alone:
            self._checks.all(candidate)
            timer = self._timer(self._workload, candidate)
            ratio = timer.measure(plan)
            self._checks.again(candidate, self._workload.variant)
        samples = _wall(timer.first.runs)
        text = f"{ratio} against the reference"
        if self.baselines:
            text = self.baselines.describe_candidate(ratio, samples.median)
        if self.remarks:
            text += f"; judged without what cannot be varied: {'; '.join(self.remarks)}"
        text += note(candidate.extensions.resources)
        return Evaluation(
            Status.OK,
            ratio,
            feedback=f"correct on {self.kinds}, {text}",
            measurements=(samples,),
            reference=(_wall(timer.batches),),
        )

    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """See :meth:`KernelJudge.compare`."""
        with alone:
            ours, theirs, ratio = measure_restarting(partial(self._paired, a, b), plan)
        first, second = (Measurement("wall", "s", tuple(one)) for one in (ours, theirs))
        return Comparison(ratio, (first,), (second,))

    def fuzz(self, program: Program, plan: FuzzPlan, alone: Alone) -> FuzzResult:
        """See :meth:`KernelJudge.fuzz`. Seeds are drawn anew each time."""
        began, agreed = monotonic(), 0
        learned = f"{self.kinds}, of secret seeds"
        with self._open(program) as candidate, alone:
            for variant in cycle(self.variants):
                # With a slow reference or on a busy machine, few are better than none.
                within = plan.longest if agreed < plan.least else plan.seconds
                if agreed >= plan.count or monotonic() - began > within:
                    break
                try:
                    agreed += self._checks.on(candidate, variant)
                except KernelFailedError as failed:
                    if failed.status is Status.TIMEOUT:  # which may be the machine's fault
                        break
                    problem = f"right at first, but not on further inputs: {failed.feedback}"
                    found = Counterexample(f"inputs of variant {variant.name}, of a secret seed")
                    return FuzzResult(agreed, 0, problem, found, learned)
        result = FuzzResult(agreed, 0, learned=learned, wanted=plan.count)
        why = "there was no time for more" if agreed else "there was no time"
        return replace(result, why=why) if result.few else result

    @contextmanager
    def _paired(self, a: Program, b: Program, pairs: int) -> Iterator[PairedTimer]:
        """Fresh processes of two checked candidates; checked briefly after the first pair."""
        swapped = self._secret.random() < 0.5  # it shall not matter who waits for the other
        one, other = (b, a) if swapped else (a, b)
        with self._open(one) as first, self._open(other) as second:
            both = (second, first) if swapped else (first, second)
            for candidate in (first, second):
                if pairs:
                    self._checks.briefly(candidate, self._workload.variant)
                else:
                    self._checks.all(candidate)
            timer = self._timer(self._workload, *both)
            yield timer
            for candidate in both:
                self._checks.again(candidate, self._workload.variant)

    def _learn(self) -> None:
        for variant in self.variants:
            learned = self._learn_of(variant)
            self.tolerance = learned.tolerance  # that of the timed one counts, which is last
            self.trivial += [
                f"{variant.name}: {one}" for one in self.reference.work.find_trivial(variant.name)
            ]
            self.remarks += [f"{variant.name}: {one}" for one in learned.remarks]

    def _learn_of(self, variant: Variant) -> LearnedKinds:
        """Learn a variant, and try inputs of all its kinds. Raises :class:`TaskError`."""
        reference, work = self.reference, self.reference.work
        reference.load(variant)
        inputs = work.make(variant.name, self._seeds(1)).size  # fails soon if they are too large
        learned = work.learn(variant.name, self._seeds(TRIALS), self.task.judging.tolerance)
        outputs = work.run(variant.name, self._seeds(1))
        size = inputs + outputs.slot
        at_once = max(1, (self._room - inputs) // max(size, 1))
        kinds = [*learned.kinds, *[TASK] * TRIALS][-at_once:]
        work.make(variant.name, self._seeds(len(kinds)), kinds)
        work.run(variant.name, self._seeds(len(kinds)))
        self._checks.expected[variant.name] = Expected(outputs, learned, size, at_once)
        return learned

    @property
    def _room(self) -> int:
        """Bytes for the tensors of calls: of a shared file, or a quarter of the GPU's memory."""
        if self._setting.gpu:
            return int(self.machine.gpu["total_memory"]) // 4
        return self._largest_file

    def _sized(self, variant: Variant) -> Workload:
        expected, judging = self._checks.expected[variant.name], self.task.judging
        trials = self._checks.trials(variant)
        work = self.reference.work
        work.make(variant.name, self._seeds(trials))
        for _ in range(_WARM_UPS):
            seconds = work.run(variant.name, self._seeds(trials)).seconds
        calls, batches = batches_of(median(seconds), expected.size, expected.at_once)
        return Workload(
            variant,
            expected.outputs,
            calls,
            timeout=judging.timeout + _PATIENCE * calls * median(seconds),
            threads=judging.threads,
            on_device=self._setting.gpu is not None,
            batches=batches,
        )

    def _calibrated(self) -> Workload:
        """Learn a batch's cost besides its calls, from rounds of the task's own module."""
        try:
            with self._open(self.task.baseline) as candidate:
                self._checks.all(candidate)
                timer = self._timer(self._workload, candidate)
                timer.measure(_CALIBRATION)
        except KernelFailedError as failed:
            raise TaskError(
                f"task {self.task.name!r}: its own module fails as a candidate "
                f"({failed.status.replace('_', ' ')}): {failed.feedback}"
            ) from failed
        self.samples = _wall(timer.batches)
        return timer.first.measured()

    def _timer(
        self, work: Workload, candidate: Candidate, other: Candidate | None = None
    ) -> PairedTimer:
        """Timer of a checked candidate against the reference or another candidate."""
        for one in filter(None, (candidate, other)):
            one.pin(self._setting.timing)
        return PairedTimer(self.reference, work, candidate, other, self._shared_memory)

    def _compile(self) -> CompileBaseline:
        """Check and time the reference under torch.compile; a call may take as long as a build."""
        judging = self.task.judging
        patient = replace(judging, timeout=max(judging.timeout, judging.build_timeout))
        try:
            with self._open(compiled_program(self.task), patient) as candidate:
                self._checks.on(candidate, self.variants[-1])
                timer = self._timer(self._workload, candidate)
                ratio = timer.measure(_COMPILED)
        except KernelFailedError as failed:
            status = failed.status.replace("_", " ")
            return CompileBaseline(None, problem=f"{status}: {failed.feedback}")
        return CompileBaseline(ratio, replace(_wall(timer.first.runs), meter="torch.compile"))


def _wall(rounds: Iterable[Batch | TimedRun]) -> Measurement:
    """Seconds per call in each round, without the first, the warm-up."""
    return Measurement("wall", "s", tuple(one.seconds for one in rounds)[1:])
