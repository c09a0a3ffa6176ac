"""Calls requested in turn by a feeder outside (../feeder.cpp), of the reference and candidates.

This code serves honest modules: a candidate that replaces it still gets the inputs of a single call
at a time, and must have its outputs at the reported addresses before it reports them.
"""

from __future__ import annotations

import mmap
import os
import secrets
import struct
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Any

import torch
from torch.autograd.graph import increment_version

from maxcode.executors.kernel.worker import forward, tensors
from maxcode.executors.kernel.worker import messages as m

SEED = slice(1, 1 + m.SEED_DIGITS)  # where messages have the seed
LONGEST = 1 << 16  # bytes of a pipe that are read at once
_PLAIN = {"tensor": 0}
_MAX_KEPT = 256 << 20  # bytes of outputs
_MOVED = 16 << 20  # bytes, by which at most what calls allocate lies elsewhere in another batch
_TOUCHED = 31 << 20  # bytes; malloc keeps nothing of what is freed in blocks of 32 MiB or more
FAILED, CHANGED = 1, 2  # codes of reports; as in ../feeder.cpp
_ALIGNED = 1 << 20  # bytes, by which a block is smaller that is sure to fit where another was


def touch_memory() -> None:
    """Prepare memory for calls' allocations: malloc keeps it for blocks of a size freed before."""
    torch.empty(_TOUCHED, dtype=torch.uint8)
    torch.zeros(_TOUCHED, dtype=torch.uint8)


class Feed:
    """A worker's end of the two pipes to a feeder, and of the shared file of inputs.

    ``pipes`` is the folder of the pipes, ``target`` the descriptor of the file.
    """

    device = "cpu"

    def __init__(self, pipes: str, target: int) -> None:
        self._go, self._done = (os.open(Path(pipes, name), os.O_RDWR) for name in ("go", "done"))
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
        serving: m.Serving,
        *,
        trains: bool = False,
    ) -> m.Returned:
        """Call the module on each request of the feeder, until its end message.

        If it ``trains``, parameters count as changed between calls. Raises as calls do.
        """
        on_cpu = self.device == "cpu"
        expected = Expected(serving, addresses=on_cpu)
        memory, arguments = self._prepare(serving), list[Any]()
        kept, again = list[torch.Tensor](), set[int]()
        held: Sequence[torch.Tensor] | None = None
        value, number = None, -1
        with torch.no_grad():
            while True:
                message = os.read(self._go, LONGEST)
                kind, seconds = message[:1], 0.0
                places: Sequence[torch.Tensor] = ()
                calls = kind == b"c"
                try:
                    if calls:
                        seconds, value = self._call(module, arguments, int(message[SEED]))
                        held = expected.held(value) if on_cpu else expected.found(value)
                        if held is None:
                            self._fail(expected, number)
                            return described_value(value)
                        places = held
                    elif kind == b"d":
                        arguments = self._described(message, memory)
                    elif kind == b"n":  # what surrounds a call
                        tensors.set_seed(int(message[SEED]), self.device)
                    elif kind == b"p":
                        overwrite(tensors.flat(value), serving.tensors, only_scattered=on_cpu)
                        held = value = None
                        self._wait()
                        for one in module.parameters() if trains else ():
                            increment_version(one)
                        number += 1
                    elif kind in (b"l", b"f", b"o"):
                        code = self._transfer(message, held or (), serving.tensors)
                        os.write(self._done, expected.report(0, code=code))
                        continue
                    else:
                        return m.Returned(tuple(sorted(again)))
                except BaseException:
                    self._fail(expected, number)
                    raise
                os.write(self._done, expected.report(number if calls else 0, seconds, places))
                if calls:  # which is part of no call
                    again |= _again(kept, places, serving.tensors)
                    kept = kept or _small(places)

    def _prepare(self, serving: m.Serving) -> torch.Tensor:
        """Get ready for a batch; returns the memory with the inputs of a call."""
        self._move()
        return self._region(serving.base, serving.room)

    def _call(
        self, module: torch.nn.Module, arguments: Sequence[Any], seed: int
    ) -> tuple[float, Any]:
        """A call, and its seconds by this process's clock."""
        tensors.set_seed(seed, self.device)
        return forward.timed(module, arguments)

    def _wait(self) -> None:
        """Wait until the device is idle."""

    def _transfer(
        self, message: bytes, held: Sequence[torch.Tensor], facts: Sequence[m.Fact]
    ) -> int:
        """On a GPU, handle a request about inputs or outputs; returns the code to report."""
        raise NotImplementedError(message)

    def _described(self, message: bytes, memory: torch.Tensor) -> list[Any]:
        """Arguments described by a message, stored consecutively in memory."""
        while not message.endswith(b"\n"):
            message += os.read(self._go, LONGEST)
        described: m.Arguments = m.unpack(message[1:])
        held = tensors.views(memory, described.tensors)
        return list(tensors.unpack(described.tree, held))

    def _fail(self, expected: Expected, number: int) -> None:
        """Report a failure, and wait for the end message."""
        os.write(self._done, expected.report(max(number, 0), code=FAILED))
        while os.read(self._go, LONGEST)[:1] not in (b"e", b"x"):
            pass

    def _move(self) -> None:
        """Move calls' allocations to other addresses than in the batch before.

        Without this, equal kernels in two processes differ by up to 15 %, as caches do.
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


def _small(outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Outputs to keep, as a caller may; none if they are large."""
    return [*outputs] if sum(one.nbytes for one in outputs) <= _MAX_KEPT else []


def _again(
    kept: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor], facts: Sequence[m.OutputFact]
) -> set[int]:
    """Numbers of the overwritable outputs that are memory of outputs kept from an earlier call."""
    known = set(map(_place, kept))
    pairs = enumerate(zip(outputs, facts, strict=True))
    return {n for n, (one, fact) in pairs if fact.overwritable and _place(one) in known}


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
    """Overwrite results; with ``only_scattered`` those that the feeder cannot overwrite."""
    for one, fact in zip(outputs, facts, strict=False):
        plain = tensors.is_plain(one)
        if not fact.overwritable or (plain and only_scattered):
            continue
        target = one.detach().reshape(-1).view(torch.uint8) if plain else one.detach()
        with suppress(RuntimeError):  # of some layouts that torch has, nobody may write into them
            target.fill_(secrets.randbits(7))


class Expected:
    """Expected structure of results, and reports of calls, with ``addresses`` of outputs or not."""

    def __init__(self, serving: m.Serving, *, addresses: bool) -> None:
        self._tree = m.alike(serving.tree)
        self._count = len(serving.tensors) if addresses else 0
        self._plain = serving.tree == _PLAIN
        self._facts = [(getattr(torch, o.dtype), torch.Size(o.shape)) for o in serving.tensors]
        self._packed = struct.Struct(f"{m.HEAD}{self._count}Q")

    def found(self, value: Any) -> list[torch.Tensor] | None:
        """Tensors of a result; None for a wrong structure, type or shape."""
        found: list[torch.Tensor] = []
        if self._plain and type(value) is torch.Tensor:
            found = [value]
        elif m.alike(tensors.pack(value, found)) != self._tree:
            return None
        right = all((o.dtype, o.shape) == fact for o, fact in zip(found, self._facts, strict=True))
        return found if right else None

    def held(self, value: Any) -> list[torch.Tensor] | None:
        """Tensors of a result in main memory; None as in :meth:`found`."""
        found = self.found(value)
        for index, one in enumerate(found or ()):
            usual = type(one) is torch.Tensor and one.is_cpu and one.layout is torch.strided
            if found and not (usual and tensors.is_plain(one)):
                found[index] = torch.empty(one.shape, dtype=one.dtype).copy_(one)
        return found

    def report(
        self, number: int, seconds: float = 0.0, held: Sequence[torch.Tensor] = (), code: int = 0
    ) -> bytes:
        """Report of a call with the addresses of its outputs, or of a code."""
        places = [one.data_ptr() for one in held[: self._count]] or [0] * self._count
        return self._packed.pack(number, code, seconds, *places)


def described_value(value: Any) -> m.Returned:
    """Structure and tensors of a call's result."""
    found: list[torch.Tensor] = []
    tree: m.Tree = tensors.pack(value, found)
    return m.Returned(returned=m.Arguments(tree, tensors.facts(found)))
