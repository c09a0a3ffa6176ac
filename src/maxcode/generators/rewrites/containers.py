"""Rewrites to other containers: a table, a hash table, a deque, a flat vector."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    CppSource,
    Edit,
    Node,
    Variable,
    after,
    replace,
)
from maxcode.generators.rewrites.cpp.names import ARITHMETIC, template
from maxcode.generators.rewrites.cpp.proof import (
    Holders,
    holders,
    kind_of,
    left_alone,
    recursive,
)
from maxcode.generators.rewrites.support import load

_LOOKED_UP = (
    "Keys are only looked up, counted, added and erased, or visited in order with nothing changed, "
    "and the container goes only to functions and variables of its own type."
)
_TABLE = load("dense_table")


@rewrite(
    "Keeps a map from integers to numbers in a table indexed by the key, where keys are small.",
    weight=8.0,
    requires=_LOOKED_UP,
    support=(_TABLE,),
)
def dense_map(source: CppSource) -> Iterator[Site]:
    """Keys below 0, and large ones, lie in a tree beside the table."""
    for name, inner, held in holders(source, "map", "unordered_map"):
        if len(inner) == 2 and source.is_integer(inner[0]) and source.is_arithmetic(inner[1]):
            yield from _as_table(source, held, name, "DenseMap")


@rewrite(
    "Keeps a set of integers as a table with a flag for each small one.",
    weight=8.0,
    requires=_LOOKED_UP,
    support=(_TABLE,),
)
def dense_set(source: CppSource) -> Iterator[Site]:
    """Members below 0, and large ones, lie in a tree beside the table."""
    for name, inner, held in holders(source, "set", "unordered_set"):
        if len(inner) == 1 and source.is_integer(inner[0]):
            yield from _as_table(source, held, name, "DenseSet")


def _as_table(source: CppSource, held: Holders, name: str, table: str) -> Iterator[Site]:
    found = _looked_up(source, held)
    if found is None or table in source.declared:
        return
    searches, visits = found
    if visits and (name.startswith("unordered_") or any(v.parent.loops for v in visits)):
        return
    if any(_may_be_many(source, variable) for variable in held.variables):
        return  # a table is larger than a small tree
    ordered = [after(visited, ".ordered()") for visited in visits]
    yield [*_renamed(source, held, table), *searches, *ordered]


def _may_be_many(source: CppSource, variable: Variable) -> bool:
    """Say whether many instances of a variable may exist at a time."""
    if variable.kind == "global":
        return False
    above = variable.node.enclosing("function_definition", "lambda_expression")
    owner = next((f for f in source.functions if f.node is above), None)
    return owner is None or recursive(source, owner)


def _renamed(source: CppSource, held: Holders, name: str) -> list[Edit]:
    templates = (node for node in held.nodes if node.type == "template_type")
    return [source.rename(node, name) for node in templates]


@rewrite(
    "Looks keys up in a hash table instead of a balanced tree.",
    weight=7.0,
    requires=_LOOKED_UP,
    headers=("unordered_map", "unordered_set"),
)
def hashed_containers(source: CppSource) -> Iterator[Site]:
    """Where the entries are visited in order, a tree is made of them for that once."""
    for name, inner, held in holders(source, "map", "set"):
        if len(inner) != (2 if name == "map" else 1):
            continue  # with a comparison of its own
        found = _looked_up(source, held)
        if found is None or not (source.is_integer(inner[0]) or inner[0] == "string"):
            continue
        if not source.changes.known(inner[-1]):
            continue  # the order of destructors shows
        visits, edits = found[1], []
        if visits and not all(source.is_arithmetic(one) or one == "string" for one in inner):
            continue
        tree = f"std::{name}<{', '.join(inner)}>".replace("string", "std::string")
        for visited in visits:
            name_of = visited.text
            edits.append(replace(visited, f"{tree}({name_of}.begin(), {name_of}.end())"))
        if not any(visited.parent.loops for visited in visits):
            yield [*_renamed(source, held, f"std::unordered_{name}"), *edits]


def _looked_up(source: CppSource, held: Holders) -> tuple[list[Edit], list[Node]] | None:
    """Return the edits of searches and the places of visits, None for a map or set used otherwise.

    The edits make `m.find(k) == m.end()` to `m.count(k) == 0`.
    """
    searches: list[Edit] = []
    visits: list[Node] = []

    def allowed(variable: Variable, use: Node) -> bool:
        method, call, _ = use.method_call
        test = call.parent
        if use.parent.type == "for_range_loop":
            visits.append(use)
            return left_alone(source, variable, use.parent)
        if method in ("find", "end"):
            other = test["left"] if test["right"] is call else test["right"]
            search, end = (call, other) if method == "find" else (other, call)
            if method == "find":
                searches.append(replace(call["function"]["field"], "count"))
                searches.append(replace(end, "0"))
            return (
                test.type == "binary_expression"
                and test.operator in ("==", "!=")
                and search["function"].text == f"{use.text}.find"
                and end.text == f"{use.text}.end()"
                and len(search.arguments) == 1
            )
        return bool(use.subscript) or _is_simple_call(source, use)

    made = all(not v.value or held.is_held(v.value) for v in held.variables)
    return (searches, visits) if made and held.all_uses(allowed) else None


def _is_simple_call(source: CppSource, use: Node) -> bool:
    """Say whether maps, sets and tables of every kind answer a call in the same way."""
    method, call, given = use.method_call
    if method in ("size", "empty", "clear"):
        return not given
    if method == "count" or len(given) != 1:
        return method == "count"
    key = given[0]
    if method == "erase":  # of a key, not of an iterator
        return "literal" in key.type or kind_of(source, key) in ARITHMETIC | {"string"}
    listed = key.type == "initializer_list"
    pair = len(key.parts) == 2 and not key.parts[0].parts and "map" in kind_of(source, use)
    taken = call.parent.type == "field_expression" and call.parent["field"].text == "second"
    return (
        method == "insert"
        and (pair or not listed)
        and (taken or call.parent.type == "expression_statement")
    )


@rewrite(
    "Keeps a two-dimensional table in one piece of memory instead of a vector a row.",
    weight=6.0,
    requires="Rows are made equally long; only elements, sizes and copies of rows are used.",
    support=(load("flat_grid"),),
)
def flat_grid(source: CppSource) -> Iterator[Site]:
    """For vectors of vectors of numbers."""
    for _, rows, held in holders(source, "vector"):
        row, inner = template(rows[0])
        if len(rows) != 1 or row != "vector" or len(inner) != 1 or inner[0] == "bool":
            continue
        if not source.is_arithmetic(inner[0]) or "FlatGrid" in source.declared:
            continue
        shapes = [_constructed(variable, held) for variable in held.variables]
        known = [shape for shape in shapes if shape is not None]
        keeps_shape = partial(_keeps_shape, source, rows[0])
        if len(known) < len(shapes) or not held.all_uses(keeps_shape):
            continue
        edits = [edit for shape in known for edit in shape]
        for node in held.nodes:
            if node.type == "template_type":
                whole = node.parent if node.parent.type == "qualified_identifier" else node
                edits.append(replace(whole, f"FlatGrid<{inner[0]}>"))
        yield edits


def _constructed(variable: Variable, held: Holders) -> list[Edit] | None:
    """Return the edits of a table's construction, None where its shape is not known."""
    value = variable.value
    if value.type in ("argument_list", "parameter_list"):
        return _shape(value.named_children)
    return [] if variable.kind == "parameter" or (value and held.is_held(value)) else None


def _shape(given: list[Node]) -> list[Edit] | None:
    """Turn `(rows, vector<T>(columns, value))` into `(rows, columns, value)`."""
    if len(given) != 2:
        return None
    # `vector<T>(columns)` may parse as a parameter's type: the text decides.
    row = re.fullmatch(r"(?:std::)?vector\s*<[^()]*>\s*\((.+)\)", given[1].text, re.DOTALL)
    return None if row is None else [replace(given[1], row[1])]


def _keeps_shape(source: CppSource, row: str, _: Variable, use: Node) -> bool:
    access = use.subscript
    if not access:
        return use.method_call[0] in ("size", "empty")
    if access.parent.type == "argument_list":
        return _takes_copy(source, access, row)
    whole = access.parent.type == "for_range_loop" or access.method_call[0] == "size"
    return whole or bool(access.subscript)


def _takes_copy(source: CppSource, argument: Node, row: str) -> bool:
    """Say whether a function takes a row by value, or reads it by reference and no longer."""
    function = source.function(argument.parent.parent["function"].text)
    place = argument.parent.parts.index(argument)
    if function is None or place >= len(function.parameters):
        return False
    taken, result = function.parameters[place], function.return_type
    reads = source.is_arithmetic(result) and source.changes.by(function) == frozenset()
    copied = not taken.form or (taken.form == "&" and taken.const and reads)
    return source.expand(taken.type) == row and copied
