"""Figures in README, figures.md and judging.md stand in the raw file that their row names.

A block (paragraph, table row, list item) with a figure names raw files of ``benchmarks/results`` as
``(`name`)`` or ``name.json``. Each of its numerals must be a value of those files, in the unit that
follows it, rounded as printed. Long lists of raw samples count by their length, extremes, sum and
median only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.pages._page import ROOT

RESULTS = ROOT / "benchmarks" / "results"
PAGES = ("README.md", "docs/manual/figures.md", "docs/explanation/judging.md")
LONGEST_SUMMARY = 12  # items; a longer list holds raw samples

# Numerals that nothing was measured for: releases, levels, sizes that a rule names, examples.
NO_FIGURES = {
    "README.md": r"Apache-2\.0|Python 3\.11|2601\.05475|2402\.01361|luckiest of 64|usd=5",
    "docs/explanation/judging.md": (
        r"3 and 17|with two tests|times faster than 3|seed is 42|numbers of 80 bits have 64"
        r"|some 0\.02 s|level 99\.95|at least 8 such|is 10 % wider"
    ),
    "docs/manual/figures.md": r"levels 1 to 3|99\.95 % interval|at 95 %",
}
_NUMERAL = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?|\.\d+)(?![\w.]*\.\w)")
_UNIT = re.compile(r"^(?:[\s,]|and|to|of|or|\d|\.)*?(%|ms|s|MB|GB|kB|minutes|x)(?![\w])")
_SCALES = {
    "ms": (1e3, 1.0),
    "s": (1.0, 1e-3),
    "MB": (1.0, 1e-6, 2**-20),
    "GB": (1.0, 1e-9, 1e-3, 2**-30),
    "minutes": (1.0, 1 / 60),
}


def blocks(text: str) -> Iterator[str]:
    """The paragraphs, table rows and list items of a page, without code and link targets."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for paragraph in re.split(r"\n\s*\n", text):
        parts = re.split(r"\n(?=\||- |# )", paragraph)
        yield from (part for part in parts if not part.startswith("#"))


def named_files(block: str) -> list[Path]:
    names = re.findall(r"`(\w+)(?:\.json)?`", block)
    return [RESULTS / f"{name}.json" for name in names if (RESULTS / f"{name}.json").exists()]


def values(found: Any) -> Iterator[float]:
    """All numbers of a raw file; of lists of raw samples what sums them up."""
    if isinstance(found, bool):
        return
    if isinstance(found, int | float):
        yield float(found)
    elif isinstance(found, str):
        yield from (number(one) for one in _NUMERAL.findall(found))
    elif isinstance(found, dict):
        yield float(len(found))
        for value in found.values():
            yield from values(value)
    elif isinstance(found, list):
        yield float(len(found))
        if len(found) <= LONGEST_SUMMARY:
            for value in found:
                yield from values(value)
        yield from summary(found)


def summary(items: list[Any]) -> Iterator[float]:
    if items and all(isinstance(item, dict) for item in items):
        for key in {key for item in items for key in item}:
            yield from summary([item[key] for item in items if key in item])
    elif items and all(isinstance(item, int | float) for item in items):
        yield from (sum(items), min(items), max(items), median(items))
    elif items and all(isinstance(item, str) for item in items):
        yield from (float(items.count(item)) for item in set(items))


def number(numeral: str) -> float:
    return float(numeral.replace(",", ""))


def stands(numeral: str, unit: str, known: set[float]) -> bool:
    """Whether a value is printed so: in this unit, rounded to as many places, or to two digits."""
    places = len(numeral.partition(".")[2])
    wanted = number(numeral)
    for value in known:
        printed = [value * scale for scale in _SCALES.get(unit, (1.0,))]
        if unit == "%":
            printed += [100 * value, 100 * (value - 1), 100 * (1 - value)]
        if any(abs(one - wanted) <= 0.5 * 10**-places + 1e-9 for one in printed):
            return True
    return False


def page_faults(text: str, exempt: str) -> list[str]:
    """The faults of a page; rows of a table may rely on the files that the text above it names."""
    found, above = [], []
    for block in blocks(text):
        if not block.startswith("|"):
            above = named_files(block)
        found += faults(block, exempt, above)
    return found


def faults(block: str, exempt: str, above: list[Path]) -> list[str]:
    """The numerals of a block that no named raw file holds."""
    told = re.sub(exempt, "", block) if exempt else block
    files = named_files(told) or above
    told = re.sub(r"`[^`]*`", "", told)
    numerals = [
        (match[1], unit[1] if (unit := _UNIT.match(told[match.end() :])) else "")
        for match in _NUMERAL.finditer(told)
    ]
    if not numerals:
        return []
    if not files:
        return [f"no raw file is named for {[numeral for numeral, _ in numerals]}: {block}"]
    contents = [json.loads(path.read_text()) for path in files]
    known = {value for content in contents for value in values(content)}
    return [
        f"{numeral} {unit} is not in {[path.name for path in files]}: {block}"
        for numeral, unit in numerals
        if not stands(numeral, unit, known)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_figures_stand_in_the_raw_files_that_their_rows_name(page: str) -> None:
    text = (ROOT / page).read_text()
    assert page_faults(text, NO_FIGURES[page]) == []


def test_every_raw_file_is_named_by_a_page_or_by_another_benchmark() -> None:
    readers = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.ipynb")]
    named = set(re.findall(r"\w+", "".join(path.read_text() for path in readers)))
    scripts = {path.stem: path.read_text() for path in ROOT.glob("benchmarks/*.py")}
    unnamed = [path.stem for path in RESULTS.glob("*.json") if path.stem not in named]
    assert [
        name
        for name in unnamed
        if not any(name in text for script, text in scripts.items() if script != name)
    ] == []
