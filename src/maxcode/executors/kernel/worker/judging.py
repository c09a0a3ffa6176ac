"""Judged: limits of a variant's outputs, on the task's inputs and on variations of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, learning, tensors, varying, weights
from maxcode.executors.kernel.worker.extended import (
    changed_buffers,
    input_names,
    output_names,
)
from maxcode.executors.kernel.worker.learning import Learned
from maxcode.executors.kernel.worker.messages import TASK, LearnedKinds, UnreliableError

_KEPT = 0.01  # of a row's size, that buffers may be off by
_WORSE = 100.0  # times worse than on the task's inputs that rounding may be
_AS_TENSORS = (
    "have it return tensors of one shape: numbers as tensors, and what varies in length padded to "
    "the largest, with how much of it counts"
)
_UNROUNDED = (
    "have it return the numbers as they are before they become integers, or give it inputs for "
    "which rounding does not decide"
)


class Judged:
    """Learns limits, and varies inputs; ``draw`` makes the task's inputs from a seed."""

    def __init__(
        self,
        module: torch.nn.Module,
        device: str,
        draw: Callable[[int], list[Any]],
        seeds: Sequence[int],
    ) -> None:
        self._module = module
        self._device = device
        self._draw = draw
        self._seeds = [*seeds]
        self._traits: list[varying.Trait] = []
        self._tolerance: float | None = None
        self.allowed: dict[str, list[comparing.Errors]] = {}
        """Of each output, by kind of inputs."""

    @property
    def kinds(self) -> list[str]:
        """Kinds of inputs for judging, besides the task's own."""
        return [kind for kind in self.allowed if kind != TASK]

    def learn(self, tolerance: float | None) -> LearnedKinds:
        """Learn all.

        ``tolerance`` is the task's own, for each row; with it only kinds are learned. Afterwards
        the weights differ from the constructor's, if outputs can still be judged; ``moved`` is
        whether they do. Raises :class:`UnreliableError` if nothing can be judged.
        """
        self._tolerance = tolerance
        drawn = [self._draw(seed) for seed in self._seeds]
        self._traits = varying.traits([tensors.flat(one) for one in drawn])
        given, other, *_ = drawn
        del drawn  # they may fill a good part of a GPU
        if not learning.repeats(self._call(given)):
            raise UnreliableError(
                "it gives other outputs for the same inputs and seed; have it take what "
                "earlier calls left as an input, and return it"
            )
        plain = self._learned(given)
        self._check_structure(plain, other)
        names = output_names(self._module, given, len(plain.honest))
        if noise := self._noise(plain, names):
            raise UnreliableError(noise)
        moved, plain = self._with_other_weights(given, plain)
        self._allow(TASK, plain)
        inputs = input_names(given)
        del given, other
        remarks = [*self._learn_kinds(plain)]
        named = zip(inputs, self._traits, strict=True)
        remarks += [f"{name} is the same for every seed" for name, trait in named if trait.same]
        remarks += ["weights cannot be given values without a pattern"] if moved is False else []
        limits = comparing.described(self.allowed[TASK])
        return LearnedKinds((*self.kinds,), (*remarks,), bool(moved), limits)

    def _check_structure(self, plain: Learned, other: list[Any]) -> None:
        """Raise if results for another input differ in more than their elements."""
        tree, found = self._call(other).returned()
        what = ""
        if tree != plain.tree:
            what = "its outputs hold numbers that depend on the values of its inputs"
        elif [one.shape for one in found] != plain.shapes:
            what = "the shape of its outputs depends on the values of its inputs"
        if what:
            raise UnreliableError(f"{what}; {_AS_TENSORS}")

    def _learned(self, given: list[Any], kind: str = TASK) -> Learned:
        row = comparing.USUAL_ROW if kind == TASK else comparing.UNEVEN_ROW
        return learning.learn(self._call(given), row)

    def _call(self, given: Sequence[Any], seed: int | None = None) -> tensors.Call:
        seed = self._seeds[0] if seed is None else seed
        return tensors.Call(self._module, given, seed, self._device)

    def _noise(self, plain: Learned, names: Sequence[str]) -> str:
        """Problem of a useless output; "" if there is none. Buffers may begin with rounding."""
        own = names[: len(names) - len(changed_buffers(self._module))]
        for name, honest, one in zip(own, plain.honest, plain.expected, strict=False):
            if self._tolerance is None and (noise := comparing.noise(honest, one.dtype)):
                advice = f"; {_UNROUNDED}" if "wrong" in honest else ""
                return f"nothing can be judged by {name}: {noise}{advice}"
        return ""

    def _with_other_weights(self, given: list[Any], plain: Learned) -> tuple[bool | None, Learned]:
        """Whether weights were moved, if judging stays exact; None without weights; and limits."""
        before = weights.change(weights.changeable(self._module), weights.moved, self._seeds[0])
        if not before:
            return None, plain
        other = self._bears(given, plain)
        if other and not self._noise(other, [""] * len(other.honest)):
            return True, other
        weights.restore(self._module, before)
        return False, plain

    def _learn_kinds(self, plain: Learned) -> Iterator[str]:
        """Learn from inputs of all kinds; yields remarks on missing kinds."""
        left_out = []
        for kind in varying.KINDS:
            if (found := self._bears(self._made(kind), plain, kind)) is None:
                left_out.append(kind)
            else:
                self._allow(kind, found)
        if left_out:
            yield f"inputs cannot be {', '.join(left_out)}"

    def allowed_for(self, given: Sequence[Any], seed: int, kind: str) -> list[comparing.Errors]:
        """Limits for these exact inputs of a kind, which may be harder than others."""
        if self._tolerance is not None:
            return self.allowed[TASK]
        row = comparing.USUAL_ROW if kind == TASK else comparing.UNEVEN_ROW
        learned = learning.learn(self._call(given, seed), row, closely=True)
        return self._limits(learned)

    def varied(self, given: list[Any], kind: str, seed: int) -> list[Any]:
        """Inputs of a kind, made from the task's own."""
        if kind == TASK:
            return given
        variation, traits = varying.Variation(kind, seed), iter(self._traits)
        return [*tensors.mapped(given, lambda one: variation.changed(one, next(traits)))]

    def _allow(self, kind: str, learned: Learned) -> None:
        self.allowed[kind] = self._limits(learned)
        if self._tolerance is not None:
            columns = [comparing.rows(one)[1] for one in learned.expected]
            own = [comparing.within_rows(self._tolerance, count) for count in columns]
            self.allowed[kind] = own

    def _limits(self, learned: Learned) -> list[comparing.Errors]:
        """Limits of outputs; wider ones of buffers, in which errors of many calls add up."""
        count = len(learned.expected) - len(changed_buffers(self._module))
        wide = [
            comparing.within_rows(_KEPT, comparing.rows(one)[1]) for one in learned.expected[count:]
        ]
        return [*learned.allowed[:count], *wide]

    def _made(self, kind: str) -> list[Any] | None:
        """Inputs of a kind; None if equal to the task's."""
        for seed in self._seeds:
            given = self._draw(seed)
            made = self.varied(given, kind, seed)
            if not all(map(torch.equal, tensors.flat(made), tensors.flat(given))):
                return made
        return None

    def _bears(self, made: list[Any] | None, plain: Learned, kind: str = TASK) -> Learned | None:
        """Limits learned from inputs; None without inputs, or if they cannot be judged."""
        try:
            learned = None if made is None else self._learned(made, kind)
        except Exception:  # noqa: BLE001 - it may say that it does not take them
            return None
        if learned is None or (learned.tree, learned.shapes) != (plain.tree, plain.shapes):
            return None
        outputs = zip(learned.expected, learned.honest, plain.expected, plain.honest, strict=True)
        return learned if all(self._as_exact(*one) for one in outputs) else None

    def _as_exact(
        self,
        found: torch.Tensor,
        honest: comparing.Errors,
        wanted: torch.Tensor,
        usual: comparing.Errors,
    ) -> bool:
        """Whether an output can be judged about as exactly as another, on the task's inputs."""
        if _odd(found) > _odd(wanted):
            return False
        if "rms" not in honest:
            return True
        rule = comparing.precision(wanted.dtype)
        if not honest["rms"] <= min(_WORSE * usual["rms"] + rule.least, rule.ceiling):
            return False
        return self._tolerance is None or honest["row"] <= self._tolerance / 2


def _odd(one: torch.Tensor) -> int:
    """Number of elements that are NaN or infinite."""
    return int((~comparing.plain(one).isfinite()).sum())
