"""Rewrites to other containers: a table, a hash table."""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Node, Variable, after, replace
from maxcode.generators.rewrites.cpp.holders import Holders, holders
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
        above = use.parent
        looked_up = above.type == "subscript_expression" and above["argument"] is use
        return looked_up or _is_simple_call(use)

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
