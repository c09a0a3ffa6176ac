"""Slices of inputs that no output shows, though outputs depend on them.

A recurrent net forgets: with the weights that it is made with, what it read hundreds of steps ago
changes less than rounding does. A candidate that leaves those steps out passes every check, and is
wrong as soon as weights remember more.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors

_SLICES = 4  # along each dimension
_CALLS = 24  # of the module, at the most; long dimensions come first

Shown = Callable[[list[Any]], bool]
"""Whether outputs for these arguments are other than those for the first that were drawn."""


def unseen(
    module: torch.nn.Module,
    drawn: Sequence[Sequence[Any]],
    names: Sequence[str],
    shown: Shown,
    seed: int,
    device: str,
) -> list[str]:
    """Where they are, for inputs that have these ``names``; adjacent ones as one.

    Slices of the first arguments are exchanged for those of the second. ``shown`` is asked about
    each. What changes nothing since outputs do not depend on it need not be read, and is no doubt.
    """
    firsts, others = (tensors.flat(one) for one in drawn[:2])
    places = [
        (one.shape[dimension], number, dimension)
        for number, (one, other) in enumerate(zip(firsts, others, strict=True))
        if one.shape == other.shape and not torch.equal(one, other)
        for dimension in range(one.dim())
        if one.shape[dimension] > 1
    ]
    found: list[str] = []
    left = _CALLS
    for size, number, dimension in sorted(places, key=lambda place: -place[0]):
        count = min(_SLICES, size)
        if (left := left - count) < 0:
            break
        hidden = [
            (begin, end)
            for begin, end in _bounds(size, count)
            if not shown(_exchanged(drawn, number, dimension, begin, end))
        ]
        if len(hidden) == count or not hidden:  # of the whole it is said elsewhere
            continue
        depends = _dependence(module, drawn[0], number, dimension, seed, device)
        for begin, end in _joined(one for one in hidden if depends is None or depends(*one)):
            found.append(f"{names[number]} at {begin} to {end - 1} of dimension {dimension}")
    return found


def _bounds(size: int, count: int) -> Iterator[tuple[int, int]]:
    for number in range(count):
        yield size * number // count, size * (number + 1) // count


def _joined(bounds: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in bounds:
        first = joined.pop()[0] if joined and joined[-1][1] == begin else begin
        joined.append((first, end))
    return joined


def _exchanged(
    drawn: Sequence[Sequence[Any]], number: int, dimension: int, begin: int, end: int
) -> list[Any]:
    """The first arguments with a slice of the second's in one tensor."""
    left, others = iter(range(len(tensors.flat(drawn[0])))), iter(tensors.flat(drawn[1]))

    def change(one: torch.Tensor) -> torch.Tensor:
        other = next(others)
        if next(left) != number:
            return one
        made, size = one.clone(), end - begin
        made.narrow(dimension, begin, size).copy_(other.narrow(dimension, begin, size))
        return made

    return [*tensors.mapped(list(drawn[0]), change)]


def _dependence(
    module: torch.nn.Module,
    given: Sequence[Any],
    number: int,
    dimension: int,
    seed: int,
    device: str,
) -> Callable[[int, int], bool] | None:
    """Whether outputs depend on a slice at all, however little; None where nobody can say.

    By derivatives in double precision, which do not get lost beside larger numbers as differences
    do: they reach down to 1e-308.
    """
    left = iter(range(len(tensors.flat(given))))
    leaves: list[torch.Tensor] = []

    def double(one: torch.Tensor) -> torch.Tensor:
        made = (one.double() if one.is_floating_point() else one.clone()).to(device)
        if next(left) == number and made.is_floating_point():
            leaves.append(made.requires_grad_())
        return made

    def kept(one: torch.Tensor) -> torch.Tensor:
        found.append(one)
        return one

    found: list[torch.Tensor] = []
    try:
        tensors.set_seed(seed, device)
        exact = copy.deepcopy(module).double()
        with torch.enable_grad():
            tensors.mapped(exact(*tensors.mapped(list(given), double)), kept)
            parts = [one for one in found if one.requires_grad and one.is_floating_point()]
            total = torch.stack([(one * torch.rand_like(one)).sum() for one in parts]).sum()
        (gradient,) = torch.autograd.grad(total, leaves, allow_unused=True)
    except Exception:  # noqa: BLE001 - it may have no derivative, or insist on its precision
        return None
    if gradient is None:
        return None
    used = gradient.ne(0)
    return lambda begin, end: bool(used.narrow(dimension, begin, end - begin).any())
