"""Reference: a task's own module in a worker, which makes inputs and compares outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from maxcode.errors import TaskError
from maxcode.evaluation import Roofline, Status
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.workers import READY, Worker, WorkerError
from maxcode.tasks.kernel import KernelTask, Variant

if TYPE_CHECKING:
    from maxcode.executors.kernel.worker.reference import ReferenceWork

_ADVICE = "change its inputs, judge in a wider dtype, or set a tolerance"


@dataclass(frozen=True, slots=True)
class Answers:
    """Outputs as bytes, by call; on a GPU the reference's process has them, as ``kept``."""

    calls: Mapping[int, bytes]
    kept: str = ""


class DeviceMemoryError(TaskError):
    """The reference ran out of memory on the GPU."""


class Reference:
    """A task's reference in its worker.

    Raises :class:`~maxcode.errors.TaskError` for faults of the reference.
    """

    def __init__(self, worker: Worker, task: KernelTask, spec: m.ModuleSpec) -> None:
        self.worker = worker
        self.work = cast("ReferenceWork", _Remote(self._ask))
        """Requests that need nothing but the worker."""
        self._task = task
        self._spec = spec
        self._variant = "default"

    def load(self, variant: Variant) -> m.Made:
        """Define a variant; the weights stay in the worker's file until inputs are made."""
        source, self._variant = self._task.reference_of(variant), variant.name
        spec = self._spec
        return self.work.load(m.VariantSource(variant.name, source, variant.distribution, spec))

    def serve(self, variant: Variant, seeds: Sequence[int], slot: int, serving: m.Serving) -> None:
        """Start serving a feeder's calls, of these seeds; results become the expected outputs."""
        self._ask("serve", (variant.name, serving, seeds, slot), READY)

    def attend(self, serving: m.Serving, *, watch: bool) -> None:
        """Serve the calls of another process on the GPU, on the inputs made last."""
        self._ask("attend", (serving, watch), READY)

    def served(self) -> m.Returned:
        """Wait until the feeder's calls are done."""
        returned: m.Returned = self._answered(partial(self.worker.answer, m.Returned))
        return returned

    def check(self, variant: Variant, answers: Answers) -> tuple[str, int]:
        """Fault of a candidate's outputs and the number of its call; "" if none."""
        found = self._compared("check", answers, variant.name, [*answers.calls])
        where = "" if found.kind == m.TASK else f" (on inputs that are varied: {found.kind})"
        return found.problem and f"{found.problem}{where}", found.call

    def close(self, variant: Variant, answers: Answers, tolerance: float) -> str:
        """Distance of a call's outputs unless they are close by ``torch.allclose``."""
        found: str = self._compared("close", answers, variant.name, tolerance)
        return found

    def roofline(self, variant: Variant) -> Roofline:
        """Lower bound of a call's cost on this machine."""
        found: Roofline = self._ask("roofline", (variant.name,), Roofline)
        return found

    def _compared(self, name: str, answers: Answers, *given: Any) -> Any:
        """Answer to a request about a candidate's outputs, which go with it."""
        content = b"".join(answers.calls.values())
        with os.fdopen(os.memfd_create("answers"), "wb") as file:
            file.write(content)
            file.flush()
            kind = m.REFERENCE_ANSWERS[name]
            return self._ask(
                name, (*given, answers.kept), kind, payload=file.fileno(), size=len(content)
            )

    def _ask(self, name: str, given: Sequence[Any], kind: Any, **payload: Any) -> Any:
        return self._answered(partial(self.worker.ask, name, given, kind, **payload))

    @property
    def _where(self) -> str:
        return f"task {self._task.name!r}, variant {self._variant!r}"

    def _answered(self, answer: Callable[[float], Any]) -> Any:
        timeout = 60 + 40 * self._task.judging.timeout
        try:
            reply = answer(timeout)
        except WorkerError as error:
            problem = f"the reference's process is gone: {error}"
            if error.status is Status.TIMEOUT:
                problem = f"the reference took more than {timeout:g} s"
            raise TaskError(f"{self._where}: {problem}") from error
        if isinstance(reply, m.Failure):
            if reply.kind == m.UnreliableError.__name__:
                advice = "" if ";" in reply.message else f"; {_ADVICE}"
                problem = f"the reference cannot be relied on: {reply.message}{advice}"
                raise TaskError(f"{self._where}: {problem}")
            said = f"{reply.kind}: {reply.message}"
            if "File too large" in said or "No space left" in said:
                said += "; its tensors do not fit: add a variant with smaller constants"
            kind = DeviceMemoryError if "CUDA" in said and "out of memory" in said else TaskError
            raise kind(f"{self._where}: the reference fails: {said}\n{reply.trace}")
        return reply


class _Remote:
    """Methods of a worker's ``ReferenceWork``, each asked of it."""

    def __init__(self, ask: Callable[[str, Sequence[Any], Any], Any]) -> None:
        self._ask = ask

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *given: self._ask(name, given, m.REFERENCE_ANSWERS[name])
