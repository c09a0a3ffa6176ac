"""How far outputs are off, as a distribution, and how far they may be.

Outputs are held against what honest ways to compute the same give in the task's precision: see
:mod:`maxcode.executors.kernel.worker.reorderings`. All measures are relative to the size of what is
expected.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

MEASURES = ("rms", "median", "row", "element", "bias", "own", "place")
"""What is measured of an output's error.

* ``rms``: its root mean square over that of the output
* ``median``, ``row``: the length of a row's error over that of the row; of the rows, the median and
  the largest
* ``element``: the largest error of an element over the root mean square of its row
* ``bias``: the mean error over the root mean square of the output
* ``own``: as ``rms``, of what is left when each row may have a shift and a scale of its own: a sum
  that a whole row is divided by says nothing of how its elements may be rounded
* ``place``: the length of the error of a slice along any dimension over that of the slice, the
  largest; where honest ways are as good in slices that are small beside others, all have to be

A row runs along the last dimension. One that is far smaller than the others counts as if it were a
hundredth of the typical, lest rows that cancel decide. On inputs that were made uneven on purpose
no row counts less than the typical: Strassen's products and Fourier transforms are as good as the
largest of what they mix.
"""

USUAL_ROW, UNEVEN_ROW = 1e-2, 1.0
"""Of the typical row: what a row counts at least."""

ENOUGH = 1 << 26, 64
"""Elements and rows of an output, that say how far off all may be."""

LEAST_ROW = "least row"  # beside what is allowed: which of the two goes with it
_WORDS = {
    "rms": "it is off by {0:.2g} relative to its size, over all; {1:.2g} is allowed",
    "median": "half of its rows are off by {0:.2g} relative to their size; {1:.2g} is allowed",
    "row": "it is off by {0:.2g} relative to the size of a row; {1:.2g} is allowed",
    "element": "an element is off by {0:.2g} relative to its row's; {1:.2g} is allowed",
    "bias": "its mean is off by {0:.2g} relative to its size; {1:.2g} is allowed",
    "own": "its elements are off by {0:.2g} beside what whole rows are; {1:.2g} is allowed",
    "place": "a slice of it is off by {0:.2g} relative to its own size; {1:.2g} is allowed",
    "wrong": "{0:.2g} of its elements are not what they should be; {1:.2g} is allowed",
}

Errors = Mapping[str, float]
"""The :data:`MEASURES` of one output; of integers the share that is ``wrong``."""


@dataclass(frozen=True)
class Precision:
    """What is allowed in a type of numbers.

    ``multiple`` of what honest ways to compute are off by, and ``least`` in any case; ``in_turn``
    times what sums are off by that are taken element by element, which hardly anybody does worse.
    From ``ceiling`` on there is nothing to judge. The first is chosen between what benchmarks/
    kernel_errors.py finds of honest algorithms and of the next lower precision.
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
_SHARE = 1 / 8  # of what exchanged inputs change, that an error may be
_CLEAR = 2.0  # times what honest ways are off by, that must be allowed for anything to be judged
_CHANCE = 0.01  # of integers, that rounding may decide
_EXACTLY = 4.0  # times the share of integers that honest ways give otherwise
_SHORT = 1 << 16  # elements of a row, that may be added up in their own type
_PART, _DEVICE_PART = 1 << 16, 1 << 22  # elements at a time: in caches, and of a GPU as room is
_FITS = 1e-8, 1e8  # sizes, whose squares neither overflow nor vanish in any type compared in
_STRETCH = 1 << 14  # elements, among which some are telling
_TRIES = 4  # stretches
_SLICE = 16  # elements at least, whose size says something; shorter slices count with the next
_LEAST_SLICE = 1e-6  # of the typical, that a slice counts at least; nobody is exact beside others
# Extremes differ more from one input to the next; of slices that are mostly zeros, still more.
_REACH = {"row": 2.0, "element": 2.0, "place": 4.0}


def precision(dtype: torch.dtype) -> Precision:
    """Of complex numbers that of their parts."""
    return PRECISIONS.get(dtype.to_real() if dtype.is_complex else dtype, _OTHER)


def rows(one: torch.Tensor) -> tuple[int, int]:
    """Rows and columns; one row where there would be a single column."""
    columns = one.shape[-1] if one.dim() and one.shape[-1] > 1 else one.numel()
    return one.numel() // max(columns, 1), columns


def errors(found: torch.Tensor, wanted: torch.Tensor, least_row: float = USUAL_ROW) -> Errors:
    """How far an output of the right shape is off.

    ``least_row`` is one of :data:`USUAL_ROW` and :data:`UNEVEN_ROW`. All are infinite where only
    one of both is no finite number, or an infinity of another sign.
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
    found_errors = _finite_errors(ours, theirs, least_row, wanted.shape)
    if math.isfinite(found_errors["rms"]):
        return found_errors
    odd = ~(ours.isfinite() & theirs.isfinite())
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    if not bool(same[odd].all()):
        return dict.fromkeys(MEASURES, math.inf)
    ours, theirs = ours.masked_fill(odd, 0), theirs.masked_fill(odd, 0)
    return _finite_errors(ours, theirs, least_row, wanted.shape)


def _finite_errors(
    ours: torch.Tensor, theirs: torch.Tensor, least_row: float, shape: torch.Size
) -> Errors:
    """Of rows of an output with that shape; not finite where an element is not."""
    adding = ours.dtype  # ten times as fast as double precision
    size = _row_sizes(theirs, adding)
    typical = float(size.square().mean().sqrt())
    if not (ours.shape[1] <= _SHORT and _FITS[0] < typical < _FITS[1]):
        adding = torch.float64
    off = _off(ours, theirs, adding)
    if adding != torch.float64 and not float(off.farthest.max()) < _FITS[1]:
        adding = torch.float64
        off = _off(ours, theirs, adding)
    if adding != ours.dtype:
        size = _row_sizes(theirs, adding)
        typical = float(size.square().mean().sqrt())
    typical = max(typical, 1e-30)
    least_slice = _LEAST_SLICE if least_row < UNEVEN_ROW else UNEVEN_ROW
    place = max(_places(off, size, shape, max(least_slice * typical, 1e-30)))
    size = size.clamp_min(max(least_row * typical, 1e-30))
    relative = off.rows / size
    return {
        "rms": float(off.rows.square().mean().sqrt()) / typical,
        "median": float(relative.median()),
        "row": float(relative.max()),
        "element": float((off.farthest / size).max()),
        "bias": abs(float(off.means.mean(dtype=torch.float64))) / typical,
        "own": float(off.own.square().mean().sqrt()) / typical,
        "place": place,
    }


@dataclass(frozen=True)
class _Off:
    """Errors of rows: the largest, their root mean square, that of what is ``own``, their mean.

    And the lengths of ``columns`` of the errors and of what is ``wanted``.
    """

    farthest: torch.Tensor
    rows: torch.Tensor
    own: torch.Tensor
    means: torch.Tensor
    columns: torch.Tensor
    wanted: torch.Tensor


def _off(ours: torch.Tensor, theirs: torch.Tensor, adding: torch.dtype) -> _Off:
    rows, columns = [], []
    parts = (_in_parts(one) for one in (ours, theirs))
    for some, others in zip(*parts, strict=True):
        off = some - others
        columns.append([_lengths(one, adding, dim=0) for one in (off, others)])
        farthest, means = off.abs().amax(dim=1), off.mean(dim=1, dtype=adding)
        size = _row_sizes(off, adding)
        rows.append(
            (
                farthest.to(torch.float64),
                size,
                _row_sizes(_own(off.to(adding), others), adding),
                means,
            )
        )
    lengths = (
        _lengths(torch.stack(one), torch.float64, dim=0) for one in zip(*columns, strict=True)
    )
    return _Off(*map(torch.cat, zip(*rows, strict=True)), *lengths)


def _own(off: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """What is left of errors, which may be overwritten, beside a shift and a scale of each row."""
    off = off.sub_(off.mean(dim=1, keepdim=True))
    shape = wanted.to(off.dtype)
    shape = shape - shape.mean(dim=1, keepdim=True)
    squares = torch.linalg.vector_norm(shape, dim=1).square_().clamp_min_(1e-30)
    scale = torch.linalg.vecdot(off, shape).div_(squares)
    off.addcmul_(shape, scale[:, None], value=-1)
    return off


def _places(off: _Off, size: torch.Tensor, shape: torch.Size, least: float) -> Iterator[float]:
    """The largest error of a slice along each dimension over its size; ``size`` is of rows.

    Of outputs of which some rows are learned from, along the last alone.
    """
    count, columns = len(size), len(off.columns)
    pairs = [(off.columns, off.wanted, count)]
    if count * columns <= ENOUGH[0] and columns == shape[-1:].numel():
        scaled = [(one * columns**0.5).reshape(shape[:-1]) for one in (off.rows, size)]
        for dim, length in enumerate(shape[:-1]):
            others = [n for n in range(len(shape) - 1) if n != dim]
            found = [_lengths(one, one.dtype, dim=others) if others else one for one in scaled]
            pairs.append((found[0], found[1], count * columns // length))
    for errors, sizes, each in pairs:
        together = -(-_SLICE // each)
        ours, theirs = (
            torch.nn.functional.pad(one.square(), (0, -len(one) % together))
            .reshape(-1, together)
            .sum(dim=1)
            for one in (errors, sizes)
        )
        floor = least * (each * together) ** 0.5
        relative = ours.sqrt() / theirs.sqrt().clamp_min(floor)
        yield float(relative[theirs > 0].max()) if bool((theirs > 0).any()) else 0.0


def _lengths(one: torch.Tensor, adding: torch.dtype, dim: Any) -> torch.Tensor:
    found: torch.Tensor = torch.linalg.vector_norm(one, dim=dim, dtype=adding)
    return found.to(torch.float64)


def _in_parts(lines: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tensors.in_parts(lines, _PART if lines.device.type == "cpu" else _DEVICE_PART)


def _row_sizes(lines: torch.Tensor, adding: torch.dtype) -> torch.Tensor:
    """The root mean square of each row, whose squares are added in this type."""
    lengths = torch.cat([_lengths(one, adding, 1) for one in _in_parts(lines)])
    return lengths / math.sqrt(lines.shape[1])


def largest(found: Sequence[Errors]) -> Errors:
    """The largest of each measure."""
    return {name: max(one[name] for one in found) for name in found[0]}


def weighed(off: Errors, dtype: torch.dtype) -> Errors:
    """Errors of sums taken in turn, as they count among those of other honest ways."""
    rule = precision(dtype)
    share = rule.in_turn / rule.multiple
    return {name: value if name == "wrong" else share * value for name, value in off.items()}


def limits(
    honest: Errors, dtype: torch.dtype, effect: float, count: int, least_row: float = USUAL_ROW
) -> Errors:
    """What is allowed of an output of so many elements, whose errors were taken with ``least_row``.

    ``honest`` are errors of honest ways to compute, ``effect`` is by how much other inputs change
    the output, in ``rms``; of that, an error may be an eighth at most, but always twice those.
    """
    if "wrong" in honest:
        return {"wrong": _EXACTLY * honest["wrong"]}
    rule = precision(dtype)
    # Few elements say little of a distribution: all may happen to be right in honest ways.
    multiple = rule.multiple * (1 + 4 / max(count, 1) ** 0.5)
    allowed = {
        name: multiple * _REACH.get(name, 1.0) * max(value, honest["rms"] if name == "bias" else 0)
        + _REACH.get(name, 1.0) * rule.least * (4 if name == "element" else 1)
        for name, value in honest.items()
    }
    allowed["bias"] = min(allowed["bias"], allowed["rms"])
    allowed["rms"] = min(allowed["rms"], rule.ceiling * 2)
    if effect > 0:
        shrink = min(1.0, _SHARE * effect / allowed["rms"])
        least = {
            name: _CLEAR * (value if name in ("own", "place") else max(value, honest["rms"]))
            for name, value in honest.items()
        }
        allowed = {name: max(shrink * value, least[name]) for name, value in allowed.items()}
    return {**allowed, LEAST_ROW: least_row}


def within_rows(tolerance: float, columns: int) -> Errors:
    """What a task's own tolerance allows: so much of each row, and nothing else is asked."""
    allowed = dict.fromkeys(MEASURES, math.inf)
    return {**allowed, "row": tolerance, "element": tolerance * columns**0.5, "wrong": 0.0}


def noise(honest: Errors, dtype: torch.dtype) -> str:
    """Why an output is of no use, if honest ways to compute it agree too little; else ""."""
    if "wrong" in honest:
        share = honest["wrong"]
        return f"honest ways to compute it differ in {share:.2g} of it" if share > _CHANCE else ""
    if honest["rms"] <= precision(dtype).ceiling:
        return ""
    return (
        f"it is mostly rounding error: honest ways to compute it in {_name(dtype)} are off by "
        f"{honest['rms']:.2g} of its size"
    )


def unjudgeable(honest: Errors, dtype: torch.dtype, effect: float) -> str:
    """Why an output says nothing of what was computed on some inputs; "" where it does.

    An output that does not depend on inputs at all is another matter, and not said here.
    """
    if "wrong" in honest or not 0 < _SHARE * effect < _CLEAR * honest["rms"]:
        return ""
    return (
        f"other inputs change it by {effect:.2g} of its size only, and rounding in {_name(dtype)} "
        f"by {honest['rms']:.2g}"
    )


def is_hopeless(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Whether an output is so far off that no rounding explains it."""
    off = errors(found, wanted)
    return (
        off.get("wrong", 0.0) > _CHANCE
        or not off.get("rms", 0.0) <= precision(wanted.dtype).ceiling
    )


def _misplaced(found: torch.Tensor, wanted: torch.Tensor) -> str:
    """Problem of an output whose NaN or infinities are wrong, by where both are finite."""
    if count := int((~found & wanted).sum()):
        return f"{count} of {wanted.numel()} elements are NaN or infinite and should not be"
    if bool((found & ~wanted).any()):
        return "it is finite where it should be NaN or infinite"
    return "it has NaN, inf or -inf where another of these should be"


def problem(found: torch.Tensor, wanted: torch.Tensor, allowed: Errors) -> str:
    """What is wrong with an output of the right shape and type, without the right values."""
    off = errors(found, wanted, allowed.get(LEAST_ROW, USUAL_ROW))
    if "wrong" in off:
        wrong = round(off["wrong"] * wanted.numel())
        bad = off["wrong"] > allowed.get("wrong", 0.0)
        return f"{wrong} of {wanted.numel()} elements are not what they should be" if bad else ""
    if off["rms"] == math.inf:
        return _misplaced(plain(found).isfinite(), plain(wanted).isfinite())
    for name in ("row", "element", "rms", "median", "bias", "own", "place"):
        if not off[name] <= allowed[name]:
            return _WORDS[name].format(off[name], allowed[name])
    return ""


def typical_size(wanted: torch.Tensor) -> float:
    """The root mean square of an output."""
    wanted = plain(wanted)
    if not (wanted.is_floating_point() or wanted.is_complex()):
        return 0.0
    return float(wanted.norm(dtype=_wide(wanted))) / float(max(wanted.numel(), 1) ** 0.5)


def is_near(
    found: torch.Tensor,
    wanted: torch.Tensor,
    element: int,
    allowed: Errors,
    typical: Callable[[], float],
) -> bool:
    """Whether one element, which ``found`` holds, can be that of an output without a problem.

    ``typical`` gives what :func:`typical_size` does, and is only asked where that matters: hundreds
    of elements are looked at in every round.
    """
    wanted = plain(wanted)
    ours, right = plain(found).item(), wanted.reshape(-1)[element].item()
    if ours == right or (cmath.isnan(ours) and cmath.isnan(right)):
        return True
    if not wanted.is_floating_point() and not wanted.is_complex():
        return allowed.get("wrong", 0.0) > 0
    if not cmath.isfinite(right):
        return False
    count, columns = rows(wanted)
    row = wanted.reshape(count, columns)[element // columns]
    least = allowed.get(LEAST_ROW, USUAL_ROW) * typical()
    length = float(torch.linalg.vector_norm(row, dtype=_wide(wanted)))
    size = max(length / columns**0.5, least, 1e-30)
    return bool(abs(ours - right) <= allowed["element"] * size * _LEEWAY)


def telling(wanted: torch.Tensor, random: Random) -> int | None:
    """An element that is no smaller than those around it usually are, of an output with elements.

    Where most are zero it says more than any. None where some stretches have but one number.
    """
    flat = wanted.reshape(-1)
    for _ in range(_TRIES):
        begin = random.randrange(max(1, flat.numel() - _STRETCH + 1))
        some = plain(flat[begin : begin + _STRETCH])
        sizes = some.to(_wide(some)).abs()
        if bool(sizes.min() < sizes.max()):
            large = (sizes >= sizes.mean()).nonzero()
            return begin + int(large[random.randrange(len(large))])
    return None


_LEEWAY = 1.01  # for norms that are not computed in double precision


def plain(one: torch.Tensor) -> torch.Tensor:
    """The tensor in a type that torch can compute with, which it cannot in those of eight bits."""
    narrow = one.is_floating_point() and one.element_size() < 2
    return one.to(torch.float32) if narrow else one


def _wide(one: torch.Tensor) -> torch.dtype:
    return torch.promote_types(one.dtype, torch.float32)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
