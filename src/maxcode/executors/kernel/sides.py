"""The two sides of judging a kernel, as the parent sees them: a reference and a candidate."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.kernel.exchange import SharedFile
from maxcode.executors.kernel.workers import (
    Worker,
    WorkerBabbleError,
    WorkerDiedError,
    WorkerError,
    WorkerSilentError,
)
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant

ALIGNMENT = 64
"""Bytes; tensors begin at multiples of it, as in worker/tensors.py."""

_WIDTHS = {"float64": 8, "int64": 8, "complex64": 8, "float32": 4, "int32": 4, "float16": 2}
_WIDTHS |= {"bfloat16": 2, "int16": 2, "uint8": 1, "int8": 1, "bool": 1, "complex128": 16}

Told = Mapping[str, Any]


class KernelFailedError(Exception):
    """A candidate's own failure: how it ended, and what a generator may read of it."""

    def __init__(self, status: Status, feedback: str) -> None:
        super().__init__(feedback)
        self.status = status
        self.feedback = feedback


@dataclass(frozen=True, slots=True)
class Place:
    """Where a module is judged: "cpu" or "cuda", and the seed of what constructors draw."""

    device: str
    seed: int


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
        judging = self._task.judging
        return self._ask(
            "load",
            variant,
            source=self._task.reference_of(variant),
            dtype=judging.dtype,
            train=judging.train,
            distribution=variant.distribution,
            device=self._place.device,
            seed=self._place.seed,
        )

    def make(self, variant: Variant, seeds: Sequence[int]) -> Inputs:
        """Fresh inputs in the shared file."""
        told = self._ask("make", variant, seeds=list(seeds))
        return Inputs(told["inputs"], told["bytes"])

    def run(self, variant: Variant, seed: int, slot: int) -> tuple[list[float], Outputs]:
        """Call for each of the inputs: seconds of each, and what calls return."""
        told = self._ask("run", variant, seed=seed, slot=slot)
        return told["seconds"], Outputs(told["tree"], told["tensors"])

    def own_error(self, variant: Variant, seed: int) -> float | None:
        """How far it is off by itself; None where double precision is not to be had."""
        error: float | None = self._ask("own_error", variant, seed=seed)["error"]
        return error

    def check(
        self, variant: Variant, answers: Mapping[int, bytes], tolerance: float
    ) -> tuple[str, int]:
        """What is wrong with the bytes that calls wrote: nothing, or a text and the call."""
        content = b"".join(answers.values())
        self._answers.resize(len(content))
        self._answers.write(content)
        told = self._ask("check", variant, calls=list(answers), tolerance=tolerance)
        return told["problem"], told.get("call", 0)

    def lightest(self, variant: Variant) -> float:
        """Seconds in which a call's inputs and outputs can be copied."""
        seconds: float = self._ask("lightest", variant)["seconds"]
        return seconds

    def audit(self, variant: Variant, tolerance: float) -> list[str]:
        """Ways to answer without computing anything that would pass."""
        passing: list[str] = self._ask("audit", variant, tolerance=tolerance)["passing"]
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
        elif problem := told.get("problem") if what == "own_error" else None:
            raise TaskError(f"{where}: the reference cannot be relied on: {problem}")
        return told


Build = Callable[[Any], dict[str, Any]]
"""Answers a candidate's request for an extension."""


class CandidateSide:
    """A candidate in its worker. Nothing that it says is believed without need.

    Raises :class:`KernelFailedError` for what it does wrong, and what :meth:`Worker.ask` raises.
    """

    def __init__(
        self, worker: Worker, shared: SharedFile, task: KernelTask, place: Place, build: Build
    ) -> None:
        self.worker = worker
        self._shared = shared
        self._task = task
        self._place = place
        self._build = build
        self._builds = 0

    def load(self, program: Program, timeout: float) -> None:
        """Run its module."""
        told = self._ask("load", timeout, files=dict(program.files), entry=program.entry)
        if told.get("missing"):
            raise KernelFailedError(
                Status.BUILD_ERROR, f"{program.entry} defines no class ModelNew"
            )

    def construct(self, loaded: Told) -> None:
        """Make the module of a variant, as the reference's ``load`` told."""
        judging = self._task.judging
        parts = {key: loaded[key] for key in ("init", "given", "names", "weights", "at")}
        self._ask(
            "construct",
            judging.timeout,
            dtype=judging.dtype,
            train=judging.train,
            device=self._place.device,
            seed=self._place.seed,
            **parts,
        )

    def take(self, inputs: Inputs) -> None:
        """Have it load inputs."""
        self._ask("take", self._task.judging.timeout, inputs=list(inputs.told))

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

    def written(self, outputs: Outputs, call: int) -> bytes:
        """The bytes of a call's outputs. Whatever it says of them, they are in its file or not."""
        file = self.worker.outputs
        content = file.read(outputs.slot, call * outputs.slot) if file else b""
        if len(content) < outputs.slot:
            raise KernelFailedError(Status.SUSPECT, "it cut the file that its outputs go to")
        return content

    def _ask(self, what: str, timeout: float, **more: Any) -> Told:
        file = self.worker.outputs
        paths = {"inputs": str(self._shared.path), "outputs": str(file.path) if file else ""}
        try:
            told = self.worker.ask({"do": what, **paths, **more}, timeout)
            while "build" in told and what in _BUILDING and self._builds < _MOST_BUILDS:
                self._builds += 1
                told = self.worker.ask(self._build(told["build"]), timeout)
        except WorkerError as error:
            raise _own_failure(error) from error
        raised = told.get("raised") or told.get("error")
        if raised is not None:
            raise _failure(what, raised)
        return told


_MOST_BUILDS = 8  # extensions of one candidate
_LONGEST = 1e6  # seconds that anybody may claim
_BUILDING = ("load", "construct")
_SAID = 4000  # characters of what a candidate says of itself
_STAGES = {"load": "", "construct": "ModelNew(...): ", "take": "", "run": "forward: "}
_MEMORY = ("out of memory", "can't allocate memory", "std::bad_alloc")


def _failure(what: str, raised: Any) -> KernelFailedError:
    """An exception in a candidate, as it describes it."""
    told = raised if isinstance(raised, dict) else {}
    kind, message = str(told.get("kind", "Exception"))[:200], str(told.get("message", ""))[:_SAID]
    place = str(told.get("place", ""))[:200]
    said = f"{_STAGES.get(what, '')}{kind}: {message}" + (f" ({place})" if place else "")
    if kind in ("MemoryError", "OutOfMemoryError") or any(one in message for one in _MEMORY):
        return KernelFailedError(Status.OUT_OF_MEMORY, said)
    early = what == "load" and kind in ("SyntaxError", "IndentationError", "TabError")
    return KernelFailedError(Status.BUILD_ERROR if early else Status.RUNTIME_ERROR, said)


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
