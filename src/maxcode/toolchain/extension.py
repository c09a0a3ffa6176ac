"""ExtensionBuilder: builds ``torch.utils.cpp_extension.load_inline`` calls."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock

from maxcode.sandbox.base import Completed, Sandbox
from maxcode.toolchain.base import Compiling
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler, complaint, exhausted
from maxcode.toolchain.extension_facts import KernelResources, TorchFacts, resources
from maxcode.toolchain.extension_headers import Kind
from maxcode.toolchain.extension_sources import BINDINGS, GETTER, InlineSources
from maxcode.toolchain.extension_units import NO_NVCC, NOT_LINKED, Cuda, ExtensionUnits, Unit, ways

_FORMAT = "3"  # of what the cache keeps of a build


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

    def expect(self, extra_cflags: Sequence[str] = ()) -> None:
        """Announce many builds with these flags: their headers are worth compiling at once."""
        probe = {"name": "f", "cpp_sources": "int f();", "functions": "f"}
        units = next(ways(InlineSources.parse({**probe, "extra_cflags": [*extra_cflags]})))
        for unit in units:
            self._units.headers.expect(unit.header or "whole", unit.flags)

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
        """The cached result of a build."""
        record = library.with_suffix(".json")
        if self._cache is None or not self._cache.fetch(f"{key}.extension.json", record):
            return None
        stored = json.loads(record.read_text())
        record.unlink()
        if stored["linked"]:
            if not self._cache.fetch(f"{key}.extension", library):
                return None
            library.chmod(0o644)
        return BuiltExtension(
            library if stored["linked"] else None,
            stored["errors"],
            compiled_only=stored["compiled_only"],
            resources=tuple(KernelResources(**one) for one in stored["resources"]),
        )

    def _remember(self, key: str, built: BuiltExtension, content: bytes) -> None:
        if self._cache is None:
            return
        stored = {
            "linked": built.library is not None,
            "errors": built.errors,
            "compiled_only": built.compiled_only,
            "resources": [asdict(one) for one in built.resources],
        }
        if built.library:
            self._cache.keep(f"{key}.extension", content)
        self._cache.keep(f"{key}.extension.json", json.dumps(stored).encode())


def _write(sources: InlineSources, folder: Path) -> None:
    """Write the sources, readable by compilers under another user, too."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    for name, text in sources.parts().files.items():
        path = folder / name
        path.write_bytes(text.encode())
        path.chmod(0o644)


class Attempt:
    """One build, in at most ``how.timeout`` seconds for all compilers.

    Code and bindings are compiled separately first, and as a single unit if their types do not
    match. Other headers are tried only if they could fix an error.
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
        header: Kind | None = None
        for units in ways(self._sources):
            if header in (None, units[0].header):
                completed = self._try(units)
                header = self._remedy(units[0], completed)
                if header is None:
                    break
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

    def _remedy(self, main: Unit, completed: Completed) -> Kind | None:
        """The header to try next; None if the build succeeded, or nothing would help."""
        if completed.ok or completed.timed_out or exhausted(completed) or main.header == "whole":
            return None
        done = self._done.items()
        if not self._sources.includes_torch or any(
            unit.header is None and not one.ok for unit, one in done
        ):
            return None
        compiled = self._done[main]
        said = compiled.stderr.decode("utf-8", "replace")
        if main.header == "code":
            unbound = any(unit.header == "bindings" and not one.ok for unit, one in done)
            if compiled.ok and (unbound or GETTER.encode() in completed.stderr):
                return "slim"
            if not compiled.ok and of_bindings_only(said):
                return "slim"
        known = partial(self._units.headers.words, self._left())
        return "whole" if not compiled.ok and mendable(said, self._sources, known) else None

    def _left(self) -> Compiling:
        return replace(self._how, timeout=max(0.1, self._how.timeout - self.seconds))


def _telling(failed: Sequence[Completed]) -> Completed:
    """Failed units with useful messages, merged."""
    informative = [one for one in failed if not one.timed_out and not exhausted(one)] or failed
    return replace(informative[0], stderr=b"".join(one.stderr for one in informative))


_ERROR = re.compile(r"^(?P<place>\S+?):\d+(?::\d+)?: (?:fatal )?error: (?P<said>.*)$", re.MULTILINE)
# What g++ says of a name that it does not know, with that name first.
_UNKNOWN = re.compile(
    r"'(?P<name>[\w:~<>, *&]+?)'(?: in namespace '[\w:]+')? (?:was not declared"
    r"|has not been declared|does not name a|undeclared"
    r"|is not a (?:member of|class|type|template|namespace))"
    r"|(?:no|not) (?:type|template|member)? ?named '(?P<named>[\w:]+)' in namespace"
    r"|(?P<other>incomplete|must '#include|expected (?:namespace-name|nested-name|class-name)"
    r"|undefined type|is not a template|not a class template)"
)
_SYNTAX = re.compile(
    r"expected (?:constructor|unqualified-id|initializer)|with no type|does not name a type"
)
_MACRO = re.compile(  # but for those that every header has
    r"^[ \t]*(?!(?:TORCH_CHECK|TORCH_WARN|TORCH_INTERNAL|AT_|C10_))"
    r"(?P<name>[A-Z][A-Z0-9_]{2,})\s*\(",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")


Words = Callable[[], Set[str] | None]
"""Function to all words of the larger header; None if they cannot be determined."""


def mendable(said: str, sources: InlineSources, words: Words) -> bool:
    """Whether more headers could fix an error in ``said``, g++'s messages about the sources.

    Only errors about names, types and macros can be fixed, and only by words of the larger header;
    other errors in a candidate's own lines cannot. Errors inside headers might.
    """
    errors = _errors(said)
    own = [one for one in errors if one["place"] != BINDINGS] or errors
    return not errors or any(_is_mendable(one, sources, words) for one in own)


def of_bindings_only(said: str) -> bool:
    """Whether all errors are in the bindings, and none in a candidate's own lines."""
    return all(one["place"] == BINDINGS for one in _errors(said))


def _errors(said: str) -> list[re.Match[str]]:
    return list(_ERROR.finditer(said.translate({0x2018: "'", 0x2019: "'"})))


def _is_mendable(error: re.Match[str], sources: InlineSources, words: Words) -> bool:
    if error["place"].startswith("/"):  # in a header
        return True
    if unknown := _UNKNOWN.search(error["said"]):
        name, known = unknown["name"] or unknown["named"], words()
        return name is None or known is None or _last(name) in known
    if _SYNTAX.search(error["said"]):  # of what was meant to be a macro, perhaps
        macros = {found["name"] for text in sources.cpp_sources for found in _MACRO.finditer(text)}
        known = words() if macros else set()
        return known is None or not macros.isdisjoint(known)
    return False


def _last(name: str) -> str:
    """The last word of ``a::b``, for looking it up."""
    words = _WORD.findall(name.partition("<")[0])
    return words[-1] if words else ""
