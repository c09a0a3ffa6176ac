"""Nested loops in the order of memory."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit
from maxcode.generators.rewrites.cpp.loops import (
    CountedLoop,
    counted,
    leaves_early,
    names_in,
    row_jumps,
)


class LoopInterchange(SiteRewrite):
    """Swaps two perfectly nested loops where the inner one jumps from row to row."""

    name = "loop-interchange"
    summary = "Swaps two nested loops so that the inner one walks along the rows in memory."
    weight = 8.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each pair of loops that is better the other way round."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or len(outer.statements) != 1:
                continue
            inner = counted(source, outer.statements[0])
            if inner is not None and self._suits(source, outer, inner):
                yield [self._header(outer, inner), self._header(inner, outer)]

    def _suits(self, source: CppSource, outer: CountedLoop, inner: CountedLoop) -> bool:
        independent = not names_in(inner.header, outer.variable)
        return (
            independent
            and not leaves_early(source, inner.body)
            and not any(True for _ in source.walk("for_statement", within=inner.body))
            and row_jumps(source, inner.body, inner.variable)
            > row_jumps(source, inner.body, outer.variable)
        )

    def _header(self, loop: CountedLoop, other: CountedLoop) -> Edit:
        start = loop.node.start_byte
        return Edit(start, start + len(loop.header.encode()), other.header)
