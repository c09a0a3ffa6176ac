"""Hash tables that begin with room for their entries."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, after
from maxcode.generators.rewrites.cpp.types import template


class HashReserve(SiteRewrite):
    """Not within loops, where making a large table each time would cost more."""

    name = "hash-reserve"
    summary = "Makes hash tables with many buckets at once instead of rehashing as they grow."
    weight = 3.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each hash table declared empty."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] not in ("unordered_map", "unordered_set"):
                continue
            if variable.kind not in ("local", "global") or variable.form or variable.value:
                continue
            if not source.enclosing_loops(variable.node):
                yield [after(variable.node, "(1 << 16)")]
