"""Where calls of a module spend their time, by torch.profiler, in the process that makes them.

What is told is no more than what a process with a candidate says of itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

_CALL = "one call of forward"
_MOST = 48  # rows
_NAME = 200  # characters


def profiled(
    module: torch.nn.Module,
    inputs: Sequence[Sequence[Any]],
    device: str,
    extensions: Sequence[ModuleType],
) -> dict[str, Any]:
    """Operators, functions of ``extensions`` and GPU kernels, each with its microseconds.

    All numbers are for the calls on all inputs together, after one call that is not counted.
    """
    on_gpu = device == "cuda"
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * on_gpu
    with (
        torch.no_grad(),
        _named(extensions) as names,
        profile(
            activities=activities,
            schedule=schedule(wait=0, warmup=1, active=1),
            record_shapes=True,
            profile_memory=True,
        ) as profiler,
    ):
        for number, arguments in enumerate([inputs[0], *inputs]):
            with record_function(_CALL):
                module(*arguments)
            if on_gpu:
                torch.cuda.synchronize()
            if number == 0:
                profiler.step()
    events = list(profiler.events() or ())
    calls = [event for event in events if event.name == _CALL]
    kernels = [event for event in events if _is_kernel(event)]
    children = [child for call in calls for child in call.cpu_children]
    return {
        "calls": len(inputs),
        "microseconds": sum(call.cpu_time_total for call in calls),
        "launches": len(kernels) if kernels else len(children),
        "rows": _top(_kernel_rows(kernels) if kernels else _operator_rows(calls, names)),
        **_memory(profiler, on_gpu),
    }


@contextmanager
def _named(extensions: Sequence[ModuleType]) -> Iterator[set[str]]:
    """Have calls of their functions recorded; gives the names under which they are."""
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


def _is_kernel(event: Any) -> bool:
    return event.device_type.name == "CUDA" and not event.is_user_annotation


def _operator_rows(calls: Sequence[Any], names: set[str]) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    waiting = list(calls)
    while waiting:
        event = waiting.pop()
        waiting += event.cpu_children
        row = rows.setdefault(
            event.name, _row(own=event.name in names, outside=event.name == _CALL)
        )
        row["calls"] += 1
        row["self"] += event.self_cpu_time_total
        row["total"] += event.cpu_time_total
        types = [one for one in getattr(event, "input_dtypes", ()) if isinstance(one, str)]
        row["types"] = sorted({*row["types"], *types})[:8]
    return rows


def _kernel_rows(kernels: Sequence[Any]) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for event in kernels:
        row = rows.setdefault(event.name, _row(own=False, outside=False))
        row["calls"] += 1
        row["self"] += event.device_time_total
        row["total"] = row["self"]
        facts = getattr(event, "event_metadata", None)
        if facts is not None and facts.grid and facts.block:
            row["use"] = {
                "registers": facts.registers_per_thread or 0,
                "shared": facts.shared_memory or 0,
                "grid": list(facts.grid),
                "block": list(facts.block),
            }
    return rows


def _row(*, own: bool, outside: bool) -> dict[str, Any]:
    return {"calls": 0, "self": 0.0, "total": 0.0, "types": [], "own": own, "outside": outside}


def _top(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    ranked = sorted(rows.items(), key=lambda item: -item[1]["self"])
    return [{"name": name[:_NAME], **row} for name, row in ranked[:_MOST]]


def _memory(profiler: Any, on_gpu: bool) -> dict[str, float]:
    """Bytes: the most that calls held at a time of what they allocated, and all of that."""
    kind = "CUDA" if on_gpu else "CPU"
    found = [
        event
        for event in profiler.profiler.kineto_results.events()
        if event.name() == "[memory]" and event.device_type().name == kind
    ]
    held = peak = allocated = count = 0
    for event in sorted(found, key=lambda event: event.start_ns()):
        held += event.nbytes()
        peak = max(peak, held)
        if event.nbytes() > 0:
            allocated, count = allocated + event.nbytes(), count + 1
    return {"peak": peak, "allocated": allocated, "allocations": count}
