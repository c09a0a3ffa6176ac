"""Tables in one piece of memory."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, replace
from maxcode.generators.rewrites.cpp.containers import container_types
from maxcode.generators.rewrites.cpp.tree import arguments
from maxcode.generators.rewrites.cpp.types import template
from maxcode.generators.rewrites.support import load

_AS_A_WHOLE = ("argument_list", "return_statement", "assignment_expression", "init_declarator")


class FlatGrid(SiteRewrite):
    """For vectors of equally long vectors of numbers that keep their shape."""

    name = "flat-grid"
    summary = "Keeps a two-dimensional table in one piece of memory instead of a vector a row."
    weight = 6.0
    support = load("flat_grid")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each type of table, all places that name or construct it."""
        for text, nodes in container_types(source, "vector").items():
            cell = self._cell(source, text)
            if cell is None:
                continue
            edits = self._edits(source, text, cell, nodes)
            if edits:
                yield edits

    def _edits(
        self, source: CppSource, text: str, cell: str, nodes: list[Node]
    ) -> list[Edit] | None:
        """Return the edits for one type, None where a table of it may change its shape."""
        shapes = [
            self._constructed(source, variable) if self._keeps_shape(source, variable) else None
            for variable in source.variables
            if source.expand(variable.type) == text
        ]
        edits: list[Edit] = []
        for node in nodes:
            above = source.parent(node)
            qualified = above is not None and above.type == "qualified_identifier"
            whole = above if above is not None and qualified else node
            edits.append(replace(whole, f"FlatGrid<{cell}>"))
            call = source.parent(whole)
            if call is not None and call.type == "call_expression":
                shapes.append(self._shape(source, arguments(call)))
        for shape in shapes:
            if shape is None:
                return None
            edits += shape
        return edits

    def _cell(self, source: CppSource, text: str) -> str | None:
        _, outer = template(text) or ("", [])
        row = template(outer[0]) if len(outer) == 1 else None
        if row is None or row[0] != "vector" or len(row[1]) != 1:
            return None
        cell = row[1][0]
        return cell if source.is_arithmetic(cell) and source.expand(cell) != "bool" else None

    def _constructed(self, source: CppSource, variable: Variable) -> list[Edit] | None:
        value = variable.value
        if variable.form not in ("", "&"):
            return None
        if value is None:
            return [] if variable.kind == "parameter" else None
        if value.type in ("argument_list", "parameter_list"):
            return self._shape(source, value.named_children)
        return [] if value.type in ("call_expression", "identifier") else None

    def _shape(self, source: CppSource, given: list[Node]) -> list[Edit] | None:
        """Turn `(rows, vector<T>(columns, value))` into `(rows, columns, value)`."""
        # `vector<T>(columns)` may parse as a parameter's type: the text tells.
        row = re.fullmatch(
            r"(?:std::)?vector\s*<[^()]*>\s*\((.+)\)",
            source.of(given[1]) if len(given) == 2 else "",
            re.DOTALL,
        )
        return None if row is None else [replace(given[1], row[1])]

    def _keeps_shape(self, source: CppSource, variable: Variable) -> bool:
        return all(self._allowed(source, use) for use in source.uses(variable))

    def _allowed(self, source: CppSource, use: Node) -> bool:
        access = source.subscript(use)
        called = source.method_call(use)
        above = source.parent(use if access is None else access[0])
        if called is not None:
            return called[0] in ("size", "empty", "swap")
        if above is None:
            return False
        if access is None:
            return above.type in _AS_A_WHOLE
        if above.type == "field_expression":
            return source.of(above.child_by_field_name("field")) in ("size", "begin", "end")
        if above.type == "init_declarator":  # a row by reference would be one by value
            return source.of(above.child_by_field_name("declarator")).startswith("&&")
        return above.type != "assignment_expression"  # a whole row, given or taken
