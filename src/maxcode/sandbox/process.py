"""ProcessSandbox: limits of the operating system on a process group, and nothing more."""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from maxcode.errors import ExecutorError, ToolError
from maxcode.sandbox.base import Completed, Limits, Sandbox

_STDERR_KEPT = 64 << 10
_DYING = 10.0  # seconds that a killed process may take to be gone
_PROC = Path("/proc")
# If we are killed, so is what we started; and it stands still until its limits are set.
_GATE = ("setpriv", "--pdeathsig=KILL", "/bin/sh", "-c", 'kill -STOP $$; exec "$@"', "sh")


class ProcessSandbox(Sandbox):
    """Runs a command in a session of its own with limits on time, memory and file size.

    It keeps honest programs from doing harm by accident: the environment is empty but for a path,
    no descriptor is inherited, and the whole process group is killed in the end. It does not hide
    files or the network, and a process that leaves its group escapes, so it is no protection from
    hostile code.
    """

    def run(
        self, command: Sequence[str], folder: Path, limits: Limits, stdin: Path | None = None
    ) -> Completed:
        """Run the command; see :meth:`Sandbox.run`."""
        with (
            open(stdin or os.devnull, "rb") as source,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            try:
                process = subprocess.Popen(
                    [*_GATE, *command],
                    cwd=folder,
                    stdin=source,
                    stdout=out,
                    stderr=err,
                    env=_environment(folder),
                    start_new_session=True,
                )
            except FileNotFoundError as error:
                raise ToolError(f"{error.filename} is missing; setpriv is in util-linux") from error
            try:
                launch = _at_gate(process.pid, err)
                _limit(process.pid, limits)
                started = time.perf_counter()
                os.kill(process.pid, signal.SIGCONT)
                timed_out = not _wait(process.pid, limits.seconds)
                wall = time.perf_counter() - started
            finally:  # Ctrl-C does not reach the other session, so nobody else would end it
                _signal_group(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                _await_leftovers(process.pid)
            return Completed(
                code=process.returncode,
                stdout=_head(out, limits.output),
                stderr=_head(err, _STDERR_KEPT),
                wall=wall,
                cpu=_cpu(usage) - _cpu(launch),
                peak_memory=usage.ru_maxrss * 1024,
                timed_out=timed_out,
                flooded=process.returncode == -signal.SIGXFSZ or _size(out) >= limits.output,
            )


def _at_gate(pid: int, err: IO[bytes]) -> resource.struct_rusage:
    """Wait until the shell stands still just before it becomes the command; what it used so far.

    Limits are set then. A launcher that sets them itself would be measured with the program, and
    a program that runs already could fork, or fill the disk, before they are set from outside.
    """
    seen = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    if seen is None or seen.si_code != os.CLD_STOPPED:
        said = _head(err, 500).decode("utf-8", "replace").strip()
        raise ToolError(f"a program could not be started through {_GATE[0]} and /bin/sh: {said}")
    _, _, usage = os.wait4(pid, os.WUNTRACED)
    return usage


def _limit(pid: int, limits: Limits) -> None:
    wanted = {
        resource.RLIMIT_AS: limits.memory,
        # The clock ends a run; this ends it should we be gone by then. Threads add up.
        resource.RLIMIT_CPU: math.ceil(limits.seconds) * (os.cpu_count() or 1) + 1,
        resource.RLIMIT_FSIZE: limits.output,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in wanted.items():
        _, hard = resource.prlimit(pid, kind)  # which only an administrator may raise
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(pid, kind, (limit, limit))


def _cpu(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def _environment(folder: Path) -> dict[str, str]:
    """All a program gets to know of our environment: where programs are, and a place to write."""
    path = os.environ.get("PATH", os.defpath)
    return {"PATH": path, "LANG": "C.UTF-8", "HOME": str(folder), "TMPDIR": str(folder)}


def _wait(pid: int, seconds: float) -> bool:
    """Whether the process ended in time. It is not reaped, so its id stays its own."""
    descriptor = os.pidfd_open(pid)
    try:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        return bool(poller.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _signal_group(group: int, number: int) -> bool:
    """Send a signal to every process of the group; whether there is any."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def _await_leftovers(group: int) -> None:
    """Wait for killed processes that the leader left behind: until they are gone they hold memory.

    Nobody may have asked about them yet when they are, so signal 0 alone cannot tell.
    """
    given_up = time.monotonic() + _DYING
    while _signal_group(group, 0) and any(
        _runs_in(group, stat) for stat in _PROC.glob("[0-9]*/stat")
    ):
        if time.monotonic() > given_up:
            raise ExecutorError(f"process group {group} was killed {_DYING:g} s ago and still runs")
        time.sleep(0.001)


def _runs_in(group: int, stat: Path) -> bool:
    try:
        state, _, its_group, *_ = stat.read_text().rpartition(")")[2].split()
    except OSError:  # it is gone
        return False
    return int(its_group) == group and state not in "ZX"


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _head(file: IO[bytes], limit: int) -> bytes:
    file.seek(0)
    return file.read(limit)
