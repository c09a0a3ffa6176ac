"""What workers see of /sys: a copy of facts that do not change while the machine runs.

The real /sys would be memory that one candidate can leave for the next: it counts what processors,
memory and devices have done so far, such as page faults of a node and idle times of a core. So no
part of it is shown. What is copied is what libraries open, as found by tracing them and in their
sources: glibc, libgomp and torch read which processors there are; the CUDA driver reads the nodes
of memory, without which it crashes on some machines, and whether its kernel module is loaded; NCCL
reads where on the bus the GPU is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
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
_OF_PCI = (
    *("class", "vendor", "device", "subsystem_vendor", "subsystem_device"),
    # what a link can do; what it does now depends on what the GPU has done
    *("numa_node", "local_cpulist", "local_cpus", "max_link_speed", "max_link_width"),
)
_BUS = 7  # characters of an address such as 0000:17:00.0, that name its bus


def copy_facts(target: Path, address: str = "", system: Path = _SYSTEM) -> None:
    """Copy them to a new folder; those of the GPU at this PCI ``address``, too, if it is known.

    Other users may read the folder.
    """
    target.mkdir()
    for pattern in _FACTS:
        for path in system.glob(pattern):
            _copy(path, target, system)
    for link in _links(address, system):
        place = target / link.relative_to(system)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.readlink(link))
        _as_folder(link.resolve(), target, system).mkdir(parents=True, exist_ok=True)
        for folder in _up(link.resolve(), system):
            for name in _OF_PCI:
                if (folder / name).is_file():
                    _copy(folder / name, target, system)
    for made, _, _ in os.walk(target):
        Path(made).chmod(0o755)


def _links(address: str, system: Path) -> Iterator[Path]:
    if address:
        places = (f"bus/pci/devices/{address}", f"class/pci_bus/{address[:_BUS]}")
        yield from (link for place in places if (link := system / place).is_symlink())


def _up(folder: Path, system: Path) -> Iterator[Path]:
    """A device's folder and those of the bridges before it."""
    devices = (system / "devices").resolve()
    while folder.is_relative_to(devices) and folder != devices:
        yield folder
        folder = folder.parent


def _as_folder(path: Path, target: Path, system: Path) -> Path:
    return target / path.relative_to(system.resolve())


def _copy(path: Path, target: Path, system: Path) -> None:
    with suppress(OSError):  # some files of /sys cannot be read
        content = path.read_bytes()
        real = path.parent.resolve() / path.name
        place = _as_folder(real, target, system)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o644)
