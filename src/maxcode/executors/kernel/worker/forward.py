"""Forward calls, timed one by one: the same for a reference and for a candidate."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

# Taken before any candidate is there to replace them.
_now = time.perf_counter
_manual_seed = torch.manual_seed
_seed_processor = torch.default_generator.manual_seed
_synchronize = torch.cuda.synchronize
_Event: Any = torch.cuda.Event
_NOTHING = torch.empty(0, dtype=torch.uint8)
_SCHEDULING = Path("/proc/self/schedstat")
_scheduling = os.open(_SCHEDULING, os.O_RDONLY) if _SCHEDULING.exists() else 0
_IDLE = 1e-4  # seconds that synchronizing an idle device takes at the most
COLD = 256 << 20  # bytes that are written to have nothing of a call's inputs in a GPU's cache


class Calls:
    """Calls of a module on one device, on inputs that were loaded before.

    ``target`` is the descriptor of a file that outputs go to. Whoever looks at the outputs does so
    in that file; what is told beside it is no more than what this process says.
    """

    def __init__(self, module: torch.nn.Module, device: str, target: int) -> None:
        self._module = module
        self._device = device
        self._target = target
        self._inputs: list[list[Any]] = []
        self._memory = _NOTHING
        self._cold = torch.empty(COLD if device == "cuda" else 0, dtype=torch.uint8, device=device)

    def load(self, inputs: Sequence[Sequence[Any]]) -> None:
        """Take the arguments of the next calls, in main memory, and bring them to the device."""
        self._inputs = tensors.mapped(list(inputs), lambda one: one.to(self._device))
        if self._device == "cuda":
            _synchronize()

    def arguments(self) -> list[torch.Tensor]:
        """All tensors among the inputs."""
        found: list[torch.Tensor] = []
        tensors.pack(self._inputs, found)
        return found

    def run(self, seed: int, slot: int) -> tuple[list[float], list[Any]]:
        """Call for each of the loaded inputs; seconds of each call, and what it returned.

        The tensors of call k are copied to ``k * slot`` bytes, if they fit in there, and it is the
        copies that are told.
        """
        seconds, returned = [], []
        memory = self._mapped(slot * len(self._inputs))
        on_gpu = self._device == "cuda"
        for number, arguments in enumerate(self._inputs):
            (_manual_seed if on_gpu else _seed_processor)(seed + number)
            taken, value = (self._timed_on_gpu if on_gpu else self._timed)(arguments)
            found: list[torch.Tensor] = []
            tree = tensors.pack(value, found)
            facts = [tensors.facts(one) for one in found]
            if slot and sum(map(tensors.size, found)) <= slot:
                found = tensors.placed(memory, number * slot, found)
            seconds.append(taken)
            returned.append((tree, facts, found))
        return seconds, returned

    def _mapped(self, size: int) -> torch.Tensor:
        """The bytes of the target. They stay mapped: new pages take longer than to copy."""
        if self._memory.numel() != size:
            if os.fstat(self._target).st_size < size:
                os.ftruncate(self._target, size)
            self._memory = _NOTHING
            if size:
                shared = mmap.mmap(self._target, size)
                self._memory = torch.frombuffer(shared, dtype=torch.uint8)
        return self._memory

    def _timed(self, arguments: list[Any]) -> tuple[float, Any]:
        with torch.no_grad():
            began = _now() - self._waited()
            value = self._module(*arguments)
            return max(_now() - self._waited() - began, 0.0), value

    @staticmethod
    def _waited() -> float:
        """Seconds for which this thread could not run because others did."""
        return int(os.pread(_scheduling, 99, 0).split()[1]) / 1e9 if _scheduling else 0.0

    def _timed_on_gpu(self, arguments: list[Any]) -> tuple[float, Any]:
        """By events, the last right after the call, or when nothing goes on on any stream."""
        began, soon, late = (_Event(enable_timing=True) for _ in range(3))
        self._cold.zero_()
        _synchronize()
        with torch.no_grad():
            began.record()
            value = self._module(*arguments)
            soon.record()
            soon.synchronize()
            waiting = _now()
            _synchronize()
            waited = _now() - waiting
            late.record()
            _synchronize()
        return began.elapsed_time(late if waited > _IDLE else soon) / 1e3, value


_backends: Any = torch.backends
_READ: dict[str, Callable[[], Any]] = {
    "torch.get_default_dtype()": torch.get_default_dtype,
    "torch.get_float32_matmul_precision()": torch.get_float32_matmul_precision,
    "torch.backends.cuda.matmul.allow_tf32": lambda: _backends.cuda.matmul.allow_tf32,
    "torch.backends.cudnn.allow_tf32": lambda: _backends.cudnn.allow_tf32,
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction": lambda: (
        _backends.cuda.matmul.allow_fp16_reduced_precision_reduction
    ),
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction": lambda: (
        _backends.cuda.matmul.allow_bf16_reduced_precision_reduction
    ),
    "torch.backends.mkldnn.matmul.fp32_precision": lambda: _backends.mkldnn.matmul.fp32_precision,
    "torch.backends.mkldnn.conv.fp32_precision": lambda: _backends.mkldnn.conv.fp32_precision,
}


def settings() -> dict[str, str]:
    """Their values, by the expression that gives them; without those that this torch lacks."""
    found = {}
    for name, read in _READ.items():
        with suppress(AttributeError, RuntimeError):  # old torch; old and new settings in one
            found[name] = str(read())
    return found
