"""Access to the machine: installed programs and libraries, user folders, processes, signals."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from types import FrameType

from platformdirs import user_cache_path

from maxcode.errors import ToolError

_PACKAGES = {  # of Debian, where the program has another name
    "addr2line": "binutils",
    "bwrap": "bubblewrap",
    "go": "golang-go",
    "javac": "default-jdk-headless",
    "node": "nodejs",
    "nvcc": "nvidia-cuda-toolkit",
}


def find_tool(program: str, otherwise: str = "") -> str:
    """Path of the program; raises the error of :func:`missing_tool` when there is none."""
    found = shutil.which(program)
    if found is None:
        raise missing_tool(program, otherwise)
    return found


def missing_tool(program: str, otherwise: str = "") -> ToolError:
    """Error about a missing program: how to install it, and what to do ``otherwise``."""
    name = "bubblewrap" if program == "bwrap" else program
    said = f"{name} is not installed; on Debian and Ubuntu: {installation(program)}"
    return ToolError(f"{said}; or {otherwise}" if otherwise else said)


def check_libraries(needs: str, libraries: Sequence[str], extra: str) -> None:
    """Raise :class:`ToolError` naming missing ``libraries`` and ``needs``, as in "plots need".

    ``extra`` is the extra to install them with.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        named = " and ".join(missing)
        raise ToolError(f"{needs} {named}, missing here: pip install 'maxcode[{extra}]'")


def python_executable() -> Path:
    """Real Python of this process, outside any virtual environment."""
    return Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()


def standard_library(home: Path) -> Iterator[Path]:
    """Python's standard library, and the C libraries beside it."""
    standard = Path(sysconfig.get_path("stdlib")).resolve()
    libraries = Path(sys.base_prefix).resolve() / "lib"
    if home.is_relative_to(libraries.parent):  # no prefix of its own: anything may lie there
        yield standard
        yield from (path.resolve() for path in libraries.glob("libpython*.so*"))
    else:
        yield libraries
        if not standard.is_relative_to(libraries):
            yield standard


def own_program(package: str, sources: tuple[str, ...], purpose: str) -> Path:
    """A program of ours, built once on a machine from the C++ ``sources`` in a package.

    The first is compiled and includes the others, by g++ or, where it is missing, clang++. Raises
    :class:`ToolError` when it cannot be built here, with the program's ``purpose``.
    """
    folder = Path(str(resources(package)))
    content = b"".join((folder / name).read_bytes() for name in sources)
    digest = hashlib.sha256(content + platform.platform().encode()).hexdigest()[:16]
    path = cache_folder() / f"{Path(sources[0]).stem}-{digest}"
    if not path.exists():
        _build_own(folder / sources[0], path, purpose)
    return path


def _build_own(source: Path, path: Path, purpose: str) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++") or find_tool("g++")
    with ScratchFolder("maxcode-program-", path.parent) as folder:
        made = folder / path.name
        command = [compiler, "-std=c++17", "-O2", "-s", str(source), "-o", str(made)]
        for static in (["-static"], []):  # starts sooner; some systems have no static C library
            done = subprocess.run([*command, *static], capture_output=True, check=False)
            if done.returncode == 0:
                made.replace(path)  # at once: nobody finds half of it
                return
    output = done.stderr.decode("utf-8", "replace").strip()[:2000]
    raise ToolError(f"{Path(compiler).name} cannot build the program that {purpose}:\n{output}")


def installation(program: str) -> str:
    """Command to install it."""
    return f"apt install {_PACKAGES.get(program, program)}"


def cache_folder() -> Path:
    """The user's cache folder for maxcode, made if need be; XDG_CACHE_HOME moves it.

    Raises :class:`ToolError` when it cannot be written.
    """
    folder = user_cache_path("maxcode")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"the cache folder {folder} cannot be made ({error.strerror}); "
            "set XDG_CACHE_HOME to a folder that may be written"
        ) from error
    return folder


class ScratchFolder:
    """A new, private folder, at ``path``, removed with this object or with this process.

    It lies in ``place``, by default the system's temporary folder, with a name beginning with
    ``prefix``. Its lock tells folders of killed processes apart, which the first folder of this
    prefix in a later process removes. A context manager, of its path.
    """

    def __init__(self, prefix: str, place: Path | None = None) -> None:
        place = place or Path(tempfile.gettempdir())
        _sweep(place, prefix, os.getpid())
        self.path, lock = _locked_folder(place, prefix)
        self._gone = weakref.finalize(self, _remove, self.path, lock)

    def remove(self) -> None:
        """Remove it with its whole content; once is enough."""
        self._gone()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def _locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        lock = _locked(folder)
        if lock is not None:
            if folder.exists():  # nobody swept it away before it was locked
                return folder, lock
            os.close(lock)


def _locked(folder: Path) -> int | None:
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None


@cache
def _sweep(place: Path, prefix: str, pid: int) -> None:  # noqa: ARG001 - once a process
    """Remove the folders of this user's killed processes."""
    with suppress(OSError):
        for folder in [one for one in place.iterdir() if one.name.startswith(prefix)]:
            own = folder.lstat().st_uid == os.geteuid()
            if own and (lock := _locked(folder)) is not None:
                _remove(folder, lock)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():  # programs may make folders that not even their user may enter
        for within, names, _ in os.walk(folder):
            for path in (Path(within, name) for name in names):
                if not path.is_symlink():
                    with suppress(OSError):
                        path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def identity(pid: int | None = None) -> str:
    """Host, boot and namespace, process id and start time of a process; "" if it is gone.

    The namespace tells containers apart, the start time later processes of the same id. A process
    that ended is gone, even if its parent has not asked yet.
    """
    pid = os.getpid() if pid is None else pid
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    from_state_on = stat.rpartition(")")[2].split()  # fields 3 and up of proc(5)
    state, started = from_state_on[0], from_state_on[19]
    place = _place()
    return "" if state in "ZX" or not place else f"{place}:{pid}:{started}"


def _place() -> str:
    """Host, boot and namespace of process ids, shared by all processes visible to this one."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return ""
    return f"{socket.gethostname()}:{boot}.{namespace}"


def here(process: str) -> bool:
    """Whether this process would see a process of this identity, if it still ran."""
    place = _place()
    return bool(place) and process.startswith(f"{place}:")


def alive(process: str) -> bool:
    """Whether the process of this identity runs on this machine; False when unknown."""
    pid = process.split(":")[2] if process.count(":") == 3 else ""
    return pid.isdigit() and identity(int(pid)) == process


_GRACE = 1.0  # seconds between a second Ctrl-C and the end


class Interrupts:
    """While entered, the first SIGINT, SIGTERM or SIGHUP calls ``first``, raises KeyboardInterrupt.

    The next calls ``leaving`` and ends the process after a second, in which answers that have
    arrived are written. Both functions must be safe to call between any two instructions. Where
    SIGHUP is ignored, as under nohup, it stays so.
    """

    def __init__(
        self,
        first: Callable[[], object] = lambda: None,
        leaving: Callable[[], object] = lambda: None,
    ) -> None:
        self.received: int | None = None
        self._first = first
        self._leaving = leaving
        self._before: dict[signal.Signals, signal._HANDLER] = {}

    @property
    def exit_code(self) -> int | None:
        """128 and the signal's number, as shells count; None when nothing came."""
        return None if self.received is None else 128 + self.received

    def __enter__(self) -> Interrupts:
        ends = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            ends.append(signal.SIGHUP)
        for number in ends:
            self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *exc: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _receive(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if number == signal.SIGHUP:
            _leave_terminal()
        if self.received is not None:
            self._leaving()
            # Not here: this thread may hold what those who write answers wait for.
            timer = Timer(_GRACE, os._exit, (128 + number,))
            timer.daemon = True
            timer.start()
            return
        self.received = number
        self._first()
        raise KeyboardInterrupt


def _leave_terminal() -> None:
    """Redirect output from a closed terminal, where each write is an error."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if os.isatty(stream.fileno()):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
