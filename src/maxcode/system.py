"""What maxcode needs of the machine: installed programs and libraries, user folders, processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import socket
import subprocess
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from platformdirs import user_cache_path

from maxcode.errors import ToolError

_PACKAGES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {  # what people call the program, and the package it comes in
        "addr2line": ("addr2line", "binutils"),
        "bwrap": ("bubblewrap", "bubblewrap"),
        "g++": ("g++", "g++"),
        "git": ("git", "git"),
        "valgrind": ("valgrind", "valgrind"),
    }
)


def find_tool(program: str, otherwise: str = "") -> str:
    """The program's path; raises what :func:`missing_tool` gives when there is none."""
    found = shutil.which(program)
    if found is None:
        raise missing_tool(program, otherwise)
    return found


def missing_tool(program: str, otherwise: str = "") -> ToolError:
    """The error that says what is missing, how to install it, and what to do ``otherwise``."""
    name, _ = _PACKAGES[program]
    said = f"{name} is not installed; on Debian and Ubuntu: {installation(program)}"
    return ToolError(f"{said}; or {otherwise}" if otherwise else said)


def check_libraries(needs: str, libraries: Sequence[str], extra: str) -> None:
    """Raise :class:`ToolError` where one is missing: ``needs``, as in "plots need", and which.

    ``extra`` is the one that they are installed with.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        named = " and ".join(missing)
        raise ToolError(f"{needs} {named}, missing here: pip install 'maxcode[{extra}]'")


def own_program(package: str, sources: tuple[str, ...], purpose: str) -> Path:
    """A program of ours, built once on a machine of the C++ ``sources`` in a package.

    The first is compiled and includes the others. Raises :class:`ToolError` when it cannot be built
    here, which says that it is the one that ``purpose``.
    """
    digest, texts = _own_sources(package, sources)
    stem = Path(sources[0]).stem
    path = cache_folder() / f"{stem}-{digest}"
    if not path.exists():
        _build_own(texts, path, stem, purpose)
    return path


@cache
def _own_sources(package: str, names: tuple[str, ...]) -> tuple[str, dict[str, bytes]]:
    """A name for what is built of them on this machine, and their texts."""
    texts = {name: resources(package).joinpath(name).read_bytes() for name in names}
    seed = b"".join([*texts.values(), platform.platform().encode()])
    return hashlib.sha256(seed).hexdigest()[:16], texts


def _build_own(texts: Mapping[str, bytes], path: Path, stem: str, purpose: str) -> None:
    command = [find_tool("g++"), "-std=c++17", "-O2", "-s", next(iter(texts)), "-o", stem]
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{stem}-") as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_bytes(text)
        for static in (["-static"], []):  # starts sooner; some systems have no static C library
            done = subprocess.run([*command, *static], cwd=folder, capture_output=True, check=False)
            if done.returncode == 0:
                (Path(folder) / stem).replace(path)  # at once: nobody finds half of it
                return
    output = done.stderr.decode("utf-8", "replace").strip()[:2000]
    raise ToolError(f"g++ cannot build the program that {purpose}:\n{output}")


def installation(program: str) -> str:
    """The command that installs it."""
    return f"apt install {_PACKAGES[program][1]}"


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
    """A new, private folder, at ``path``, that is removed with this object or with this process.

    It lies in ``place``, the system's temporary folder unless given, and its name begins with
    ``prefix``. Folders of that kind whose process was killed are removed first: each process that
    lives holds a lock on its own.
    """

    def __init__(self, prefix: str, place: Path | None = None) -> None:
        place = place or Path(tempfile.gettempdir())
        _sweep(place, prefix)
        self.path, lock = _locked_folder(place, prefix)
        self._gone = weakref.finalize(self, _remove, self.path, lock)

    def remove(self) -> None:
        """Remove it with all that is in it; once is enough."""
        self._gone()


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


def _sweep(place: Path, prefix: str) -> None:
    for folder in _own(place, prefix):
        lock = _locked(folder)
        if lock is not None:
            _remove(folder, lock)


def _own(place: Path, prefix: str) -> Iterator[Path]:
    for folder in place.glob(f"{prefix}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.geteuid():
                yield folder


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def identity(pid: int | None = None) -> str:
    """Host, boot and namespace, process id and start time of a process; "" if it is gone.

    The start time distinguishes a process from a later one of the same id, and the namespace of
    process ids those of two containers. One that has ended, but that its parent has not asked about
    yet, is gone.
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
    """What this process shares with those whose ids it can see."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return ""
    return f"{socket.gethostname()}:{boot}.{namespace}"


def here(process: str) -> bool:
    """Whether a process of that identity would be seen by this one, if it still ran."""
    host, _, rest = process.partition(":")
    boot = rest.partition(":")[0]
    own_host, _, own_boot = _place().partition(":")
    # Identities of older versions do not say which namespace.
    return bool(own_host) and host == own_host and boot in (own_boot, own_boot.partition(".")[0])


def alive(process: str) -> bool:
    """Whether the process of that identity runs on this machine; False when it cannot be known."""
    pid = process.split(":")[2] if process.count(":") == 3 else ""
    if not pid.isdigit() or not here(process):
        return False
    return identity(int(pid)).partition(":")[2].partition(":")[2] == process.split(":", 2)[2]
