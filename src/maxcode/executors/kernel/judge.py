"""KernelJudge: what is set up once to judge the candidates of one kernel task."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import SystemRandom
from typing import ClassVar

from maxcode.errors import ToolError
from maxcode.evaluation import Comparison, Evaluation, Measurement, Profile
from maxcode.executors.kernel import profiling
from maxcode.executors.kernel.candidate import CandidateSide, Extensions
from maxcode.executors.kernel.exchange import Exchange
from maxcode.executors.kernel.machine import Gpu, Machine
from maxcode.executors.kernel.profiling import Yardsticks
from maxcode.executors.kernel.reference import Place, ReferenceSide
from maxcode.executors.kernel.workers import Worker, WorkerPool, WorkerSetting
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

_UNTRIED = "judging on a GPU is new, and its figures are not verified yet"

Alone = AbstractContextManager[None]
"""To be entered before a candidate is first checked, until it was timed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a task is judged.

    ``timing`` and ``others`` are processors, by number, to time on and to do all else on.
    """

    sandbox: Sandbox
    folder: Path
    gpu: Gpu | None
    timing: tuple[int, ...]
    others: tuple[int, ...]
    cache: BuildCache

    @property
    def device(self) -> str:
        """As torch names it."""
        return "cuda" if self.gpu else "cpu"


class KernelJudge(ABC):
    """The reference of a task in its process, and candidates' processes that stand ready.

    To be used by one thread at a time, but for what comes before ``alone`` is entered. Raises
    :class:`~maxcode.errors.TaskError` for what is wrong with the task.
    """

    rules: ClassVar[str] = ""
    """Whose rules it judges by, if not ours."""

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        self.task = task
        self._setting = setting
        self._secret = SystemRandom()
        self._place = self._placed()
        self.samples: Measurement | None = None
        """Times of the reference, once it is prepared."""
        self.degenerate: list[str] = []
        """Variants, and answers without any computation that would pass for them."""
        self.yardsticks: Yardsticks | None = None
        self.machine: Machine | None = None
        self._gpu_name = ""
        self.closed = False
        with ExitStack() as stack:
            self._exchange = stack.enter_context(Exchange(_CAPACITY))
            self._reference = stack.enter_context(self._started())
            self.side = ReferenceSide(self._reference, self._exchange.inputs, task, self._place)
            self._stack = stack.pop_all()

    def close(self) -> None:
        """End all processes."""
        self.closed = True
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
        """Learn what is expected, and how long the reference takes."""
        self._builder = self._extension_builder()
        self._pool = self._stack.enter_context(self._candidates())
        self._learn()

    @abstractmethod
    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:
        """Load, check, then time. Raises :class:`KernelFailedError`."""

    @abstractmethod
    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """Check two candidates and time them in turn. Raises :class:`KernelFailedError`."""

    def profile(self, program: Program, alone: Alone) -> Profile:
        """Where a candidate spends its time. Raises :class:`KernelFailedError`."""
        variant, seed = self.variants[-1], self._seeds(1)[0]
        with self._opened(program) as candidate, alone:
            candidate.construct(self.side.load(variant))
            candidate.pin(self._setting.timing)
            candidate.take(self.side.make(variant, self._seeds(profiling.CALLS)))
            yardsticks = self.yardsticks
            if yardsticks is None:  # by KernelBench's rules nothing else needs them
                self.side.run(variant, seed, 0)
                yardsticks = Yardsticks(self.side.roofline(variant), self.side.settings())
            return profiling.profile(candidate, seed, yardsticks)

    def note(self, samples: Measurement) -> str:
        """What was measured of the reference, and how."""
        setting, threads = self._setting, self.task.judging.threads
        kinds = len(self.variants)
        parts = [
            f"{kinds} kind{'s' if kinds > 1 else ''} of inputs",
            f"{samples.median * 1e3:.3g} ms a call (median of {len(samples.samples)})",
            "isolated" if setting.sandbox.isolated else "limited, not isolated",
            f"on {self._gpu_name} ({_UNTRIED})"
            if self._gpu_name
            else f"on the CPU, {threads} thread(s)",
        ]
        note = ", ".join([self.rules, *parts] if self.rules else parts)
        if self.yardsticks:
            note += f"; {self.yardsticks.of_reference(samples.median)}"
        if self.degenerate:
            note += f"; beware: without any computation one passes ({'; '.join(self.degenerate)})"
        return note

    @abstractmethod
    def _placed(self) -> Place:
        """Where and how modules are made."""

    @abstractmethod
    def _learn(self) -> None:
        """Ask the reference what is expected, and whether that can be relied on."""

    @contextmanager
    def _opened(self, program: Program) -> Iterator[CandidateSide]:
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

    def _seeds(self, count: int) -> list[int]:
        return [self._secret.getrandbits(31) for _ in range(count)]

    def _started(self) -> Worker:
        setting, judging = self._setting, self.task.judging
        worker = Worker(
            setting.sandbox,
            replace(
                self._workers("reference.py"),
                read=(self._exchange.inputs.path, Path(extension_inspect.__file__)),
                processors=setting.timing,
                memory=2 * judging.memory,
                scratch=_CAPACITY,  # for what is expected
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
            devices=self._setting.gpu.files if self._setting.gpu else (),
        )

    def _extension_builder(self) -> ExtensionBuilder:
        told = self.side.describe(Path(extension_inspect.__file__))
        facts = TorchFacts.parse(told["facts"])
        self._gpu_name = told["gpu"]
        self.machine = Machine(self._setting.timing, told["properties"], facts)
        if self._setting.gpu and not self._gpu_name:
            raise ToolError(
                f"{self._setting.gpu.device} is there, but torch cannot use it: {told['why_not']}; "
                'set device = "cpu" in task.toml to judge on the CPU'
            )
        if archs := os.environ.get("TORCH_CUDA_ARCH_LIST"):
            facts = replace(facts, archs=tuple(archs.replace(" ", ";").split(";")))
        elif told["capability"]:
            facts = replace(facts, archs=(told["capability"],))
        return ExtensionBuilder(
            self._setting.sandbox,
            self._setting.folder / "extensions",
            self._setting.cache,
            facts if self._gpu_name else replace(facts, cuda=""),  # not linked, for it cannot run
        )
