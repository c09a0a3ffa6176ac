"""Bench: what is set up once to judge the candidates of one kernel task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import SystemRandom
from statistics import median

from maxcode.errors import TaskError, ToolError
from maxcode.evaluation import Status
from maxcode.executors.kernel.exchange import Exchange
from maxcode.executors.kernel.extensions import Extensions
from maxcode.executors.kernel.pool import WorkerPool
from maxcode.executors.kernel.sides import (
    CandidateSide,
    KernelFailedError,
    Outputs,
    Place,
    ReferenceSide,
)
from maxcode.executors.kernel.timing import Batch, Duel, Workload, calls_of
from maxcode.executors.kernel.workers import Worker, WorkerSetting
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.toolchain import extension_inspect
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_facts import TorchFacts

_INSIDE = Path(__file__).with_name("worker")
_CAPACITY = 2 << 30  # bytes of tensors on their way
_OUTPUT = 1 << 30  # bytes of a file that a worker writes
_TRIALS = 3  # inputs of each variant that outputs are checked for
_CALIBRATION = Plan(least=6, most=6)
_TIMES = 10.0  # how much further than the reference a candidate may be off
_LEAST = {"float64": 1e-11, "float32": 1.2e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
"""Allowed in any case: another order of summation differs by as much where rows are long."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a task is judged.

    ``timing`` and ``others`` are processors, by number, to time on and to do all else on.
    """

    sandbox: Sandbox
    folder: Path
    device: str
    timing: tuple[int, ...]
    others: tuple[int, ...]
    cache: BuildCache


@dataclass(frozen=True, slots=True)
class Expected:
    """What the reference says of a variant: what calls return, and how far off is right."""

    outputs: Outputs
    tolerance: float


class Bench:
    """The reference of a task in its process, and candidates' processes that stand ready.

    To be used by one thread at a time, but for :meth:`opened`. Raises
    :class:`~maxcode.errors.TaskError` for what is wrong with the task.
    """

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        self.task = task
        self._setting = setting
        self._secret = SystemRandom()
        self._place = Place(setting.device, self._secret.getrandbits(31))
        self._expected: dict[str, Expected] = {}
        self.degenerate: list[str] = []
        """Variants, and answers without any computation that would pass for them."""
        self.workload: Workload | None = None
        self.honest: list[Batch] = []
        """Rounds in which the baseline was timed as a candidate."""
        with ExitStack() as stack:
            self._exchange = stack.enter_context(Exchange(_CAPACITY))
            self._reference = stack.enter_context(self._started())
            self.side = ReferenceSide(self._reference, self._exchange.inputs, task, self._place)
            self._builder = self._extension_builder()
            self._pool = stack.enter_context(self._candidates())
            self._stack = stack.pop_all()

    def close(self) -> None:
        """End all processes."""
        self._stack.close()

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Those that count here, the one that is timed last."""
        timed, *others = self.task.judging.variants_on(self._setting.device)
        return (*others, timed)

    def prepare(self) -> None:
        """Learn what is expected, and how a batch is made up."""
        for variant in self.variants:
            self.side.load(variant)
            self.side.make(variant, self._seeds(_TRIALS))
            seed = self._seeds(1)[0]
            _, outputs = self.side.run(variant, seed, 0)
            tolerance = self._tolerance(outputs, self.side.own_error(variant, seed))
            self._expected[variant.name] = Expected(outputs, tolerance)
            passing = self.side.audit(variant, tolerance)
            self.degenerate += [f"{variant.name}: {answer}" for answer in passing]
        self.workload = self._sized(self.variants[-1])
        self._calibrate(self.workload)

    def _calibrate(self, workload: Workload) -> None:
        """Learn from rounds of the baseline what a batch takes besides its calls."""
        try:
            with self.opened(self.task.baseline) as candidate:
                self.check(candidate)
                duel = self.duel(candidate)
                duel.measure(_CALIBRATION)
        except KernelFailedError as failed:
            raise TaskError(
                f"task {self.task.name!r}: its own module fails as a candidate "
                f"({failed.status.replace('_', ' ')}): {failed.feedback}"
            ) from failed
        self.honest = duel.batches[1:]
        self.workload = replace(workload, besides=duel.first.besides())

    @contextmanager
    def opened(self, program: Program) -> Iterator[CandidateSide]:
        """A candidate's process, which has loaded a program; ended afterwards."""
        with self._pool.take() as worker:
            judging = self.task.judging
            extensions = Extensions(
                self._builder, worker, judging.build_timeout, self._setting.others
            )
            shared = self._reference.outputs
            if shared is None:
                raise ToolError("the reference's process has no file to write")
            side = CandidateSide(worker, shared, self.task, self._place, extensions.build)
            _load(side, extensions, program, judging.timeout + judging.build_timeout)
            yield side

    def check(self, candidate: CandidateSide) -> None:
        """Compare outputs on fresh inputs of all variants. Raises :class:`KernelFailedError`."""
        for variant in self.variants:
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

    def duel(self, candidate: CandidateSide, other: CandidateSide | None = None) -> Duel:
        """Rounds of a candidate, that was checked, beside the reference or another candidate."""
        if self.workload is None:
            raise ValueError("the bench was not prepared")
        for side in filter(None, (candidate, other)):
            side.worker.pin(self._setting.timing)
        return Duel(self.side, self.workload, candidate, other)

    def _seeds(self, count: int) -> list[int]:
        return [self._secret.getrandbits(31) for _ in range(count)]

    def _tolerance(self, outputs: Outputs, error: float | None) -> float:
        if self.task.judging.tolerance is not None:
            return self.task.judging.tolerance
        types = [one["dtype"] for one in outputs.tensors]
        least = max((_LEAST.get(dtype, 0.0) for dtype in types), default=0.0)
        return max(least, _TIMES * (error or 0.0))

    def _sized(self, variant: Variant) -> Workload:
        expected = self._expected[variant.name]
        inputs = self.side.make(variant, self._seeds(_TRIALS))
        seconds, _ = self.side.run(variant, self._seeds(1)[0], expected.outputs.slot)
        held = inputs.held // _TRIALS + expected.outputs.slot
        calls = calls_of(median(seconds), held)
        return Workload(
            variant,
            expected.outputs,
            calls,
            expected.tolerance,
            threads=self.task.judging.threads,
            lightest=self.side.lightest(variant),
        )

    def _started(self) -> Worker:
        setting, judging = self._setting, self.task.judging
        worker = Worker(
            setting.sandbox,
            replace(
                self._workers("reference.py"),
                read=(self._exchange.inputs.path, Path(extension_inspect.__file__)),
                processors=setting.timing,
                memory=2 * judging.memory,
            ),
            setting.folder / "reference",
            self._exchange.outputs(),
        )
        worker.ready()
        return worker

    def _candidates(self) -> WorkerPool:
        shared = self._reference.outputs
        read = (shared.path,) if shared else ()
        setting = replace(self._workers("candidate.py"), read=read)
        return WorkerPool(self._setting.sandbox, setting, self._exchange)

    def _workers(self, script: str) -> WorkerSetting:
        judging = self.task.judging
        return WorkerSetting(
            script=_INSIDE / script,
            threads=judging.threads,
            memory=judging.memory,
            output=_OUTPUT,
            processors=self._setting.others,
        )

    def _extension_builder(self) -> ExtensionBuilder:
        told = self.side.describe(Path(extension_inspect.__file__))
        return ExtensionBuilder(
            self._setting.sandbox,
            self._setting.folder / "extensions",
            self._setting.cache,
            TorchFacts.parse(told["facts"]),
        )


def _load(side: CandidateSide, extensions: Extensions, program: Program, timeout: float) -> None:
    """Load a program. What it says of a build that failed is put in the words of the compiler."""
    try:
        side.load(program, timeout)
    except KernelFailedError as failed:
        if not extensions.errors or failed.status is Status.OUT_OF_MEMORY:
            raise
        status = Status.TIMEOUT if extensions.timed_out else Status.BUILD_ERROR
        raise KernelFailedError(status, extensions.errors) from failed
