"""Compiler: one run of g++ in a sandbox."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from maxcode.program import Program
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.system import missing_tool
from maxcode.text import counted

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
_AS_PROJECT = (
    "have clang++, which is installed, build it as a project: maxcode init FOLDER "
    "--build 'clang++ -O2 -o program *.cpp' --command './program < input.txt'"
)
_WRAPPERS = ("ccache", "distcc", "icecc", "sccache")  # which need a home, a network, or both
_SYSTEM = Path("/usr")


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
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        timeout: float,
        processors: tuple[int, ...] = (),
        read: Sequence[Path] = (),
    ) -> Completed:
        """Run g++ in ``folder``, which it cannot change; its result is standard output.

        ``timeout`` in seconds; ``read`` are other folders it may read.
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
        """Run any command within a build's limits, with read access to the folders ``read``.

        ``output`` is the maximum of bytes of a file or its output; its scratch folder may hold
        three times as much.
        """
        return execute(
            self.sandbox,
            command,
            (*read, *self._own),
            timeout=timeout,
            processors=processors,
            output=output,
        )

    def identity(self, flags: Sequence[str]) -> str:
        """Digest of everything besides source and flags that affects a build."""
        parts = [self._version, *processor_facts(flags)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

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
    *,
    timeout: float,
    processors: tuple[int, ...] = (),
    output: int = OUTPUT,
    runtime: bool = False,
) -> Completed:
    """Run a command within a build's limits, with read access to the folders ``read``.

    ``output`` is the maximum of bytes of a file or its output; its scratch folder may hold three
    times as much. A compiler in a ``runtime`` of its own may reserve address space.
    """
    limits = Limits(
        seconds=timeout,
        memory=MEMORY,
        output=output,
        scratch=_SCRATCHES * output,
        processes=_PROCESSES,
        processors=processors,
        address_space=not runtime,
    )
    return sandbox.run(command, limits, Files(read=tuple(read)))


def _find(driver: str) -> Path:
    for path in _candidates(driver):
        if path.resolve().name not in _WRAPPERS:
            return path
    raise missing_tool(driver, _AS_PROJECT if shutil.which("clang++") else "")


def _candidates(driver: str) -> Iterator[Path]:
    for folder in os.get_exec_path():
        if found := shutil.which(driver, path=folder):
            yield Path(found).absolute()


_WIDTH = 300  # characters of a line: types in messages can be thousands long
_LINES = 40
_UNPARSED = 2000
_NO_MEMORY = re.compile(rb"out of memory allocating|memory exhausted|annot allocate memory")
_NO_SPACE = re.compile(rb"File size limit exceeded|File too large|No space left on device")
_ERROR = re.compile(
    r"\S.*?: (fatal error|internal compiler error|[Ee]rror|sorry, unimplemented): (?!ld returned)"
    r"|.*(undefined reference to|multiple definition of|cannot find -l)"
)
_HINT = re.compile(r".*: note: .*did you ")
_NEEDED = re.compile(r"(\S+?):(\d+):\d+:\s+required from here")
_OLDER = re.compile(r"ISO C\+\+(?:11|14|17|20|23) does not allow|reference to 'byte' is ambiguous")
_NEWER = re.compile(
    r"only (?:available )?(?:from|with) '?(?:-std=)?[cC]\+\+(\d\d)|ISO C\+\+ 20(11) standard"
)
_IN_FUNCTION = re.compile(r"(?:\S*ld: )?\S+: in function (`.*'):$")
_LINKERS_OWN = re.compile(r"^\S*/ld: |<artificial>:|/\S+\.o:|\(\.\S+\):(?= )")
_OUR_FOLDER = re.compile(r"(?<!\S)\S*?\./(?=\S)")


def exhausted(completed: Completed) -> str:
    """Message about the limit a build exceeded, other than time; "" if none."""
    if completed.overfull or (not completed.ok and _NO_MEMORY.search(completed.stderr)):
        return f"the build needed more than {MEMORY / (1 << 30):.3g} GiB of memory and was stopped"
    if completed.flooded or (not completed.ok and _NO_SPACE.search(completed.stderr)):
        return f"the build made more than {OUTPUT >> 20} MiB and was stopped"
    return ""


def complaint(completed: Completed, program: Program) -> str:
    """Errors with the code shown by g++, without its notes; and the number of further ones.

    An error inside a library is followed by the place in the program that led there.
    """
    output = _plain(completed.stderr)
    lines = [line.rstrip()[:_WIDTH] for line in _essence(output.splitlines(), program)]
    kept, left = lines[:_LINES], sum(map(bool, map(_ERROR.match, lines[_LINES:])))
    if left:
        kept.append(f"and {counted(left, 'further error')}")
    return "\n".join(kept) or output.strip()[:_UNPARSED] or f"the build {completed.cause}"


def standard_hint(output: bytes) -> str:
    """Text of the C++ standard g++'s errors ask for; "" if none."""
    text = _plain(output)
    if found := _NEWER.search(text):
        return f"it needs a newer standard of C++: -std=c++{found[1] or found[2]}"
    if _OLDER.search(text):
        return "it is written for an older standard of C++: try -std=c++11 or -std=c++14"
    return ""


def _plain(output: bytes) -> str:
    """Text of g++ with straight quotes."""
    return output.decode("utf-8", "replace").translate({0x2018: "'", 0x2019: "'"})


def _essence(lines: list[str], program: Program) -> Iterator[str]:
    shown, keeping, function = set[str](), False, ""
    needed: re.Match[str] | None = None
    for line in lines:
        if found := _NEEDED.match(line):
            needed, keeping = found, False
        elif found := _IN_FUNCTION.match(line):
            function, keeping = found[1], False
        elif _ERROR.match(line):
            message = _tidy(line, function)
            keeping = message not in shown
            if not keeping:
                continue
            shown.add(message)
            yield message
            if needed:
                yield from _place(needed, program)
                keeping = not line.startswith("/")  # the library's code is of no help then
            needed = None
        elif line.startswith((" ", "\t")):
            if keeping:
                yield line
        else:
            if shown and _HINT.match(line):
                yield _tidy(line)
            keeping = False


def _place(needed: re.Match[str], program: Program) -> Iterator[str]:
    path, number = _tidy(needed[1]), int(needed[2])
    yield re.sub(r":\s+", ": ", _tidy(needed[0]))
    lines = program.files.get(path, "").split("\n")
    if 0 < number <= len(lines):
        yield f"{number:5} | {lines[number - 1]}"


def _tidy(line: str, function: str = "") -> str:
    """A line without build folders and the linker's prefixes."""
    shorter = _OUR_FOLDER.sub("", _LINKERS_OWN.sub("", line)).strip()
    if function and "undefined reference" in shorter:
        shorter += f" in {function}"
    return shorter


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
