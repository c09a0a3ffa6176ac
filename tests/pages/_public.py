"""The public names of maxcode, and those described in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import griffe
from tests.pages._page import ROOT

import maxcode

_DESCRIBED = re.compile(r"^::: (maxcode[\w.]*)", re.MULTILINE)


def exported() -> Iterator[str]:
    """All names that a package offers by ``__all__``."""
    packages = (m.name for m in walk_packages(maxcode.__path__, "maxcode.") if m.ispkg)
    for module in [maxcode.__name__, *packages]:
        for name in getattr(import_module(module), "__all__", ()):
            yield f"{module}.{name}"


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
