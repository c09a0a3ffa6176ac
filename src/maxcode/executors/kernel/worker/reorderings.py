"""Honest ways to compute a module's result: reordered, or rounded differently.

Their distance from double precision is the error allowed for an honest kernel. Sums are taken
element by element, as in a loop; inputs and weights are moved by a random part of a unit in the
last place (Parker: Monte Carlo Arithmetic, 1997). Sums of more than a quarter of a million numbers
add up runs, then the runs' sums: a running sum of millions would be off by a thousandth.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch
from torch._decomp import get_decompositions
from torch.utils._python_dispatch import TorchDispatchMode

from maxcode.executors.kernel.worker import tensors
from maxcode.executors.kernel.worker.tensors import Call

_aten: Any = torch.ops.aten
_RUN = 1 << 18  # elements that are added up in turn
_AT_ONCE = 1 << 24  # elements that are in main memory at a time
NEIGHBOURS = 12
"""Of very inputs, that are looked at to see where rounding decides."""
UNITS = 2.0
"""Units in the last place, that neighbours of inputs span."""


class Reordered(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Computes sums element by element."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operator, or its replacement."""
        named = kwargs or {}
        numbers = [one for one in args if isinstance(one, torch.Tensor)]
        usual = all(_floating(one) and one.dim() and one.numel() for one in numbers)
        usual = usual and named.keys() <= {"correction", "keepdim"}
        if usual and func in _SUMS:
            return _SUMS[func](*args, **named)
        if func in _PARTS or (usual and func in _MOMENTS):
            with self:
                return {**_PARTS, **_MOMENTS}[func](*args, **named)
        return func(*args, **named)


def _floating(one: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.is_floating_point()


def _wider(one: torch.Tensor) -> torch.Tensor:
    """The tensor in float32 or wider."""
    return one.to(torch.promote_types(one.dtype, torch.float32))


def _cumulated(lines: torch.Tensor) -> torch.Tensor:
    """Running sums of each line, in float32 or wider, in main memory; torch would add in double."""
    values: Any = _wider(lines).to("cpu").numpy()
    return torch.from_numpy(values.cumsum(axis=1, dtype=values.dtype))


def _line_sums(lines: torch.Tensor) -> torch.Tensor:
    """Sum of each line: of runs in turn, and then of the runs' sums."""
    sums = [_cumulated(run)[:, -1].clone() for run in torch.split(lines, _RUN, dim=1)]
    return sums[0] if len(sums) == 1 else _line_sums(torch.stack(sums, dim=1))


def _total(x: torch.Tensor, dims: Any = None, keep: bool = False) -> torch.Tensor:
    """Sum over dimensions, element by element."""
    dims = sorted(dim % x.dim() for dim in dims) if dims else list(range(x.dim()))
    kept = [dim for dim in range(x.dim()) if dim not in dims]
    shape = [1 if dim in dims else size for dim, size in enumerate(x.shape) if keep or dim in kept]
    lines = x.detach().permute(*kept, *dims).reshape(math.prod(x.shape[k] for k in kept), -1)
    total = torch.cat([_line_sums(some) for some in tensors.in_parts(lines, _AT_ONCE)])
    return total.reshape(shape).to(x.device, x.dtype)


def _running(x: torch.Tensor, dim: int) -> torch.Tensor:
    moved = x.detach().movedim(dim, -1)
    parts = tensors.in_parts(moved.reshape(-1, moved.shape[-1]), _AT_ONCE)
    total = torch.cat([_cumulated(some).to(x.device, x.dtype) for some in parts])
    return total.reshape(moved.shape).movedim(-1, dim).contiguous()


_SUMS: dict[Any, Callable[..., Any]] = {
    _aten.sum.default: _total,
    _aten.sum.dim_IntList: _total,
    _aten.cumsum.default: _running,
}


def _average(x: torch.Tensor, dims: Any = None, keep: bool = False) -> torch.Tensor:
    total = _wider(x).sum(dims, keep)
    return (total * (total.numel() / x.numel())).to(x.dtype)


def _variance(
    x: torch.Tensor, dims: Any = None, *, correction: Any = 1, keepdim: bool = False
) -> torch.Tensor:
    wide = _wider(x)
    squares = (wide - _average(wide, dims, keep=True)).square().sum(dims, keepdim)
    count = x.numel() // squares.numel() - (1 if correction is None else correction)
    return (squares / max(count, 0)).to(x.dtype)


def _variance_and_mean(x: torch.Tensor, dims: Any = None, **named: Any) -> Any:
    return _variance(x, dims, **named), _average(x, dims, named.get("keepdim", False))


_MOMENTS: dict[Any, Callable[..., Any]] = {
    _aten.mean.default: _average,
    _aten.mean.dim: _average,
    _aten.var.correction: _variance,
    _aten.std.correction: lambda x, dims=None, **named: _variance(x, dims, **named).sqrt(),
    _aten.var_mean.correction: _variance_and_mean,
    _aten.var_mean.dim: lambda x, dims, unbiased=True, keep=False: _variance_and_mean(
        x, dims, correction=int(unbiased), keepdim=keep
    ),
}
"""Operators made of sums."""

_PARTS: dict[Any, Callable[..., Any]] = get_decompositions(
    [
        *(_aten._softmax, _aten._log_softmax, _aten.logsumexp),
        *(_aten.linalg_vector_norm, _aten.norm.ScalarOpt_dim, _aten._fused_rms_norm),
        *(_aten.native_layer_norm, _aten.native_group_norm, _aten.native_batch_norm),
    ]
)
"""Operators as torch puts them together of others."""


def in_turn(call: Call) -> list[torch.Tensor]:
    """Outputs with sums taken element by element."""
    with Reordered():  # type: ignore[no-untyped-call]
        return call.outputs()


def moved(call: Call, units: float = 1.0, number: int = 1) -> list[torch.Tensor]:
    """Outputs for inputs and weights moved by parts of some units, each ``number`` otherwise."""
    generator = torch.Generator().manual_seed(call.seed + number)
    other = copy.deepcopy(call.module)

    def beside(one: torch.Tensor) -> torch.Tensor:
        if not (_floating(one) and one.numel()):
            return one
        wide = torch.promote_types(one.dtype, torch.float32)
        noise = torch.rand(one.shape, generator=generator).sub_(0.5).to(one.device, wide)
        noise.mul_(units * torch.finfo(one.dtype).eps)  # in place, as inputs may fill a GPU
        if one.dtype != wide:
            return noise.add_(1).mul_(one).to(one.dtype)
        return noise.mul_(one).nan_to_num_(0.0, 0.0, 0.0).add_(one)  # infinities stay

    with torch.no_grad():
        for one in other.parameters():
            one.copy_(beside(one))
    return replace(call, module=other, given=tensors.mapped(list(call.given), beside)).outputs()


def wide(call: Call) -> list[torch.Tensor]:
    """Outputs computed in float32."""
    in_float32 = [tensors.cast(one, torch.float32) for one in call.given]
    return replace(call, module=copy.deepcopy(call.module).float(), given=in_float32).outputs()


def honest(call: Call, *, half: bool) -> Iterator[tuple[bool, list[torch.Tensor]]]:
    """Outputs of further honest ways; failing ways are left out.

    Each with whether sums were taken in turn. With ``half`` the reference itself rounds more than
    an honest kernel does, which may compute in float32 inside.
    """
    for way in (in_turn, wide if half else moved):
        with suppress(Exception):  # a module may do what cannot be looked at
            yield way is in_turn, way(call)


def neighbours(call: Call, count: int) -> Iterator[list[torch.Tensor]]:
    """Outputs for ``count`` inputs and weights, each :data:`UNITS` roundings off."""
    for number in range(count):
        with suppress(Exception):  # they may be such as must hold exactly
            yield moved(call, UNITS, number)
