"""What is learned of a reference before anything is judged: how far off right outputs may be."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, reorderings, tensors

_SAME = 1e-6  # relative to a row: how far a repetition may be off
_JUMP = 100.0  # times what is usual for a row, that rounding moves one by where something jumps
_MARGIN = 1.0  # of what rounding moves a row by that jumps: twelve ways do not go to its ends
_WIDE = 4  # bytes of types in which that is rare


class StructureError(Exception):
    """Results of a module whose structure, numbers or shapes depend on the values of its inputs."""


@dataclass
class Learned:
    """Of inputs of one kind: for each output what is allowed, and why it cannot be judged, if so.

    ``honest`` are the largest errors of honest ways to compute it, ``effects`` say how much other
    inputs change it, relative to its size. ``expected`` are the outputs by input, of large ones
    :func:`some_rows`, and ``shapes`` are those of the whole outputs.
    """

    expected: list[list[torch.Tensor]]
    honest: list[comparing.Errors]
    effects: list[float]
    shapes: list[list[torch.Size]] = field(default_factory=list)
    least_row: float = comparing.USUAL_ROW
    allowed: list[comparing.Errors] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def hold_against(self, effects: Sequence[float]) -> None:
        """Allow no more than a share of what was found to be the effect on each output."""
        self.effects = [*effects]
        self.allowed, self.problems = [], []
        for one, honest, effect in zip(self.expected[0], self.honest, effects, strict=True):
            count = one.numel() * len(self.expected)
            self.allowed.append(comparing.limits(honest, one.dtype, effect, count, self.least_row))
            self.problems.append(comparing.unjudgeable(honest, one.dtype, effect))


@dataclass(frozen=True)
class Span:
    """Where an output jumps: the least and the largest that each element may be beside the jump.

    The derivative of ``relu`` is one of two numbers where a sum is so near to zero that rounding
    decides, and a right output has either. Elsewhere both are what is expected.
    """

    low: torch.Tensor
    high: torch.Tensor

    def nearest(self, found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """What is nearest to ``found`` among right outputs; what is wanted if it is not finite."""
        nearest = torch.maximum(torch.minimum(found.to(self.low), self.high), self.low)
        return torch.where(nearest.isfinite(), nearest, wanted.to(self.low))

    def holds(self, found: torch.Tensor, element: int) -> bool:
        """Whether one element, which ``found`` holds, is that of a right output beside a jump."""
        low, high = (one.reshape(-1)[element].item() for one in (self.low, self.high))
        return bool(low <= found.item() <= high)


def some_rows(outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Of outputs that are larger than is needed to learn from, some rows; the others as they are.

    Which rows is drawn from the shape, so that they are the same of all outputs of one shape.
    """
    return [*map(_some_rows, outputs)]


def _some_rows(one: torch.Tensor) -> torch.Tensor:
    count, columns = comparing.rows(one)
    elements, least = comparing.ENOUGH
    wanted = max(least, elements // max(columns, 1))
    if count <= wanted:
        return one
    generator = torch.Generator().manual_seed(count)
    places = torch.rand(wanted, dtype=torch.float64, generator=generator)
    places += torch.arange(wanted)  # one row of each of as many equal parts
    chosen = (places * (count / wanted)).long().clamp_(max=count - 1)
    return one.reshape(count, columns)[chosen.to(one.device)]


def spans(
    module: torch.nn.Module,
    given: Sequence[Any],
    seed: int,
    device: str,
    wanted: Sequence[torch.Tensor],
    part: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]] = list,
) -> list[Span | None]:
    """Where each of the outputs that are wanted jumps; None of one that does not.

    ``part`` gives of outputs what is in ``wanted``. A row jumps if inputs and weights that are a
    few roundings off move it much more than the usual row. Types in which rounding decides so often
    that it is learned as any error have none.
    """
    low, high = [*wanted], [*wanted]
    for made in reorderings.neighbours(module, given, seed, device):
        for index, one in enumerate(part(made)):
            if one.is_floating_point() and one.itemsize >= _WIDE:
                low[index] = torch.minimum(low[index], one.to(wanted[index]))
                high[index] = torch.maximum(high[index], one.to(wanted[index]))
    return [*map(_span, wanted, low, high)]


def _span(wanted: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> Span | None:
    """Of the rows that jump alone, with a margin."""
    if low is wanted or not wanted.numel():
        return None
    lines = comparing.rows(wanted)
    size = torch.linalg.vector_norm(wanted.reshape(lines), dim=1)
    least = comparing.USUAL_ROW * size.square().mean().sqrt()
    moved = (high - low).reshape(lines).amax(dim=1) / size.clamp_min(least)
    jumps = moved > _JUMP * moved.nanmedian()
    if not bool(jumps.any()):
        return None
    smooth = ~jumps[:, None].expand(lines).reshape(wanted.shape)
    margin = (_MARGIN * (high - low)).nan_to_num_(0.0, 0.0, 0.0)
    return Span(
        torch.where(smooth, wanted, low - margin), torch.where(smooth, wanted, high + margin)
    )


def repeats(
    module: torch.nn.Module,
    given: Any,
    seed: int,
    device: str,
    restore: Callable[[], None] = lambda: None,
) -> bool:
    """Whether a module gives the same for the same inputs and seed, after ``restore`` each time."""
    made = []
    for _ in range(2):
        restore()
        made.append(tensors.outputs(module, given, seed, device))
    first, again = made
    if len(first) != len(again):
        return False
    allowed = comparing.within_rows(_SAME, 1 << 40)
    return not any(map(lambda a, b: comparing.problem(a, b, allowed), again, first))


def learn(
    module: torch.nn.Module,
    drawn: Sequence[Sequence[Any]],
    seed: int,
    device: str,
    until: float = float("inf"),
    least_row: float = comparing.USUAL_ROW,
) -> Learned:
    """From the outputs for several inputs; honest ways are tried on the first.

    They are held against double precision, or against the module itself where that cannot be had:
    it may insist on its own precision, or draw random numbers. Then one more honest way is what it
    gives for inputs that are off by a rounding, as exact results are of inputs that are off by a
    few (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 1.5). No
    further way is tried when this process has computed for ``until`` seconds.

    Raises :class:`StructureError` where results for the inputs differ in more than their elements.
    """
    wanted, shapes, trees, drew = [], [], [], False
    for given in drawn:
        tree, made = tensors.returned(module, given, seed, device)
        drew = drew or tensors.drew(seed, device)
        shapes.append([one.shape for one in made])
        trees.append(tree)
        if tree != trees[0]:
            raise StructureError("its outputs hold numbers that depend on the values of its inputs")
        if shapes[-1] != shapes[0]:
            raise StructureError("the shape of its outputs depends on the values of its inputs")
        wanted.append(some_rows(made))
        del made  # before the next: outputs may fill a good part of a GPU
    # Other random numbers are drawn in double precision, so that anything would pass.
    exact = None if drew else _exact(module, drawn, seed, device)
    right = exact or wanted
    found = [(one, number, False) for number, one in enumerate(wanted)]
    for name, way in reorderings.ways(wanted[0]).items():
        if time.process_time() > until and len(found) > len(wanted):
            break
        if other := reorderings.outputs(way, module, drawn[0], seed, device):
            found.append((some_rows(other), 0, name == reorderings.IN_TURN))
        del other
    if exact is None and (other := _nudged(module, drawn[0], seed, device)):
        found.append((some_rows(other), 0, False))
    honest = _largest(found, right, least_row)
    if any(one.get("row", 0.0) > _JUMP * one.get("median", math.inf) for one in honest):
        jumps = [
            spans(module, given, seed, device, best, some_rows)
            for given, best in zip(drawn, right, strict=True)
        ]
        honest = _largest(found, right, least_row, jumps)
    learned = Learned(wanted, honest, [], shapes, least_row)
    learned.hold_against(effects(right))
    return learned


class _Left(torch.nn.Module):
    """Gives what a call leaves in a module under these names, always from the same beginning."""

    def __init__(self, module: torch.nn.Module, kept: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self.module = module
        self.kept = kept

    def forward(self, *given: Any) -> list[torch.Tensor]:
        named = dict((*self.module.named_parameters(), *self.module.named_buffers()))
        with torch.no_grad():
            for name, one in self.kept.items():
                named[name].copy_(one)
        self.module(*given)
        return [named[name].detach().clone() for name in self.kept]


def learn_left(
    module: torch.nn.Module,
    kept: Mapping[str, torch.Tensor],
    drawn: Sequence[Sequence[Any]],
    seed: int,
    device: str,
    until: float,
) -> dict[str, float]:
    """How far each row of what a call changes may be off, by its name; ``kept`` is what was there.

    ``until`` is as for :func:`learn`. Sums that cancel, as means of inputs around zero, are off by
    more than outputs are.
    """
    learned = learn(_Left(module, kept), drawn, seed, device, until)
    return {
        name: allowed.get("row", 0.0) for name, allowed in zip(kept, learned.allowed, strict=True)
    }


def _largest(
    found: Sequence[tuple[list[torch.Tensor], int, bool]],
    right: Sequence[list[torch.Tensor]],
    least_row: float,
    jumps: Sequence[list[Span | None]] | None = None,
) -> list[comparing.Errors]:
    """The largest errors of each output; found are outputs, for which inputs, and if in turn."""
    errors: list[list[comparing.Errors]] = [[] for _ in right[0]]
    for made, number, in_turn in found:
        beside = jumps[number] if jumps else [None] * len(made)
        for each, one, best, span in zip(errors, made, right[number], beside, strict=True):
            near = best if span is None else span.nearest(one, best)
            off = comparing.errors(one, near, least_row)
            each.append(comparing.weighed(off, one.dtype) if in_turn else off)
    return [comparing.largest(one) for one in errors]


def effects(outputs: Sequence[Sequence[torch.Tensor]]) -> list[float]:
    """By how much outputs for different inputs differ, each relative to its size: the least."""
    pairs = [*combinations(outputs, 2)]
    if not pairs:
        return [0.0] * len(outputs[0])
    apart = [[_apart(*one) for one in zip(*pair, strict=True)] for pair in pairs]
    return [min(one) for one in zip(*apart, strict=True)]


def _apart(one: torch.Tensor, other: torch.Tensor) -> float:
    if one.shape != other.shape:
        return float("inf")
    off = comparing.errors(one, other)
    return off.get("rms", off.get("wrong", 0.0))


def _exact(
    module: torch.nn.Module, drawn: Sequence[Sequence[Any]], seed: int, device: str
) -> list[list[torch.Tensor]] | None:
    """Outputs in double precision."""
    found = []
    for given in drawn:
        made = tensors.exact_outputs(module, given, seed, device)
        if made is None:
            return None
        found.append(some_rows(made))
        del made
    return found


def _nudged(
    module: torch.nn.Module, given: Sequence[Any], seed: int, device: str
) -> list[torch.Tensor] | None:
    """Outputs for inputs of which each element is off by one rounding, up or down."""
    generator = torch.Generator().manual_seed(seed)

    def nudge(one: torch.Tensor) -> torch.Tensor:
        if one.dtype not in comparing.PRECISIONS or bool((one == one.round()).all()):
            return one  # numbers that are counts or choices hold exactly
        signs = torch.randint(2, one.shape, generator=generator).to(one.device) * 2 - 1
        return (one * (1 + torch.finfo(one.dtype).eps * signs)).to(one.dtype)

    try:
        return tensors.outputs(module, tensors.mapped(list(given), nudge), seed, device)
    except Exception:  # noqa: BLE001 - they may be such as must hold exactly
        return None
