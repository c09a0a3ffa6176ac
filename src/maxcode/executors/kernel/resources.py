"""What CUDA kernels take of a device, in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from maxcode.evaluation import KernelUse
from maxcode.toolchain.extension_resources import KernelResources

_MOST = 8  # kernels that are told of
_NAME = 100  # characters


def uses(resources: Sequence[KernelResources]) -> list[KernelUse]:
    """What the compiler says of kernels, each for the last architecture that it was told."""
    last = {one.kernel: one for one in resources}
    return [
        KernelUse(plain(one.kernel), one.registers, one.shared, one.spill_stores + one.spill_loads)
        for one in islice(last.values(), _MOST)
    ]


def described(use: KernelUse) -> str:
    """What a kernel takes of the device, in words."""
    said = f"{use.name}: {use.registers} registers a thread, {use.shared:,} B of shared memory"
    if use.spilled:
        said += f", {use.spilled:,} B of registers spilled to memory"
    if use.grid and use.block:
        grid, block = ("x".join(map(str, one)) for one in (use.grid, use.block))
        said += f", started with {grid} blocks of {block} threads"
    return said


def plain(text: Any) -> str:
    """A name of one line of ASCII; "?" for what is no text."""
    text = text[: 4 * _NAME] if isinstance(text, str) else "?"
    shown = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return shown if len(shown) <= _NAME else f"{shown[: _NAME - 3]}..."
