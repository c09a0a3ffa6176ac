"""What the two sides of judging a kernel have in common, as the parent sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from maxcode.errors import TaskError
from maxcode.evaluation import Roofline, Status
from maxcode.executors.kernel.exchange import SharedFile
from maxcode.executors.kernel.workers import Worker, WorkerDiedError, WorkerSilentError
from maxcode.tasks.kernel import KernelTask, Variant

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


_NO_SPOTS: Mapping[Spot, bytes] = MappingProxyType({})


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
        spots: Mapping[Spot, bytes] = _NO_SPOTS,
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
                if "File too large" in said or "No space left" in said:
                    said += "; its tensors take more room than is given to them, make it smaller"
                raise TaskError(f"{where}: the reference fails: {said}\n{problem['trace']}")
        elif problem := told.get("problem") if what == "own_errors" else None:
            raise TaskError(f"{where}: the reference cannot be relied on: {problem}")
        return told
