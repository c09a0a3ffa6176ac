"""Who is alive: an identity for this process that survives in a journal and is never reused."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def identity(pid: int | None = None) -> str:
    """Host, boot, process id and start time of a process of this machine; "" if it is gone.

    The start time tells a process from a later one of the same id. A process that has ended, but
    that its parent has not asked about yet, is gone.
    """
    pid = os.getpid() if pid is None else pid
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    from_state_on = stat.rpartition(")")[2].split()  # fields 3 and up of proc(5)
    state, started = from_state_on[0], from_state_on[19]
    if state in "ZX":
        return ""
    return f"{socket.gethostname()}:{boot}:{pid}:{started}"


def alive(process: str) -> bool:
    """Whether the process of that identity runs on this machine; False when nobody can tell."""
    pid = process.split(":")[2] if process.count(":") == 3 else ""
    return pid.isdigit() and identity(int(pid)) == process
