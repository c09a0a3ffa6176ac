"""Changed weights of a module, unlike its constructor's.

A candidate may not rely on patterns training removes, such as a bias of zero or an orthogonal
matrix. So a module is judged with weights without them, if it can still be judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator

import torch

_NEAR = 0.25  # of its usual size, that zeros of a weight become
_CHANGED = 0.7  # of the weights
_SAMPLE = 1024  # elements by which a weight is known again

Change = Callable[[torch.Tensor, torch.Generator], torch.Tensor | None]
"""Function to another value for a weight; None to keep it."""


def changeable(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Parameters, and the statistics of normalisations, which training changes, too."""
    yield from module.named_parameters()
    for path, part in module.named_modules():
        if isinstance(part, torch.nn.modules.batchnorm._NormBase):
            for name in ("running_mean", "running_var"):
                if isinstance(one := getattr(part, name), torch.Tensor):
                    yield f"{path}.{name}".lstrip("."), one


def change(
    named: Iterable[tuple[str, torch.Tensor]], by: Change, seed: int
) -> dict[str, torch.Tensor]:
    """Change weights; returns the former values of changed ones, by name."""
    generator, before = torch.Generator().manual_seed(seed), {}
    with torch.no_grad():
        for name, one in named:
            other = by(one, generator) if one.is_floating_point() and one.numel() else None
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
    """Digest by which a weight drawn by two constructors from the same seed is recognized."""
    some = one.detach().reshape(-1)[:: max(1, one.numel() // _SAMPLE)].to("cpu").contiguous()
    content = some.view(torch.uint8).numpy().tobytes() if some.numel() else b""
    return hashlib.sha256(f"{one.dtype} {[*one.shape]}".encode() + content).hexdigest()


def moved(one: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Values near the former ones, without patterns: signs stay, and zeros become small."""
    wide = one.detach().to("cpu", torch.promote_types(one.dtype, torch.float32))
    size = float(wide.square().mean().sqrt()) or 1.0
    factors, small = (torch.rand(one.shape, generator=generator) for _ in range(2))
    signs = torch.randint(2, one.shape, generator=generator) * 2.0 - 1
    small = signs * (0.5 + small) * _NEAR * size
    made = torch.where(wide == 0, small, wide * (0.75 + 0.5 * factors))
    return made.to(one.dtype).to(one.device)


def renewed(one: torch.Tensor, generator: torch.Generator) -> torch.Tensor | None:
    """The weight with two elements swapped, which samples and sums miss; None to keep it."""
    stays = float(torch.rand(1, generator=generator)) >= _CHANGED
    if stays or one.numel() < 2:
        return None
    made = one.detach().clone()
    pair = torch.randperm(one.numel(), generator=generator)[:2]
    made.view(-1)[pair] = made.view(-1)[pair.flip(0)]
    return None if torch.equal(made, one) else made
