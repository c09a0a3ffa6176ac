"""What is learned of a reference before anything is judged: how far off right outputs may be."""

from __future__ import annotations

import time
from collections.abc import Sequence
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
    allowed: list[comparing.Errors] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def hold_against(self, effects: Sequence[float]) -> None:
        """Allow no more than a share of what was found to be the effect on each output."""
        self.effects = [*effects]
        self.allowed, self.problems = [], []
        for one, honest, effect in zip(self.expected[0], self.honest, effects, strict=True):
            count = one.numel() * len(self.expected)
            self.allowed.append(comparing.limits(honest, one.dtype, effect, count))
            self.problems.append(comparing.unjudgeable(honest, one.dtype, effect))


def repeats(module: torch.nn.Module, given: Any, seed: int, device: str) -> bool:
    """Whether a module gives the same for the same inputs and seed."""
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
) -> Learned:
    """From the outputs for several inputs. No further way is tried when the clock says ``until``.

    They are held against double precision, or against the module itself where that cannot be had:
    it may insist on its own precision, or draw random numbers.
    """
    wanted = [tensors.outputs(module, given, seed, device) for given in drawn]
    exact = _exact(module, drawn, seed, device)
    right = exact or wanted
    errors: list[list[comparing.Errors]] = [[] for _ in wanted[0]]
    for number, given in enumerate(drawn):
        found = [(wanted[number], False)]
        for name, way in reorderings.ways(wanted[0]).items():
            if time.monotonic() > until and len(errors[0]) > 1:
                break
            if other := reorderings.outputs(way, module, given, seed, device):
                found.append((other, name == reorderings.IN_TURN))
        for made, in_turn in found:
            for index, (one, best) in enumerate(zip(made, right[number], strict=True)):
                off = comparing.errors(one, best)
                errors[index].append(comparing.weighed(off, one.dtype) if in_turn else off)
    learned = Learned(wanted, [comparing.largest(one) for one in errors], [])
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
        tensors.outputs(module, given, seed, device)
        # Other random numbers are drawn in double precision, so that anything would pass.
        if tensors.drew(seed, device):
            return None
        made = tensors.exact_outputs(module, given, seed, device)
        if made is None:
            return None
        found.append(made)
    return found
