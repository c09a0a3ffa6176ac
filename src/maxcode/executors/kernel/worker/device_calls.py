"""Calls on a GPU requested in turn by a feeder outside; calls.py has the CPU's.

The reference's process copies the inputs of a call into memory shared by both processes, empties
the caches, and fetches the outputs. A candidate's process makes the call, waits until the device is
idle, and is then told where to copy its outputs. The feeder's clock runs all the while.

The device switches to a candidate's process at the first kernel of its call. An empty kernel before
the call takes this delay, so a trusted candidate shows its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import device, forward, tensors
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.worker.calls import CHANGED, FAILED, Feed

# Taken before any candidate is there to replace them.
_set_seed, _synchronize = torch.manual_seed, torch.cuda.synchronize


class Source:
    """The reference's own copy of calls' inputs, watched for changes or not, and their outputs."""

    def __init__(self, regions: device.Regions) -> None:
        self._regions = regions
        self._cold: device.Cold | None = None
        self.inputs: Sequence[list[Any]] = ()
        self.fetched: dict[int, list[torch.Tensor]] = {}
        self.watch = False

    def forget(self) -> None:
        """Free inputs and outputs."""
        self.inputs, self.fetched = (), {}

    def answer(self, message: bytes, facts: Sequence[m.Fact]) -> int:
        """Handle a request of the feeder; returns the code to report."""
        if message[:1] == b"l":
            self.load(int(message[1:]))
            return 0
        call, place = map(int, message[1:].split())
        return CHANGED if self.fetch(call, place, facts) else 0

    def load(self, call: int) -> None:
        """Copy the inputs of a call to the shared memory, and clear the caches."""
        if self._cold is None:
            self._cold = device.Cold(self._regions.driver)
        for place, one in self._places(call):
            place.copy_(one)
        self._cold.make()

    def fetch(self, call: int, place: int, facts: Sequence[m.Fact]) -> bool:
        """Keep the outputs of a call; returns whether its inputs were changed."""
        memory = self._regions.outputs(place)
        self.fetched[call] = [one.clone() for one in tensors.views(memory, facts)]
        _synchronize()
        if not self.watch:
            return False
        return any(not torch.equal(*map(_bytes, pair)) for pair in self._places(call))

    def _places(self, call: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        held = tensors.flat(self.inputs[call])
        places = tensors.views(self._regions.inputs, tensors.facts(held))
        return [*zip(places, held, strict=True)]


class DeviceFeed(Feed):
    """Calls on a GPU, where the reference has a ``source``."""

    device = "cuda"

    def __init__(self, pipes: str) -> None:
        super().__init__(pipes, -1)
        self.regions = device.Regions()
        self.source: Source | None = None
        self._empty: torch.Tensor | None = None

    def inputs(self, described: m.CallInputs) -> list[Any]:
        """Copies of the inputs now in the shared memory."""
        held = tensors.views(self.regions.inputs, described.tensors)
        return list(tensors.unpack(described.tree, [one.clone() for one in held]))

    def _prepare(self, serving: m.Serving) -> torch.Tensor:  # noqa: ARG002
        return self.regions.inputs

    def _call(
        self, module: torch.nn.Module, arguments: Sequence[Any], seed: int
    ) -> tuple[float, Any]:
        _set_seed(seed)
        if self.source is None:  # the reference had the device until now
            if self._empty is None:
                self._empty = torch.empty(1, device="cuda")
            self._empty.zero_()
            _synchronize()
        return forward.timed_on_gpu(module, arguments)

    def _wait(self) -> None:
        _synchronize()

    def _transfer(
        self, message: bytes, held: Sequence[torch.Tensor], facts: Sequence[m.Fact]
    ) -> int:
        if message[:1] != b"o":
            return self.source.answer(message, facts) if self.source else FAILED
        places = tensors.views(self.regions.outputs(int(message[1:])), facts)
        for target, one in zip(places, held, strict=True):
            target.copy_(one)
        _synchronize()
        return 0


def _bytes(one: torch.Tensor) -> torch.Tensor:
    return one.contiguous().reshape(-1).view(torch.uint8)
