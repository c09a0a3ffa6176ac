"""Unordered pairs visited once."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.loops import counted


class SymmetricPairs(SiteRewrite):
    """Where loops over i and j leave out i == j, starts j at i + 1."""

    name = "symmetric-pairs"
    summary = "Looks at each unordered pair once instead of twice."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the start of each inner loop over the same range as the outer one."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or not outer.statements:
                continue
            # What follows the inner loop would use a result for each i, over all j.
            inner = counted(source, outer.statements[-1])
            if inner is None or (inner.start, inner.limit) != (outer.start, outer.limit):
                continue
            i, j = outer.variable, inner.variable
            unequal = rf"\b(?:{i}\s*[!=]=\s*{j}|{j}\s*[!=]=\s*{i})\b"
            first = inner.node.child_by_field_name("initializer")
            if first is not None and re.search(unequal, source.of(inner.body)):
                yield [replace(first, re.sub(r"=[^;]*", f"= {i} + 1", source.of(first)))]
