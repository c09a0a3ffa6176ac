"""Rows of a table looked up once, before the loop along them."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace
from maxcode.generators.rewrites.cpp.hoisting import declare_before
from maxcode.generators.rewrites.cpp.names import body_of
from maxcode.generators.rewrites.cpp.tree import LOOPS


class RowReference(SiteRewrite):
    """The compiler cannot do it: a write to an element might change the table, for all it knows."""

    name = "row-reference"
    summary = "Looks a row of a table up before the loop that runs along it."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each innermost loop, the rows that stay the same in it."""
        number = 0
        for loop in source.walk(*LOOPS):
            body = body_of(loop)
            if body is None or loop.type == "do_statement":
                continue
            if any(True for _ in source.walk(*LOOPS, within=body)):
                continue
            names: dict[str, str] = {}
            edits: list[Edit] = []
            for row in self._rows(source, loop):
                text = source.of(row)
                if text not in names:
                    number += 1
                    names[text] = source.fresh(f"row_{number}")
                    edits += declare_before(source, loop, f"auto&& {names[text]} = {text};")
                edits.append(replace(row, names[text]))
            if edits:
                yield edits

    def _rows(self, source: CppSource, loop: Node) -> Iterator[Node]:
        for access in source.walk("subscript_expression", within=loop):
            above = source.parent(access)
            table = access.child_by_field_name("argument")
            indices = access.child_by_field_name("indices")
            if above is None or table is None or indices is None:
                continue
            if above.type != "subscript_expression" or table.type != "identifier":
                continue
            variable = source.names.resolve(table)
            if variable is None or not source.expand(variable.type).startswith("vector<vector<"):
                continue
            if source.effects.reshapes(variable, loop):
                continue
            if source.effects.invariant(indices, loop):
                yield access
