"""The CUDA toolkit that extensions are compiled with, and what kernels need of a device."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
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
CUDA_STUBS = {
    "c10/cuda/impl/cuda_cmake_macros.h": "#pragma once\n#define C10_CUDA_BUILD_SHARED_LIBS\n"
}
"""Headers generated where torch is built with CUDA; with them, searched last, its headers about
CUDA can be compiled against a torch that was built without."""

_DEFAULT_HOME = Path("/usr/local/cuda")
_DEFAULT_ARCHS = ("8.0", "9.0+PTX")  # unless TORCH_CUDA_ARCH_LIST is set; later ones run the PTX
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
        homes = [nvcc.parent.parent, nvcc.resolve().parent.parent, _DEFAULT_HOME]
        home = next((one for one in homes if (one / "include/cuda_runtime.h").exists()), homes[1])
        return cls(home.resolve(), nvcc)

    @cached_property
    def identity(self) -> str:
        """Differs between toolkits and their versions."""
        version = subprocess.run(
            [self.nvcc, "--version"], capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
        return f"{self.home} {version.stdout.decode('utf-8', 'replace')}"

    @property
    def include(self) -> Path:
        """The folder of its headers."""
        return self.home / "include"

    def compile_command(
        self, sources: InlineSources, facts: TorchFacts, stubs: Path
    ) -> Iterator[str]:
        """The command for ``cuda.cu``, without its output; ``stubs`` holds :data:`CUDA_STUBS`."""
        yield from (str(self.nvcc), f"-DTORCH_EXTENSION_NAME={sources.name}")
        yield "-DTORCH_API_INCLUDE_EXTENSION_H"
        yield from facts.flags
        yield from (f"-I{path}" for path in sources.extra_include_paths)
        for path in (*facts.includes[:-1], self.include, facts.includes[-1], stubs):
            yield from ("-isystem", str(path))
        yield from _FLAGS
        if not any("arch" in flag for flag in sources.extra_cuda_cflags):
            yield from (facts if facts.archs else replace(facts, archs=_DEFAULT_ARCHS)).arch_flags()
        yield from sources.extra_cuda_cflags
        if not any(flag.startswith(("-std=", "--std=")) for flag in sources.extra_cuda_cflags):
            yield f"-std={facts.standard}"
        yield from ("-c", "./cuda.cu")

    def link_flags(self) -> Iterator[str]:
        """What links torch's libraries for CUDA and its runtime."""
        yield from ("-lc10_cuda", "-ltorch_cuda")
        folders = (self.home / name for name in ("lib64", "lib"))
        yield from (f"-L{one}" for one in islice(filter(Path.is_dir, folders), 1))
        yield "-lcudart"


_KERNEL = re.compile(r"ptxas info\s*: Compiling entry function '(?P<name>.+)' for '(?P<arch>\w+)'")
_SPILLS = re.compile(
    r"\s*(?P<stack>\d+) bytes stack frame, (?P<spill_stores>\d+) bytes spill stores, "
    r"(?P<spill_loads>\d+) bytes spill loads"
)
_USED = re.compile(r"ptxas info\s*: Used (?P<registers>\d+) registers(?P<others>.*)")
_OTHER = re.compile(r"(\d+)(?:\+\d+)? bytes (smem|lmem|cmem\[\d+\])")
_MAX_KERNELS = 256
_MAX_NAME = 500  # characters


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


def read_resources(output: str) -> tuple[KernelResources, ...]:
    """The kernels in the output of ``-Xptxas -v``, in its order; at most 256."""
    return tuple(islice(_read(output), _MAX_KERNELS))


def _read(output: str) -> Iterator[KernelResources]:
    kernel: re.Match[str] | None = None
    spills = dict[str, int]()
    for line in output.splitlines():
        if found := _KERNEL.match(line):
            kernel, spills = found, {}
        elif kernel and (found := _SPILLS.match(line)):
            spills = {name: int(size) for name, size in found.groupdict().items()}
        elif kernel and (found := _USED.match(line)):
            memory = [(kind, int(size)) for size, kind in _OTHER.findall(found["others"])]
            yield KernelResources(
                kernel["name"][:_MAX_NAME],
                kernel["arch"],
                int(found["registers"]),
                shared=sum(size for kind, size in memory if kind == "smem"),
                constant=sum(size for kind, size in memory if kind.startswith("cmem")),
                **spills,
            )
            kernel = None
