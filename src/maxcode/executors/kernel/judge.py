"""KernelJudge: everything set up once per kernel task to judge its candidates."""

from __future__ import annotations

import os
import sysconfig
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import SystemRandom
from time import monotonic, sleep
from typing import ClassVar

from maxcode.errors import ToolError
from maxcode.evaluation import (
    Comparison,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    Measurement,
    Profile,
    Status,
)
from maxcode.executors.kernel import profiling
from maxcode.executors.kernel.candidate import Candidate, Extensions, KernelFailedError
from maxcode.executors.kernel.device import DeviceExchange
from maxcode.executors.kernel.machine import Gpu, Machine, installed_languages
from maxcode.executors.kernel.profiling import Baselines
from maxcode.executors.kernel.reference import DeviceMemoryError, Reference
from maxcode.executors.kernel.shared_file import shared_folder
from maxcode.executors.kernel.worker.messages import ModuleSpec
from maxcode.executors.kernel.workers import (
    CANDIDATE,
    REFERENCE,
    Worker,
    WorkerPool,
    WorkerSetting,
)
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Deadline, Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant
from maxcode.text import counted
from maxcode.toolchain import extension_inspect
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_facts import TorchFacts, named_archs, own_arch

_OUTPUT = 1 << 30  # bytes of a file that a worker writes
_HOG = "it holds so much of the GPU's memory that the reference finds none, which it did before"
_HEADERS = Path(sysconfig.get_path("include"))  # Python's, for what torch and Triton compile
_RECOVERY = 20.0  # seconds for a GPU to have its memory back
_UNTRIED = "judging on a GPU is new, and its figures are not verified yet"

Alone = AbstractContextManager[None]
"""Context for checking and timing a candidate exclusively."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Weaknesses of a kernel task: answers without computation that pass, and unvaried inputs."""

    passing: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a task is judged.

    ``timing`` and ``others`` are numbers of the processors for timing and for all other work.
    Requests to candidates end by ``deadline``.
    """

    sandbox: Sandbox
    folder: Path
    gpu: Gpu | None
    timing: tuple[int, ...]
    others: tuple[int, ...]
    cache: BuildCache
    deadline: Deadline

    @property
    def device(self) -> str:
        """Device name in torch."""
        return "cuda" if self.gpu else "cpu"


class KernelJudge(ABC):
    """The reference of a task in its process, and a pool of processes for candidates.

    For use by one thread at a time, except before ``alone`` is entered. Raises
    :class:`~maxcode.errors.TaskError` for faults of the task. ``spec`` is how modules are made.
    """

    rules: ClassVar[str] = ""
    """Description of the rules, if not maxcode's own."""

    samples: Measurement
    """Times of the reference; set by :meth:`prepare`."""

    machine: Machine

    def __init__(self, setting: Setting, task: KernelTask, spec: ModuleSpec) -> None:
        self.task = task
        self._setting = setting
        self._secret = SystemRandom()
        self._spec = spec
        self.trivial: list[str] = []
        """Variants with answers that would pass without any computation."""
        self.remarks: list[str] = []
        """Variants with inputs that cannot be varied."""
        self.tolerance = ""
        """Text of the error allowed for outputs."""
        self.baselines: Baselines | None = None
        self._gpu_name = ""
        self.closed = False
        with ExitStack() as stack:
            self._memory = stack.enter_context(shared_folder(self._largest_file))
            worker = stack.enter_context(self._reference_worker())
            worker.ready()
            self.reference = Reference(worker, task, self._spec)
            self._shared_memory = None
            if setting.gpu:
                self._shared_memory = stack.enter_context(closing(DeviceExchange(self.reference)))
            self._builder = self._extension_builder()
            self._stack = stack.pop_all()

    def close(self) -> None:
        """End all processes."""
        self.closed = True
        self._stack.close()

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Variants of this device, the timed one last."""
        timed, *others = self.task.judging.variants_on(self._setting.device)
        return (*others, timed)

    def audit(self) -> Audit:
        """Weaknesses of the task, found without a candidate."""
        self._learn()
        return Audit((*self.trivial,), (*self.remarks,))

    def prepare(self) -> None:
        """Learn expected outputs and their limits; time the reference."""
        setting = self._worker_setting(CANDIDATE)
        pool = WorkerPool(self._setting.sandbox, setting, self._memory)
        self._pool = self._stack.enter_context(pool)
        self._learn()

    @abstractmethod
    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:
        """Load, check, then time. Raises :class:`KernelFailedError`."""

    @abstractmethod
    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """Check two candidates and time them in turn. Raises :class:`KernelFailedError`."""

    def fuzz(self, program: Program, plan: FuzzPlan, alone: Alone) -> FuzzResult:  # noqa: ARG002
        """Check a candidate on further inputs. Raises :class:`KernelFailedError`."""
        return FuzzResult(why="these rules draw no inputs of their own")

    def profile(self, program: Program, alone: Alone) -> Profile:
        """Where a candidate spends its time. Raises :class:`KernelFailedError`."""
        reference, variant, seed = self.reference, self.variants[-1], self._seeds(1)[0]
        with alone, self._open(program) as candidate:
            candidate.construct(reference.load(variant))
            candidate.pin(self._setting.timing)
            candidate.take(reference.work.make(variant.name, self._seeds(profiling.INPUTS)))
            if self.baselines:
                return profiling.profile(candidate, seed, self.baselines.roof)
            # By KernelBench's rules nothing else needs it.
            reference.work.run(variant.name, [seed] * profiling.INPUTS)
            return profiling.profile(candidate, seed, reference.roofline(variant))

    @property
    def kinds(self) -> str:
        """Number of kinds of inputs, in words."""
        return f"{counted(len(self.variants), 'kind')} of inputs"

    def note(self) -> str:
        """Text about the reference's measurement."""
        device = f"on the CPU, {self.task.judging.threads} thread(s)"
        if self._gpu_name:
            device = f"on {self._gpu_name} ({_UNTRIED})"
        parts = [self.rules] if self.rules else []
        parts += [
            self.kinds,
            "isolated" if self._setting.sandbox.isolated else "limited, not isolated",
            device,
        ]
        note = "; ".join(filter(None, [", ".join(parts), self.tolerance]))
        if self.baselines:
            note += f"; {self.baselines.describe_reference(self.samples.median)}"
        if self.remarks:
            note += f"; not varied: {'; '.join(self.remarks)}"
        if self.trivial:
            note += f"; beware: without any computation one passes ({'; '.join(self.trivial)})"
        return note

    @property
    def _largest_file(self) -> int:
        """Size limit in bytes of a worker's file; on a GPU files hold weights only."""
        return max(_OUTPUT, self.task.judging.memory) if self._setting.gpu else _OUTPUT

    @abstractmethod
    def _learn(self) -> None:
        """Learn expected outputs from the reference, and check it is reliable."""

    @contextmanager
    def _open(self, program: Program, judging: KernelJudging | None = None) -> Iterator[Candidate]:
        """A candidate's process with the program loaded. Raises TaskError if the GPU fails."""
        self._setting.deadline.check()
        try:
            with self._pool.take() as worker:
                yield self._load(worker, program, judging or self.task.judging)
        except DeviceMemoryError as error:  # there was enough before the candidate came
            self._probe()
            if program.digest == self.task.baseline.digest:
                raise  # no hog: what the driver says is of more use
            raise KernelFailedError(Status.OUT_OF_MEMORY, _HOG) from error
        except KernelFailedError:
            if self._shared_memory:
                self._probe()
            raise

    def _probe(self) -> None:
        """Wait until the GPU works, whose memory is not free at once, else raise TaskError."""
        until = monotonic() + _RECOVERY
        while True:
            try:
                return self.reference.work.probe()
            except DeviceMemoryError:
                if monotonic() > until:
                    raise
            sleep(0.05)

    def _load(self, worker: Worker, program: Program, judging: KernelJudging) -> Candidate:
        timeout, setting = judging.build_timeout, self._setting
        extensions = Extensions(self._builder, worker, timeout, setting.others, setting.deadline)
        file = self.reference.worker.outputs
        device = self._shared_memory
        candidate = Candidate(worker, file, judging.timeout, self._spec, extensions, device)
        candidate.load(program, judging.timeout + timeout)
        return candidate

    def _seeds(self, count: int) -> list[int]:
        return [self._secret.getrandbits(31) for _ in range(count)]

    def _worker_setting(self, module: str) -> WorkerSetting:
        judging = self.task.judging
        return WorkerSetting(
            module,
            gpu=self._setting.gpu,
            threads=judging.threads,
            memory=judging.memory,
            output=self._largest_file,
            processors=self._setting.others,
            read=tuple(path for path in (_HEADERS,) if path.is_dir()),
        )

    def _reference_worker(self) -> Worker:
        setting = replace(
            self._worker_setting(REFERENCE),
            read=(Path(extension_inspect.__file__),),
            processors=self._setting.timing,
            memory=2 * self.task.judging.memory,
        )
        folder = self._setting.folder / "reference"
        return Worker(self._setting.sandbox, setting, folder, self._memory)

    def _extension_builder(self) -> ExtensionBuilder:
        found = self.reference.work.describe(extension_inspect.__file__)
        facts = TorchFacts.parse(found.facts)
        self._gpu_name = str(found.gpu.get("name", ""))
        languages = installed_languages() if self._setting.gpu else ()
        if self._setting.gpu and not self._gpu_name:
            raise ToolError(
                f"{self._setting.gpu.device} is there, but torch cannot use it: "
                f'{found.why_not}; set device = "cpu" in task.toml to judge on the CPU'
            )
        if archs := named_archs(os.environ.get("TORCH_CUDA_ARCH_LIST", "")):
            facts = replace(facts, archs=archs)
        elif found.gpu:
            capability = f"{found.gpu['major']}.{found.gpu['minor']}"
            facts = replace(facts, archs=(own_arch(capability),))
        self.machine = Machine(self._setting.timing, found.gpu, facts, languages)
        if not self._gpu_name:  # not linked, for it cannot run
            facts = replace(facts, cuda="")
        folder = self._setting.folder / "extensions"
        return ExtensionBuilder(self._setting.sandbox, folder, self._setting.cache, facts)
