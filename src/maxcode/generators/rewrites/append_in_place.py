"""Strings that grow in place."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.loops import names_in


class AppendInPlace(SiteRewrite):
    """`s = s + a + b` copies the whole string twice; `s += a; s += b` does not."""

    name = "append-in-place"
    summary = "Appends to a string in place instead of building a new one."
    weight = 8.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each assignment of a string that begins with the string itself."""
        for assignment in source.walk("assignment_expression"):
            left, right = (assignment.child_by_field_name(side) for side in ("left", "right"))
            if left is None or right is None or right.type != "binary_expression":
                continue
            operator = assignment.child_by_field_name("operator")
            if source.of(operator) != "=" or not self._is_string(source, left):
                continue
            first, *added = self._terms(source, right)
            target = source.of(left)
            if source.of(first) != target or not added:
                continue
            if len(added) > 1 and any(names_in(source.of(term), target) for term in added):
                continue  # would see the string already changed
            statement = source.parent(assignment)
            if statement is None or statement.type != "expression_statement":
                continue
            block = source.parent(statement)
            inside = block is not None and block.type == "compound_statement"
            separator = f";\n{source.indent(statement)}" if inside else ", "
            appended = [f"{target} += {source.of(term)}" for term in added]
            yield [replace(assignment, separator.join(appended))]

    def _is_string(self, source: CppSource, left: Node) -> bool:
        name = left
        while name.type in ("subscript_expression", "field_expression"):
            inner = name.child_by_field_name("argument")
            if inner is None:
                return False
            name = inner
        if left.type == "field_expression":
            field = source.of(left.child_by_field_name("field"))
            return any(
                v.name == field and v.kind == "member" and v.type == "string"
                for v in source.variables
            )
        variable = source.names.resolve(name) if name.type == "identifier" else None
        if variable is None:
            return False
        kind = source.expand(variable.type)
        if left.type == "subscript_expression":
            return kind in ("vector<string>", "map<int,string>", "map<string,string>")
        return kind == "string"

    def _terms(self, source: CppSource, sum_: Node) -> list[Node]:
        terms: list[Node] = []
        current = sum_
        while (
            current.type == "binary_expression"
            and source.of(current.child_by_field_name("operator")) == "+"
        ):
            left, right = (current.child_by_field_name(side) for side in ("left", "right"))
            if left is None or right is None:
                break
            terms.insert(0, right)
            current = left
        return [current, *terms]
