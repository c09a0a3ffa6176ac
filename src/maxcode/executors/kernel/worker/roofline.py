"""What a call costs at least, and how fast this machine computes and moves memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

_TIMES = 5  # of which the best counts
_LONG = 0.1  # seconds after which nothing more is tried
_LARGE = {"cpu": 64 << 20, "cuda": 1 << 30}  # bytes that no cache holds
_SIDES = {"cpu": (256, 512, 1024), "cuda": (4096, 8192)}  # of matrices


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the floating-point operations of what is called in it.

    Matrix products, convolutions and attention by the formulas of torch's ``FlopCounterMode``, and
    one for each element that an elementwise operator gives. Anything else counts nothing.
    (``FlopCounterMode`` itself has no elementwise operators, and takes a second to begin.)
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count: int = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled in here; to import the compiler takes a second

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call it, and count."""
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if formula := flop_registry.get(func.overloadpacket):
            self.count += int(formula(*args, **kwargs, out_val=out))
        elif torch.Tag.pointwise in func.tags and isinstance(out, torch.Tensor):
            self.count += out.numel() if out.is_floating_point() else 0
        return out


def operations(module: torch.nn.Module, arguments: Sequence[Any]) -> int:
    """The floating-point operations of a call; 0 where they cannot be counted."""
    try:
        with torch.no_grad(), Operations() as counted:
            module(*arguments)
            return int(counted.count)
    except Exception:  # noqa: BLE001 - what runs alone may not run while it is looked at
        return 0


def bandwidth(held: int, device: str) -> float:
    """Bytes a second, read and written, at which memory is copied.

    The better of a large block and one of ``held`` bytes: what fits in a cache is there faster; but
    a GPU's is emptied before every call.
    """
    sizes = {_LARGE[device]}
    if device == "cpu":
        sizes.add(max(min(held, _LARGE[device]) // 2, 1 << 12))
    return max(_copied(size, device) for size in sizes)


def peak(dtype: torch.dtype, device: str) -> float:
    """Floating-point operations a second of the best product of square matrices."""
    best, began = 0.0, time.perf_counter()
    for side in _SIDES[device]:
        left, right = (torch.ones(side, side, dtype=dtype, device=device) for _ in range(2))
        taken = _best(partial(torch.mm, left, right), device)
        best = max(best, 2 * side**3 / taken)
        if time.perf_counter() - began > _LONG:
            break
    return best


def _copied(size: int, device: str) -> float:
    given = torch.ones(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(given)
    return 2 * size / _best(partial(target.copy_, given), device)


def _best(work: Callable[[], object], device: str) -> float:
    """The shortest of several times, in seconds; after one to warm up, unless that took long."""
    taken: list[float] = []
    began = time.perf_counter()
    while len(taken) <= _TIMES and (not taken or time.perf_counter() - began < _LONG):
        start = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - start)
    return max(min(taken), 1e-9)
