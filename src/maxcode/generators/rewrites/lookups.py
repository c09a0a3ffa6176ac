"""Rewrites of how elements are found, made and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Node, Variable, after, replace
from maxcode.generators.rewrites.cpp.names import plain, template

_READING = frozenset(
    {"size", "empty", "begin", "end", "front", "back", "push_back", "emplace_back", "reserve"}
)


@rewrite(
    "Tests for membership in a hash set instead of searching a vector from its start.",
    weight=9.0,
    headers=("unordered_set",),
)
def linear_find_to_set(source: CppSource) -> Iterator[Site]:
    """For vectors of numbers or strings that only ever grow at the end."""
    for variable in source.variables:
        container, inner = template(variable.type)
        if container != "vector" or variable.value:
            continue
        if variable.kind not in ("local", "global") or variable.form or not variable.alone:
            continue
        if not (source.is_arithmetic(inner[0]) or source.expand(inner[0]) == "string"):
            continue
        known = source.fresh(f"{variable.name}_known")
        if edits := _with_known(source, variable, known):
            held = [*template(variable.type_node.text)[1], inner[0]][0]
            held = "std::string" if held == "string" else held
            indent = variable.declaration.indent
            declared = f"\n{indent}std::unordered_set<{held}> {known};"
            yield [after(variable.declaration, declared), *edits]


def _with_known(source: CppSource, variable: Variable, known: str) -> list[Edit]:
    """Return the edits at the uses; none where the vector is used otherwise."""
    edits: list[Edit] = []
    searched = False
    for use in source.uses(variable):
        method, call, given = use.method_call
        if not method:
            visited = use.subscript or use.parent.type == "for_range_loop"
            if not visited or source.effects.is_write(use):
                return []
        elif method not in _READING:
            return []
        elif method in ("push_back", "emplace_back"):
            if len(given) != 1 or call.parent.type != "expression_statement":
                return []
            edits.append(after(call, f", {known}.insert({variable.name}.back())"))
        elif method == "begin":
            # find(v.begin(), v.end(), x) != v.end()
            calls = (a for a in use.ancestors() if a.type == "call_expression")
            search = next((call for call in calls if call.callee == "find"), None)
            test = use if search is None else search.parent
            if search is None or test.type != "binary_expression" or len(search.arguments) != 3:
                continue
            if test.operator in ("==", "!=") and test["right"].text == f"{variable.name}.end()":
                searched = True
                sought = search.arguments[2].text
                edits.append(replace(test, f"{known}.count({sought}) {test.operator} 0"))
    return edits if searched else []


@rewrite("Searches a map once instead of testing for the key and then using it.", weight=4.0)
def single_lookup(source: CppSource) -> Iterator[Site]:
    """Counting with `if (m.count(k)) m[k]++; else m[k] = 1;` needs no test at all."""
    for branch in source.walk("if_statement"):
        tested = _tested(branch["condition"].squeezed[1:-1])
        others = branch["alternative"].parts
        if tested is None or len(others) != 1:
            continue
        container, key, is_absent = tested
        actions = [body.statements for body in (branch["consequence"], others[0])]
        if [len(found) for found in actions] != [1, 1]:
            continue
        begin, count = (found[0].squeezed for found in (actions if is_absent else actions[::-1]))
        entry = f"{container}[{key}]"
        added = _added(entry, count)
        if added and begin == f"{entry}={added};":
            yield [replace(branch, f"++{entry};" if added == "1" else f"{entry} += {added};")]


def _tested(test: str) -> tuple[str, str, bool] | None:
    """Return container, key, and whether the test holds where the key is absent."""
    if found := re.fullmatch(r"(\w+)\.find\((.+)\)(==|!=)\1\.end\(\)", test):
        return found[1], found[2], found[3] == "=="
    found = re.fullmatch(r"(!?)(\w+)\.(?:count|contains)\(([^()]+)\)(==0|>0|!=0|==1)?", test)
    return (found[2], found[3], bool(found[1]) != (found[4] == "==0")) if found else None


def _added(entry: str, count: str) -> str:
    """Return what a counting statement adds."""
    if count in (f"{entry}++;", f"++{entry};"):
        return "1"
    prefixes = (f"{entry}+=", f"{entry}={entry}+")
    return next((count[len(one) : -1] for one in prefixes if count.startswith(one)), "")


@rewrite(
    "Indexes vectors and strings without checking the index each time.", weight=3.0, max_single=0
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


@rewrite("Makes an element in its place in the vector instead of moving it there.", weight=2.0)
def emplace_back(source: CppSource) -> Iterator[Site]:
    """`v.push_back(T(a, b))` and `v.push_back(make_pair(a, b))` become `v.emplace_back(a, b)`."""
    for variable in source.variables:
        container, inner = template(variable.type)
        if container not in ("vector", "deque") or len(inner) != 1:
            continue
        for use in source.uses(variable):
            method, call, given = use.method_call
            if method != "push_back" or len(given) != 1 or not given[0].arguments:
                continue
            made = given[0]
            callee = plain(made["function"].text)
            fits = callee == inner[0] or (callee == "make_pair" and inner[0].startswith("pair<"))
            if made.type == "call_expression" and fits:
                parts = ", ".join(argument.text for argument in made.arguments)
                yield [replace(call, f"{use.text}.emplace_back({parts})")]


@rewrite("Compares a part of a string where it lies instead of copying it first.", weight=5.0)
def compare_in_place(source: CppSource) -> Iterator[Site]:
    """`s.substr(i, n) == t` becomes `s.compare(i, n, t) == 0`."""
    for test in source.walk("binary_expression"):
        left, right = test["left"], test["right"]
        if test.operator not in ("==", "!="):
            continue
        part, other = (left, right) if _substring(left) else (right, left)
        if not (found := _substring(part)):
            continue
        compared = other.text
        if also := _substring(other):
            compared = ", ".join(also)
        elif other.type == "char_literal":
            compared = f'"{compared[1:-1]}"'
        yield [replace(test, f"{found[0]}.compare({found[1]}, {compared}) {test.operator} 0")]


def _substring(node: Node) -> tuple[str, str] | None:
    """For `s.substr(i, n)`: the string, and place and length."""
    callee = node["function"]
    if node.type != "call_expression" or callee["field"].text != "substr":
        return None
    given = ", ".join(argument.text for argument in node.arguments)
    return (callee["argument"].text, given) if len(node.arguments) == 2 else None
