"""ExtensionBuilder: builds ``torch.utils.cpp_extension.load_inline`` calls."""

from __future__ import annotations

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from pydantic import TypeAdapter

from maxcode.evaluation import KernelUse
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import (
    Compiler,
    Compiling,
    exhausted,
    problem,
    put,
    readable,
)
from maxcode.toolchain.extension_cuda import NO_NVCC, Cuda, stand_ins
from maxcode.toolchain.extension_facts import TorchFacts, resources
from maxcode.toolchain.extension_sources import TORCH, InlineSources
from maxcode.toolchain.headers import Headers

_FORMAT = "8"  # of what the cache keeps of a build
NOT_LINKED = (
    "compiled, not run: on this machine there is no GPU that torch can use, so whether the kernel "
    "is right, and how fast it is, remains unknown"
)
# c++filt makes names of kernels readable.
_NVCC = """
export TMPDIR="$PWD" && cd "$1" && shift
"$@" -o "$TMPDIR/made" >"$TMPDIR/said" 2>&1
status=$?
c++filt <"$TMPDIR/said" >&2 || cat "$TMPDIR/said" >&2
[ $status = 0 ] && exec cat "$TMPDIR/made"
"""


@dataclass(frozen=True, slots=True)
class BuiltExtension:
    """Outcome of a build: the path of the shared library, or the errors.

    ``compiled_only`` is set if everything compiled, but torch on this machine has no CUDA to link
    with. ``resources`` are the CUDA kernels' device resources. ``seconds`` is the compilers' time
    for this answer, without headers.
    """

    library: Path | None
    errors: str = ""
    timed_out: bool = False
    compiled_only: bool = False
    resources: tuple[KernelUse, ...] = ()
    seconds: float = field(default=0.0, compare=False)


_STORED = TypeAdapter(BuiltExtension)


class ExtensionBuilder:
    """Builds extensions for one torch in a sandbox, each once.

    The result behaves like torch's own, with the same flags: not optimized unless the candidate
    asks for it. It is faster because of a precompiled header, and because of ``cache``, which is
    asked first and keeps builds of an isolated sandbox. ``folder`` is for libraries; it belongs to
    the caller and must not be writable by others. Safe to use from several threads.

    Raises :class:`~maxcode.errors.ToolError` if there is no g++.
    """

    def __init__(
        self, sandbox: Sandbox, folder: Path, cache: BuildCache | None, facts: TorchFacts
    ) -> None:
        self._compiler = Compiler(sandbox)
        self._cache = cache if sandbox.isolated else None
        self._folder = folder
        self._facts = facts
        self._cuda = Cuda.find(facts)
        self._toolkit = [self._cuda.home] if self._cuda else []
        about = facts.identity()
        self._headers = Headers(
            self._compiler,
            folder / "headers",
            facts.compiling(),
            facts.includes,
            self._cache,
            about,
        )
        self._about = (_FORMAT, about, self._cuda.identity if self._cuda else "")
        self._stand_ins = stand_ins(folder / "missing")
        self._built: dict[str, BuiltExtension] = {}
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)

    def build(
        self, sources: InlineSources, timeout: float, processors: tuple[int, ...] = ()
    ) -> BuiltExtension:
        """Compile and link, on ``processors`` (empty: any), in at most ``timeout`` seconds.

        Raises :class:`~maxcode.errors.ToolError` for an nvcc of another CUDA version than torch's.
        Headers compiled for it have their own time. Callers wait for a running build of the same
        sources; a timed-out build is tried again.
        """
        if sources.with_cuda:
            if self._cuda is None:
                return BuiltExtension(None, NO_NVCC)
            self._cuda.check(self._facts)
        flags = (*sources.extra_cflags, *sources.extra_cuda_cflags)
        about = (*self._about, self._compiler.identity(flags), sources)
        key = hashlib.sha256(repr(about).encode()).hexdigest()
        with self._locks[key]:
            built = self._built.get(key)
            if built is not None and not built.timed_out:
                return built
            library = self._folder / key[:24] / f"{sources.name}.so"
            readable(library.parent)
            built = self._recall(key, library)
            if built is None:
                built = self._make(sources, key, library, Compiling(timeout, processors))
            self._built[key] = replace(built, seconds=0.0)
            return built

    def _make(
        self, sources: InlineSources, key: str, library: Path, how: Compiling
    ) -> BuiltExtension:
        source = library.parent / "src"
        for name, text in sources.parts().items():  # of which g++ shows lines
            put(source / name, text.encode())
        try:
            done = self._run(sources, source, how)
        finally:
            shutil.rmtree(source)
        if errors := problem(done, how):
            return BuiltExtension(None, errors, done.timed_out, seconds=done.wall)
        said = done.stderr.decode("utf-8", "replace")
        built = BuiltExtension(None, resources=resources(said), seconds=done.wall)
        if self._links(sources):
            built = replace(built, library=put(library, done.stdout))
        else:
            built = replace(built, errors=NOT_LINKED, compiled_only=True)
        if self._cache:
            record = _STORED.dump_json(replace(built, seconds=0.0))
            self._cache.keep(f"{key}.extension", record + b"\n" + done.stdout)
        return built

    def _run(self, sources: InlineSources, source: Path, how: Compiling) -> Completed:
        """Compile the sources of C++ and of CUDA in parallel, and link.

        Returns the library as standard output and compilers' messages as error; ``wall`` is the
        time of all, in which parallel compilers count once.
        """
        compilers = [self._compile_cpp, *([self._compile_cuda] if sources.cuda_sources else [])]
        with ThreadPoolExecutor(len(compilers)) as pool:
            work = [pool.submit(compiler, sources, source, how) for compiler in compilers]
            objects = [one.result() for one in work]
        wall = max(one.wall for one in objects)
        said = b"".join(one.stderr for one in objects)
        if failed := [one for one in objects if not one.ok]:
            telling = [one for one in failed if not one.timed_out and not exhausted(one)] or failed
            stderr = b"".join(one.stderr for one in telling)
            return replace(telling[0], stderr=stderr, wall=wall)
        if not self._links(sources):
            return Completed(0, b"", said, wall, 0.0, 0)
        names = [f"./{number}.o" for number in range(len(objects))]
        for name, one in zip(names, objects, strict=True):
            put(source / name, one.stdout)
        left = replace(how, timeout=max(0.1, how.timeout - wall))
        arguments = [*names, *self._linking(sources)]
        read = [*self._facts.library_folders, *self._toolkit]
        linked = self._compiler.run(arguments, source, left, read)
        said = said + linked.stderr if linked.ok else linked.stderr
        return replace(linked, stderr=said, wall=wall + linked.wall)

    def _compile_cpp(self, sources: InlineSources, source: Path, how: Compiling) -> Completed:
        unit = sources.cpp_unit()
        put(source / "main.cpp", unit.encode())
        torch = "" if sources.no_implicit_headers else TORCH
        header = self._headers.find(torch, sources.extra_cflags, how)
        arguments = ["-pipe", f"-DTORCH_EXTENSION_NAME={sources.name}"]
        arguments += ["-include", str(header)] if header else []
        arguments += [f"-I{path}" for path in sources.extra_include_paths]
        arguments += self._facts.compiling()
        if sources.with_cuda and self._cuda:
            arguments += ["-isystem", str(self._cuda.include), "-isystem", str(self._stand_ins)]
        arguments += [*sources.extra_cflags, "-c", "./main.cpp"]
        read = [*self._facts.includes, self._stand_ins, *([header.parent] if header else [])]
        return self._compiler.run(arguments, source, how, [*read, *self._toolkit])

    def _compile_cuda(self, sources: InlineSources, source: Path, how: Compiling) -> Completed:
        if self._cuda is None:
            raise ValueError("there is no nvcc")
        put(source / "cuda.cu", sources.cuda_unit().encode())
        nvcc = self._cuda.compiling(sources, self._facts, self._stand_ins)
        command = ["/bin/sh", "-c", _NVCC, "sh", str(source), *nvcc]
        read = [source, *self._facts.includes, self._cuda.home, self._stand_ins]
        return self._compiler.execute(command, read, how)

    def _linking(self, sources: InlineSources) -> Iterator[str]:
        yield from ("-shared", *sources.extra_ldflags)
        yield from (f"-L{folder}" for folder in self._facts.library_folders)
        yield from (f"-l{library}" for library in self._facts.libraries)
        if sources.with_cuda and self._cuda:
            yield from ("-lc10_cuda", "-ltorch_cuda", *self._cuda.linking())

    def _links(self, sources: InlineSources) -> bool:
        return not sources.with_cuda or bool(self._facts.cuda)

    def _recall(self, key: str, library: Path) -> BuiltExtension | None:
        """The build in the cache."""
        kept = self._cache.fetch(f"{key}.extension") if self._cache else None
        if kept is None:
            return None
        record, _, content = kept.partition(b"\n")
        built = _STORED.validate_json(record)
        return replace(built, library=put(library, content)) if built.library else built
