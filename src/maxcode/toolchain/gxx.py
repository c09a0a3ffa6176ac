"""Gxx: building C++ programs with g++."""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from maxcode.program import Program
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler
from maxcode.toolchain.diagnostics import complaint, exhausted
from maxcode.toolchain.headers import SOURCES, Compiling, Header, Headers, without_options

_FORMAT = "2"  # of what the cache keeps of a build
# What g++ says when a compiled header does not fit into its memory, or is too much for it.
_HEADER_FAILED = re.compile(rb"\bPCH\b|internal compiler error")


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build: the path of the executable, or what the compiler complained of."""

    executable: Path | None
    errors: str = ""
    timed_out: bool = False


class Gxx:
    """g++ in a sandbox, each program built once for each set of flags.

    ``folder`` is where executables are kept; it belongs to the caller and is not to be one that
    others can write. ``cache``, if any, is asked first and remembers what was built here, other
    than in a sandbox that is not isolated: there a program may include what no digest covers.
    Safe to use from several threads.

    Raises :class:`~maxcode.errors.ToolError` when there is no g++.
    """

    def __init__(self, sandbox: Sandbox, folder: Path, cache: BuildCache | None = None) -> None:
        self._compiler = Compiler(sandbox)
        self._headers = Headers(self._compiler, folder / "headers", cache)
        self._cache = cache if sandbox.isolated else None
        self._folder = folder
        self._built: dict[str, Built] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    @property
    def release(self) -> str:
        """The compiler's name and version."""
        return self._compiler.release

    def expect(self, program: Program, flags: Sequence[str]) -> None:
        """Say that many programs like this one will be built with these flags.

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

        ``timeout`` in seconds. Whoever asks for a program that is being built waits for that build;
        one that did not end in time, which may have been the machine's fault, is tried again.
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
                self._built[key] = built
            return built

    def _compile(
        self, program: Program, flags: Sequence[str], folder: Path, how: Compiling
    ) -> Built:
        source = folder / "src"
        _write(program, source)
        try:
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
        return Built(_runnable(executable))

    def _with_header(
        self, program: Program, flags: Sequence[str], source: Path, how: Compiling
    ) -> Completed:
        """Compile in the quickest way that is known to change nothing."""
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
        """What the cache holds of a build."""
        if self._cache is None:
            return None
        executable, errors = folder / "program", folder / "errors"
        if self._cache.fetch(self._name(program, flags, ok=True), executable):
            return Built(_runnable(executable))
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
    """The program without the options that the header gives."""
    [(path, text)] = [one for one in program.files.items() if one[0].endswith(SOURCES)]
    text = without_options(text, len(header.block))
    return Program({**program.files, path: text}, program.entry)


def _write(program: Program, folder: Path) -> None:
    """Write the sources where g++ may read them as another user, too."""
    program.write(folder)
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _runnable(executable: Path) -> Path:
    """Let anybody run a file that was just written, and wait until it can be.

    A process that another thread is starting holds our descriptors for a moment, and what is open
    for writing anywhere cannot be run. A lease is granted only when nothing writes.
    """
    executable.chmod(0o755)
    with executable.open("rb") as file:
        for _ in range(1000):
            try:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            except BlockingIOError:
                time.sleep(0.002)
            except OSError:  # a file system without leases
                break
            else:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                break
    return executable
