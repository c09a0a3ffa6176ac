"""Gxx: building C++ programs with g++."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.base import Limits, Sandbox

_SOURCES = (".cpp", ".cc", ".cxx")
_MEMORY = 4 << 30  # address space of a compiler; template-heavy code needs 1 to 2 GB


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build: the path of the executable, or what the compiler complained of."""

    executable: Path | None
    errors: str = ""
    timed_out: bool = False


class Gxx:
    """g++ in a sandbox, each program built once for each set of flags.

    ``folder`` is where everything is built and kept; it belongs to the caller. Safe to use from
    several threads. Raises :class:`~maxcode.errors.ToolError` when there is no g++.
    """

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        found = shutil.which("g++")
        if found is None:
            raise ToolError("g++ is not installed; on Debian and Ubuntu: apt install g++")
        self._compiler = found
        self._sandbox = sandbox
        self._folder = folder
        self._built: dict[str, Built] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def build(self, program: Program, flags: Sequence[str], timeout: float) -> Built:
        """Compile and link all sources of a program; ``timeout`` in seconds."""
        key = hashlib.sha256("\0".join((program.digest, *flags)).encode()).hexdigest()[:24]
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:  # whoever asks for a program that is being built waits for that build
            built = self._built.get(key)
            if built is None or built.timed_out:  # which may have been the machine's fault
                built = self._compile(program, flags, timeout, self._folder / key)
                self._built[key] = built
            return built

    def _compile(
        self, program: Program, flags: Sequence[str], timeout: float, folder: Path
    ) -> Built:
        program.write(folder / "src")
        # "./" so that no file name reads as an option; sources first, so that -l flags find them
        sources = [f"./{path}" for path in program.files if path.endswith(_SOURCES)]
        executable = folder / "program"
        command = [self._compiler, *sources, *flags, "-o", str(executable)]
        limits = Limits(seconds=timeout, memory=_MEMORY, output=256 << 20)
        completed = self._sandbox.run(command, folder / "src", limits)
        shutil.rmtree(folder / "src")
        if completed.ok:
            return Built(executable)
        executable.unlink(missing_ok=True)
        if completed.timed_out:
            return Built(None, f"the build did not end within {timeout:g} s", timed_out=True)
        return Built(None, _first_errors(completed.stderr.decode("utf-8", "replace")))


def _first_errors(output: str, most: int = 3) -> str:
    """The first errors with the lines of code that follow each, without the notes behind them."""
    kept: list[str] = []
    errors, keeping = 0, False
    for line in output.splitlines():
        if re.match(r"\S.*?: (fatal )?error:|\S*: undefined reference|collect2: error", line):
            errors, keeping = errors + 1, True
        elif not line.startswith((" ", "\t")):
            keeping = ": undefined reference" in line
        if errors > most:
            break
        if keeping:
            kept.append(line[:300])
    return "\n".join(kept[:40]) or output.strip()[:2000]
