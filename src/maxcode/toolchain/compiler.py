"""Compiler: one run of g++ in a sandbox."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.system import missing_tool

MEMORY = 4 << 30  # bytes for all of a build; template-heavy code needs 1 to 2 GB
OUTPUT = 256 << 20  # bytes of what it makes
_SCRATCHES = 3  # of such: objects, executable, and what link-time optimization leaves between
_PROCESSES = 256  # link-time optimization starts some for each processor
# What is made leaves through a pipe, so that nothing hostile ever lies in a folder of ours. Memory
# fetched in large steps and pages saves a compiler some 6 % of its time. __DATE__ and __TIME__ are
# always those of the same second, so that a build depends on nothing but its source.
_SCRIPT = """
export TMPDIR="$PWD" MALLOC_TOP_PAD_=67108864 MALLOC_MMAP_THRESHOLD_=33554432
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1 SOURCE_DATE_EPOCH=0
cd "$1" && shift && "$@" -o "$TMPDIR/made" >&2 && exec cat "$TMPDIR/made"
"""
_WRAPPERS = ("ccache", "distcc", "icecc", "sccache")  # which need a home, a network, or both
_SYSTEM = Path("/usr")


@dataclass(frozen=True, slots=True)
class Compiling:
    """Time limit of a build, in seconds, and its processors (empty: any)."""

    timeout: float
    processors: tuple[int, ...] = ()


class Compiler:
    """g++ or another ``driver`` of GCC, at ``path``, in a sandbox.

    Raises :class:`~maxcode.errors.ToolError` when there is none.
    """

    def __init__(self, sandbox: Sandbox, driver: str = "g++") -> None:
        self.sandbox = sandbox
        self._language = "c++" if driver == "g++" else "c"
        self.path = _find(driver)
        real = self.path.resolve()
        self._own: tuple[Path, ...] = ()
        if _SYSTEM not in real.parents:
            self.path = real
            self._own = tuple(self._tree(real))

    def run(
        self, arguments: Sequence[str], folder: Path, how: Compiling, read: Sequence[Path] = ()
    ) -> Completed:
        """Run g++ in ``folder``, which it cannot change; its result is standard output.

        ``read`` are other folders it may read.
        """
        command = ["/bin/sh", "-c", _SCRIPT, "sh", str(folder), str(self.path), *arguments]
        return self.execute(command, (folder, *read), how)

    def execute(
        self, command: Sequence[str], read: Sequence[Path], how: Compiling, output: int = OUTPUT
    ) -> Completed:
        """Run any command within a build's limits; see :func:`execute`."""
        return execute(self.sandbox, command, (*read, *self._own), how, output)

    def identity(self, flags: Sequence[str]) -> str:
        """Everything besides source and flags that affects a build."""
        return "\n".join((self._version, *processor_facts(flags)))

    @cached_property
    def release(self) -> str:
        """The first line of ``--version``: name and version."""
        return self._say("--version").partition("\n")[0]

    @cached_property
    def _version(self) -> str:
        """Path, version, configuration, and modification times of system headers and libraries.

        An installation or upgrade changes the folder it puts files in.
        """
        about = self._say("-v", "-E", "-x", self._language, "/dev/null")
        libraries = self._say("-print-search-dirs").partition("libraries: =")[2]
        folders = [line[1:] for line in about.splitlines() if line.startswith(" /")]
        times = [
            f"{folder} {os.stat(folder).st_mtime_ns}"
            for folder in (*folders, *libraries.strip().split(":"))
            if os.path.isdir(folder)
        ]
        return "\n".join((str(self.path), about, *times))

    def _tree(self, real: Path) -> Iterator[Path]:
        """Folders a compiler outside /usr needs; never its whole tree, perhaps a home folder."""
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


def processor_facts(flags: Sequence[str]) -> list[str]:
    """Facts of this processor that affect a build with these flags."""
    if not any("native" in flag for flag in flags):
        return []
    facts = Path("/proc/cpuinfo").read_text("utf-8", "replace").split("\n\n")[0]
    return re.findall(r"^(?:vendor_id|cpu family|model\b|flags).*$", facts, re.MULTILINE)


def execute(
    sandbox: Sandbox,
    command: Sequence[str],
    read: Sequence[Path],
    how: Compiling,
    output: int = OUTPUT,
    *,
    runtime: bool = False,
) -> Completed:
    """Run a command within a build's limits, with read access to the folders ``read``.

    ``output`` is the maximum of bytes of a file or its output; its scratch folder may hold three
    times as much. A compiler in a ``runtime`` of its own may reserve address space.
    """
    limits = Limits(
        seconds=how.timeout,
        memory=MEMORY,
        output=output,
        scratch=_SCRATCHES * output,
        processes=_PROCESSES,
        processors=how.processors,
        address_space=not runtime,
    )
    return sandbox.run(command, limits, Files(read=tuple(read)))


def _find(driver: str) -> Path:
    found = (shutil.which(driver, path=folder) for folder in os.get_exec_path())
    for path in map(Path, filter(None, found)):
        if path.resolve().name not in _WRAPPERS:
            return path.absolute()
    raise missing_tool(driver)


_WIDTH, _LINES = 300, 40  # types in messages can be thousands of characters long
_NOISE = re.compile(
    r".*: (?:note|warning): (?!.*did you )|In file included from|.*: (?:In|At) |collect2:"
    r"|.*ld returned|compilation terminated|/\S+ +required from"
)
_PLACES = re.compile(r"^\S*/ld: |<artificial>:|/\S+\.o:|\(\.\S+\):(?= )|(?<!\S)\S*?\./(?=\S)")


def exhausted(completed: Completed) -> str:
    """Message about the limit a build exceeded, other than time; "" if none."""
    if completed.overfull:
        return f"the build needed more than {MEMORY / (1 << 30):.3g} GiB of memory and was stopped"
    if completed.flooded:
        return f"the build made more than {OUTPUT >> 20} MiB and was stopped"
    return ""


def problem(completed: Completed, how: Compiling) -> str:
    """Message about a build that failed; "" for a success."""
    if completed.timed_out:
        return f"the build did not end within {how.timeout:g} s"
    return exhausted(completed) or ("" if completed.ok else complaint(completed))


def complaint(completed: Completed) -> str:
    """A compiler's errors and the code it shows, without g++'s warnings and most of its notes."""
    text = completed.stderr.decode("utf-8", "replace").translate({0x2018: "'", 0x2019: "'"})
    kept, shown = list[str](), False
    for line in text.splitlines():
        if line.startswith((" ", "\t")):
            kept += [line.rstrip()[:_WIDTH]] if shown else []
            continue
        tidy = _PLACES.sub("", line).strip()[:_WIDTH]
        new = tidy not in kept and not _NOISE.match(tidy)
        kept += [tidy] if new else []
        shown = new and ": note: " not in tidy
    return "\n".join(kept[:_LINES]) or f"the build {completed.cause}"


def put(path: Path, content: bytes) -> Path:
    """Write a file readable by a compiler under another user, too; returns its path."""
    readable(path.parent)
    path.write_bytes(content)
    path.chmod(0o644)
    return path


def readable(folder: Path) -> None:
    """Make a folder, and all missing parents, readable by others."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in missing:
        one.chmod(0o755)


def runnable(executable: Path) -> Path:
    """Make a file just written executable for anybody, and wait until it can be run.

    A process started by another thread briefly holds our descriptors, and a file open for writing
    anywhere cannot be run. A lease is granted only without writers.
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
