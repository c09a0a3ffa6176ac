"""Errors of outputs, as a distribution, and their limits.

Limits come from :mod:`honest ways <maxcode.executors.kernel.worker.reorderings>` to compute. All
measures are relative to the size of the expected output.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

MEASURES = ("rms", "median", "row", "element")
"""Measures of an output's error.

* ``rms``: its root mean square over that of the output
* ``median``, ``row``: of the rows, the length of the error over that of the row
* ``element``: the largest error of an element over the root mean square of its row

A row runs along the last dimension. It counts at least a hundredth of the typical, lest rows that
cancel decide; on inputs made uneven on purpose as much as the typical, as Strassen's products and
Fourier transforms are as good as the largest of the numbers that they mix.
"""

USUAL_ROW, UNEVEN_ROW = 1e-2, 1.0
"""The least size of a row, of the typical row."""

ENOUGH = 1 << 26, 64
"""Elements and rows of an output, that say how far off all may be."""

LEAST_ROW = "least row"  # beside what is allowed: which of the two goes with it
_TOLERANCES = {
    "row": "a row may be off by",
    "element": "an element, of its row's size, by",
    "wrong": "of integers so many may differ:",
}
_WORDS = {
    "rms": "it is off by {0:.2g} relative to its size, over all; {1:.2g} is allowed",
    "median": "half of its rows are off by {0:.2g} relative to their size; {1:.2g} is allowed",
    "row": "it is off by {0:.2g} relative to the size of a row; {1:.2g} is allowed",
    "element": "an element is off by {0:.2g} relative to its row's; {1:.2g} is allowed",
}

Errors = Mapping[str, float]
"""The :data:`MEASURES` of one output; of integers the share that is ``wrong``."""


@dataclass(frozen=True)
class Precision:
    """Limits for a type of numbers, as found by benchmarks/kernel_errors.py.

    ``multiple`` of the errors of honest ways, plus ``least``; ``in_turn`` times the errors of sums
    taken element by element. An output with errors from ``ceiling`` on cannot be judged.
    """

    multiple: float
    in_turn: float
    least: float
    ceiling: float


PRECISIONS = {
    torch.float64: Precision(10.0, 4.0, 2e-15, 1e-6),
    torch.float32: Precision(10.0, 4.0, 4e-7, 1e-3),
    torch.float16: Precision(2.0, 2.0, 1e-4, 3e-2),
    torch.bfloat16: Precision(2.0, 2.0, 5e-4, 1e-1),
}
_OTHER = Precision(2.0, 2.0, 1e-2, 0.3)
_CHANCE = 0.01  # of integers, that rounding may decide
_EXACTLY = 4.0  # times the share of integers that honest ways give otherwise
_PART, _DEVICE_PART = 1 << 16, 1 << 22  # elements at a time: in caches, and of a GPU as room is
_REACH = {"row": 2.0, "element": 2.0}  # extremes differ more from one input to the next


def precision(dtype: torch.dtype) -> Precision:
    """Limits for a type; complex numbers have the limits of their parts."""
    return PRECISIONS.get(dtype.to_real() if dtype.is_complex else dtype, _OTHER)


def rows(one: torch.Tensor) -> tuple[int, int]:
    """Rows and columns; a single row in place of a single column."""
    columns = one.shape[-1] if one.dim() and one.shape[-1] > 1 else one.numel()
    return one.numel() // max(columns, 1), columns


def errors(found: torch.Tensor, wanted: torch.Tensor, least_row: float = USUAL_ROW) -> Errors:
    """Errors of an output of the right shape.

    ``least_row`` is :data:`USUAL_ROW` or :data:`UNEVEN_ROW`. All are infinite if NaN or infinities
    are in different places, or of different sign.
    """
    if not (wanted.is_floating_point() or wanted.is_complex()):
        wrong = int((found != wanted).sum())
        return {"wrong": wrong / max(wanted.numel(), 1)}
    if not wanted.numel():
        return dict.fromkeys(MEASURES, 0.0)
    found, wanted = plain(found), plain(wanted)
    if wanted.is_complex():
        found, wanted = torch.view_as_real(found), torch.view_as_real(wanted)
    wide = torch.promote_types(_wide(found), _wide(wanted))
    ours, theirs = (one.to(wide).reshape(rows(one)) for one in (found, wanted))
    off = _finite_errors(ours, theirs, least_row)
    if off["rms"] < math.inf:
        return off
    odd = ~(ours.isfinite() & theirs.isfinite())
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    if not bool(same[odd].all()):
        return off
    return _finite_errors(ours.masked_fill(odd, 0), theirs.masked_fill(odd, 0), least_row)


def _finite_errors(ours: torch.Tensor, theirs: torch.Tensor, least_row: float) -> Errors:
    """Errors of rows; all infinite if some elements are not finite."""
    sizes, lengths, farthest = [], [], []
    for some, others in zip(_in_parts(ours), _in_parts(theirs), strict=True):
        off = some - others
        sizes.append(_root_mean_squares(others))
        lengths.append(_root_mean_squares(off))
        farthest.append(off.abs().amax(dim=1).double())
    size, off_by = torch.cat(sizes), torch.cat(lengths)
    typical, rms = (float(one.square().mean().sqrt()) for one in (size, off_by))
    if not (math.isfinite(typical) and math.isfinite(rms)):
        return dict.fromkeys(MEASURES, math.inf)
    typical = max(typical, 1e-30)
    size = size.clamp_min(max(least_row * typical, 1e-30))
    relative = off_by / size
    return {
        "rms": rms / typical,
        "median": float(relative.median()),
        "row": float(relative.max()),
        "element": float((torch.cat(farthest) / size).max()),
    }


def _in_parts(lines: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tensors.in_parts(lines, _PART if lines.device.type == "cpu" else _DEVICE_PART)


def _root_mean_squares(lines: torch.Tensor) -> torch.Tensor:
    lengths: torch.Tensor = torch.linalg.vector_norm(lines, dim=1, dtype=torch.float64)
    return lengths / math.sqrt(lines.shape[1])


def largest(found: Sequence[Errors]) -> Errors:
    """Maximum of each measure."""
    return {name: max(one[name] for one in found) for name in found[0]}


def weighed(off: Errors, share: float) -> Errors:
    """Errors weighted by a share, for use among those of honest ways."""
    return {name: value if name == "wrong" else share * value for name, value in off.items()}


def limits(honest: Errors, dtype: torch.dtype, count: int, least_row: float = USUAL_ROW) -> Errors:
    """Limits of an output of ``count`` elements, from errors of honest ways with ``least_row``."""
    if "wrong" in honest:
        return {"wrong": _EXACTLY * honest["wrong"]}
    rule = precision(dtype)
    # Few elements say little of a distribution: all may happen to be right in honest ways.
    multiple = rule.multiple * (1 + 2.8 / max(count, 1) ** 0.5)
    allowed = {
        name: _REACH.get(name, 1.0)
        * (multiple * value + rule.least * (4 if name == "element" else 1))
        for name, value in honest.items()
    }
    allowed["rms"] = min(allowed["rms"], rule.ceiling * 2)
    return {**allowed, LEAST_ROW: least_row}


def within_rows(tolerance: float, columns: int) -> Errors:
    """Limits by a task's own tolerance: a share of each row, and nothing else."""
    allowed = dict.fromkeys(MEASURES, math.inf)
    return {**allowed, "row": tolerance, "element": tolerance * columns**0.5, "wrong": 0.0}


def described(limits: Sequence[Errors]) -> str:
    """Text of the widest limits of all outputs."""
    widest = {name: max(one.get(name, 0.0) for one in limits) for name in _TOLERANCES}
    words = [f"{_TOLERANCES[name]} {value:.2g}" for name, value in widest.items() if value]
    return f"tolerance: {', '.join(words) or 'none'}"


def noise(honest: Errors, dtype: torch.dtype) -> str:
    """Reason an output is useless, if honest ways to compute it disagree; else ""."""
    if "wrong" in honest:
        share = honest["wrong"]
        return f"honest ways to compute it differ in {share:.2g} of it" if share > _CHANCE else ""
    if honest["rms"] <= precision(dtype).ceiling:
        return ""
    return (
        f"it is mostly rounding error: honest ways to compute it in {_name(dtype)} are off by "
        f"{honest['rms']:.2g} of its size"
    )


def problem(found: torch.Tensor, wanted: torch.Tensor, allowed: Errors) -> str:
    """Fault of an output of the right shape and type; "" if its values are right."""
    off = errors(found, wanted, allowed.get(LEAST_ROW, USUAL_ROW))
    if "wrong" in off:
        wrong = round(off["wrong"] * wanted.numel())
        bad = off["wrong"] > allowed.get("wrong", 0.0)
        return f"{wrong} of {wanted.numel()} elements are not what they should be" if bad else ""
    if off["rms"] == math.inf:
        return _misplaced(plain(found).isfinite(), plain(wanted).isfinite())
    for name in ("row", "element", "rms", "median"):
        if not off[name] <= allowed[name]:
            return _WORDS[name].format(off[name], allowed[name])
    return ""


def is_hopeless(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Whether half of the rows are too far off to be explained by rounding."""
    off = errors(found, wanted)
    return (
        off.get("wrong", 0.0) > _CHANCE
        or not off.get("median", 0.0) <= precision(wanted.dtype).ceiling
    )


def _misplaced(found: torch.Tensor, wanted: torch.Tensor) -> str:
    """Problem of an output with misplaced NaN or infinities, from masks of finite elements."""
    if count := int((~found & wanted).sum()):
        return f"{count} of {wanted.numel()} elements are NaN or infinite and should not be"
    if bool((found & ~wanted).any()):
        return "it is finite where it should be NaN or infinite"
    return "it has NaN, inf or -inf where another of these should be"


def equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are equal; NaN equals NaN."""
    return torch.equal(torch.nan_to_num(plain(one)), torch.nan_to_num(plain(other)))


def plain(one: torch.Tensor) -> torch.Tensor:
    """The tensor in a type torch can compute with, unlike eight-bit floats."""
    narrow = one.is_floating_point() and one.element_size() < 2
    return one.to(torch.float32) if narrow else one


def _wide(one: torch.Tensor) -> torch.dtype:
    return torch.promote_types(one.dtype, torch.float32)


def _name(dtype: torch.dtype) -> Any:
    return str(dtype).removeprefix("torch.")
