"""Candidate: an untrusted program in its worker, and the extensions built for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from maxcode.errors import ExecutorError, InputError
from maxcode.evaluation import KernelUse, Status
from maxcode.executors.kernel.device import DeviceExchange
from maxcode.executors.kernel.feeder import Fed, Feeder, FeederError
from maxcode.executors.kernel.reference import Answers
from maxcode.executors.kernel.resources import needs
from maxcode.executors.kernel.shared_file import SharedFile
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.workers import (
    READY,
    Worker,
    WorkerError,
)
from maxcode.program import Program
from maxcode.sandbox.base import Deadline
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_sources import InlineSources

_MAX_EXTENSIONS = 16  # of one candidate
_MAX_MESSAGE = 4000  # characters of what a candidate says of itself
_STAGES = {
    "construct": "ModelNew(...): ",
    "renew": "load_state_dict(...): ",
    "run": "forward: ",
    "time": "forward, while it was timed: ",
}
_MEMORY = ("out of memory", "can't allocate memory", "std::bad_alloc")
_SUSPICIOUS = "its process says what ours would not"


class KernelFailedError(Exception):
    """A candidate's failure: status, feedback, and the ``kind`` of exception it reports, if any."""

    def __init__(self, status: Status, feedback: str, kind: str = "") -> None:
        super().__init__(feedback)
        self.status = status
        self.feedback = feedback
        self.kind = kind


class Extensions:
    """Builds extensions for one candidate, and keeps the first build error.

    ``timeout`` in seconds, for each build; twice as much for all. ``processors`` to build on
    (empty: any). Builds and all other requests to the candidate end by ``deadline``.
    """

    def __init__(
        self,
        builder: ExtensionBuilder,
        worker: Worker,
        timeout: float,
        processors: tuple[int, ...] = (),
        deadline: Deadline | None = None,
    ) -> None:
        self._builder = builder
        self._worker = worker
        self._timeout = timeout
        self._processors = processors
        self._left = 2 * timeout
        self.deadline = deadline or Deadline()
        self._numbers = count()
        self.resources: list[KernelUse] = []
        """Device resources of all compiled kernels."""
        self.begin()

    def begin(self) -> None:
        """Forget the last build error."""
        self._errors = ""  # of the first build that failed since then
        self._status = Status.OK  # of a candidate that fails for it

    def build(self, asked: m.Build) -> m.Built:
        """Answer a candidate's question: the path of its library, or the errors."""
        try:
            sources = InlineSources.parse(asked.arguments)
        except InputError as error:
            return self._failed(str(error))
        number = next(self._numbers)
        if number >= _MAX_EXTENSIONS or self._left <= 0:
            return self._failed(
                f"its extensions need more than may be built for one candidate: "
                f"{_MAX_EXTENSIONS} of them, within {2 * self._timeout:g} s"
            )
        timeout = self.deadline.within(min(self._timeout, self._left))
        built = self._builder.build(sources, timeout, self._processors)
        self._left -= built.seconds
        self.resources += built.resources
        if built.library is None:
            # What is only compiled cannot run here, right or wrong.
            status = Status.RUNTIME_ERROR if built.compiled_only else Status.BUILD_ERROR
            errors = "; ".join(filter(None, (built.errors, *needs(built.resources))))
            return self._failed(errors, Status.TIMEOUT if built.timed_out else status)
        place = self._worker.folder / f"{number}" / built.library.name
        place.parent.mkdir()
        place.parent.chmod(0o755)
        shutil.copyfile(built.library, place)
        place.chmod(0o755)
        return m.Built(str(place))

    def _failed(self, errors: str, status: Status = Status.BUILD_ERROR) -> m.Built:
        if not self._errors:
            self._errors, self._status = errors, status
        return m.Built(errors=errors[:20_000])

    def explained(self, failed: KernelFailedError) -> KernelFailedError:
        """The failure; with the compiler's message if a failed build caused it."""
        if not self._errors or failed.status is Status.OUT_OF_MEMORY:
            return failed
        return KernelFailedError(self._status, self._errors, failed.kind)


class Candidate:
    """A candidate in its worker, whose answers are all checked.

    ``shared`` is the file the reference writes, ``timeout`` in seconds for each of its calls,
    ``device`` the memory shared on a GPU. Raises :class:`KernelFailedError` for a candidate's
    faults, and all errors of :meth:`Worker.ask`.
    """

    def __init__(
        self,
        worker: Worker,
        shared: SharedFile,
        timeout: float,
        spec: m.ModuleSpec,
        extensions: Extensions,
        device: DeviceExchange | None = None,
    ) -> None:
        self.worker = worker
        self._shared = shared
        self._device = device
        self._timeout = timeout
        self._spec = spec
        self.extensions = extensions
        self._feeder = Feeder(worker, shared, device)
        self._inputs = m.Inputs((), 0)
        self._taken = 0  # the generation of the GPU's memory that it has
        self.processors: tuple[int, ...] = ()
        self.took_weights = False
        """Whether it reports having all of the reference's weights."""

    def load(self, program: Program, timeout: float) -> None:
        """Run its module."""
        full, files = not self._spec.kernelbench, dict(program.files)
        if not self._ask("load", timeout, files, program.entry, full):
            problem = f"{program.entry} defines no class ModelNew"
            raise KernelFailedError(Status.BUILD_ERROR, problem)

    def construct(self, made: m.Made) -> None:
        """Make the module of a variant that the reference loaded."""
        given = self._spec, made
        self.took_weights = self._ask("construct", self._timeout, *given, size=made.size)

    def renew(self, renewed: m.Weights) -> None:
        """Load other weights of the reference's into its module."""
        self._ask("renew", self._timeout, renewed, size=renewed.size)

    def pin(self, processors: tuple[int, ...]) -> None:
        """Move it to these processors."""
        try:
            self.worker.running.pin(processors)
        except ExecutorError as error:
            raise KernelFailedError(Status.SUSPECT, str(error)) from error
        self.processors = self._feeder.processors = processors

    def take(self, inputs: m.Inputs) -> None:
        """Set the inputs of its next calls, the latest the reference made; it sees none yet."""
        self._inputs = inputs

    def run(
        self,
        seeds: Sequence[int],
        outputs: m.Outputs,
        *,
        watch: bool,
        timeout: float | None = None,
    ) -> Fed:
        """Feed it the inputs, call by call, each with its seed.

        ``watch`` detects changes to its inputs. ``timeout`` in seconds, for all calls; by default
        the task's for each. Requests look alike whether it is checked or timed.
        """
        calls = len(seeds)
        within = timeout or calls * self._timeout
        answered = partial(self.worker.answer, m.Returned)

        def begin(serving: m.Serving) -> object:
            return self._ask("run", within, serving, kind=READY)

        try:
            self._share(outputs.slot)
            answer, fed = self._feeder.feed(
                begin,
                lambda: self._settled("run", m.Returned, within, answered),
                self._inputs,
                outputs,
                seeds=seeds,
                watch=watch,
            )
        except FeederError as error:
            raise KernelFailedError(Status.SUSPECT, f"its calls cannot be made: {error}") from error
        if answer.returned:
            _check_structure(answer.returned, outputs)
        for fault in filter(fed.faults.__contains__, _FAULTS):
            raise KernelFailedError(Status.WRONG_ANSWER, _FAULTS[fault])
        for number, one in enumerate(outputs.tensors):
            if number in answer.again:
                raise KernelFailedError(Status.WRONG_ANSWER, f"{one.name} {_AGAIN}")
        if "failed" in fed.faults or len(fed.windows) < calls:
            raise KernelFailedError(Status.SUSPECT, _SUSPICIOUS)
        return fed

    def timed(self, rounds: Sequence[int], timeout: float) -> Sequence[float]:
        """Milliseconds it claims for unchecked calls, ``rounds`` as in ``worker/forward.py``."""
        self._give()
        times: Sequence[float] = self._ask("time", timeout, rounds)
        if len(times) != rounds[-1] or min(times) < 0:
            raise KernelFailedError(Status.SUSPECT, _SUSPICIOUS)
        return times

    def profile(self, seed: int) -> m.Profiled:
        """Profile it reports for calls on its inputs."""
        self._give()
        timeout = 60 + 2 * len(self._inputs.described) * self._timeout
        profiled: m.Profiled = self._ask("profile", timeout, seed)
        return profiled

    def answers(self, outputs: m.Outputs, calls: Sequence[int]) -> Answers:
        """Outputs of these calls, on a GPU of all, as they were when it reported them done."""
        if self._device:
            made = range(len(self._inputs.described))
            return Answers(dict.fromkeys(made, b""), self._device.keep())
        return Answers({n: self._feeder.read(outputs.slot, n * outputs.slot) for n in calls})

    def _share(self, slot: int) -> None:
        """On a GPU, share memory for the inputs and outputs of a call."""
        if self._device:
            self._device.fit(self._inputs, slot)
            if self._taken != self._device.generation:
                self._ask("take_memory", self._timeout, self._device.hand(self.worker))
                self._taken = self._device.generation

    def _give(self) -> None:
        """Send it the inputs through a pipe, for calls it times or profiles itself."""
        self._share(0)
        described = self._inputs.described
        if self._device:
            for call, one in enumerate(described):
                self._device.place(call)
                self._ask("take", self._timeout, [one], call > 0)
            return
        size = self._inputs.size
        self._ask("take", self._timeout, described, False, size=size)

    def _ask(self, name: str, timeout: float, *given: Any, size: int = 0, kind: Any = None) -> Any:
        """Answer to a request, of its method's type or ``kind``, with bytes of the shared file."""
        self.extensions.begin()
        kind = kind or m.CANDIDATE_ANSWERS[name]
        ask = partial(self.worker.ask, name, given, kind, payload=self._shared.fileno(), size=size)
        return self._settled(name, kind, timeout, ask)

    def _settled(
        self, asked: str, kind: Any, timeout: float, answered: Callable[[float], Any]
    ) -> Any:
        """Wait for the answer to a request, and build the extensions it asks for meanwhile."""
        within = self.extensions.deadline.within
        try:
            answer = answered(within(timeout))
            while isinstance(answer, m.Build):
                built = self.extensions.build(answer)
                answer = self.worker.ask("built", (built,), kind, within(timeout))
        except WorkerError as error:
            raise KernelFailedError(error.status, str(error)) from error
        if isinstance(answer, m.Failure):
            raise self.extensions.explained(_failure(asked, answer))
        return answer


def _failure(asked: str, raised: m.Failure) -> KernelFailedError:
    """Failure for an exception in a candidate, as reported by it."""
    kind, message, place = raised.kind[:200], raised.message[:_MAX_MESSAGE], raised.place[:200]
    text = f"{_STAGES.get(asked, '')}{kind}: {message}" + (f" ({place})" if place else "")
    status = Status.RUNTIME_ERROR
    if kind in ("MemoryError", "OutOfMemoryError") or any(one in message for one in _MEMORY):
        status = Status.OUT_OF_MEMORY
    elif asked == "load" and kind in ("SyntaxError", "IndentationError", "TabError"):
        status = Status.BUILD_ERROR
    return KernelFailedError(status, text, kind)


def _check_structure(returned: m.Arguments, outputs: m.Outputs) -> None:
    """Raise unless a call returned tensors of the right types and shapes, in the right places."""
    if m.alike(returned.tree) != m.alike(outputs.tree):
        raise KernelFailedError(
            Status.WRONG_ANSWER,
            "forward returns something of another structure than the reference does, which gives "
            f"{len(outputs.tensors)} tensor(s)",
        )
    for wanted, found in zip(outputs.tensors, returned.tensors, strict=False):
        if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
            got = f"dtype {found.dtype} and shape {[*found.shape]}"[:200]
            problem = f"{wanted.name} has {got}, not {wanted.dtype} and {[*wanted.shape]}"
            raise KernelFailedError(Status.WRONG_ANSWER, problem)


_FAULTS = {
    "changed": "it changes its inputs, or the gradients of outputs that it is given",
    "shared": (
        "an output is memory of another output, so that who changes one changes both: return a copy"
    ),
    "input": (
        "an output is memory of an input, so that who changes one changes both: return a copy"
    ),
    "stale": (
        "an output holds what its caller wrote into an earlier result: write all of it in each "
        "call, or copy what is kept"
    ),
}
"""Messages by faults of a feeder's calls."""
_AGAIN = (
    "is memory that an earlier call returned, whose result is overwritten by a later one: return a "
    "new tensor from each call"
)
