"""Device resources of CUDA kernels as reported by the compiler, and their description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from maxcode.evaluation import KernelUse
from maxcode.text import cut, in_ascii

_MAX_KERNELS = 8  # that are reported
_MAX_NOTED = 4  # in feedback of a kernel that passed
_MAX_NAME = 100  # characters


def kernel_uses(resources: Sequence[KernelUse]) -> list[KernelUse]:
    """Resources of each kernel, for the last architecture it was compiled for."""
    last = {one.name: one for one in resources}
    return [_shown(one) for one in islice(last.values(), _MAX_KERNELS)]


def kernel_text(use: KernelUse) -> str:
    """Text of a kernel's resources."""
    text = f"{use.name}: {use.registers} registers a thread, {use.shared:,} B of shared memory"
    if use.spilled:
        text += f", {use.spilled:,} B of registers spilled to memory"
    elif use.local:
        text += f", {use.local:,} B of local memory"
    return text + (f" on {use.arch}" if use.arch else "")


def needs(resources: Sequence[KernelUse], most: int = _MAX_KERNELS) -> Iterator[str]:
    """Resources of at most ``most`` kernels, for each architecture; kernels that spill first."""
    by_spilled = sorted(map(_shown, resources), key=lambda one: -one.spilled)
    return map(kernel_text, islice(by_spilled, most))


def note(resources: Sequence[KernelUse]) -> str:
    """Feedback on a candidate's kernels; "" without kernels."""
    found = list(needs(resources, _MAX_NOTED))
    return f"; compiled, {'; '.join(found)}" if found else ""


def plain(text: str) -> str:
    """A name in a line of ASCII."""
    return in_ascii(cut(text[: 4 * _MAX_NAME], _MAX_NAME))


def _shown(use: KernelUse) -> KernelUse:
    return replace(use, name=plain(use.name))
