"""Sizes beside those of a task's variants, for inputs that a candidate has not been tried on."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from random import Random

from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.tasks.reference import PythonSource, values_of


def varied_sizes(task: KernelTask, variants: Sequence[Variant]) -> Mapping[str, Sequence[int]]:
    """Whole numbers that the variants set to several values, with all of these in order.

    A task whose variants have one size each promises no other, and a kernel may rely on that.
    """
    source = PythonSource.parse(task.reference, f"the reference of task {task.name!r}")
    names = sorted({name for variant in variants for name, _ in variant.constants})
    found: dict[str, Sequence[int]] = {}
    for name in names:
        own = _own(source, name)
        values = {dict(variant.constants).get(name, own) for variant in variants}
        sizes = [value for value in values if type(value) is int and value > 0]
        if len(sizes) == len(values) > 1:
            found[name] = sorted(sizes)
    return found


def _own(source: PythonSource, name: str) -> object:
    """What the reference sets it to; None if that is no plain value."""
    try:
        return ast.literal_eval([*values_of(source, name)][-1])
    except (ValueError, IndexError):
        return None


def further(
    sizes: Mapping[str, Sequence[int]], variants: Sequence[Variant], random: Random
) -> Variant:
    """One of the variants with sizes of its own, within what the variants have."""
    variant = random.choice(list(variants))
    # Equally in logarithms: small ones take less time, and have more corners.
    drawn = {
        name: round(values[0] * (values[-1] / values[0]) ** random.random())
        for name, values in sizes.items()
    }
    constants = {**dict(variant.constants), **drawn}
    return Variant("further sizes", tuple(constants.items()), variant.distribution)
