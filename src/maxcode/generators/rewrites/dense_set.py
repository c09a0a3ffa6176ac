"""Sets of small integers as bitmaps."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource
from maxcode.generators.rewrites.cpp.containers import container_types, rename
from maxcode.generators.rewrites.cpp.types import template
from maxcode.generators.rewrites.support import load


class DenseSet(SiteRewrite):
    """The bitmap keeps the order of the members; members too far apart make the program fail."""

    name = "dense-set"
    summary = "Keeps a set of small integers as a table with one flag for each possible member."
    weight = 8.0
    support = load("dense_set")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each type of set of integers, all places that name it."""
        for text, nodes in container_types(source, "set", "unordered_set").items():
            _, arguments = template(text) or ("", [])
            if len(arguments) == 1 and source.is_integer(arguments[0]):
                yield [rename(source, node, "DenseSet") for node in nodes]
