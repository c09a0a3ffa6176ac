"""Code with no place in an honest change for speed: about its benchmark, clock or judge.

A benchmark runs the candidate in its own process, so its figures are the candidate's word. The
supervisor's clock bounds them; see ``timing``. These rules cover cheating a clock cannot see.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from maxcode.program import Program
from maxcode.tasks.project_files import PROTECTED_FOLDERS

_RULES = (
    (r"\b(os\._exit|_exit|_Exit|quick_exit)\s*\(", "ends the process behind the harness's back"),
    (r"\b(exec[lv]p?e?|fexecve|posix_spawnp?)\s*\(", "lets another program take its place"),
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
        r"\bW_OK\b|\bMAXCODE_\w+",
        "finds out whether it is tested or timed",
    ),
    (r"#\s*define\s+main\b", "takes the place of the program's start"),
    (r"/proc/(self|\d|%)", "finds out what it is run as"),
    (
        r"\bptrace\s*\(|\bLD_PRELOAD\b|\bRTLD_NEXT\b|\bprocess_vm_writev\b",
        "reaches into processes",
    ),
)
_COMPILED = tuple((re.compile(pattern), reason) for pattern, reason in _RULES)
_UNLESS_KNOWN = re.compile(r"\bsys\.argv\b|\bprogram_invocation\w*")  # which programs may have

_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "asv": ("result_columns", "stats_number"),
        "google-benchmark": ("benchmarks", "cpu_time", "real_time", "time_unit"),
        "pyperf": ("benchmarks",),
        "pytest-benchmark": ("benchmarks", "fullname", "machine_info"),
    }
)
"""Words in quotes in reports, by format."""
_MARKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cargo-bench": (r"\bns/iter\b",),
        "catch2": ("<BenchmarkResults",),
        "criterion": (r"\btime:\s+\[",),
        "go": (r"\bns/op\b",),
    }
)
"""Patterns of lines in reports, by format."""
_SHORTEST = 6  # characters of a name that means anything


def forgery(
    program: Program,
    baseline: Program,
    benchmarks: Iterable[str] = (),
    tests: Iterable[str] = (),
    report: str = "process",
) -> str:
    """Reason added lines are no honest change; "" if none.

    ``benchmarks`` are names known only to the harness, ``tests`` the paths of files with expected
    results, and ``report`` is the harness's format. Lines and quoted words of the baseline are not
    added.
    """
    added = [path for path in baseline.changed(program) if path not in baseline.files]
    if shadowing := next(filter(_shadows, added), ""):
        return f"{shadowing} would be imported in place of the standard library's"
    rules = _Rules(baseline, benchmarks, tests, report)
    before = Counter(line for text in baseline.files.values() for line in text.split("\n"))
    for path in baseline.changed(program):
        text = program.files.get(path, "")
        lines = text.split("\n")
        for number, line in enumerate(_without_comments(path, text).split("\n"), 1):
            if before[lines[number - 1]]:
                continue
            if reason := rules.broken(path, line):
                return f"{path}, line {number} {reason}"
    return ""


class _Rules:
    """Rules for every added line."""

    def __init__(
        self, baseline: Program, benchmarks: Iterable[str], tests: Iterable[str], report: str
    ) -> None:
        every = "\n".join(baseline.files.values())
        self._baseline = baseline
        self._report = report
        self._reporting = _reporting(report, every)
        self._benchmarks = [
            name
            for name in benchmarks
            if len(name) >= _SHORTEST and not any(f"{mark}{name}" in every for mark in "\"'")
        ]
        self._guarded = _Guarded(tests, baseline)

    def broken(self, path: str, line: str) -> str:
        """Rule broken by a line of a file, with a remedy; "" if none."""
        shown = line.strip()[:120]
        for pattern, reason in _COMPILED:
            if pattern.search(line):
                return f"{reason}: {shown}"
        known = self._baseline.files.get(path, "")
        if any(found[0] not in known for found in _UNLESS_KNOWN.finditer(line)):
            return f"finds out what it is run as: {shown}"
        if self._reporting and (found := self._reporting.search(line)):
            return (
                f"writes what a benchmark tool writes, {found[0]} of {self._report} reports: "
                f"{shown} (if it is no report, use another word)"
            )
        for name in self._benchmarks:
            if f'"{name}' in line or f"'{name}" in line:
                return f"names a benchmark, {name}: {shown} (if by chance, use another word)"
        if name := self._guarded.named(line):
            return (
                f"names a file of the tests, {name}: {shown} "
                "(the code that is measured has no need of them)"
            )
        return ""


def _reporting(report: str, known: str) -> re.Pattern[str] | None:
    """Pattern for words of the report format, except the baseline's own; None if there are none.

    For a user's own format, ``json:`` or ``regex:``, words in its path or expression.
    """
    kind, own, rest = report.partition(":")
    keys = set(_KEYS.get(kind, ()))
    marks = set(_MARKS.get(kind, ()))
    if own:
        keys = {key for keys in _KEYS.values() for key in keys if key in rest}
        marks = {mark for marks in _MARKS.values() for mark in marks if re.search(mark, rest)}
    found = {rf"""\\?["']{re.escape(key)}\\?["']""" for key in keys} | marks
    new = sorted(pattern for pattern in found if not re.search(pattern, known))
    return re.compile("|".join(new)) if new else None


class _Guarded:
    """Names of test and benchmark files, as they may appear in quotes.

    A quoted text names a file by its last part, if no other file has this name; or by a path from a
    folder of tests on, if it exists there, in whole or as a prefix.
    """

    _QUOTED = re.compile(r"""(?=["']([^"'\n]*)["'])""")
    _OPEN = re.compile(r"[*?{%$\[<]")  # from here on a pattern, or something to be filled in

    def __init__(self, tests: Iterable[str], baseline: Program) -> None:
        paths = list(map(PurePosixPath, tests))
        common = {PurePosixPath(path).name for path in baseline.files}
        self._names = {path.name for path in paths if len(path.name) >= _SHORTEST} - common
        self._tails = {
            "/".join(path.parts[place:]).lower()
            for path in paths
            for place, part in enumerate(path.parts[:-1])
            if part.lower() in PROTECTED_FOLDERS
        }

    def named(self, line: str) -> str:
        """Quoted text of a line that names a test file; "" if none."""
        for found in self._QUOTED.finditer(line):
            parts = re.split(r"[/\\]+", found[1])
            if parts[-1] in self._names:
                return found[1]
            folders = enumerate(map(str.lower, parts[:-1]))
            places = (place for place, part in folders if part in PROTECTED_FOLDERS)
            if any(map(self._is_there, ("/".join(parts[place:]).lower() for place in places))):
                return found[1]
        return ""

    def _is_there(self, tail: str) -> bool:
        begin = self._OPEN.split(tail, maxsplit=1)[0]
        whole = len(begin.partition("/")[2]) == 1  # a letter may be a unit: tests/s
        return any(f"{known}/".startswith(f"{begin}/" if whole else begin) for known in self._tails)


_ROOTS = ("src", "lib", "python")  # folders that may be where imports begin
_C_LIKE = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
_PIECES = re.compile(
    r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'" + r"|//[^\n]*|/\*.*?\*/", re.DOTALL
)
_MISREAD = re.compile(r'R"|\\\r?\n|\?\?/|\d\'')  # where that may not see what a compiler sees


def _shadows(path: str) -> bool:
    """Whether Python would import a file in place of a standard library module."""
    parts = PurePosixPath(path).parts
    parts = parts[1:] if len(parts) > 1 and parts[0] in _ROOTS else parts
    return path.endswith(".py") and PurePosixPath(parts[0]).stem in sys.stdlib_module_names


def _without_comments(path: str, text: str) -> str:
    """The text with comments blanked out, if they are certain; lines keep their numbers."""
    if path.endswith(".py"):
        return "\n".join(_code(text))
    if not path.endswith(_C_LIKE) or _MISREAD.search(text):
        return text
    return _PIECES.sub(
        lambda found: found[0] if found[0][0] in "\"'" else "\n" * found[0].count("\n") or " ", text
    )


def _code(text: str) -> Iterator[str]:
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column]
    except (tokenize.TokenError, SyntaxError, IndexError):
        yield text
        return
    yield from lines
