"""Ordered maps and sets as hashed ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, after, before, replace
from maxcode.generators.rewrites.cpp.names import template
from maxcode.generators.rewrites.cpp.source import container_types, counted, declare_before, rename
from maxcode.generators.rewrites.cpp.tree import arguments, contains
from maxcode.generators.rewrites.support import load


class DenseMap(SiteRewrite):
    """The table keeps the order of the keys; keys too far apart make the program fail."""

    name = "dense-map"
    summary = "Keeps a map from small integers in a table indexed by the key."
    weight = 8.0
    support = load("dense_map")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each type of map with integer keys, all places that name it."""
        for text, nodes in container_types(source, "map", "unordered_map").items():
            _, arguments = template(text) or ("", [])
            if len(arguments) == 2 and source.is_integer(arguments[0]):
                yield [rename(source, node, "DenseMap") for node in nodes]


class DenseSet(SiteRewrite):
    """The bitmap keeps the order of the members; members too far apart make the program fail."""

    name = "dense-set"
    summary = "Keeps a set of small integers as a table with one flag for each possible member."
    weight = 8.0
    support = load("dense_set")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each type of set of integers, all places that name it."""
        for text, nodes in container_types(source, "set", "unordered_set").items():
            _, arguments = template(text) or ("", [])
            if len(arguments) == 1 and source.is_integer(arguments[0]):
                yield [rename(source, node, "DenseSet") for node in nodes]


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


class HashReserve(SiteRewrite):
    """Not within loops, where making a large table each time would cost more."""

    name = "hash-reserve"
    summary = "Makes hash tables with many buckets at once instead of rehashing as they grow."
    weight = 3.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each hash table declared empty."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] not in ("unordered_map", "unordered_set"):
                continue
            if variable.kind not in ("local", "global") or variable.form or variable.value:
                continue
            if not source.enclosing_loops(variable.node):
                yield [after(variable.node, "(1 << 16)")]


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


class EraseFrontToDeque(SiteRewrite):
    """A vector that loses or gains its first element moves all the others each time."""

    name = "erase-front-to-deque"
    summary = "Takes elements from the front of a deque instead of shifting a vector."
    weight = 6.0
    headers = ("deque",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each local vector whose front changes."""
        for variable in source.variables:
            if variable.kind not in ("local", "global") or variable.form or not variable.alone:
                continue
            if not re.match(r"vector<(?!bool>)", variable.type):
                continue
            edits: list[Edit] = []
            fits = True
            for use in source.uses(variable):
                called = source.method_call(use)
                above = source.parent(use)
                if called is None:
                    visited = above is not None and above.type == "for_range_loop"
                    fits = fits and (visited or source.subscript(use) is not None)
                    continue
                method, call, given = called
                begins = bool(given) and source.of(given[0]) == f"{variable.name}.begin()"
                if method in ("data", "reserve", "capacity"):
                    fits = False
                elif method == "erase" and len(given) == 1 and begins:
                    edits.append(replace(call, f"{variable.name}.pop_front()"))
                elif method == "insert" and len(given) == 2 and begins:
                    edits.append(
                        replace(call, f"{variable.name}.push_front({source.of(given[1])})")
                    )
            if fits and edits:
                node = next(source.walk("template_type", within=variable.type_node))
                yield [rename(source, node, "std::deque"), *edits]


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


_FLAGS = ("0", "1", "true", "false")


class VectorBoolToChar(SiteRewrite):
    """A byte is read and written without shifts and masks."""

    name = "vector-bool-to-char"
    summary = "Keeps flags in bytes, which are quicker to reach than bits."
    weight = 4.0
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector of bool."""
        yield from _elements(source, ("bool",), "char")


class VectorFlagsToBits(SiteRewrite):
    """Bits fit into the cache where bytes or integers do not."""

    name = "vector-flags-to-bits"
    summary = "Packs flags into bits so that many of them fit into the cache."
    weight = 2.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector of char or int that only ever holds 0 and 1."""
        yield from _elements(source, ("char", "int", "unsigned char"), "bool")


class VectorFlagsToBytes(SiteRewrite):
    """A quarter of the memory."""

    name = "vector-flags-to-bytes"
    summary = "Keeps flags in bytes instead of integers, so that four times as many fit."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector of int that only ever holds 0 and 1."""
        yield from _elements(source, ("int", "long long"), "char")


def _elements(source: CppSource, old: tuple[str, ...], new: str) -> Iterator[Site]:
    for node in source.walk("template_type", "template_function"):
        listed = node.child_by_field_name("arguments")
        name = source.of(node.child_by_field_name("name"))
        inner = [] if listed is None else listed.named_children
        if name != "vector" or len(inner) != 1 or source.expand(source.of(inner[0])) not in old:
            continue
        if old == ("bool",) or _holds_flags(source, node):
            yield [replace(inner[0], new)]


def _holds_flags(source: CppSource, type_node: Node) -> bool:
    """Say whether the one variable of a type is filled with 0 and 1 and nothing else."""
    declared = [v for v in source.variables if contains(v.type_node, type_node)]
    if len(declared) != 1 or declared[0].form or declared[0].kind == "parameter":
        return False
    variable = declared[0]
    if variable.value is not None:
        given = variable.value.named_children
        if variable.value.type not in ("argument_list", "parameter_list") or not given:
            return False
        if len(given) == 2 and source.of(given[1]) not in _FLAGS:
            return False
    uses = source.uses(variable)
    return any(source.effects.is_write(use) for use in uses) and all(
        _keeps_flags(source, use) for use in uses
    )


def _keeps_flags(source: CppSource, use: Node) -> bool:
    access = source.subscript(use)
    if access is None:
        return False
    if not source.effects.is_write(use):
        return True
    above = source.parent(access[0])
    return (
        above is not None
        and above.type == "assignment_expression"
        and source.of(above.child_by_field_name("operator")) == "="
        and source.of(above.child_by_field_name("right")) in _FLAGS
    )


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
