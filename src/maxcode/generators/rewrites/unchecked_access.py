"""Elements reached without a check of the index."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.types import template


class UncheckedAccess(SiteRewrite):
    """Not for maps, where `[]` would add what is missing, nor in programs that catch the error."""

    name = "unchecked-access"
    summary = "Indexes vectors and strings without checking the index each time."
    weight = 3.0
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each `v.at(i)`."""
        if any(True for _ in source.walk("catch_clause")):
            return
        for variable in source.variables:
            kind = source.expand(variable.type)
            parts = template(kind)
            if kind != "string" and (parts is None or parts[0] not in ("vector", "array", "deque")):
                continue
            for use in source.uses(variable):
                called = source.method_call(use)
                if called is not None and called[0] == "at" and len(called[2]) == 1:
                    yield [replace(called[1], f"{variable.name}[{source.of(called[2][0])}]")]
