"""Profile of a module's calls, their operations, and the machine's speed.

Measured in the process that makes the calls, which may be a candidate's: the parent checks it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.flop_counter import FlopCounterMode

from maxcode.executors.kernel.worker.messages import Profiled, ProfileRow

_CALL = "(outside of operators)"  # a call's own time: Python, and code that torch does not see
_MAX_ROWS = 48
_ROUNDS, _LONG_PROFILE = 9, 1.0  # calls on each input; seconds after which no more are begun
_NAME = 200  # characters


def profiled(
    module: torch.nn.Module,
    inputs: Sequence[Sequence[Any]],
    device: str,
    extensions: Sequence[ModuleType],
) -> Profiled:
    """Operators, functions of ``extensions`` and GPU kernels, as means of a call."""
    on_gpu, calls = device == "cuda", 0
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * on_gpu
    with torch.no_grad(), _named(extensions) as names:
        module(*inputs[0])  # to warm up
        until = time.perf_counter() + _LONG_PROFILE
        with profile(activities=activities, profile_memory=True) as profiler:
            while calls < len(inputs) or (
                calls < _ROUNDS * len(inputs) and time.perf_counter() < until
            ):
                with record_function(_CALL):
                    module(*inputs[calls % len(inputs)])
                if on_gpu:
                    torch.cuda.synchronize()
                calls += 1
    events = list(profiler.events() or ())
    whole = [event for event in events if event.name == _CALL]
    kernels = [e for e in events if e.device_type.name == "CUDA" and not e.is_user_annotation]
    held = "self_device_memory_usage" if on_gpu else "self_cpu_memory_usage"
    return Profiled(
        sum(event.cpu_time_total for event in whole) / calls,
        round((len(kernels) or sum(len(event.cpu_children) for event in whole)) / calls),
        _rows(kernels or events, names, calls),
        sum(max(0, getattr(event, held)) for event in events) / calls,
    )


@contextmanager
def _named(extensions: Sequence[ModuleType]) -> Iterator[set[str]]:
    """Record calls of the extensions' functions; yields the recorded names."""
    kept, names = [], set()
    for module in extensions:
        for name, function in list(vars(module).items()):
            if callable(function) and not name.startswith("_"):
                title = f"{module.__name__}.{name}"
                kept.append((module, name, function))
                names.add(title)
                setattr(module, name, record_function(title)(function))
    try:
        yield names
    finally:
        for module, name, function in kept:
            setattr(module, name, function)


def _rows(events: Sequence[Any], own: set[str], calls: int) -> tuple[ProfileRow, ...]:
    """The costliest operators or kernels."""
    sums: dict[str, list[float]] = {}
    for event in events:
        alone, total = event.self_cpu_time_total, event.cpu_time_total
        if event.device_type.name == "CUDA":
            alone = total = event.device_time_total
        row = sums.setdefault(event.name, [0.0, 0.0, 0.0])
        for at, amount in enumerate((1, alone, total)):
            row[at] += amount / calls
    ranked = sorted(sums.items(), key=lambda item: -item[1][1])[:_MAX_ROWS]
    return tuple(
        ProfileRow(name[:_NAME], count, alone, total, own=name in own)
        for name, (count, alone, total) in ranked
    )


_REPEATS = 5  # of which the best counts
_LONG = 0.1  # seconds after which nothing more is tried
_LARGE = 64 << 20  # bytes that no cache of a CPU holds
_CACHES, _MOST = 16, 1 << 30  # times the size of a GPU's cache, and the most bytes, that are copied
_SIDES = (256, 512, 1024)  # of matrices
_PER_UNIT = (32, 64)  # for each multiprocessor of a GPU; multiples of _SIDES[0]


def operations(module: torch.nn.Module, arguments: Sequence[Any]) -> int:
    """Floating-point operations of products, convolutions and attention; 0 if not countable."""
    try:
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            module(*arguments)
            return int(counter.get_total_flops())
    except Exception:  # noqa: BLE001 - what runs alone may not run while it is looked at
        return 0


def bandwidth(held: int, device: str) -> float:
    """Bytes a second, read and written, of copying memory.

    The better of a large block and a block of ``held`` bytes, which may be faster in a cache; but a
    GPU's cache is emptied before every call.
    """
    sizes = {_LARGE, max(min(held, _LARGE) // 2, 1 << 12)}
    if device == "cuda":
        cache = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", _MOST)
        sizes = {min(_CACHES * cache, _MOST)}
    best = 0.0
    for size in sizes:
        given = torch.ones(size, dtype=torch.uint8, device=device)
        target = torch.empty_like(given)
        best = max(best, 2 * size / _best(partial(target.copy_, given), device))
    return best


def peak(dtype: torch.dtype, device: str) -> float:
    """Floating-point operations a second of the best product of square matrices."""
    best, began = 0.0, time.perf_counter()
    sides: tuple[int, ...] = _SIDES
    if device == "cuda":
        units = torch.cuda.get_device_properties(0).multi_processor_count
        sides = tuple(max(1, each * units // _SIDES[0]) * _SIDES[0] for each in _PER_UNIT)
    for side in sides:
        left, right = (torch.ones(side, side, dtype=dtype, device=device) for _ in range(2))
        best = max(best, 2 * side**3 / _best(partial(torch.mm, left, right), device))
        if time.perf_counter() - began > _LONG:
            break
    return best


def _best(work: Callable[[], object], device: str) -> float:
    """Minimum of several times, in seconds; after a warm-up, unless it took long."""
    taken: list[float] = []
    began = time.perf_counter()
    while len(taken) <= _REPEATS and (not taken or time.perf_counter() - began < _LONG):
        start = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - start)
    return max(min(taken), 1e-9)
