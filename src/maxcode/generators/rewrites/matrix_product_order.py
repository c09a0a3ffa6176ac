"""Sums of products with the innermost loop along the rows."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Variable, replace
from maxcode.generators.rewrites.cpp.loops import (
    CountedLoop,
    counted,
    leaves_early,
    names_in,
    row_jumps,
)


class MatrixProductOrder(SiteRewrite):
    """Splits the middle loop: what precedes the sum, the sums of a whole row, what follows."""

    name = "matrix-product-order"
    summary = "Computes the sums of a whole row of a matrix product together, along the rows."
    weight = 8.0
    headers = ("vector",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop that sets up a sum, sums in an inner loop and uses the sum."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or len(outer.statements) < 2:
                continue
            first, second, *rest = outer.statements
            inner = counted(source, second)
            if inner is None or leaves_early(source, outer.body):
                continue
            if names_in(inner.header, outer.variable):
                continue
            if row_jumps(source, inner.body, inner.variable) <= row_jumps(
                source, inner.body, outer.variable
            ):
                continue
            if first.type == "declaration" and rest:
                text = self._with_row_of_sums(source, outer, inner, first, rest)
            elif first.type == "expression_statement" and not rest:
                text = self._distributed(source, outer, inner, first)
            else:
                continue
            if text is not None:
                yield [replace(node, text)]

    def _distributed(
        self, source: CppSource, outer: CountedLoop, inner: CountedLoop, first: Node
    ) -> str:
        pad = source.indent(outer.node)
        return (
            f"{{\n{pad}{outer.header}\n{pad}    {source.of(first)}\n"
            f"{pad}{inner.header}\n{pad}    {outer.header}\n{pad}        {source.of(inner.body)}"
            f"\n{pad}}}"
        )

    def _with_row_of_sums(
        self,
        source: CppSource,
        outer: CountedLoop,
        inner: CountedLoop,
        first: Node,
        rest: list[Node],
    ) -> str | None:
        total = next((v for v in source.variables if v.declaration.id == first.id), None)
        if total is None or not self._suits(source, outer, total):
            return None
        sums = source.fresh(f"{total.name}_row")
        element = f"{sums}[{outer.variable}]"

        def renamed(node: Node) -> str:
            return re.sub(rf"(?<![\w.>]){re.escape(total.name)}\b", element, source.of(node))

        pad = source.indent(outer.node)
        after_sums = f"\n{pad}        ".join(renamed(statement) for statement in rest)
        limit, value = outer.limit, source.of(total.value)
        return (
            f"{{\n{pad}    std::vector<{source.of(total.type_node)}> {sums}({limit}, {value});\n"
            f"{pad}    {inner.header}\n{pad}        {outer.header}\n"
            f"{pad}            {renamed(inner.body)}\n"
            f"{pad}    {outer.header} {{\n{pad}        {after_sums}\n{pad}    }}\n{pad}}}"
        )

    def _suits(self, source: CppSource, outer: CountedLoop, total: Variable) -> bool:
        return (
            total.alone
            and not total.form
            and total.value is not None
            and total.value.type not in ("argument_list", "initializer_list")
            and source.is_arithmetic(total.type)
            and not names_in(source.of(total.value), outer.variable)
            and not outer.start.startswith("-")
        )
