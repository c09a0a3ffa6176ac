"""ExtensionBuild: one build of an extension: its units are compiled side by side, then linked.

Code and bindings are compiled as two units first: bindings change rarely and are kept. Where the
types of the two do not fit, or only more headers could mend an error, all is compiled again as one
unit with torch's whole header, which is torch's own way.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from maxcode.sandbox.base import Completed
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import CompileLimits, Compiler, exhausted, write_readable
from maxcode.toolchain.extension_cuda import CUDA_STUBS, Cuda
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_headers import ExtensionHeaders, Kind
from maxcode.toolchain.extension_sources import BINDINGS, GETTER, InlineSources, split

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
class ExtensionTools:
    """What all builds for one torch share; ``folder`` is where bindings are kept."""

    compiler: Compiler
    facts: TorchFacts
    cuda: Cuda | None
    headers: ExtensionHeaders
    folder: Path
    cache: BuildCache | None


@dataclass(frozen=True, slots=True)
class _Unit:
    """A text to be compiled with a header of that kind; nvcc does it if there is none."""

    text: str
    header: Kind | None
    flags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of its file, without the suffix."""
        return "cuda" if self.header is None else "bind" if self.header == "bindings" else "main"


class ExtensionBuild:
    """Builds from ``sources``, whose own files lie in the folder ``source``.

    All compilers and linkers together may take ``limits.timeout`` seconds. ``links`` says whether
    torch has what the result is to be linked with.
    """

    def __init__(
        self,
        tools: ExtensionTools,
        sources: InlineSources,
        source: Path,
        limits: CompileLimits,
        *,
        links: bool,
    ) -> None:
        self._tools = tools
        self._sources = sources
        self._source = source
        self._limits = limits
        self._links = links
        self._cuda = tools.cuda if sources.with_cuda else None
        self._stubs = tools.folder / "missing"
        self._compiled: dict[_Unit, Completed] = {}
        self.seconds = 0.0
        """What compilers and linkers took so far; those that run side by side count once."""

    def run(self) -> Completed:
        """How it ended, with the library as standard output, and compilers' messages as error."""
        sources = self._sources
        if self._cuda:
            for name, text in CUDA_STUBS.items():
                write_readable(self._stubs / name, text.encode(), self._stubs)
        cuda = (_Unit(sources.cuda_unit(), None),) if sources.cuda_sources else ()
        if halves := split(sources):
            code = _Unit(halves.code, "code", sources.extra_cflags)
            bindings = _Unit(halves.bindings, "bindings", halves.flags)
            completed = self._try([code, *cuda, bindings])
            if not self._needs_whole(completed, code, bindings, cuda):
                return completed
        return self._try([_Unit(sources.cpp_unit(), "whole", sources.extra_cflags), *cuda])

    def _try(self, units: Sequence[_Unit]) -> Completed:
        """Compile those that were not yet, and link."""
        fresh = [unit for unit in units if unit not in self._compiled]
        limits = self._left()
        with ThreadPoolExecutor(len(fresh)) as pool:
            results = pool.map(lambda unit: self._compile(unit, limits), fresh)
            made = dict(zip(fresh, results, strict=True))
        self._compiled |= made
        self.seconds += max(one.wall for one in made.values())
        if failed := [unit for unit in units if not self._compiled[unit].ok]:
            own = [unit for unit in failed if unit.header != "bindings"] or failed
            return _failure([self._compiled[unit] for unit in own])
        messages = b"".join(self._compiled[unit].stderr for unit in units)
        if not self._links:
            return Completed(0, b"", messages, 0.0, 0.0, 0)
        linked = self._link(units)
        self.seconds += linked.wall
        return replace(linked, stderr=messages + linked.stderr) if linked.ok else linked

    def _needs_whole(
        self, completed: Completed, code: _Unit, bindings: _Unit, cuda: Sequence[_Unit]
    ) -> bool:
        """Whether what failed as two units could be built as one with the whole header."""
        if completed.ok or completed.timed_out or exhausted(completed):
            return False
        if not all(self._compiled[unit].ok for unit in cuda):
            return False
        if self._compiled[code].ok:
            return not self._compiled[bindings].ok or GETTER.encode() in completed.stderr
        output = self._compiled[code].stderr.decode("utf-8", "replace")
        known_words = partial(self._tools.headers.words, self._left())
        return mendable(output, self._sources, known_words)

    def _compile(self, unit: _Unit, limits: CompileLimits) -> Completed:
        if unit.header is None:
            return self._run_nvcc(unit, limits)
        if unit.header != "bindings":
            return self._run_compiler(unit, unit.header, self._source, limits)
        tools, sources = self._tools, self._sources
        about = (tools.compiler.identity(unit.flags), tools.facts.identity(), sources.with_cuda)
        parts = (_FORMAT, *about, sources.name, unit.text, unit.flags)
        key = f"{hashlib.sha256(repr(parts).encode()).hexdigest()}.bindings"
        kept = tools.folder / key
        kept.parent.mkdir(parents=True, exist_ok=True)
        if kept.exists() or (tools.cache and tools.cache.fetch(key, kept)):
            return Completed(0, kept.read_bytes(), b"", 0.0, 0.0, 0)
        folder = self._source / "bindings"  # it includes nothing of the candidate's
        completed = self._run_compiler(unit, unit.header, folder, limits)
        if completed.ok:
            new = kept.with_suffix(f".{self._source.parent.name}")
            write_readable(new, completed.stdout, tools.folder)
            new.replace(kept)
            if tools.cache:
                tools.cache.keep(key, completed.stdout)
        return completed

    def _run_compiler(
        self, unit: _Unit, header: Kind, folder: Path, limits: CompileLimits
    ) -> Completed:
        tools, sources = self._tools, self._sources
        first = tools.headers.find(header, unit.flags, limits) if sources.includes_torch else None
        write_readable(folder / f"{unit.name}.cpp", unit.text.encode(), folder)
        arguments = ["-pipe", f"-DTORCH_EXTENSION_NAME={sources.name}"]
        if header != "bindings":
            arguments += [f"-I{path}" for path in sources.extra_include_paths]
        if first:
            arguments.append(f"-I{first}")
        if self._cuda:
            arguments += ["-isystem", str(self._cuda.include)]
        arguments += tools.facts.compile_flags()
        if self._cuda:
            arguments += ["-isystem", str(self._stubs)]
        arguments += [*unit.flags, "-c", f"./{unit.name}.cpp"]
        read = [*tools.facts.includes, *([first] if first else []), *self._cuda_folders()]
        return tools.compiler.run(arguments, folder, limits, read)

    def _run_nvcc(self, unit: _Unit, limits: CompileLimits) -> Completed:
        if self._cuda is None:
            raise ValueError("there is no nvcc")
        write_readable(self._source / "cuda.cu", unit.text.encode(), self._source)
        command = self._cuda.compile_command(self._sources, self._tools.facts, self._stubs)
        return self._tools.compiler.execute(
            ["/bin/sh", "-c", _NVCC, "sh", str(self._source), *command],
            [self._source, *self._tools.facts.includes, *self._cuda_folders()],
            limits,
        )

    def _link(self, units: Sequence[_Unit]) -> Completed:
        """Make the shared library, which is standard output."""
        for unit in units:
            content = self._compiled[unit].stdout
            write_readable(self._source / f"{unit.name}.o", content, self._source)
        facts = self._tools.facts
        arguments = [
            # The candidate's object comes first: of functions that several have, the linker takes
            # that.
            *(f"./{unit.name}.o" for unit in units),
            *("-shared", *self._sources.extra_ldflags),
            *(f"-L{folder}" for folder in facts.library_folders),
            *(f"-l{library}" for library in facts.libraries),
            *(self._cuda.link_flags() if self._cuda else ()),
        ]
        read = [*facts.library_folders, *self._cuda_folders()]
        return self._tools.compiler.run(arguments, self._source, self._left(), read)

    def _cuda_folders(self) -> Iterator[Path]:
        if self._cuda:
            yield from (self._cuda.home, self._stubs)

    def _left(self) -> CompileLimits:
        return replace(self._limits, timeout=max(0.1, self._limits.timeout - self.seconds))


def _failure(failed: Sequence[Completed]) -> Completed:
    """Of units that failed, those whose compiler found errors, as one."""
    informative = [one for one in failed if not one.timed_out and not exhausted(one)] or failed
    return replace(informative[0], stderr=b"".join(one.stderr for one in informative))


_ERROR = re.compile(
    r"^(?P<place>\S+?):\d+(?::\d+)?: (?:fatal )?error: (?P<message>.*)$", re.MULTILINE
)
# g++'s messages about a name that it does not know, with that name first.
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


def mendable(
    output: str, sources: InlineSources, known_words: Callable[[], Set[str] | None]
) -> bool:
    """Whether one unit with the whole header could mend one of the errors in g++'s ``output``.

    Names could be declared, types completed, macros defined, of the words that occur in the whole
    header (``known_words``; None if they are not known). Nothing else that is wrong with a
    candidate's own lines changes by more declarations. What is wrong inside of headers might, and
    so might what is wrong only in what binds functions.
    """
    errors = list(_ERROR.finditer(output.translate({0x2018: "'", 0x2019: "'"})))
    own = [error for error in errors if error["place"] != BINDINGS]
    return not own or any(_is_mendable(error, sources, known_words) for error in own)


def _is_mendable(
    error: re.Match[str], sources: InlineSources, known_words: Callable[[], Set[str] | None]
) -> bool:
    if error["place"].startswith("/"):  # in a header
        return True
    if unknown := _UNKNOWN.search(error["message"]):
        name, known = unknown["name"] or unknown["named"], known_words()
        if name is None or known is None:
            return True
        words = re.findall(r"\w+", name.partition("<")[0])  # of a::b, b is looked up
        return bool(words) and words[-1] in known
    if _SYNTAX.search(error["message"]):  # of what was meant to be a macro, perhaps
        macros = {found["name"] for text in sources.cpp_sources for found in _MACRO.finditer(text)}
        known = known_words() if macros else set()
        return known is None or not macros.isdisjoint(known)
    return False
