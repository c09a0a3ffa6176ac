"""Vectors that grow once."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Variable
from maxcode.generators.rewrites.cpp.hoisting import declare_before
from maxcode.generators.rewrites.cpp.loops import counted
from maxcode.generators.rewrites.cpp.types import template


class Reserve(SiteRewrite):
    """For vectors and strings filled by a counting loop directly beside their declaration."""

    name = "reserve"
    summary = "Reserves the memory of a vector before the loop that fills it."
    weight = 3.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop that appends to a vector declared outside it."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] != "vector" or variable.form not in ("", "&"):
                continue
            if variable.kind == "parameter" or self._reserved(source, variable):
                continue
            for use in source.uses(variable):
                called = source.method_call(use)
                if called is None or called[0] not in ("push_back", "emplace_back"):
                    continue
                loop = self._loop(source, use, variable)
                if loop is not None:
                    yield loop
                    break

    def _reserved(self, source: CppSource, variable: Variable) -> bool:
        calls = (source.method_call(use) for use in source.uses(variable))
        return any(call is not None and call[0] == "reserve" for call in calls)

    def _loop(self, source: CppSource, use: Node, variable: Variable) -> Site | None:
        loops = [
            loop
            for loop in source.enclosing_loops(use)
            if loop.start_byte > variable.node.start_byte
        ]
        if len(loops) != 1:
            return None  # how often an outer and an inner loop append is not known
        loop = counted(source, loops[0])
        if loop is not None and loop.limit.replace(" + 1", "").isidentifier():
            return declare_before(source, loops[0], f"{variable.name}.reserve({loop.limit});")
        return None
