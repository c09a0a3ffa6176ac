"""Calls on a GPU requested in turn by a feeder outside; calls.py has the CPU's.

Inputs and outputs stay on the device. The reference's process owns both: it copies the inputs of a
call into memory shared by both processes, empties the caches, and fetches the outputs. A
candidate's process makes the call, waits until the whole device is idle, and is then told where to
copy its outputs. The feeder's clock runs all the while; CUDA events of this process do not count.

The device switches to a candidate's process at the first kernel of its call. An empty kernel before
the call takes this delay, so a trusted candidate shows its length.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import torch

from maxcode.executors.kernel.worker import device, forward, tensors
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.worker.calls import (
    LONGEST,
    SEED,
    Expected,
    FirstOutputs,
    Pipes,
    described_value,
    overwrite,
    state_report,
)

_HEAD = struct.Struct(m.HEAD)
_FAILED, _CHANGED = 1, 2  # codes of reports; as in ../feeder.cpp
# Taken before any candidate is there to replace them.
_set_seed, _synchronize = torch.manual_seed, torch.cuda.synchronize


class Source:
    """The reference's own copy of calls' inputs, and the outputs it fetched.

    ``inputs`` are the arguments by call; ``watch`` is whether to check calls for changes to them.
    """

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
        return _CHANGED if self.fetch(call, place, facts) else 0

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


class DeviceFeed(Pipes):
    """A worker's end, on a GPU; ``pipes`` is the folder of the pipes to the feeder."""

    def __init__(self, pipes: str) -> None:
        super().__init__(pipes)
        self.regions = device.Regions()
        self._empty: torch.Tensor | None = None

    def serve(
        self,
        module: torch.nn.Module,
        request: m.Run,
        source: Source | None = None,
        *,
        between: forward.Between = forward.NOTHING,
    ) -> m.Returned:
        """Handle requests of the feeder until its end message; the reference has a ``source``.

        ``between`` as on a CPU. Raises as calls do.
        """
        facts = request.serving.tensors
        first, expected = FirstOutputs(facts), Expected(request.serving)
        go, done, read, write = self._go, self._done, os.read, os.write
        arguments: list[Any] = []
        held: list[torch.Tensor] | None = None
        number, value, last = -1, None, request.step
        with torch.no_grad():
            while True:
                message = read(go, LONGEST)
                kind, report, seconds, began = message[:1], 0, 0.0, perf_counter()
                try:
                    if kind in (b"c", b"j"):
                        if kind == b"j":
                            arguments = self._described(message, self.regions.inputs)
                        last = int(message[SEED])
                        self._begin(last, change_over=source is None)
                        seconds, value = forward.timed_on_gpu(module, arguments)
                        held = expected.found(value)
                        if held is None:
                            write(done, _HEAD.pack(number, _FAILED, 0.0))
                            self._until_the_end()
                            return described_value(value)
                    elif kind in (b"n", b"r"):
                        held = value = None
                        _synchronize()
                        seconds = perf_counter() - began
                        _set_seed(int(message[SEED]))
                    elif kind == b"p":
                        overwrite(held or (), facts)
                        between.next(last)
                        number += 1
                    elif kind == b"o":
                        self._deliver(held or [], facts, int(message[1:]))
                    elif kind in (b"l", b"f") and source is not None:
                        report = source.answer(message, facts)
                    elif kind == b"s":
                        between.end()
                        write(done, state_report(module, request.state))
                        continue
                    else:
                        between.end()
                        return m.Returned(tuple(sorted(first.again)))
                except BaseException:
                    write(done, _HEAD.pack(max(number, 0), _FAILED, 0.0))
                    self._until_the_end()
                    raise
                write(done, _HEAD.pack(max(number, 0), report, seconds))
                if kind in (b"c", b"j"):
                    first.look(value)

    def inputs(self, described: m.CallInputs) -> list[Any]:
        """Copies of the inputs now in the shared memory."""
        held = tensors.views(self.regions.inputs, described.tensors)
        return list(tensors.unpack(described.tree, [one.clone() for one in held]))

    def _begin(self, seed: int, *, change_over: bool) -> None:
        """Prepare a call; with ``change_over`` switch the device to this process."""
        _set_seed(seed)
        if change_over:
            if self._empty is None:
                self._empty = torch.empty(1, device="cuda")
            self._empty.zero_()
            _synchronize()

    def _deliver(
        self, held: Sequence[torch.Tensor], facts: Sequence[m.OutputFact], place: int
    ) -> None:
        for target, one in zip(
            tensors.views(self.regions.outputs(place), facts), held, strict=True
        ):
            target.copy_(one)
        _synchronize()


def _bytes(one: torch.Tensor) -> torch.Tensor:
    return one.contiguous().reshape(-1).view(torch.uint8)
