"""TorchFacts: what must be known of an installed torch to build extensions for it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from maxcode.errors import ToolError

_STANDARD = re.compile(r"c\+\+\d\d")
_LIBRARY = re.compile(r"[\w.+-]+", re.ASCII)
_ARCH = re.compile(r"(\d+)\.(\d+)([af]?)(\+PTX)?")


@dataclass(frozen=True, slots=True)
class TorchFacts:
    """An installed torch, as described by a trusted process that has imported it.

    ``includes`` are folders in the order that torch gives them, Python's last; ``libraries`` are
    names as the linker takes them, to be found in ``library_folders``. ``flags`` are those that
    torch gives to g++ besides. ``cuda`` is the version of CUDA that torch was built for; none if
    that is empty. ``archs`` are compute capabilities such as ``9.0``, perhaps with ``+PTX``.
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

    @classmethod
    def parse(cls, described: Mapping[str, Any]) -> TorchFacts:
        """From what :func:`~maxcode.toolchain.extension_inspect.torch_facts` returns.

        Raises :class:`~maxcode.errors.ToolError` for what cannot be true of an installed torch.
        """
        try:
            facts = TypeAdapter(TorchFacts).validate_python(
                {**described, "cuda_home": described.get("cuda_home") or None}
            )
        except ValidationError as error:
            raise ToolError(f"torch was described incompletely: {error}") from error
        if problem := next(facts._problems(), ""):
            raise ToolError(f"extensions for torch {facts.version} cannot be built: {problem}")
        return facts

    def identity(self) -> str:
        """A digest that changes when this torch, or what it is built with, does."""
        folders = [*self.includes, *self.library_folders]
        times = [f"{path} {os.stat(path).st_mtime_ns}" for path in folders if path.is_dir()]
        parts = (self.version, self.standard, self.cuda, str(self.cuda_home))
        lists = (*self.libraries, "", *self.flags, "", *self.archs, "", *times)
        return hashlib.sha256("\n".join((*parts, *lists)).encode()).hexdigest()

    def _problems(self) -> Iterator[str]:
        if not _STANDARD.fullmatch(self.standard):
            yield f"it wants the language {self.standard!r}, which is none of C++"
        for path in (*self.includes, *self.library_folders):
            if not path.is_absolute() or not path.is_dir():
                yield f"there is no folder {path}; install torch again, and Python's headers"
        for library in self.libraries:
            if not _LIBRARY.fullmatch(library):
                yield f"{library!r} is not the name of a library"
        for arch in self.archs:
            if not _ARCH.fullmatch(arch):
                yield f"TORCH_CUDA_ARCH_LIST holds {arch!r}; it takes numbers such as 9.0+PTX"

    def compile_flags(self) -> Iterator[str]:
        """What torch itself gives to g++ for every extension, but its name."""
        yield "-DTORCH_API_INCLUDE_EXTENSION_H"
        yield from self.flags
        for path in self.includes:
            yield from ("-isystem", str(path))
        yield from ("-fPIC", f"-std={self.standard}")

    def arch_flags(self) -> Iterator[str]:
        """The flags of nvcc for the architectures."""
        for found in filter(None, map(_ARCH.fullmatch, self.archs)):
            number = f"{found[1]}{found[2]}{found[3]}"
            yield f"-gencode=arch=compute_{number},code=sm_{number}"
            if found[4]:
                yield f"-gencode=arch=compute_{number},code=compute_{number}"
