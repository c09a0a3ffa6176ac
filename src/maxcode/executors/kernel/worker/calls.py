"""Calls that a feeder outside asks for one by one; the same for a reference and for a candidate.

Those on a GPU are in device_calls.py.

The feeder, ../feeder.cpp, owns the clock and the inputs. All that is here serves honest modules: a
candidate that replaces it still gets one input at a time, and still has to leave its outputs where
it says they are before it says so.
"""

from __future__ import annotations

import json
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

_CALL, _EMPTY, _PREPARE, _RELEASE, _STATE = b"c", b"n", b"p", b"r", b"s"
_DESCRIBED = b"j"  # a call whose seed is followed by a description of its inputs
SEED = slice(1, 11)  # where messages have the seed; as in ../feeder.cpp
LONGEST = 1 << 16  # bytes of a pipe that are read at once
_HEAD = "<IId"  # number of the call, whether it failed, seconds that it took: as in ../feeder.cpp
_PLAIN = {"tensor": 0}
_MAX_KEPT = 256 << 20  # bytes of outputs
_MOVED = 16 << 20  # bytes, by which at most what calls allocate lies elsewhere in another batch
_TOUCHED = 31 << 20  # bytes; malloc keeps nothing of what is freed in blocks of 32 MiB or more
_ALIGNED = 1 << 20  # bytes, by which a block is smaller that is sure to fit where another was


def touch_memory() -> None:
    """Have memory for what calls allocate that the system need not clear first, which takes long.

    Only blocks of a size that was freed once come from the memory that malloc keeps.
    """
    torch.empty(_TOUCHED, dtype=torch.uint8)
    torch.zeros(_TOUCHED, dtype=torch.uint8)


class Pipes:
    """A worker's end of the two pipes to a feeder, which lie in a folder."""

    def __init__(self, folder: str) -> None:
        self._go = os.open(Path(folder, "go"), os.O_RDWR)
        self._done = os.open(Path(folder, "done"), os.O_RDWR)

    def _described(self, message: bytes, memory: torch.Tensor) -> list[Any]:
        """The arguments that a message describes, which lie in memory one after another."""
        while not message.endswith(b"\n"):
            message += os.read(self._go, LONGEST)
        described = json.loads(message[SEED.stop :])
        held = tensors.views(memory, described["tensors"])
        return list(tensors.unpack(described["tree"], held))

    def _until_the_end(self) -> None:
        while os.read(self._go, LONGEST)[:1] not in (b"e", b"x"):
            pass


class Feed(Pipes):
    """A worker's end: the pipes, and the shared file that inputs come in.

    ``target`` is the descriptor of that file, ``pipes`` the folder of the pipes.
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
        request: Mapping[str, Any],
        *,
        between: forward.Between = forward.NOTHING,
    ) -> dict[str, Any]:
        """Call the module whenever the feeder asks for it, until it asks for no more.

        What is done ``between`` calls takes no part in them.
        Returns which outputs are memory that the first call returned, or a description of what a
        call returned if that is of another structure. Raises what calls do.
        """
        first = FirstOutputs(request["tensors"])
        memory = self._region(request["base"], request["room"])
        expected = Expected(request["tree"], request["tensors"])
        self._move()
        nothing = expected.report(0, 0.0, [])
        set_seed = torch.default_generator.manual_seed
        go, done, read, write, clock = self._go, self._done, os.read, os.write, perf_counter
        arguments: list[Any] = []
        number, held, value, last = -1, None, None, request.get("step", 0)
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
                        return {"returned": described_value(value)}
                    write(done, expected.report(number, seconds, held))
                    first.look(value, arguments)  # which counts as part of no call
                elif kind in (_EMPTY, _RELEASE):  # what surrounds a call, and ends its results
                    began = clock()
                    held = value = None
                    seconds = clock() - began
                    set_seed(int(message[SEED]))
                    write(done, expected.report(0, seconds, []))
                elif kind == _STATE:
                    between.end()
                    write(done, state_report(module, request["state"]))
                elif kind != _PREPARE:
                    between.end()
                    return {"again": first.again}
                else:
                    overwrite(tensors.flat(value), request["tensors"], only_scattered=True)
                    between.next(last)
                    number += 1
                    write(done, nothing)

    def _move(self) -> None:
        """Have what calls allocate lie elsewhere than in the batch before.

        Where it lies decides what stays in caches: else equal kernels in two processes differ by up
        to 15 % for as long as these live.
        """
        self._aside = torch.empty(0, dtype=torch.uint8)
        if not self._touched:  # again, since it may be in use by now
            self._touched = True
            torch.zeros(_TOUCHED - _ALIGNED, dtype=torch.uint8)
        self._aside = torch.empty(self._random.randrange(_MOVED), dtype=torch.uint8)

    def kept(self, request: Mapping[str, Any], calls: int, slot: int) -> list[list[torch.Tensor]]:
        """The outputs of calls, for a worker in whose own file they are."""
        if self._outputs.numel() != calls * slot:
            self._outputs = torch.empty(0, dtype=torch.uint8)
            if calls * slot:
                shared = mmap.mmap(self._target, calls * slot, offset=request["first"])
                self._outputs = torch.frombuffer(shared, dtype=torch.uint8)
        places = range(0, calls * slot, max(slot, 1))
        return [
            tensors.views(self._outputs[one : one + slot], request["tensors"]) for one in places
        ]

    def _region(self, base: int, room: int) -> torch.Tensor:
        """The bytes of the file that the inputs of a call come in."""
        if self._mapped != (base, room):
            self._mapped = (base, room)
            self._memory = torch.empty(0, dtype=torch.uint8)
            if room:
                shared = mmap.mmap(self._target, room, offset=base)
                self._memory = torch.frombuffer(shared, dtype=torch.uint8)
        return self._memory


class FirstOutputs:
    """Keeps the first outputs, as a caller may: their memory is not to be returned again.

    Those that nobody may write into are others' memory, and may. ``again`` are the numbers of
    outputs that are such memory nevertheless.
    """

    def __init__(self, facts: Sequence[Mapping[str, Any]]) -> None:
        self._free = [bool(one.get("overwritable")) for one in facts]
        self._kept: list[torch.Tensor] | None = None
        self.again: list[int] = []

    def look(self, value: Any, arguments: Sequence[Any]) -> None:
        """Note what a call returned for these arguments, whose memory is no result's."""
        given = {_place(one) for one in tensors.flat(list(arguments))}
        outputs = [one.detach() for one in tensors.flat(value)]
        if self._kept is None:
            small = sum(one.nbytes for one in outputs) <= _MAX_KEPT
            self._kept = outputs if small else []
            return
        kept = {_place(one) for one in self._kept} - given
        self.again += [
            number
            for number, (one, free) in enumerate(zip(outputs, self._free, strict=False))
            if free and _place(one) in kept and number not in self.again
        ]


def _place(one: torch.Tensor) -> int:
    """Where its memory begins; a number of its own for a tensor without memory."""
    usual = type(one) is torch.Tensor and one.layout is torch.strided and one.numel()
    return one.untyped_storage().data_ptr() if usual and not one.is_meta else -id(one)


def overwrite(
    outputs: Sequence[torch.Tensor],
    facts: Sequence[Mapping[str, Any]],
    *,
    only_scattered: bool = False,
) -> None:
    """Write into those results that a caller may, before the next call: something else each time.

    ``only_scattered`` leaves out those that can be written from outside.
    """
    for one, fact in zip(outputs, facts, strict=False):
        plain = tensors.is_plain(one)
        if not fact.get("overwritable") or (plain and only_scattered):
            continue
        target = one.detach().reshape(-1).view(torch.uint8) if plain else one.detach()
        with suppress(RuntimeError):  # of some layouts that torch has, nobody may write into them
            target.fill_(secrets.randbits(7))


class Expected:
    """What calls are to return, and reports of it."""

    def __init__(self, tree: Mapping[str, Any], facts: Sequence[dict[str, Any]]) -> None:
        self._tree = _alike(tree)
        self._facts = list(facts)
        self._plain = tree == _PLAIN
        self._dtypes = [getattr(torch, one["dtype"]) for one in facts]
        self._shapes = [torch.Size(one["shape"]) for one in facts]
        self._packed = struct.Struct(f"{_HEAD}{len(self._facts)}Q")

    def found(self, value: Any) -> list[torch.Tensor] | None:
        """The tensors of a value; None for one of another structure."""
        if self._plain and type(value) is torch.Tensor:
            found = [value]
        else:
            found = []
            if _alike(tensors.pack(value, found)) != self._tree:
                return None
        for index, one in enumerate(found):
            if one.dtype is not self._dtypes[index] or one.shape != self._shapes[index]:
                return None
        return found

    def held(self, value: Any) -> list[torch.Tensor] | None:
        """The same in main memory."""
        found = self.found(value)
        if found is None:
            return None
        for index, one in enumerate(found):
            usual = type(one) is torch.Tensor and one.is_cpu and one.layout is torch.strided
            if not (usual and tensors.is_plain(one)):
                found[index] = torch.empty(one.shape, dtype=one.dtype).copy_(one)
        return found

    def report(self, number: int, seconds: float, held: Sequence[torch.Tensor]) -> bytes:
        """That a call is done, and where its outputs are."""
        places = [one.data_ptr() for one in held] or [0] * len(self._facts)
        return self._packed.pack(number, 0, seconds, *places)

    def failure(self, number: int) -> bytes:
        """That a call failed."""
        return self._packed.pack(number, 1, 0.0, *[0] * len(self._facts))


def _alike(tree: Any) -> str:
    """A tree in which lists are as good as tuples."""
    return json.dumps(tree).replace('"list"', '"tuple"')


def described_value(value: Any) -> list[dict[str, Any]]:
    """The structure and the tensors of what a call returned."""
    found: list[torch.Tensor] = []
    tree = tensors.pack(value, found)
    return [{"tree": tree, "tensors": [tensors.facts(one) for one in found]}]


_kept: list[torch.Tensor] = []  # alive until the feeder has read them


def state_report(module: torch.nn.Module, wanted: Mapping[str, dict[str, Any]]) -> bytes:
    """Where a module keeps what is wanted; a failure where it has other names, types or shapes."""
    own = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    fits = all(name in own and tensors.facts(own[name]) == wanted[name] for name in wanted)
    _kept[:] = [own[name].detach().to("cpu").contiguous() for name in wanted] if fits else []
    places = [one.data_ptr() for one in _kept] or [0] * len(wanted)
    return struct.pack(f"{_HEAD}{len(wanted)}Q", 0, int(not fits), 0.0, *places)
