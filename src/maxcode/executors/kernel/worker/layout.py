"""How outputs lie in memory, which decides what a caller may do with them."""

from __future__ import annotations

import gc
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random, SystemRandom
from typing import Any

import torch
from torch.multiprocessing import reductions

from maxcode.executors.kernel.worker import tensors

STRIDED = "strided"  # its elements lie in another order than that of its dimensions, or with gaps
INPUT = "input"  # it is memory of an input
AGAIN = "again"  # it is memory that an earlier call returned, and somebody keeps
SHARED = "shared"  # it is memory of another output, or of another part of itself
WEIGHT = "weight"  # it is memory of a parameter or buffer
EACH = (STRIDED, INPUT, AGAIN, SHARED, WEIGHT)

_CALLS = 64  # for which outputs are kept
_GAP = 3  # calls at the most after which others are: fewer than are made of any module
_MAX_HELD = 256 << 20  # bytes
_LOOKS = 16  # bytes of each output that is kept, which no later call may change
_WeakRef: Any = reductions.StorageWeakRef


class Layouts:
    """What is seen of the outputs of calls; :meth:`begin` comes before each, :meth:`look` after.

    A caller may keep a result for long, so outputs of some calls are kept for some time. ``module``
    is the one that is called. Who keeps its results itself and returns their memory again once
    nobody else has it harms no caller: that counts where it is ``asked`` alone, which a few calls
    have to answer, and where outputs are too large to be kept.
    """

    def __init__(self, module: torch.nn.Module | None = None, *, asked: bool = False) -> None:
        self._asked = asked
        self._last: list[tuple[int, int, Any]] = []  # number, place and storage of each output
        self._kept: list[tuple[int, Any]] = []
        self._held = _Held()
        self._random = SystemRandom()
        self._left = self._random.randint(1, _GAP)  # calls for which that is so
        self.restart(module)

    def restart(self, module: torch.nn.Module | None = None) -> None:
        """Forget what was seen; what is kept of earlier calls stays."""
        self._module = module
        self._weights = self._own()
        self._seen: list[set[str]] = []

    def _own(self) -> set[int]:
        """Where the module's parameters and buffers lie now."""
        module = self._module
        own = [] if module is None else [*module.parameters(), *module.buffers()]
        return {_place(one) for one in own if _plain(one.data)}

    def begin(self) -> None:
        """Note which of the last outputs are still kept."""
        self._kept = [(place, one) for _, place, one in self._last if not one.expired()]
        self._last = []
        if self._left == _CALLS:
            self._held.note(self._random)  # its caller has written into it by now if he does

    def look(self, value: Any, arguments: Sequence[Any]) -> None:
        """Note how what a call returned for these arguments lies."""
        outputs, given = tensors.flat(value), tensors.flat(list(arguments))
        places = {_place(one) for one in given if _plain(one)}
        own: list[range] = []
        self._seen += [set() for _ in outputs[len(self._seen) :]]
        plain = [(number, one) for number, one in enumerate(outputs) if _plain(one)]
        kept = {place for place, one in self._kept if not one.expired()}  # freed, it is new
        kept |= self._held.places
        if any(_place(one) in self._weights for _, one in plain):
            self._weights = self._own()  # where one lay before may be anybody's by now
        watched = self._asked or sum(one.nbytes for _, one in plain) > _MAX_HELD
        for number, one in plain:
            place, bytes_ = _place(one), _bytes(one)
            shared = _overlaps(one)
            shared |= any(bytes_.start < other.stop and other.start < bytes_.stop for other in own)
            own.append(bytes_)
            if watched:  # its storage counts Python's object of it from now on, which pools may see
                self._last.append((number, place, _WeakRef(one.untyped_storage())))
            weight = place in self._weights
            again = place in kept and place not in places and not weight
            found = (not one.is_contiguous(), place in places, again, shared, weight)
            self._seen[number] |= {name for name, holds in zip(EACH, found, strict=True) if holds}
        for number in self._held.changed():
            self._seen[number].add(AGAIN)
        # What inputs and weights hold is the caller's to change.
        own_memory = [one for one in plain if _place(one[1]) not in places | self._weights]
        self._hold(own_memory)

    def _hold(self, outputs: Sequence[tuple[int, torch.Tensor]]) -> None:
        """Keep a result now and then, as a caller may; its memory is not to be used meanwhile."""
        self._left -= 1
        if self._left > 0:
            return
        held, self._held = self._held, _Held()
        if held.places or sum(one.nbytes for _, one in outputs) > _MAX_HELD:
            self._left = self._random.randint(1, _GAP)
        else:
            self._held, self._left = _Held(outputs), _CALLS

    def left(self) -> set[int]:
        """The numbers of the last call's outputs that somebody keeps, after all others let go.

        They are known where it is ``asked``.
        """
        self._held = _Held()
        if not all(one.expired() for _, _, one in self._last):
            gc.collect()
        return {number for number, _, one in self._last if not one.expired()}

    @property
    def seen(self) -> list[list[str]]:
        """Of each output, which of :data:`EACH` was found after any call."""
        return [sorted(one) for one in self._seen]


class _Held:
    """The memory of outputs that are kept, and some bytes of each, by their numbers.

    It is kept under other names, as by who keeps ``model(x)[0]`` or a parameter's ``grad``.
    """

    def __init__(self, outputs: Sequence[tuple[int, torch.Tensor]] = ()) -> None:
        self._outputs = [(number, one.detach()) for number, one in outputs]
        self.places = {_place(one) for _, one in outputs}
        self._noted: list[tuple[int, torch.Tensor, torch.Tensor, torch.Tensor]] = []

    def note(self, random: Random) -> None:
        """Note bytes as they are now."""
        for number, one in self._outputs:
            if tensors.is_plain(one):
                every = one.detach().reshape(-1).view(torch.uint8)
                chosen = [random.randrange(every.numel()) for _ in range(_LOOKS)]
                places = torch.tensor(chosen, device=one.device)
                self._noted.append((number, every, places, every[places]))

    def changed(self) -> list[int]:
        """The numbers of those in which they are others now."""
        noted = self._noted
        return [k for k, every, places, were in noted if not torch.equal(every[places], were)]


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


def _plain(one: torch.Tensor) -> bool:
    """Whether it has memory of its own that can be looked at."""
    usual = type(one) is torch.Tensor and one.layout is torch.strided and one.numel() > 0
    return usual and not one.is_meta


def _bytes(one: torch.Tensor) -> range:
    """Addresses of a tensor without gaps; of others none, for which overwriting them decides."""
    begin, dense = one.data_ptr(), torch.ops.aten.is_non_overlapping_and_dense(one)
    return range(begin, begin + one.nbytes) if dense else range(0)


def _overlaps(one: torch.Tensor) -> bool:
    """Whether two elements may lie at one place: a stride within the extent of smaller ones."""
    extent = 1
    for stride, size in sorted(zip(one.stride(), one.shape, strict=True)):
        if size > 1 and stride < extent:
            return True
        extent += stride * (size - 1)
    return False


def _place(one: torch.Tensor) -> int:
    """Where its memory begins, also of what it does not show."""
    return one.data_ptr() - int(one.storage_offset()) * one.element_size()
