"""Judged: what a variant's outputs are judged by, on inputs of the task and on others like them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import (
    comparing,
    effects,
    learning,
    tensors,
    unvaried,
    varying,
    weights,
)
from maxcode.executors.kernel.worker.learning import Learned

_LEAST = 6.0  # seconds to compute for to learn
_PATIENCE = 40.0  # calls, for whose time may be learned instead
_LARGE = 10 / (1 << 30)  # seconds more for each byte of inputs, some sums of which are slow to make
_WORSE = 100.0  # times worse than on the task's inputs that rounding may be
_SPLIT = "/"
_AS_TENSORS = (
    "have it return tensors of one shape: numbers as tensors, and what varies in length padded to "
    "the largest, with how much of it counts"
)
_UNROUNDED = (
    "have it return the numbers as they are before they become integers, or give it inputs for "
    "which rounding does not decide"
)


class Judged:
    """Learns what is allowed, and varies inputs; ``draw`` makes those of the task from a seed.

    ``fixed`` are the names of parameters and buffers that the constructor always makes the same.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        device: str,
        draw: Callable[[int], list[Any]],
        seeds: Sequence[int],
        fixed: Sequence[str] = (),
    ) -> None:
        self._module = module
        self._device = device
        self._draw = draw
        self._seeds = [*seeds]
        self._fixed = frozenset(fixed)
        self._traits: list[varying.Trait] = []
        self._tolerance: float | None = None
        self._moved = False  # whether weights have other values than the constructor gives
        self._anew = False  # whether tensors that are always the same are varied
        self._effects: dict[str, list[float]] = {}  # on each output, by kind
        self.allowed: dict[str, list[comparing.Errors]] = {}
        """Of each output, by kind of inputs."""
        self._left: dict[str, float] = {}  # of each row of what calls change
        self.constructed: dict[str, torch.Tensor] = {}
        """By name, values that the constructor gave to weights which have others now."""

    @property
    def kinds(self) -> list[str]:
        """Kinds of inputs that can be judged, besides the task's own."""
        return [kind for kind in self.allowed if kind not in (varying.TASK, varying.NORMAL)]

    def left(self, name: str) -> float:
        """How far a row of what calls change may be off, which the module keeps by this name.

        At least as far as those of outputs are.
        """
        rows = [one.get("row", 0.0) for one in self.allowed[varying.TASK]]
        return max(*rows, self._left.get(name, 0.0))

    def learn(self, tolerance: float | None) -> dict[str, Any]:
        """Learn all; returns a report, with a ``problem`` where nothing can be judged.

        ``tolerance`` is the task's own, for each row, which leaves nothing to learn but kinds.
        From then on the weights have other values than the constructor gives, as far as outputs
        can be judged with those; ``moved`` says whether any have, and ``weights`` which have such
        as reveal what others hide.
        """
        usual = self._learn_and_restore(tolerance, briefly=True)
        if "problem" in usual:
            return usual
        report = self._with_other_weights(tolerance, usual)
        named: dict[str, None] = {}
        for change in weights.REVEALING:
            if not _hides(report):
                break
            learned = self._anew, self.allowed, self._effects, self._left
            before = weights.change(self._module, change, self._seeds[0])
            other = self._learn_and_restore(tolerance) if before else {"problem": "no weights"}
            if _is_as_good(other, usual) and _hides(other) < _hides(report):
                report = other
                named |= dict.fromkeys(before)
                self.constructed = {**before, **self.constructed}
                continue
            self._anew, self.allowed, self._effects, self._left = learned
            weights.restore(self._module, before)
        found = {key: value for key, value in report.items() if key != "faint"}
        moved = self._moved or bool(named)
        return {**found, "moved": moved, "weights": [f"weight {name!r}" for name in named]}

    def _with_other_weights(self, tolerance: float | None, usual: dict[str, Any]) -> dict[str, Any]:
        """What is learned with weights that have no pattern: all, or those that never differ.

        Without any change where outputs cannot be judged with either.
        """
        tried = ""
        for wanted in (None, self._fixed):
            before = weights.change(self._module, weights.moved, self._seeds[0], wanted)
            if before:
                self._moved = True
                report = self._learn_and_restore(tolerance)
                if _is_as_good(report, usual):
                    self.constructed = before
                    return report
                weights.restore(self._module, before)
                self._moved, tried = False, "weights cannot be given values without a pattern"
        report = self._learn_and_restore(tolerance)
        if tried and "problem" not in report:
            report["remarks"].append(tried)
        return report

    def _learn_and_restore(
        self, tolerance: float | None, *, briefly: bool = False
    ) -> dict[str, Any]:
        self._anew, self.allowed, self._effects, self._left = False, {}, {}, {}
        before = {name: one.clone() for name, one in self._module.state_dict().items()}
        try:
            return self._learn(tolerance, briefly=briefly)
        finally:
            self._module.load_state_dict(before)  # calls in training mode change statistics

    def _learn(self, tolerance: float | None, *, briefly: bool) -> dict[str, Any]:
        """``briefly`` is to learn only how exact honest ways are."""
        self._tolerance = tolerance
        drawn = [self._draw(seed) for seed in self._seeds]
        self._traits = varying.traits([tensors.flat(one) for one in drawn])
        plainly = [*unvaried.plain_arguments(drawn)]
        seed, began = self._seeds[0], time.process_time()
        kept = self._kept()
        if not learning.repeats(self._module, drawn[0], seed, self._device):
            return self._changes(drawn[0], kept)
        until = began + max(_LEAST, _PATIENCE * (time.process_time() - began) / 2)
        until += _LARGE * tensors.bytes_of(drawn[0])
        drawn = drawn[:2]
        try:
            plain = learning.learn(self._module, drawn, seed, self._device, until)
        except learning.StructureError as error:
            return {"problem": str(error), "advice": _AS_TENSORS}
        if any(trait.same for trait in self._traits):
            drawn, plain = self._with_other_values(drawn, plain, until)
        masked = self._shuffled(drawn, seed)
        shuffled = self._bears(masked, plain, until) if masked else None
        known = unvaried.inputs(
            drawn[0], self._traits, anew=self._anew, shuffled=shuffled is not None
        )
        remarks = [*known, *plainly, *unvaried.weights(self._module)]
        remarks += unvaried.buffers(self._module, self._fixed, moved=self._moved)
        named = effects.output_names(self._module, drawn[0], len(plain.expected[0]))
        for number, (honest, one) in enumerate(zip(plain.honest, plain.expected[0], strict=True)):
            noise = comparing.noise(honest, one.dtype)
            if noise and tolerance is None:
                problem = {"problem": f"nothing can be judged by {named[number]}: {noise}"}
                return problem | ({"advice": _UNROUNDED} if "wrong" in honest else {})
        exact = [one.get("rms", one.get("wrong", 0.0)) for one in plain.honest]
        if briefly:
            return {"honest": exact}
        drawn = [drawn[0], masked[1]] if shuffled else drawn
        found = effects.of_parts(self._module, drawn, plain, seed, self._device)
        plain.hold_against(found.least)
        self._allow(varying.TASK, plain)
        if shuffled:
            self._allow(varying.SHUFFLED, shuffled)
        if names := self._changed_since(kept):
            self._learn_left({name: kept[name] for name in names}, drawn, until)
        del drawn, masked  # they may fill a good part of a GPU
        judges = [not problem for problem in plain.problems]
        remarks += self._learn_kinds(plain, until, judges)
        for name, *effect in zip(named, *self._effects.values(), strict=True):
            remarks += [] if any(effect) else [f"{name} was never another"]
        if beyond := self._try(varying.NORMAL, plain, until):
            self._allow(varying.NORMAL, beyond)
        if not all(judges) and tolerance is None:
            number = judges.index(False)
            why = plain.problems[number]
            return {"problem": f"nothing can be judged by {named[number]}: {why}"}
        return {
            "kinds": self.kinds,
            "remarks": remarks,
            "normal": varying.NORMAL in self.allowed,
            "unseen": found.unseen,
            "faint": found.faint,
            "honest": exact,
            "effects": plain.effects,
            "allowed": self.allowed[varying.TASK],
            "seconds": time.process_time() - began,
        }

    def _with_other_values(
        self, drawn: list[list[Any]], plain: Learned, until: float
    ) -> tuple[list[list[Any]], Learned]:
        """Inputs that are not always the same, and what is learned of those, if it can be."""
        renewed = [self._renewed(one, seed) for seed, one in enumerate(drawn, self._seeds[0])]
        other = self._bears(renewed, plain, until)
        self._anew = other is not None
        return (drawn, plain) if other is None else (renewed, other)

    def _shuffled(self, drawn: Sequence[list[Any]], seed: int) -> list[list[Any]]:
        """These inputs with their masks shuffled; none where that changes nothing."""
        if not any(trait.mask for trait in self._traits):
            return []
        made = []
        for number, given in enumerate(drawn, seed):
            variation, traits = varying.Variation(varying.SHUFFLED, number, 1.0), iter(self._traits)
            made.append(self._changed(given, variation, traits))
        same = map(torch.equal, tensors.flat(made), tensors.flat(list(drawn)))
        return [] if all(same) else made

    @staticmethod
    def _changed(
        given: list[Any], variation: varying.Variation, traits: Iterator[varying.Trait]
    ) -> list[Any]:
        return [*tensors.mapped(given, lambda one: variation.changed(one, next(traits)))]

    def _learn_kinds(self, plain: Learned, until: float, judges: list[bool]) -> Iterator[str]:
        """Learn from inputs of all kinds; says which there are not.

        ``judges`` are the outputs that can be judged by any.
        """
        left_out, late = [], []
        for kind in varying.KINDS:
            if time.process_time() > until:
                late.append(kind)
            elif (found := self._try(kind, plain, until)) is None:
                left_out.append(kind)
            else:
                self._allow(kind, found)
                judges[:] = [a or not b for a, b in zip(judges, found.problems, strict=True)]
        if left_out:
            yield f"inputs cannot be {', '.join(left_out)}"
        if late:
            yield f"no time for inputs that are {', '.join(late)}"

    def _learn_left(
        self, before: Mapping[str, torch.Tensor], drawn: Sequence[list[Any]], until: float
    ) -> None:
        """Learn what calls leave in the module."""
        given = self._module, before, drawn, self._seeds[0], self._device, until
        self._left = learning.learn_left(*given)

    def _held(self) -> dict[str, torch.Tensor]:
        """All parameters and buffers."""
        return dict((*self._module.named_parameters(), *self._module.named_buffers()))

    def _kept(self) -> dict[str, torch.Tensor]:
        """Copies of them."""
        return {name: one.detach().clone() for name, one in self._held().items()}

    def _changed_since(self, kept: Mapping[str, torch.Tensor]) -> list[str]:
        """The names of those that calls have changed since they were copied."""
        held = self._held()
        return [name for name, one in kept.items() if not _equal(one, held[name])]

    def _changes(self, given: Sequence[Any], kept: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        """A report of a module that gives other outputs for the same inputs and seed."""
        named, names = self._held(), self._changed_since(kept)

        def restore() -> None:
            with torch.no_grad():
                for name, one in kept.items():
                    named[name].copy_(one)

        if names and learning.repeats(self._module, given, self._seeds[0], self._device, restore):
            return {
                "problem": f"its outputs depend on what earlier calls left in {', '.join(names)}",
                "advice": "have it take that as an input, and return what it becomes",
            }
        return {"problem": "it gives other outputs for the same inputs and seed"}

    def allowed_for(self, given: Sequence[Any], seed: int, kind: str) -> list[comparing.Errors]:
        """What is allowed for these very inputs, of that kind."""
        if self._tolerance is not None:
            return self.allowed[varying.TASK]
        row = _least_row(kind)
        found = learning.learn(self._module, [given], seed, self._device, least_row=row)
        found.hold_against(self._effects[block_of(kind)])
        return found.allowed

    def varied(self, given: list[Any], kind: str, seed: int) -> list[Any]:
        """Inputs of a kind, made of those that a task draws."""
        return self._varied(self._renewed(given, seed), kind, seed)

    def _varied(self, given: list[Any], kind: str, seed: int) -> list[Any]:
        """The same of inputs that have other values where a task always makes the same."""
        if kind.startswith("block"):
            return self._with_block(given, kind, seed)
        if kind == varying.TASK:
            return given
        return self._changed(given, varying.Variation(kind, seed), iter(self._traits))

    def _with_block(self, given: list[Any], kind: str, seed: int) -> list[Any]:
        """One block of each tensor from another draw; by the kind, as "block 2/8"."""
        block, blocks = map(int, kind.removeprefix("block").split(_SPLIT))
        other = self._renewed(self._draw(seed ^ 0x5DEECE6), seed + 1)
        others, traits = iter(tensors.flat(other)), iter(self._traits)

        def changed(one: torch.Tensor) -> torch.Tensor:
            with_it = varying.with_block(one, next(others), block, blocks)
            return varying.kept(with_it, next(traits)) if one.is_floating_point() else one

        return [*tensors.mapped(given, changed)]

    def _renewed(self, given: list[Any], seed: int) -> list[Any]:
        """With other values where a task always makes the same."""
        if not self._anew and self.allowed:
            return given
        traits = iter(self._traits)
        return [*tensors.mapped(given, lambda one: varying.anew(one, next(traits), seed))]

    def _allow(self, kind: str, learned: Learned) -> None:
        self.allowed[kind], self._effects[kind] = learned.allowed, learned.effects
        if self._tolerance is not None:
            columns = [comparing.rows(one)[1] for one in learned.expected[0]]
            own = [comparing.within_rows(self._tolerance, count) for count in columns]
            self.allowed[kind] = own

    def _try(self, kind: str, plain: Learned, until: float) -> Learned | None:
        """What is learned from inputs of a kind; None where they are of no use."""
        made = self._made(kind)
        return self._bears(made, plain, until, kind) if made else None

    def _made(self, kind: str) -> list[list[Any]]:
        """Inputs of a kind; none where they are the task's."""
        made, other = [], False
        for seed in self._seeds[:2]:
            given = self._renewed(self._draw(seed), seed)
            made.append(self._varied(given, kind, seed))
            other |= not all(map(torch.equal, tensors.flat(made[-1]), tensors.flat(given)))
        return made if other else []

    def _bears(
        self, made: Sequence[list[Any]], plain: Learned, until: float, kind: str = varying.TASK
    ) -> Learned | None:
        """What is learned from inputs if the module can be judged on them."""
        try:
            seed, row = self._seeds[0], _least_row(kind)
            learned = learning.learn(self._module, made, seed, self._device, until, row)
        except Exception:  # noqa: BLE001 - it may say that it does not take them
            return None
        for index, wanted in enumerate(plain.expected[0]):
            honest, usual = learned.honest[index], plain.honest[index]
            found = learned.expected[0][index]
            if learned.shapes[0][index] != plain.shapes[0][index] or _odd(found) > _odd(wanted):
                return None
            if "rms" not in honest:
                continue
            rule = comparing.precision(wanted.dtype)
            if not honest["rms"] <= min(_WORSE * usual["rms"] + rule.least, rule.ceiling):
                return None
            if self._tolerance is not None and honest["row"] > self._tolerance / 2:
                return None
        return learned


def _is_as_good(report: dict[str, Any], usual: dict[str, Any]) -> bool:
    """Whether outputs can be judged with other weights, not much less exactly."""
    if "problem" in report:
        return False
    pairs = zip(report["honest"], usual["honest"], strict=True)
    return all(a <= _WORSE * b + 1e-6 for a, b in pairs)


def _hides(report: dict[str, Any]) -> float:
    """How many inputs, parts of those and weights hardly change any output."""
    return math.inf if "problem" in report else len(report["faint"]) + len(report["unseen"])


def _least_row(kind: str) -> float:
    return comparing.USUAL_ROW if block_of(kind) == varying.TASK else comparing.UNEVEN_ROW


def block_of(kind: str) -> str:
    """The kind that limits are learned for."""
    return varying.TASK if kind.startswith("block") else kind


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.equal(comparing.plain(one), comparing.plain(other))


def _odd(one: torch.Tensor) -> int:
    """How many elements are no finite numbers."""
    return int((~comparing.plain(one).isfinite()).sum())
