"""TorchFacts: facts of an installed torch needed to build its extensions."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from maxcode.errors import ToolError
from maxcode.evaluation import KernelUse

_SPECIFIC = 9  # the first major capability with instructions that only a suffix gives


def named_archs(text: str) -> tuple[str, ...]:
    """Compute capabilities of a TORCH_CUDA_ARCH_LIST; "native" adds none.

    They are separated by semicolons, spaces or commas. Raises
    :class:`~maxcode.errors.ToolError` for anything but numbers.
    """
    words = [one for one in re.split(r"[;,\s]+", text) if one not in ("", "native")]
    for word in words:
        if not _ARCH.fullmatch(word):
            raise ToolError(
                f"TORCH_CUDA_ARCH_LIST holds {word!r}; it takes numbers such as 9.0a or 9.0+PTX, "
                "separated by semicolons"
            )
    return tuple(dict.fromkeys(words))


def own_arch(capability: str) -> str:
    """Architecture to compile for, with all features of a device of this capability.

    From 9.0 on it takes a suffix: without it nvcc knows no ``wgmma`` and no ``setmaxnreg``.
    """
    return f"{capability}a" if int(capability.partition(".")[0]) >= _SPECIFIC else capability


_ARCH = re.compile(r"(\d+)\.(\d+)([af]?)(\+PTX)?")


@dataclass(frozen=True, slots=True)
class TorchFacts:
    """An installed torch, as reported by a trusted process that has imported it.

    ``includes`` are folders in torch's order, Python's last; ``libraries`` are names for the
    linker, found in ``library_folders``. ``flags`` are torch's further flags for g++. ``cuda`` is
    the CUDA version torch was built for; empty for none. ``archs`` are compute capabilities such as
    ``9.0``, perhaps with ``+PTX``.
    """

    version: str
    standard: str
    includes: tuple[Path, ...]
    library_folders: tuple[Path, ...]
    libraries: tuple[str, ...]
    flags: tuple[str, ...] = ()
    cuda: str = ""
    cuda_home: Path | None = None
    archs: tuple[str, ...] = ()

    @staticmethod
    def parse(answer: Mapping[str, Any]) -> TorchFacts:
        """Parse the result of :func:`~maxcode.toolchain.extension_inspect.torch_facts`.

        Raises :class:`~maxcode.errors.ToolError` for facts that cannot be true.
        """
        try:
            return _FACTS.validate_python(dict(answer))
        except ValidationError as error:
            raise ToolError(f"torch was described incompletely: {error}") from error

    def identity(self) -> str:
        """A digest that changes with this torch, or with its headers and libraries."""
        folders = [*self.includes, *self.library_folders]
        times = [f"{path} {os.stat(path).st_mtime_ns}" for path in folders if path.is_dir()]
        return hashlib.sha256(repr((self, times)).encode()).hexdigest()

    def arch_flags(self) -> Iterator[str]:
        """Options of nvcc for the architectures."""
        for arch in self.archs:
            if found := _ARCH.fullmatch(arch):
                number = f"{found[1]}{found[2]}{found[3]}"
                yield f"-gencode=arch=compute_{number},code=sm_{number}"
                if found[4]:
                    yield f"-gencode=arch=compute_{number},code=compute_{number}"

    def compiling(self) -> Iterator[str]:
        """Torch's own flags to g++ for every extension, except its name."""
        yield "-DTORCH_API_INCLUDE_EXTENSION_H"
        yield from self.flags
        for path in self.includes:
            yield from ("-isystem", str(path))
        yield from ("-fPIC", f"-std={self.standard}")


_FACTS = TypeAdapter(TorchFacts)


_KERNEL = re.compile(r"ptxas info\s*: Compiling entry function '(?P<name>.+)' for '(?P<arch>\w+)'")
_SPILLS = re.compile(
    r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
)
_USED = re.compile(r"ptxas info\s*: Used (?P<registers>\d+) registers(?P<others>.*)")
_OTHER = re.compile(r"(\d+)(?:\+\d+)? bytes (smem|lmem|cumulative stack size)")
_MAX_KERNELS = 256  # kernels that are reported
_NAME = 500  # characters


def resources(said: str) -> tuple[KernelUse, ...]:
    """Resources of kernels in the compiler's output for ``-Xptxas -v``, in its order."""
    return tuple(islice(_read(said), _MAX_KERNELS))


def _read(said: str) -> Iterator[KernelUse]:
    kernel: re.Match[str] | None = None
    spills: re.Match[str] | None = None
    for line in said.splitlines():
        if found := _KERNEL.match(line):
            kernel, spills = found, None
        elif kernel and (found := _SPILLS.match(line)):
            spills = found
        elif kernel and (found := _USED.match(line)):
            sizes = [(kind, int(size)) for size, kind in _OTHER.findall(found["others"])]
            # What functions take that it calls is in the cumulative size alone.
            local = max((size for kind, size in sizes if kind != "smem"), default=0)
            stack, stores, loads = map(int, spills.groups()) if spills else (0, 0, 0)
            yield KernelUse(
                kernel["name"][:_NAME],
                int(found["registers"]),
                sum(size for kind, size in sizes if kind == "smem"),
                stores + loads,
                local=local or stack,
                arch=kernel["arch"],
            )
            kernel = None
