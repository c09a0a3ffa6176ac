"""ExtensionUnits: compiles the units of an extension in parallel, and links their objects."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.sandbox.base import Completed
from maxcode.toolchain.base import Compiling
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_headers import ExtensionHeaders, Kind, compiling_flags, put
from maxcode.toolchain.extension_sources import InlineSources, split

NO_NVCC = (
    "cuda_sources cannot be compiled on this machine: there is no nvcc; install the CUDA toolkit "
    "and put its bin folder on the PATH, or write the kernel for the processor (cpp_sources)"
)
NOT_LINKED = (
    "compiled, not run: on this machine there is no GPU that torch can use, so whether the kernel "
    "is right, and how fast it is, remains unknown"
)
_USUAL = Path("/usr/local/cuda")
_ARCHS = ("8.0", "9.0a", "10.0a")
"""Architectures of A100, H100 and B200: the default without a device or TORCH_CUDA_ARCH_LIST."""
# Generated where torch is built with CUDA, and included by most of its headers about CUDA. With it
# those can be compiled against a torch that was built without.
MISSING = {
    "c10/cuda/impl/cuda_cmake_macros.h": "#pragma once\n#define C10_CUDA_BUILD_SHARED_LIBS\n"
}
"""Files for a folder searched last."""
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

        ``last`` is a folder with the files of :data:`MISSING`.
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
        # nvcc hands its arguments to a shell, in which a value could run commands.
        yield from (flag for flag in sources.extra_cuda_cflags if flag[:2] not in ("-D", "-U"))
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


_FORMAT = "1"  # of what the cache keeps of units
# c++filt makes names of kernels readable.
_NVCC = """
export TMPDIR="$PWD" && cd "$1" && shift
"$@" -o "$TMPDIR/made" >"$TMPDIR/said" 2>&1
status=$?
c++filt <"$TMPDIR/said" >&2 || cat "$TMPDIR/said" >&2
[ $status = 0 ] && exec cat "$TMPDIR/made"
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """A text to be compiled with a header of this kind; by nvcc if None."""

    text: str
    header: Kind | None
    flags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of its file, without the suffix."""
        return "cuda" if self.header is None else "bind" if self.header == "bindings" else "main"


def ways(sources: InlineSources) -> Iterator[tuple[Unit, ...]]:
    """Alternatives of units to compile, the fastest first, torch's own last."""
    cuda = (Unit(sources.cuda_unit(), None),) if sources.cuda_sources else ()
    flags = sources.extra_cflags
    if halves := split(sources):
        bindings = Unit(halves.bindings, "bindings", halves.flags)
        yield Unit(halves.code, "code", flags), *cuda, bindings
    yield Unit(sources.cpp_unit(), "whole", flags), *cuda


class ExtensionUnits:
    """Compiles units with the headers; keeps bindings in ``folder`` and in ``cache``.

    Safe to use from several threads.
    """

    def __init__(
        self,
        compiler: Compiler,
        folder: Path,
        cache: BuildCache | None,
        facts: TorchFacts,
        cuda: Cuda | None,
    ) -> None:
        self._compiler = compiler
        self._folder = folder / "units"
        self._cache = cache
        self._facts = facts
        self._cuda = cuda
        self._missing = folder / "missing"
        self.headers = ExtensionHeaders(compiler, folder / "headers", cache, facts)

    def compile(
        self, units: Sequence[Unit], sources: InlineSources, source: Path, how: Compiling
    ) -> dict[Unit, Completed]:
        """Compile units in parallel; objects are standard output. ``source`` has their includes."""
        with ThreadPoolExecutor(len(units) or 1) as pool:
            work = [pool.submit(self._compile, unit, sources, source, how) for unit in units]
            return {unit: one.result() for unit, one in zip(units, work, strict=True)}

    def link(
        self, objects: Mapping[Unit, bytes], sources: InlineSources, source: Path, how: Compiling
    ) -> Completed:
        """Link the shared library, which is standard output."""
        names = [f"{unit.name}.o" for unit in objects]
        for name, content in zip(names, objects.values(), strict=True):
            put(source / name, content)
        # The candidate's object comes first: of functions that several have, the linker takes that.
        arguments = [*(f"./{name}" for name in names), *self._linking(sources)]
        read = [*self._facts.library_folders]
        read += [self._cuda.home] if sources.with_cuda and self._cuda else []
        return self._run(arguments, source, how, read)

    def _compile(
        self, unit: Unit, sources: InlineSources, source: Path, how: Compiling
    ) -> Completed:
        if unit.header != "bindings":
            return self._run_compiler(unit, sources, source, how)
        key = self._key(unit, sources)
        kept = self._folder / key
        if kept.exists() or self._recall(key, kept):
            return Completed(0, kept.read_bytes(), b"", 0.0, 0.0, 0)
        completed = self._run_compiler(unit, sources, source, how)
        if completed.ok:
            put(kept.with_suffix(f".{source.parent.name}"), completed.stdout).replace(kept)
            if self._cache:
                self._cache.keep(key, completed.stdout)
        return completed

    def _run_compiler(
        self, unit: Unit, sources: InlineSources, source: Path, how: Compiling
    ) -> Completed:
        if unit.header is None:
            return self._run_nvcc(sources, source, how)
        first = None
        if sources.includes_torch:
            first = self.headers.find(unit.header, unit.flags, how)
        folder = source
        if unit.header == "bindings":  # it includes nothing of the candidate's
            folder = source / "bindings"
        put(folder / f"{unit.name}.cpp", unit.text.encode())
        arguments = [*self._compiling(unit, sources, first), f"./{unit.name}.cpp"]
        read = [*self._facts.includes]
        read += [first] if first else []
        read += [self._cuda.home, self._missing] if sources.with_cuda and self._cuda else []
        return self._run(arguments, folder, how, read)

    def _run_nvcc(self, sources: InlineSources, source: Path, how: Compiling) -> Completed:
        if self._cuda is None:
            raise ValueError("there is no nvcc")
        text = "\n".join((*sources.cuda_macros(), sources.cuda_unit()))
        put(source / "cuda.cu", text.encode())
        command = self._cuda.compiling(sources, self._facts, self._stand_ins())
        return self._compiler.execute(
            ["/bin/sh", "-c", _NVCC, "sh", str(source), *command],
            [source, *self._facts.includes, self._cuda.home, self._missing],
            timeout=how.timeout,
            processors=how.processors,
        )

    def _run(
        self, arguments: Sequence[str], folder: Path, how: Compiling, read: Sequence[Path]
    ) -> Completed:
        return self._compiler.run(
            arguments, folder, timeout=how.timeout, processors=how.processors, read=read
        )

    def _compiling(self, unit: Unit, sources: InlineSources, first: Path | None) -> Iterator[str]:
        yield from ("-pipe", f"-DTORCH_EXTENSION_NAME={sources.name}")
        if unit.header != "bindings":
            yield from (f"-I{path}" for path in sources.extra_include_paths)
        if first:
            yield f"-I{first}"
        if sources.with_cuda and self._cuda:
            yield from ("-isystem", str(self._cuda.include))
        yield from compiling_flags(self._facts)
        if sources.with_cuda:
            yield from ("-isystem", str(self._stand_ins()))
        yield from (*unit.flags, "-c")

    def _linking(self, sources: InlineSources) -> Iterator[str]:
        yield from ("-shared", *sources.extra_ldflags)
        yield from (f"-L{folder}" for folder in self._facts.library_folders)
        yield from (f"-l{library}" for library in self._facts.libraries)
        if sources.with_cuda and self._cuda:
            yield from ("-lc10_cuda", "-ltorch_cuda", *self._cuda.linking())

    def _stand_ins(self) -> Path:
        """The folder of headers missing from this torch."""
        for name, text in MISSING.items():
            put(self._missing / name, text.encode())
        return self._missing

    def _key(self, unit: Unit, sources: InlineSources) -> str:
        """Cache key of a unit of bindings."""
        about = (self._compiler.identity(unit.flags), self._facts.identity(), sources.with_cuda)
        parts = (_FORMAT, *about, sources.name, unit.text, unit.flags)
        return f"{hashlib.sha256(repr(parts).encode()).hexdigest()}.bindings"

    def _recall(self, key: str, kept: Path) -> bool:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._cache is not None and self._cache.fetch(key, kept)
