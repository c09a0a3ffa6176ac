"""What is learned of a reference before anything is judged: how far off right outputs may be."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, reorderings, tensors

_SAME = 1e-6  # relative to a row: how far a repetition may be off


@dataclass
class Learned:
    """Of inputs of one kind: for each output what is allowed, and why it cannot be judged, if so.

    ``honest`` are the largest errors of honest ways to compute it, ``effects`` say how much other
    inputs change it, relative to its size. ``expected`` are the outputs by input.
    """

    expected: list[list[torch.Tensor]]
    honest: list[comparing.Errors]
    effects: list[float]
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
    further way is tried when this
    process has computed for ``until`` seconds.
    """
    wanted, drew = [], False
    for given in drawn:
        wanted.append(tensors.outputs(module, given, seed, device))
        drew = drew or tensors.drew(seed, device)
    # Other random numbers are drawn in double precision, so that anything would pass.
    exact = None if drew else _exact(module, drawn, seed, device)
    right = exact or wanted
    found = [(one, best, False) for one, best in zip(wanted, right, strict=True)]
    for name, way in reorderings.ways(wanted[0]).items():
        if time.process_time() > until and len(found) > len(wanted):
            break
        if other := reorderings.outputs(way, module, drawn[0], seed, device):
            found.append((other, right[0], name == reorderings.IN_TURN))
    if exact is None and (other := _nudged(module, drawn[0], seed, device)):
        found.append((other, right[0], False))
    errors: list[list[comparing.Errors]] = [[] for _ in wanted[0]]
    for made, bests, in_turn in found:
        for index, (one, best) in enumerate(zip(made, bests, strict=True)):
            off = comparing.errors(one, best, least_row)
            errors[index].append(comparing.weighed(off, one.dtype) if in_turn else off)
    learned = Learned(wanted, [comparing.largest(one) for one in errors], [], least_row)
    learned.hold_against(effects(right))
    return learned


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
        found.append(made)
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
