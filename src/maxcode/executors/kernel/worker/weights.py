"""Other values for a module's weights than its constructor gives.

A candidate may count on nothing that training changes: that the scale of a normalisation is one,
that a bias is zero, that a matrix is the identity, orthogonal, symmetric or mostly zeros, that a
branch begins with a weight which makes it invisible, or that a recurrent net forgets its first
steps. So a module is judged with weights that have none of that, as far as it still can be judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import torch

from maxcode.executors.kernel.worker.forward import Between

_NEAR = 0.25  # of its usual size, that zeros of a weight become
_TINY = 1 / 300  # of its usual size, below which a weight may hide what others do
_GROWN = 2.0  # times, that matrices grow by
_FLAT = 2.0, 6.0  # where a logistic function hardly changes
_SOME = 1 / 8  # of a weight's elements
_PAIRS = 3  # of elements that change places, at most
_EXCHANGED, _STEPPED = 0.55, 0.25  # of the times
_STEP = 2e-5, 2e-4  # by which all change
_ROUNDINGS = 16.0  # that that is at least
_SAMPLE = 1024  # elements by which a weight is known again
CONSTRUCTED = "constructed"  # values of weights, for which a constructor is to be asked
_WHOLE = {  # integers of the same size, and bits of the fraction
    torch.float64: (torch.int64, 52),
    torch.float32: (torch.int32, 23),
    torch.float16: (torch.int16, 10),
    torch.bfloat16: (torch.int16, 7),
}

Place = Any
"""The place of an element in a tensor: a number for each dimension."""

Change = Callable[[torch.Tensor, torch.Generator], torch.Tensor | None]
"""Another value for a weight; None for one that it leaves alone."""


class Steps(Between):
    """Steps of training between calls, all of which are undone after the last.

    Before calls that are timed, after odd seeds, all elements of all parameters change by up to a
    quarter: what is computed from weights alone is worth nothing in the next call, as in training,
    and cannot be mended either where weights changed. Some bits of a parameter's fractions are
    turned over, which is undone by doing it again. After even seeds two elements of each change
    places until the next call, which nobody sees who looks at some. Which is drawn from the seed of
    the call before, so that whoever has the same parameters, by these names, does the same.
    """

    def __init__(self, parameters: Mapping[str, torch.Tensor]) -> None:
        self._bits = {
            name: _Bits(one)
            for name, one in parameters.items()
            if one.is_floating_point() and one.dtype in _WHOLE
        }
        self._swapped: list[tuple[torch.Tensor, list[Place]]] = []

    def next(self, seed: int) -> None:
        """Make the next step."""
        self._swap_back()
        for name, bits in self._bits.items():
            random = Random(f"{seed} {name}")
            if seed % 2:
                bits.turn(random)
            elif (one := bits.parameter).numel() > 1:
                pair = random.sample(range(one.numel()), 2)
                places = [np.unravel_index(number, one.shape) for number in pair]
                _swap(one, places)
                self._swapped.append((one, places))

    def end(self) -> None:
        """Undo all steps."""
        self._swap_back()
        for bits in self._bits.values():
            bits.turn_back()

    def _swap_back(self) -> None:
        while self._swapped:
            _swap(*self._swapped.pop())


def _swap(one: torch.Tensor, places: Sequence[Place]) -> None:
    held = one.data  # so that it does not count as changed by a call
    first, second = (held[place].clone() for place in places)
    held[places[0]], held[places[1]] = second, first


class _Bits:
    """The bits of a parameter, of which some are turned over; zeros stay, and infinities."""

    def __init__(self, parameter: torch.Tensor) -> None:
        self.parameter = parameter
        self._turned = 0
        self._usual: torch.Tensor | None = None  # which are turned, unless all are

    def turn(self, random: Random) -> None:
        """Turn over others than now: the third of a fraction, and some of the lower ones."""
        _, fraction = _WHOLE[self.parameter.dtype]
        self._turn(self._turned ^ (1 << (fraction - 3) | random.getrandbits(fraction - 3)))

    def turn_back(self) -> None:
        """Have none turned over."""
        self._turn(self._turned)
        self._usual = None

    def _turn(self, bits: int) -> None:
        if not bits:
            return
        held = self.parameter.data  # so that it does not count as changed by a call
        if not self._turned:
            usual = (held != 0) & held.isfinite()
            self._usual = None if bool(usual.all()) else usual
        whole, _ = _WHOLE[held.dtype]
        some = bits if self._usual is None else self._usual.to(whole).mul_(bits)
        held.view(whole).bitwise_xor_(some)
        self._turned ^= bits


def changeable(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Parameters, and the statistics of normalisations, which training changes like those."""
    yield from module.named_parameters()
    for path, part in module.named_modules():
        if isinstance(part, torch.nn.modules.batchnorm._NormBase):
            for name in ("running_mean", "running_var"):
                if isinstance(one := getattr(part, name), torch.Tensor):
                    yield f"{path}.{name}".lstrip("."), one


def change(
    module: torch.nn.Module,
    by: Change,
    seed: int,
    wanted: Collection[str] | None = None,
) -> dict[str, torch.Tensor]:
    """Change the weights that are wanted, by default all; gives what they were, by name."""
    generator, before = torch.Generator().manual_seed(seed), {}
    with torch.no_grad():
        for name, one in changeable(module):
            asked = (wanted is None or name in wanted) and one.is_floating_point() and one.numel()
            other = by(one, generator) if asked else None
            if other is not None:
                before[name] = one.detach().to("cpu", copy=True)
                one.copy_(other)
    return before


def restore(module: torch.nn.Module, before: dict[str, torch.Tensor]) -> None:
    """Undo a change."""
    with torch.no_grad():
        for name, one in changeable(module):
            if name in before:
                one.copy_(before[name])


def known_by(one: torch.Tensor) -> str:
    """By what a weight that two constructors draw from the same seed is known again.

    A digest of its type, its shape and some of its elements: no proof that two are the same.
    """
    some = one.detach().reshape(-1)[:: max(1, one.numel() // _SAMPLE)].to("cpu").contiguous()
    content = some.view(torch.uint8).numpy().tobytes() if some.numel() else b""
    return hashlib.sha256(f"{one.dtype} {[*one.shape]}".encode() + content).hexdigest()


def _wide(one: torch.Tensor) -> torch.Tensor:
    """In main memory, with digits enough."""
    return one.detach().to("cpu", torch.promote_types(one.dtype, torch.float32))


def _usual(one: torch.Tensor) -> float:
    """The usual size of an element: one, and for a matrix what keeps the size of its products."""
    return float((one.numel() / one.shape[0]) ** -0.5) if one.dim() > 1 else 1.0


def _drawn(one: torch.Tensor, generator: torch.Generator, low: float, high: float) -> torch.Tensor:
    return low + (high - low) * torch.rand(one.shape, generator=generator)


def _signs(one: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randint(2, one.shape, generator=generator) * 2.0 - 1


def _like(one: torch.Tensor, wide: torch.Tensor) -> torch.Tensor:
    return wide.to(one.dtype).to(one.device)


def moved(one: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Near to what it was, with no pattern left.

    Signs stay, and zeros become small beside the rest, so that a matrix that could be inverted
    mostly can be, and a variance stays one.
    """
    wide = _wide(one)
    size = float(wide.square().mean().sqrt()) or _usual(one)
    small = _signs(one, generator) * _drawn(one, generator, 0.5, 1.5) * _NEAR * size
    return _like(one, torch.where(wide == 0, small, wide * _drawn(one, generator, 0.75, 1.25)))


def renewed(one: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Another value as a step of training may give it, which rounding does not.

    Mostly one to three pairs of elements in each other's places: who looks at some to see whether
    it changed misses these, and who adds all up does, too. Else all a little further on, which is
    missed by who allows for rounding, or some of them further.
    """
    wide, chance = _wide(one), float(torch.rand((), generator=generator))
    if chance < _EXCHANGED:
        made = wide.clone()
        count = int(torch.randint(1, _PAIRS + 1, (), generator=generator))
        flat, others = made.view(-1), torch.randint(one.numel(), (2, count), generator=generator)
        for here, there in others.t().tolist():
            flat[[here, there]] = flat[[there, here]]
        if not torch.equal(made, wide):
            return _like(one, made)
    if chance < _EXCHANGED + _STEPPED:
        step = _STEP[0] * (_STEP[1] / _STEP[0]) ** float(torch.rand((), generator=generator))
        step = max(step, _ROUNDINGS * torch.finfo(one.dtype).eps)
        return _like(one, wide * _drawn(one, generator, 1 - step, 1 + step))
    some = _drawn(one, generator, 0.0, 1.0) < _SOME
    some.view(-1)[int(torch.randint(one.numel(), (), generator=generator))] = True
    return _like(one, wide * torch.where(some, _drawn(one, generator, 0.9, 1.1), 1.0))


def some_of(names: Sequence[str], seed: int, part: str = "any") -> list[str]:
    """At least one of some weights, if there is any: "one" of them, or "some", about half.

    "others" are the rest of what "some" are by that seed, and "any" is one or some.
    """
    random = Random(seed)
    one = random.sample(names, min(1, len(names)))
    single = random.random() < 0.5
    half = [name for name in names if random.random() < 0.5]
    if part == "others":
        half = [name for name in names if name not in half]
    return one if part == "one" or (part == "any" and single) else half or one


def _raised(one: torch.Tensor, _: torch.Generator) -> torch.Tensor | None:
    """Of its usual size, if it is far smaller; ratios are kept."""
    wide = _wide(one)
    size, usual = float(wide.square().mean().sqrt()), _usual(one)
    if not 0 < size < _TINY * usual:
        return None
    return _like(one, wide * (usual / size))


def _grown(one: torch.Tensor, _: torch.Generator) -> torch.Tensor | None:
    """A matrix that makes more of what it is given, so that it outlasts many layers."""
    return one.detach() * _GROWN if one.dim() > 1 else None


def _held(sign: float, matrices: Change | None = None) -> Change:
    """Biases, some of which hold gates open or shut, so that cells of a recurrent net remember.

    Half of them stay: what a cell is to remember may not be flat. ``matrices`` change besides.
    """

    def held(one: torch.Tensor, generator: torch.Generator) -> torch.Tensor | None:
        if one.dim() != 1 or one.numel() < 2:
            return matrices(one, generator) if matrices else None
        some = torch.randint(2, one.shape, generator=generator)
        return _like(one, _wide(one) + sign * some * _drawn(one, generator, *_FLAT))

    return held


REVEALING: tuple[Change, ...] = (
    _raised,
    _grown,
    _held(1.0),
    _held(-1.0),
    _held(1.0, _grown),
    _held(-1.0, _grown),
)
"""Tried where an input, a part of one or a weight hardly changes any output, one after another."""
