"""Rewrites to other containers: a table, a hash table, a flat vector."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Node, Variable, after, replace
from maxcode.generators.rewrites.cpp.holders import Holders, holders
from maxcode.generators.rewrites.cpp.names import template
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
    if not visits or not name.startswith("unordered_"):
        ordered = [after(visited, ".ordered()") for visited in visits]
        yield [*held.renamed(table), *searches, *ordered]


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
        if not (source.is_integer(inner[0]) or inner[0] == "string"):
            continue
        found = _looked_up(source, held)
        if found is None or not (source.is_arithmetic(inner[-1]) or inner[-1] == "string"):
            continue  # the order of destructors shows
        tree = f"std::{name}<{', '.join(inner)}>".replace("string", "std::string")
        visits = [
            replace(visited, f"{tree}({visited.text}.begin(), {visited.text}.end())")
            for visited in found[1]
        ]
        yield [*held.renamed(f"std::unordered_{name}"), *visits]


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
            return _only_visits(source, variable, use.parent)
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
        return bool(use.subscript) or _is_simple_call(use)

    made = all(not v.value or held.is_held(v.value) for v in held.variables)
    return (searches, visits) if made and held.all_uses(allowed) else None


def _only_visits(source: CppSource, container: Variable, loop: Node) -> bool:
    """Say whether the body of a loop changes neither the container nor what it visits.

    Loops around it would sort the entries again and again.
    """
    body, visited = loop["body"], [v for v in source.variables if v.declaration is loop]
    called = body.has("call_expression") and source.root.has("lambda_expression")
    return (
        container.is_own
        and not called
        and all(v.const or "&" not in v.form for v in visited)
        and not any(body.contains(use) for use in source.uses(container))
        and not body.has("pointer_expression", "lambda_expression")
        and not source.mentions("string_view", "span", "ref", "cref", "reference_wrapper")
        and not loop.enclosing("for_statement", "for_range_loop", "while_statement", "do_statement")
    )


def _is_simple_call(use: Node) -> bool:
    """Say whether maps, sets and tables of every kind answer a call in the same way."""
    method, call, given = use.method_call
    if method in ("size", "empty", "clear"):
        return not given
    if method == "insert":
        second = call.parent["field"].text == "second"
        return len(given) == 1 and (second or call.parent.type == "expression_statement")
    return method in ("count", "erase") and len(given) == 1  # of a key: there are no iterators


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
        if len(known) == len(shapes) and held.all_uses(lambda _, use: _keeps_shape(source, use)):
            edits = [edit for shape in known for edit in shape]
            yield [*held.renamed(f"FlatGrid<{inner[0]}>", whole=True), *edits]


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


def _keeps_shape(source: CppSource, use: Node) -> bool:
    access = use.subscript
    if not access:
        return use.method_call[0] in ("size", "empty")
    if access.parent.type == "argument_list":  # to a function that takes or reads a copy
        function = source.function(access.parent.parent["function"].text)
        taken = function.parameters if function else ()
        return bool(taken) and source.plain and all(not p.form or p.const for p in taken)
    visited = access.parent.type == "for_range_loop"
    return visited or access.method_call[0] == "size" or bool(access.subscript)
