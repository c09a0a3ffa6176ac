"""Honest ways to compute what a module does: in another order, or rounded otherwise.

How far they are off from double precision is how far an honest kernel may be. Sums are taken one
element after another, as a loop does, or in blocks; each operator's result is moved by a random
part of a unit in the last place, which stands for other roundings and other approximations (Parker:
Monte Carlo Arithmetic, 1997); so are inputs and weights, which shows what an algorithm that is
stable, but not the reference's, may give. Of more than a quarter of a million numbers runs are
added up in turn, and then their sums: all in turn would be off by a thousandth where there are
millions, which hides what was left out, and add nothing any more where there are many more.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch._decomp import get_decompositions
from torch.utils._python_dispatch import TorchDispatchMode

from maxcode.executors.kernel.worker import tensors

_aten: Any = torch.ops.aten
_BLOCKS = 32  # that products are summed in
_RUN = 1 << 18  # elements that are added up in turn
_AT_ONCE = 1 << 24  # elements that are in main memory at a time
_NEIGHBOURS, _UNITS = 12, 4.0  # of inputs, and how many units in the last place they span
_EXACT = (  # operators that round nothing: names begin with these
    *("copy", "clone", "detach", "cat", "stack", "index", "gather", "scatter", "select", "where"),
    *("masked_fill", "relu", "hardtanh", "clamp", "maximum", "minimum", "max", "min", "amax"),
    *("amin", "sort", "topk", "abs", "neg", "sign", "floor", "ceil", "round", "trunc", "argmax"),
    *("constant_pad", "reflection_pad", "replication_pad", "fill", "zero", "roll", "flip"),
    *("repeat", "_to_copy", "new_", "embedding", "bernoulli", "native_dropout", "im2col", "tril"),
    *("triu", "cummax", "cummin", "lift", "slice", "diag", "eye", "full", "empty", "threshold"),
    *("rand", "normal", "uniform", "exponential", "_local_scalar", "set", "resize"),
)


class Rounded(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Moves what each operator gives by a random part of a unit in the last place, or of several.

    Random numbers come from a generator of its own, so that a module draws what it always does.
    """

    def __init__(self, seed: int, units: float = 1.0) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._generators = tensors.Generators(seed)
        self._units = units

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled in here

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call it, and move what it computed."""
        out = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__.startswith(_EXACT):
            return out
        if not any(_floating(one) for one in args):
            return out
        returns = func._schema.returns
        if len(returns) == 1 and isinstance(out, torch.Tensor):
            alias = returns[0].alias_info
            if alias is None:
                return self.moved(out)
            if alias.is_write and out.is_floating_point():
                out.copy_(self.moved(out))
        elif isinstance(out, tuple) and all(one.alias_info is None for one in returns):
            return tuple(self.moved(out[:1][0]) if i == 0 else o for i, o in enumerate(out))
        return out

    def moved(self, one: Any) -> Any:
        """A tensor, each element moved."""
        if not (_floating(one) and one.numel()):
            return one
        random = torch.rand(one.shape, **self._generators.beside(one))
        wide = torch.promote_types(one.dtype, torch.float32)
        unit = self._units * torch.finfo(one.dtype).eps
        # In place, as outputs may fill a good part of a GPU.
        noise = random.sub_(0.5).to(wide).mul_(unit)
        if one.dtype != wide:
            return noise.add_(1).mul_(one).to(one.dtype)
        return noise.mul_(one).nan_to_num_(0.0, 0.0, 0.0).add_(one)  # infinities stay what they are


class Reordered(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Computes sums and products one part after another."""

    def __init__(self, _: int = 0) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call it, or what stands for it."""
        other = _OTHERS.get(func)
        known = (kwargs or {}).keys() <= {"correction", "keepdim"}
        if other is not None and known and all(not _unfit(one) for one in args):
            made = other(*args, **(kwargs or {}))
            if made is not None:
                return made
        if (parts := _PARTS.get(func)) is not None:
            with self:
                return parts(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _floating(one: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.is_floating_point()


def _unfit(one: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.is_complex()


def _in_turn(x: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """The sum over dimensions, kept as ones: one element after the other, in float32 at least."""
    dims = sorted(dim % x.dim() for dim in dims) if dims else list(range(x.dim()))
    kept = [dim for dim in range(x.dim()) if dim not in dims]
    shape = [1 if dim in dims else x.shape[dim] for dim in range(x.dim())]
    lines = x.detach().permute(*kept, *dims).reshape(math.prod(shape), -1)
    total = torch.cat([_line_sums(some) for some in tensors.in_parts(lines, _AT_ONCE)])
    return total.reshape(shape).to(x.device)


def _line_sums(lines: torch.Tensor) -> torch.Tensor:
    """The sum of each line: of runs in turn, and then of what these give."""
    wide, sums = torch.promote_types(lines.dtype, torch.float32), []
    for run in torch.split(lines, _RUN, dim=1):
        values: Any = run.to("cpu", wide).numpy()
        sums.append(torch.from_numpy(values.cumsum(axis=1, dtype=values.dtype)[:, -1].copy()))
    return sums[0] if len(sums) == 1 else _line_sums(torch.stack(sums, dim=1))


def _total(x: torch.Tensor, dims: Any = None, keep: bool = False) -> torch.Tensor | None:
    if not x.is_floating_point() or not x.numel() or not x.dim():
        return None
    total = _in_turn(x, dims or []).to(x.dtype)
    return total if keep else total.reshape(_left(x, dims))


def _average(x: torch.Tensor, dims: Any = None, keep: bool = False) -> torch.Tensor | None:
    if not x.is_floating_point() or not x.numel() or not x.dim():
        return None
    total = _in_turn(x, dims or [])
    mean = (total * (total.numel() / x.numel())).to(x.dtype)
    return mean if keep else mean.reshape(_left(x, dims))


def _left(x: torch.Tensor, dims: Any) -> list[int]:
    gone = {dim % x.dim() for dim in dims} if dims else set(range(x.dim()))
    return [size for dim, size in enumerate(x.shape) if dim not in gone]


def _softmax(x: torch.Tensor, dim: int, half: bool) -> torch.Tensor | None:
    if half or not x.numel() or not x.dim():
        return None
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    e = torch.exp(wide - wide.amax(dim=dim, keepdim=True))
    return (e / _in_turn(e, [dim])).to(x.dtype)


def _log_softmax(x: torch.Tensor, dim: int, half: bool) -> torch.Tensor | None:
    if half or not x.numel() or not x.dim():
        return None
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    less = wide - wide.amax(dim=dim, keepdim=True)
    return (less - _in_turn(torch.exp(less), [dim]).log()).to(x.dtype)


def _log_sum(x: torch.Tensor, dims: Any, keep: bool = False) -> torch.Tensor | None:
    if not x.is_floating_point() or not x.numel() or not x.dim():
        return None
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    largest = wide.amax(dim=dims, keepdim=True)
    largest = largest.masked_fill(largest.isinf(), 0)
    total = (_in_turn(torch.exp(wide - largest), dims).log() + largest).to(x.dtype)
    return total if keep else total.reshape(_left(x, dims))


def _length(x: torch.Tensor, order: Any = 2, dims: Any = None, keep: bool = False) -> Any:
    if order != 2 or not x.is_floating_point() or not x.numel() or not x.dim():
        return None
    total = _in_turn(x.to(torch.promote_types(x.dtype, torch.float32)).square(), dims or [])
    length = total.sqrt().to(x.dtype)
    return length if keep else length.reshape(_left(x, dims))


def _variance(
    x: torch.Tensor, dims: Any = None, *, correction: Any = 1, keepdim: bool = False
) -> torch.Tensor | None:
    if not x.is_floating_point() or not x.numel() or not x.dim():
        return None
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    total = _in_turn(wide, dims or [])
    count = x.numel() / total.numel()
    squares = _in_turn((wide - total / count).square(), dims or [])
    made = (squares / max(count - (1 if correction is None else correction), 0)).to(x.dtype)
    return made if keepdim else made.reshape(_left(x, dims))


def _deviation(x: torch.Tensor, dims: Any = None, **named: Any) -> torch.Tensor | None:
    variance = _variance(x, dims, **named)
    return None if variance is None else variance.sqrt()


def _variance_and_mean(x: torch.Tensor, dims: Any = None, **named: Any) -> Any:
    variance = _variance(x, dims, **named)
    keep = named.get("keepdim", False)
    return None if variance is None else (variance, _average(x, dims, keep))


def _layer_norm(x: torch.Tensor, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    if not x.numel():
        return None
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    dims = list(range(x.dim() - len(shape), x.dim()))
    share = wide[(0,) * (x.dim() - len(shape))].numel()
    mean = _in_turn(wide, dims) / share
    less = wide - mean
    scale = torch.rsqrt(_in_turn(less * less, dims) / share + eps)
    out = less * scale
    out = out if weight is None else out * weight
    return (out if bias is None else out + bias).to(x.dtype), mean, scale


def _product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    """By blocks of the shared dimension, in float32 at least."""
    shared = left.shape[-1]
    if not left.is_floating_point() or shared < 2:
        return None
    step = -(-shared // _BLOCKS)
    wide = torch.promote_types(left.dtype, torch.float32)
    total: Any = 0
    for at in range(0, shared, step):
        block = slice(at, at + step)
        total = total + left[..., block].to(wide) @ right[..., block, :].to(wide)
    return torch.as_tensor(total).to(left.dtype)


def _added(bias: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    product = _product(left, right)
    return None if product is None else product + bias


def _convolution(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> torch.Tensor | None:
    """By blocks of the input's channels."""
    channels = x.shape[1]
    if groups != 1 or channels < 2:
        return None
    step = -(-channels // _BLOCKS)
    dtype, total = x.dtype, torch.zeros(())
    wide = torch.promote_types(dtype, torch.float32)
    x, weight = x.to(wide), weight.to(wide)
    for at in range(0, channels, step):
        block = slice(at, at + step)
        part = weight[block] if transposed else weight[:, block]
        given = (stride, padding, dilation, transposed, output_padding, 1)
        total = total + _aten.convolution.default(x[:, block], part, None, *given)
    if bias is not None:
        total = total + bias.view(1, -1, *[1] * (x.dim() - 2))
    return total.to(dtype)


def _running(x: torch.Tensor, dim: int) -> torch.Tensor | None:
    if not x.is_floating_point() or not x.numel() or not x.dim():
        return None
    wide, moved = torch.promote_types(x.dtype, torch.float32), x.detach().movedim(dim, -1)
    lines, sums = moved.reshape(-1, moved.shape[-1]), []
    for some in tensors.in_parts(lines, _AT_ONCE):
        values: Any = some.to("cpu", wide).numpy()
        total = torch.from_numpy(values.cumsum(axis=1, dtype=values.dtype))
        sums.append(total.to(x.device, x.dtype))
    return torch.cat(sums).reshape(moved.shape).movedim(-1, dim).contiguous()


_OTHERS: dict[Any, Callable[..., Any]] = {
    _aten.sum.default: _total,
    _aten.sum.dim_IntList: _total,
    _aten.mean.default: _average,
    _aten.mean.dim: _average,
    _aten._softmax.default: _softmax,
    _aten._log_softmax.default: _log_softmax,
    _aten.logsumexp.default: _log_sum,
    _aten.linalg_vector_norm.default: _length,
    _aten.norm.ScalarOpt_dim: _length,
    _aten.var.correction: _variance,
    _aten.std.correction: _deviation,
    _aten.var_mean.correction: _variance_and_mean,
    _aten.var_mean.dim: lambda x, dims, unbiased=True, keep=False: _variance_and_mean(
        x, dims, correction=int(unbiased), keepdim=keep
    ),
    _aten.native_layer_norm.default: _layer_norm,
    _aten.mm.default: _product,
    _aten.bmm.default: _product,
    _aten.addmm.default: _added,
    _aten.convolution.default: _convolution,
    _aten.cumsum.default: _running,
}

_PARTS: dict[Any, Callable[..., Any]] = get_decompositions(
    [_aten.native_group_norm, _aten.native_batch_norm, _aten._fused_rms_norm]
)
"""Operators as torch puts them together of others."""

Way = Callable[[torch.nn.Module, Sequence[Any], int, str], list[torch.Tensor]]
"""Gives outputs of a module for arguments, with the seed of a call, on a device."""


def _moved_inputs(
    module: torch.nn.Module, given: Any, seed: int, device: str, rounded: Rounded | None = None
) -> Any:
    rounded = rounded or Rounded(seed + 1)
    other = copy.deepcopy(module)
    with torch.no_grad():
        for one in other.parameters():
            one.copy_(rounded.moved(one))
    return tensors.outputs(other, tensors.mapped(list(given), rounded.moved), seed, device)


def _by(mode: Callable[[int], Any]) -> Way:
    def way(module: torch.nn.Module, given: Any, seed: int, device: str) -> Any:
        with mode(seed):
            return tensors.outputs(module, given, seed, device)

    return way


def _transposed(module: torch.nn.Module, given: Any, seed: int, device: str) -> Any:
    """With images laid out channels last."""
    if not any(_floating(one) and one.dim() == 4 for one in given):
        raise TypeError("there are no images")
    last = tensors.mapped(
        list(given),
        lambda one: one.to(memory_format=torch.channels_last) if one.dim() == 4 else one,
    )
    return tensors.outputs(module, last, seed, device)


def _wide(module: torch.nn.Module, given: Any, seed: int, device: str) -> Any:
    """In float32 from the same inputs and weights, as a fused kernel computes in half precision."""
    wide = copy.deepcopy(module).float()
    return tensors.outputs(wide, [tensors.cast(one, torch.float32) for one in given], seed, device)


IN_TURN = "one part after another"
WAYS: dict[str, Way] = {
    IN_TURN: _by(Reordered),
    "rounded otherwise": _by(Rounded),
    "inputs and weights rounded otherwise": _moved_inputs,
    "other layout": _transposed,
}
"""By name, the most telling first."""

HALF_WAYS: dict[str, Way] = {
    IN_TURN: WAYS[IN_TURN],
    "in float32 inside": _wide,
    "other layout": _transposed,
}
"""The same for types in which the reference itself rounds more than an honest kernel does."""


def ways(wanted: Sequence[torch.Tensor]) -> dict[str, Way]:
    """Those for a module with such outputs."""
    floating = [one.dtype for one in wanted if one.is_floating_point()]
    half = any(one.itemsize < 4 for one in floating)
    return HALF_WAYS if half else WAYS


def outputs(
    way: Way, module: torch.nn.Module, given: Sequence[Any], seed: int, device: str
) -> list[torch.Tensor] | None:
    """What a module gives in another way; None where it does not bear that."""
    try:
        return way(module, given, seed, device)
    except Exception:  # noqa: BLE001 - a module may do what cannot be looked at
        return None


def neighbours(
    module: torch.nn.Module, given: Sequence[Any], seed: int, device: str
) -> Iterator[list[torch.Tensor]]:
    """Outputs for inputs and weights that are a few roundings off, several times."""
    for number in range(_NEIGHBOURS):
        with suppress(Exception):  # they may be such as must hold exactly
            rounded = Rounded(seed + number, _UNITS)
            yield _moved_inputs(module, given, seed, device, rounded)
