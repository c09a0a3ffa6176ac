"""ExtensionBuilder: builds what ``torch.utils.cpp_extension.load_inline`` is called with."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from pydantic import TypeAdapter

from maxcode.sandbox.base import Sandbox
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import CompileLimits, Compiler, complaint, exhausted, write_readable
from maxcode.toolchain.extension_build import ExtensionBuild, ExtensionTools
from maxcode.toolchain.extension_cuda import (
    NO_NVCC,
    NOT_LINKED,
    Cuda,
    KernelResources,
    read_resources,
)
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_headers import ExtensionHeaders
from maxcode.toolchain.extension_sources import InlineSources

_FORMAT = "3"  # of what the cache keeps of a build


@dataclass(frozen=True, slots=True)
class BuiltExtension:
    """The outcome of a build: the path of the shared library, or why there is none.

    ``compiled_only`` says that all was compiled, but torch on this machine has no CUDA to link
    with. ``resources`` has what CUDA kernels need of a device. ``seconds`` is what compilers took
    for this answer, without headers.
    """

    library: Path | None
    errors: str = ""
    timed_out: bool = False
    compiled_only: bool = False
    resources: tuple[KernelResources, ...] = ()
    seconds: float = field(default=0.0, compare=False)


class ExtensionBuilder:
    """Builds extensions for one torch in a sandbox, each once.

    The result behaves as that of torch's own way, with the same flags: not optimized unless the
    candidate asks for that. It comes sooner because of compiled headers, because what binds
    functions to Python is compiled apart and kept, and because of ``cache``, which is asked first
    and remembers what was built here, other than in a sandbox that is not isolated.
    ``folder`` is where libraries are kept; it belongs to the caller and is not to be one that
    others can write. Safe to use from several threads.

    Raises :class:`~maxcode.errors.ToolError` when there is no g++.
    """

    def __init__(
        self, sandbox: Sandbox, folder: Path, cache: BuildCache | None, facts: TorchFacts
    ) -> None:
        compiler = Compiler(sandbox)
        cache = cache if sandbox.isolated else None
        headers = ExtensionHeaders(compiler, folder / "headers", cache, facts)
        units = folder / "units"
        self._tools = ExtensionTools(compiler, facts, Cuda.find(facts), headers, units, cache)
        self._folder = folder
        self._built: dict[str, BuiltExtension] = {}
        self._locks: dict[str, Lock] = {}

    def build(
        self, sources: InlineSources, timeout: float, processors: tuple[int, ...] = ()
    ) -> BuiltExtension:
        """Compile and link, on ``processors`` (empty: any), in at most ``timeout`` seconds.

        Headers that are compiled for it have their own time. A second caller waits for a build
        that is under way; one that did not end in time is tried again.
        """
        if sources.with_cuda and self._tools.cuda is None:
            return BuiltExtension(None, NO_NVCC)
        key = self._key(sources)
        with self._locks.setdefault(key, Lock()):
            built = self._built.get(key)
            if built is not None and not built.timed_out:
                return built
            folder = self._folder / key[:24]
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
            library = folder / f"{sources.name}.so"
            limits = CompileLimits(timeout, processors)
            built = self._recall(key, library) or self._build(sources, key, library, limits)
            self._built[key] = replace(built, seconds=0.0)
            return built

    def _key(self, sources: InlineSources) -> str:
        tools = self._tools
        cuda = tools.cuda.identity if sources.with_cuda and tools.cuda else ""
        flags = (*sources.extra_cflags, *sources.extra_cuda_cflags)
        about = (_FORMAT, tools.compiler.identity(flags), tools.facts.identity(), cuda)
        return hashlib.sha256(repr((*about, sources)).encode()).hexdigest()

    def _build(
        self, sources: InlineSources, key: str, library: Path, limits: CompileLimits
    ) -> BuiltExtension:
        links = not sources.with_cuda or bool(self._tools.facts.cuda)
        source = library.parent / "src"
        for name, text in sources.parts().files.items():
            write_readable(source / name, text.encode(), source)
        build = ExtensionBuild(self._tools, sources, source, limits, links=links)
        try:
            completed = build.run()
        finally:
            shutil.rmtree(source)
        lasting = True
        if completed.timed_out:
            errors = f"the build did not end within {limits.timeout:g} s"
            found, lasting = BuiltExtension(None, errors, timed_out=True), False
        elif errors := exhausted(completed):
            found, lasting = BuiltExtension(None, errors), False
        elif not completed.ok:
            found = BuiltExtension(None, complaint(completed, sources.parts()))
            lasting = b"signal terminated" not in completed.stderr  # which may not happen again
        else:
            resources = read_resources(completed.stderr.decode("utf-8", "replace"))
            found = BuiltExtension(None, NOT_LINKED, compiled_only=True, resources=resources)
            if links:
                library.write_bytes(completed.stdout)
                library.chmod(0o644)
                found = BuiltExtension(library, resources=resources)
        if lasting:
            self._remember(key, found, completed.stdout)
        return replace(found, seconds=build.seconds)

    def _recall(self, key: str, library: Path) -> BuiltExtension | None:
        """The build in the cache, with its library at that path."""
        cache, record = self._tools.cache, library.with_suffix(".json")
        if cache is None or not cache.fetch(f"{key}.extension.json", record):
            return None
        built = TypeAdapter(BuiltExtension).validate_json(record.read_bytes())
        record.unlink()
        if built.library is None:
            return built
        if not cache.fetch(f"{key}.extension", library):
            return None
        library.chmod(0o644)
        return replace(built, library=library)

    def _remember(self, key: str, built: BuiltExtension, content: bytes) -> None:
        cache = self._tools.cache
        if cache is None:
            return
        if built.library:
            cache.keep(f"{key}.extension", content)
            built = replace(built, library=Path(built.library.name))
        cache.keep(f"{key}.extension.json", TypeAdapter(BuiltExtension).dump_json(built))
