"""What a GPU adds to every call, measured where candidates run: in a worker."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import Any

import torch

from maxcode.executors.kernel.worker import device

_TIMES, _FEW, _ROW = 100, 20, 1000
_SIDE = 1024  # of the matrices whose product is timed again and again
_UNKNOWN = 16 << 20  # bytes read for the canary where the size of the cache is not known


def answer(_: dict[str, Any], __: object) -> dict[str, Any]:
    """The fields of :class:`~maxcode.executors.kernel.survey.GpuSurvey`."""
    driver = device.Driver()
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    cache = int(getattr(properties, "L2_cache_size", 0) or 0)
    small = torch.zeros(1, device="cuda")
    left, right = (torch.ones(_SIDE, _SIDE, device="cuda") for _ in range(2))
    cold = device.Cold(driver)
    read = torch.ones((cache or _UNKNOWN) // 8, dtype=torch.int32, device="cuda")  # half of it
    products = _each(lambda: torch.mm(left, right), _TIMES)
    lower, middle, upper = quantiles(products, n=4)
    return {
        "name": str(properties.name),
        "cache": cache,
        "launch": median(_each(lambda: small.add_(1), _TIMES)),
        "next_launch": median(_each(lambda: [small.add_(1) for _ in range(_ROW)], _FEW)) / _ROW,
        "flush": median(_each(cold.make, _FEW)),
        "warm": median(_each(read.sum, _FEW, before=read.sum)),
        "cold": median(_each(read.sum, _FEW, before=cold.make)),
        "spread": (upper - lower) / middle,
    }


def _each(
    work: Callable[[], object], count: int, *, before: Callable[[], object] | None = None
) -> list[float]:
    """Seconds of each of so many calls, from an idle device to an idle device; after one more."""
    taken = []
    for _ in range(count + 1):
        if before:
            before()
        torch.cuda.synchronize()
        began = time.perf_counter()
        work()
        torch.cuda.synchronize()
        taken.append(time.perf_counter() - began)
    return taken[1:]
