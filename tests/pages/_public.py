"""The public names of maxcode, and those described in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages

import griffe
from tests.examples._notebooks import code_cells, read
from tests.pages._page import PAGES, ROOT, blocks

import maxcode

NOTEBOOKS = sorted((ROOT / "examples").rglob("*.ipynb"))
_IMPORT = re.compile(r"^from (maxcode[\w.]*) import (\([^)]*\)|[^\n;\"']*)", re.MULTILINE)
_DESCRIBED = re.compile(r"^::: (maxcode[\w.]*)", re.MULTILINE)


def exported() -> Iterator[str]:
    """All names that a package offers by ``__all__``."""
    packages = (m.name for m in walk_packages(maxcode.__path__, "maxcode.") if m.ispkg)
    for module in [maxcode.__name__, *packages]:
        for name in getattr(import_module(module), "__all__", ()):
            yield f"{module}.{name}"


def imported() -> Iterator[str]:
    """All names that pages and notebooks import, but for those of modules that a page writes."""
    for code in _shown():
        for module, names in _IMPORT.findall(code):
            if find_spec(module) is None:
                continue
            bare = re.sub(r"#.*|\bas \w+", "", names)
            yield from (f"{module}.{name}" for name in re.findall(r"[A-Za-z_]\w*", bare))


def referred() -> Iterator[str]:
    """All names that pages of the reference describe."""
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        yield from _DESCRIBED.findall(page.read_text())


def homes(names: Iterable[str]) -> dict[str, str]:
    """Where each name is defined, by the name."""
    return {name: _package()[name.removeprefix("maxcode.")].canonical_path for name in names}


@cache
def _package() -> griffe.Object | griffe.Alias:
    return griffe.load("maxcode", search_paths=[str(ROOT / "src")], resolve_aliases=True)


def _shown() -> Iterator[str]:
    for page in PAGES:
        yield from (block.code for block in blocks(page.read_text()))
    for path in NOTEBOOKS:
        yield from (cell.source for cell in code_cells(read(path)))
