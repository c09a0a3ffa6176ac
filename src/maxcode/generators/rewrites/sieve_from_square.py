"""Sieves that begin to strike out at the square."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace


class SieveFromSquare(SiteRewrite):
    """`for (int j = 2 * i; j <= n; j += i)` begins at `i * i`, without overflow."""

    name = "sieve-from-square"
    summary = "Strikes out multiples in a sieve from the square of the prime on."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the start of each loop over the multiples of a number."""
        for loop in source.walk("for_statement"):
            first = loop.child_by_field_name("initializer")
            step = loop.child_by_field_name("update")
            if first is None or step is None:
                continue
            start = re.fullmatch(
                r"(?:int|long|long long|size_t|ll)\s+(\w+)\s*=\s*(.+);", source.of(first)
            )
            moved = re.fullmatch(r"(\w+)\s*(?:\+=\s*(\w+)|=\s*\1\s*\+\s*(\w+))", source.of(step))
            if start is None or moved is None or start[1] != moved[1]:
                continue
            prime = moved[2] or moved[3]
            begins = re.sub(r"\s", "", start[2])
            if begins in (f"2*{prime}", f"{prime}*2", f"{prime}+{prime}"):
                square = f"long long {start[1]} = static_cast<long long>({prime}) * {prime};"
                yield [replace(first, square)]
