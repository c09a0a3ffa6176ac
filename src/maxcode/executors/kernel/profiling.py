"""The profile of a kernel, from what its process tells; nothing of that is taken unchecked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from maxcode.evaluation import (
    ROOFLINE_TOLERANCE,
    HotFunction,
    Interval,
    KernelUse,
    Measurement,
    Profile,
    Roofline,
    Status,
)
from maxcode.executors.kernel.candidate import CandidateSide, kernel_text, plain, uses
from maxcode.executors.kernel.reference import KernelFailedError
from maxcode.program import Program
from maxcode.tasks.kernel import ENTRY, KernelTask
from maxcode.toolchain.extension_cuda import KernelResources


def roofline_text(roof: Roofline) -> str:
    """Where the speed of light comes from: bytes and operations of the reference, and the roofs."""
    operations = f"{scaled(roof.operations)}flop at {scaled(roof.peak)}flop/s in {roof.dtype}"
    return (
        f"speed of light {roof.seconds * 1e3:.3g} ms a call, bound by {roof.bound}: "
        f"{scaled(roof.moved)}B of inputs, weights and outputs at {scaled(roof.bandwidth)}B/s, "
        f"{operations}, {roof.intensity:.2g} operations a byte"
    )


def reached(roof: Roofline, seconds: float) -> str:
    """The share of the speed of light that a call reaches."""
    share = roof.share(seconds)
    if share > ROOFLINE_TOLERANCE:
        return (
            f"{100 * share:.0f} % of the speed of light of the reference's computation: it does "
            "with fewer operations or less data, or computes in narrower numbers"
        )
    return f"{100 * share:.2g} % of the speed of light (bound by {roof.bound})"


def scaled(number: float) -> str:
    """A number with three digits and its prefix: 2.1e9 is "2.1 G"."""
    for prefix in ("", "k", "M", "G"):
        if abs(number) < 999.5:
            return f"{number:.3g} {prefix}"
        number /= 1000
    return f"{number:.4g} T"


CALLS = 3
"""Calls that are profiled."""

OUTSIDE = "(outside of operators)"
"""The function that stands for a call's own time: Python, and code that torch does not see."""

_MIN_SHARE = 0.005  # share that is kept
_MAX_ROWS, _SHOWN = 24, 10
_LARGEST = 1e15
_NARROW = {"c10::Half": "float16", "c10::BFloat16": "bfloat16"}
_NARROW |= {"half": "float16", "__nv_bfloat16": "bfloat16"}


def profile(side: CandidateSide, seed: int, yardsticks: Yardsticks) -> Profile:
    """Profile a candidate that has inputs for :data:`CALLS` calls.

    Raises :class:`KernelFailedError` for what it does wrong now, be it that it tells nonsense.
    """
    told = side.profile(seed, CALLS)
    rows = [_Row(row) for row in _listed(told, "rows")]
    total = sum(row.self for row in rows)
    if not rows or total <= 0 or told.get("calls") != CALLS:
        raise KernelFailedError(Status.SUSPECT, "its process tells no profile")
    changes = changed(side.settings(), yardsticks.settings)
    found = Profile(
        "",
        functions=tuple(_functions(rows, total)),
        seconds=_number(told, "microseconds") / CALLS / 1e6,
        launches=round(_number(told, "launches") / CALLS),
        peak_memory=_number(told, "peak"),
        allocated=_number(told, "allocated") / CALLS,
        allocations=round(_number(told, "allocations") / CALLS),
        kernels=tuple(_kernels(rows, side.resources)),
        roofline=yardsticks.roof,
        precision=(*changes, *_narrowed(rows, yardsticks.roof.dtype)),
    )
    return replace(found, text=profile_text(found))


def changed(told: Mapping[str, Any], asked: Mapping[str, str]) -> Iterator[str]:
    """The settings of torch that a process tells to be others than ``asked``, in words."""
    for name, value in asked.items():
        now = plain(told.get(name))
        if now != value:
            yield f"{name} is {now}, not {value}"


def profile_text(found: Profile) -> str:
    """The short form: at most 30 lines."""
    return "\n".join(_lines(found))


class _Row:
    """A row as a process tells it."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.name = OUTSIDE if told.get("outside") is True else plain(told.get("name"))
        self.calls = int(_number(told, "calls"))
        self.self = _number(told, "self")
        self.total = _number(told, "total")
        self.own = told.get("own") is True
        types = told.get("types")
        types = types[:16] if isinstance(types, list) else []
        self.types = [one for one in types if isinstance(one, str)]
        use = told.get("use")
        self.use = _use(self.name, use) if isinstance(use, dict) else None


def _listed(told: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    rows = told.get(key)
    if not isinstance(rows, list):
        return []
    return [row for row in rows[:64] if isinstance(row, dict)]


def _number(told: Mapping[str, Any], key: str) -> float:
    """A finite number of at least 0. Raises :class:`KernelFailedError` for anything else."""
    value = told.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        value = math.nan
    if not 0 <= value <= _LARGEST:
        raise KernelFailedError(Status.SUSPECT, f"its process tells no profile: {key}")
    return float(value)


def _use(name: str, told: Mapping[str, Any]) -> KernelUse:
    return KernelUse(
        name,
        int(_number(told, "registers")),
        int(_number(told, "shared")),
        grid=_triple(told.get("grid")),
        block=_triple(told.get("block")),
    )


def _triple(value: Any) -> tuple[int, int, int] | None:
    if not (isinstance(value, list) and len(value) == 3):
        return None
    if not all(isinstance(one, int) and 0 < one < 1 << 31 for one in value):
        return None
    return value[0], value[1], value[2]


def _functions(rows: Sequence[_Row], total: float) -> Iterator[HotFunction]:
    """Shares are ours: of the sum of what the rows took themselves."""
    ranked = sorted(rows, key=lambda row: (-row.self, row.name))
    kept = (
        HotFunction(
            row.name,
            row.self / total,
            min(1.0, max(row.self, row.total) / total),
            max(1, round(row.calls / CALLS)),
            row.own,
        )
        for row in ranked
        if max(row.self, row.total) >= _MIN_SHARE * total
    )
    yield from islice(kept, _MAX_ROWS)


def _kernels(rows: Sequence[_Row], resources: Sequence[KernelResources]) -> Iterator[KernelUse]:
    """As they were started; with what the compiler says, and those it alone knows of."""
    built = {one.name.partition("(")[0]: one for one in uses(resources)}
    for row in rows:
        if row.use is not None:
            known = built.pop(row.name.partition("(")[0], None)
            yield replace(row.use, spilled=known.spilled) if known else row.use
    yield from built.values()


def _narrowed(rows: Sequence[_Row], dtype: str) -> Iterator[str]:
    """Operators that computed with narrower numbers than the task's."""
    narrow: dict[str, list[str]] = {}
    for row in rows:
        for one in {_NARROW[one] for one in row.types if one in _NARROW} - {dtype}:
            narrow.setdefault(one, []).append(row.name)
    for kind, names in sorted(narrow.items()):
        if dtype in ("float32", "float64"):
            yield f"{kind} numbers go into {', '.join(sorted(names)[:4])}; the task's are {dtype}"


def _lines(found: Profile) -> Iterator[str]:
    seconds, roof = found.seconds or 0.0, found.roofline
    yield (
        f"by what its process says of itself, a call: {seconds * 1e3:.3g} ms with the profiler, "
        f"{found.launches} operators or kernels started by forward, "
        f"{found.allocations} allocations of {scaled(found.allocated or 0)}B, "
        f"at most {scaled(found.peak_memory or 0)}B of them held at a time"
    )
    if roof is not None:
        yield roofline_text(roof)
    yield from (f"precision: {said}" for said in found.precision[:4])
    yield ""
    yield " self  total  calls  operator, extension's function or kernel"
    for one in found.functions[:_SHOWN]:
        own = " (the program's own)" if one.own else ""
        yield f"{_percent(one.share)}  {_percent(one.inclusive)}  {one.calls:>5,}  {one.name}{own}"
    if found.kernels:
        yield ""
        yield from (kernel_text(use) for use in found.kernels)


def _percent(share: float) -> str:
    return f"{100 * share:>3.0f} %"


_PRECISION, _FULL = "torch.get_float32_matmul_precision()", "highest"


@dataclass(frozen=True, slots=True)
class Yardsticks:
    """What a kernel is held against besides the eager reference.

    ``roof`` is the speed of light of the reference's computation, ``settings`` are those of torch
    that the reference computes with, ``compiled`` is by torch.compile, if the task asks for that.
    """

    roof: Roofline
    settings: Mapping[str, str]
    compiled: Compiled | None = None

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """In seconds of a call."""
        light = Measurement("speed of light", "s", (self.roof.seconds,))
        samples = self.compiled.samples if self.compiled else None
        return (light, samples) if samples else (light,)

    def of_reference(self, seconds: float) -> str:
        """What is said of the reference, of which a call takes so long."""
        said = reached(self.roof, seconds)
        precision = self.settings.get(_PRECISION, _FULL)
        if self.roof.dtype == "float32" and precision != _FULL:
            said += f", float32 matrix products at precision {precision!r}"
        return f"{said}; {self.compiled}" if self.compiled else said

    def of_candidate(self, ratio: Interval, seconds: float, changes: Sequence[str]) -> str:
        """What is said of a candidate: ``ratio`` is against the eager reference."""
        said = f"{ratio} against the reference"
        if self.compiled is not None and self.compiled.ratio is not None:
            said += f", {ratio.value / self.compiled.ratio.value:.2f}x against torch.compile"
        said += f"; {reached(self.roof, seconds)}"
        if changes:
            said += f"; beware, its precision is not as asked: {'; '.join(changes)}"
        return said


_COMPILING = """

def _compiling(construct):
    def constructed(self, *arguments, **named):
        construct(self, *arguments, **named)
        self.compile()

    return constructed


ModelNew.__init__ = _compiling(ModelNew.__init__)
"""
_SETTING = 'import os\n\nos.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"\n'


@dataclass(frozen=True, slots=True)
class Compiled:
    """How many times faster the reference is by torch.compile, or why that is not known."""

    ratio: Interval | None
    samples: Measurement | None = None
    problem: str = ""

    def __str__(self) -> str:
        if self.ratio is None:
            return f"no baseline by torch.compile: {_shortened(self.problem)}"
        return f"torch.compile makes it {self.ratio} as fast"


def compiled_program(task: KernelTask) -> Program:
    """The task's own module, compiled at its first call."""
    code = task.baseline.code
    return Program.of(f"{code}\n{_SETTING}{_COMPILING}", ENTRY)


def _shortened(problem: str) -> str:
    """The first line, and the first that a compiler calls an error."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    errors = [line for line in lines[1:] if "error:" in line]
    return " ".join(line[-200:] for line in [*lines[:1], *errors[:1]])
