"""Membership in a vector by a hash set kept beside it."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, after, replace
from maxcode.generators.rewrites.cpp.tree import arguments
from maxcode.generators.rewrites.cpp.types import template

_READING = frozenset(
    {"size", "empty", "begin", "end", "front", "back", "push_back", "emplace_back", "reserve"}
)


class LinearFindToSet(SiteRewrite):
    """For vectors of numbers or strings that only ever grow at the end."""

    name = "linear-find-to-set"
    summary = "Tests for membership in a hash set instead of searching a vector from its start."
    weight = 9.0
    headers = ("unordered_set",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector that is searched with std::find for membership."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] != "vector" or variable.value is not None:
                continue
            if variable.kind not in ("local", "global") or variable.form or not variable.alone:
                continue
            element = parts[1][0]
            if not (source.is_arithmetic(element) or source.expand(element) == "string"):
                continue
            edits = self._edits(source, variable, source.fresh(f"{variable.name}_known"))
            if edits:
                known = source.fresh(f"{variable.name}_known")
                kind = template(source.of(variable.type_node))
                held = kind[1][0] if kind else element
                held = "std::string" if held == "string" else held
                declared = (
                    f"\n{source.indent(variable.declaration)}std::unordered_set<{held}> {known};"
                )
                yield [after(variable.declaration, declared), *edits]

    def _edits(self, source: CppSource, variable: Variable, known: str) -> list[Edit]:
        """Return the edits at the uses; none where the vector is used otherwise."""
        edits: list[Edit] = []
        searched = False
        for use in source.uses(variable):
            called = source.method_call(use)
            if called is None:
                access = source.subscript(use)
                above = source.parent(use)
                visited = above is not None and above.type == "for_range_loop"
                if (access is None and not visited) or source.effects.is_write(use):
                    return []
                continue
            method, call, given = called
            if method not in _READING:
                return []
            if method in ("push_back", "emplace_back"):
                statement = source.parent(call)
                if len(given) != 1 or statement is None or statement.type != "expression_statement":
                    return []
                edits.append(after(call, f", {known}.insert({variable.name}.back())"))
            elif method == "begin":
                test = self._search(source, use, variable.name)
                if test is not None:
                    searched = True
                    edits.append(replace(test[0], f"{known}.count({test[1]}) {test[2]} 0"))
        return edits if searched else []

    def _search(self, source: CppSource, use: Node, name: str) -> tuple[Node, str, str] | None:
        """For `find(v.begin(), v.end(), x) != v.end()`: the test, x and the operator."""
        call = next(
            (a for a in source.ancestors(use) if a.type == "call_expression"
             and source.callee(a) == "find"), None,
        )  # fmt: skip
        test = None if call is None else source.parent(call)
        if call is None or test is None or test.type != "binary_expression":
            return None
        operator = source.of(test.child_by_field_name("operator"))
        right = source.of(test.child_by_field_name("right"))
        given = arguments(call)
        if operator not in ("==", "!=") or right != f"{name}.end()" or len(given) != 3:
            return None
        return test, source.of(given[2]), operator
