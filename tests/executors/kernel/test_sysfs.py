"""What workers see of /sys, in real bubblewrap and of a machine that is made up."""

import os
from pathlib import Path

import pytest

from maxcode.executors.kernel.sysfs import copy_facts
from maxcode.executors.kernel.workers import Worker

pytestmark = pytest.mark.slow

BRIDGE = "devices/pci0000:16/0000:16:01.0"
DEVICE = f"{BRIDGE}/0000:17:00.0"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A /sys with two processors, a node of memory, and a GPU behind a bridge."""
    files = {
        "devices/system/cpu/possible": "0-1",
        "devices/system/cpu/cpu0/topology/core_id": "0",
        "devices/system/cpu/cpu1/topology/core_id": "1",
        "devices/system/cpu/cpu0/cpuidle/state0/usage": "12345",
        "devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "3000000",
        "devices/system/node/node0/cpumap": "3",
        "devices/system/node/node0/numastat": "numa_hit 12345",
        "devices/system/node/node0/meminfo": "MemFree 12345",
        "kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        "kernel/mm/transparent_hugepage/khugepaged/full_scans": "12345",
        "module/nvidia/initstate": "live",
        "module/nvidia/refcnt": "12345",
        f"{BRIDGE}/class": "0x060400",
        f"{DEVICE}/class": "0x030200",
        f"{DEVICE}/numa_node": "0",
        f"{DEVICE}/max_link_width": "16",
        f"{DEVICE}/current_link_speed": "12345",
        f"{BRIDGE}/pci_bus/0000:17/cpulistaffinity": "0-1",
        "devices/pci0000:16/0000:16:02.0/class": "another device",
    }
    for name, text in files.items():
        path = tmp_path / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for place, target in (
        ("bus/pci/devices/0000:17:00.0", f"../../../{DEVICE}"),
        ("class/pci_bus/0000:17", f"../../{BRIDGE}/pci_bus/0000:17"),
    ):
        link = tmp_path / "sys" / place
        link.parent.mkdir(parents=True)
        link.symlink_to(target)
    return tmp_path / "sys"


def test_facts_are_copied_and_counters_are_not(system: Path, tmp_path: Path) -> None:
    copy_facts(tmp_path / "copy", "0000:17:00.0", system)
    found = {path: path.read_text() for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    assert "12345" not in found.values()
    assert "3000000" not in found.values()
    assert "another device" not in found.values()
    assert {str(path.relative_to(tmp_path / "copy")) for path in found} == {
        "devices/system/cpu/possible",
        "devices/system/cpu/cpu0/topology/core_id",
        "devices/system/cpu/cpu1/topology/core_id",
        "devices/system/node/node0/cpumap",
        "kernel/mm/transparent_hugepage/enabled",
        "module/nvidia/initstate",
        f"{BRIDGE}/class",
        f"{DEVICE}/class",
        f"{DEVICE}/numa_node",
        f"{DEVICE}/max_link_width",
    }


def test_a_gpu_is_found_as_nccl_looks_for_it(system: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy_facts(copy, "0000:17:00.0", system)
    real = os.path.realpath(f"{copy}/class/pci_bus/0000:17/../../0000:17:00.0")
    assert real == str(copy / DEVICE)
    assert (copy / "bus/pci/devices/0000:17:00.0/numa_node").read_text() == "0"
    assert all(path.stat().st_mode & 0o755 == 0o755 for path in copy.rglob("*") if path.is_dir())


def test_without_a_gpu_nothing_of_the_bus_is_copied(system: Path, tmp_path: Path) -> None:
    copy_facts(tmp_path / "copy", "", system)
    assert not (tmp_path / "copy/bus").exists()
    copy_facts(tmp_path / "other", "0000:99:00.0", system)
    assert not (tmp_path / "other/bus").exists()


def test_a_worker_sees_the_copy_and_cannot_change_it(shared: Worker) -> None:
    possible = "/sys/devices/system/cpu/possible"
    answer = shared.ask({"do": "read", "path": possible}, 10)
    assert answer["text"] == Path(possible).read_text()
    touched = shared.ask({"do": "touch", "path": possible, "bytes": 1}, 10)
    assert touched["error"]["kind"] in ("OSError", "PermissionError")
    for live in ("devices/system/cpu/cpuidle", "kernel/mm/transparent_hugepage/khugepaged"):
        missing = shared.ask({"do": "read", "path": f"/sys/{live}"}, 10)
        assert missing["error"]["kind"] == "FileNotFoundError"
