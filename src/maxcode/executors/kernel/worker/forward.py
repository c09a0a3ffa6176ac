"""Forward calls, timed one by one: the same for a reference and for a candidate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

# Taken before any candidate is there to replace them.
_now = time.perf_counter
_manual_seed = torch.manual_seed
_synchronize = torch.cuda.synchronize
_Event: Any = torch.cuda.Event
_COLD = 256 << 20  # bytes that are written to have nothing of a call's inputs in a GPU's cache


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
        self._cold = torch.empty(_COLD if device == "cuda" else 0, dtype=torch.uint8, device=device)

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

        The tensors of call k are written at ``k * slot`` bytes.
        """
        seconds, returned = [], []
        timed = self._timed_on_gpu if self._device == "cuda" else self._timed
        for number, arguments in enumerate(self._inputs):
            _manual_seed(seed + number)
            taken, value = timed(arguments)
            found: list[torch.Tensor] = []
            tree = tensors.pack(value, found)
            if slot:
                tensors.write(self._target, number * slot, found)
            seconds.append(taken)
            returned.append((tree, [tensors.facts(one) for one in found], found))
        return seconds, returned

    def _timed(self, arguments: list[Any]) -> tuple[float, Any]:
        with torch.no_grad():
            began = _now()
            value = self._module(*arguments)
            return _now() - began, value

    def _timed_on_gpu(self, arguments: list[Any]) -> tuple[float, Any]:
        """By events; nothing of the call goes on on any stream when the last is recorded."""
        began, ended = _Event(enable_timing=True), _Event(enable_timing=True)
        self._cold.zero_()
        _synchronize()
        with torch.no_grad():
            began.record()
            value = self._module(*arguments)
            _synchronize()
            ended.record()
            _synchronize()
        return began.elapsed_time(ended) / 1e3, value
