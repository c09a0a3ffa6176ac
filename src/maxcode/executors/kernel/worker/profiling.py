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
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from maxcode.executors.kernel.worker.messages import Profiled, ProfileRow

_CALL = "one call of forward"
_MAX_ROWS = 48
_ROUNDS, _LONG_PROFILE = 9, 1.0  # calls on each input; seconds after which no more are begun
_NAME = 200  # characters


def profiled(
    module: torch.nn.Module,
    inputs: Sequence[Sequence[Any]],
    device: str,
    extensions: Sequence[ModuleType],
) -> Profiled:
    """Operators, functions of ``extensions`` and GPU kernels, each with its microseconds.

    All numbers are totals of as many calls as inputs. They are those of middle duration among up to
    :data:`_ROUNDS` calls on each input, since a single call may be disturbed; on a GPU, means.
    """
    on_gpu = device == "cuda"
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * on_gpu
    with (
        torch.no_grad(),
        _named(extensions) as names,
        profile(
            activities=activities,
            schedule=schedule(wait=0, warmup=1, active=1),
            profile_memory=True,
        ) as profiler,
    ):
        began = 0.0
        for number, arguments in enumerate([inputs[0], *[*inputs] * _ROUNDS]):
            with record_function(_CALL):
                module(*arguments)
            if on_gpu:
                torch.cuda.synchronize()
            if number == 0:
                profiler.step()
                began = time.perf_counter()
            elif number >= len(inputs) and time.perf_counter() - began > _LONG_PROFILE:
                break
    events = list(profiler.events() or ())
    every = sorted((e for e in events if e.name == _CALL), key=lambda call: call.cpu_time_total)
    calls = every[(len(every) - len(inputs)) // 2 :][: len(inputs)]
    share = len(calls) / max(len(every), 1)
    kernels = [
        event
        for event in events
        if event.device_type.name == "CUDA" and not event.is_user_annotation
    ]
    rows = _kernel_rows(kernels, share) if kernels else _operator_rows(calls, names)
    ranked = sorted(rows.items(), key=lambda item: -item[1]["alone"])[:_MAX_ROWS]
    return Profiled(
        sum(call.cpu_time_total for call in calls),
        round(share * len(kernels)) or sum(len(call.cpu_children) for call in calls),
        tuple(ProfileRow(name[:_NAME], **row) for name, row in ranked),
        **_memory(profiler, "CUDA" if on_gpu else "CPU", share),
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


def _operator_rows(calls: Sequence[Any], names: set[str]) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    waiting = list(calls)
    while waiting:
        event = waiting.pop()
        waiting += event.cpu_children
        row = _counted(rows, event.name, own=event.name in names)
        row["alone"] += event.self_cpu_time_total
        row["total"] += event.cpu_time_total
    return rows


def _kernel_rows(kernels: Sequence[Any], share: float) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for event in kernels:
        row = _counted(rows, event.name)
        row["alone"] += share * event.device_time_total
        row["total"] = row["alone"]
    for row in rows.values():
        row["calls"] = max(1, round(share * row["calls"]))
    return rows


def _counted(rows: dict[str, dict[str, Any]], name: str, *, own: bool = False) -> dict[str, Any]:
    """The row with this name, its number of calls increased."""
    empty = {"calls": 0, "alone": 0.0, "total": 0.0, "own": own}
    row = rows.setdefault(name, {**empty, "outside": name == _CALL})
    row["calls"] += 1
    return row


def _memory(profiler: Any, kind: str, share: float) -> dict[str, float]:
    """Bytes allocated by a share of the calls, and the maximum held at a time."""
    events = profiler.profiler.kineto_results.events()
    found = [one for one in events if one.name() == "[memory]" and one.device_type().name == kind]
    held = peak = allocated = count = 0
    for event in sorted(found, key=lambda event: event.start_ns()):
        held += event.nbytes()
        peak = max(peak, held)
        if event.nbytes() > 0:
            allocated, count = allocated + event.nbytes(), count + 1
    return {"peak": peak, "allocated": share * allocated, "allocations": round(share * count)}


_REPEATS = 5  # of which the best counts
_LONG = 0.1  # seconds after which nothing more is tried
_LARGE = 64 << 20  # bytes that no cache of a CPU holds
_CACHES, _MOST = 16, 1 << 30  # times the size of a GPU's cache, and the most bytes, that are copied
_SIDES = (256, 512, 1024)  # of matrices
_PER_UNIT = (32, 64)  # for each multiprocessor of a GPU; multiples of _SIDES[0]


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts floating-point operations of calls in its context.

    Matrix products, convolutions and attention by the formulas of torch's ``FlopCounterMode``, and
    one for each element of an elementwise operator's result; others count nothing.
    (``FlopCounterMode`` itself has no elementwise operators, and takes a second to begin.)
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count: int = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled in here; to import the compiler takes a second

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operator, and count."""
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if formula := flop_registry.get(func.overloadpacket):
            self.count += int(formula(*args, **kwargs, out_val=out))
        elif torch.Tag.pointwise in func.tags and isinstance(out, torch.Tensor):
            self.count += out.numel() if out.is_floating_point() else 0
        return out


def operations(module: torch.nn.Module, arguments: Sequence[Any]) -> int:
    """Floating-point operations of a call; 0 if they cannot be counted."""
    try:
        with torch.no_grad(), Operations() as counted:
            module(*arguments)
            return int(counted.count)
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
