"""Workers' view of /sys, in real bubblewrap and of a machine that is made up."""

from pathlib import Path

import pytest
from tests.executors.kernel._asking import failed, told

from maxcode.executors.kernel.sysfs import copy_facts
from maxcode.executors.kernel.workers import Worker

pytestmark = pytest.mark.slow


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A /sys with two processors, a node of memory, and a GPU."""
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
    }
    for name, text in files.items():
        path = tmp_path / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "sys"


def test_facts_are_copied_and_counters_are_not(system: Path, tmp_path: Path) -> None:
    copy_facts(tmp_path / "copy", system)
    found = {path: path.read_text() for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    assert "12345" not in found.values()
    assert "3000000" not in found.values()
    assert {str(path.relative_to(tmp_path / "copy")) for path in found} == {
        "devices/system/cpu/possible",
        "devices/system/cpu/cpu0/topology/core_id",
        "devices/system/cpu/cpu1/topology/core_id",
        "devices/system/node/node0/cpumap",
        "kernel/mm/transparent_hugepage/enabled",
        "module/nvidia/initstate",
    }


def test_a_worker_sees_the_copy_and_cannot_change_it(shared: Worker) -> None:
    possible = "/sys/devices/system/cpu/possible"
    assert told(shared, "read", possible) == Path(possible).read_text()
    touched = failed(shared, "touch", possible, 1)
    assert touched.kind in ("OSError", "PermissionError")
    for live in ("devices/system/cpu/cpuidle", "kernel/mm/transparent_hugepage/khugepaged"):
        assert failed(shared, "read", f"/sys/{live}").kind == "FileNotFoundError"
