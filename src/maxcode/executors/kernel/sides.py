"""The two sides of judging a kernel, as the parent sees them: a reference and a candidate."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from maxcode.errors import TaskError
from maxcode.evaluation import Roofline, Status
from maxcode.executors.kernel.exchange import SharedFile
from maxcode.executors.kernel.extensions import Extensions
from maxcode.executors.kernel.workers import (
    Worker,
    WorkerBabbleError,
    WorkerDiedError,
    WorkerError,
    WorkerSilentError,
)
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.toolchain.extension_resources import KernelResources

ALIGNMENT = 64
"""Bytes; tensors begin at multiples of it, as in worker/tensors.py."""

_WIDTHS = {"float64": 8, "int64": 8, "complex64": 8, "float32": 4, "int32": 4, "float16": 2}
_WIDTHS |= {"bfloat16": 2, "int16": 2, "uint8": 1, "int8": 1, "bool": 1, "complex128": 16}

Told = Mapping[str, Any]


class KernelFailedError(Exception):
    """A candidate's own failure: how it ended, and what a generator may read of it.

    ``kind`` is the class of the exception that it says it raised, if it is one.
    """

    def __init__(self, status: Status, feedback: str, kind: str = "") -> None:
        super().__init__(feedback)
        self.status = status
        self.feedback = feedback
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Place:
    """Where a module is judged: "cpu" or "cuda", the seed of what constructors draw, and how.

    ``dtype`` is cast to; ``train`` is the mode, None being what the constructor left;
    ``kernelbench`` casts as that benchmark does, copies no weights, and makes modules anew each
    time.
    """

    device: str
    seed: int
    dtype: str = ""
    train: bool | None = False
    kernelbench: bool = False


@dataclass(frozen=True, slots=True)
class Inputs:
    """Inputs of several calls, as a candidate is told of them; ``held`` bytes in all."""

    told: Sequence[Told]
    held: int


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a call returns: its structure, and type and shape of each tensor."""

    tree: Told
    tensors: Sequence[Told]

    @property
    def sizes(self) -> list[int]:
        """Bytes of each tensor in a file, with the gap to the next."""
        held = [_WIDTHS.get(one["dtype"], 16) * math.prod(one["shape"]) for one in self.tensors]
        return [-(-size // ALIGNMENT) * ALIGNMENT for size in held]

    @property
    def slot(self) -> int:
        """Bytes of all."""
        return sum(self.sizes)

    def place(self, spot: Spot) -> tuple[int, int]:
        """The bytes of an element: where they begin in the slot of its call, and how many."""
        width = _WIDTHS.get(self.tensors[spot.tensor]["dtype"], 16)
        return sum(self.sizes[: spot.tensor]) + spot.element * width, width


@dataclass(frozen=True, slots=True)
class Spot:
    """One element of what a call returns: the numbers of the call, the tensor, and the element."""

    call: int
    tensor: int
    element: int


NO_SPOTS: Mapping[Spot, bytes] = MappingProxyType({})


class ReferenceSide:
    """A reference in its worker. ``answers`` is where bytes of candidates are put for it to see.

    Raises :class:`~maxcode.errors.TaskError` for what is wrong with the reference.
    """

    def __init__(self, worker: Worker, answers: SharedFile, task: KernelTask, place: Place) -> None:
        self.worker = worker
        self._answers = answers
        self._task = task
        self._place = place

    def load(self, variant: Variant) -> Told:
        """Define a variant; what a candidate has to be told to construct its own.

        The weights are in the shared file from then on, until inputs are made.
        """
        return self._ask(
            "load",
            variant,
            source=self._task.reference_of(variant),
            distribution=variant.distribution,
            **asdict(self._place),
        )

    def make(self, variant: Variant, seeds: Sequence[int]) -> Inputs:
        """Fresh inputs in the shared file."""
        told = self._ask("make", variant, seeds=list(seeds))
        return Inputs(told["inputs"], told["bytes"])

    def run(self, variant: Variant, seed: int, slot: int) -> tuple[list[float], Outputs]:
        """Call for each of the inputs: seconds of each, and what calls return."""
        told = self._ask("run", variant, seed=seed, slot=slot)
        return told["seconds"], Outputs(told["tree"], told["tensors"])

    def own_errors(self, variant: Variant, seed: int) -> list[float] | None:
        """How far each output is off by itself; None where double precision is not to be had."""
        errors: list[float] | None = self._ask("own_errors", variant, seed=seed)["errors"]
        return errors

    def check(
        self,
        variant: Variant,
        answers: Mapping[int, bytes],
        tolerance: Sequence[float],
        spots: Mapping[Spot, bytes] = NO_SPOTS,
    ) -> tuple[str, int]:
        """What is wrong with the bytes that calls wrote: nothing, or a text and the call.

        ``tolerance`` is that of each output, ``spots`` hold single elements of other calls.
        """
        content = b"".join([*answers.values(), *spots.values()])
        self._answers.resize(len(content))
        self._answers.write(content)
        told = self._ask(
            "check",
            variant,
            calls=list(answers),
            spots=[astuple(spot) for spot in spots],
            tolerance=list(tolerance),
        )
        return told["problem"], told.get("call", 0)

    def lightest(self, variant: Variant) -> float:
        """Seconds in which a call's inputs and outputs can be copied."""
        seconds: float = self._ask("lightest", variant)["seconds"]
        return seconds

    def roofline(self, variant: Variant) -> Roofline:
        """What a call costs at least on this machine."""
        told = self._ask("roofline", variant)
        parts = ("moved", "operations", "bandwidth", "peak", "dtype")
        return Roofline(*(told[part] for part in parts))

    def settings(self) -> dict[str, str]:
        """Settings of torch that precision depends on, as they are where nobody changed them."""
        found: dict[str, str] = self._ask("settings", Variant())["settings"]
        return found

    def audit(self, variant: Variant, tolerance: Sequence[float]) -> list[str]:
        """Ways to answer without computing anything that would pass."""
        passing: list[str] = self._ask("audit", variant, tolerance=list(tolerance))["passing"]
        return passing

    def describe(self, script: Path) -> Told:
        """What must be known of torch to build extensions, and the name of the GPU, if any."""
        return self._ask("describe", Variant(), script=str(script))

    def _ask(self, what: str, variant: Variant, **more: Any) -> Told:
        outputs = self.worker.outputs
        request = {
            "do": what,
            "variant": variant.name,
            "inputs": str(self._answers.path),
            "outputs": str(outputs.path) if outputs else "",
            **more,
        }
        timeout = 60 + 40 * self._task.judging.timeout
        where = f"task {self._task.name!r}, variant {variant.name!r}"
        try:
            told = self.worker.ask(request, timeout)
        except WorkerSilentError as error:
            raise TaskError(f"{where}: the reference took more than {timeout:g} s") from error
        except WorkerDiedError as error:
            raise TaskError(f"{where}: the reference's process is gone: {error}") from error
        if problem := told.get("error"):
            if isinstance(problem, dict):
                said = f"{problem['kind']}: {problem['message']}"
                raise TaskError(f"{where}: the reference fails: {said}\n{problem['trace']}")
        elif problem := told.get("problem") if what == "own_errors" else None:
            raise TaskError(f"{where}: the reference cannot be relied on: {problem}")
        return told


class CandidateSide:
    """A candidate in its worker. Nothing that it says is believed without need.

    Raises :class:`KernelFailedError` for what it does wrong, and what :meth:`Worker.ask` raises.
    """

    def __init__(
        self,
        worker: Worker,
        shared: SharedFile,
        task: KernelTask,
        place: Place,
        extensions: Extensions,
    ) -> None:
        self.worker = worker
        self._shared = shared
        self._task = task
        self._place = place
        self._extensions = extensions
        self.may_build = True
        """Whether extensions are built for it, as they are not while it is timed."""
        self.resources: Sequence[KernelResources] = ()
        """What its CUDA kernels need of a device, as the compiler says."""

    def load(self, program: Program, timeout: float) -> None:
        """Run its module."""
        told = self._ask("load", timeout, files=dict(program.files), entry=program.entry)
        if told.get("missing"):
            raise KernelFailedError(
                Status.BUILD_ERROR, f"{program.entry} defines no class ModelNew"
            )

    def construct(self, loaded: Told) -> None:
        """Make the module of a variant, as the reference's ``load`` told."""
        parts = {key: loaded[key] for key in ("init", "given", "names", "weights")}
        self._ask(
            "construct",
            self._task.judging.timeout,
            loaded["bytes"],
            **asdict(self._place),
            **parts,
        )

    def take(self, inputs: Inputs) -> None:
        """Have it load inputs.

        They come through a pipe, so that nobody has them sooner or for less than reading costs.
        """
        self._ask("take", self._task.judging.timeout, inputs.held, inputs=list(inputs.told))

    def run(self, seed: int, outputs: Outputs, calls: int, *, watch: bool) -> list[float]:
        """Call for each of the inputs; the seconds that it claims for each.

        Its outputs are in its file then, if it did what it should. ``watch`` has it look whether
        it changed its inputs.
        """
        file = self.worker.outputs
        if file is None:
            raise ValueError("a candidate's worker needs a file for outputs")
        file.resize(calls * outputs.slot)
        told = self._ask(
            "run", calls * self._task.judging.timeout, seed=seed, slot=outputs.slot, watch=watch
        )
        if told.get("changed"):
            raise KernelFailedError(Status.WRONG_ANSWER, "it changes its inputs")
        seconds, returned = told.get("seconds"), told.get("returned")
        if not _are_numbers(seconds, calls) or not isinstance(returned, list):
            raise KernelFailedError(Status.SUSPECT, "its process says what ours would not")
        for one in returned:
            _check_structure(one, outputs)
        return [float(one) for one in seconds or ()]

    def timed(self, rounds: Sequence[int], timeout: float) -> list[float]:
        """Milliseconds that it claims for calls on the inputs it was given; nobody checks them.

        ``rounds`` as in ``worker/compat.py``; ``timeout`` in seconds, for all.
        """
        told = self._ask("timed", timeout, rounds=list(rounds))
        claimed = told.get("milliseconds")
        if not _are_numbers(claimed, rounds[-1]):
            raise KernelFailedError(Status.SUSPECT, "its process says what ours would not")
        return [float(one) for one in claimed or ()]

    def profile(self, seed: int, calls: int) -> Told:
        """What it tells of calls on the inputs it was given, each twice; it is not checked."""
        return self._ask("profile", 60 + 2 * calls * self._task.judging.timeout, seed=seed)

    def settings(self) -> Told:
        """Settings of torch that precision depends on, as it tells them; they are not checked."""
        settings = self._ask("settings", self._task.judging.timeout).get("settings")
        return settings if isinstance(settings, dict) else {}

    def written(self, outputs: Outputs, call: int) -> bytes:
        """The bytes of a call's outputs. Whatever it says of them, they are in its file or not."""
        return self._read(outputs.slot, call * outputs.slot)

    def element(self, outputs: Outputs, spot: Spot) -> bytes:
        """The bytes of a single element."""
        begin, width = outputs.place(spot)
        return self._read(width, spot.call * outputs.slot + begin)

    def _read(self, size: int, offset: int) -> bytes:
        file = self.worker.outputs
        content = file.read(size, offset) if file else b""
        if len(content) < size:
            raise KernelFailedError(Status.SUSPECT, "it cut the file that its outputs go to")
        return content

    def _ask(self, what: str, timeout: float, size: int = 0, **more: Any) -> Told:
        """``size`` bytes of what the reference wrote go with the request."""
        self._extensions.begin()
        file = self.worker.outputs
        request = {"do": what, "outputs": str(file.path) if file else "", **more}
        try:
            told = self.worker.ask(request, timeout, self._shared, size)
            while "build" in told:
                if what not in _BUILDING or not self.may_build:
                    raise KernelFailedError(Status.RUNTIME_ERROR, _TOO_LATE)
                told = self.worker.ask(self._extensions.build(told["build"]), timeout)
        except WorkerError as error:
            raise _own_failure(error) from error
        raised = told.get("raised") or told.get("error")
        if raised is not None:
            raise _explained(_failure(what, raised), self._extensions)
        return told


_LONGEST = 1e6  # seconds that anybody may claim
_BUILDING = ("load", "construct", "run")
_TOO_LATE = (
    "it asks for an extension to be built while it is timed; call load_inline when the module is "
    "loaded or constructed"
)
_SAID = 4000  # characters of what a candidate says of itself
_STAGES = {"load": "", "construct": "ModelNew(...): ", "take": ""}
_STAGES |= {"run": "forward: ", "timed": "forward, while it was timed: "}
_NO_TRITON = ("No module named 'triton", "0 active drivers")
_TRITON = (
    "Triton kernels need a GPU, and there is none that can be used here: write C++ through "
    "load_inline (cpp_sources), or plain PyTorch"
)
_MEMORY = ("out of memory", "can't allocate memory", "std::bad_alloc")


def _failure(what: str, raised: Any) -> KernelFailedError:
    """An exception in a candidate, as it describes it."""
    told = raised if isinstance(raised, dict) else {}
    kind, message = str(told.get("kind", "Exception"))[:200], str(told.get("message", ""))[:_SAID]
    place = str(told.get("place", ""))[:200]
    said = f"{_STAGES.get(what, '')}{kind}: {message}" + (f" ({place})" if place else "")
    if any(one in message for one in _NO_TRITON):
        said += f"; {_TRITON}"
    if kind in ("MemoryError", "OutOfMemoryError") or any(one in message for one in _MEMORY):
        return KernelFailedError(Status.OUT_OF_MEMORY, said, kind)
    early = what == "load" and kind in ("SyntaxError", "IndentationError", "TabError")
    return KernelFailedError(Status.BUILD_ERROR if early else Status.RUNTIME_ERROR, said, kind)


def _explained(failed: KernelFailedError, extensions: Extensions) -> KernelFailedError:
    """A failure; one that came of a build, in the words of the compiler."""
    if not extensions.errors or failed.status is Status.OUT_OF_MEMORY:
        return failed
    status = Status.BUILD_ERROR
    if extensions.timed_out:
        status = Status.TIMEOUT
    elif extensions.compiled_only:
        status = Status.RUNTIME_ERROR  # nobody's fault, and not OK either
    return KernelFailedError(status, extensions.errors, failed.kind)


def _own_failure(error: WorkerError) -> KernelFailedError:
    """What a candidate did to its process."""
    status = Status.RUNTIME_ERROR
    if error.completed.out_of_memory:
        status = Status.OUT_OF_MEMORY
    elif isinstance(error, WorkerSilentError):
        status = Status.TIMEOUT
    elif isinstance(error, WorkerBabbleError):
        status = Status.SUSPECT
    return KernelFailedError(status, str(error))


def _are_numbers(values: Any, count: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(isinstance(one, int | float) and 0 <= one < _LONGEST for one in values)
    )


def _shape(tree: Any) -> str:
    """A tree in which lists are as good as tuples."""
    return json.dumps(tree).replace('"list"', '"tuple"')


def _check_structure(told: Any, outputs: Outputs) -> None:
    """Raise unless a call returned tensors of the right types and shapes, in the right places."""
    told = told if isinstance(told, dict) else {}
    found = told.get("tensors")
    if _shape(told.get("tree")) != _shape(outputs.tree) or not isinstance(found, list):
        raise KernelFailedError(
            Status.WRONG_ANSWER,
            "forward returns something of another structure than the reference does, which gives "
            f"{len(outputs.tensors)} tensor(s)",
        )
    for number, (ours, theirs) in enumerate(zip(outputs.tensors, found, strict=False)):
        for fact in ("dtype", "shape"):
            got = theirs.get(fact) if isinstance(theirs, dict) else None
            if got != ours[fact]:
                which = f"output {number}" if len(outputs.tensors) > 1 else "the output"
                raise KernelFailedError(
                    Status.WRONG_ANSWER, f"{which} has {fact} {str(got)[:200]}, not {ours[fact]}"
                )
