"""Inputs that vary a task's own, and keep to their properties.

Properties of a tensor are learned from several seeds, see :class:`Trait`. Variations keep them, and
change magnitudes, outliers, zeros and signs in random places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import torch

_FEW = 16  # values that make a tensor one of categories
_ALIKE = 0.02  # of a range: by how much the bounds of two draws may differ
_SAMPLE = 20_000  # elements of a draw that are looked at one by one
_MANY = 64  # elements that say something of a range
_LARGE = 8.0  # times, that values may become larger where no bound is seen
_SMALL = 1e-3  # times, that they may become smaller
_PEAKS = 0.002  # of the elements
_OUTLIERS = 3  # elements at most
_TOGETHER = 0.7  # of the times, that tensors of a call vary along the same dimension


@dataclass(frozen=True)
class Trait:
    """Properties of a tensor among the arguments, common to all draws."""

    low: float = -math.inf
    high: float = math.inf
    bounded: bool = False
    few: bool = False
    whole: bool = False
    ordered: bool = False
    symmetric: bool = False
    shares: bool = False
    same: bool = False
    zeros: torch.Tensor | None = None
    """Places where it is always zero, if any."""

    @property
    def anchor(self) -> float:
        """Value towards which elements may be moved."""
        return 0.0 if self.low <= 0 <= self.high or not self.bounded else self.low

    @property
    def free(self) -> bool:
        """Whether elements can be changed independently."""
        return not (self.few or self.whole)


def traits(drawn: Sequence[Sequence[torch.Tensor]]) -> list[Trait]:
    """Traits of each tensor; ``drawn`` are all tensors of several inputs."""
    return [_trait(one) for one in zip(*drawn, strict=True)]


def _trait(draws: Sequence[torch.Tensor]) -> Trait:
    first = draws[0]
    alike = all(one.shape == first.shape and one.dtype == first.dtype for one in draws)
    pairs = [(a, b) for n, a in enumerate(draws) for b in draws[n + 1 :]]
    same = alike and any(torch.equal(a, b) for a, b in pairs)
    if not (first.is_floating_point() and first.numel() and alike):
        return Trait(whole=True, same=same)
    # Inputs may fill a good part of a GPU: nothing is made that is as large as one of them.
    draws = [one if one.element_size() > 1 else one.float() for one in draws]
    lows, highs = zip(*(map(float, torch.aminmax(one)) for one in draws), strict=True)
    if not all(map(math.isfinite, (*lows, *highs))):
        return Trait(few=True, same=same)
    low, high = min(lows), max(highs)
    spread = max(high - low, 1e-30)
    close = max(max(lows) - low, high - min(highs)) <= _ALIKE * spread
    sample = torch.cat([_sampled(one) for one in draws])
    last = first.shape[-1] if first.dim() else 1
    square = first.dim() > 1 and last == first.shape[-2] and last > 1
    zeros = draws[0] == 0
    for one in draws[1:]:
        zeros &= one == 0
    bounded = first.numel() >= _MANY and close and float(sample.std()) > spread / 6
    few = first.numel() > _FEW and len(set(sample.tolist())) <= _FEW
    whole = bool((sample == sample.round()).all())
    shares = last > 1 and low >= 0 and all(map(_sums_to_one, draws))
    return Trait(
        low,
        high,
        bounded=bounded,
        few=few,
        whole=whole,
        ordered=last > 3 and all(bool((one[..., 1:] >= one[..., :-1]).all()) for one in draws),
        symmetric=square and all(torch.equal(one, one.transpose(-1, -2)) for one in draws),
        shares=shares,
        same=same,
        zeros=zeros if bool(zeros.any()) else None,
    )


def _sampled(one: torch.Tensor) -> torch.Tensor:
    """Evenly spaced elements, in double precision."""
    return one.reshape(-1)[:: max(1, one.numel() // _SAMPLE)].double()


def _sums_to_one(one: torch.Tensor) -> bool:
    return bool(((one.sum(dim=-1, dtype=torch.float32) - 1).abs() < 1e-3).all())


class Variation:
    """Changes tensors by :data:`KINDS`, with its own random numbers."""

    def __init__(self, kind: str, seed: int) -> None:
        self._change = KINDS[kind]
        self._random = Random(seed)
        self._side = self._random.random() if self._random.random() < _TOGETHER else None
        self.generator = torch.Generator().manual_seed(seed)

    def changed(self, one: torch.Tensor, trait: Trait) -> torch.Tensor:
        """The tensor, or a varied copy."""
        if not (one.is_floating_point() and one.numel() > 1) or (trait.few and trait.same):
            return one
        # A copy, which ways to change it write into: several might not fit.
        made = one.to(torch.promote_types(one.dtype, torch.float32), copy=True)
        made = self._change(self, made, trait)
        return kept(made, trait).to(one.dtype)

    # Parts of a tensor that nobody else knows.

    def places(self, one: torch.Tensor, share: float, least: int = 1) -> torch.Tensor:
        """Random indices of a share of its elements."""
        count = min(one.numel(), max(least, int(share * one.numel())))
        return self.integers(one.numel(), count).to(one.device)

    def slices(self, one: torch.Tensor, share: float) -> tuple[int, torch.Tensor]:
        """A dimension, mostly the same for all tensors of a call, and indices of some slices."""
        dims = [dim for dim, size in enumerate(one.shape) if size > 1]
        side = self._random.random() if self._side is None else self._side
        dim = dims[int(side * len(dims))]
        order = torch.randperm(one.shape[dim], generator=self.generator)
        return dim, order[: max(1, int(share * len(order)))].to(one.device)

    def factors(self, one: torch.Tensor, count: int, low: float, high: float) -> torch.Tensor:
        """Random factors in this range, log-uniform; of the tensor's type."""
        drawn = torch.rand(count, dtype=one.dtype, generator=self.generator)
        return low * (high / low) ** drawn.to(one.device)

    def integers(self, end: int, count: int) -> torch.Tensor:
        """Random integers below ``end``, in main memory."""
        return torch.randint(end, (count,), generator=self.generator)


def kept(made: torch.Tensor, trait: Trait) -> torch.Tensor:
    """A changed tensor, corrected to have its traits."""
    if trait.bounded or trait.few or trait.whole:
        made = made.clamp(trait.low, trait.high)
    elif trait.low >= 0:
        made = made.clamp_min(0)
    if trait.whole:
        made = made.round()
    if trait.zeros is not None:
        made = made.masked_fill(trait.zeros, 0)
    if trait.symmetric:
        made = made.tril() + made.tril(-1).transpose(-1, -2)
    if trait.ordered:
        made = made.sort(dim=-1).values
    if trait.shares:
        made = made / made.sum(dim=-1, keepdim=True).clamp_min(1e-30)
    return made


def _scaled(by: Variation, one: torch.Tensor, trait: Trait) -> torch.Tensor:
    """Slices of other magnitudes."""
    if not trait.free:
        return one
    dim, _ = by.slices(one, 1.0)
    shape = [one.shape[dim] if at == dim else 1 for at in range(one.dim())]
    factors = by.factors(one, one.shape[dim], 0.03, 1.0 if trait.bounded else _LARGE)
    return one.sub_(trait.anchor).mul_(factors.reshape(shape)).add_(trait.anchor)


def _outliers(by: Variation, one: torch.Tensor, trait: Trait) -> torch.Tensor:
    """A few elements at the extremes, missed by samples."""
    flat, places = one.reshape(-1), by.places(one, 0.0, least=by._random.randint(1, _OUTLIERS))
    if trait.bounded or not trait.free:
        ends = torch.tensor([trait.low, trait.high], dtype=one.dtype, device=one.device)
        flat[places] = ends[by.integers(2, len(places)).to(one.device)]
    else:
        flat[places] *= by.factors(one, len(places), 2.0, _LARGE)
    return flat.reshape(one.shape)


def _peaks(by: Variation, one: torch.Tensor, trait: Trait) -> torch.Tensor:
    """All elements small but a few, which determine a scale shared by many."""
    if not trait.free:
        return one
    places, flat = by.places(one, _PEAKS, least=2), one.reshape(-1)
    large = flat[places]
    flat.sub_(trait.anchor).mul_(_SMALL).add_(trait.anchor)
    flat[places] = large
    return flat.reshape(one.shape)


def _special(by: Variation, one: torch.Tensor, trait: Trait) -> torch.Tensor:
    """Zeros, other signs and other means in a part of the slices."""
    if trait.free and not trait.bounded and trait.low < 0:
        dim, some = by.slices(one, 0.3)
        shift = float(one.std()) * (1 - 2 * by._random.getrandbits(1))
        one.index_copy_(dim, some, one.index_select(dim, some) + shift)
    if trait.low < 0 < trait.high and trait.free:
        dim, some = by.slices(one, 0.3)
        one.index_copy_(dim, some, -one.index_select(dim, some))
    flat = one.reshape(-1)
    flat[by.places(one, 0.05)] = trait.anchor if trait.free else trait.low
    return flat.reshape(one.shape)


def _few(by: Variation, one: torch.Tensor, _: Trait) -> torch.Tensor:
    """Three of its values throughout, so rounding errors add up instead of cancelling."""
    values = one.reshape(-1)[by.places(one, 0.0, least=3)]
    return values[by.integers(len(values), one.numel()).to(one.device)].reshape(one.shape)


KINDS: dict[str, Callable[[Variation, torch.Tensor, Trait], torch.Tensor]] = {
    "scaled": _scaled,
    "outliers": _outliers,
    "peaks": _peaks,
    "special": _special,
    "few": _few,
}
"""Variations of an input by name; each may overwrite its tensor, in single precision or wider."""
