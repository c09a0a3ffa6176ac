"""Facts about the processor the programs run on, for their authors."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from pathlib import Path

from maxcode.measure.lane import all_processors, numbers

_VECTORS = (  # in the names of Linux, x86 first, then ARM
    *("sse4_2", "avx", "avx2", "fma", "f16c", "bmi2", "popcnt", "avx_vnni"),
    *("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16"),
    *("amx_tile", "amx_int8", "amx_bf16"),
    *("asimd", "asimddp", "fphp", "asimdhp", "i8mm", "bf16", "sve", "sve2"),
)


def machine_facts(processors: Sequence[int] = (), root: Path = Path("/")) -> str:
    """The processor, its caches and vector extensions, and the memory: one fact a line, in ASCII.

    ``processors`` are the processors for timing, by number; all that may be used unless given. All
    of it comes from /proc and /sys below ``root``.
    """
    used = tuple(processors) or all_processors()
    facts = [
        processor_model(root),
        f"processors: {len(all_processors())}, timed on {len(used)} of them{_quota(root)}",
        _frequency(root, used[0]),
        _caches(root, used[0]),
        _vectors(root),
        _memory(root),
    ]
    return "\n".join(ascii_line(fact) for fact in facts if fact)


def ascii_line(text: str) -> str:
    """Text as a single line of ASCII."""
    return " ".join("".join(c if c.isascii() else "?" for c in text).split())


def processor_model(root: Path = Path("/")) -> str:
    """The processor's name and family, as the system calls them."""
    fields = _processor(root)
    name = fields.get("model name") or fields.get("Hardware") or "unknown"
    kind = [f"{key} {fields[key]}" for key in ("cpu family", "model") if key in fields]
    return f"CPU: {name} ({', '.join([platform.machine(), *kind])})"


def _quota(root: Path) -> str:
    """Processor time allowed to the control group of this process, if limited."""
    group = re.search(r"^0::/(.*)$", _read(root / "proc/self/cgroup"), re.MULTILINE)
    inner = root / "sys/fs/cgroup" / (group[1] if group else "")
    limits = [re.match(r"(\d+) (\d+)", _read(one / "cpu.max")) for one in (inner, *inner.parents)]
    shares = [int(limit[1]) / int(limit[2]) for limit in limits if limit]
    return f"; all together may use the time of {min(shares):.3g}" if shares else ""


def _frequency(root: Path, processor: int) -> str:
    folder = root / f"sys/devices/system/cpu/cpu{processor}/cpufreq"
    base, most = (_read(folder / name) for name in ("base_frequency", "cpuinfo_max_freq"))
    parts = [f"{int(base) / 1e6:.2f} GHz base"] if base.isdecimal() else []
    parts += [f"{int(most) / 1e6:.2f} GHz at most"] if most.isdecimal() else []
    return f"frequency: {', '.join(parts)}" if parts else ""


def _caches(root: Path, processor: int) -> str:
    found, line = [], ""
    for folder in sorted((root / f"sys/devices/system/cpu/cpu{processor}/cache").glob("index*")):
        level, kind, size = (_read(folder / name) for name in ("level", "type", "size"))
        if kind != "Instruction" and size:
            sharing = len(numbers(_read(folder / "shared_cpu_list")))
            shared = f" shared by {sharing} processors" if sharing > 1 else ""
            found.append(f"L{level}{'d' if kind == 'Data' else ''} {_size(size)}{shared}")
            line = _read(folder / "coherency_line_size")
    ending = f"; lines of {line} bytes" if line else ""
    return f"caches: {', '.join(found)}{ending}" if found else ""


def _size(listed: str) -> str:
    """``1024K`` as ``1 MiB``."""
    kib = int(listed[:-1]) if listed[:-1].isdecimal() and listed.endswith("K") else 0
    if not kib:
        return listed
    return f"{kib / 1024:g} MiB" if kib >= 1024 else f"{kib} KiB"


def _vectors(root: Path) -> str:
    fields = _processor(root)
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    there = [name for name in _VECTORS if name in flags]
    lacking = "; no avx512" if "avx2" in there and "avx512f" not in there else ""
    return f"vector extensions: {' '.join(there)}{lacking}" if there else ""


def _memory(root: Path) -> str:
    total = re.search(r"^MemTotal:\s+(\d+) kB", _read(root / "proc/meminfo"), re.MULTILINE)
    return f"memory: {int(total[1]) / (1 << 20):.3g} GiB" if total else ""


def _processor(root: Path) -> dict[str, str]:
    """The fields of the first processor in /proc."""
    first = _read(root / "proc/cpuinfo").split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _read(path: Path) -> str:
    """The text of a file of the system; empty where there is none."""
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
