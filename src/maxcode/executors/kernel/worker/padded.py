"""Modules whose outputs have shapes that depend on values: for a reference and for a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

_ROOM = 2  # times the largest size that was seen
_MORE = 64  # elements, beyond that


class Padded(torch.nn.Module):
    """What a module's class becomes, so that its calls return outputs of shapes known before.

    A call returns the ``outputs``, those of ``_shapes`` filled up with zeros or cut, and the
    ``shapes`` that those had. Others, and what has other dimensions, are returned as they are.
    """

    _shapes: Sequence[Sequence[int] | None]

    def __call__(self, *arguments: Any) -> dict[str, Any]:
        """A call of the module, and what is said above."""
        value = super().__call__(*arguments)
        wanted, shapes = iter(self._shapes), []

        def padded(one: torch.Tensor) -> torch.Tensor:
            shape = next(wanted, None)
            if shape is None or len(shape) != one.dim():
                return one
            shapes.append(torch.tensor(one.shape, device=one.device))
            made = one.new_zeros(tuple(shape))
            both = tuple(slice(min(sizes)) for sizes in zip(shape, one.shape, strict=True))
            made[both] = one[both]
            return made

        return {"outputs": tensors.mapped(value, padded), "shapes": shapes}


def shapes_for(
    outputs: Iterable[Sequence[torch.Tensor]],
) -> list[list[int] | None]:
    """Of each output, the shape to pad it to, given those of several calls; None for as it is.

    Sizes that were always the same stay.
    """
    wanted: list[list[int] | None] = []
    for calls in zip(*outputs, strict=True):
        shapes = {tuple(one.shape) for one in calls}
        if len(shapes) == 1 or len({*map(len, shapes)}) > 1:
            wanted.append(None)
            continue
        sizes = [{*each} for each in zip(*shapes, strict=True)]
        wanted.append([max(s) if len(s) == 1 else _ROOM * max(s) + _MORE for s in sizes])
    return wanted


def with_padding(
    module: torch.nn.Module, shapes: Sequence[Sequence[int] | None]
) -> torch.nn.Module:
    """The module itself, whose calls return outputs of these shapes from now on."""
    own = type(module)
    module.__class__ = type(own.__name__, (Padded, own), {"_shapes": [*shapes]})
    return module
