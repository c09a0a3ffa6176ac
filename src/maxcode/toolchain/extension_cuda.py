"""Cuda: the CUDA toolkit, and its command to compile an extension's kernels."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.toolchain.compiler import put
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import InlineSources

NO_NVCC = (
    "cuda_sources cannot be compiled on this machine: there is no nvcc; install the CUDA toolkit "
    "and put its bin folder on the PATH, or write the kernel for the processor (cpp_sources)"
)
_USUAL = Path("/usr/local/cuda")
_ARCHS = ("8.0", "9.0a", "10.0a")
"""Architectures of A100, H100 and B200: the default without a device or TORCH_CUDA_ARCH_LIST."""
# Generated where torch is built with CUDA, and included by most of its headers about CUDA. With it
# those can be compiled against a torch that was built without.
_MISSING = {
    "c10/cuda/impl/cuda_cmake_macros.h": "#pragma once\n#define C10_CUDA_BUILD_SHARED_LIBS\n"
}
_FLAGS = (
    *("-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__"),
    *("-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__"),
    *("--expt-relaxed-constexpr", "-Xcompiler=-fPIC", "-Xptxas=-v"),
)


@dataclass(frozen=True)
class Cuda:
    """A CUDA toolkit: its folder, and the path of its compiler."""

    home: Path
    nvcc: Path

    @classmethod
    def find(cls, facts: TorchFacts) -> Cuda | None:
        """Torch's choice of toolkit, else the PATH's; None if there is neither."""
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
        """Identification of this compiler: its folder and version."""
        return f"{self.home} {self._output('--version')}"

    @cached_property
    def version(self) -> str:
        """Version of the toolkit, such as 13.0; "" if unknown."""
        found = re.search(r"release (\d+\.\d+)", self.identity)
        return found[1] if found else ""

    @cached_property
    def archs(self) -> tuple[str, ...]:
        """Default architectures: A100, H100 and B200, if the compiler knows them."""
        listed = self._output("--list-gpu-code").split()
        known = [one for one in _ARCHS if f"sm_{one.rstrip('a').replace('.', '')}" in listed]
        return tuple(known or _ARCHS[:2])  # an nvcc that has no such option, before 11.5

    def _output(self, option: str) -> str:
        done = subprocess.run(
            [self.nvcc, option], capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
        return done.stdout.decode("utf-8", "replace")

    def check(self, facts: TorchFacts) -> None:
        """Raise :class:`~maxcode.errors.ToolError` if torch cannot run its output.

        Only the major versions are compared, as in torch's own check.
        """
        ours, theirs = (one.partition(".")[0] for one in (self.version, facts.cuda))
        if ours and theirs and ours != theirs:
            raise ToolError(
                f"{self.nvcc} is of CUDA {self.version}, and torch is built for {facts.cuda}: "
                "install that toolkit, or name it by CUDA_HOME"
            )

    @property
    def include(self) -> Path:
        """The folder of its headers."""
        return self.home / "include"

    def compiling(self, sources: InlineSources, facts: TorchFacts, last: Path) -> Iterator[str]:
        """The command to compile ``cuda.cu``, without the output option.

        ``last`` is a folder with the files of headers missing from this torch.
        """
        yield from (str(self.nvcc), f"-DTORCH_EXTENSION_NAME={sources.name}")
        yield "-DTORCH_API_INCLUDE_EXTENSION_H"
        yield from facts.flags
        yield from (f"-I{path}" for path in sources.extra_include_paths)
        for path in (*facts.includes[:-1], self.include, facts.includes[-1], last):
            yield from ("-isystem", str(path))
        yield from _FLAGS
        if not any("arch" in flag for flag in sources.extra_cuda_cflags):
            yield from (facts if facts.archs else replace(facts, archs=self.archs)).arch_flags()
        yield from sources.extra_cuda_cflags
        if not any(flag.startswith(("-std=", "--std=")) for flag in sources.extra_cuda_cflags):
            yield f"-std={facts.standard}"
        yield from ("-c", "./cuda.cu")

    def linking(self) -> Iterator[str]:
        """Flags to link its runtime."""
        folder = next(
            (one for name in ("lib64", "lib") if (one := self.home / name).is_dir()), None
        )
        if folder:
            yield f"-L{folder}"
        yield "-lcudart"


def stand_ins(folder: Path) -> Path:
    """The folder with headers missing from a torch built without CUDA."""
    for name, text in _MISSING.items():
        put(folder / name, text.encode())
    return folder
