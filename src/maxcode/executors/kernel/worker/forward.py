"""Forward calls of a module, timed: the same for a reference and for a candidate."""

from __future__ import annotations

import gc
import mmap
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch.multiprocessing import reductions

from maxcode.executors.kernel.worker import tensors

# Taken before any candidate is there to replace them.
_now = time.perf_counter
_synchronize = torch.cuda.synchronize
_Event: Any = torch.cuda.Event
_WeakRef: Any = reductions.StorageWeakRef
_NOTHING = torch.empty(0, dtype=torch.uint8)
_SCHEDULING = Path("/proc/self/schedstat")
_COLD = 256 << 20  # bytes that KernelBench writes between calls, to empty a GPU's cache


class Between:
    """Hooks between calls; these do nothing."""

    def next(self, seed: int) -> None:
        """Before each call; with the seed of the call before, or a given seed for the first."""

    def end(self) -> None:
        """After the last call."""


NOTHING = Between()


class Calls:
    """Calls of a module on a device, on inputs loaded before.

    ``target`` is the descriptor of the file for outputs. The parent reads outputs there and trusts
    nothing else this process reports.
    """

    def __init__(self, module: torch.nn.Module, device: str, target: int) -> None:
        self._module = module
        self._device = device
        self._target = target
        self._inputs: list[list[Any]] = []
        self._memory = _NOTHING
        self._last: list[Any] = []  # weak references to the memory of the last call's outputs

    def load(self, inputs: Sequence[Sequence[Any]]) -> None:
        """Bring the arguments of the next calls, in main memory, to the device."""
        self._inputs = tensors.mapped(list(inputs), lambda one: one.to(self._device))
        if self._device == "cuda":
            _synchronize()

    def run(
        self, seeds: Sequence[int], slot: int, between: Between = NOTHING, step: int = 0
    ) -> tuple[list[float], list[Any]]:
        """Call on each of the loaded inputs, with its seed; ``step`` is the seed before the first.

        Returns the seconds of each call, and the tree, facts and tensors of each result; the
        tensors of call k are copies at ``k * slot`` bytes of the target, if they fit.
        """
        seconds, returned = [], []
        on_gpu = self._device == "cuda"
        memory = _NOTHING if on_gpu else self._mapped(slot * len(self._inputs))
        for number, (arguments, seed) in enumerate(zip(self._inputs, seeds, strict=True)):
            between.next(step)
            step = seed
            tensors.set_seed(seed, self._device)
            waited = _waited()
            with torch.no_grad():
                taken, value = (timed_on_gpu if on_gpu else timed)(self._module, arguments)
            if not on_gpu:
                taken = max(taken - (_waited() - waited), 0.0)
            found: list[torch.Tensor] = []
            tree = tensors.pack(value, found)
            self._last = [_WeakRef(one.untyped_storage()) for one in map(_plain, found)]
            facts = tensors.facts(found)
            if not on_gpu and slot and sum(map(tensors.size, found)) <= slot:
                found = tensors.placed(memory, number * slot, found)
            seconds.append(taken)
            returned.append((tree, facts, found))
        between.end()
        return seconds, returned

    def own(self, count: int) -> list[bool]:
        """For each output of the last call, whether its caller may write into it.

        True if its memory belongs to no input, weight, module or, among the first ``count``, other
        output. To be called once all references to the result are dropped.
        """
        if not all(one.expired() for one in self._last):
            gc.collect()
        places = [one.cdata for one in self._last]
        return [
            one.expired() and (number >= count or places.count(one.cdata) == 1)
            for number, one in enumerate(self._last)
        ]

    def _mapped(self, size: int) -> torch.Tensor:
        """The bytes of the target. They stay mapped: new pages take longer than copying."""
        if self._memory.numel() != size:
            if os.fstat(self._target).st_size < size:
                os.ftruncate(self._target, size)
            self._memory = _NOTHING
            if size:
                shared = mmap.mmap(self._target, size)
                self._memory = torch.frombuffer(shared, dtype=torch.uint8)
        return self._memory


def _plain(one: torch.Tensor) -> torch.Tensor:
    return one if one.layout is torch.strided else one.to_dense()


def _waited() -> float:
    """Seconds this thread waited for a processor."""
    with suppress(OSError):  # where the kernel keeps no count
        return int(_SCHEDULING.read_text().split()[1]) / 1e9
    return 0.0


def timed(module: torch.nn.Module, arguments: Sequence[Any]) -> tuple[float, Any]:
    """A call on the processor, and its seconds by the clock of this process."""
    began = _now()
    value = module(*arguments)
    return _now() - began, value


def timed_on_gpu(module: torch.nn.Module, arguments: Sequence[Any]) -> tuple[float, Any]:
    """A call on a GPU, until all streams are idle, and its seconds by this process's clock.

    CUDA events would show only the work on their own stream.
    """
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
    """Make a GPU compute float32 in full precision; torch does so for products, not convolutions.

    TF32 keeps ten bits of its factors, so half precision could not be told from it.
    """
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
