"""Modules whose calls make the backward pass, too: for a reference and for a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from maxcode.executors.kernel.worker import tensors

_APART = 0x2545F491  # between the seeds of inputs and of gradients


class WithGradients(torch.nn.Module):
    """Mixin for a module's class, so its calls return gradients besides outputs.

    The last argument of a call is the list of gradients of its floating-point outputs. A call
    returns the outputs, the gradients of the floating-point tensors among the other arguments, and
    of parameters, in the order of ``_differentiated``. Unused tensors have zeros as gradients, and
    sparse gradients are made dense for comparison.
    """

    _differentiated: Sequence[str]

    def __call__(self, *arguments: Any) -> dict[str, Any]:
        """Make a forward and a backward pass."""
        *given, directions = arguments
        named = dict(self.named_parameters())
        if missing := [name for name in self._differentiated if name not in named]:
            raise RuntimeError(
                f"the gradient of parameter {missing[0]!r} is asked for, and there is none of that "
                "name"
            )
        weights = [named[name] for name in self._differentiated]
        with torch.enable_grad():
            given = tensors.mapped(given, _leaf)
            leaves = [one for one in _tensors(given) if one.requires_grad]
            outputs = super().__call__(*given)
            plain = tensors.mapped(outputs, torch.Tensor.detach)
            floating = [one for one in _tensors(outputs) if one.is_floating_point()]
            pairs = zip(floating, directions, strict=True)
            ends = [(one, way) for one, way in pairs if one.requires_grad]
            wanted = [*leaves, *weights]
            if ends and wanted:
                gradients = torch.autograd.grad(
                    [one for one, _ in ends],
                    wanted,
                    [way for _, way in ends],
                    allow_unused=True,
                    materialize_grads=True,
                )
                found = tuple(one.to_dense() if one.is_sparse else one for one in gradients)
            else:
                found = tuple(torch.zeros_like(one) for one in wanted)
        count = len(leaves)
        return {"outputs": plain, "inputs": [*found[:count]], "weights": [*found[count:]]}


def with_gradients(module: torch.nn.Module, names: Sequence[str]) -> torch.nn.Module:
    """The module itself, with calls that return gradients of the named parameters."""
    own = type(module)
    module.__class__ = type(own.__name__, (WithGradients, own), {"_differentiated": [*names]})
    return module


def floating_outputs(
    module: torch.nn.Module, given: Sequence[Any], device: str
) -> list[torch.Tensor]:
    """Floating-point outputs of a call; the module's state is restored."""
    with torch.no_grad(), tensors.buffers_kept(module):
        arguments = tensors.mapped(list(given), lambda one: one.clone().to(device))
        return [one for one in _tensors(module(*arguments)) if one.is_floating_point()]


def directions(outputs: Sequence[torch.Tensor], seed: int) -> list[torch.Tensor]:
    """Standard normal gradients of outputs, to start a backward pass."""
    torch.manual_seed(seed ^ _APART)
    return [torch.randn(one.shape).to(one.dtype) for one in outputs]


def _leaf(one: torch.Tensor) -> torch.Tensor:
    """A leaf on the same memory; it requires gradients if floating-point."""
    return one.detach().requires_grad_() if one.is_floating_point() else one


def _tensors(value: Any) -> list[torch.Tensor]:
    """The tensors of a nested value, as they are."""
    return [one for one in tree_leaves(value) if isinstance(one, torch.Tensor)]
