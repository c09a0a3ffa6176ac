"""Linked lists as arrays."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace
from maxcode.generators.rewrites.cpp.containers import container_types, rename

_BOTH = frozenset(
    {"push_back", "emplace_back", "pop_back", "size", "empty", "front", "back", "begin", "end",
     "rbegin", "rend", "clear", "erase", "insert", "swap", "resize", "assign"}
)  # fmt: skip
_ENDS = frozenset({"push_front", "pop_front", "emplace_front"})


class ListToVector(SiteRewrite):
    """A vector where only the end changes, a deque where the front does too."""

    name = "list-to-vector"
    summary = "Keeps elements beside each other in memory instead of in a linked list."
    weight = 6.0
    headers = ("vector", "deque", "algorithm")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each type of list, all places that name it."""
        for text, nodes in container_types(source, "list").items():
            edits: list[Edit] = []
            methods: set[str] = set()
            for variable in source.variables:
                if source.expand(variable.type) != text:
                    continue
                for use in source.uses(variable):
                    called = source.method_call(use)
                    if called is None:
                        continue
                    methods.add(called[0])
                    edits += self._sorted(source, use, called[0], called[1])
            if methods <= _BOTH | _ENDS | {"sort", "reverse"}:
                name = "std::deque" if methods & _ENDS else "std::vector"
                yield edits + [rename(source, node, name) for node in nodes]

    def _sorted(self, source: CppSource, use: Node, method: str, call: Node) -> list[Edit]:
        """Turn the member functions sort and reverse into the algorithms."""
        if method not in ("sort", "reverse"):
            return []
        name = source.of(use)
        given = re.sub(r"^\(|\)$", "", source.of(call.child_by_field_name("arguments")))
        algorithm = "std::stable_sort" if method == "sort" else "std::reverse"
        comparison = f", {given}" if given else ""
        return [replace(call, f"{algorithm}({name}.begin(), {name}.end(){comparison})")]
