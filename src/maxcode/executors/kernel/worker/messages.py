"""Messages between the judge and its workers, defined once for both sides.

A worker has nothing of maxcode besides its own folder. A request is a pickled tuple of a token, and
the name and arguments of a method of ``ReferenceWork`` or ``CandidateWork``. Answers may come from
hostile code: they are JSON, decoded by :func:`~maxcode.executors.kernel.answers.decode`.
"""

from __future__ import annotations

import json
import math
import pickle
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, dataclass_transform

ALIGNMENT = 64
"""Bytes: tensors in a file begin at multiples."""
PLACES, STEP = 3, 1 << 20
"""Places for the outputs of a call on a GPU, and the bytes from each to the next; as in
feeder.cpp."""
SEED_DIGITS = 10
"""Digits of a seed in a feeder's message; as in feeder.cpp."""
HEAD = "<IId"
"""Report of a call to the feeder: its number, a code, its seconds; as in feeder.cpp."""
TASK = "task"
"""Kind of the inputs a task makes itself."""


def pack(message: object) -> bytes:
    """A line without its end, for a worker."""
    return b64encode(pickle.dumps(message))


def unpack(line: bytes) -> Any:
    """Message of a line by :func:`pack`; only for lines of the judge."""
    return pickle.loads(b64decode(line))  # noqa: S301


def encode(token: str, **answer: Any) -> bytes:
    """An answer to the request with this token, as a line of JSON without its end.

    Raises ValueError or TypeError for values without JSON form, such as NaN.
    """
    return json.dumps({"token": token, **answer}, default=asdict, allow_nan=False).encode()


# Parts of messages.


@dataclass_transform(frozen_default=True)
class Message:
    """Base of all messages and their parts, which it makes frozen dataclasses."""

    def __init_subclass__(cls) -> None:
        """Make a dataclass."""
        super().__init_subclass__()
        dataclass(frozen=True)(cls)


Tree = dict[str, Any]
"""A nested value, in which numbers stand for its tensors; see ``pack`` in tensors.py."""


def alike(tree: Any) -> str:
    """Normalized structure, in which lists equal tuples."""
    return json.dumps(tree).replace('"list"', '"tuple"')


class Fact(Message):
    """Type and shape of a tensor."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Size of its elements."""
        bits = re.search(r"\d+", self.dtype)  # of several small numbers together a byte
        return (max(int(bits[0]) // 8, 1) if bits else 1) * math.prod(self.shape)


class OutputFact(Fact):
    """An output tensor, ``overwritable`` by callers if the reference does not keep it."""

    name: str = "the output"
    overwritable: bool = False


class Arguments(Message):
    """Arguments of a call: structure and tensors."""

    tree: Tree
    tensors: tuple[Fact, ...]


class CallInputs(Arguments):
    """Arguments of a call, with the ``begin`` and ``end`` of its bytes in the reference's file."""

    begin: int = 0
    end: int = 0


class ModuleSpec(Message):
    """How modules are made, on ``device`` "cpu" or "cuda".

    ``seed`` is the constructor's, ``dtype`` the type to cast to; ``train`` is the mode, None to
    keep the constructor's. ``kernelbench`` casts as KernelBench does, copies no weights, and makes
    modules anew each time. With ``backward`` calls make the backward pass, too.
    """

    device: str
    seed: int
    dtype: str = ""
    train: bool | None = False
    kernelbench: bool = False
    backward: bool = False


def room(tensors: Iterable[Fact]) -> int:
    """Bytes of tensors in a file, with the gaps between them."""
    return sum(-(-one.bytes // ALIGNMENT) * ALIGNMENT for one in tensors)


class Outputs(Message):
    """Result of a call: its structure and tensors."""

    tree: Tree
    tensors: tuple[OutputFact, ...]

    @property
    def slot(self) -> int:
        """Bytes of all tensors in a file."""
        return room(self.tensors)


class Serving(Outputs):
    """Calls of a feeder: their outputs, and the places in the worker's file.

    ``base`` and ``room`` locate the inputs of a call, ``first`` the outputs of the first call.
    """

    base: int = 0
    room: int = 0
    first: int = 0


# Answers.


class UnreliableError(Exception):
    """A reference by which nothing can be judged: the problem, and advice."""


class Failure(Message):
    """An exception; ``place`` is a line of the candidate's, if known."""

    kind: str
    message: str
    trace: str = ""
    place: str = ""


class Build(Message):
    """Question in place of an answer: build this extension, by arguments of ``load_inline``."""

    arguments: dict[str, Any]


class Returned(Message):
    """All calls of a feeder were made.

    ``again`` are numbers of the outputs with memory of an earlier call's; ``returned`` describes a
    result of the wrong structure.
    """

    again: tuple[int, ...] = ()
    returned: Arguments | None = None


class ProfileRow(Message):
    """An operator, kernel or ``own`` function: calls, and microseconds alone and in total."""

    name: str
    calls: float
    alone: float
    total: float
    own: bool = False


class Profiled(Message):
    """Profile of a call: microseconds, launches, and bytes allocated."""

    microseconds: float
    launches: float
    rows: tuple[ProfileRow, ...]
    allocated: float


class Described(Message):
    """Facts of torch and properties of the GPU, if it is usable; ``why_not`` says why it is not."""

    facts: dict[str, Any]
    gpu: dict[str, Any]
    why_not: str = ""


class Weights(Message):
    """Weights in the reference's file, of ``size`` bytes, with their names."""

    names: tuple[str, ...]
    weights: tuple[Fact, ...]
    size: int


class Made(Weights):
    """A variant's module, with all a candidate needs to construct its own.

    ``init`` and ``given`` are arguments of the constructor, ``marks`` recognize weights of other
    names. ``differentiated`` are names of parameters with gradients, ``changed`` those of buffers
    that calls change.
    """

    init: Tree
    given: tuple[Fact, ...]
    marks: tuple[str, ...]
    differentiated: tuple[str, ...]
    changed: tuple[str, ...]


class Inputs(Message):
    """Inputs of several calls, and the bytes of all."""

    described: tuple[CallInputs, ...]
    size: int


class Called(Outputs):
    """Outputs of calls, and the seconds of each call."""

    seconds: tuple[float, ...] = ()


class LearnedKinds(Message):
    """Limits learned of a variant.

    ``kinds`` are kinds of inputs besides the task's, and ``remarks`` describe missing kinds.
    ``moved`` is whether weights were changed from the constructor's. ``tolerance`` describes the
    limits on the task's own inputs.
    """

    kinds: tuple[str, ...]
    remarks: tuple[str, ...]
    moved: bool
    tolerance: str


class Checked(Message):
    """Fault of a candidate's outputs, "" for none; in this call, on inputs of a kind."""

    problem: str = ""
    call: int = 0
    kind: str = TASK


class Shared(Message):
    """Sizes of regions of GPU memory, and the process's descriptors of them."""

    sizes: tuple[int, ...]
    files: tuple[int, ...]


# Requests.


class Start(Message):
    """Argument of a worker's command.

    ``packages`` are folders for the path; ``module`` defines ``work``, which makes the object whose
    methods are called. ``outputs`` is the file it may write, ``pipes`` the folder of the pipes to
    its feeder.
    """

    packages: tuple[str, ...]
    module: str
    threads: int
    device: str
    outputs: str
    pipes: str


class Built(Message):
    """Answer to :class:`Build`: the path of a library, or the errors."""

    library: str = ""
    errors: str = ""


class VariantSource(Message):
    """A variant of the reference: its name, source, distribution of inputs, and module."""

    variant: str
    source: str
    distribution: str
    spec: ModuleSpec


CANDIDATE_ANSWERS: Mapping[str, Any] = {
    "load": bool,
    "construct": bool,
    "renew": type(None),
    "take": type(None),
    "run": Returned,
    "time": tuple[float, ...],
    "profile": Profiled,
    "take_memory": type(None),
}
"""Types of answers by request: the methods of ``CandidateWork`` in candidate.py."""

REFERENCE_ANSWERS: Mapping[str, Any] = {
    "describe": Described,
    "load": Made,
    "renew": Weights,
    "make": Inputs,
    "run": Called,
    "serve": Returned,
    "attend": Returned,
    "learn": LearnedKinds,
    "check": Checked,
    "find_trivial": tuple[str, ...],
    "probe": type(None),
    "share": Shared,
    "place": type(None),
    "keep": type(None),
    "drew": bool,
    "close": str,
    "time": tuple[float, ...],
}
"""Types of answers by request: the methods of ``ReferenceWork`` in reference.py."""
