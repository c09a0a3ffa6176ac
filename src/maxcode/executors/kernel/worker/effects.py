"""By how much inputs and weights change outputs, each by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from maxcode.executors.kernel.worker import learning, slices, tensors
from maxcode.executors.kernel.worker.gradients import WithGradients
from maxcode.executors.kernel.worker.learning import Learned

_FAINT, _CLEAR = 256.0, 0.01  # times what is allowed, or of an output: an effect to be sure of
_PARTS = 8  # of inputs and of weights each, whose effect is looked at


@dataclass(frozen=True)
class Effects:
    """What is found of inputs and weights.

    ``least`` is the smallest effect on each output of what has any, relative to its size. What is
    ``unseen`` has none that could be seen on any output, and what is ``faint`` so little that it
    need not be computed precisely.
    """

    least: list[float]
    unseen: list[str]
    faint: list[str]


def of_parts(
    module: torch.nn.Module,
    drawn: Sequence[list[Any]],
    plain: Learned,
    seed: int,
    device: str,
) -> Effects:
    """Exchange one after another for others; ``plain`` was learned from the ``drawn`` inputs."""
    least, unseen, faint = [*plain.effects], [], []
    for name, outputs in _exchanged(module, drawn, seed, device):
        seen = clear = False
        for index, effect in enumerate(learning.effects([plain.expected[0], outputs])):
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

    def shown(given: list[Any]) -> bool:
        outputs = _outputs(module, given, seed, device)
        if outputs is None:
            return True  # what belongs together was torn apart
        found = learning.effects([plain.expected[0], outputs])
        limits = [one.get("rms", 0.0) for one in plain.allowed]
        return any(effect > limit for effect, limit in zip(found, limits, strict=True))

    unseen += slices.unseen(module, drawn, names(drawn[0]), shown, seed, device)
    return Effects(least, unseen, faint)


def names(given: Sequence[Any]) -> list[str]:
    """Of each tensor among arguments, by the position of the argument."""
    found = []
    for number, one in enumerate(given):
        count = len(tensors.flat(one))
        found += [f"input {number}" + (f"[{n}]" if count > 1 else "") for n in range(count)]
    return found


def output_names(module: torch.nn.Module, given: Sequence[Any], count: int) -> list[str]:
    """Of each of so many tensors that a call with these arguments returns."""
    gradients: list[str] = []
    if isinstance(module, WithGradients):
        found = zip(names(given[:-1]), tensors.flat(list(given[:-1])), strict=True)
        wanted = [name for name, one in found if one.is_floating_point()]
        wanted += [f"parameter {name!r}" for name in module._differentiated]
        gradients = [f"the gradient of {name}" for name in wanted]
    own = count - len(gradients)
    return [*(["the output"] if own == 1 else [f"output {n}" for n in range(own)]), *gradients]


def is_alike(one: torch.Tensor) -> bool:
    """Whether all elements are one number."""
    return bool((one == one.reshape(-1)[0]).all())


def _exchanged(
    module: torch.nn.Module, drawn: Sequence[list[Any]], seed: int, device: str
) -> Iterator[tuple[str, list[torch.Tensor]]]:
    """Outputs with one input, or one weight, exchanged for another that differs."""
    known = names(drawn[0])
    count, pairs = len(known), [*zip(*map(tensors.flat, drawn[:2]), strict=True)]
    for number in range(count if 1 < count <= _PARTS else 0):
        if torch.equal(*pairs[number]):
            continue
        left, others = iter(range(count)), iter(tensors.flat(drawn[1]))

        def change(one: torch.Tensor) -> torch.Tensor:
            other = next(others)  # noqa: B023
            here = next(left) == number  # noqa: B023
            return other if here and other.shape == one.shape else one

        made = _outputs(module, tensors.mapped(drawn[0], change), seed, device)
        if made is not None:
            yield known[number], made
    named = dict(module.named_parameters())
    for name in sorted(named, key=lambda name: -named[name].numel())[:_PARTS]:
        one = named[name].data
        before, order = one.clone(), torch.randperm(one.numel()).to(one.device)
        other = before.reshape(-1)[order].reshape(one.shape)
        if torch.equal(other, before):  # as every other order of two is
            other = before.reshape(-1).roll(1).reshape(one.shape)
        if is_alike(before):
            factors = torch.rand(one.shape, dtype=torch.float64) + 0.5
            other = factors * (before.to("cpu") if bool(before.any()) else 1.0)
        try:
            one.copy_(other)
            made = _outputs(module, drawn[0], seed, device)
        finally:
            one.copy_(before)
        if made is not None:
            yield f"weight {name!r}", made


def _outputs(
    module: torch.nn.Module, given: Sequence[Any], seed: int, device: str
) -> list[torch.Tensor] | None:
    """Of large ones some rows, as of those that were learned from."""
    try:
        return learning.some_rows(tensors.outputs(module, given, seed, device))
    except Exception:  # noqa: BLE001 - what belongs together may not be exchanged
        return None
