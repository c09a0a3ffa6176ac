"""Device resources of CUDA kernels as reported by the compiler, and their description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from maxcode.evaluation import KernelUse
from maxcode.text import cut, in_ascii
from maxcode.toolchain.extension_facts import KernelResources

_MAX_KERNELS = 8  # that are reported
_MAX_NOTED = 4  # in feedback of a kernel that passed
_MAX_NAME = 100  # characters


def kernel_uses(resources: Sequence[KernelResources]) -> list[KernelUse]:
    """Resources of each kernel, for the last architecture it was compiled for."""
    last = {one.kernel: one for one in resources}
    return [_use(one) for one in islice(last.values(), _MAX_KERNELS)]


def kernel_text(use: KernelUse) -> str:
    """Text of a kernel's resources."""
    text = f"{use.name}: {use.registers} registers a thread, {use.shared:,} B of shared memory"
    if use.spilled:
        text += f", {use.spilled:,} B of registers spilled to memory"
    elif use.local:
        text += f", {use.local:,} B of local memory"
    return text + (f" on {use.arch}" if use.arch else "")


def needs(resources: Sequence[KernelResources], most: int = _MAX_KERNELS) -> Iterator[str]:
    """Resources of at most ``most`` kernels, for each architecture; kernels that spill first."""
    by_spilled = sorted(map(_use, resources), key=lambda one: -one.spilled)
    return map(kernel_text, islice(by_spilled, most))


def note(resources: Sequence[KernelResources]) -> str:
    """Feedback on a candidate's kernels; "" without kernels."""
    found = list(needs(resources, _MAX_NOTED))
    return f"; compiled, {'; '.join(found)}" if found else ""


def plain(text: str) -> str:
    """A name in a line of ASCII."""
    return in_ascii(cut(text[: 4 * _MAX_NAME], _MAX_NAME))


def _use(one: KernelResources) -> KernelUse:
    sizes = one.registers, one.shared, one.spill_stores + one.spill_loads
    return KernelUse(plain(one.kernel), *sizes, local=one.stack, arch=one.arch)
