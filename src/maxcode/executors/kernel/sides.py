"""What the two sides of judging a kernel have in common, as the parent sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maxcode.evaluation import Status

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
