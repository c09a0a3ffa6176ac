"""Limits learned of a reference before anything is judged: the errors of right outputs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, takewhile
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, reorderings, tensors

_SAME = 1e-6  # relative to a row: how far a repetition may be off
_NEAR = 0.6  # of a neighbour's error: a jump of that size is within the limits, and little more
_JUMP = 100.0  # times the usual row's error, that a row is off by where rounding decides


class StructureError(Exception):
    """Results of a module whose structure, numbers or shapes depend on the values of its inputs."""


@dataclass
class Learned:
    """For inputs of a kind: limits of each output, and the problem if it cannot be judged.

    ``honest`` are the largest errors of honest ways to compute it, ``effects`` its change with
    other inputs, relative to its size. ``expected`` are the outputs by input, of large ones
    :func:`some_rows`, and ``shapes`` are of the whole outputs.
    """

    expected: list[list[torch.Tensor]]
    honest: list[comparing.Errors]
    effects: list[float]
    shapes: list[torch.Size] = field(default_factory=list)
    least_row: float = comparing.USUAL_ROW
    allowed: list[comparing.Errors] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def hold_against(self, effects: Sequence[float]) -> None:
        """Limit errors to a share of the effect on each output."""
        self.effects = [*effects]
        self.allowed, self.problems = [], []
        for one, honest, effect in zip(self.expected[0], self.honest, effects, strict=True):
            count = one.numel() * len(self.expected)
            self.allowed.append(comparing.limits(honest, one.dtype, effect, count, self.least_row))
            self.problems.append(comparing.unjudgeable(honest, one.dtype, effect))


def some_rows(outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Some rows of large outputs, enough to learn from; smaller outputs unchanged.

    Rows are drawn by the shape, so all outputs of a shape have the same rows.
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


def repeats(module: torch.nn.Module, given: Any, seed: int, device: str) -> bool:
    """Whether a module gives equal outputs for the same inputs and seed."""
    first, again = (tensors.outputs(module, given, seed, device) for _ in range(2))
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
    *,
    closely: bool = False,
) -> Learned:
    """From the outputs for several inputs; honest ways are tried on the first.

    They are held against double precision, or against the module itself where that cannot be had:
    it may insist on its own precision, or draw random numbers. Then one more honest way is its
    output for inputs that are off by a few roundings, as exact results are of such inputs (Higham,
    "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 1.5). No further way is
    tried when this process has computed for ``until`` seconds.

    A row where rounding decides, as in the derivative of ``relu`` at zero, says nothing of others
    and is left out; ``closely`` counts such rows, as far as neighbours of these very inputs differ.
    Neighbours in half types are as far apart as eight bits are, and would excuse those.

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
    found = [_off(one, right[number], least_row, closely) for number, one in enumerate(wanted)]
    first = right[0]
    half = reorderings.is_half(wanted[0])
    for in_turn, other in reorderings.honest(module, drawn[0], seed, device, half=half):
        found.append(_off(some_rows(other), first, least_row, closely, in_turn=in_turn))
        if time.process_time() > until:
            break
    closely_wide = closely and not half
    count, share = (reorderings.NEIGHBOURS if closely_wide else 0), _NEAR
    if exact is None:  # then inputs that are off by a few roundings are as good
        count, share = max(count, 1), 1.0
    near = takewhile(
        lambda _: time.process_time() < until,
        reorderings.neighbours(module, drawn[0], seed, device, count),
    )
    found += [_off(some_rows(made), first, least_row, closely, share=share) for made in near]
    honest = [comparing.largest(one) for one in zip(*found, strict=True)]
    learned = Learned(wanted, honest, [], shapes[0], least_row)
    learned.hold_against(effects(right))
    return learned


def _off(
    found: Sequence[torch.Tensor],
    right: Sequence[torch.Tensor],
    least_row: float,
    closely: bool,
    *,
    share: float = 1.0,
    in_turn: bool = False,
) -> list[comparing.Errors]:
    """Errors of outputs, weighted by a share, or as of sums taken ``in_turn``."""
    off = []
    for one, best in zip(found, right, strict=True):
        errors = comparing.errors(one, best, least_row)
        if not closely and errors.get("row", 0.0) > _JUMP * errors.get("median", math.inf) > 0:
            errors = comparing.errors(_without_jumps(one, best), best, least_row)
        rule = comparing.precision(one.dtype)
        weight = rule.in_turn / rule.multiple if in_turn else share
        off.append(comparing.weighed(errors, weight))
    return off


def _without_jumps(found: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
    """The output, corrected in rows that are off by far more than usual."""
    lines = comparing.rows(best)
    ours, theirs = found.reshape(lines), best.reshape(lines)
    off = torch.linalg.vector_norm((ours - theirs).nan_to_num(), dim=1)
    size = torch.linalg.vector_norm(theirs.nan_to_num(), dim=1)
    relative = off / size.clamp_min(comparing.USUAL_ROW * size.square().mean().sqrt() + 1e-30)
    jumps = relative > _JUMP * relative.median()
    return torch.where(jumps[:, None], theirs.to(ours), ours).reshape(best.shape)


def effects(outputs: Sequence[Sequence[torch.Tensor]]) -> list[float]:
    """Change of outputs between different inputs, each relative to its size: the minimum."""
    pairs = [*combinations(outputs, 2)]
    if not pairs:
        return [0.0] * len(outputs[0])
    apart = [[_apart(*one) for one in zip(*pair, strict=True)] for pair in pairs]
    return [min(one) for one in zip(*apart, strict=True)]


def _apart(one: torch.Tensor, other: torch.Tensor) -> float:
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
