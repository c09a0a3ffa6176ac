"""Toolchain: what makes commands of programs of a language, each built once."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import ClassVar

from maxcode.program import Program
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.system import find_tool
from maxcode.tasks.languages import CPP, Language
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import (
    Compiling,
    execute,
    problem,
    processor_facts,
    runnable,
)

_MAX_KEPT = 256  # builds, the latest
_FORMAT = "4"  # of what the cache keeps of a build


@dataclass(frozen=True, slots=True)
class Built:
    """Outcome of a build: the path of the executable, or the compiler's errors.

    Of a language without executables ``executable`` is the entry file, or an archive.
    """

    executable: Path | None
    errors: str = ""
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A build that was asked for, and its folder."""

    program: Program
    flags: tuple[str, ...]
    folder: Path
    how: Compiling

    @property
    def source(self) -> Path:
        """Folder with the program's sources, during the build."""
        return self.folder / "src"


@dataclass(frozen=True, slots=True)
class Command:
    """How a built program is started.

    ``words`` is the command, ``read`` its files and folders. ``program`` is the executable of a
    program that needs no other file. ``runtime``: it runs in a runtime with threads of its own,
    which reserves address space.
    """

    words: tuple[str, ...]
    read: tuple[Path, ...] = ()
    program: Path | None = None
    runtime: bool = False

    @classmethod
    def of_executable(cls, path: Path) -> Command:
        """The command of an executable that needs no other file."""
        return cls((str(path),), program=path)

    def files(self, stdin: Path | None = None) -> Files:
        """Its files in a sandbox, with an input."""
        return Files(stdin=stdin, read=self.read, program=self.program)

    def limits(self, limits: Limits) -> Limits:
        """Limits it can live with."""
        return replace(limits, address_space=False) if self.runtime else limits


class Toolchain(ABC):
    """Tools of a language in a sandbox; each program is built once for each set of flags.

    ``folder`` is for builds; it belongs to the caller and must not be writable by others. The
    latest 256 builds are kept, others are built again on request. ``cache``, if any, is asked first
    and keeps builds of an isolated sandbox: in others a program may include files no digest covers.
    Safe to use from several threads.

    Raises :class:`~maxcode.errors.ToolError` if a tool of the language is missing.
    """

    tool: ClassVar[str] = ""
    """Program that has to be installed, if any."""

    runtime: ClassVar[bool] = False
    """Whether its tools run in a runtime of their own, which reserves address space."""

    cached: ClassVar[bool] = True
    """Whether a build depends on nothing but program, flags and the release of its tools."""

    def __init__(
        self,
        sandbox: Sandbox,
        folder: Path,
        cache: BuildCache | None = None,
        language: Language = CPP,
    ) -> None:
        self._language = language
        self._sandbox = sandbox
        self._cache = cache if sandbox.isolated and self.cached else None
        self._folder = folder
        self._tool = Path(find_tool(self.tool)) if self.tool else Path()
        self._built: dict[str, Built] = {}  # the one asked for last is last
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._lock = Lock()

    @property
    @abstractmethod
    def release(self) -> str:
        """Name and version of the compiler or runtime."""

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """The command of a program built with these flags."""
        del flags
        return Command.of_executable(built)

    def build(
        self,
        program: Program,
        flags: Sequence[str],
        timeout: float,
        processors: tuple[int, ...] = (),
    ) -> Built:
        """Build a program on ``processors`` (empty: any).

        ``timeout`` in seconds. Callers wait for a running build of the same program; a timed-out
        build, perhaps the machine's fault, is tried again.
        """
        key = hashlib.sha256("\0".join((program.digest, *flags)).encode()).hexdigest()[:24]
        with self._locks[key]:
            built = self._built.get(key)
            if built is None or built.timed_out:
                folder = self._folder / key
                folder.mkdir(parents=True, exist_ok=True)
                asked = Asked(program, tuple(flags), folder, Compiling(timeout, processors))
                built = self._recall(asked) or self._build(asked)
            with self._lock:
                self._built.pop(key, None)
                self._built[key] = built
                while len(self._built) > _MAX_KEPT:
                    oldest = next(iter(self._built))
                    del self._built[oldest]
                    shutil.rmtree(self._folder / oldest, ignore_errors=True)
            return built

    @abstractmethod
    def _made(self, asked: Asked) -> Completed:
        """Run the compiler on the sources; standard output is the executable."""

    def _refusal(self, asked: Asked) -> str:  # noqa: ARG002 - of subclasses
        """Reason not to build a program; "" if none."""
        return ""

    def _identity(self, flags: Sequence[str]) -> str:
        """Everything besides source and flags that affects a build."""
        return "\n".join((self.release, *processor_facts(flags)))

    def _sources(self, program: Program) -> list[str]:
        """Paths of the files to compile."""
        return [path for path in program.files if path.endswith(self._language.programs)]

    def _keep(self, content: bytes, asked: Asked) -> Path:
        """Make a build of the compiler's output, in its folder. Raises ``ValueError``."""
        executable = asked.folder / "program"
        executable.write_bytes(content)
        return runnable(executable)

    def _execute(self, command: Sequence[str], read: Sequence[Path], how: Compiling) -> Completed:
        """Run a tool within a build's limits."""
        return execute(self._sandbox, command, read, how, runtime=self.runtime)

    def _build(self, asked: Asked) -> Built:
        write_sources(asked.program, asked.source)
        try:
            if said := self._refusal(asked):
                return Built(None, said)
            completed = self._made(asked)
        finally:
            shutil.rmtree(asked.source)
        if said := problem(completed, asked.how):
            said = said.replace(f"{asked.source}/", "")
            return Built(None, said, timed_out=completed.timed_out)
        try:
            kept = self._keep(completed.stdout, asked)
        except ValueError as error:
            return Built(None, f"what the build made cannot be kept: {error}")
        if self._cache:
            self._cache.keep(self._name(asked), completed.stdout)
        return Built(kept)

    def _recall(self, asked: Asked) -> Built | None:
        """The build in the cache."""
        made = self._cache.fetch(self._name(asked)) if self._cache else None
        return None if made is None else Built(self._keep(made, asked))

    def _name(self, asked: Asked) -> str:
        parts = (_FORMAT, self._identity(asked.flags), asked.program.digest, *asked.flags)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest() + ".program"


class Interpreted(Toolchain):
    """Toolchain of a language whose sources are run as they are, once their syntax is checked."""

    def _keep(self, content: bytes, asked: Asked) -> Path:  # noqa: ARG002 - it is empty
        write_sources(asked.program, asked.folder / "program")
        return asked.folder / "program" / asked.program.entry


def write_sources(program: Program, folder: Path) -> None:
    """Write the sources, readable by a compiler under another user, too."""
    program.write(folder)
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (0, 0))  # which __TIMESTAMP__ reads


def says(*command: str) -> str:
    """Output of a tool of this machine, without blanks around it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip()


def outside_system(*paths: Path) -> tuple[Path, ...]:
    """Existing paths outside the folders every sandbox shows."""
    system = Path("/usr")
    real = dict.fromkeys(path.resolve() for path in paths if path.exists())
    return tuple(path for path in real if not path.is_relative_to(system))
