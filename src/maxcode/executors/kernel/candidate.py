"""Candidate: an untrusted program in its worker, and the extensions built for it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any

from maxcode.errors import ExecutorError, InputError
from maxcode.evaluation import Status
from maxcode.executors.kernel import languages
from maxcode.executors.kernel.device import DeviceExchange
from maxcode.executors.kernel.exchange import SharedFile
from maxcode.executors.kernel.feeder import Fed, Feeder, FeederError
from maxcode.executors.kernel.reference import (
    Answers,
    Inputs,
    ModuleSpec,
    Outputs,
    Reply,
)
from maxcode.executors.kernel.resources import needs
from maxcode.executors.kernel.workers import (
    Worker,
    WorkerError,
    WorkerProtocolError,
    WorkerTimeoutError,
)
from maxcode.program import Program
from maxcode.sandbox.base import Deadline
from maxcode.tasks.kernel import KernelTask
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_facts import KernelResources
from maxcode.toolchain.extension_sources import InlineSources

_MAX_EXTENSIONS = 16  # of one candidate
_MAX_SECONDS = 1e6  # that a claim may be
_MAX_MESSAGE = 4000  # characters of what a candidate says of itself
_BUILDING = ("load", "construct", "run")
_TOO_LATE = (
    "it asks for an extension to be built while it is timed; call load_inline when the module is "
    "loaded or constructed"
)
_STAGES = {"construct": "ModelNew(...): ", "renew": "load_state_dict(...): ", "run": "forward: "}
_STAGES |= {"timed": "forward, while it was timed: "}
_MEMORY = ("out of memory", "can't allocate memory", "std::bad_alloc")
_NO_STATE: Mapping[str, Reply] = MappingProxyType({})
_SUSPICIOUS = "its process says what ours would not"


class KernelFailedError(Exception):
    """A candidate's own failure: its status and the feedback for a generator.

    ``kind`` is the class of the exception the candidate reports, if any.
    """

    def __init__(self, status: Status, feedback: str, kind: str = "") -> None:
        super().__init__(feedback)
        self.status = status
        self.feedback = feedback
        self.kind = kind


class Extensions:
    """Builds extensions for one candidate, and keeps the first build error.

    ``timeout`` in seconds, for each build; twice as much for all. ``processors`` are the processors
    to build on (empty: any). Builds and all other requests to the candidate end by ``deadline``.
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
        self.resources: list[KernelResources] = []
        """Device resources of all compiled kernels."""
        self.begin()

    def begin(self) -> None:
        """Forget the last build error."""
        self._errors = ""  # of the first build that failed since then
        self._status = Status.BUILD_ERROR  # of a candidate that fails for it

    def build(self, arguments: Any) -> dict[str, Any]:
        """Answer a candidate's build request: the path of its library, or the errors."""
        try:
            sources = InlineSources.parse(arguments if isinstance(arguments, dict) else {})
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
            if built.timed_out and not self._errors:
                self._status = Status.TIMEOUT
            elif built.compiled_only and not self._errors:  # it cannot run here, right or wrong
                self._status = Status.RUNTIME_ERROR
            return self._failed("; ".join(filter(None, (built.errors, *needs(built.resources)))))
        place = self._worker.folder / f"{number}" / built.library.name
        place.parent.mkdir()
        place.parent.chmod(0o755)
        shutil.copyfile(built.library, place)
        place.chmod(0o755)
        return {"library": str(place)}

    def _failed(self, errors: str) -> dict[str, Any]:
        self._errors = self._errors or errors
        return {"errors": errors[:20_000]}

    def explained(self, failed: KernelFailedError) -> KernelFailedError:
        """The failure; with the compiler's message if a failed build caused it."""
        if not self._errors or failed.status is Status.OUT_OF_MEMORY:
            return failed
        return KernelFailedError(self._status, self._errors, failed.kind)


class Candidate:
    """A candidate in its worker, whose answers are all checked.

    ``shared`` is the file the reference writes, ``device`` the memory shared on a GPU. Raises
    :class:`KernelFailedError` for a candidate's faults, and all errors of :meth:`Worker.ask`.
    """

    def __init__(
        self,
        worker: Worker,
        shared: SharedFile,
        task: KernelTask,
        spec: ModuleSpec,
        extensions: Extensions,
        device: DeviceExchange | None = None,
    ) -> None:
        self.worker = worker
        self._shared = shared
        self._device = device
        self._timeout = task.judging.timeout
        self._spec = spec
        self._extensions = extensions
        self._feeder = Feeder(worker, shared, device)
        self._inputs = Inputs((), 0)
        self.took_weights = False
        """Whether it reports having all of the reference's weights."""
        self.may_build = True
        """Whether extensions may be built for it; not while it is timed."""

    @property
    def resources(self) -> Sequence[KernelResources]:
        """Resources of its CUDA kernels, as reported by the compiler."""
        return self._extensions.resources

    def load(self, program: Program, timeout: float) -> None:
        """Run its module."""
        answer = self._ask(
            "load",
            timeout,
            files=dict(program.files),
            entry=program.entry,
            full_precision=not self._spec.kernelbench,
        )
        if answer.get("missing"):
            problem = f"{program.entry} defines no class ModelNew"
            raise KernelFailedError(Status.BUILD_ERROR, problem)

    def construct(self, loaded: Reply) -> None:
        """Make the module of a variant from the reply of the reference's ``load``."""
        wanted = "init", "given", "names", "marks", "weights", "differentiated", "steps"
        parts = {key: loaded[key] for key in wanted}
        whole = asdict(self._spec) | parts
        answer = self._ask("construct", self._timeout, loaded["bytes"], **whole)
        self.took_weights = answer.get("fits") is True

    def renew(self, renewed: Reply) -> None:
        """Load other weights into its module, from the reply of the reference's ``renew``."""
        parts = {key: renewed[key] for key in ("names", "weights")}
        self._ask("renew", self._timeout, renewed["bytes"], **parts)

    def pin(self, processors: tuple[int, ...]) -> None:
        """Move it to these processors."""
        try:
            self.worker.running.pin(processors)
        except ExecutorError as error:
            raise KernelFailedError(Status.SUSPECT, str(error)) from error
        self._feeder.processors = processors

    @property
    def processors(self) -> tuple[int, ...]:
        """Processors it was moved to."""
        return self._feeder.processors

    def take(self, inputs: Inputs) -> None:
        """Set the inputs of its next calls, the latest the reference made; it sees none yet."""
        self._inputs = inputs

    def run(
        self,
        seeds: Sequence[int],
        outputs: Outputs,
        *,
        watch: bool,
        timeout: float | None = None,
        state: Mapping[str, Reply] = _NO_STATE,
    ) -> Fed:
        """Feed it the inputs, call by call, each with its seed.

        Its outputs are read from the addresses it reports, at the end of each call. ``watch``
        detects changes to its inputs. ``state`` describes, by name, the module's tensors to fetch
        after the last call. ``timeout`` in seconds, for all calls; by default the task's for each.
        Requests look alike whether it is checked or timed.
        """
        calls = len(seeds)
        about: dict[str, Any] = {"state": dict(state), "step": self._inputs.step}
        timeout = timeout or calls * self._timeout
        try:
            if self._device:
                self._device.fit(self._inputs, outputs)
                self._device.hand(self.worker, partial(self._ask, "share", self._timeout))
            answer, fed = self._feeder.feed(
                lambda begin: self._ask("run", timeout, watch=True, **about, **begin),
                lambda: self._settled("run", timeout, self.worker.answer),
                self._inputs,
                outputs,
                seeds=seeds,
                watch=watch,
                state=tuple(state.values()),
            )
        except FeederError as error:
            raise KernelFailedError(Status.SUSPECT, f"its calls cannot be made: {error}") from error
        for one in answer["returned"] if isinstance(answer.get("returned"), list) else ():
            _check_structure(one, outputs)
        if fed.changed:
            or_those = ", or the gradients of outputs that it is given" * self._spec.backward
            raise KernelFailedError(Status.WRONG_ANSWER, f"it changes its inputs{or_those}")
        found = {"shared": fed.shared, "input": fed.input, "stale": fed.stale}
        for name in filter(found.get, found):
            raise KernelFailedError(Status.WRONG_ANSWER, f"an output {_FAULTS[name]}")
        again = answer.get("again")
        for number, one in enumerate(outputs.tensors):
            if isinstance(again, list) and number in again:
                raise KernelFailedError(Status.WRONG_ANSWER, f"{one['name']} {_FAULTS['again']}")
        if fed.failed or len(fed.windows) < calls:
            raise KernelFailedError(Status.SUSPECT, _SUSPICIOUS)
        if fed.stateless:
            raise KernelFailedError(
                Status.WRONG_ANSWER,
                f"calls change what the module keeps ({', '.join(list(state)[:3])}), and ModelNew "
                "has no parameters or buffers of these names, types and shapes",
            )
        return fed

    def timed(self, rounds: Sequence[int], timeout: float) -> list[float]:
        """Milliseconds it claims for unchecked calls on its inputs.

        ``rounds`` as in ``worker/forward.py``; ``timeout`` in seconds, for all.
        """
        self._give()
        answer = self._ask("timed", timeout, rounds=list(rounds))
        return _numbers(answer.get("milliseconds"), rounds[-1])

    def profile(self, seed: int, calls: int) -> Reply:
        """Unchecked profile it reports for calls on its inputs."""
        self._give()
        return self._ask("profile", 60 + 2 * calls * self._timeout, seed=seed)

    def answers(self, outputs: Outputs, calls: Sequence[int]) -> Answers:
        """Outputs of these calls, as they were when it reported them done.

        On a GPU, outputs of all calls.
        """
        if self._device:
            made = range(len(self._inputs.described))
            return Answers(dict.fromkeys(made, b""), self._device.keep())
        return Answers({n: self._feeder.read(outputs.slot, n * outputs.slot) for n in calls})

    def left(self, outputs: Outputs, calls: int, state: Mapping[str, Reply]) -> bytes:
        """State of its module after this number of calls, as bytes."""
        size = Outputs({}, tuple(state.values())).slot
        return self._feeder.read(size, 0 if self._device else calls * outputs.slot)

    def _give(self) -> None:
        """Send it the inputs through a pipe, for calls it times or profiles itself."""
        described = list(self._inputs.described)
        if self._device:
            self._device.fit(self._inputs, Outputs({}, ()))
            self._device.hand(self.worker, partial(self._ask, "share", self._timeout))
            for call, one in enumerate(described):
                self._device.place(call)
                self._ask("take", self._timeout, inputs=[one], more=call > 0)
            return
        self._ask("take", self._timeout, self._inputs.size, inputs=described)

    def _ask(self, what: str, timeout: float, size: int = 0, **more: Any) -> Reply:
        """Send a request with ``size`` bytes of the reference's file."""
        self._extensions.begin()
        request = {"do": what, "device": self._spec.device, **self.worker.places, **more}
        ask = partial(self.worker.ask, request, payload=self._shared, size=size)
        return self._settled(what, timeout, ask)

    def _settled(
        self, what: str, timeout: float, answered: Callable[[float], dict[str, Any]]
    ) -> Reply:
        """Wait for the answer to a request, and build the extensions it asks for meanwhile."""
        within = self._extensions.deadline.within
        try:
            answer = answered(within(timeout))
            while "build" in answer:
                if what not in _BUILDING or not self.may_build:
                    raise KernelFailedError(Status.RUNTIME_ERROR, _TOO_LATE)
                built = self._extensions.build(answer["build"])
                answer = self.worker.ask(built, within(timeout))
        except WorkerError as error:
            statuses = {WorkerTimeoutError: Status.TIMEOUT, WorkerProtocolError: Status.SUSPECT}
            status = statuses.get(type(error), Status.RUNTIME_ERROR)
            if error.completed.out_of_memory:
                status = Status.OUT_OF_MEMORY
            raise KernelFailedError(status, str(error)) from error
        raised = answer.get("raised") or answer.get("error")
        if raised is not None:
            failed = _exception_failure(what, raised, self._spec.device)
            raise self._extensions.explained(failed)
        return answer


def _exception_failure(what: str, raised: Any, device: str) -> KernelFailedError:
    """Failure for an exception in a candidate, as reported by it."""
    raised = raised if isinstance(raised, dict) else {}
    kind = str(raised.get("kind", "Exception"))[:200]
    message = str(raised.get("message", ""))[:_MAX_MESSAGE]
    place = str(raised.get("place", ""))[:200]
    text = f"{_STAGES.get(what, '')}{kind}: {message}" + (f" ({place})" if place else "")
    if missing := languages.explained(message, device):
        text += f"; {missing}"
    status = Status.RUNTIME_ERROR
    if kind in ("MemoryError", "OutOfMemoryError") or any(one in message for one in _MEMORY):
        status = Status.OUT_OF_MEMORY
    elif what == "load" and kind in ("SyntaxError", "IndentationError", "TabError"):
        status = Status.BUILD_ERROR
    return KernelFailedError(status, text, kind)


def _numbers(values: Any, wanted: int) -> list[float]:
    """Check the number and range of times. Raises :class:`KernelFailedError` for invalid ones."""
    values = values if isinstance(values, list) else []
    plausible = (isinstance(one, int | float) and 0 <= one < _MAX_SECONDS for one in values)
    if len(values) != wanted or not all(plausible):
        raise KernelFailedError(Status.SUSPECT, _SUSPICIOUS)
    return [float(one) for one in values]


def _structure(tree: Any) -> str:
    """Normalized structure, in which lists equal tuples."""
    return json.dumps(tree).replace('"list"', '"tuple"')


def _check_structure(returned: Any, outputs: Outputs) -> None:
    """Raise unless a call returned tensors of the right types and shapes, in the right places."""
    returned = returned if isinstance(returned, dict) else {}
    tensors = returned.get("tensors")
    same = _structure(returned.get("tree")) == _structure(outputs.tree)
    if not same or not isinstance(tensors, list):
        raise KernelFailedError(
            Status.WRONG_ANSWER,
            "forward returns something of another structure than the reference does, which gives "
            f"{len(outputs.tensors)} tensor(s)",
        )
    for wanted, found in zip(outputs.tensors, tensors, strict=False):
        for fact in ("dtype", "shape"):
            got = found.get(fact) if isinstance(found, dict) else None
            if got != wanted[fact]:
                problem = f"{wanted['name']} has {fact} {str(got)[:200]}, not {wanted[fact]}"
                raise KernelFailedError(Status.WRONG_ANSWER, problem)


_FAULTS = {
    "input": "is memory of an input, so that who changes one changes both: return a copy",
    "again": (
        "is memory that an earlier call returned, whose result is overwritten by a later one: "
        "return a new tensor from each call"
    ),
    "shared": (
        "is memory of another output, or of another part of itself, so that who changes one "
        "changes both: return a copy"
    ),
    "stale": (
        "holds what its caller wrote into an earlier result: write all of it in each call, or copy "
        "what is kept"
    ),
}
"""Faults of an output, by their names."""
