"""BubblewrapSandbox: namespaces of its own for every run, by bubblewrap."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from random import SystemRandom

from maxcode.errors import ToolError
from maxcode.sandbox.launch import Isolation, supervisor
from maxcode.sandbox.process import SupervisedSandbox
from maxcode.sandbox.runs import Files, Limits
from maxcode.system import find_tool

_NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--as-pid-1", "--die-with-parent", "--new-session"),
)
_READ_ONLY = ("/usr", "/etc/alternatives", "/etc/ld.so.cache")
_TOP = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")  # links into /usr, or folders of old
_PRIVATE = "/tmp"  # noqa: S108 - inside it is the program's own
_SHARED = "/dev/shm"  # noqa: S108 - for shm_open
_SWITCHES_OF_PROC = tuple(
    f"/proc/{name}"
    for name in ("sys", "sysrq-trigger", "irq", "bus", "acpi", "fs", "scsi", "asound")
)
_MADE = (Path("/"), Path(_PRIVATE))
_USERS = (61_184, 65_519)  # what systemd takes for its dynamic users: nobody's
_INSIDE = "1000"  # not 0, to whom more is open
# The supervisor's; the program has none. To make calls in its place and namespaces for it, and for
# the administrator to be another user.
_CAPABILITIES = ("CAP_SYS_PTRACE", "CAP_SYS_ADMIN")
_OF_ADMINISTRATOR = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_SYS_NICE")
_ACCEPT = "accept mere limits: --sandbox process, in Python ProgramExecutor(ProcessSandbox())"
_LOADERS = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}
_LOADER = _LOADERS.get(platform.machine(), "/usr/bin/ldd")
_COMMON = ("/etc/ld.so.cache", "/bin/sh", "/usr/lib/locale/locale-archive")  # found by themselves
_UNWINDER = "libgcc_s.so.1"  # glibc opens it itself, for pthread_exit and backtrace
_LOCALE = Path("/usr/lib/locale/C.utf8")  # of LANG
_MAX_LIBRARIES, _MAX_LIBRARY, _MAX_KNOWN = 64, 256 << 20, 256
_SWITCHES = {  # what forbids user namespaces, and what it should be
    "kernel/unprivileged_userns_clone": ("0", "kernel.unprivileged_userns_clone=1"),
    "user/max_user_namespaces": ("0", "user.max_user_namespaces=10000"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
}
_draw = SystemRandom()


class BubblewrapSandbox(SupervisedSandbox):
    """Runs a command where it sees the system, its own files, and nothing else.

    New user, process, network, ipc, uts and cgroup namespaces; the system read-only, without home
    folders, configuration or any devices but those it is given; a private folder of bounded size; a
    nearly empty environment; no inherited descriptor; no new privileges; a filter of system calls
    on x86-64 and ARM64; and a supervisor as process 1, so that all ends with it. Before Linux 5.14
    a user's other processes count against a run's limit.

    If the administrator (root) searches, each run has a user id of its own instead of a user
    namespace: in it a run would still own root's files, and Linux would not limit its processes.

    Raises :class:`~maxcode.errors.ToolError` when bubblewrap is missing or may not do its work.
    """

    isolated = True

    def __init__(self) -> None:
        self._bwrap = find_tool("bwrap", _ACCEPT)
        supervisor()  # so that what is wrong with g++ is not reported of bubblewrap
        self._administrator = _is_administrator()
        self._system = list(_system())
        self._user = list(self._user_options())
        self._libraries = lru_cache(_MAX_KNOWN)(self._listed)
        self._probe()

    @contextmanager
    def isolation(self, limits: Limits, files: Files) -> Iterator[Isolation]:
        """bubblewrap; see :meth:`SupervisedSandbox.isolation`."""
        if self._administrator:
            written = [mount.path for mount in files.mounts if mount.writable]
            for file in (*files.write, *written):
                file.chmod(0o666)  # for the run's own user
        alone = self._copied(files.program) if files.program and files.alone else ()
        yield Isolation(
            (self._bwrap, *_NAMESPACES, *self._user, *self._view(limits, files), "--"),
            uid=_draw.randint(*_USERS) if self._administrator else None,
            processes=limits.processes,
            alone=alone,
        )

    def _copied(self, program: Path) -> tuple[Path, ...]:
        """The program and its files of the system, by the loader's report."""
        try:
            facts = program.stat()
        except OSError as error:
            raise ToolError(f"{program}: {error.strerror}") from error
        return self._libraries(program, facts.st_mtime_ns, facts.st_size)

    def _listed(self, program: Path, *_facts: int) -> tuple[Path, ...]:
        listed = self.run([_LOADER, "--list", str(program)], Limits(), Files(read=(program,)))
        found = tuple(path for path in map(Path, _needed(listed.stdout)) if _is_of_system(path))
        if found:
            beside = {path.with_name(_UNWINDER): None for path in found}
            common = (*map(Path, _COMMON), *sorted(_LOCALE.rglob("*")), *beside)
            found += tuple(path for path in common if path.is_file() and path not in found)
        return (program, *found)

    def _user_options(self) -> Iterator[str]:
        yield from ("--cap-drop", "ALL")  # which root has, even if only of a namespace
        if self._administrator:
            for capability in (*_CAPABILITIES, *_OF_ADMINISTRATOR):
                yield from ("--cap-add", capability)
            return
        for capability in _CAPABILITIES:
            yield from ("--cap-add", capability)
        yield from ("--unshare-user", "--uid", _INSIDE, "--gid", _INSIDE)
        yield "--disable-userns"

    def _view(self, limits: Limits, files: Files) -> Iterator[str]:
        """The file system, from the bottom up."""
        yield from self._system
        for place in (_PRIVATE, _SHARED):
            yield from ("--perms", "1777", "--size", str(limits.scratch), "--tmpfs", place)
        binds = {
            **dict.fromkeys((supervisor(), *files.read), "--ro-bind"),
            **dict.fromkeys([files.program] if files.program else [], "--ro-bind"),
            **dict.fromkeys(files.write, "--bind"),
            **dict.fromkeys(files.devices, "--dev-bind"),
        }
        for above in dict.fromkeys(p for path in binds for p in reversed(path.parents)):
            if above not in _MADE:
                yield from ("--perms", "0755", "--dir", str(above))
        for path, bind in binds.items():
            yield from (bind, str(path), str(path))
        for empty in files.folders:
            size = ("--size", str(limits.scratch))
            yield from ("--perms", "0777", *size, "--tmpfs", str(empty))
        yield from _mounted(files)
        # /proc has switches of the machine. The CUDA driver gives up where it cannot name threads
        # there, so beside a device only the switches are closed.
        closed = _SWITCHES_OF_PROC if files.devices else ()
        for path in filter(Path.exists, map(Path, closed)):
            yield from ("--ro-bind", str(path), str(path))
        for folder in ("/", "/dev", "/dev/pts", *(() if files.devices else ("/proc",))):
            yield from ("--remount-ro", folder)
        yield from ("--chdir", _PRIVATE)

    def _probe(self) -> None:
        """Raise :class:`ToolError` with the obstacle unless a program can be run."""
        try:
            ended = self.run(["/usr/bin/env", "true"], Limits(seconds=20))
        except ToolError as error:
            raise ToolError(f"bubblewrap {_why(str(error))} ({error}). Or {_ACCEPT}") from error
        if not ended.ok:
            output = ended.stderr.decode("utf-8", "replace").strip()
            raise ToolError(
                f"bubblewrap does not work here: running 'true' {ended.cause}. {output} "
                f"Or {_ACCEPT}"
            )


def _mounted(files: Files) -> Iterator[str]:
    """Each mount with the folders around it, unless they are in another mount."""
    seen: list[Path] = []
    made = {*_MADE, *files.folders}
    for mount in files.mounts:
        for above in reversed(mount.at.parents):
            if above not in made and not any(above.is_relative_to(one) for one in seen):
                made.add(above)
                own = any(above.is_relative_to(folder) for folder in files.folders)
                perms = "0777" if own else "0755"
                yield from ("--perms", perms, "--dir", str(above))
        seen.append(mount.at)
        bind = "--bind" if mount.writable else "--ro-bind"
        yield from (bind, str(mount.path), str(mount.at))


def _why(output: str) -> str:
    """Probable obstacle to bubblewrap, by its output."""
    if "nknown option" in output:
        return "is too old: 0.8 or newer is needed"
    for name, (forbidding, remedy) in _SWITCHES.items():
        switch = Path("/proc/sys", name)
        if switch.exists() and switch.read_text().strip() == forbidding:
            return f"is installed, but user namespaces are forbidden here: sysctl {remedy}"
    return (
        "is installed, but may not isolate programs here; is this a container without the right "
        "to make namespaces (docker run --privileged)?"
    )


def _needed(listed: bytes) -> list[str]:
    """Linked files by a loader's report: ``NAME => PATH (0x7f...)``."""
    lines = listed.decode("utf-8", "replace").splitlines()[:_MAX_LIBRARIES]
    found = (re.search(r"(/\S+) \(0x[0-9a-f]+\)$", line) for line in lines)
    return [one[1] for one in found if one]


def _is_of_system(path: Path) -> bool:
    """Whether it is a file of the system for programs to read, and no huge one."""
    with suppress(OSError):
        real = path.resolve(strict=True)
        below = any(real.is_relative_to(folder) for folder in ("/usr", *_TOP))
        return below and real.is_file() and real.stat().st_size <= _MAX_LIBRARY
    return False


def _is_administrator() -> bool:
    """Whether this is root, and of more than a namespace with a single user.

    Raises :class:`ToolError` for root as the only user of a namespace: Linux would not limit the
    processes of a run, which would still be root for it.
    """
    if os.geteuid() != 0:
        return False
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    rows = [tuple(map(int, line.split())) for line in lines]
    if any(first <= _USERS[0] and _USERS[1] < first + count for first, _, count in rows):
        return True
    if any(first == outside == 0 for first, outside, _ in rows):
        raise ToolError(
            "bubblewrap cannot limit processes for the administrator in a namespace without other "
            f"users; run this as an ordinary user, or where there are others. Or {_ACCEPT}"
        )
    return False


def _system() -> Iterator[str]:
    yield from ("--perms", "0755", "--dir", "/etc")
    for path in map(Path, _READ_ONLY):
        if path.exists():
            yield from ("--ro-bind", str(path), str(path))
    for path in map(Path, _TOP):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--proc", "/proc", "--dev", "/dev")
