"""Drawing inputs: floating-point tensors with other values in the same shapes."""

from __future__ import annotations

from typing import Any

import torch

from maxcode.executors.kernel.worker import tensors


def drawn(value: Any, distribution: str) -> Any:
    """A nested value with its floating-point tensors drawn anew, unless it is "task".

    See :data:`maxcode.tasks.kernel.DISTRIBUTIONS`. Random numbers come from torch's generator.
    """
    if distribution == "task":
        return value

    def anew(one: torch.Tensor) -> torch.Tensor:
        if not one.is_floating_point():
            return one
        return _values(one.shape, distribution).to(one.dtype)

    return tensors.mapped(value, anew)


def _values(shape: torch.Size, distribution: str) -> torch.Tensor:
    if distribution == "normal":
        return torch.randn(shape)
    if distribution == "uniform":
        return 2 * torch.rand(shape) - 1
    if distribution == "positive":
        return torch.rand(shape) + 0.5
    if distribution == "shifted":
        return torch.randn(shape) + 100
    if distribution == "mixed-scale":
        return torch.randn(shape) * 10 ** (4 * torch.rand(shape) - 2)
    raise ValueError(f"unknown distribution {distribution!r}")
