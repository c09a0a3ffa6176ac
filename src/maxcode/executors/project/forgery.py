"""What no honest change for speed contains: code about its own benchmark, clock or judge.

A benchmark runs the candidate in its own process, so its figures are the candidate's word. The
supervisor's clock bounds them; see ``timing``. These rules are about what clocks cannot see.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from maxcode.program import Program

_RULES = (
    (r"\b(os\._exit|_exit|_Exit|quick_exit)\s*\(", "ends the process behind the harness's back"),
    (
        r"\btime\.(perf_counter|monotonic|time|process_time)(_ns)?\s*=[^=]"
        r"|\bsetattr\(\s*time\b|\b(int|clock_t|time_t)\s+(clock_gettime|gettimeofday|clock|time)\s*\(",
        "replaces a clock",
    ),
    (
        r"\bsys\._getframe|\binspect\.(stack|currentframe)|\bgc\.get_(objects|referrers)",
        "looks at its callers",
    ),
    (
        r"\b(import|from)\s+(_?pytest|pytest_benchmark|pyperf|asv|unittest)\b"
        r"|\bimport\s+__main__|\bsys\.modules\b|\bPYTEST_\w+|#\s*include\s*<benchmark/benchmark\.h>",
        "reaches for the test or benchmark harness",
    ),
    (
        r"""\\?["'](real_time|cpu_time|time_unit|machine_info|benchmarks|fullname)\\?["']""",
        "writes what a benchmark tool writes",
    ),
    (r"/proc/(self|\d|%)|\bsys\.argv\b|\bprogram_invocation", "finds out what it is run as"),
    (
        r"\bptrace\s*\(|\bLD_PRELOAD\b|\bRTLD_NEXT\b|\bprocess_vm_writev\b",
        "reaches into processes",
    ),
)
_COMPILED = tuple((re.compile(pattern), reason) for pattern, reason in _RULES)


def forgery(program: Program, baseline: Program, benchmarks: Iterable[str] = ()) -> str:
    """Why added lines cannot be part of an honest change; empty where nothing speaks against them.

    ``benchmarks`` are names that only the harness has to know. A line that the baseline has, in
    any file, is not added.
    """
    names = [name for name in benchmarks if len(name) >= 6]
    before = Counter(line for text in baseline.files.values() for line in text.splitlines())
    for path in baseline.changed(program):
        for number, line in enumerate(program.files.get(path, "").splitlines(), 1):
            if before[line]:
                continue
            for pattern, reason in _COMPILED:
                if pattern.search(line):
                    return f"{path}, line {number} {reason}: {line.strip()[:120]}"
            if any(f'"{name}' in line or f"'{name}" in line for name in names):
                return f"{path}, line {number} names a benchmark: {line.strip()[:120]}"
    return ""
