"""ExtensionBuilder: builds what ``torch.utils.cpp_extension.load_inline`` is called with."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock

from maxcode.sandbox.base import Sandbox
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler
from maxcode.toolchain.diagnostics import complaint, exhausted
from maxcode.toolchain.extension_attempt import Attempt
from maxcode.toolchain.extension_cuda import NO_NVCC, NOT_LINKED, Cuda
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_resources import KernelResources, resources
from maxcode.toolchain.extension_sources import InlineSources
from maxcode.toolchain.extension_units import ExtensionUnits, ways
from maxcode.toolchain.headers import Compiling

_FORMAT = "2"  # of what the cache keeps of a build


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
        self._compiler = Compiler(sandbox)
        self._cache = cache if sandbox.isolated else None
        self._folder = folder
        self._facts = facts
        self._cuda = Cuda.find(facts)
        self._units = ExtensionUnits(self._compiler, folder, self._cache, facts, self._cuda)
        self._built: dict[str, BuiltExtension] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def expect(self, extra_cflags: Sequence[str] = ()) -> None:
        """Say that many extensions with these flags will be built: worth headers at once."""
        probe = {"name": "f", "cpp_sources": "int f();", "functions": "f"}
        units = next(ways(InlineSources.parse({**probe, "extra_cflags": [*extra_cflags]})))
        for unit in units:
            self._units.headers.expect(unit.header or "whole", unit.flags)

    def build(
        self, sources: InlineSources, timeout: float, processors: tuple[int, ...] = ()
    ) -> BuiltExtension:
        """Compile and link, on ``processors`` (empty: any), in at most ``timeout`` seconds.

        Headers that are compiled for it have their own time. Whoever asks for what is being built
        waits for that build; one that did not end in time is tried again.
        """
        if sources.with_cuda and self._cuda is None:
            return BuiltExtension(None, NO_NVCC)
        key = self._key(sources)
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            built = self._built.get(key)
            if built is not None and not built.timed_out:
                return built
            folder = self._folder / key[:24]
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
            built = self._recall(key, folder / f"{sources.name}.so")
            if built is None:
                built = self._make(sources, key, folder, Compiling(timeout, processors))
            self._built[key] = replace(built, seconds=0.0)
            return built

    def _key(self, sources: InlineSources) -> str:
        cuda = self._cuda.identity if sources.with_cuda and self._cuda else ""
        flags = (*sources.extra_cflags, *sources.extra_cuda_cflags)
        about = (_FORMAT, self._compiler.identity(flags), self._facts.identity(), cuda)
        return hashlib.sha256(repr((*about, sources)).encode()).hexdigest()

    def _make(
        self, sources: InlineSources, key: str, folder: Path, how: Compiling
    ) -> BuiltExtension:
        source = folder / "src"
        _write(sources, source)
        attempt = Attempt(self._units, sources, source, how, links=self._links(sources))
        try:
            completed = attempt.run()
        finally:
            shutil.rmtree(source)
        if completed.timed_out:
            errors = f"the build did not end within {how.timeout:g} s"
            return BuiltExtension(None, errors, timed_out=True, seconds=attempt.seconds)
        if errors := exhausted(completed):
            return BuiltExtension(None, errors, seconds=attempt.seconds)
        if not completed.ok:
            built = BuiltExtension(
                None, complaint(completed, sources.parts()), seconds=attempt.seconds
            )
            if b"signal terminated" not in completed.stderr:  # which may not happen again
                self._remember(key, built, b"")
            return built
        found = resources(completed.stderr.decode("utf-8", "replace"))
        if not self._links(sources):
            built = BuiltExtension(None, NOT_LINKED, compiled_only=True, resources=found)
        else:
            library = folder / f"{sources.name}.so"
            library.write_bytes(completed.stdout)
            library.chmod(0o644)
            built = BuiltExtension(library, resources=found)
        self._remember(key, built, completed.stdout)
        return replace(built, seconds=attempt.seconds)

    def _links(self, sources: InlineSources) -> bool:
        return not sources.with_cuda or bool(self._facts.cuda)

    def _recall(self, key: str, library: Path) -> BuiltExtension | None:
        """What the cache holds of a build."""
        record = library.with_suffix(".json")
        if self._cache is None or not self._cache.fetch(f"{key}.extension.json", record):
            return None
        told = json.loads(record.read_text())
        record.unlink()
        if told["linked"]:
            if not self._cache.fetch(f"{key}.extension", library):
                return None
            library.chmod(0o644)
        return BuiltExtension(
            library if told["linked"] else None,
            told["errors"],
            compiled_only=told["compiled_only"],
            resources=tuple(KernelResources(**one) for one in told["resources"]),
        )

    def _remember(self, key: str, built: BuiltExtension, content: bytes) -> None:
        if self._cache is None:
            return
        told = {
            "linked": built.library is not None,
            "errors": built.errors,
            "compiled_only": built.compiled_only,
            "resources": [asdict(one) for one in built.resources],
        }
        if built.library:
            self._cache.keep(f"{key}.extension", content)
        self._cache.keep(f"{key}.extension.json", json.dumps(told).encode())


def _write(sources: InlineSources, folder: Path) -> None:
    """Write the sources where compilers may read them as another user, too."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    for name, text in sources.parts().files.items():
        path = folder / name
        path.write_bytes(text.encode())
        path.chmod(0o644)
