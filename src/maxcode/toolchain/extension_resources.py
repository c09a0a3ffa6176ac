"""KernelResources: what the CUDA compiler says that each kernel needs of a device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

_KERNEL = re.compile(r"ptxas info\s*: Compiling entry function '(?P<name>.+)' for '(?P<arch>\w+)'")
_SPILLS = re.compile(
    r"\s*(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, "
    r"(?P<loads>\d+) bytes spill loads"
)
_USED = re.compile(r"ptxas info\s*: Used (?P<registers>\d+) registers(?P<others>.*)")
_OTHER = re.compile(r"(\d+)(?:\+\d+)? bytes (smem|lmem|cmem\[\d+\])")
_MOST = 256  # kernels that are told of
_NAME = 500  # characters


@dataclass(frozen=True, slots=True)
class KernelResources:
    """One kernel on one architecture; memory in bytes, stack and spills for each thread."""

    kernel: str
    arch: str
    registers: int
    shared: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    constant: int = 0


def resources(said: str) -> tuple[KernelResources, ...]:
    """What ``-Xptxas -v`` made the compiler say, in its order."""
    return tuple(islice(_read(said), _MOST))


def _read(said: str) -> Iterator[KernelResources]:
    kernel: re.Match[str] | None = None
    spills: re.Match[str] | None = None
    for line in said.splitlines():
        if found := _KERNEL.match(line):
            kernel, spills = found, None
        elif kernel and (found := _SPILLS.match(line)):
            spills = found
        elif kernel and (found := _USED.match(line)):
            memory = [(kind, int(size)) for size, kind in _OTHER.findall(found["others"])]
            yield KernelResources(
                kernel["name"][:_NAME],
                kernel["arch"],
                int(found["registers"]),
                shared=sum(size for kind, size in memory if kind == "smem"),
                stack=int(spills["stack"]) if spills else 0,
                spill_stores=int(spills["stores"]) if spills else 0,
                spill_loads=int(spills["loads"]) if spills else 0,
                constant=sum(size for kind, size in memory if kind.startswith("cmem")),
            )
            kernel = None
