"""Which inputs, weights and buffers nobody sees with other values, in words.

A candidate may leave out the work that they stand for, so verdicts and audits name them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import torch

from maxcode.executors.kernel.worker import effects, tensors, varying
from maxcode.executors.kernel.worker.weights import changeable

_NAMED = 8  # of what a remark is about
_SHOWN = 40  # characters of an argument


def inputs(
    given: Sequence[Any], traits: Sequence[varying.Trait], *, anew: bool, shuffled: bool
) -> Iterator[str]:
    """Which inputs stay the same, or keep a structure or a range.

    ``anew`` is whether those that are always the same are varied, and ``shuffled`` whether masks
    are.
    """
    found = zip(effects.names(given), tensors.flat(given), traits, strict=True)
    for name, one, trait in found:
        if shuffled and trait.mask:
            continue
        if trait.same and (not anew or varying.anew(one, trait, 1) is one):
            yield f"{name} was never drawn otherwise"
        elif trait.structure:
            yield f"{name} is always {trait.structure}"
        if trait.range:
            yield f"{name} was {trait.range}"


def plain_arguments(drawn: Sequence[Sequence[Any]]) -> Iterator[str]:
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


def weights(module: torch.nn.Module) -> Iterator[str]:
    """Which weights have the same number in all places, so that leaving some out is not seen."""
    named = module.named_parameters()
    alike = [name for name, one in named if one.numel() > 1 and effects.is_alike(one)]
    if alike:
        yield f"each of these weights is one number: {_listed(alike)}"


def buffers(module: torch.nn.Module, fixed: Collection[str], *, moved: bool) -> Iterator[str]:
    """Which buffers of several elements are always the same.

    ``fixed`` are those that a constructor makes so; when weights are ``moved``, some become others.
    """
    changed = dict(changeable(module)) if moved else ()
    found = [
        name
        for name, one in module.named_buffers()
        if name in fixed and name not in changed and one.numel() > 1
    ]
    if found:
        yield f"buffers that begin the same each time: {_listed(found)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
