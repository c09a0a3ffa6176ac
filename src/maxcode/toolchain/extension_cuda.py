"""Cuda: the CUDA compiler and what torch would tell it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import InlineSources

NO_NVCC = (
    "cuda_sources cannot be compiled on this machine: there is no nvcc; install the CUDA toolkit "
    "and put its bin folder on the PATH, or write the kernel for the processor (cpp_sources)"
)
NOT_LINKED = (
    "compiled, not run: on this machine there is no GPU that torch can use, so whether the kernel "
    "is right, and how fast it is, remains unknown"
)
_USUAL = Path("/usr/local/cuda")
_ARCHS = ("8.0", "9.0+PTX")  # unless TORCH_CUDA_ARCH_LIST says others; later ones run the PTX
# Generated where torch is built with CUDA, and included by most of its headers about CUDA. With it
# those can be compiled against a torch that was built without.
MISSING = {
    "c10/cuda/impl/cuda_cmake_macros.h": "#pragma once\n#define C10_CUDA_BUILD_SHARED_LIBS\n"
}
"""Files for a folder that is searched last."""
_FLAGS = (
    *("-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__"),
    *("-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__"),
    *("--expt-relaxed-constexpr", "-Xcompiler=-fPIC", "-Xptxas=-v"),
)


@dataclass(frozen=True)
class Cuda:
    """A CUDA toolkit: the folder it is in, and the path of its compiler."""

    home: Path
    nvcc: Path

    @classmethod
    def find(cls, facts: TorchFacts) -> Cuda | None:
        """That which torch would take, or else the one on the PATH; None if there is none."""
        named = facts.cuda_home / "bin" / "nvcc" if facts.cuda_home else None
        on_path = shutil.which("nvcc")
        nvcc = named if named and named.exists() else Path(on_path) if on_path else None
        if nvcc is None:
            return None
        homes = [nvcc.parent.parent, nvcc.resolve().parent.parent, _USUAL]
        home = next((one for one in homes if (one / "include/cuda_runtime.h").exists()), homes[1])
        return cls(home.resolve(), nvcc)

    @cached_property
    def identity(self) -> str:
        """What tells this compiler from others."""
        said = subprocess.run(
            [self.nvcc, "--version"], capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
        return f"{self.home} {said.stdout.decode('utf-8', 'replace')}"

    @property
    def include(self) -> Path:
        """The folder of its headers."""
        return self.home / "include"

    def compiling(self, sources: InlineSources, facts: TorchFacts, last: Path) -> Iterator[str]:
        """The command that compiles ``cuda.cu``, but for where the result goes.

        ``last`` is a folder with what is :data:`MISSING`.
        """
        yield from (str(self.nvcc), f"-DTORCH_EXTENSION_NAME={sources.name}")
        yield "-DTORCH_API_INCLUDE_EXTENSION_H"
        yield from facts.flags
        yield from (f"-I{path}" for path in sources.extra_include_paths)
        for path in (*facts.includes[:-1], self.include, facts.includes[-1], last):
            yield from ("-isystem", str(path))
        yield from _FLAGS
        if not any("arch" in flag for flag in sources.extra_cuda_cflags):
            yield from (facts if facts.archs else replace(facts, archs=_ARCHS)).arch_flags()
        yield from sources.extra_cuda_cflags
        if not any(flag.startswith(("-std=", "--std=")) for flag in sources.extra_cuda_cflags):
            yield f"-std={facts.standard}"
        yield from ("-c", "./cuda.cu")

    def linking(self) -> Iterator[str]:
        """What links its runtime."""
        folder = next(
            (one for name in ("lib64", "lib") if (one := self.home / name).is_dir()), None
        )
        if folder:
            yield f"-L{folder}"
        yield "-lcudart"
