"""Ordered maps and sets as hashed ones."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, after, before
from maxcode.generators.rewrites.cpp.containers import container_types, rename
from maxcode.generators.rewrites.cpp.types import template
from maxcode.generators.rewrites.support import load

_UNORDERED = frozenset(
    {"find", "count", "insert", "emplace", "erase", "end", "size", "empty", "clear", "at",
     "contains", "try_emplace", "swap"}
)  # fmt: skip


class HashedContainers(SiteRewrite):
    """Where the entries are visited in order, they are sorted for that once."""

    name = "hashed-containers"
    summary = "Looks keys up in a hash table instead of a balanced tree."
    weight = 7.0
    headers = ("unordered_map", "unordered_set")
    support = load("sorted_entries")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each type of map or set, all places that name it or visit it in order."""
        for text, nodes in container_types(source, "map", "set").items():
            name, arguments = template(text) or ("", [])
            key = source.expand(arguments[0]) if arguments else ""
            if len(arguments) != (2 if name == "map" else 1):
                continue  # with a comparison of its own
            if not (source.is_arithmetic(key) or key == "string"):
                continue
            if any(self._is_iterator(source, node) for node in nodes):
                continue
            edits = [rename(source, node, f"std::unordered_{name}") for node in nodes]
            visits = self._visits(source, text)
            if visits is not None:
                yield edits + visits

    def _is_iterator(self, source: CppSource, node: Node) -> bool:
        after_name = source.data[node.end_byte : node.end_byte + 2]
        return after_name == b"::"

    def _visits(self, source: CppSource, text: str) -> list[Edit] | None:
        """Return the edits that sort where order shows, None where that cannot be done."""
        edits: list[Edit] = []
        for variable in source.variables:
            if text not in source.expand(variable.type):
                continue
            if source.expand(variable.type) != text or variable.form not in ("", "&"):
                return None  # within another container: not followed
            for use in source.uses(variable):
                edit = self._visit(source, use, text)
                if edit is None:
                    return None
                edits += edit
        return edits

    def _visit(self, source: CppSource, use: Node, text: str) -> list[Edit] | None:
        called = source.method_call(use)
        above = source.parent(use)
        if called is not None:
            return [] if called[0] in _UNORDERED else None
        if above is None:
            return None
        if above.type == "for_range_loop" and not self._changes_entries(source, above):
            return [before(use, "sorted_entries("), after(use, ")")]
        harmless = (
            source.subscript(use) is not None
            or above.type == "return_statement"
            or self._is_argument(source, above, text)
        )
        return [] if harmless else None

    def _is_argument(self, source: CppSource, above: Node, text: str) -> bool:
        """Say whether a use is handed to a function that is rewritten in the same way."""
        call = source.parent(above)
        if above.type != "argument_list" or call is None:
            return False
        function = source.function(source.callee(call))
        return function is not None and any(
            source.expand(parameter.type) == text for parameter in function.parameters
        )

    def _changes_entries(self, source: CppSource, loop: Node) -> bool:
        return any(
            "&" in variable.form and source.effects.writes(variable, loop)
            for variable in source.variables
            if variable.declaration.id == loop.id
        )
