"""The profile of a kernel, from what its process tells; nothing of that is taken unchecked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from maxcode.evaluation import HotFunction, KernelUse, Profile, Status
from maxcode.executors.kernel import roofline
from maxcode.executors.kernel.candidate_side import CandidateSide
from maxcode.executors.kernel.resources import described, plain, uses
from maxcode.executors.kernel.sides import KernelFailedError
from maxcode.executors.kernel.standing import Yardsticks
from maxcode.toolchain.extension_resources import KernelResources

CALLS = 3
"""Calls that are profiled."""

OUTSIDE = "(outside of operators)"
"""The function that stands for a call's own time: Python, and code that torch does not see."""

_LEAST = 0.005  # share that is kept
_MOST, _SHOWN = 24, 10
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
        if max(row.self, row.total) >= _LEAST * total
    )
    yield from islice(kept, _MOST)


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
        f"{found.allocations} allocations of {roofline.scaled(found.allocated or 0)}B, "
        f"at most {roofline.scaled(found.peak_memory or 0)}B of them held at a time"
    )
    if roof is not None:
        yield roofline.described(roof)
    yield from (f"precision: {said}" for said in found.precision[:4])
    yield ""
    yield " self  total  calls  operator, extension's function or kernel"
    for one in found.functions[:_SHOWN]:
        own = " (the program's own)" if one.own else ""
        yield f"{_percent(one.share)}  {_percent(one.inclusive)}  {one.calls:>5,}  {one.name}{own}"
    if found.kernels:
        yield ""
        yield from (described(use) for use in found.kernels)


def _percent(share: float) -> str:
    return f"{100 * share:>3.0f} %"
