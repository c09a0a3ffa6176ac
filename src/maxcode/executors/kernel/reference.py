"""Reference: a task's own module in a worker, which makes inputs and compares outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from maxcode.errors import TaskError
from maxcode.evaluation import Roofline
from maxcode.executors.kernel.exchange import SharedFile
from maxcode.executors.kernel.workers import Worker, WorkerDiedError, WorkerTimeoutError
from maxcode.tasks.kernel import KernelTask, Variant

_ALIGNMENT = 64  # bytes, of which tensors begin at multiples; as in worker/tensors.py
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
_ADVICE = "change its inputs, judge in a wider dtype, or set a tolerance"

Reply = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModuleSpec:
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


@dataclass(frozen=True, slots=True)
class Inputs:
    """Inputs of several calls: their descriptions, and the bytes of all.

    A description has a ``tree`` with the facts of its ``tensors``, and the ``begin`` and ``end`` of
    its bytes in the reference's file. ``step`` is the seed of the weights' change before the first
    call, if the module is judged in training.
    """

    described: Sequence[Reply]
    size: int
    step: int = 0


@dataclass(frozen=True, slots=True)
class LearnedKinds:
    """Limits learned of a variant.

    ``kinds`` are kinds of inputs besides the task's, and ``remarks`` describe missing kinds.
    ``moved`` is whether weights were changed from the constructor's. For each output, ``honest`` is
    the overall error of honest ways to compute it, and ``effects`` its change with other inputs,
    both relative to its size; ``allowed`` are a candidate's limits on the task's own inputs, as
    measured by worker/comparing.py. ``seconds`` is the time spent learning.
    """

    kinds: Sequence[str]
    remarks: Sequence[str]
    moved: bool
    honest: Sequence[float]
    effects: Sequence[float]
    allowed: Sequence[Mapping[str, float]]
    seconds: float

    @property
    def tolerance(self) -> str:
        """Text of the widest limits of all outputs."""
        widest = {name: max(one.get(name, 0.0) for one in self.allowed) for name in _TOLERANCES}
        words = [f"{_TOLERANCES[name]} {value:.2g}" for name, value in widest.items() if value]
        return f"tolerance: {', '.join(words) or 'none'}"


@dataclass(frozen=True, slots=True)
class Outputs:
    """Result of a call: its structure, and ``name``, type and shape of each tensor.

    Callers may write into ``overwritable`` tensors, since the reference does not keep them. A
    ``gradient`` may share memory with an input or another gradient.
    """

    tree: Reply
    tensors: Sequence[Reply]

    @property
    def overwritable(self) -> list[int]:
        """For each tensor 0 if no caller may write into it, 2 for gradients, 1 for others."""
        return [
            (2 if one.get("gradient") else 1) if one.get("overwritable") else 0
            for one in self.tensors
        ]

    @property
    def bytes(self) -> list[int]:
        """Bytes of each tensor."""
        return [_WIDTHS.get(one["dtype"], 16) * math.prod(one["shape"]) for one in self.tensors]

    @property
    def sizes(self) -> list[int]:
        """Bytes of each tensor in a file, with the gap to the next."""
        return [-(-size // _ALIGNMENT) * _ALIGNMENT for size in self.bytes]

    @property
    def slot(self) -> int:
        """Bytes of all tensors."""
        return sum(self.sizes)


@dataclass(frozen=True, slots=True)
class Answers:
    """Outputs as bytes, by call.

    On a GPU the reference's process has all of them, under the name ``kept``.
    """

    calls: Mapping[int, bytes]
    kept: str = ""


@dataclass(frozen=True, slots=True)
class TensorBytes:
    """Bytes of a call's inputs, of weights, and of a call's outputs; 0 if unknown."""

    inputs: int
    weights: int
    outputs: int


class DeviceMemoryError(TaskError):
    """The reference ran out of memory on the GPU."""


class Reference:
    """A task's reference in its worker; ``answers`` is the file for candidates' outputs.

    Raises :class:`~maxcode.errors.TaskError` for faults of the reference.
    """

    def __init__(
        self, worker: Worker, answers: SharedFile, task: KernelTask, spec: ModuleSpec
    ) -> None:
        self.worker = worker
        self._answers = answers
        self._task = task
        self._spec = spec

    def load(self, variant: Variant) -> Reply:
        """Define a variant; returns a candidate's arguments for ``construct``.

        The weights stay in the worker's file until inputs are made.
        """
        about = {
            "source": self._task.reference_of(variant),
            "distribution": variant.distribution,
        }
        return self._ask("load", variant, **about, **asdict(self._spec))

    def renew(self, variant: Variant, seed: int | None) -> Reply:
        """Change some parameters in place by a seed; without a seed, restore them.

        Returns a candidate's arguments for ``renew``; the weights are in the file as after
        :meth:`load`.
        """
        return self._ask("renew", variant, seed=seed)

    def make(
        self, variant: Variant, seeds: Sequence[int], kinds: Sequence[str] | None = None
    ) -> Inputs:
        """Fresh inputs in the worker's file.

        ``kinds`` are "task", or kinds found by :meth:`learn`. By default most are the task's, and
        some of a random kind.
        """
        chosen = None if kinds is None else list(kinds)
        reply = self._ask("make", variant, seeds=list(seeds), kinds=chosen)
        return Inputs(reply["inputs"], reply["bytes"], reply["step"])

    def run(self, variant: Variant, seeds: Sequence[int], slot: int) -> tuple[list[float], Outputs]:
        """Call on each of the inputs, with these seeds; returns their seconds and their outputs."""
        reply = self._ask("run", variant, seeds=list(seeds), slot=slot)
        return reply["seconds"], Outputs(reply["tree"], reply["tensors"])

    def serve(self, variant: Variant, seeds: Sequence[int], slot: int, begin: Reply) -> Reply:
        """Start serving a feeder's calls; ``begin`` as in its ``feed``.

        Results of these calls become the expected outputs. ``seeds`` are the feeder's.
        """
        about = {"seeds": list(seeds), "slot": slot, "watch": False, "state": {}}
        return self._ask("serve", variant, **about, **begin)

    def served(self, variant: Variant) -> Reply:
        """Wait until the feeder's calls are done."""
        return self._answered("serve", variant, self.worker.answer)

    def state(self, variant: Variant) -> Mapping[str, Reply]:
        """Tensors of the module changed by calls since the variant was loaded, by name.

        :meth:`check_state` compares a candidate's with them.
        """
        state: dict[str, Reply] = self._ask("state", variant)["state"]
        return state

    def check_state(self, variant: Variant, content: bytes) -> str:
        """Fault of a candidate's state, as bytes; "" if none."""
        self._write([content])
        problem: str = self._ask("check_state", variant)["problem"]
        return problem

    def learn(
        self, variant: Variant, seeds: Sequence[int], tolerance: float | None
    ) -> LearnedKinds:
        """Learn limits of errors, and the kinds of inputs on which outputs can be judged.

        ``tolerance`` is the task's own. Needs at least two seeds.
        """
        reply = self._ask("learn", variant, seeds=list(seeds), tolerance=tolerance)
        return LearnedKinds(**reply)

    def check(self, variant: Variant, answers: Answers) -> tuple[str, int]:
        """Fault of a candidate's outputs and the number of its call; "" if none.

        Limits were learned before.
        """
        about = self._given(answers)
        reply = self._ask("check", variant, calls=[*answers.calls], **about)
        kind = reply.get("kind", "task")
        where = "" if kind == "task" else f" (on inputs that are varied: {kind})"
        return reply["problem"] and f"{reply['problem']}{where}", reply.get("call", 0)

    def share(self, sizes: Sequence[int]) -> tuple[list[int], list[int]]:
        """Allocate shared memory of the GPU, of at least these bytes.

        Returns the actual sizes, and its process's own descriptors.
        """
        made = self._ask("share", Variant(), sizes=list(sizes), make=True)
        return made["sizes"], made["files"]

    def attend(self, about: Reply, *, watch: bool) -> None:
        """Serve the calls of another process on the GPU, on the inputs made last."""
        self._ask("attend", Variant(), state={}, watch=watch, **about)

    def attended(self) -> None:
        """Wait until the other process's calls are done."""
        self._answered("attend", Variant(), self.worker.answer)

    def sizes(self, variant: Variant) -> TensorBytes:
        """Memory of a call, computed without allocating it."""
        source, spec = self._task.reference_of(variant), self._spec
        about = {"dtype": spec.dtype, "backward": spec.backward}
        return TensorBytes(**self._ask("sizes", variant, source=source, **about))

    def device_memory(self) -> int:
        """Bytes of the GPU's memory, in use or not; 0 if torch cannot use it."""
        total: int = self._ask("device_memory", Variant())["total"]
        return total

    def probe(self) -> None:
        """Check the GPU works."""
        self._ask("probe", Variant())

    def place(self, call: int) -> None:
        """Copy the inputs of a call to the shared memory on the GPU."""
        self._ask("place", Variant(), call=call)

    def keep(self, name: str) -> None:
        """Keep the last outputs fetched from the GPU under a name, until checked."""
        self._ask("keep", Variant(), name=name)

    def roofline(self, variant: Variant) -> Roofline:
        """Lower bound of a call's cost on this machine."""
        return Roofline(**self._ask("roofline", variant))

    def audit(self, variant: Variant, tolerance: float | None = None) -> list[str]:
        """Answers without any computation that would pass for the latest calls.

        ``tolerance`` is KernelBench's; by default the learned limits apply.
        """
        passing: list[str] = self._ask("audit", variant, tolerance=tolerance)["passing"]
        return passing

    def describe(self, script: Path) -> Reply:
        """Torch's facts needed to build extensions, and the name of the GPU, if any."""
        return self._ask("describe", Variant(), script=str(script))

    def trial_seeds(self, seed: int, count: int) -> list[int]:
        """Seeds of inputs for KernelBench's trials, drawn from ``seed``."""
        seeds: list[int] = self._ask("trial_seeds", Variant(), seed=seed, count=count)["seeds"]
        return seeds

    def drew(self, variant: Variant, seed: int) -> bool:
        """Whether the call just made drew random numbers."""
        return bool(self._ask("drew", variant, seed=seed)["drew"])

    def close(self, variant: Variant, answers: Answers, tolerance: float) -> Reply:
        """Whether the outputs of a call are ``close`` by ``torch.allclose``.

        With the ``largest`` and the ``mean`` distance of elements, and the ``size`` of the expected
        outputs.
        """
        return self._ask("close", variant, tolerance=tolerance, **self._given(answers))

    def timed(self, variant: Variant, rounds: Sequence[int]) -> list[float]:
        """Milliseconds of calls on the latest inputs, measured as in KernelBench."""
        times: list[float] = self._ask("timed", variant, rounds=list(rounds))["milliseconds"]
        return times

    def _given(self, answers: Answers) -> Reply:
        """Where the worker finds a candidate's outputs."""
        if not answers.kept:
            self._write([*answers.calls.values()])
        return {"kept": answers.kept}

    def _write(self, answers: Sequence[bytes]) -> None:
        content = b"".join(answers)
        self._answers.resize(len(content))
        self._answers.write(content)

    def _ask(self, what: str, variant: Variant, **more: Any) -> Reply:
        files = {"inputs": str(self._answers.path), **self.worker.places}
        about = {"device": self._spec.device, "variant": variant.name}
        request = {"do": what, **about, **files, **more}
        return self._answered(what, variant, partial(self.worker.ask, request))

    def _answered(
        self, what: str, variant: Variant, answer: Callable[[float], dict[str, Any]]
    ) -> Reply:
        timeout = 60 + 40 * self._task.judging.timeout
        where = f"task {self._task.name!r}, variant {variant.name!r}"
        try:
            reply = answer(timeout)
        except WorkerTimeoutError as error:
            raise TaskError(f"{where}: the reference took more than {timeout:g} s") from error
        except WorkerDiedError as error:
            raise TaskError(f"{where}: the reference's process is gone: {error}") from error
        if failure := reply.get("error"):
            said = f"{failure['kind']}: {failure['message']}"
            if "File too large" in said or "No space left" in said:
                said += "; its tensors take more room than is given to them, make it smaller"
            kind = DeviceMemoryError if "CUDA" in said and "out of memory" in said else TaskError
            raise kind(f"{where}: the reference fails: {said}\n{failure['trace']}")
        if what == "learn" and (problem := reply.get("problem")):
            raise TaskError(
                f"{where}: the reference cannot be relied on: {problem}; "
                f"{reply.get('advice', _ADVICE)}"
            )
        return reply
