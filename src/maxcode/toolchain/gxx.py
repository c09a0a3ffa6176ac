"""Gxx: building C++ programs with g++."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from random import Random
from threading import Lock

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler, complaint, exhausted, runnable
from maxcode.toolchain.headers import SOURCES, Compiling, Header, Headers, without_options
from maxcode.toolchain.layouts import Layouts, relocatable_flags

SANITIZE = (
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-O1", "-g", "-fno-omit-frame-pointer"),  # lines and functions as they were written
    *("-fno-pie", "-no-pie"),  # where the kernel puts others may overlap with the shadow memory
    "-D_GLIBCXX_SANITIZE_VECTOR",  # a vector's capacity past its size is out of bounds, too
)
"""Flags for g++, added to a task's own."""

_AGAINST = re.compile(r"-static.*|-s|-flto.*|-fwhole-program|-Werror.*|-fsanitize.*|-pie")
_MEMORY = 4 << 30
_ROOM = 1 << 30  # bytes of executables
_IN_USE = 8  # executables that threads may have asked for and not yet run
_STACK = 512 << 10  # KiB: instrumented frames are several times larger, and may be as deep
_ADDRESS_OPTIONS = "detect_leaks=0:handle_abort=1:handle_sigill=1"
_SHELL = 'ulimit -s "$1" 2>/dev/null; shift; exec /usr/bin/env "$@"'

_UNDEFINED = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d+):\d+: runtime error: (?P<what>.+)")
_ADDRESS = re.compile(r"==\d+==\s*ERROR: AddressSanitizer: (attempting )?(?P<what>.+)")
_UNTIL = re.compile(
    r" on (unknown )?address 0x| on 0x|: (?=memory|0x)| \(pc | \(thread | in thread "
)
_SIZE = re.compile(r"(READ|WRITE) of size \d+")
_SIGNAL = re.compile(r"caused by a (READ|WRITE) memory access")
_UNKNOWN = re.compile(r"unknown address 0x0*(\w+)")
_FRAME = re.compile(r"\s*#\d+ 0x\w+ in (?P<function>.+) (?P<path>[^\s:]+):(?P<line>\d+)(:\d+)?")
_SAID = re.compile(r"(?:.*: )?\s*(terminate called.+|what\(\): .+|Assertion .+ failed)")
_LINE_OF = re.compile(r'# \d+ "(?P<path>[^"]*)"')
_EVASION = re.compile(r"\w*(?:no_sanitize|no_address_safety|no_asan|__asan|__ubsan|__sanitizer)\w*")
_PREPROCESS = 'cd "$1" && shift && exec "$@"'
_TEMPLATE = re.compile(r"<[^<>]*>")


def sanitized_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """A task's flags without those incompatible with sanitizers, plus :data:`SANITIZE`."""
    return (*(flag for flag in flags if not _AGAINST.fullmatch(flag)), *SANITIZE)


def sanitized_command(executable: Path, memory: int = _MEMORY) -> list[str]:
    """The command to run a program built with :func:`sanitized_flags`.

    It may hold ``memory`` bytes. AddressSanitizer reserves terabytes of address space, so the
    sandbox must not limit address space: ``Limits(address_space=False)``.
    """
    return [
        *("/bin/sh", "-c", _SHELL, "sh", str(_STACK)),
        f"ASAN_OPTIONS={_ADDRESS_OPTIONS}:hard_rss_limit_mb={memory >> 20}",
        "UBSAN_OPTIONS=print_stacktrace=1",
        str(executable),
    ]


def sanitizer_cause(stderr: str) -> str:
    """A sanitizer's error and its place in the program's own source, in a line; "" if none.

    A program that ended otherwise, or exceeded its memory, gives "": sanitizers need several times
    as much.
    """
    lines = stderr.splitlines()
    for number, line in enumerate(lines):
        report = list(takewhile(str.strip, lines[number:]))  # up to and with the first stack
        if found := _UNDEFINED.match(line):
            return found["what"] + _place(report, found)
        if found := _ADDRESS.match(line):
            return _cause(found["what"], report, lines[:number]) + _place(report)
    return ""


def _blind(plain: Sequence[str], sanitized: Sequence[str]) -> str:
    """Reason sanitizers would not see the judged program, from its lines without and with them."""
    if found := _EVASION.search("\n".join(sanitized)):
        return f"it keeps sanitizers from its code by {found[0]}"
    for before, after in zip(plain, sanitized, strict=False):
        if before != after:
            instead = f"{after[:80]!r} in place of {before[:80]!r}"
            return f"it is another program under sanitizers: {instead}"
    return "" if len(plain) == len(sanitized) else "it is another program under sanitizers"


def _own_lines(preprocessed: str) -> list[str]:
    """Lines of a program's own files, without libraries."""
    lines, own = [], False
    for line in preprocessed.splitlines():
        if found := _LINE_OF.match(line):
            own = not found["path"].startswith(("/", "<"))
        elif own and (kept := " ".join(line.split())):
            lines.append(kept)
    return lines


def _cause(what: str, report: Sequence[str], before: Sequence[str]) -> str:
    kind = _UNTIL.split(what)[0]
    if kind == "ABRT":
        said = [found[1] for line in before if (found := _SAID.match(line))]
        return " ".join(said) or "abort"
    if kind in {"SEGV", "BUS"} and (access := _SIGNAL.search("\n".join(report))):
        address = _UNKNOWN.search(what)
        return f"{kind}: {access[1]} at address 0x{address[1] if address else '?'}"
    size = _SIZE.match(report[1]) if len(report) > 1 else None
    return f"{kind}: {size[0]}" if size else kind


def _place(report: Sequence[str], known: re.Match[str] | None = None) -> str:
    """Innermost place of a stack in the program's own source."""
    frames = [frame for line in report if (frame := _FRAME.match(line)) and _is_own(frame["path"])]
    at = known if known and _is_own(known["path"]) else next(iter(frames), None)
    if at is None:
        return ""
    function = f" in {_name(frames[0]['function'])}()" if frames else ""
    return f" at {at['path'].removeprefix('./')}:{at['line']}{function}"


def _is_own(path: str) -> bool:
    """Whether a path is the program's: libraries lie elsewhere, or are C with relative paths."""
    return not path.startswith(("/", "../")) and not path.endswith((".c", ".S"))


def _name(function: str) -> str:
    """The name of a function, without types."""
    shorter = function.replace("(anonymous namespace)::", "").partition("::{lambda")[0]
    while shorter != (shorter := _TEMPLATE.sub("", shorter)):
        pass
    return shorter.partition("(")[0].rpartition(" ")[2]


_FORMAT = "3"  # of what the cache keeps of a build
# What g++ says when a compiled header does not fit into its memory, or is too much for it.
_HEADER_FAILED = re.compile(rb"\bPCH\b|internal compiler error")


@dataclass(frozen=True, slots=True)
class Built:
    """Outcome of a build: the path of the executable, or the compiler's errors."""

    executable: Path | None
    errors: str = ""
    timed_out: bool = False


class Gxx:
    """g++ in a sandbox, each program built once for each set of flags.

    ``folder`` is for executables; it belongs to the caller and must not be writable by others.
    Beyond ``room`` bytes, the least recently requested executables are removed, and built again on
    request. ``cache``, if any, is asked first and keeps builds of an isolated sandbox: in others a
    program may include files no digest covers.

    Safe to use from several threads.

    Raises :class:`~maxcode.errors.ToolError` if there is no g++.
    """

    def __init__(
        self, sandbox: Sandbox, folder: Path, cache: BuildCache | None = None, room: int = _ROOM
    ) -> None:
        self._compiler = Compiler(sandbox)
        self._headers = Headers(self._compiler, folder / "headers", cache)
        self._cache = cache if sandbox.isolated else None
        self._folder = folder
        self._room = room
        self._built: dict[str, Built] = {}  # the one asked for last is last
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    @property
    def release(self) -> str:
        """The compiler's name and version."""
        return self._compiler.release

    def expect(self, program: Program, flags: Sequence[str]) -> None:
        """Announce many builds of programs like this with these flags.

        Its headers are then worth compiling ahead at once.
        """
        self._headers.expect(program, flags)

    def build(
        self,
        program: Program,
        flags: Sequence[str],
        timeout: float,
        processors: tuple[int, ...] = (),
    ) -> Built:
        """Compile and link all sources of a program, on ``processors`` (empty: any).

        ``timeout`` in seconds. Callers wait for a running build of the same program; a timed-out
        build, perhaps the machine's fault, is tried again.
        """
        key = hashlib.sha256("\0".join((program.digest, *flags)).encode()).hexdigest()[:24]
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            built = self._built.get(key)
            if built is None or built.timed_out:
                folder = self._folder / key
                folder.mkdir(parents=True, exist_ok=True)
                built = self._recall(program, flags, folder)
                if built is None:
                    how = Compiling(timeout, processors)
                    built = self._compile(program, flags, folder, how)
            with self._lock:
                self._built.pop(key, None)
                self._built[key] = built
                self._make_room()
            return built

    def layouts(
        self,
        program: Program,
        flags: Sequence[str],
        timeout: float,
        folder: Path,
        rng: Random,
        processors: tuple[int, ...] = (),
    ) -> Layouts:
        """Executables of a program in ``folder`` that differ only in layout, drawn by ``rng``.

        It is compiled once. Raises :class:`~maxcode.errors.ToolError` if it cannot be relinked.
        """
        built = self.build(program, relocatable_flags(flags), timeout, processors)
        if built.executable is None:
            raise ToolError(f"it does not build as one object: {built.errors.splitlines()[0]}")
        return Layouts(
            self._compiler,
            built.executable,
            flags,
            folder,
            rng,
            timeout=timeout,
            processors=processors,
        )

    def _make_room(self) -> None:
        """Remove executables beyond the limit, except recently requested ones."""
        held = {
            key: built.executable.stat().st_size
            for key, built in self._built.items()
            if built.executable is not None and built.executable.exists()
        }
        total = sum(held.values())
        for key in list(held)[:-_IN_USE]:
            if total <= self._room:
                return
            total -= held[key]
            shutil.rmtree(self._folder / key, ignore_errors=True)
            del self._built[key]

    def _compile(
        self, program: Program, flags: Sequence[str], folder: Path, how: Compiling
    ) -> Built:
        source = folder / "src"
        _write(program, source)
        try:
            if said := self._evades(program, flags, source, how):
                self._remember(program, flags, said.encode(), ok=False)
                return Built(None, said)
            completed = self._with_header(program, flags, source, how)
        finally:
            shutil.rmtree(source)
        if completed.timed_out:
            said = f"the build did not end within {how.timeout:g} s"
            return Built(None, said, timed_out=True)
        if said := exhausted(completed):
            return Built(None, said)
        if not completed.ok:
            said = complaint(completed, program)
            if b"signal terminated" not in completed.stderr:  # which may not happen again
                self._remember(program, flags, said.encode(), ok=False)
            return Built(None, said)
        self._remember(program, flags, completed.stdout, ok=True)
        executable = folder / "program"
        executable.write_bytes(completed.stdout)
        return Built(runnable(executable))

    def _evades(self, program: Program, flags: Sequence[str], source: Path, how: Compiling) -> str:
        """Reason a sanitized build would not be the judged program; "" if none."""
        given = len(flags) - len(SANITIZE)
        if tuple(flags[given:]) != SANITIZE:
            return ""
        sources = [f"./{path}" for path in program.files if path.endswith(SOURCES)]
        found = []
        for chosen in (flags[:given], flags):
            asked = [str(source), str(self._compiler.path), "-E", *sources, *chosen]
            completed = self._compiler.execute(
                ["/bin/sh", "-c", _PREPROCESS, "sh", *asked],
                [source],
                timeout=how.timeout,
                processors=how.processors,
            )
            if not completed.ok or completed.flooded:
                return ""  # nor will it compile
            found.append(_own_lines(completed.stdout.decode("utf-8", "replace")))
        return _blind(*found)

    def _with_header(
        self, program: Program, flags: Sequence[str], source: Path, how: Compiling
    ) -> Completed:
        """Compile with a precompiled header, if it is proven to change nothing."""
        header = self._headers.find(program, flags, how)
        if header is None:
            return self._run(program, flags, source, how)
        shortened = _shortened(program, header)
        if header.proven:
            _write(shortened, source)
            completed = self._run(program, flags, source, how, header)
            if completed.ok or not _HEADER_FAILED.search(completed.stderr):
                return completed
            _write(program, source)
            return self._run(program, flags, source, how)
        completed = self._run(program, flags, source, how)
        if completed.ok:
            _write(shortened, source)
            again = self._run(program, flags, source, how, header)
            if not again.timed_out:
                same = again.ok and again.stdout == completed.stdout
                self._headers.judge(header, flags, same=same)
        return completed

    def _run(
        self,
        program: Program,
        flags: Sequence[str],
        source: Path,
        how: Compiling,
        header: Header | None = None,
    ) -> Completed:
        # "./" so that no file name reads as an option; sources first, so that -l flags find them
        sources = [f"./{path}" for path in program.files if path.endswith(SOURCES)]
        included = ["-include", str(header.path)] if header else []
        return self._compiler.run(
            ["-pipe", *included, *sources, *flags],
            source,
            timeout=how.timeout,
            processors=how.processors,
            read=[header.path.parent] if header else [],
        )

    def _recall(self, program: Program, flags: Sequence[str], folder: Path) -> Built | None:
        """The cached result of a build."""
        if self._cache is None:
            return None
        executable, errors = folder / "program", folder / "errors"
        if self._cache.fetch(self._name(program, flags, ok=True), executable):
            return Built(runnable(executable))
        if self._cache.fetch(self._name(program, flags, ok=False), errors):
            said = errors.read_text()
            errors.unlink()
            return Built(None, said)
        return None

    def _remember(
        self, program: Program, flags: Sequence[str], content: bytes, *, ok: bool
    ) -> None:
        if self._cache:
            self._cache.keep(self._name(program, flags, ok=ok), content)

    def _name(self, program: Program, flags: Sequence[str], *, ok: bool) -> str:
        parts = (_FORMAT, self._compiler.identity(flags), program.digest, *flags)
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return f"{key}.{'program' if ok else 'errors'}"


def _shortened(program: Program, header: Header) -> Program:
    """The program without the options given by the header."""
    [(path, text)] = [one for one in program.files.items() if one[0].endswith(SOURCES)]
    text = without_options(text, len(header.block))
    return Program({**program.files, path: text}, program.entry)


def _write(program: Program, folder: Path) -> None:
    """Write the sources, readable by g++ under another user, too."""
    program.write(folder)
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (0, 0))  # which __TIMESTAMP__ reads
