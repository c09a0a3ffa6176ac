"""Facts about the processor the programs run on, for their authors."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from threading import Event

from maxcode.errors import InputError, ToolError
from maxcode.files import read_text, write_text
from maxcode.measure.lane import Lane, all_processors
from maxcode.system import cache_folder

_VECTORS = (  # in the names of Linux, x86 first, then ARM
    *("sse4_2", "avx", "avx2", "fma", "f16c", "bmi2", "popcnt", "avx_vnni"),
    *("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16"),
    *("amx_tile", "amx_int8", "amx_bf16"),
    *("asimd", "asimddp", "fphp", "asimdhp", "i8mm", "bf16", "sve", "sve2"),
)
_BLOCK = 32 << 20  # bytes: most caches that one core may fill hold less than two of them
_COPIES = 9


def machine_facts(
    processors: Sequence[int] = (), root: Path = Path("/"), stopped: Event | None = None
) -> str:
    """The processor, its caches and vector extensions, and the memory: one fact a line, in ASCII.

    ``processors`` are the processors for timing, by number; all that may be used unless given. All
    of it comes from /proc and /sys below ``root``, but for the speed of copies. This is measured
    once on each machine and kept in the user's cache folder: it takes some 100 ms in the timing
    lane, so do not call this while you hold a lane. Raises :class:`~maxcode.errors.ExecutorError`
    when ``stopped`` is set while it waits for the lane.
    """
    used = tuple(processors) or all_processors()
    facts = [
        processor_model(root),
        f"processors: {len(all_processors())}, timed on {len(used)} of them{_quota(root)}",
        _frequency(root, used[0]),
        _caches(root, used[0]),
        _vectors(root),
        _memory(root, used[0], stopped),
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
            sharing = _count(_read(folder / "shared_cpu_list"))
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


def _count(listed: str) -> int:
    """Count of the numbers listed, as in ``0-3,8``."""
    ends = [part.split("-") for part in listed.split(",") if part]
    return sum(int(pair[-1]) - int(pair[0]) + 1 for pair in ends)


def _vectors(root: Path) -> str:
    fields = _processor(root)
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    there = [name for name in _VECTORS if name in flags]
    lacking = "; no avx512" if "avx2" in there and "avx512f" not in there else ""
    return f"vector extensions: {' '.join(there)}{lacking}" if there else ""


def _memory(root: Path, processor: int, stopped: Event | None) -> str:
    total = re.search(r"^MemTotal:\s+(\d+) kB", _read(root / "proc/meminfo"), re.MULTILINE)
    size = f"{int(total[1]) / (1 << 20):.3g} GiB, " if total else ""
    speed = f"{_copied_before(processor_model(root), processor, stopped) / 1e9:.1f} GB/s"
    return f"memory: {size}copied by one core at {speed} (read, and as much written)"


def _copied_before(machine: str, processor: int, stopped: Event | None) -> float:
    """First result of :func:`_copied` on this machine, so that facts stay the same."""
    key = hashlib.sha256(f"{machine} {len(all_processors())}".encode()).hexdigest()
    name = f"copies-{key[:16]}"
    with suppress(InputError, ToolError, ValueError):
        if (known := float(read_text(cache_folder() / name))) > 0:
            return known
    with Lane([processor]).hold(stopped), _pinned(processor):
        speed = _copied()
    with suppress(InputError, ToolError):
        write_text(cache_folder() / name, f"{speed:.6g}")
    return speed


def _copied() -> float:
    """Bytes a second of a core copying a block; the median of several copies."""
    source, target = memoryview(bytearray(b"\1") * _BLOCK), memoryview(bytearray(_BLOCK))
    seconds = []
    for _ in range(_COPIES + 1):
        started = time.perf_counter()
        target[:] = source
        seconds.append(time.perf_counter() - started)
    return _BLOCK / median(seconds[1:])  # the first takes the target's pages from the system


@contextmanager
def _pinned(processor: int) -> Iterator[None]:
    """Pin this thread to a processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {processor})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


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
