"""Limits learned of a reference before anything is judged: the errors of right outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch

from maxcode.executors.kernel.worker import comparing, reorderings, tensors
from maxcode.executors.kernel.worker.extended import changed_buffers
from maxcode.executors.kernel.worker.messages import Tree
from maxcode.executors.kernel.worker.tensors import Call

_SAME = 1e-6  # relative to a row: how far a repetition may be off
_NEAR = 0.6  # of a neighbour's error: a jump of that size is within the limits, and little more
_JUMP = 100.0  # times the usual row's error, that a row is off by where rounding decides


@dataclass(frozen=True)
class Learned:
    """Result for an input, of large outputs :func:`some_rows`, and the errors of honest ways."""

    tree: Tree
    shapes: list[torch.Size]
    expected: list[torch.Tensor]
    honest: list[comparing.Errors]
    least_row: float

    @property
    def allowed(self) -> list[comparing.Errors]:
        """Limits of errors of each output."""
        return [
            comparing.limits(honest, one.dtype, one.numel(), self.least_row)
            for one, honest in zip(self.expected, self.honest, strict=True)
        ]


def some_rows(outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Evenly spaced rows of large outputs, enough to learn from; smaller outputs unchanged."""
    found = []
    for one in outputs:
        count, columns = comparing.rows(one)
        elements, least = comparing.ENOUGH
        step = count // max(least, elements // max(columns, 1))
        found.append(one if step < 2 else one.reshape(count, columns)[::step].clone())
    return found


def repeats(call: Call) -> bool:
    """Whether a call gives equal outputs again, also after itself."""
    with tensors.buffers_kept(call.module):
        first, again = (call.made()[1] for _ in range(2))
    if len(first) != len(again):
        return False
    outputs = zip(again, first[: len(first) - len(changed_buffers(call.module))], strict=False)
    allowed = comparing.within_rows(_SAME, 1 << 40)
    return not any(comparing.problem(*pair, allowed) for pair in outputs)


def learn(call: Call, least_row: float = comparing.USUAL_ROW, *, closely: bool = False) -> Learned:
    """From the outputs of a call, and honest ways to compute them.

    They are held against double precision, or against the module itself if it insists on its own
    precision or draws random numbers. Then one more honest way is its output for inputs that are
    off by a few roundings (Higham, "Accuracy and Stability of Numerical Algorithms", section 1.5).

    A row where rounding decides, as in the derivative of ``relu`` at zero, says nothing of others
    and is left out; ``closely`` counts such rows, as far as neighbours of these very inputs differ.
    Neighbours in half types are as far apart as eight bits are, and would excuse those.
    """
    tree, made = call.returned()
    # Other random numbers are drawn in double precision, so that anything would pass.
    drew = tensors.drew(call.seed, call.device)
    shapes, wanted = [one.shape for one in made], some_rows(made)
    del made  # outputs may fill a good part of a GPU
    exact = None if drew else call.exact()
    right = wanted if exact is None else some_rows(exact)
    half = any(one.is_floating_point() and one.itemsize < 4 for one in wanted)
    off = partial(_off, right=right, least_row=least_row, closely=closely)
    found = [off(wanted)]
    for in_turn, other in reorderings.honest(call, half=half):
        found.append(off(some_rows(other), in_turn=in_turn))
    count, share = reorderings.NEIGHBOURS if closely and not half else 0, _NEAR
    if exact is None:  # then inputs that are off by a few roundings are as good
        count, share = max(count, 1), 1.0
    near = reorderings.neighbours(call, count)
    found += [off(some_rows(other), share=share) for other in near]
    honest = [comparing.largest(one) for one in zip(*found, strict=True)]
    return Learned(tree, shapes, wanted, honest, least_row)


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
