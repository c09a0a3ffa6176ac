"""NVIDIA's own tools on one call of a candidate: compute-sanitizer, and Nsight Compute's counters.

Both start the program that they look at, so a worker is started through them, in the same sandbox.
What they print is read as their manuals describe it (Compute Sanitizer, "Memcheck Tool" and
"Racecheck Tool"; Nsight Compute CLI, "--csv" and "--page raw"). The program that they look at
writes to the same output and may forge it: what is read here is advice, and decides nothing.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from maxcode.executors.kernel.resources import plain
from maxcode.tasks.kernel import COUNTERS, SANITIZER
from maxcode.text import in_ascii

_SYSTEM = Path("/usr")  # every sandbox shows it
_INSTALLED = Path("/opt/nvidia")  # where Nsight Compute is, whose command is a script elsewhere
_MAX_FINDINGS = 4
_MAX_KERNELS = 8
_MARK = "========="
_TIME = "gpu__time_duration.sum"
_READ, _WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
_SHARES: Mapping[str, str] = {
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "of the memory's speed",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "of the multiprocessors'",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "of the warps that they can hold",
    "lts__t_sector_hit_rate.pct": "of accesses found in the L2 cache",
}
_UNITS: Mapping[str, float] = {  # of what is read here, in seconds or bytes
    "ns": 1e-9,
    "nsecond": 1e-9,
    "us": 1e-6,
    "usecond": 1e-6,
    "ms": 1e-3,
    "msecond": 1e-3,
    "s": 1.0,
    "second": 1.0,
    "byte": 1.0,
    "Kbyte": 1e3,
    "Mbyte": 1e6,
    "Gbyte": 1e9,
}


@dataclass(frozen=True, slots=True)
class Inspection:
    """A way to look at a call: the tool's ``path`` and ``options``, and variables for the worker.

    ``lines`` are what is reported of an output.
    """

    name: str
    path: str
    options: tuple[str, ...]
    lines: Callable[[str], Iterator[str]]
    variables: tuple[str, ...] = ()

    @property
    def start(self) -> tuple[str, ...]:
        """What goes before a worker's command, behind ``/usr/bin/env``."""
        return (*self.variables, self.path, *self.options)

    @property
    def read(self) -> tuple[Path, ...]:
        """Folders outside of /usr that the tool needs to see."""
        folders = (Path(self.path).resolve().parent, _INSTALLED)
        return tuple(one for one in folders if one.is_dir() and not one.is_relative_to(_SYSTEM))


def inspections(wanted: Sequence[str]) -> Iterator[Inspection]:
    """Those of the wanted tools that are installed."""
    for name in wanted:
        if path := shutil.which(name):
            yield from _MADE[name](path)


def missing(wanted: Sequence[str]) -> list[str]:
    """The wanted tools that are not in the PATH."""
    return [name for name in wanted if shutil.which(name) is None]


def _sanitizers(path: str) -> Iterator[Inspection]:
    common = ("--print-limit", "20", "--report-api-errors", "no")
    for tool in ("memcheck", "racecheck"):
        yield Inspection(
            f"{SANITIZER} {tool}",
            path,
            ("--tool", tool, *common),
            sanitizer_lines,
            # Torch's own allocator hands out parts of large blocks, inside of which no access is
            # out of bounds for the tool.
            ("PYTORCH_NO_CUDA_MEMORY_CACHING=1",),
        )


def _counters(path: str) -> Iterator[Inspection]:
    options = (
        *("--csv", "--page", "raw", "--print-units", "base"),
        *("--metrics", ",".join((_TIME, _READ, _WRITTEN, *_SHARES))),
        *("--profile-from-start", "off", "--launch-count", str(2 * _MAX_KERNELS)),
        *("--target-processes", "application-only", "--clock-control", "none"),
    )
    yield Inspection(COUNTERS, path, options, counter_lines)


_MADE: Mapping[str, Callable[[str], Iterator[Inspection]]] = {
    SANITIZER: _sanitizers,
    COUNTERS: _counters,
}


def sanitizer_lines(output: str) -> Iterator[str]:
    """What compute-sanitizer found, one finding a line: what, where, and by which thread."""
    found: list[list[str]] = []
    for line in output.splitlines():
        if not line.startswith(_MARK):
            continue
        text = line.removeprefix(_MARK)
        if text.startswith("     ") and found and found[-1]:
            found[-1].append(text.strip())
        elif _FINDING.match(text.strip()):
            found.append([text.strip()])
        elif found and text.strip():
            found.append([])  # something else, whose details are not wanted
    kept = [one for one in found if one]
    if not kept and not _ENDED.search(output):
        yield _did_not_finish(output)
    for what, *details in kept[:_MAX_FINDINGS]:
        wanted = [one for one in details if _DETAIL.match(one)]
        yield "; ".join(_plain(one) for one in (what, *wanted[:3]))
    if len(kept) > _MAX_FINDINGS:
        yield f"and {len(kept) - _MAX_FINDINGS} more"


_FINDING = re.compile(
    r"Invalid |Uninitialized |Misaligned |Barrier error|Divergent thread|Malloc/Free Error"
    r"|Stack overflow|(Error|Warning): (Race|Potential)"
)
_ENDED = re.compile(rf"^{_MARK} (ERROR|RACECHECK) SUMMARY:", re.MULTILINE)
_NO_COUNTERS = ("==ERROR==", "==WARNING==")
_DETAIL = re.compile(r"at |by thread|Address |Access (at|to) |and ")  # CUDA 12.9 says access


def counter_lines(output: str) -> Iterator[str]:
    """What Nsight Compute counted of each kernel, the slowest first; or why it counted nothing."""
    table = _table(output)
    if not table:
        said = [one.strip() for one in output.splitlines() if one.startswith(_NO_COUNTERS)]
        yield from (_plain(one, 200) for one in said[:2] or [_did_not_finish(output)])
        return
    kernels = [_Counted.of(row, table[0]) for row in table[1:]]
    for one in sorted(kernels, key=lambda one: -one.seconds)[:_MAX_KERNELS]:
        yield str(one)


@dataclass(frozen=True, slots=True)
class _Counted:
    name: str
    seconds: float
    read: float
    written: float
    shares: Mapping[str, float]

    @classmethod
    def of(cls, row: Mapping[str, str], units: Mapping[str, str]) -> _Counted:
        """A kernel's row of the table, the first of which names units."""

        def amount(metric: str) -> float:
            return _number(row.get(metric, "")) * _UNITS.get(units.get(metric, ""), 1.0)

        shares = {name: _number(row[name]) for name in _SHARES if row.get(name)}
        name = plain(row.get("Kernel Name", "?"))
        return cls(name, amount(_TIME), amount(_READ), amount(_WRITTEN), shares)

    def __str__(self) -> str:
        text = f"{self.name}: {self.seconds * 1e6:.4g} us"
        text += f", {self.read / 1e6:.4g} MB read and {self.written / 1e6:.4g} MB written"
        return text + "".join(f", {self.shares[n]:.0f} % {_SHARES[n]}" for n in self.shares)


def _table(output: str) -> list[dict[str, str]]:
    """The rows of the CSV table in an output, that of units first; none where there is no table."""
    lines = output.splitlines()
    begin = next((n for n, one in enumerate(lines) if one.startswith('"ID",')), None)
    if begin is None:
        return []
    kept = [one for one in lines[begin:] if one.startswith('"')]
    rows = list(csv.DictReader(kept))
    wide = [row for row in rows if None not in row and None not in row.values()]
    return wide if len(wide) > 1 else []


def _number(text: str) -> float:
    """A number with or without commas between its digits; 0 for anything else."""
    try:
        found = float(text.replace(",", ""))
    except ValueError:
        return 0.0
    return found if abs(found) < 1e18 else 0.0


def _did_not_finish(output: str) -> str:
    last = next((one for one in reversed(output.splitlines()) if one.strip()), "it printed nothing")
    return f"it did not finish: {_plain(last.strip())}"


def _plain(text: str, most: int = 160) -> str:
    shown = in_ascii(text[:most])
    return shown if len(text) <= most else f"{shown}..."
