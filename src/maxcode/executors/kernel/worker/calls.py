"""Calls requested in turn by a feeder outside; shared by the reference and candidates.

Calls on a GPU are in device_calls.py.

The feeder, ../feeder.cpp, owns the clock and the inputs. This code serves honest modules: a
candidate that replaces it still gets the inputs of a single call at a time, and must still have its
outputs at the reported addresses before it reports them.
"""

from __future__ import annotations

import mmap
import os
import secrets
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from time import perf_counter
from typing import Any

import torch

from maxcode.executors.kernel.worker import forward, tensors
from maxcode.executors.kernel.worker import messages as m

_CALL, _EMPTY, _PREPARE, _RELEASE, _STATE = b"c", b"n", b"p", b"r", b"s"
_DESCRIBED = b"j"  # a call whose seed is followed by a description of its inputs
SEED = slice(1, 1 + m.SEED_DIGITS)  # where messages have the seed
LONGEST = 1 << 16  # bytes of a pipe that are read at once
_PLAIN = {"tensor": 0}
_MAX_KEPT = 256 << 20  # bytes of outputs
_MOVED = 16 << 20  # bytes, by which at most what calls allocate lies elsewhere in another batch
_TOUCHED = 31 << 20  # bytes; malloc keeps nothing of what is freed in blocks of 32 MiB or more
_ALIGNED = 1 << 20  # bytes, by which a block is smaller that is sure to fit where another was


def touch_memory() -> None:
    """Prepare memory for calls' allocations, so the system need not clear it first, which is slow.

    Malloc keeps memory only for blocks of a size freed before.
    """
    torch.empty(_TOUCHED, dtype=torch.uint8)
    torch.zeros(_TOUCHED, dtype=torch.uint8)


class Pipes:
    """A worker's end of the two pipes to a feeder, which lie in a folder."""

    def __init__(self, folder: str) -> None:
        self._go = os.open(Path(folder, "go"), os.O_RDWR)
        self._done = os.open(Path(folder, "done"), os.O_RDWR)

    def _described(self, message: bytes, memory: torch.Tensor) -> list[Any]:
        """Arguments described by a message, stored consecutively in memory."""
        while not message.endswith(b"\n"):
            message += os.read(self._go, LONGEST)
        described: m.Arguments = m.unpack(message[SEED.stop :])
        held = tensors.views(memory, described.tensors)
        return list(tensors.unpack(described.tree, held))

    def _until_the_end(self) -> None:
        while os.read(self._go, LONGEST)[:1] not in (b"e", b"x"):
            pass


class Feed(Pipes):
    """A worker's end: the pipes, and the shared file of inputs.

    ``target`` is the descriptor of this file, ``pipes`` the folder of the pipes.
    """

    def __init__(self, target: int, pipes: str) -> None:
        super().__init__(pipes)
        self._target = target
        self._random = SystemRandom()
        self._aside = torch.empty(0, dtype=torch.uint8)
        self._touched = False
        self._mapped: tuple[int, int] = (0, 0)
        self._outputs = torch.empty(0, dtype=torch.uint8)
        self._memory = torch.empty(0, dtype=torch.uint8)

    def serve(
        self,
        module: torch.nn.Module,
        request: m.Run,
        *,
        between: forward.Between = forward.NOTHING,
    ) -> m.Returned:
        """Call the module on each request of the feeder, until its end message.

        ``between`` runs between calls and is not timed. Raises as calls do.
        """
        serving = request.serving
        first = FirstOutputs(serving.tensors)
        memory = self._region(serving.base, serving.room)
        expected = Expected(serving)
        self._move()
        nothing = expected.report(0, 0.0, [])
        set_seed = torch.default_generator.manual_seed
        go, done, read, write, clock = self._go, self._done, os.read, os.write, perf_counter
        arguments: list[Any] = []
        number, held, value, last = -1, None, None, request.step
        with torch.no_grad():
            while True:
                message = read(go, LONGEST)
                kind = message[:1]
                if kind in (_CALL, _DESCRIBED):
                    if kind == _DESCRIBED:
                        arguments = self._described(message, memory)
                    last = int(message[SEED])
                    set_seed(last)
                    try:
                        seconds, value = forward.timed(module, arguments)
                        held = expected.held(value)
                    except BaseException:
                        write(done, expected.failure(number))
                        self._until_the_end()
                        raise
                    if held is None:
                        write(done, expected.failure(number))
                        self._until_the_end()
                        return described_value(value)
                    write(done, expected.report(number, seconds, held))
                    first.look(value)  # which counts as part of no call
                elif kind in (_EMPTY, _RELEASE):  # what surrounds a call, and ends its results
                    began = clock()
                    held = value = None
                    seconds = clock() - began
                    set_seed(int(message[SEED]))
                    write(done, expected.report(0, seconds, []))
                elif kind == _STATE:
                    between.end()
                    write(done, state_report(module, request.state))
                elif kind != _PREPARE:
                    between.end()
                    return m.Returned(tuple(sorted(first.again)))
                else:
                    overwrite(tensors.flat(value), serving.tensors, only_scattered=True)
                    between.next(last)
                    number += 1
                    write(done, nothing)

    def _move(self) -> None:
        """Move calls' allocations to other addresses than in the batch before.

        Addresses determine which data stays in caches: without this, equal kernels in two processes
        differ by up to 15 % for the processes' whole lives.
        """
        self._aside = torch.empty(0, dtype=torch.uint8)
        if not self._touched:  # again, since it may be in use by now
            self._touched = True
            torch.zeros(_TOUCHED - _ALIGNED, dtype=torch.uint8)
        self._aside = torch.empty(self._random.randrange(_MOVED), dtype=torch.uint8)

    def kept(self, serving: m.Serving, calls: int, slot: int) -> list[list[torch.Tensor]]:
        """Outputs of calls, for a worker with outputs in its own file."""
        if self._outputs.numel() != calls * slot:
            self._outputs = torch.empty(0, dtype=torch.uint8)
            if calls * slot:
                shared = mmap.mmap(self._target, calls * slot, offset=serving.first)
                self._outputs = torch.frombuffer(shared, dtype=torch.uint8)
        places = range(0, calls * slot, max(slot, 1))
        return [tensors.views(self._outputs[one : one + slot], serving.tensors) for one in places]

    def _region(self, base: int, room: int) -> torch.Tensor:
        """Bytes of the file for the inputs of a call."""
        if self._mapped != (base, room):
            self._mapped = (base, room)
            self._memory = torch.empty(0, dtype=torch.uint8)
            if room:
                shared = mmap.mmap(self._target, room, offset=base)
                self._memory = torch.frombuffer(shared, dtype=torch.uint8)
        return self._memory


class FirstOutputs:
    """Keeps the first outputs, as a caller may: later calls must not return their memory.

    ``again`` are numbers of the overwritable outputs that did.
    """

    def __init__(self, facts: Sequence[m.OutputFact]) -> None:
        self._free = [one.overwritable for one in facts]
        self._kept: list[torch.Tensor] | None = None
        self._places: set[int] = set()
        self.again: set[int] = set()

    def look(self, value: Any) -> None:
        """Check the result of a call."""
        if not any(self._free):
            return
        outputs = [one.detach() for one in tensors.flat(value)]
        places = [_place(one) for one in outputs]
        if self._kept is None:
            self._kept = outputs if sum(one.nbytes for one in outputs) <= _MAX_KEPT else []
            self._places = {*places[: len(self._kept)]}
        else:
            pairs = enumerate(zip(places, self._free, strict=False))
            self.again |= {n for n, (place, free) in pairs if free and place in self._places}


def _place(one: torch.Tensor) -> int:
    """Start address of its memory; a unique number for a tensor without memory."""
    usual = type(one) is torch.Tensor and one.layout is torch.strided and one.numel()
    return one.untyped_storage().data_ptr() if usual and not one.is_meta else -id(one)


def overwrite(
    outputs: Sequence[torch.Tensor],
    facts: Sequence[m.OutputFact],
    *,
    only_scattered: bool = False,
) -> None:
    """Overwrite the results callers may write into, before the next call, each time differently.

    ``only_scattered`` skips results the feeder can overwrite from outside.
    """
    for one, fact in zip(outputs, facts, strict=False):
        plain = tensors.is_plain(one)
        if not fact.overwritable or (plain and only_scattered):
            continue
        target = one.detach().reshape(-1).view(torch.uint8) if plain else one.detach()
        with suppress(RuntimeError):  # of some layouts that torch has, nobody may write into them
            target.fill_(secrets.randbits(7))


class Expected:
    """Expected structure of results, and reports of calls."""

    def __init__(self, serving: m.Serving) -> None:
        self._tree = m.alike(serving.tree)
        self._count = len(serving.tensors)
        self._plain = serving.tree == _PLAIN
        self._dtypes = [getattr(torch, one.dtype) for one in serving.tensors]
        self._shapes = [torch.Size(one.shape) for one in serving.tensors]
        self._packed = struct.Struct(f"{m.HEAD}{self._count}Q")

    def found(self, value: Any) -> list[torch.Tensor] | None:
        """Tensors of a result; None for a wrong structure, type or shape."""
        if self._plain and type(value) is torch.Tensor:
            found = [value]
        else:
            found = []
            if m.alike(tensors.pack(value, found)) != self._tree:
                return None
        for index, one in enumerate(found):
            if one.dtype is not self._dtypes[index] or one.shape != self._shapes[index]:
                return None
        return found

    def held(self, value: Any) -> list[torch.Tensor] | None:
        """Tensors of a result in main memory; None as in :meth:`found`."""
        found = self.found(value)
        if found is None:
            return None
        for index, one in enumerate(found):
            usual = type(one) is torch.Tensor and one.is_cpu and one.layout is torch.strided
            if not (usual and tensors.is_plain(one)):
                found[index] = torch.empty(one.shape, dtype=one.dtype).copy_(one)
        return found

    def report(self, number: int, seconds: float, held: Sequence[torch.Tensor]) -> bytes:
        """Report of a finished call with the addresses of its outputs."""
        places = [one.data_ptr() for one in held] or [0] * self._count
        return self._packed.pack(number, 0, seconds, *places)

    def failure(self, number: int) -> bytes:
        """Report of a failed call."""
        return self._packed.pack(number, 1, 0.0, *[0] * self._count)


def described_value(value: Any) -> m.Returned:
    """Structure and tensors of a call's result."""
    found: list[torch.Tensor] = []
    tree: m.Tree = tensors.pack(value, found)
    return m.Returned(returned=m.Arguments(tree, tensors.facts(found)))


_kept: list[torch.Tensor] = []  # alive until the feeder has read them


def state_report(module: torch.nn.Module, wanted: Mapping[str, m.Fact]) -> bytes:
    """Addresses of a module's state; a failure for other names, types or shapes."""
    own = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    fits = all(name in own and tensors.fact(own[name]) == wanted[name] for name in wanted)
    _kept[:] = [own[name].detach().to("cpu").contiguous() for name in wanted] if fits else []
    places = [one.data_ptr() for one in _kept] or [0] * len(wanted)
    return struct.pack(f"{m.HEAD}{len(wanted)}Q", 0, int(not fits), 0.0, *places)
