"""The warden: the small program that starts a command, limits it, ends it, and reports on it.

It is written in C++ (``warden.cpp``) because it lives inside the sandbox, where it has to be small,
quick and out of reach of what it guards; it is built once for each machine and kept in the cache.
"""

from __future__ import annotations

import hashlib
import math
import os
import platform
import re
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from importlib.resources import files as resources
from pathlib import Path
from types import MappingProxyType
from typing import IO

from maxcode.errors import ExecutorError, ToolError
from maxcode.sandbox.base import Completed, Files, Limits
from maxcode.userfolders import cache_folder

_SOURCES = ("warden.cpp", "filter.hpp")
_STDERR_KEPT = 64 << 10
_GRACE = 20.0  # seconds that a warden may take beyond its own limits
_DYING = 12.0  # seconds it may take to end everything once nobody waits for its report
_REPORT = re.compile(r"started\nended (\d+) (\S+) (\S+) (\d+) (\S+) ([01]) ([01]) (\d+)\n")
_NOTHING: Mapping[str, str] = MappingProxyType({})


def warden() -> Path:
    """The built warden. Raises :class:`ToolError` when it cannot be built here."""
    name, sources = _sources()
    path = cache_folder() / f"warden-{name}"
    if not path.exists():
        _build(sources, path)
    return path


@cache
def _sources() -> tuple[str, dict[str, bytes]]:
    """What to build, and a name for it on this machine."""
    sources = {name: resources("maxcode.sandbox").joinpath(name).read_bytes() for name in _SOURCES}
    seed = b"".join([*sources.values(), platform.platform().encode()])
    return hashlib.sha256(seed).hexdigest()[:16], sources


def _build(sources: Mapping[str, bytes], path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolError("g++ is not installed; on Debian and Ubuntu: apt install g++")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="warden-") as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_bytes(text)
        built = Path(folder) / "warden"
        for static in (["-static"], []):  # starts sooner; some systems have no static C library
            command = [compiler, "-std=c++17", "-O2", "-s", *static, "warden.cpp", "-o", str(built)]
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
            if done.returncode == 0:
                built.replace(path)  # at once, so that nobody finds half of it
                return
    said = done.stderr.decode("utf-8", "replace").strip()[:2000]
    raise ToolError(f"g++ cannot build the program that watches over candidates:\n{said}")


def run_under_warden(
    isolation: Sequence[str],
    command: Sequence[str],
    limits: Limits,
    files: Files,
    *,
    uid: int | None = None,
    processes: int | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] = _NOTHING,
) -> Completed:
    """Run ``isolation`` + warden + ``command``.

    ``isolation`` is a command line that ends where another command may follow. The command takes
    the user id ``uid``, which may have as many ``processes`` on this machine, or in its user
    namespace; all begins in ``folder``, with nearly nothing but ``environment``.
    """
    with ExitStack() as stack:
        out = stack.enter_context(_memory_file("stdout"))
        err = stack.enter_context(_memory_file("stderr"))
        reading, writing = os.pipe()
        # Closed, it tells the warden that all is over; whatever interrupts us does so.
        pipe = stack.enter_context(os.fdopen(reading, encoding="utf-8", errors="replace"))
        launched = [
            *(*isolation, str(warden()), str(writing)),
            *_orders(limits, files, uid, processes),
            *("--", *command),
        ]
        try:
            process = subprocess.Popen(
                launched,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **environment},
                start_new_session=True,
                pass_fds=(writing,),
            )
        finally:
            os.close(writing)
        with suppress(OSError):  # when memory is short, rather this than the search
            Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
        report = _report(process, pipe, limits.seconds + _GRACE)
        return _completed(report, out, err, limits, launched[0])


def _orders(limits: Limits, files: Files, uid: int | None, processes: int | None) -> Iterator[str]:
    orders: dict[str, object] = {
        "seconds": limits.seconds,
        "memory": limits.memory,
        "address_space": limits.memory if limits.address_space else None,
        # The clock ends a run; this does should all else fail. Threads add up.
        "cpu": math.ceil(limits.seconds) * (os.cpu_count() or 1) + 1,
        "output": limits.output,
        "crowd": limits.processes,
        "processes": processes,
        "files": limits.files,
        "processors": ",".join(map(str, limits.processors)) or None,
        "stdin": files.stdin,
        "uid": uid,
    }
    for key, value in orders.items():
        if value is not None:
            yield f"{key}={value}"


def _report(process: subprocess.Popen[bytes], pipe: IO[str], seconds: float) -> str:
    """Wait for the end, and read what the warden reported; nothing lives any more then."""
    descriptor = os.pidfd_open(process.pid)
    try:
        if not _ended(descriptor, seconds):
            raise ExecutorError(f"a sandbox did not end {_GRACE:g} s after its time limit")
        return pipe.read()
    finally:  # Ctrl-C does not reach the other session, so nobody else would end it
        pipe.close()
        if not _ended(descriptor, _DYING):
            process.kill()
        os.close(descriptor)
        process.wait()


def _ended(descriptor: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def _completed(
    report: str, out: IO[bytes], err: IO[bytes], limits: Limits, launcher: str
) -> Completed:
    found = _REPORT.match(report)
    if found is None:
        started, _, problem = report.partition("failed ")
        said = problem or _head(err, 500).decode("utf-8", "replace")
        if problem or not started:
            raise ToolError(f"a program could not be started through {launcher}: {said.strip()}")
        if started.endswith("stuck\n"):
            raise ExecutorError("processes that were killed do not die")
        raise ExecutorError("a sandbox was killed from outside; is the machine's memory full?")
    status, wall, cpu, peak, integral, late, overfull, left = found.groups()
    code = os.waitstatus_to_exitcode(int(status))
    return Completed(
        code=code,
        stdout=_head(out, limits.output),
        stderr=_head(err, _STDERR_KEPT),
        wall=float(wall),
        cpu=float(cpu),
        peak_memory=int(peak),
        memory_integral=float(integral),
        timed_out=late == "1",
        flooded=code == -signal.SIGXFSZ or _size(out) >= limits.output,
        overfull=overfull == "1",
        left_behind=int(left),
    )


def _memory_file(name: str) -> IO[bytes]:
    """Output goes to memory, bounded by the limit on files, so that no disk takes part in times."""
    return os.fdopen(os.memfd_create(name, os.MFD_CLOEXEC), "w+b")


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _head(file: IO[bytes], limit: int) -> bytes:
    return os.pread(file.fileno(), min(limit, _size(file)), 0)
