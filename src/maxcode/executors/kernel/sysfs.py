"""Workers' view of /sys: a copy of facts that stay constant while the machine runs.

The real /sys counts past activity of processors, memory and devices, by which candidates could
leave data for the next. The copy has the files that libraries open: glibc, libgomp and torch read
the list of processors; the CUDA driver reads the memory nodes, and whether its module is loaded.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_SYSTEM = Path("/sys")
_FACTS = (
    *(f"devices/system/cpu/{name}" for name in ("possible", "present", "online", "kernel_max")),
    *(
        f"devices/system/cpu/cpu[0-9]*/topology/{name}"
        for name in ("core_id", "physical_package_id", "thread_siblings_list", "core_siblings_list")
    ),
    *(f"devices/system/node/{name}" for name in ("possible", "online", "has_memory", "has_cpu")),
    *(f"devices/system/node/node[0-9]*/{name}" for name in ("cpumap", "cpulist", "distance")),
    # glibc allocates in large pages only if it can read these
    *(f"kernel/mm/transparent_hugepage/{name}" for name in ("enabled", "hpage_pmd_size")),
    *(f"module/nvidia{part}/{name}" for part in ("", "_uvm") for name in ("initstate", "version")),
)


def copy_facts(target: Path, system: Path = _SYSTEM) -> None:
    """Copy the facts to a new folder, readable by other users."""
    target.mkdir()
    for path in (one for pattern in _FACTS for one in system.glob(pattern)):
        with suppress(OSError):  # some files of /sys cannot be read
            content = path.read_bytes()
            place = target / (path.parent.resolve() / path.name).relative_to(system.resolve())
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            place.chmod(0o644)
    for made, _, _ in os.walk(target):
        Path(made).chmod(0o755)
