"""Comparing outputs with what is expected, and finding out how exact that is itself."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

_LEEWAY = 1.01  # for norms that are not computed in double precision
_SMALL = 1e-3  # of the typical row: what a row counts at least, lest those that cancel decide


def prepared(
    module: torch.nn.Module, dtype: torch.dtype | None, *, train: bool | None, device: str
) -> torch.nn.Module:
    """The module as it is judged; None leaves its mode as it is."""
    module = (module if train is None else module.train(train)).to(device)
    return module if dtype is None else module.to(dtype)


def cast(value: Any, dtype: torch.dtype | None) -> Any:
    """A nested value with its floating-point tensors of that type; None leaves them alone."""
    if dtype is None:
        return value
    return tensors.mapped(value, lambda one: one.to(dtype) if one.is_floating_point() else one)


def outputs(
    module: torch.nn.Module, arguments: Sequence[Any], seed: int, device: str
) -> list[torch.Tensor]:
    """The tensors that a call returns, in main memory."""
    torch.manual_seed(seed)
    found: list[torch.Tensor] = []
    with torch.no_grad():
        given = tensors.mapped(list(copy.deepcopy(arguments)), lambda one: one.to(device))
        tensors.pack(module(*given), found)
    return [one.to("cpu") for one in found]


def exact_outputs(
    module: torch.nn.Module, arguments: Sequence[Any], seed: int, device: str
) -> list[torch.Tensor] | None:
    """The same with all floating-point numbers in double precision; None where that fails."""
    try:
        double = copy.deepcopy(module).double()
        return outputs(double, [cast(one, torch.float64) for one in arguments], seed, device)
    except Exception:  # noqa: BLE001 - a reference may insist on its own precision
        return None


def error(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """The largest distance of a row from the expected one, relative to the size of that.

    A row runs along the last dimension. One that is far smaller than the others counts as if it
    were a thousandth of the typical. Infinite where only one of both is no finite number, or an
    infinity of another sign.
    """
    if found.numel() == 0:
        return 0.0
    ours, theirs = (one.to(torch.float64).reshape(_rows(one)) for one in (found, wanted))
    odd = ~(ours.isfinite() & theirs.isfinite())
    if odd.any():
        same = (ours == theirs) | (ours.isnan() & theirs.isnan())
        if not bool(same[odd].all()):
            return float("inf")
        ours, theirs = ours.masked_fill(odd, 0), theirs.masked_fill(odd, 0)
    size = theirs.norm(dim=1)
    typical = size.square().mean().sqrt()
    distance = (ours - theirs).norm(dim=1)
    least = max(float(_SMALL * typical), 1e-30)
    return float((distance / size.clamp_min(least)).max())


def problem(found: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> str:
    """What is wrong with an output of the right shape and type, without telling the right one."""
    if not wanted.is_floating_point() and not wanted.is_complex():
        wrong = int((found != wanted).sum())
        return f"{wrong} of {wanted.numel()} elements are not what they should be" if wrong else ""
    if wanted.is_complex():
        found, wanted = torch.view_as_real(found), torch.view_as_real(wanted)
    off = error(found, wanted)
    if off <= tolerance:
        return ""
    if off != float("inf"):
        return f"it is off by {off:.2g} relative to the size of a row; {tolerance:.2g} is allowed"
    count = int((~found.isfinite() & wanted.isfinite()).sum())
    if count:
        return f"{count} of {wanted.numel()} elements are NaN or infinite and should not be"
    return "it is finite where it should be NaN or infinite"


def typical_size(wanted: torch.Tensor) -> float:
    """The size of the typical row of an output."""
    if not (wanted.is_floating_point() or wanted.is_complex()):
        return 0.0
    return float(wanted.norm(dtype=_wide(wanted))) / float(_rows(wanted)[0] ** 0.5)


def is_near(
    found: torch.Tensor, wanted: torch.Tensor, element: int, tolerance: float, typical: float
) -> bool:
    """Whether one element, which ``found`` holds, can be that of an output without a problem.

    No element of such an output is further off than its whole row may be. ``typical`` is that of
    :func:`typical_size`.
    """
    right = wanted.reshape(-1)[element]
    if not wanted.is_floating_point() and not wanted.is_complex():
        return bool((found == right).all())
    if not bool(right.isfinite()):
        return bool(((found == right) | (found.isnan() & right.isnan())).all())
    rows, columns = _rows(wanted)
    row = wanted.reshape(rows, columns)[element // columns]
    size = max(float(row.norm(dtype=_wide(wanted))), _SMALL * typical, 1e-30)
    return bool(((found - right).abs() <= tolerance * size * _LEEWAY).all())


def _wide(one: torch.Tensor) -> torch.dtype:
    return torch.promote_types(one.dtype, torch.float32)


_Make = Callable[[Sequence[Any], torch.Tensor], torch.Tensor | None]


def _zeros(_: Sequence[Any], wanted: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(wanted)


def _constant(_: Sequence[Any], wanted: torch.Tensor) -> torch.Tensor:
    if not wanted.is_floating_point():
        return wanted.reshape(-1)[:1].expand(wanted.numel()).reshape(wanted.shape)
    return torch.full_like(wanted, float(wanted.double().mean()) if wanted.numel() else 0.0)


def _copy(arguments: Sequence[Any], wanted: torch.Tensor) -> torch.Tensor | None:
    for one in arguments:
        if isinstance(one, torch.Tensor) and one.numel() == wanted.numel():
            return one.to(wanted.dtype).reshape(wanted.shape)
    return None


NOTHING = MappingProxyType({"zeros": _zeros, "a constant": _constant, "a copy of an input": _copy})
"""Ways to answer without computing anything."""


def passing(
    arguments: Sequence[Any],
    expected: Sequence[torch.Tensor],
    accepts: Callable[[int, torch.Tensor, torch.Tensor], bool],
) -> set[str]:
    """Those of :data:`NOTHING` that would be taken for right.

    ``accepts`` is told the number of an output, what is answered, and what is expected.
    """

    def passes(make: _Make) -> bool:
        made = [make(arguments, wanted) for wanted in expected]
        return all(
            one is not None and accepts(number, one, wanted)
            for number, (one, wanted) in enumerate(zip(made, expected, strict=True))
        )

    return {name for name, make in NOTHING.items() if passes(make)}


def _rows(one: torch.Tensor) -> tuple[int, int]:
    """Rows and columns; one row where there would be a single column."""
    columns = one.shape[-1] if one.dim() and one.shape[-1] > 1 else one.numel()
    return one.numel() // columns, columns
