"""Tools that write lines for people. Each function takes the text and gives its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.errors import InputError
from maxcode.readers.figure import SECONDS, Figure

_GO = re.compile(r"^(Benchmark\S*?)(?:-\d+)?\s+(\d+)\s+([\d.]+) ns/op", re.MULTILINE)
_CRITERION = re.compile(r"^(?P<name>\S.*?)?\s+time:\s+\[\S+ \S+ ([\d.]+) (\S+) \S+ \S+\]")
_CARGO = re.compile(r"^test (\S+)\s+\.\.\. bench:\s+([\d,.]+) ns/iter", re.MULTILINE)


def go(text: str) -> Iterator[Figure]:
    """``go test -bench``: nanoseconds for each operation."""
    for name, iterations, nanoseconds in _GO.findall(text):
        seconds = float(nanoseconds) * 1e-9
        yield Figure(name, seconds, seconds * int(iterations))


def criterion(text: str) -> Iterator[Figure]:
    """criterion.rs' report: its estimate. A long name has a line of its own before it."""
    before = ""
    for line in text.splitlines():
        found = _CRITERION.match(line)
        if found is None:
            before = line.strip() or before
            continue
        name = found["name"] or before
        yield Figure(name, float(found[2]) * SECONDS[found[3]])


def cargo_bench(text: str) -> Iterator[Figure]:
    """Rust's own ``#[bench]``: nanoseconds for each iteration."""
    for name, nanoseconds in _CARGO.findall(text):
        yield Figure(name, float(nanoseconds.replace(",", "")) * 1e-9)


def by_pattern(text: str, pattern: str) -> Iterator[Figure]:
    """Every match of a regular expression: its group ``value``, or its only one; ``name`` if any.

    Raises :class:`~maxcode.errors.InputError` for an expression without a group, and for a value
    that is no number.
    """
    compiled = compiled_pattern(pattern)
    names = compiled.groupindex
    for match in compiled.finditer(text):
        value = match["value"] if "value" in names else match[1]
        name = match["name"] if "name" in names else "benchmark"
        try:
            yield Figure(name, float(value))
        except (TypeError, ValueError) as error:
            raise InputError(f"{pattern!r} finds {value!r} for {name!r}, no number") from error


def compiled_pattern(pattern: str) -> re.Pattern[str]:
    """The expression. Raises :class:`~maxcode.errors.InputError` where it is none, or no group."""
    try:
        compiled = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise InputError(f"{pattern!r} is no regular expression: {error}") from error
    if "value" not in compiled.groupindex and compiled.groups != 1:
        raise InputError(f"{pattern!r} needs a group (?P<value>...), and may have (?P<name>...)")
    return compiled
