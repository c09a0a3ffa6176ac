"""Rewrites of how elements are found and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import MISSING, CppSource, Edit, Node, Variable, after, replace
from maxcode.generators.rewrites.cpp.names import template
from maxcode.generators.rewrites.cpp.proof import kind_of, left_alone, operators
from maxcode.generators.rewrites.cpp.source import names_in


@rewrite(
    "Tests for membership in a hash set instead of searching a vector from its start.",
    weight=9.0,
    requires="The vector of integers or strings begins empty and only grows at its end, and what "
    "is sought is a variable of the elements' type.",
    headers=("unordered_set",),
)
def linear_find_to_set(source: CppSource) -> Iterator[Site]:
    """`find(v.begin(), v.end(), x) == v.end()` becomes `v_known.count(x) == 0`."""
    if not source.standard("vector", "find", "unordered_set", "string"):
        return
    for variable in source.variables:
        container, inner = template(source.expand(variable.type))
        placed = variable.kind == "local" or variable.scope.type == "translation_unit"
        if container != "vector" or variable.value or variable.kind in ("parameter", "member"):
            continue
        if not placed or variable.form or not variable.alone or len(inner) != 1:
            continue
        above = variable.declaration.parent.type
        if variable.declaration.has("storage_class_specifier"):
            continue
        if above not in ("compound_statement", "translation_unit"):
            continue
        if not source.is_integer(inner[0]) and inner[0] != "string":
            continue
        known = source.fresh(f"{variable.name}_known")
        if edits := _with_known(source, variable, inner[0], known):
            indent = variable.declaration.indent
            held = "std::string" if inner[0] == "string" else inner[0]
            declared = f"\n{indent}std::unordered_set<{held}> {known};"
            yield [after(variable.declaration, declared), *edits]


def _with_known(source: CppSource, variable: Variable, kind: str, known: str) -> list[Edit]:
    """Return the edits at the uses; none where the vector is used otherwise."""
    edits: list[Edit] = []
    searched = False
    for use in source.uses(variable):
        method, call, given = use.method_call
        if method == "push_back":
            if len(given) != 1 or call.parent.type != "expression_statement":
                return []
            edits.append(after(call, f", {known}.insert({use.text}.back())"))
        elif test := _search(source, call, kind) if method in ("begin", "end") else MISSING:
            if method == "begin":
                searched = True
                sought = test["left"].arguments[2].text
                edits.append(replace(test, f"{known}.count({sought}) {test.operator} 0"))
        elif use.parent.type == "for_range_loop":
            if not left_alone(source, variable, use.parent):
                return []
        elif not (method in ("size", "empty") or (use.subscript and _is_read(use.subscript))):
            return []
    return edits if searched else []


def _search(source: CppSource, place: Node, kind: str) -> Node:
    """For the places in `find(v.begin(), v.end(), x) != v.end()`: the test; else missing."""
    above, name = place.parent, place["function"]["argument"].text
    test = above if above.type == "binary_expression" else above.parent.parent
    search, given = test["left"], [argument.squeezed for argument in test["left"].arguments]
    return (
        test
        if search.callee == "find"
        and given[:2] == [f"{name}.begin()", f"{name}.end()"]
        and len(given) == 3
        and test["right"].squeezed == f"{name}.end()"
        and test.operator in ("==", "!=")
        and _is_of_kind(source, search.arguments[2], kind)
        else MISSING
    )


def _is_of_kind(source: CppSource, node: Node, kind: str) -> bool:
    """Say whether an expression is equal to an element only if it is as a value of its type."""
    plain = node.text.startswith('"') if kind == "string" else re.fullmatch(r"\d{1,2}", node.text)
    return bool(plain) or kind_of(source, node) == kind


def _is_read(node: Node) -> bool:
    """Say whether the value of an element is taken, and nothing refers to the element itself."""
    above = node.parent
    if above.type in ("assignment_expression", "binary_expression"):
        return above["right"] is node or (
            above.type == "binary_expression" and above.operator not in ("<<", ">>")
        )
    return above.type == "init_declarator" and above["declarator"].type == "identifier"


@rewrite(
    "Searches a map once instead of testing for the key and then using it.",
    weight=4.0,
    requires="The map holds integers, and the key and what is added are plain names or numbers.",
)
def single_lookup(source: CppSource) -> Iterator[Site]:
    """Counting with `if (m.count(k)) m[k]++; else m[k] = 1;` needs no test at all."""
    if not source.standard("map", "unordered_map") or operators(source):
        return
    for branch in source.walk("if_statement"):
        tested = _tested(branch["condition"].squeezed[1:-1])
        others = branch["alternative"].parts
        if tested is None or len(others) != 1:
            continue
        container, key, is_absent = tested
        name = next(n for n in branch.walk("identifier") if n.text == container)
        kind, inner = template(kind_of(source, name))
        if kind not in ("map", "unordered_map") or not source.is_integer(inner[1]):
            continue
        actions = [body.statements for body in (branch["consequence"], others[0])]
        if [len(found) for found in actions] != [1, 1] or names_in(key, container):
            continue
        begin, count = (found[0].squeezed for found in (actions if is_absent else actions[::-1]))
        entry = f"{container}[{key}]"
        added = _added(entry, count)
        if re.fullmatch(r"\w+", added) and added != container and begin == f"{entry}={added};":
            yield [replace(branch, f"++{entry};" if added == "1" else f"{entry} += {added};")]


_KEY = r"\w+(?:\.\w+|\[\w+\])*"


def _tested(test: str) -> tuple[str, str, bool] | None:
    """Return container, key, and whether the test holds where the key is absent."""
    if found := re.fullmatch(rf"(\w+)\.find\(({_KEY})\)(==|!=)\1\.end\(\)", test):
        return found[1], found[2], found[3] == "=="
    form = rf"(!?)(\w+)\.(?:count|contains)\(({_KEY})\)(==0|>0|!=0|==1)?"
    found = re.fullmatch(form, test)
    if found is None or (found[1] and found[4]):
        return None
    return found[2], found[3], bool(found[1]) or found[4] == "==0"


def _added(entry: str, count: str) -> str:
    """Return the addend of a counting statement."""
    if count in (f"{entry}++;", f"++{entry};"):
        return "1"
    prefixes = (f"{entry}+=", f"{entry}={entry}+")
    return next((count[len(one) : -1] for one in prefixes if count.startswith(one)), "")


@rewrite(
    "Indexes vectors and strings without checking the index each time.",
    weight=3.0,
    requires="No index is out of range, and so nothing depends on the exception.",
    guess=True,
    max_single=0,
)
def unchecked_access(source: CppSource) -> Iterator[Site]:
    """Not for maps, where `[]` would add what is missing, nor in programs that catch the error."""
    if source.root.has("catch_clause"):
        return
    for variable in source.variables:
        kind = source.expand(variable.type)
        if kind != "string" and template(kind)[0] not in ("vector", "array", "deque"):
            continue
        for use in source.uses(variable):
            method, call, given = use.method_call
            if method == "at" and len(given) == 1:
                yield [replace(call, f"{variable.name}[{given[0].text}]")]


@rewrite(
    "Compares a part of a string where it lies instead of copying it first.",
    weight=5.0,
    requires="Both are standard strings or literals, what names the part has no effect, and the "
    "program catches no exception.",
)
def compare_in_place(source: CppSource) -> Iterator[Site]:
    """`s.substr(i, n) == t` becomes `s.compare(i, n, t) == 0`."""
    if not source.standard("string") or source.root.has("catch_clause"):
        return
    for test in source.walk("binary_expression"):
        left, right = test["left"], test["right"]
        if test.operator not in ("==", "!="):
            continue
        part, other = (left, right) if _substring(source, left) else (right, left)
        if not (found := _substring(source, part)):
            continue
        compared = other.text
        if also := _substring(source, other):
            compared = ", ".join(also)
        elif other.type != "string_literal" and kind_of(source, other) != "string":
            continue
        if not compared.startswith(("L", "u", "U")) or other.type != "string_literal":
            yield [replace(test, f"{found[0]}.compare({found[1]}, {compared}) {test.operator} 0")]


def _substring(source: CppSource, node: Node) -> tuple[str, str] | None:
    """For `s.substr(i, n)`: the string, and place and length."""
    callee = node["function"]
    if node.type != "call_expression" or callee["field"].text != "substr":
        return None
    if len(node.arguments) != 2 or kind_of(source, callee["argument"]) != "string":
        return None
    for given in node.walk("call_expression", "update_expression", "assignment_expression"):
        if given is not node and given["function"]["field"].text not in ("size", "length"):
            return None
    return callee["argument"].text, ", ".join(argument.text for argument in node.arguments)
