"""How outputs lie in memory, which decides what a caller may do with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.multiprocessing import reductions

from maxcode.executors.kernel.worker import tensors

SCATTERED = "scattered"  # its elements do not lie one after another
INPUT = "input"  # it is memory of an input
AGAIN = "again"  # it is memory that the call before returned, and somebody keeps
EACH = (SCATTERED, INPUT, AGAIN)

_WeakRef: Any = reductions.StorageWeakRef


class Layouts:
    """What is seen of the outputs of calls; :meth:`begin` comes before each, :meth:`look` after."""

    def __init__(self) -> None:
        self._last: list[tuple[int, Any]] = []
        self._kept: list[tuple[int, Any]] = []
        self._seen: list[set[str]] = []

    def begin(self) -> None:
        """Note which of the last outputs are still kept."""
        self._kept = [(place, one) for place, one in self._last if not one.expired()]
        self._last = []

    def look(self, value: Any, arguments: Sequence[Any]) -> None:
        """Note how what a call returned for these arguments lies."""
        outputs, given = tensors.flat(value), tensors.flat(list(arguments))
        places = {_place(one) for one in given if _plain(one)}
        kept = {place for place, one in self._kept if not one.expired()}  # freed, it may be reused
        self._seen += [set() for _ in outputs[len(self._seen) :]]
        for seen, one in zip(self._seen, outputs, strict=False):
            if not _plain(one):
                continue
            place = _place(one)
            self._last.append((place, _WeakRef(one.untyped_storage())))
            found = (not one.is_contiguous(), place in places, place in kept)
            seen.update(name for name, holds in zip(EACH, found, strict=True) if holds)

    @property
    def seen(self) -> list[list[str]]:
        """Of each output, which of :data:`EACH` was found after any call."""
        return [sorted(one) for one in self._seen]


def _plain(one: torch.Tensor) -> bool:
    """Whether it has memory of its own that can be looked at."""
    usual = type(one) is torch.Tensor and one.layout is torch.strided and one.numel() > 0
    return usual and not one.is_meta


def _place(one: torch.Tensor) -> int:
    return one.untyped_storage().data_ptr()
