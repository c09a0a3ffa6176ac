"""What is told of the machine, from files as systems of several kinds have them."""

import re
from pathlib import Path

from maxcode.measure.lane import all_processors
from maxcode.measure.machine import machine_facts

HERE = all_processors()[0]


def system(root: Path, **files: str) -> Path:
    """A /proc and /sys with these files; ``__`` stands for a slash."""
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return root


def cache(number: int, level: int, kind: str, size: str, shared: str) -> dict[str, str]:
    facts = {"level": str(level), "type": kind, "size": size, "shared_cpu_list": shared}
    facts["coherency_line_size"] = "64"
    return {
        f"sys__devices__system__cpu__cpu{HERE}__cache__index{number}__{k}": facts[k] for k in facts
    }


def facts(root: Path) -> dict[str, str]:
    lines = machine_facts((HERE,), root).splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_a_server(tmp_path: Path) -> None:
    frequency = f"sys__devices__system__cpu__cpu{HERE}__cpufreq__"
    system(
        tmp_path,
        proc__cpuinfo="processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\n"
        "model name\t: Intel(R) Xeon(R)  8481C\nflags\t\t: fpu avx avx2 fma avx512f amx_tile\n\n"
        "processor\t: 1\nmodel name\t: another",
        proc__meminfo="MemTotal:       65536000 kB\nMemFree: 1 kB",
        proc__self__cgroup="3:cpu:/old\n0::/users/me",
        sys__fs__cgroup__users__cpu__max="",
        **{frequency + "base_frequency": "2700000", frequency + "cpuinfo_max_freq": "3800000"},
        **cache(0, 1, "Data", "48K", "3,51"),
        **cache(1, 1, "Instruction", "32K", "3,51"),
        **cache(2, 2, "Unified", "2048K", "3"),
        **cache(3, 3, "Unified", "107520K", "0-23,48-71"),
    )
    (tmp_path / "sys/fs/cgroup/users/me").mkdir()
    (tmp_path / "sys/fs/cgroup/users/cpu.max").write_text("350000 100000\n")
    (tmp_path / "sys/fs/cgroup/users/me/cpu.max").write_text("max 100000\n")
    told = facts(tmp_path)
    assert re.fullmatch(r"Intel\(R\) Xeon\(R\) 8481C \(\w+, cpu family 6, model 143\)", told["CPU"])
    usable = len(all_processors())
    limit = "all together may use the time of 3.5"
    assert told["processors"] == f"{usable}, timed on 1 of them; {limit}"
    assert told["frequency"] == "2.70 GHz base, 3.80 GHz at most"
    assert told["caches"] == (
        "L1d 48 KiB shared by 2 processors, L2 2 MiB, L3 105 MiB shared by 48 processors; "
        "lines of 64 bytes"
    )
    assert told["vector extensions"] == "avx avx2 fma avx512f amx_tile"
    assert told["memory"] == "62.5 GiB"


def test_a_small_machine_without_avx512(tmp_path: Path) -> None:
    system(tmp_path, proc__cpuinfo="model name : AMD\ncpu MHz : 2596.1\nflags : avx2 fma")
    told = facts(tmp_path)
    assert "frequency" not in told  # that of the moment differs from run to run
    assert told["vector extensions"] == "avx2 fma; no avx512"
    assert "caches" not in told


def test_an_arm_machine(tmp_path: Path) -> None:
    system(tmp_path, proc__cpuinfo="processor : 0\nFeatures : fp asimd sve sve2 bf16\n")
    told = facts(tmp_path)
    assert told["CPU"].startswith("unknown (")
    assert told["vector extensions"] == "asimd bf16 sve sve2"
    assert "frequency" not in told


def test_this_machine() -> None:
    told = machine_facts()
    assert told.isascii()
    assert all(": " in line for line in told.splitlines())
    assert f"timed on {len(all_processors())} of them" in told
