"""Maps from small integers as tables."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource
from maxcode.generators.rewrites.cpp.containers import container_types, rename
from maxcode.generators.rewrites.cpp.types import template
from maxcode.generators.rewrites.support import load


class DenseMap(SiteRewrite):
    """The table keeps the order of the keys; keys too far apart make the program fail."""

    name = "dense-map"
    summary = "Keeps a map from small integers in a table indexed by the key."
    weight = 8.0
    support = load("dense_map")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each type of map with integer keys, all places that name it."""
        for text, nodes in container_types(source, "map", "unordered_map").items():
            _, arguments = template(text) or ("", [])
            if len(arguments) == 2 and source.is_integer(arguments[0]):
                yield [rename(source, node, "DenseMap") for node in nodes]
