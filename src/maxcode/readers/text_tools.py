"""Tools with reports in lines for people, or XML. Each function gives the figures of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from maxcode.errors import InputError
from maxcode.readers.figure import SECONDS, Figure

_GO = re.compile(r"^(Benchmark\S*?)(?:-\d+)?\s+(\d+)\s+([\d.]+) ns/op", re.MULTILINE)
_CRITERION = re.compile(r"^(?P<name>\S.*?)?\s+time:\s+\[\S+ \S+ ([\d.]+) (\S+) \S+ \S+\]")
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
_NUMBER = r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*"
_TIME = re.compile(_NUMBER + r"(nano|micro|milli|[nuµμm])?s(?:ecs?|econds?)?\b")
_RATE = re.compile(_NUMBER + r"(?:ops?|it|iter\w*|calls?|runs?)\s?(?:/|per )\s?s(?:ec(?:ond)?)?\b")
_UNIT = re.compile(r"\((ns|[uµμ]s|ms|s)\)")
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


def times(text: str) -> Iterator[Figure]:
    """Lines with a name and a time or a rate, such as ``parse: 12.5 ms`` or ``add x 7 ops/sec``.

    The first of a line counts, and the text before it is the name. A table in lines (│) has its
    unit in a heading, such as ``Latency med (ns)``.
    """
    column, unit = 0, ""
    for line in _COLOURS.sub("", text).splitlines():
        cells = [cell.strip(" '") for cell in re.split("[│|]", line)[1:-1]]
        headings = [at for at, cell in enumerate(cells) if _UNIT.search(cell)]
        if headings:
            column = next((at for at in headings if "med" in cells[at].lower()), headings[0])
            unit = _UNIT.findall(cells[column])[0]
        elif unit and len(cells) > column and (number := re.match(r"[\d.,]+", cells[column])):
            name = next(cell for cell in cells if not cell.isdecimal())
            yield Figure(name, _number(number[0]) * SECONDS[unit])
        elif found := _TIME.search(line) or _RATE.search(line):
            name = line[: found.start()].strip(" \t:=.|│─├└*•-").removesuffix(" x")
            value = _number(found[1])
            if found.re is _TIME:
                prefix = (found[2] or "").replace("micro", "u")[:1]  # n of nano, m of milli
                value *= SECONDS[f"{prefix}s"]
            else:
                value = 1 / value
            yield Figure(name or "time", value)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def catch2(text: str) -> Iterator[Figure]:
    """Catch2's ``-r xml``: the mean of the samples, in nanoseconds.

    A benchmark goes by its test case, sections and name. Raises :class:`~maxcode.errors.InputError`
    for a failed benchmark, and for other XML.
    """
    start = text.find("<?xml")
    if start < 0 or "<!DOCTYPE" in text or "<!ENTITY" in text:  # which Catch2 does not write
        raise InputError("the benchmark wrote no XML; Catch2 does with -r xml")
    try:
        root = ElementTree.fromstring(text[start:])  # noqa: S314 - without entities
    except ElementTree.ParseError as error:
        raise InputError(f"what the benchmark wrote is not Catch2's: {error}") from error
    yield from _catch2_below(root, ())


def _catch2_below(element: ElementTree.Element, names: tuple[str, ...]) -> Iterator[Figure]:
    for one in element:
        own = (*names, one.get("name", "").strip())
        if one.tag in ("TestCase", "Section"):
            yield from _catch2_below(one, own)
        elif one.tag == "BenchmarkResults":
            mean = one.find("mean")
            if mean is None:
                raise InputError(f"benchmark {'/'.join(own)!r} failed: it has no mean")
            seconds = float(mean.attrib["value"]) * 1e-9
            runs = int(one.attrib["samples"]) * int(one.attrib["iterations"])
            yield Figure("/".join(own), seconds, seconds * runs)
        else:
            yield from _catch2_below(one, names)


def by_pattern(text: str, pattern: str) -> Iterator[Figure]:
    """Every match of a regular expression: its group ``value``, or its only group; ``name`` if
    any.

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
