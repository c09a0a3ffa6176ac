"""Compiler: one run of g++ in a sandbox."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.tools import missing_tool

MEMORY = 4 << 30  # bytes for all of a build; template-heavy code needs 1 to 2 GB
OUTPUT = 256 << 20  # bytes of what it makes
_SCRATCHES = 3  # of such: objects, executable, and what link-time optimization leaves between
_PROCESSES = 256  # link-time optimization starts some for each processor
# What is made leaves through a pipe, so that nothing hostile ever lies in a folder of ours. Memory
# fetched in large steps and pages saves a compiler some 6 % of its time.
_SCRIPT = """
export TMPDIR="$PWD" MALLOC_TOP_PAD_=67108864 MALLOC_MMAP_THRESHOLD_=33554432
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
cd "$1" && shift && "$@" -o "$TMPDIR/made" >&2 && exec cat "$TMPDIR/made"
"""
_WRAPPERS = ("ccache", "distcc", "icecc", "sccache")  # which need a home, a network, or both
_SYSTEM = Path("/usr")


class Compiler:
    """g++, at ``path``, in a sandbox.

    Raises :class:`~maxcode.errors.ToolError` when there is none.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.path = _find()
        real = self.path.resolve()
        self._own: tuple[Path, ...] = ()
        if _SYSTEM not in real.parents:
            self.path = real
            self._own = tuple(self._tree(real))

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        timeout: float,
        processors: tuple[int, ...] = (),
        read: Sequence[Path] = (),
    ) -> Completed:
        """Run g++ in ``folder``, which it cannot change; what it makes is standard output.

        ``timeout`` in seconds; ``read`` are other folders that it may read.
        """
        command = ["/bin/sh", "-c", _SCRIPT, "sh", str(folder), str(self.path), *arguments]
        return self.execute(command, (folder, *read), timeout=timeout, processors=processors)

    def execute(
        self,
        command: Sequence[str],
        read: Sequence[Path],
        *,
        timeout: float,
        processors: tuple[int, ...] = (),
        output: int = OUTPUT,
    ) -> Completed:
        """Run any command within a build's limits, where it may read the folders ``read``.

        ``output`` is the most bytes that a file or its output may hold; it may make three of that.
        """
        limits = Limits(
            seconds=timeout,
            memory=MEMORY,
            output=output,
            scratch=_SCRATCHES * output,
            processes=_PROCESSES,
            processors=processors,
        )
        return self.sandbox.run(command, limits, Files(read=(*read, *self._own)))

    def identity(self, flags: Sequence[str]) -> str:
        """What besides source and flags decides on the outcome of a build, as a digest."""
        parts = [self._version]
        if any("native" in flag for flag in flags):
            facts = Path("/proc/cpuinfo").read_text("utf-8", "replace").split("\n\n")[0]
            parts += re.findall(r"^(?:vendor_id|cpu family|model\b|flags).*$", facts, re.MULTILINE)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def release(self) -> str:
        """The first line of what it says of itself: name and version."""
        return self._say("--version").partition("\n")[0]

    @cached_property
    def _version(self) -> str:
        """Path, version and configuration, and when the system's headers and libraries changed.

        An installation or upgrade changes the folder it puts files in.
        """
        about = self._say("-v", "-E", "-x", "c++", "/dev/null")
        libraries = self._say("-print-search-dirs").partition("libraries: =")[2]
        folders = [line[1:] for line in about.splitlines() if line.startswith(" /")]
        times = [
            f"{folder} {os.stat(folder).st_mtime_ns}"
            for folder in (*folders, *libraries.strip().split(":"))
            if os.path.isdir(folder)
        ]
        return "\n".join((str(self.path), about, *times))

    def _tree(self, real: Path) -> Iterator[Path]:
        """What a compiler of its own place needs of it; never all, which may be a home folder."""
        yield real.parent
        for name in ("include", "lib", "lib64", "libexec", self._say("-dumpmachine").strip()):
            if name and (folder := real.parent.parent / name).is_dir():
                yield folder

    def _say(self, *arguments: str) -> str:
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}
        asked = subprocess.run(
            [self.path, *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
        return (asked.stderr + asked.stdout).decode("utf-8", "replace")


def _find() -> Path:
    for path in _candidates():
        if path.resolve().name not in _WRAPPERS:
            return path
    raise missing_tool("g++")


def _candidates() -> Iterator[Path]:
    for folder in os.get_exec_path():
        if found := shutil.which("g++", path=folder):
            yield Path(found).absolute()
