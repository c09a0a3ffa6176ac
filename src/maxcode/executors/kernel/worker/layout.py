"""How outputs lie in memory, which decides what a caller may do with them."""

from __future__ import annotations

from collections.abc import Sequence
from random import SystemRandom
from typing import Any

import torch
from torch.multiprocessing import reductions

from maxcode.executors.kernel.worker import tensors

SCATTERED = "scattered"  # its elements do not lie one after another
INPUT = "input"  # it is memory of an input
AGAIN = "again"  # it is memory that an earlier call returned, and somebody keeps
SHARED = "shared"  # it is memory of another output
EACH = (SCATTERED, INPUT, AGAIN, SHARED)

_SHARE = 0.5  # of calls, after which outputs are kept unless others are
_CALLS = 64  # for which they are kept
_MAX_HELD = 256 << 20  # bytes
_WeakRef: Any = reductions.StorageWeakRef


class Layouts:
    """What is seen of the outputs of calls; :meth:`begin` comes before each, :meth:`look` after.

    A caller may keep a result for long, so outputs of some calls are kept for some time.
    """

    def __init__(self) -> None:
        self._last: list[tuple[int, Any]] = []
        self._kept: list[tuple[int, Any]] = []
        self._held: tuple[Any, set[int]] = None, set()  # what a call returned, and its places
        self._left = 0  # calls for which that is held
        self._random = SystemRandom()
        self._seen: list[set[str]] = []

    def restart(self) -> None:
        """Forget what was seen; what is kept of earlier calls stays."""
        self._seen = []

    def begin(self) -> None:
        """Note which of the last outputs are still kept."""
        self._kept = [(place, one) for place, one in self._last if not one.expired()]
        self._last = []

    def look(self, value: Any, arguments: Sequence[Any]) -> None:
        """Note how what a call returned for these arguments lies."""
        outputs, given = tensors.flat(value), tensors.flat(list(arguments))
        places = {_place(one) for one in given if _plain(one)}
        kept = {place for place, one in self._kept if not one.expired()}  # freed, it may be reused
        kept |= self._held[1]
        own: list[range] = []
        self._seen += [set() for _ in outputs[len(self._seen) :]]
        for seen, one in zip(self._seen, outputs, strict=False):
            if not _plain(one):
                continue
            place, bytes_ = _place(one), _bytes(one)
            shared = any(bytes_.start < other.stop and other.start < bytes_.stop for other in own)
            own.append(bytes_)
            self._last.append((place, _WeakRef(one.untyped_storage())))
            found = (not one.is_contiguous(), place in places, place in kept, shared)
            seen.update(name for name, holds in zip(EACH, found, strict=True) if holds)
        self._hold(value, [one for one in outputs if _plain(one)])

    def _hold(self, value: Any, outputs: Sequence[torch.Tensor]) -> None:
        """Keep a result now and then, as a caller may; its memory is not to be used meanwhile."""
        self._left -= 1
        if self._left > 0:
            return
        chosen = self._random.random() < _SHARE and sum(one.nbytes for one in outputs) <= _MAX_HELD
        self._held = (value, {*map(_place, outputs)}) if chosen else (None, set())
        self._left = _CALLS * chosen

    @property
    def seen(self) -> list[list[str]]:
        """Of each output, which of :data:`EACH` was found after any call."""
        return [sorted(one) for one in self._seen]


def _plain(one: torch.Tensor) -> bool:
    """Whether it has memory of its own that can be looked at."""
    usual = type(one) is torch.Tensor and one.layout is torch.strided and one.numel() > 0
    return usual and not one.is_meta


def _bytes(one: torch.Tensor) -> range:
    """Where its bytes are; none of what does not lie in one piece, which is seen otherwise."""
    begin = one.data_ptr()
    return range(begin, begin + one.nbytes) if one.is_contiguous() else range(0)


def _place(one: torch.Tensor) -> int:
    return one.untyped_storage().data_ptr()
