"""Bench: what is set up once to judge the candidates of one kernel task."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import SystemRandom
from statistics import median

from maxcode.errors import TaskError, ToolError
from maxcode.evaluation import Measurement, Profile, Status
from maxcode.executors.kernel import profiling
from maxcode.executors.kernel.compiled import Compiled, compiled_program
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
from maxcode.executors.kernel.standing import Yardsticks
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
_WARMING = 3  # runs, of which the last tells how long a call takes
_CALIBRATION = Plan(least=6, most=6)
_COMPILED = Plan(least=6, most=12)
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
    tolerance: tuple[float, ...]  # of each output


class Bench:
    """The reference of a task in its process, and candidates' processes that stand ready.

    To be used by one thread at a time, but for :meth:`opened`. Raises
    :class:`~maxcode.errors.TaskError` for what is wrong with the task.
    """

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        self.task = task
        self._setting = setting
        self._secret = SystemRandom()
        self._place = self._placed()
        self._expected: dict[str, Expected] = {}
        self.degenerate: list[str] = []
        """Variants, and answers without any computation that would pass for them."""
        self.workload: Workload | None = None
        self.honest: list[Batch] = []
        """Rounds in which the baseline was timed as a candidate."""
        self.yardsticks: Yardsticks | None = None
        with ExitStack() as stack:
            self._exchange = stack.enter_context(Exchange(_CAPACITY))
            self._reference = stack.enter_context(self._started())
            self.side = ReferenceSide(self._reference, self._exchange.inputs, task, self._place)
            self._stack = stack.pop_all()

    def close(self) -> None:
        """End all processes."""
        self._stack.close()

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Those that count here, the one that is timed last."""
        timed, *others = self.task.judging.variants_on(self._setting.device)
        return (*others, timed)

    def audit(self) -> list[str]:
        """Variants, and answers without any computation that would pass; takes no candidate."""
        self._learn()
        return self.degenerate

    def prepare(self) -> None:
        """Learn what is expected, and how a batch is made up."""
        self._stand_ready()
        self._learn()
        self.workload = self._sized(self.variants[-1])
        roof = self.side.roofline(self.variants[-1])
        self._calibrate(self.workload)
        compiled = self._compile() if "compile" in self.task.judging.baselines else None
        self.yardsticks = Yardsticks(roof, self.side.settings(), compiled)

    def _stand_ready(self) -> None:
        """Have candidates' processes started, and extensions built."""
        self._builder = self._extension_builder()
        self._pool = self._stack.enter_context(self._candidates())

    def _learn(self) -> None:
        """Ask the reference what is expected, and whether that can be relied on."""
        for variant in self.variants:
            self.side.load(variant)
            self.side.make(variant, self._seeds(_TRIALS))
            seed = self._seeds(1)[0]
            _, outputs = self.side.run(variant, seed, 0)
            tolerance = self._tolerance(outputs, self.side.own_errors(variant, seed))
            self._expected[variant.name] = Expected(outputs, tolerance)
            passing = self.side.audit(variant, tolerance)
            self.degenerate += [f"{variant.name}: {answer}" for answer in passing]

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
            yield self._loaded(worker, program, self.task)

    def _loaded(self, worker: Worker, program: Program, task: KernelTask) -> CandidateSide:
        judging = task.judging
        extensions = Extensions(self._builder, worker, judging.build_timeout, self._setting.others)
        shared = self._reference.outputs
        if shared is None:
            raise ToolError("the reference's process has no file to write")
        side = CandidateSide(worker, shared, task, self._place, extensions)
        side.resources = extensions.resources
        side.load(program, judging.timeout + judging.build_timeout)
        return side

    def check(self, candidate: CandidateSide) -> None:
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

    def duel(self, candidate: CandidateSide, other: CandidateSide | None = None) -> Duel:
        """Rounds of a candidate, that was checked, beside the reference or another candidate."""
        if self.workload is None:
            raise ValueError("the bench was not prepared")
        for side in filter(None, (candidate, other)):
            side.worker.pin(self._setting.timing)
            side.may_build = False
        return Duel(self.side, self.workload, candidate, other)

    def profile(self, candidate: CandidateSide) -> Profile:
        """Where a candidate spends its time on the timed variant."""
        variant, seed = self.variants[-1], self._seeds(1)[0]
        candidate.construct(self.side.load(variant))
        candidate.worker.pin(self._setting.timing)
        candidate.take(self.side.make(variant, self._seeds(profiling.CALLS)))
        if self.yardsticks is None:  # by KernelBench's rules nothing else needs them
            self.side.run(variant, seed, 0)
            self.yardsticks = Yardsticks(self.side.roofline(variant), self.side.settings())
        return profiling.profile(candidate, seed, self.yardsticks)

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
                duel = self.duel(side)
                ratio = duel.measure(_COMPILED)
        except KernelFailedError as failed:
            status = failed.status.replace("_", " ")
            return Compiled(None, problem=f"{status}: {failed.feedback}")
        seconds = tuple(turn.seconds for turn in duel.first.turns[1:])
        return Compiled(ratio, Measurement("torch.compile", "s", seconds))

    def _placed(self) -> Place:
        """Where and how modules are made."""
        seed, judging = self._secret.getrandbits(31), self.task.judging
        return Place(self._setting.device, seed, judging.dtype, judging.train)

    def _seeds(self, count: int) -> list[int]:
        return [self._secret.getrandbits(31) for _ in range(count)]

    def _tolerance(self, outputs: Outputs, errors: list[float] | None) -> tuple[float, ...]:
        """Of each output, relative to the size of a row."""
        if self.task.judging.tolerance is not None:
            return (self.task.judging.tolerance,) * len(outputs.tensors)
        own = errors or [0.0] * len(outputs.tensors)
        return tuple(
            max(_LEAST.get(one["dtype"], 0.0), _TIMES * error)
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
        return WorkerPool(self._setting.sandbox, self._workers("candidate.py"), self._exchange)

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
        facts = TorchFacts.parse(told["facts"])
        return ExtensionBuilder(
            self._setting.sandbox,
            self._setting.folder / "extensions",
            self._setting.cache,
            facts if told["gpu"] else replace(facts, cuda=""),  # not linked, for it cannot run
        )
