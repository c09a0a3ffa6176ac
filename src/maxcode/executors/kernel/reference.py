"""Reference: a task's own module in a worker, which makes inputs and compares outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from maxcode.errors import TaskError
from maxcode.evaluation import Roofline
from maxcode.executors.kernel.exchange import SharedFile
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.workers import Worker, WorkerDiedError, WorkerTimeoutError
from maxcode.tasks.kernel import KernelTask, Variant

_ADVICE = "change its inputs, judge in a wider dtype, or set a tolerance"

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Answers:
    """Outputs as bytes, by call.

    On a GPU the reference's process has all of them, under the name ``kept``.
    """

    calls: Mapping[int, bytes]
    kept: str = ""


class DeviceMemoryError(TaskError):
    """The reference ran out of memory on the GPU."""


class Reference:
    """A task's reference in its worker; ``answers`` is the file for candidates' outputs.

    Raises :class:`~maxcode.errors.TaskError` for faults of the reference.
    """

    def __init__(
        self, worker: Worker, answers: SharedFile, task: KernelTask, spec: m.ModuleSpec
    ) -> None:
        self.worker = worker
        self._answers = answers
        self._task = task
        self._spec = spec
        self._variant = "default"

    def load(self, variant: Variant) -> m.Made:
        """Define a variant; the weights stay in the worker's file until inputs are made."""
        source = self._task.reference_of(variant)
        return self._ask(m.LoadVariant(variant.name, source, variant.distribution, self._spec))

    def renew(self, variant: Variant, seed: int | None) -> m.Weights:
        """Change some parameters in place by a seed; without a seed, restore them.

        The weights are in the file as after :meth:`load`.
        """
        return self._ask(m.RenewVariant(variant.name, seed))

    def make(
        self, variant: Variant, seeds: Sequence[int], kinds: Sequence[str] | None = None
    ) -> m.Inputs:
        """Fresh inputs in the worker's file.

        ``kinds`` are "task", or kinds found by :meth:`learn`. By default most are the task's, and
        some of a random kind.
        """
        chosen = None if kinds is None else tuple(kinds)
        return self._ask(m.Make(variant.name, tuple(seeds), chosen))

    def run(self, variant: Variant, seeds: Sequence[int]) -> m.Called:
        """Call on each of the inputs, with these seeds."""
        return self._ask(m.Call(variant.name, tuple(seeds)))

    def serve(self, variant: Variant, seeds: Sequence[int], slot: int, serving: m.Serving) -> None:
        """Start serving a feeder's calls.

        Results of these calls become the expected outputs. ``seeds`` are the feeder's.
        """
        self._ask(m.Serve(variant.name, serving, tuple(seeds), slot))

    def served(self) -> m.Returned:
        """Wait until the feeder's calls are done."""
        return self._answered(partial(self.worker.answer, m.Returned))

    def state(self, variant: Variant) -> Mapping[str, m.Fact]:
        """Tensors of the module changed by calls since the variant was loaded, by name.

        :meth:`check_state` compares a candidate's with them.
        """
        return self._ask(m.GetState(variant.name)).state

    def check_state(self, variant: Variant, content: bytes) -> str:
        """Fault of a candidate's state, as bytes; "" if none."""
        self._write([content])
        return self._ask(m.CheckState(variant.name)).problem

    def learn(
        self, variant: Variant, seeds: Sequence[int], tolerance: float | None
    ) -> m.LearnedKinds:
        """Learn limits of errors, and the kinds of inputs on which outputs can be judged.

        ``tolerance`` is the task's own. Needs at least two seeds.
        """
        report = self._ask(m.Learn(variant.name, tuple(seeds), tolerance))
        if report.learned is None:
            raise TaskError(
                f"{self._where}: the reference cannot be relied on: {report.problem}; "
                f"{report.advice or _ADVICE}"
            )
        return report.learned

    def check(self, variant: Variant, answers: Answers) -> tuple[str, int]:
        """Fault of a candidate's outputs and the number of its call; "" if none.

        Limits were learned before.
        """
        kept = self._given(answers)
        found = self._ask(m.Check(variant.name, tuple(answers.calls), kept))
        where = "" if found.kind == m.TASK else f" (on inputs that are varied: {found.kind})"
        return found.problem and f"{found.problem}{where}", found.call

    def share(self, sizes: Sequence[int]) -> m.Shared:
        """Allocate shared memory of the GPU, of at least these bytes."""
        return self._ask(m.MakeMemory(tuple(sizes)))

    def attend(self, serving: m.Serving, *, watch: bool) -> None:
        """Serve the calls of another process on the GPU, on the inputs made last."""
        self._ask(m.Attend(serving, watch))

    def sizes(self, variant: Variant) -> m.TensorBytes:
        """Memory of a call, computed without allocating it."""
        source = self._task.reference_of(variant)
        self._variant = variant.name
        return self._ask(m.GetSizes(source, self._spec.dtype, self._spec.backward))

    def device_memory(self) -> int:
        """Bytes of the GPU's memory, in use or not; 0 if torch cannot use it."""
        return self._ask(m.GetDeviceMemory()).numbers[0]

    def probe(self) -> None:
        """Check the GPU works."""
        self._ask(m.Probe())

    def place(self, call: int) -> None:
        """Copy the inputs of a call to the shared memory on the GPU."""
        self._ask(m.Place(call))

    def keep(self, name: str) -> None:
        """Keep the last outputs fetched from the GPU under a name, until checked."""
        self._ask(m.Keep(name))

    def roofline(self, variant: Variant) -> Roofline:
        """Lower bound of a call's cost on this machine."""
        return Roofline(**asdict(self._ask(m.GetRoofline(variant.name))))

    def audit(self, variant: Variant, tolerance: float | None = None) -> Sequence[str]:
        """Answers without any computation that would pass for the latest calls.

        ``tolerance`` is KernelBench's; by default the learned limits apply.
        """
        return self._ask(m.FindTrivial(variant.name, tolerance)).names

    def describe(self, script: Path) -> m.Described:
        """Torch's facts needed to build extensions, and the GPU, if any."""
        return self._ask(m.Describe(str(script)))

    def trial_seeds(self, seed: int, count: int) -> Sequence[int]:
        """Seeds of inputs for KernelBench's trials, drawn from ``seed``."""
        return self._ask(m.DrawTrialSeeds(seed, count)).numbers

    def drew(self, variant: Variant, seed: int) -> bool:
        """Whether the call just made drew random numbers."""
        return self._ask(m.AskDrew(variant.name, seed)).holds

    def close(self, variant: Variant, answers: Answers, tolerance: float) -> m.Closeness:
        """Whether the outputs of a call are close by ``torch.allclose``."""
        return self._ask(m.CheckCloseness(variant.name, tolerance, self._given(answers)))

    def timed(self, variant: Variant, rounds: Sequence[int]) -> Sequence[float]:
        """Milliseconds of calls on the latest inputs, measured as in KernelBench."""
        return self._ask(m.TimeCalls(tuple(rounds), variant.name)).milliseconds

    def _given(self, answers: Answers) -> str:
        """Name under which the worker has a candidate's outputs, "" if they are in its file."""
        if not answers.kept:
            self._write([*answers.calls.values()])
        return answers.kept

    def _write(self, answers: Sequence[bytes]) -> None:
        content = b"".join(answers)
        self._answers.resize(len(content))
        self._answers.write(content)

    def _ask(self, request: m.Request[A]) -> A:
        self._variant = getattr(request, "variant", self._variant)
        return self._answered(partial(self.worker.ask, request))

    @property
    def _where(self) -> str:
        return f"task {self._task.name!r}, variant {self._variant!r}"

    def _answered(self, answer: Callable[[float], A | m.Build | m.Failure]) -> A:
        timeout = 60 + 40 * self._task.judging.timeout
        try:
            reply = answer(timeout)
        except WorkerTimeoutError as error:
            problem = f"the reference took more than {timeout:g} s"
            raise TaskError(f"{self._where}: {problem}") from error
        except WorkerDiedError as error:
            raise TaskError(f"{self._where}: the reference's process is gone: {error}") from error
        if isinstance(reply, m.Build):
            raise TaskError(f"{self._where}: the reference asks for an extension to be built")
        if isinstance(reply, m.Failure):
            said = f"{reply.kind}: {reply.message}"
            if "File too large" in said or "No space left" in said:
                said += "; its tensors take more room than is given to them, make it smaller"
            kind = DeviceMemoryError if "CUDA" in said and "out of memory" in said else TaskError
            raise kind(f"{self._where}: the reference fails: {said}\n{reply.trace}")
        return reply
