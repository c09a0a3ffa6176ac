"""Rewrites that keep data in another container: a table, a hash table, a deque, one flat vector."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    MISSING,
    CppSource,
    Edit,
    Node,
    Variable,
    after,
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.names import template
from maxcode.generators.rewrites.cpp.source import counted, declare_before
from maxcode.generators.rewrites.support import load


@rewrite(
    "Keeps a map from small integers in a table indexed by the key.",
    weight=8.0,
    support=(load("dense_map"),),
)
def dense_map(source: CppSource) -> Iterator[Site]:
    """The table keeps the order of the keys; keys too far apart make the program fail."""
    for text, nodes in source.types("map", "unordered_map").items():
        _, inner = template(text)
        if len(inner) == 2 and source.is_integer(inner[0]):
            yield [source.rename(node, "DenseMap") for node in nodes]


@rewrite(
    "Keeps a set of small integers as a table with one flag for each possible member.",
    weight=8.0,
    support=(load("dense_set"),),
)
def dense_set(source: CppSource) -> Iterator[Site]:
    """The bitmap keeps the order of the members; members too far apart make the program fail."""
    for text, nodes in source.types("set", "unordered_set").items():
        _, inner = template(text)
        if len(inner) == 1 and source.is_integer(inner[0]):
            yield [source.rename(node, "DenseSet") for node in nodes]


_UNORDERED = frozenset(
    {"find", "count", "insert", "emplace", "erase", "end", "size", "empty", "clear", "at",
     "contains", "try_emplace", "swap"}
)  # fmt: skip


@rewrite(
    "Looks keys up in a hash table instead of a balanced tree.",
    weight=7.0,
    headers=("unordered_map", "unordered_set"),
    support=(load("sorted_entries"),),
)
def hashed_containers(source: CppSource) -> Iterator[Site]:
    """Where the entries are visited in order, they are sorted for that once."""
    for text, nodes in source.types("map", "set").items():
        name, inner = template(text)
        if len(inner) != (2 if name == "map" else 1):
            continue  # with a comparison of its own
        key = source.expand(inner[0])
        if not (source.is_arithmetic(key) or key == "string"):
            continue
        if any(source.data[node.end_byte : node.end_byte + 2] == b"::" for node in nodes):
            continue  # an iterator
        visits = _sorted_visits(source, text)
        if visits is not None:
            yield [*(source.rename(node, f"std::unordered_{name}") for node in nodes), *visits]


def _sorted_visits(source: CppSource, text: str) -> list[Edit] | None:
    """Return the edits that sort where order shows, None where that cannot be done."""
    edits: list[Edit] = []
    for variable in source.variables:
        kind = source.expand(variable.type)
        if text not in kind:
            continue
        if kind != text or variable.form not in ("", "&"):
            return None  # within another container: not followed
        for use in source.uses(variable):
            method, _, _ = use.method_call
            if not method and use.parent.type == "for_range_loop":
                if _changes_entries(source, use.parent):
                    return None
                edits += [before(use, "sorted_entries("), after(use, ")")]
            elif method not in _UNORDERED and (method or not _order_hides(source, use, text)):
                return None
    return edits


def _changes_entries(source: CppSource, loop: Node) -> bool:
    return any(
        "&" in variable.form and source.effects.writes(variable, loop)
        for variable in source.variables
        if variable.declaration is loop
    )


def _order_hides(source: CppSource, use: Node, text: str) -> bool:
    """Say whether a use looks one entry up, or goes to code that is rewritten in the same way."""
    if use.subscript or use.parent.type == "return_statement":
        return True
    if use.parent.type != "argument_list":
        return False
    function = source.function(use.parent.parent.callee)
    return function is not None and any(
        source.expand(parameter.type) == text for parameter in function.parameters
    )


@rewrite(
    "Makes hash tables with many buckets at once instead of rehashing as they grow.", weight=3.0
)
def hash_reserve(source: CppSource) -> Iterator[Site]:
    """Not within loops, where making a large table each time would cost more."""
    for variable in source.variables:
        if template(variable.type)[0] not in ("unordered_map", "unordered_set"):
            continue
        if variable.kind not in ("local", "global") or variable.form or variable.value:
            continue
        if not variable.node.loops:
            yield [after(variable.node, "(1 << 16)")]


_BOTH = frozenset(
    {"push_back", "emplace_back", "pop_back", "size", "empty", "front", "back", "begin", "end",
     "rbegin", "rend", "clear", "erase", "insert", "swap", "resize", "assign"}
)  # fmt: skip
_ENDS = frozenset({"push_front", "pop_front", "emplace_front"})
_ALGORITHMS = {"sort": "std::stable_sort", "reverse": "std::reverse"}


@rewrite(
    "Keeps elements beside each other in memory instead of in a linked list.",
    weight=6.0,
    headers=("vector", "deque", "algorithm"),
)
def list_to_vector(source: CppSource) -> Iterator[Site]:
    """A vector where only the end changes, a deque where the front does too."""
    for text, nodes in source.types("list").items():
        uses = [
            u for v in source.variables if source.expand(v.type) == text for u in source.uses(v)
        ]
        edits: list[Edit] = []
        for use in uses:
            method, call, _ = use.method_call
            if method in _ALGORITHMS:
                name, given = use.text, re.sub(r"^\(|\)$", "", call["arguments"].text)
                comparison = f", {given}" if given else ""
                code = f"{_ALGORITHMS[method]}({name}.begin(), {name}.end(){comparison})"
                edits.append(replace(call, code))
        methods = {use.method_call[0] for use in uses} - {""}
        if methods <= _BOTH | _ENDS | _ALGORITHMS.keys():
            kind = "std::deque" if methods & _ENDS else "std::vector"
            yield edits + [source.rename(node, kind) for node in nodes]


@rewrite(
    "Takes elements from the front of a deque instead of shifting a vector.",
    weight=6.0,
    headers=("deque",),
)
def erase_front_to_deque(source: CppSource) -> Iterator[Site]:
    """A vector that loses or gains its first element moves all the others each time."""
    for variable in source.variables:
        if variable.kind not in ("local", "global") or variable.form or not variable.alone:
            continue
        if not re.match(r"vector<(?!bool>)", variable.type):
            continue
        edits: list[Edit] = []
        for use in source.uses(variable):
            method, call, given = use.method_call
            if method in ("data", "reserve", "capacity"):
                break
            if not method and not use.subscript and use.parent.type != "for_range_loop":
                break
            if given and given[0].text == f"{variable.name}.begin()":
                if method == "erase" and len(given) == 1:
                    edits.append(replace(call, f"{variable.name}.pop_front()"))
                elif method == "insert" and len(given) == 2:
                    edits.append(replace(call, f"{variable.name}.push_front({given[1].text})"))
        else:
            if edits:
                node = next(variable.type_node.walk("template_type"))
                yield [source.rename(node, "std::deque"), *edits]


_AS_A_WHOLE = ("argument_list", "return_statement", "assignment_expression", "init_declarator")


@rewrite(
    "Keeps a two-dimensional table in one piece of memory instead of a vector a row.",
    weight=6.0,
    support=(load("flat_grid"),),
)
def flat_grid(source: CppSource) -> Iterator[Site]:
    """For vectors of equally long vectors of numbers that keep their shape."""
    for text, nodes in source.types("vector").items():
        rows = template(text)[1]
        row, inner = template(rows[0])
        if len(rows) != 1 or row != "vector" or len(inner) != 1:
            continue
        if not source.is_arithmetic(inner[0]) or source.expand(inner[0]) == "bool":
            continue
        shapes = [
            _constructed(variable) if all(map(_keeps_shape, source.uses(variable))) else None
            for variable in source.variables
            if source.expand(variable.type) == text
        ]
        edits: list[Edit] = []
        for node in nodes:
            whole = node.parent if node.parent.type == "qualified_identifier" else node
            edits.append(replace(whole, f"FlatGrid<{inner[0]}>"))
            if whole.parent.type == "call_expression":
                shapes.append(_shape(whole.parent.arguments))
        known = [shape for shape in shapes if shape is not None]
        if len(known) == len(shapes):
            yield edits + [edit for shape in known for edit in shape]


def _constructed(variable: Variable) -> list[Edit] | None:
    """Return the edits of a table's construction, None where its shape is not known."""
    value = variable.value
    if variable.form not in ("", "&"):
        return None
    if value.type in ("argument_list", "parameter_list"):
        return _shape(value.named_children)
    known = value.type in ("call_expression", "identifier")
    return [] if known or (not value and variable.kind == "parameter") else None


def _shape(given: list[Node]) -> list[Edit] | None:
    """Turn `(rows, vector<T>(columns, value))` into `(rows, columns, value)`."""
    if len(given) != 2:
        return None
    # `vector<T>(columns)` may parse as a parameter's type: the text decides.
    row = re.fullmatch(r"(?:std::)?vector\s*<[^()]*>\s*\((.+)\)", given[1].text, re.DOTALL)
    return None if row is None else [replace(given[1], row[1])]


def _keeps_shape(use: Node) -> bool:
    method, _, _ = use.method_call
    if method:
        return method in ("size", "empty", "swap")
    if not use.subscript:
        return use.parent.type in _AS_A_WHOLE
    above = use.subscript.parent
    if above.type == "field_expression":
        return above["field"].text in ("size", "begin", "end")
    if above.type == "init_declarator":  # a row by reference would be one by value
        return above["declarator"].text.startswith("&&")
    return above.type != "assignment_expression"  # a whole row, given or taken


@rewrite("Keeps flags in bytes, which are quicker to reach than bits.", weight=4.0, max_single=0)
def vector_bool_to_char(source: CppSource) -> Iterator[Site]:
    """A byte is read and written without shifts and masks."""
    for _, inner in _vectors(source, "bool"):
        yield [replace(inner, "char")]


@rewrite("Packs flags into bits so that many of them fit into the cache.", weight=2.0)
def vector_flags_to_bits(source: CppSource) -> Iterator[Site]:
    """Bits fit into the cache where bytes or integers do not."""
    for node, inner in _vectors(source, "char", "int", "unsigned char"):
        if _holds_flags(source, node):
            yield [replace(inner, "bool")]


@rewrite("Keeps flags in bytes instead of integers, so that four times as many fit.", weight=4.0)
def vector_flags_to_bytes(source: CppSource) -> Iterator[Site]:
    """A quarter of the memory."""
    for node, inner in _vectors(source, "int", "long long"):
        if _holds_flags(source, node):
            yield [replace(inner, "char")]


def _vectors(source: CppSource, *elements: str) -> Iterator[tuple[Node, Node]]:
    """Yield the nodes of vectors of these types, and those of the types."""
    for node in source.walk("template_type", "template_function"):
        inner = node["arguments"].named_children
        if node["name"].text != "vector" or len(inner) != 1:
            continue
        if source.expand(inner[0].text) in elements:
            yield node, inner[0]


_FLAGS = ("0", "1", "true", "false")


def _holds_flags(source: CppSource, type_node: Node) -> bool:
    """Say whether the one variable of a type is filled with 0 and 1 and nothing else."""
    declared = [v for v in source.variables if v.type_node.contains(type_node)]
    if len(declared) != 1 or declared[0].form or declared[0].kind == "parameter":
        return False
    value, uses = declared[0].value, source.uses(declared[0])
    if value:
        given = value.named_children
        if value.type not in ("argument_list", "parameter_list") or not given:
            return False
        if len(given) == 2 and given[1].text not in _FLAGS:
            return False
    written = [use for use in uses if source.effects.is_write(use)]
    return bool(written) and all(use.subscript for use in uses) and all(map(_sets_flag, written))


def _sets_flag(use: Node) -> bool:
    above = use.subscript.parent
    if above.type != "assignment_expression" or above.operator != "=":
        return False
    return above["right"].text in _FLAGS


@rewrite("Reserves the memory of a vector before the loop that fills it.", weight=3.0)
def reserve(source: CppSource) -> Iterator[Site]:
    """For vectors filled by a counting loop directly beside their declaration."""
    for variable in source.variables:
        if template(variable.type)[0] != "vector" or variable.form not in ("", "&"):
            continue
        uses = {use: use.method_call[0] for use in source.uses(variable)}
        if variable.kind == "parameter" or "reserve" in uses.values():
            continue
        for use, method in uses.items():
            loop = _filling_loop(use, variable) if method in ("push_back", "emplace_back") else None
            counter = counted(source, loop or MISSING)
            if loop and counter and counter.limit.replace(" + 1", "").isidentifier():
                yield declare_before(loop, f"{variable.name}.reserve({counter.limit});")
                break


def _filling_loop(use: Node, variable: Variable) -> Node:
    """Return the only loop that is repeated while the variable lives."""
    loops = [loop for loop in use.loops if loop.start_byte > variable.node.start_byte]
    # How often an outer and an inner loop append together is not known.
    return loops[0] if len(loops) == 1 else MISSING
