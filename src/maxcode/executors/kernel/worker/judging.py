"""Judged: what a variant's outputs are judged by, on inputs of the task and on others like them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, learning, slices, tensors, varying
from maxcode.executors.kernel.worker.learning import Learned

_LEAST = 6.0  # seconds to compute for to learn
_PATIENCE = 40.0  # calls, for whose time may be learned instead
_WORSE = 100.0  # times worse than on the task's inputs that rounding may be
_FAINT, _CLEAR = 256.0, 0.01  # times what is allowed, or of an output: an effect to be sure of
_PARTS = 8  # of inputs and of weights each, whose effect is looked at
_SPLIT = "/"
_SHOWN = 40  # characters of an argument


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
        self._anew = False  # whether tensors that are always the same are varied
        self._effects: dict[str, list[float]] = {}  # on each output, by kind
        self.allowed: dict[str, list[comparing.Errors]] = {}
        """Of each output, by kind of inputs."""

    @property
    def kinds(self) -> list[str]:
        """Kinds of inputs that can be judged, besides the task's own."""
        return [kind for kind in self.allowed if kind != varying.TASK]

    def learn(self, tolerance: float | None) -> dict[str, Any]:
        """Learn all; returns a report, with a ``problem`` where nothing can be judged.

        ``tolerance`` is the task's own, for each row, which leaves nothing to learn but kinds.
        Weights that the constructor always makes the same, as the identity, have other values from
        then on, so that no part can be left out. Where weights are so small that they hide what
        others do, as the scale of a branch may be, they have values of usual size.
        """
        report = self._learn_and_restore(tolerance)
        changed: list[str] = []
        for what, change, wanted in (
            ("values without a pattern", varying.moved, self._fixed),
            ("values of usual size", varying.raised, None),
        ):
            if "problem" in report or (wanted is None and not report["faint"]):
                continue
            before = {name: one.detach().clone() for name, one in self._module.named_parameters()}
            if not (names := self._change_weights(change, wanted)):
                continue
            learned = self._anew, self.allowed, self._effects
            self._anew, self.allowed, self._effects = False, {}, {}
            other = self._learn_and_restore(tolerance)
            if self._is_as_good(other, report, clearer=wanted is None):
                report, changed = other, [*changed, *names]
                continue
            self._anew, self.allowed, self._effects = learned
            with torch.no_grad():
                for name, one in self._module.named_parameters():
                    one.copy_(before[name])
            report["remarks"].append(f"{', '.join(names)} cannot be given {what}")
        report.pop("faint", None)
        return {**report, "weights": list(dict.fromkeys(changed))}

    def _change_weights(
        self,
        change: Callable[[torch.Tensor, torch.Generator], torch.Tensor | None],
        wanted: Collection[str] | None,
    ) -> list[str]:
        """Change what is wanted of the weights, by default all that can be; which they are."""
        generator, names = torch.Generator().manual_seed(self._seeds[0]), []
        with torch.no_grad():
            for name, one in self._module.named_parameters():
                other = change(one, generator) if wanted is None or name in wanted else None
                if other is not None:
                    one.copy_(other)
                    names.append(f"weight {name!r}")
        return names

    @staticmethod
    def _is_as_good(other: dict[str, Any], report: dict[str, Any], *, clearer: bool) -> bool:
        """Whether outputs can still be judged with other weights, and, if wanted, by more parts."""
        if "problem" in other or (clearer and len(other["faint"]) >= len(report["faint"])):
            return False
        pairs = zip(other["honest"], report["honest"], strict=True)
        return all(a <= _WORSE * b + 1e-6 for a, b in pairs)

    def _learn_and_restore(self, tolerance: float | None) -> dict[str, Any]:
        before = {name: one.clone() for name, one in self._module.state_dict().items()}
        try:
            return self._learn(tolerance)
        finally:
            self._module.load_state_dict(before)  # calls in training mode change statistics

    def _learn(self, tolerance: float | None) -> dict[str, Any]:
        self._tolerance = tolerance
        drawn = [self._draw(seed) for seed in self._seeds]
        self._traits = varying.traits([tensors.flat(one) for one in drawn])
        plainly = [*_never_otherwise(drawn)]
        seed, began = self._seeds[0], time.process_time()
        kept = self._kept()
        if not learning.repeats(self._module, drawn[0], seed, self._device):
            return self._changes(drawn[0], kept)
        until = began + max(_LEAST, _PATIENCE * (time.process_time() - began) / 2)
        drawn = drawn[:2]
        plain = learning.learn(self._module, drawn, seed, self._device, until)
        if len({tuple(one.shape for one in outputs) for outputs in plain.expected}) > 1:
            return {
                "problem": "the shape of its outputs depends on the values of its inputs",
                "advice": "have it pad them to the largest shape, and return how much of it counts",
            }
        if any(trait.same for trait in self._traits):
            renewed = [self._renewed(one, seed) for seed, one in enumerate(drawn, seed)]
            other = self._bears(renewed, plain, until)
            self._anew = other is not None
            drawn, plain = (renewed, other) if other is not None else (drawn, plain)
        remarks = [*self._known(drawn[0]), *plainly, *self._alike(), *self._buffers()]
        for number, (honest, one) in enumerate(zip(plain.honest, plain.expected[0], strict=True)):
            noise = comparing.noise(honest, one.dtype)
            if noise and tolerance is None:
                return {"problem": f"nothing can be judged by output {number}: {noise}"}
        shown, unseen, faint = self._parts(drawn, plain)
        plain.hold_against(shown)
        self._allow(varying.TASK, plain)
        judges = [not problem for problem in plain.problems]
        left_out, late = [], []
        for kind in varying.KINDS:
            if time.process_time() > until:
                late.append(kind)
            elif (found := self._try(kind, plain, until)) is None:
                left_out.append(kind)
            else:
                self._allow(kind, found)
                judges = [a or not b for a, b in zip(judges, found.problems, strict=True)]
        if not all(judges) and tolerance is None:
            number = judges.index(False)
            why = plain.problems[number]
            return {"problem": f"nothing can be judged by output {number}: {why}"}
        if left_out:
            remarks.append(f"inputs cannot be {', '.join(left_out)}")
        if late:
            remarks.append(f"no time for inputs that are {', '.join(late)}")
        allowed = self.allowed[varying.TASK]
        return {
            "kinds": self.kinds,
            "remarks": remarks,
            "unseen": unseen,
            "faint": faint,
            "tolerance": [one.get("row", 0.0) for one in allowed],
            "honest": [one.get("rms", one.get("wrong", 0.0)) for one in plain.honest],
            "effects": plain.effects,
            "seconds": time.process_time() - began,
        }

    def _held(self) -> dict[str, torch.Tensor]:
        """All parameters and buffers."""
        return dict((*self._module.named_parameters(), *self._module.named_buffers()))

    def _kept(self) -> dict[str, torch.Tensor]:
        """Copies of them."""
        return {name: one.detach().clone() for name, one in self._held().items()}

    def _changes(self, given: Sequence[Any], kept: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        """A report of a module that gives other outputs for the same inputs and seed."""
        named = self._held()
        names = [name for name, one in kept.items() if not torch.equal(one, named[name])]

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
        given = self._renewed(given, seed)
        if kind.startswith("block"):
            return self._with_block(given, kind, seed)
        if kind == varying.TASK:
            return given
        variation, traits = varying.Variation(kind, seed), iter(self._traits)
        return [*tensors.mapped(given, lambda one: variation.changed(one, next(traits)))]

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

    def _known(self, given: Sequence[Any]) -> Iterator[str]:
        """Which inputs stay the same, or keep a structure."""
        found = zip(_names(given), tensors.flat(given), self._traits, strict=True)
        for name, one, trait in found:
            if trait.same and (not self._anew or varying.anew(one, trait, 1) is one):
                yield f"{name} was never drawn otherwise"
            elif trait.structure:
                yield f"{name} is always {trait.structure}"

    def _alike(self) -> Iterator[str]:
        """That leaving out weights is not seen where all elements are the same."""
        weights = dict(self._module.named_parameters())
        alike = [name for name, one in weights.items() if one.numel() > 1 and _is_alike(one)]
        if alike:
            more = ", ..." if len(alike) > _PARTS else ""
            yield f"each of these weights is one number: {', '.join(alike[:_PARTS])}{more}"

    def _buffers(self) -> Iterator[str]:
        """Which buffers of several elements nobody sees with other values."""
        named = self._module.named_buffers()
        found = [name for name, one in named if name in self._fixed and one.numel() > 1]
        if found:
            more = ", ..." if len(found) > _PARTS else ""
            yield f"buffers that begin the same each time: {', '.join(found[:_PARTS])}{more}"

    def _allow(self, kind: str, learned: Learned) -> None:
        self.allowed[kind], self._effects[kind] = learned.allowed, learned.effects
        if self._tolerance is not None:
            columns = [comparing.rows(one)[1] for one in learned.expected[0]]
            own = [comparing.within_rows(self._tolerance, count) for count in columns]
            self.allowed[kind] = own

    def _try(self, kind: str, plain: Learned, until: float) -> Learned | None:
        """What is learned from inputs of a kind; None where they are of no use."""
        made = [self.varied(self._draw(seed), kind, seed) for seed in self._seeds[:2]]
        plainly = [self._renewed(self._draw(seed), seed) for seed in self._seeds[:2]]
        if all(map(torch.equal, tensors.flat(made), tensors.flat(plainly))):
            return None
        return self._bears(made, plain, until, kind)

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
            if found.shape != wanted.shape or _odd(found) > _odd(wanted):
                return None
            if "rms" not in honest:
                continue
            rule = comparing.precision(wanted.dtype)
            if not honest["rms"] <= min(_WORSE * usual["rms"] + rule.least, rule.ceiling):
                return None
            if self._tolerance is not None and honest["row"] > self._tolerance / 2:
                return None
        return learned

    def _parts(
        self, drawn: Sequence[list[Any]], plain: Learned
    ) -> tuple[list[float], list[str], list[str]]:
        """The least effect on each output of what has any, of inputs and weights by themselves.

        With what has none that could be seen on any output, and with what has so little that it
        need not be computed precisely.
        """
        least, unseen, faint = [*plain.effects], [], []
        for name, outputs in self._exchanged(drawn):
            effects = learning.effects([plain.expected[0], outputs])
            seen = clear = False
            for index, effect in enumerate(effects):
                honest = plain.honest[index].get("rms", 0.0)
                allowed = plain.allowed[index].get("rms", 0.0)
                seen = seen or effect > allowed
                clear = clear or effect > min(_FAINT * allowed, _CLEAR)
                if effect > 16 * honest + allowed / 4:
                    least[index] = min(least[index], effect) if least[index] else effect
            if not seen:
                unseen.append(name)
            if not clear:
                faint.append(name)
        return least, [*unseen, *self._unseen_slices(drawn, plain)], faint

    def _unseen_slices(self, drawn: Sequence[list[Any]], plain: Learned) -> list[str]:
        seed = self._seeds[0]

        def shown(given: list[Any]) -> bool:
            outputs = self._outputs(self._module, given, seed)
            if outputs is None:
                return True  # what belongs together was torn apart
            effects = learning.effects([plain.expected[0], outputs])
            limits = [one.get("rms", 0.0) for one in plain.allowed]
            return any(effect > limit for effect, limit in zip(effects, limits, strict=True))

        return slices.unseen(self._module, drawn, _names(drawn[0]), shown, seed, self._device)

    def _exchanged(self, drawn: Sequence[list[Any]]) -> Iterator[tuple[str, list[torch.Tensor]]]:
        """Outputs with one input, or one weight, exchanged for another that differs."""
        seed, names = self._seeds[0], _names(drawn[0])
        count, pairs = len(names), [*zip(*map(tensors.flat, drawn[:2]), strict=True)]
        for number in range(count if 1 < count <= _PARTS else 0):
            if torch.equal(*pairs[number]):
                continue
            left, others = iter(range(count)), iter(tensors.flat(drawn[1]))

            def change(one: torch.Tensor) -> torch.Tensor:
                other = next(others)  # noqa: B023
                here = next(left) == number  # noqa: B023
                return other if here and other.shape == one.shape else one

            made = self._outputs(self._module, tensors.mapped(drawn[0], change), seed)
            if made is not None:
                yield names[number], made
        weights = dict(self._module.named_parameters())
        largest = sorted(weights, key=lambda name: -weights[name].numel())[:_PARTS]
        for name in largest:
            one = weights[name].data
            before, order = one.clone(), torch.randperm(one.numel()).to(one.device)
            other = before.reshape(-1)[order].reshape(one.shape)
            if _is_alike(before):
                factors = torch.rand(one.shape, dtype=torch.float64) + 0.5
                other = factors * (before.to("cpu") if bool(before.any()) else 1.0)
            try:
                one.copy_(other)
                made = self._outputs(self._module, drawn[0], seed)
            finally:
                one.copy_(before)
            if made is not None:
                yield f"weight {name!r}", made

    def _outputs(
        self, module: torch.nn.Module, given: Sequence[Any], seed: int
    ) -> list[torch.Tensor] | None:
        try:
            return tensors.outputs(module, given, seed, self._device)
        except Exception:  # noqa: BLE001 - what belongs together may not be exchanged
            return None


def _least_row(kind: str) -> float:
    return comparing.USUAL_ROW if block_of(kind) == varying.TASK else comparing.UNEVEN_ROW


def block_of(kind: str) -> str:
    """The kind that limits are learned for."""
    return varying.TASK if kind.startswith("block") else kind


def _names(given: Sequence[Any]) -> list[str]:
    """Of each tensor among arguments, by the position of the argument."""
    names = []
    for number, one in enumerate(given):
        count = len(tensors.flat(one))
        names += [f"input {number}" + (f"[{n}]" if count > 1 else "") for n in range(count)]
    return names


def _never_otherwise(drawn: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Which arguments hold something else than tensors that is the same in all that was drawn."""
    for number, draws in enumerate(zip(*drawn, strict=True)):
        first, *others = ([*_plain(one)] for one in draws)
        if first and all(one == first for one in others):
            shown = ", ".join(map(repr, first))
            yield f"input {number} ({shown[:_SHOWN]}) was never drawn otherwise"


def _plain(value: Any) -> Iterator[Any]:
    """What an argument holds besides tensors."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _plain(one)
    elif not isinstance(value, torch.Tensor):
        yield value


def _is_alike(one: torch.Tensor) -> bool:
    return bool((one == one.reshape(-1)[0]).all())


def _odd(one: torch.Tensor) -> int:
    """How many elements are no finite numbers."""
    return int((~comparing.plain(one).isfinite()).sum())
