"""KernelTask: a PyTorch module whose computation is to become faster."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field

from maxcode.errors import TaskError
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks.reference import (
    MODEL,
    candidate_of,
    check_reference,
    needed_constants,
    with_constants,
)
from maxcode.tasks.toml import CLOSED, MEBIBYTES

ENTRY = "kernel.py"
MODES = ("strict", "kernelbench")
DEVICES = ("auto", "cpu", "cuda")
DTYPES = ("", "float32", "float16", "bfloat16")
BASELINES = ("eager", "compile")
DISTRIBUTIONS = MappingProxyType(
    {
        "task": "as get_inputs makes them",
        "normal": "standard normal",
        "uniform": "uniform on [-1, 1)",
        "positive": "uniform on [0.5, 1.5)",
        "shifted": "normal with mean 100 and deviation 1: sums that cancel lose their digits",
        "mixed-scale": "standard normal times 10**u, u uniform on [-2, 2) for each element: "
        "exponentials overflow, and an absolute tolerance hides nothing",
    }
)
"""Distributions of floating-point inputs, in words. Shapes, and all else, are the task's."""


def _check_one_of(where: str, name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        choices = ", ".join(choice or '""' for choice in known)
        raise TaskError(f"{where}: unknown {name} {value!r}; known: {choices}")


def _check_number(name: str, value: float, *, above_zero: bool) -> None:
    if not math.isfinite(value) or value < 0 or (above_zero and value == 0):
        bound = "above 0" if above_zero else "of at least 0"
        raise TaskError(f"judging: {name} must be a number {bound}, not {value}")


def _pairs(constants: object) -> object:
    return constants.items() if isinstance(constants, Mapping) else constants


Constants = tuple[tuple[str, bool | int | float | str | tuple[int | float | str, ...]], ...]
"""Values of module-level constants by name; a mapping in a task's file."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to make the inputs of a reference.

    ``constants`` gives module-level constants of the reference other values, sorted by name, and so
    leads to other shapes; ``distribution`` is in :data:`DISTRIBUTIONS`. A variant with a ``device``
    ("cpu" or "cuda") counts only there: sizes for a GPU are too large for a CPU.
    """

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    name: str = "default"
    constants: Annotated[Constants, BeforeValidator(_pairs)] = ()
    distribution: str = "task"
    device: str = ""

    def __post_init__(self) -> None:
        where = f"variant {self.name!r}"
        if not self.name:
            raise TaskError("a variant needs a name")
        _check_one_of(where, "distribution", self.distribution, tuple(DISTRIBUTIONS))
        _check_one_of(where, "device", self.device, ("", *DEVICES[1:]))
        names = [name for name, _ in self.constants]
        if len(set(names)) < len(names):
            raise TaskError(f"{where}: a constant is given twice in {names}")
        object.__setattr__(self, "constants", tuple(sorted(self.constants)))


@dataclass(frozen=True, slots=True)
class KernelJudging:
    """How a kernel is built, checked and timed.

    * ``mode``: "strict", or "kernelbench" for that benchmark's own verdict, which looks at the
      sizes of the first variant only and at neither ``train`` nor ``tolerance``
    * ``device``: "auto" is cuda where there is a GPU and cpu otherwise
    * ``dtype``: what floating-point inputs and weights are cast to; empty leaves them alone
    * ``train``: both modules are in training mode instead of evaluation
    * ``tolerance``: how far an output may be off, relative to its size; None takes it from the
      reference's own error against float64
    * ``variants``: all are checked; the first for a device is timed there
    * ``baselines``: "eager" is the reference as it is, which speedups are against; with "compile"
      they are reported against what torch.compile makes of it, too, which takes a minute
    * ``threads``: of a CPU; timing always uses this many
    * ``timeout`` of one forward call and ``build_timeout`` are in seconds, ``memory`` is bytes of
      main memory

    Raises :class:`~maxcode.errors.TaskError` that names what is wrong.
    """

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    mode: str = "strict"
    device: str = "auto"
    dtype: str = ""
    train: bool = False
    tolerance: float | None = None
    variants: tuple[Variant, ...] = (Variant(),)
    threads: int = 1
    timeout: float = 30.0
    build_timeout: float = 300.0
    memory: Annotated[int, Field(validation_alias="memory_mb"), MEBIBYTES] = 8 << 30
    baselines: tuple[str, ...] = ("eager",)

    def __post_init__(self) -> None:
        _check_one_of("judging", "mode", self.mode, MODES)
        _check_one_of("judging", "device", self.device, DEVICES)
        _check_one_of("judging", "dtype", self.dtype, DTYPES)
        for baseline in self.baselines:
            _check_one_of("judging", "baseline", baseline, BASELINES)
        if "eager" not in self.baselines:
            raise TaskError('judging: "eager" must be among the baselines')
        for name in ("timeout", "build_timeout", "tolerance"):  # 10 and 10.0 are the same
            if (value := getattr(self, name)) is not None:
                _check_number(name, value, above_zero=name != "tolerance")
                object.__setattr__(self, name, float(value))
        for name in ("threads", "memory"):
            if (value := getattr(self, name)) < 1:
                raise TaskError(f"judging: {name} must be at least 1, not {value}")
        names = [variant.name for variant in self.variants]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise TaskError(f"judging: there are two variants {doubled[0]!r}; names must differ")
        for device in DEVICES[1:] if self.device == "auto" else (self.device,):
            if not self.variants_on(device):
                raise TaskError(f"judging: there is no variant for device {device!r}; add one")

    def variants_on(self, device: str) -> tuple[Variant, ...]:
        """The variants for "cpu" or "cuda"; the first of them is the timed variant."""
        return tuple(variant for variant in self.variants if variant.device in ("", device))


@dataclass(frozen=True)
class KernelTask(Task):
    """Compute the same as a PyTorch module, faster.

    ``reference`` is the source of a file in KernelBench's format: it defines class ``Model``,
    ``get_inputs()`` and ``get_init_inputs()``. A candidate defines class ``ModelNew`` in
    "kernel.py", with the same arguments for the constructor and ``forward``; the ``baseline`` is
    the reference made such a candidate. With ``backward`` gradients of inputs and parameters are
    judged and timed besides outputs, in strict mode only.

    Raises :class:`~maxcode.errors.TaskError` for a reference that lacks a part, and for a variant
    beyond its constants. Nothing of it is run here.
    """

    executor: ClassVar[str] = "kernel"
    prompts: ClassVar[str] = "kernel"

    baseline: Program = field(init=False)
    language: str = "python"
    reference: str = field(kw_only=True)
    judging: KernelJudging = field(default=KernelJudging(), kw_only=True)
    backward: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        where = f"the reference of task {self.name!r}"
        check_reference(self.reference, where)
        code = candidate_of(self.reference, where)
        object.__setattr__(self, "baseline", Program.of(code, ENTRY))
        super().__post_init__()
        if self.backward and self.judging.mode != "strict":
            raise TaskError(
                f'task {self.name!r}: backward goes with mode "strict"; by the rules of '
                "benchmarks there are no gradients"
            )
        needed = needed_constants(self.reference)
        for variant in self.judging.variants:
            try:
                self.reference_of(variant)
            except TaskError as error:
                raise TaskError(f"variant {variant.name!r}: {error}") from error
            if inside := [name for name, _ in variant.constants if name in needed]:
                raise TaskError(
                    f"variant {variant.name!r}: {where} uses constant {inside[0]!r} inside class "
                    f"{MODEL}, where candidates have a value of their own; make it an argument "
                    "that get_init_inputs gives"
                )

    def reference_of(self, variant: Variant) -> str:
        """The reference with the constants of a variant."""
        where = f"the reference of task {self.name!r}"
        return with_constants(self.reference, dict(variant.constants), where)

    def content(self) -> Iterator[bytes]:
        """The task's own parts, its reference, and how it is judged."""
        yield from super().content()
        yield self.reference.encode()
        yield repr(self.judging).encode()
        if self.backward:
            yield b"backward"
