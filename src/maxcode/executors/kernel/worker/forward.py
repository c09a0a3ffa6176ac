"""Forward calls of a module, timed: the same for a reference and for a candidate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

# Taken before any candidate is there to replace them.
_now = time.perf_counter
_synchronize = torch.cuda.synchronize
_Event: Any = torch.cuda.Event
_COLD = 256 << 20  # bytes that KernelBench writes between calls, to empty a GPU's cache


def timed(module: torch.nn.Module, arguments: Sequence[Any]) -> tuple[float, Any]:
    """A call on the processor, and its seconds by the clock of this process."""
    began = _now()
    value = module(*arguments)
    return _now() - began, value


def timed_on_gpu(module: torch.nn.Module, arguments: Sequence[Any]) -> tuple[float, Any]:
    """A call on a GPU, until all streams are idle, and its seconds by this process's clock."""
    began = _now()
    value = module(*arguments)
    _synchronize()
    return _now() - began, value


def kernelbench_times(
    module: torch.nn.Module, arguments: Sequence[Any], device: str, rounds: Sequence[int]
) -> tuple[float, ...]:
    """Milliseconds of calls on the same arguments, measured as in KernelBench.

    ``rounds`` are the numbers of calls to warm up, of timed calls to drop, and of calls to count.
    Gradients stay on. By events on a GPU, which cover the current stream only; elsewhere by the
    clock of the host.
    """
    warm_ups, dropped, trials = rounds
    inputs = tensors.mapped(list(arguments), lambda one: one.to(device))
    for _ in range(warm_ups):
        module(*inputs)
    times = []
    if device == "cuda":
        _synchronize()
        torch.cuda.empty_cache()
        cold = torch.empty(_COLD, dtype=torch.uint8, device=device)
    for _ in range(dropped + trials):
        if device == "cuda":
            _synchronize()
            before, after = _Event(enable_timing=True), _Event(enable_timing=True)
            cold.fill_(42)
            before.record()
            module(*inputs)
            after.record()
            _synchronize()
            times.append(float(before.elapsed_time(after)))
        else:
            began = _now()
            module(*inputs)
            times.append((_now() - began) * 1e3)
    return tuple(times[dropped:])


def use_full_precision() -> None:
    """Make a GPU compute float32 without TF32, which could not be told from half precision."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
