"""Whether outputs depend on each input, on each part of one, and on each weight; and how much.

Each is exchanged for another while all else stays. What changes no output by more than rounding
does is of two kinds. A recurrent net forgets: what it read hundreds of steps ago changes less than
rounding, and a candidate that leaves those steps out is wrong as soon as weights remember more. A
bias that a normalisation takes out again is wasted by the reference, and no proof against anybody.
Derivatives in double precision tell them apart: they reach down to 1e-308.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import torch

from maxcode.executors.kernel.worker import learning, tensors
from maxcode.executors.kernel.worker.gradients import WithGradients
from maxcode.executors.kernel.worker.learning import Learned

_FAINT, _CLEAR = 256.0, 0.01  # times what is allowed, or of an output: an effect to be sure of
_PARTS = 8  # of inputs and of weights each, whose effect is looked at
_SLICES = 4  # along each dimension
_CALLS = 24  # of the module for slices, at the most; long dimensions come first
_NUDGE = 1e-3  # relative, by which derivatives change little, and rounding errors altogether


_Part = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Effects:
    """What is found of inputs and weights.

    ``least`` is the smallest effect on each output of what has any, relative to its size. What is
    ``unseen`` has none that could be seen on any output, though outputs depend on it, and what is
    ``faint`` so little that it need not be computed precisely.
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
    allowed = [one.get("rms", 0.0) for one in plain.allowed]
    clearly = [min(_FAINT * one, _CLEAR) for one in allowed]

    @cache
    def derivatives() -> list[dict[str, _Derivative]]:
        return [_derivatives(module, one, seed, device) for one in drawn[:2]]

    def depends(name: str, part: _Part | None = None) -> bool:
        """Whether outputs do, as far as anybody can tell; of a part those for the first inputs."""
        known = [one[name] for one in derivatives()[: 1 if part else 2] if name in one]
        return not known or any(one.holds(part or torch.Tensor.detach) for one in known)

    def effects(outputs: list[torch.Tensor]) -> list[float]:
        return learning.effects([plain.expected[0], outputs])

    for name, changes in _exchanged(module, drawn, seed, device):
        largest = [-1.0] * len(least)
        for outputs in changes:
            largest = [*map(max, largest, effects(outputs))]
            if _above(largest, clearly):
                break
        if max(largest) < 0 or not (_above(largest, clearly) or depends(name)):
            continue  # what belongs together was torn apart, or is wasted
        for index, effect in enumerate(largest):
            if effect > 16 * plain.honest[index].get("rms", 0.0) + allowed[index] / 4:
                least[index] = min(least[index], effect) if least[index] else effect
        unseen += [] if _above(largest, allowed) else [name]
        faint += [] if _above(largest, clearly) else [name]

    def hides(given: list[Any]) -> bool:
        outputs = _outputs(module, given, seed, device)  # None: what belongs together is torn apart
        return outputs is not None and not _above(effects(outputs), allowed)

    return Effects(least, [*unseen, *_unseen_slices(drawn, hides, depends)], faint)


def _above(found: Sequence[float], limits: Sequence[float]) -> bool:
    return any(one > limit for one, limit in zip(found, limits, strict=True))


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
) -> Iterator[tuple[str, Iterator[list[torch.Tensor]]]]:
    """Outputs with one input, or one weight, exchanged for others, one after another."""
    known, pairs = names(drawn[0]), [*zip(*map(tensors.flat, drawn[:2]), strict=True)]

    def of_input(number: int) -> Iterator[list[torch.Tensor]]:
        one, other = pairs[number]
        if one.shape == other.shape and not torch.equal(one, other):
            given = _with(drawn[0], number, lambda _: other)
            yield from filter(None, [_outputs(module, given, seed, device)])

    def of_weight(one: torch.Tensor) -> Iterator[list[torch.Tensor]]:
        before = one.clone()
        for other in _others(before):
            try:
                one.copy_(other)
                made = _outputs(module, drawn[0], seed, device)
            finally:
                one.copy_(before)
            yield from filter(None, [made])

    for number in range(len(known) if 1 < len(known) <= _PARTS else 0):
        yield known[number], of_input(number)
    weights = sorted(module.named_parameters(), key=lambda named: -named[1].numel())
    for name, one in weights[:_PARTS]:
        yield f"weight {name!r}", of_weight(one.data)


def _others(one: torch.Tensor) -> Iterator[torch.Tensor]:
    """Other values for a weight: in another order, each scaled, all moved, none at all.

    What adds up all of its elements does not see their order, nor a direction their scale.
    """
    order = torch.randperm(one.numel()).to(one.device)
    made = [one.reshape(-1)[order].reshape(one.shape)]
    if one.is_floating_point() or one.is_complex():
        factors = (torch.rand(one.shape, dtype=torch.float64) + 0.5).to(one)
        size = float(one.abs().double().square().mean().sqrt()) or 1.0
        made += [one * factors, one + size, torch.zeros_like(one)]
    yield from (other for other in made if not torch.equal(other, one))


def _with(
    given: Sequence[Any], number: int, change: Callable[[torch.Tensor], torch.Tensor]
) -> list[Any]:
    """Arguments with one of their tensors changed."""
    left = iter(range(len(tensors.flat(list(given)))))
    return [*tensors.mapped(list(given), lambda one: change(one) if next(left) == number else one)]


def _with_part(one: torch.Tensor, other: torch.Tensor, part: _Part) -> torch.Tensor:
    made = one.clone()
    part(made).copy_(part(other))
    return made


def _unseen_slices(
    drawn: Sequence[list[Any]],
    hides: Callable[[list[Any]], bool],
    depends: Callable[[str, _Part], bool],
) -> Iterator[str]:
    """Quarters of an input along a dimension that change nothing, though outputs depend on them.

    Adjacent ones as one, and none of an input of which all are such. ``hides`` is asked about
    arguments with a slice of the second ones that were drawn.
    """
    firsts, others = (tensors.flat(one) for one in drawn[:2])
    places = [
        (one.shape[dimension], number, dimension)
        for number, (one, other) in enumerate(zip(firsts, others, strict=True))
        if one.shape == other.shape and not torch.equal(one, other)
        for dimension in range(one.dim())
        if one.shape[dimension] > 1
    ]
    left, known = _CALLS, names(drawn[0])
    for size, number, dimension in sorted(places, key=lambda place: -place[0]):
        count = min(_SLICES, size)
        if (left := left - count) < 0:
            break
        bounds = [(size * n // count, size * (n + 1) // count) for n in range(count)]
        parts = [partial(torch.narrow, dim=dimension, start=a, length=b - a) for a, b in bounds]

        changes = (partial(_with_part, other=others[number], part=part) for part in parts)
        found = [hides(_with(drawn[0], number, change)) for change in changes]
        if all(found):
            continue
        joined: list[tuple[int, int]] = []
        for (begin, end), part, one in zip(bounds, parts, found, strict=True):
            if one and depends(known[number], part):
                first = joined.pop()[0] if joined and joined[-1][1] == begin else begin
                joined.append((first, end))
        for begin, end in joined:
            yield f"{known[number]} at {begin} to {end - 1} of dimension {dimension}"


@dataclass(frozen=True)
class _Derivative:
    """By an input or a weight, and the same beside that point."""

    here: torch.Tensor
    beside: torch.Tensor

    def holds(self, part: _Part) -> bool:
        """Whether a part of it is no rounding error, which would be another beside that point."""
        here, beside = part(self.here), part(self.beside)
        size = float(here.abs().max())
        return size != 0 and not float((here - beside).abs().max()) > size / 2


def _derivatives(
    module: torch.nn.Module, given: Sequence[Any], seed: int, device: str
) -> dict[str, _Derivative]:
    """Derivatives of outputs in double precision by name; of none where nobody can say."""

    def derived(nudge: float) -> dict[str, torch.Tensor]:
        def leaf(one: torch.Tensor) -> torch.Tensor:
            if one.is_floating_point():
                noise = torch.rand(one.shape, dtype=torch.float64) - 0.5
                one = (one.detach().to(noise) * (1 + nudge * noise)).to(device).requires_grad_()
            leaves.append(one)
            return one

        def end(one: torch.Tensor) -> torch.Tensor:
            if one.requires_grad:
                share, noise = torch.rand_like(one), torch.rand_like(one)
                ends.append((one * share * (1 + nudge * noise)).sum())
            return one

        leaves: list[torch.Tensor] = []
        ends: list[torch.Tensor] = []
        tensors.set_seed(seed, device)
        exact = copy.deepcopy(module).double()
        arguments = tensors.mapped(list(given), leaf)
        weights = {name: leaf(one) for name, one in module.named_parameters()}
        named = [*names(given), *(f"weight {name!r}" for name in weights)]
        used = {name: one for name, one in zip(named, leaves, strict=True) if one.requires_grad}
        with torch.enable_grad():
            tensors.mapped(torch.func.functional_call(exact, weights, (*arguments,)), end)
            total = torch.stack(ends).sum()
        found = torch.autograd.grad(
            total, [*used.values()], allow_unused=True, materialize_grads=True
        )
        return dict(zip(used, found, strict=True))

    try:
        here, beside = derived(0.0), derived(_NUDGE)
    except Exception:  # noqa: BLE001 - it may have no derivative, or insist on its precision
        return {}
    return {name: _Derivative(one, beside[name]) for name, one in here.items()}


def _outputs(
    module: torch.nn.Module, given: Sequence[Any], seed: int, device: str
) -> list[torch.Tensor] | None:
    """Of large ones some rows, as of those that were learned from."""
    try:
        return learning.some_rows(tensors.outputs(module, given, seed, device))
    except Exception:  # noqa: BLE001 - what belongs together may not be exchanged
        return None
