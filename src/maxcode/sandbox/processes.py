"""The processes of a program in a sandbox, seen from outside."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from maxcode.errors import ExecutorError

_WARDEN = "warden-"  # how the name of a warden's process begins
_TRIES = 100
_CLOCK = 2  # of a process, user and system: CPUCLOCK_SCHED of Linux


def wardens(launched: int) -> list[int]:
    """The warden that comes of process ``launched``, or is it; none when it is gone."""
    above = [launched]
    while above and not any(map(_is_warden, above)):
        above = _children(above)
    return list(filter(_is_warden, above))


def programs(launched: int) -> list[int]:
    """What comes of the warden of process ``launched``."""
    found = _children(wardens(launched))
    for process in found:  # which grows meanwhile
        found += [child for child in _children([process]) if child not in found]
    return found


def processor_time(processes: Iterable[int]) -> float:
    """Seconds, user + system, that those have used which still run."""
    used = 0.0
    for process in processes:
        with suppress(OSError):  # it has ended
            used += time.clock_gettime((~process << 3) | _CLOCK)
    return used


def reaped_time(processes: Iterable[int]) -> float:
    """Seconds, user + system, of those that ended and that these processes have reaped."""
    ticks = 0
    for process in processes:
        with suppress(OSError):
            said = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
            ticks += sum(map(int, said.rpartition(")")[2].split()[13:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def waiting_time(process: int) -> float:
    """Seconds for which its main thread was ready and had no processor, if it still runs.

    Nothing where the kernel does not keep count (CONFIG_SCHED_INFO).
    """
    with suppress(OSError):
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def pin(launched: int, processors: Iterable[int]) -> None:
    """Move all threads that come of the warden to these processors.

    Raises :class:`~maxcode.errors.ExecutorError` when there are ever new ones.
    """
    wanted = set(processors)
    for _ in range(_TRIES):
        strange = [thread for thread in _threads(programs(launched)) if _place(thread) != wanted]
        if not strange:
            return
        for thread in strange:
            with suppress(ProcessLookupError):
                os.sched_setaffinity(thread, wanted)
    raise ExecutorError("a program starts threads faster than they can be moved to a processor")


def _place(thread: int) -> set[int] | None:
    with suppress(ProcessLookupError):
        return os.sched_getaffinity(thread)
    return None


def _is_warden(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/comm").read_text("utf-8", "replace").startswith(_WARDEN)
    return False


def _threads(processes: Iterable[int]) -> list[int]:
    found: list[int] = []
    for process in processes:
        with suppress(OSError):
            found += map(int, os.listdir(f"/proc/{process}/task"))
    return found


def _children(processes: Iterable[int]) -> list[int]:
    found: list[int] = []
    for process in processes:
        for thread in _threads([process]):
            with suppress(OSError):
                said = Path(f"/proc/{process}/task/{thread}/children").read_text()
                found += map(int, said.split())
    return found
