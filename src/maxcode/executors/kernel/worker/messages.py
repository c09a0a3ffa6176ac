"""Messages between the judge and its workers, defined once for both sides.

Plain standard library: a worker has nothing of maxcode besides its own folder. A message is a
line of JSON. Answers may come from hostile code: :func:`decode` refuses any field of a wrong type.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

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
CALLS = 3
"""Number of profiled calls."""
_DEEPEST = 64  # of a nested value
_PLAIN = (int, float, str, bool)
_LARGEST = 1 << 1000  # whole number that a float holds
_WIDTHS = {"float64": 8, "int64": 8, "complex64": 8, "float32": 4, "int32": 4, "float16": 2}
_WIDTHS |= {"bfloat16": 2, "int16": 2, "uint8": 1, "int8": 1, "bool": 1, "complex128": 16}
_WIDTHS |= {"complex32": 4, "uint16": 2, "uint32": 4, "uint64": 8, "float8_e4m3fn": 1}
_WIDTHS |= {"float8_e8m0fnu": 1, "float4_e2m1fn_x2": 1}
_WIDTHS |= {"float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1}
_TOLERANCES = {
    "row": "a row may be off by",
    "element": "an element, of its row's size, by",
    "wrong": "of integers so many may differ:",
}

A = TypeVar("A")


class MessageError(ValueError):
    """A message is not of the expected form."""


def encode(message: Any, token: str = "") -> bytes:
    """A message as JSON, without a line end.

    ``token`` marks an answer as belonging to a request. Raises ValueError or TypeError for values
    without JSON form, such as NaN.
    """
    about = {"is": type(message).__name__, "token": token, **asdict(message)}
    return json.dumps(about, allow_nan=False).encode()


def parse(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises :class:`MessageError` for anything else."""
    try:
        found = json.loads(line, parse_constant=_finite, parse_float=_finite)
        if not isinstance(found, dict):
            raise ValueError("no object")
        if b"\\u" in line:  # half a character, which can be neither printed nor stored
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise MessageError(f"no JSON object: {line[:80]!r}") from None
    return found


def decode(found: Mapping[str, Any], *kinds: type) -> Any:
    """The message of one of these kinds in a parsed object.

    Raises :class:`MessageError`, which names the field at fault.
    """
    given = dict(found)
    name = given.pop("is", None)
    given.pop("token", None)
    for kind in kinds:
        if kind.__name__ == name:
            return _fields(kind, given, kind.__name__)
    wanted = " or ".join(kind.__name__ for kind in kinds[:3])
    shown = name[:40] if isinstance(name, str) else type(name).__name__
    raise MessageError(f"no {wanted}, but {shown!r}")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no JSON, or too large")
    return number


@cache
def _hints(kind: type) -> dict[str, tuple[Any, bool]]:
    """Type of each field of a dataclass, and whether it must be given."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        one.name: (hints[one.name], one.default is MISSING and one.default_factory is MISSING)
        for one in fields(kind)
    }


def _fields(kind: Any, given: Any, where: str) -> Any:
    hints = _hints(kind)
    if not isinstance(given, dict) or not given.keys() <= hints.keys():
        raise MessageError(f"{where}: fields other than {', '.join(hints)}"[:300])
    for name, (_, required) in hints.items():
        if required and name not in given:
            raise MessageError(f"{where}.{name} is missing")
    return kind(
        **{name: _value(hints[name][0], one, f"{where}.{name}") for name, one in given.items()}
    )


def _value(hint: Any, given: Any, where: str) -> Any:
    """A value of this type. Raises :class:`MessageError` for another."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        made, (low, high) = _value(inner[0], given, where), inner[1]
        if not low <= made <= high:
            raise MessageError(f"{where} is {made:.3g}, not from {low:g} to {high:g}")
        return made
    if origin in (Union, UnionType):
        return None if given is None else _value(inner[0], given, where)
    if origin in (tuple, dict):
        return _parts(origin, inner, given, where)
    if hint is Any:
        _check_depth(given, where)
        return given
    return _plain(hint, given, where) if hint in _PLAIN else _fields(hint, given, where)


def _parts(origin: type, inner: Any, given: Any, where: str) -> Any:
    if origin is tuple and isinstance(given, list):
        return tuple(_value(inner[0], one, f"{where}[{n}]") for n, one in enumerate(given))
    if origin is dict and isinstance(given, dict):
        return {
            name: _value(inner[1], one, f"{where}[{name[:40]!r}]") for name, one in given.items()
        }
    raise MessageError(f"{where} is of type {type(given).__name__}")


def _plain(kind: type, given: Any, where: str) -> Any:
    if kind is float and type(given) is int and abs(given) < _LARGEST:
        return float(given)
    if type(given) is not kind:
        raise MessageError(f"{where} is of type {type(given).__name__}, not {kind.__name__}")
    return given


def _check_depth(given: Any, where: str, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise MessageError(f"{where} is nested too deeply")
    for one in (
        given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    ):
        _check_depth(one, where, depth + 1)


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

Milliseconds = Annotated[float, (0.0, 1e6)]
Amount = Annotated[float, (0.0, 1e15)]


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
        return _WIDTHS.get(self.dtype, 16) * math.prod(self.shape)


class OutputFact(Fact):
    """An output tensor, with the name in messages.

    Callers may write into ``overwritable`` tensors, since the reference does not keep them. A
    ``gradient`` may share memory with an input or another gradient.
    """

    name: str = "the output"
    overwritable: bool = False
    gradient: bool = False


class Arguments(Message):
    """Arguments of a call: structure and tensors."""

    tree: Tree
    tensors: tuple[Fact, ...]


class CallInputs(Arguments):
    """Arguments of a call, with the ``begin`` and ``end`` of its bytes in the reference's file."""

    begin: int = 0
    end: int = 0


class ModuleSpec(Message):
    """How modules are made.

    ``device`` is "cpu" or "cuda"; ``seed`` is for random numbers in constructors; ``dtype`` is the
    type to cast to; ``train`` is the mode, None to keep the constructor's. ``kernelbench`` casts as
    KernelBench does, copies no weights, and makes modules anew each time. With ``backward`` calls
    make the backward pass, too.
    """

    device: str
    seed: int
    dtype: str = ""
    train: bool | None = False
    kernelbench: bool = False
    backward: bool = False


class Serving(Message):
    """Calls of a feeder: the structure of outputs, and the places in the worker's file.

    ``base`` and ``room`` locate the inputs of a call, ``first`` the outputs of the first call.
    """

    tree: Tree
    tensors: tuple[OutputFact, ...]
    base: int = 0
    room: int = 0
    first: int = 0


def room(tensors: Iterable[Fact]) -> int:
    """Bytes of tensors in a file, with the gaps between them."""
    return sum(-(-one.bytes // ALIGNMENT) * ALIGNMENT for one in tensors)


# Answers.


class Ready(Message):
    """The worker is ready: for its first request, or to serve the calls of a feeder."""


class Done(Message):
    """The request was carried out."""


class Failure(Message):
    """An exception; ``place`` is a line of the candidate's, if known."""

    kind: str
    message: str
    trace: str = ""
    place: str = ""


class Build(Message):
    """Question in place of an answer: build this extension, by arguments of ``load_inline``."""

    arguments: dict[str, Any]


class Answer(Message):
    """Whether it is so."""

    holds: bool


class Numbers(Message):
    """Whole numbers."""

    numbers: tuple[int, ...]


class Names(Message):
    """Names, such as of answers that pass."""

    names: tuple[str, ...]


class Returned(Message):
    """All calls of a feeder were made.

    ``again`` are numbers of the outputs with memory of an earlier call's; ``returned`` describes a
    result of the wrong structure.
    """

    again: tuple[int, ...] = ()
    returned: Arguments | None = None


class Times(Message):
    """Milliseconds of calls."""

    milliseconds: tuple[Milliseconds, ...]


class ProfileRow(Message):
    """An operator or kernel: its calls, and microseconds alone and in total.

    ``own`` is whether it is a candidate's function, ``outside`` whether it is the call itself.
    """

    name: str
    calls: Amount
    alone: Amount
    total: Amount
    own: bool = False
    outside: bool = False


class Profiled(Message):
    """Profile of :data:`CALLS` calls, as totals: microseconds, launches, and bytes of memory."""

    microseconds: Amount
    launches: Amount
    rows: tuple[ProfileRow, ...]
    peak: Amount
    allocated: Amount
    allocations: Amount


class Described(Message):
    """Facts of torch and of the GPU, if it is usable; ``why_not`` says why it is not."""

    facts: dict[str, Any]
    gpu: str = ""
    capability: str = ""
    properties: dict[str, Any] | None = None
    why_not: str = ""


class Weights(Message):
    """Weights in the reference's file, of ``size`` bytes, with their names."""

    names: tuple[str, ...]
    weights: tuple[Fact, ...]
    size: int


class Made(Weights):
    """A variant's module, with all a candidate needs to construct its own.

    ``init`` and ``given`` are arguments of the constructor, ``marks`` recognize weights of other
    names. ``differentiated`` are names of parameters with gradients; ``steps`` is whether weights
    change between calls.
    """

    init: Tree
    given: tuple[Fact, ...]
    marks: tuple[str, ...]
    differentiated: tuple[str, ...]
    steps: bool


class Inputs(Message):
    """Inputs of several calls, and the bytes of all.

    ``step`` is the seed of the weights' change before the first call, if the module is judged in
    training.
    """

    described: tuple[CallInputs, ...]
    size: int
    step: int = 0


class Outputs(Message):
    """Result of a call: its structure and tensors."""

    tree: Tree
    tensors: tuple[OutputFact, ...]

    @property
    def slot(self) -> int:
        """Bytes of all tensors in a file."""
        return room(self.tensors)


class Called(Outputs):
    """Outputs of calls, and the seconds of each call."""

    seconds: tuple[float, ...] = ()


class State(Message):
    """Tensors of a module changed by calls, by name."""

    state: dict[str, Fact]


class LearnedKinds(Message):
    """Limits learned of a variant.

    ``kinds`` are kinds of inputs besides the task's, and ``remarks`` describe missing kinds.
    ``moved`` is whether weights were changed from the constructor's. For each output, ``honest`` is
    the overall error of honest ways to compute it, and ``effects`` its change with other inputs,
    both relative to its size; ``allowed`` are a candidate's limits on the task's own inputs, as
    measured by comparing.py. ``seconds`` is the time spent learning.
    """

    kinds: tuple[str, ...]
    remarks: tuple[str, ...]
    moved: bool
    honest: tuple[float, ...]
    effects: tuple[float, ...]
    allowed: tuple[dict[str, float], ...]
    seconds: float

    @property
    def tolerance(self) -> str:
        """Text of the widest limits of all outputs."""
        widest = {name: max(one.get(name, 0.0) for one in self.allowed) for name in _TOLERANCES}
        words = [f"{_TOLERANCES[name]} {value:.2g}" for name, value in widest.items() if value]
        return f"tolerance: {', '.join(words) or 'none'}"


class LearnReport(Message):
    """Limits, or the problem for which nothing can be judged, with advice."""

    learned: LearnedKinds | None = None
    problem: str = ""
    advice: str = ""


class Checked(Message):
    """Fault of a candidate's outputs or state, "" for none; in this call, on inputs of a kind."""

    problem: str = ""
    call: int = 0
    kind: str = TASK


class Shared(Message):
    """Sizes of regions of GPU memory, and the process's descriptors of them."""

    sizes: tuple[int, ...]
    files: tuple[int, ...]


class TensorBytes(Message):
    """Bytes of a call's inputs, of weights, and of a call's outputs; 0 if unknown."""

    inputs: int
    weights: int
    outputs: int


class RooflineFacts(Message):
    """Bytes and operations of a call, and the machine's bandwidth and peak, each per second."""

    moved: int
    operations: int
    bandwidth: float
    peak: float
    dtype: str


class Closeness(Message):
    """Whether outputs are close by ``torch.allclose``.

    ``largest`` is the largest distance of elements, ``size`` the root mean square of the expected
    output; None for no finite number.
    """

    close: bool
    largest: float | None
    size: float | None


# Requests.

_requests: dict[str, type[Request[Any]]] = {}


class Request(Message, Generic[A]):
    """A request, whose first answer is an ``A``."""

    answer: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        """Take the answer's type from the base class."""
        super().__init_subclass__()
        [base] = cls.__orig_bases__  # type: ignore[attr-defined]
        [cls.answer] = get_args(base)
        _requests[cls.__name__] = cls


def decode_request(line: bytes) -> tuple[Request[Any], str]:
    """A request and its token. Raises :class:`MessageError`."""
    found = parse(line)
    return decode(found, *_requests.values()), str(found.get("token", ""))


class Start(Message):
    """Argument of a worker's command.

    ``packages`` are folders for the path, ``module`` defines ``handler``. ``outputs`` is the file
    it may write, ``inputs`` the file with a candidate's outputs, for the reference; ``pipes`` is
    the folder of the pipes to its feeder.
    """

    packages: tuple[str, ...]
    module: str
    threads: int
    device: str
    outputs: str
    inputs: str
    pipes: str


class Built(Request[Any]):
    """Answer to :class:`Build`: the path of a library, or the errors."""

    library: str = ""
    errors: str = ""


class LoadProgram(Request[Answer]):
    """Run a candidate's module; whether it defines ModelNew."""

    files: dict[str, str]
    entry: str
    full_precision: bool


class Construct(Request[Answer]):
    """Make a candidate's module; whether it has all weights of the reference, which follow."""

    spec: ModuleSpec
    made: Made


class Renew(Request[Done]):
    """Load other weights into a candidate's module; they follow."""

    renewed: Weights


class Take(Request[Done]):
    """Load inputs for calls a candidate's process times or profiles; they follow.

    ``more`` adds to the inputs before.
    """

    inputs: tuple[CallInputs, ...]
    more: bool = False


class Run(Request[Ready]):
    """Make a feeder's calls; then :class:`Returned` is answered.

    ``state`` are tensors of the module to fetch, by name; ``step`` as in :class:`Inputs`.
    """

    serving: Serving
    state: dict[str, Fact]
    step: int = 0


class TimeCalls(Request[Times]):
    """Time calls as KernelBench does: to warm up, to drop, to count."""

    rounds: tuple[int, ...]
    variant: str = ""


class ProfileCalls(Request[Profiled]):
    """Profile a candidate's calls on the inputs taken."""

    seed: int


class TakeMemory(Request[Done]):
    """Open GPU memory of these sizes made by the reference; descriptors follow."""

    sizes: tuple[int, ...]


class MakeMemory(Request[Shared]):
    """Allocate GPU memory to share, of at least these sizes."""

    sizes: tuple[int, ...]


class Describe(Request[Described]):
    """Describe torch and the GPU; ``script`` defines ``torch_facts``."""

    script: str


class LoadVariant(Request[Made]):
    """Define a variant of the reference; its weights are written for candidates."""

    variant: str
    source: str
    distribution: str
    spec: ModuleSpec


class RenewVariant(Request[Weights]):
    """Change some parameters by a seed, or restore them; they are written for candidates."""

    variant: str
    seed: int | None


class Make(Request[Inputs]):
    """Make inputs of these kinds, by default some of random kinds."""

    variant: str
    seeds: tuple[int, ...]
    kinds: tuple[str, ...] | None


class Call(Request[Called]):
    """Call on each of the latest inputs; outputs are kept as expected."""

    variant: str
    seeds: tuple[int, ...]


class Serve(Request[Ready]):
    """Make a feeder's calls, and keep outputs as expected; then :class:`Returned` is answered."""

    variant: str
    serving: Serving
    seeds: tuple[int, ...]
    slot: int


class Attend(Request[Ready]):
    """Serve a candidate's calls on the GPU; then :class:`Returned` is answered.

    ``watch`` detects changes to inputs.
    """

    serving: Serving
    watch: bool


class GetState(Request[State]):
    """Look for tensors of the module changed by calls since the variant was loaded."""

    variant: str


class CheckState(Request[Checked]):
    """Compare a candidate's state with the reference's."""

    variant: str


class Learn(Request[LearnReport]):
    """Learn limits of errors; ``tolerance`` is the task's own."""

    variant: str
    seeds: tuple[int, ...]
    tolerance: float | None


class Check(Request[Checked]):
    """Compare a candidate's outputs of these calls, in the file or ``kept`` under a name."""

    variant: str
    calls: tuple[int, ...]
    kept: str = ""


class Place(Request[Done]):
    """Copy the inputs of a call to the shared memory of the GPU."""

    call: int


class Keep(Request[Done]):
    """Keep the outputs fetched last from the GPU under a name."""

    name: str


class Probe(Request[Done]):
    """Compute something on the GPU."""


class GetDeviceMemory(Request[Numbers]):
    """Bytes of the GPU's memory, 0 if torch cannot use it."""


class GetSizes(Request[TensorBytes]):
    """Memory of a call, computed without allocating it."""

    source: str
    dtype: str
    backward: bool


class GetRoofline(Request[RooflineFacts]):
    """Lower bound of a call's cost on this machine."""

    variant: str


class FindTrivial(Request[Names]):
    """Try answers without any computation for the latest calls."""

    variant: str
    tolerance: float | None


class DrawTrialSeeds(Request[Numbers]):
    """Draw seeds of inputs as KernelBench does."""

    seed: int
    count: int


class AskDrew(Request[Answer]):
    """Whether the call just made, of this seed, drew random numbers."""

    variant: str
    seed: int


class CheckCloseness(Request[Closeness]):
    """Compare the outputs of a call by ``torch.allclose``."""

    variant: str
    tolerance: float
    kept: str = ""
