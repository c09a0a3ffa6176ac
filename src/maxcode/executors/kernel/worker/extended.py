"""Modules whose calls return gradients and changed buffers, too: of a reference and a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from maxcode.executors.kernel.worker import tensors

_APART = 0x2545F491  # between the seeds of inputs and of gradients


class Extended(torch.nn.Module):
    """Mixin for a module's class, so its calls return more than outputs.

    First ``outputs``, at the end the ``_changed`` buffers as ``state``. Unless ``_differentiated``
    is None, calls make the backward pass, too, from their last argument, the gradients of
    floating-point outputs. They return gradients of floating-point arguments and of the parameters
    ``_differentiated``: dense, and zeros for unused tensors.
    """

    _differentiated: Sequence[str] | None
    _changed: Sequence[str]

    def __call__(self, *arguments: Any) -> dict[str, Any]:
        """Make a call. Raises RuntimeError if a parameter or buffer of these names is missing."""
        if self._differentiated is None:
            found = {"outputs": super().__call__(*arguments)}
        else:
            found = self._with_gradients(self._differentiated, *arguments)
        known = dict(self.named_buffers(remove_duplicate=False)) if self._changed else {}
        return {**found, "state": _named(known, self._changed, "the new value of buffer")}

    def _with_gradients(self, names: Sequence[str], *arguments: Any) -> dict[str, Any]:
        """Make a forward and a backward pass."""
        *given, directions = arguments
        weights = _named(dict(self.named_parameters()), names, "the gradient of parameter")
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


def extended(
    module: torch.nn.Module, differentiated: Sequence[str] | None, changed: Sequence[str]
) -> torch.nn.Module:
    """The module itself, with calls that return what is named besides outputs, if anything."""
    if differentiated is not None or changed:
        own, more = type(module), {"_differentiated": differentiated, "_changed": changed}
        module.__class__ = type(own.__name__, (Extended, own), more)
    return module


def changed_buffers(module: torch.nn.Module) -> Sequence[str]:
    """Names of the buffers that an extended module returns, after all other tensors."""
    return module._changed if isinstance(module, Extended) else ()


def output_names(module: torch.nn.Module, given: Sequence[Any], count: int) -> list[str]:
    """Names of ``count`` tensors returned by a call with these arguments."""
    more: list[str] = []
    if isinstance(module, Extended) and module._differentiated is not None:
        found = zip(input_names(given[:-1]), tensors.flat(list(given[:-1])), strict=True)
        wanted = [name for name, one in found if one.is_floating_point()]
        wanted += [f"parameter {name!r}" for name in module._differentiated]
        more = [f"the gradient of {name}" for name in wanted]
    more += [f"buffer {name!r} after the call" for name in changed_buffers(module)]
    own = count - len(more)
    return [*(["the output"] if own == 1 else [f"output {n}" for n in range(own)]), *more]


def input_names(given: Sequence[Any]) -> list[str]:
    """Names of the tensors among arguments, by the position of the argument."""
    found = []
    for number, one in enumerate(given):
        count = len(tensors.flat(one))
        found += [f"input {number}" + (f"[{n}]" if count > 1 else "") for n in range(count)]
    return found


def directions(outputs: Sequence[torch.Tensor], seed: int) -> list[torch.Tensor]:
    """Standard normal gradients of outputs, to start a backward pass."""
    torch.manual_seed(seed ^ _APART)
    return [torch.randn(one.shape).to(one.dtype) for one in outputs]


def _named(
    known: Mapping[str, torch.Tensor], names: Sequence[str], what: str
) -> list[torch.Tensor]:
    if missing := [name for name in names if name not in known]:
        name = missing[0]
        raise RuntimeError(f"{what} {name!r} is asked for, and there is none of that name")
    return [known[name] for name in names]


def _leaf(one: torch.Tensor) -> torch.Tensor:
    """A leaf on the same memory; it requires gradients if floating-point."""
    return one.detach().requires_grad_() if one.is_floating_point() else one


def _tensors(value: Any) -> list[torch.Tensor]:
    """The tensors of a nested value, as they are."""
    return [one for one in tree_leaves(value) if isinstance(one, torch.Tensor)]
