"""ExtensionBuilder: builds ``torch.utils.cpp_extension.load_inline`` calls."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from pydantic import TypeAdapter

from maxcode.sandbox.base import Completed, Sandbox
from maxcode.toolchain.base import Compiling
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler, complaint, exhausted
from maxcode.toolchain.extension_facts import KernelResources, TorchFacts, resources
from maxcode.toolchain.extension_headers import put, readable
from maxcode.toolchain.extension_sources import BINDINGS, GETTER, InlineSources
from maxcode.toolchain.extension_units import NO_NVCC, NOT_LINKED, Cuda, ExtensionUnits, Unit, ways

_FORMAT = "4"  # of what the cache keeps of a build


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
    resources: tuple[KernelResources, ...] = ()
    seconds: float = field(default=0.0, compare=False)


_STORED = TypeAdapter(BuiltExtension)


class ExtensionBuilder:
    """Builds extensions for one torch in a sandbox, each once.

    The result behaves like torch's own, with the same flags: not optimized unless the candidate
    asks for it. It is faster because of compiled headers, because the bindings to Python are
    compiled separately and kept, and because of ``cache``, which is asked first and keeps builds of
    an isolated sandbox.

    ``folder`` is for libraries; it belongs to the caller and must not be writable by others. Safe
    to use from several threads.

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
        self._units = ExtensionUnits(self._compiler, folder, self._cache, facts, self._cuda)
        self._built: dict[str, BuiltExtension] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def build(
        self, sources: InlineSources, timeout: float, processors: tuple[int, ...] = ()
    ) -> BuiltExtension:
        """Compile and link, on ``processors`` (empty: any), in at most ``timeout`` seconds.

        Raises :class:`~maxcode.errors.ToolError` for an nvcc of another CUDA version than torch's.
        Headers compiled for it have their own time. Callers wait for a running build of the same
        sources; a timed-out build is tried again.
        """
        if sources.with_cuda and self._cuda is None:
            return BuiltExtension(None, NO_NVCC)
        if sources.with_cuda and self._cuda:
            self._cuda.check(self._facts)
        key = self._key(sources)
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            built = self._built.get(key)
            if built is not None and not built.timed_out:
                return built
            folder = self._folder / key[:24]
            readable(folder)
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
        for name, text in sources.parts().files.items():
            put(source / name, text.encode())
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
            library = put(folder / f"{sources.name}.so", completed.stdout)
            built = BuiltExtension(library, resources=found)
        self._remember(key, built, completed.stdout)
        return replace(built, seconds=attempt.seconds)

    def _links(self, sources: InlineSources) -> bool:
        return not sources.with_cuda or bool(self._facts.cuda)

    def _recall(self, key: str, library: Path) -> BuiltExtension | None:
        """The cached result of a build."""
        record = library.with_suffix(".json")
        if self._cache is None or not self._cache.fetch(f"{key}.extension.json", record):
            return None
        built = _STORED.validate_json(record.read_bytes())
        record.unlink()
        if built.library is None:
            return built
        if not self._cache.fetch(f"{key}.extension", library):
            return None
        library.chmod(0o644)
        return replace(built, library=library)

    def _remember(self, key: str, built: BuiltExtension, content: bytes) -> None:
        if self._cache is None:
            return
        if built.library:
            self._cache.keep(f"{key}.extension", content)
        self._cache.keep(f"{key}.extension.json", _STORED.dump_json(replace(built, seconds=0.0)))


class Attempt:
    """One build, in at most ``how.timeout`` seconds for all compilers.

    Code and bindings are compiled separately first, if possible. A single unit with all of torch's
    header follows only if it could fix an error.
    """

    def __init__(
        self,
        units: ExtensionUnits,
        sources: InlineSources,
        source: Path,
        how: Compiling,
        *,
        links: bool,
    ) -> None:
        self._units = units
        self._sources = sources
        self._source = source
        self._how = how
        self._links = links
        self._done: dict[Unit, Completed] = {}
        self.seconds = 0.0
        """Seconds of compilers and linkers so far; parallel ones count once."""

    def run(self) -> Completed:
        """Build; returns the library as standard output, and compilers' messages as error."""
        first, *others = ways(self._sources)
        completed = self._try(first)
        if others and self._may_fix(first[0], completed):
            completed = self._try(others[0])
        return completed

    def _try(self, units: Sequence[Unit]) -> Completed:
        fresh = [unit for unit in units if unit not in self._done]
        made = self._units.compile(fresh, self._sources, self._source, self._left())
        self._done |= made
        self.seconds += max((one.wall for one in made.values()), default=0.0)
        results = [self._done[unit] for unit in units]
        said = b"".join(one.stderr for one in results)
        if failed := [unit for unit in units if not self._done[unit].ok]:
            own = [unit for unit in failed if unit.header != "bindings"] or failed
            return _telling([self._done[unit] for unit in own])
        if not self._links:
            return Completed(0, b"", said, 0.0, 0.0, 0)
        objects = {unit: self._done[unit].stdout for unit in units}
        linked = self._units.link(objects, self._sources, self._source, self._left())
        self.seconds += linked.wall
        return replace(linked, stderr=said + linked.stderr) if linked.ok else linked

    def _may_fix(self, code: Unit, completed: Completed) -> bool:
        """Whether the single unit could succeed where code and bindings failed."""
        if completed.ok or completed.timed_out or exhausted(completed):
            return False
        done = self._done.items()
        if any(unit.header is None and not one.ok for unit, one in done):
            return False
        if self._done[code].ok:  # types that look otherwise in the bindings
            unbound = any(unit.header == "bindings" and not one.ok for unit, one in done)
            return unbound or GETTER.encode() in completed.stderr
        said = self._done[code].stderr.decode("utf-8", "replace")
        return is_fixable(said, lambda: self._units.headers.left_out(self._left()))

    def _left(self) -> Compiling:
        return replace(self._how, timeout=max(0.1, self._how.timeout - self.seconds))


def _telling(failed: Sequence[Completed]) -> Completed:
    """Failed units with useful messages, merged."""
    informative = [one for one in failed if not one.timed_out and not exhausted(one)] or failed
    return replace(informative[0], stderr=b"".join(one.stderr for one in informative))


_ERROR = re.compile(r"^(?P<place>\S+?):\d+(?::\d+)?: (?:fatal )?error: (?P<said>.*)$", re.MULTILINE)


_QUOTED = re.compile(r"'([^']*)'")
_MACRO = re.compile(r"\b[A-Z][A-Z0-9_]{2,}(?=\s*\()")  # in a line that g++ shows


def is_fixable(said: str, left_out: Callable[[], Set[str] | None]) -> bool:
    """Whether more headers could fix an error in ``said``, g++'s messages about the code.

    They could if all errors are in the bindings, one is in a header or about an incomplete type, or
    the messages name a word that only the larger header has; ``left_out`` gives these words, None
    if unknown.
    """
    errors = [*_ERROR.finditer(said.translate({0x2018: "'", 0x2019: "'"}))]
    own = [one for one in errors if one["place"] != BINDINGS]
    if not own or any(one["place"].startswith("/") or "incomplete" in one["said"] for one in own):
        return True
    quoted = " ".join(part for one in own for part in _QUOTED.findall(one["said"]))
    named, words = {*re.findall(r"\w+", quoted), *_MACRO.findall(said)}, left_out()
    return words is None or not words.isdisjoint(named)
