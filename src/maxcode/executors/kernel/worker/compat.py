"""What KernelBench does in another way than strict mode: seeds, casts, comparing and timing."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors
from maxcode.executors.kernel.worker.forward import COLD

# Taken before any candidate is there to replace them, which keeps no candidate from lying.
_now = time.perf_counter
_Event: Any = torch.cuda.Event


def cast(arguments: Sequence[Any], dtype: torch.dtype | None) -> list[Any]:
    """Arguments with their tensors of that type, integers too; what is nested stays as it is."""
    return [one.to(dtype) if isinstance(one, torch.Tensor) else one for one in arguments]


def trial_seeds(seed: int, count: int) -> list[int]:
    """The seeds of the inputs that outputs are compared on, drawn from the one seed."""
    torch.manual_seed(seed)
    return [int(torch.randint(0, 2**32 - 1, (1,)).item()) for _ in range(count)]


def drew(seed: int, device: str) -> bool:
    """Whether random numbers were drawn since that seed was set; it is set again."""
    before = _state(device)
    torch.manual_seed(seed)
    return not torch.equal(before, _state(device))


def close(found: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> bool:
    """Whether each element is as close as ``torch.allclose`` wants it; NaN is close to nothing."""
    return torch.allclose(wanted, found, atol=tolerance, rtol=tolerance)


def distances(found: torch.Tensor, wanted: torch.Tensor) -> tuple[float, float, float]:
    """The largest and the mean distance of elements, and the root mean square of what is wanted."""
    if not wanted.numel():
        return 0.0, 0.0, 0.0
    ours, theirs = (_exact(one) for one in (found, wanted))
    apart = (ours - theirs).abs()
    return float(apart.max()), float(apart.mean()), float(theirs.abs().square().mean().sqrt())


def depends_on_mode(
    module: torch.nn.Module, arguments: Sequence[Any], seed: int, device: str
) -> bool:
    """Whether training and evaluation mode give other outputs. Changes what training changes."""
    found, training = [], module.training
    for train in (True, False):
        torch.manual_seed(seed)
        with torch.no_grad():
            given = tensors.mapped(list(copy.deepcopy(arguments)), lambda one: one.to(device))
            found.append(module.train(train)(*given))
    module.train(training)
    return not torch.equal(torch.nan_to_num(found[0]), torch.nan_to_num(found[1]))


def timed(
    module: torch.nn.Module, arguments: Sequence[Any], device: str, rounds: Sequence[int]
) -> list[float]:
    """Milliseconds of calls on the same arguments.

    ``rounds`` says how many calls warm up, how many of the timed are dropped, and how many count.
    Gradients are recorded, as that benchmark leaves them on. By events on a GPU, which see the
    current stream only, and by the clock of the host elsewhere.
    """
    warm_ups, dropped, trials = rounds
    given = tensors.mapped(list(arguments), lambda one: one.to(device))
    for _ in range(warm_ups):
        module(*given)
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        cold = torch.empty(COLD, dtype=torch.uint8, device=device)
        return [_on_gpu(module, given, cold) for _ in range(dropped + trials)][dropped:]
    return [_on_host(module, given) for _ in range(dropped + trials)][dropped:]


def _on_host(module: torch.nn.Module, arguments: list[Any]) -> float:
    began = _now()
    module(*arguments)
    return (_now() - began) * 1e3


def _on_gpu(module: torch.nn.Module, arguments: list[Any], cold: torch.Tensor) -> float:
    torch.cuda.synchronize()
    began, ended = _Event(enable_timing=True), _Event(enable_timing=True)
    cold.fill_(42)
    began.record()
    module(*arguments)
    ended.record()
    torch.cuda.synchronize()
    milliseconds: float = began.elapsed_time(ended)
    return milliseconds


def _state(device: str) -> torch.Tensor:
    return torch.cuda.get_rng_state() if device == "cuda" else torch.get_rng_state()


def _exact(one: torch.Tensor) -> torch.Tensor:
    return one.to(torch.complex128 if one.is_complex() else torch.float64)
