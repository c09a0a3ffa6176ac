"""Rewrites of loops in loops: along the rows in memory, or by sorting."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import MISSING, CppSource, Edit, Node, Variable, replace
from maxcode.generators.rewrites.cpp.effects import is_object
from maxcode.generators.rewrites.cpp.source import (
    CountedLoop,
    counted,
    has_own_counter,
    names_in,
    nested,
)


def _leaves_early(body: Node) -> bool:
    """Say whether a body holds a jump tied to its loop."""
    return body.has("break_statement", "continue_statement", "return_statement")


_ORDERED = (
    "Every place that the loops change keeps the order of its changes, or is a sum of integers, "
    "and nothing that they read is changed."
)


@rewrite(
    "Swaps two nested loops so that the inner one walks along the rows in memory.",
    weight=8.0,
    requires=_ORDERED,
)
def loop_interchange(source: CppSource) -> Iterator[Site]:
    """Swaps two perfectly nested loops where the inner loop jumps from row to row."""
    for node in source.walk("for_statement"):
        pair = nested(source, node)
        if pair is None or len(pair[0].statements) != 1 or len(pair[1].statements) != 1:
            continue
        outer, inner = pair
        statement = inner.statements[0]
        if _jumps_rows(outer, inner) and _are_free(source, outer, inner):
            edits = [_headed(outer, inner.header), _headed(inner, outer.header)]
            if _keeps_order(source, statement, outer, inner):
                yield edits
            elif summed := _summed(source, statement):
                yield [*edits, replace(statement, summed)]


def _headed(loop: CountedLoop, header: str) -> Edit:
    """Give a loop another header."""
    start = loop.node.start_byte
    return Edit(start, start + len(loop.header.encode()), header)


def _are_free(source: CppSource, outer: CountedLoop, inner: CountedLoop) -> bool:
    """Say whether two nested loops take each pair of values of their counters once."""
    return not names_in(inner.header, outer.variable) and all(
        has_own_counter(source, loop)
        and source.purity.steady(_first_value(loop), outer.node)
        and source.purity.steady(loop.node["condition"]["right"], outer.node)
        for loop in (outer, inner)
    )


def _first_value(loop: CountedLoop) -> Node:
    return loop.node["initializer"]["declarator"]["value"]


def _changed(statement: Node) -> Node:
    """Return the place changed by a statement without other effects."""
    change = statement.unwrapped
    place = change["left"] if change.type == "assignment_expression" else change["argument"]
    inner = [n for n in change.walk("assignment_expression", "update_expression") if n != change]
    single = change.type in ("assignment_expression", "update_expression") and not inner
    return place if single else MISSING


def _cell(source: CppSource, place: Node) -> tuple[Variable, list[str]] | None:
    """Return the table and the subscripts of `table[i][j]`, a number of its own."""
    kind, subscripts = source.typing.of(place), list[str]()
    while place.type == "subscript_expression":
        subscripts.insert(0, ",".join(part.text for part in place["indices"].parts))
        place = place["argument"]
    variable = source.resolve(place)
    if variable is None or not source.typing.number(kind) or "*" in variable.form:
        return None
    rows = source.typing.variable(variable)
    return None if "map" in rows else (variable, subscripts)


def _only_reads(source: CppSource, statement: Node, place: Node, table: Variable) -> bool:
    """Say whether a statement reads no part of the table it changes."""
    change = statement.unwrapped
    parts = [change["right"], *place.walk("subscript_argument_list")]
    used = [use for use in change.walk("identifier") if not _is_table(place, use)]
    variables = [source.resolve(use) for use in used]
    return all(not part or source.purity.plain(part) for part in parts) and not (
        any(v is not None and source.effects.may_alias(v, table) for v in variables)
        or any(map(source.effects.is_write, used))
        or source.effects.reached(change)
    )


def _is_table(place: Node, use: Node) -> bool:
    while place.type == "subscript_expression":
        place = place["argument"]
    return place is use


def _keeps_order(
    source: CppSource, statement: Node, outer: CountedLoop, inner: CountedLoop
) -> bool:
    """Say whether each cell changed by a statement goes with a single value of a counter."""
    place = _changed(statement)
    cell = _cell(source, place)
    if cell is None:
        return False
    table, subscripts = cell
    counters = {outer.variable, inner.variable}
    simple = all(s in counters or not any(names_in(s, c) for c in counters) for s in subscripts)
    return simple and bool(counters & set(subscripts)) and _only_reads(
        source, statement, place, table
    )  # fmt: skip


def _summed(source: CppSource, statement: Node) -> str:
    """Return an addition to an integer in which the order never matters; "" for other
    statements.

    Unsigned, so no sum on the way is out of range.
    """
    place, change = _changed(statement), statement.unwrapped
    variable, added = source.resolve(place), change["right"]
    if variable is None or change.operator not in ("+=", "-=") or not is_object(variable):
        return ""
    if not (source.typing.integer(place) and source.typing.integer(added)):
        return ""
    if not _only_reads(source, statement, place, variable):
        return ""
    wide = "static_cast<unsigned long long>"
    total = f"{wide}({place.text}) {change.operator[0]} {wide}({added.text})"
    return f"{place.text} = static_cast<{variable.type_node.text}>({total});"


def _jumps_rows(outer: CountedLoop, inner: CountedLoop) -> bool:
    """Say whether the inner loop jumps more between rows than the outer loop."""
    return _row_jumps(inner.body, inner.variable) > _row_jumps(inner.body, outer.variable)


def _row_jumps(body: Node, counter: str) -> int:
    """Count the accesses in which stepping `counter` moves to another row."""
    jumps = 0
    for access in body.walk("subscript_expression"):
        if access.parent.type == "subscript_expression" and access.parent["argument"] is access:
            continue  # counted as part of the longer expression
        rows: list[str] = []
        current = access
        while current.type == "subscript_expression":
            rows.insert(0, current["indices"].text[1:-1])
            current = current["argument"]
        last = rows.pop()
        strided = re.search(
            rf"\b{counter}\b\s*\*|\*\s*{counter}\b|\(\s*{counter}\b[^()]*\)\s*\*", last
        )
        in_rows = any(names_in(row, counter) for row in rows)
        if (in_rows and not names_in(last, counter)) or strided:
            jumps += 1
    return jumps


@rewrite(
    "Computes the sums of a whole row of a matrix product together, along the rows.",
    weight=8.0,
    requires=_ORDERED,
    headers=("vector",),
)
def matrix_product_order(source: CppSource) -> Iterator[Site]:
    """Splits the middle loop: statements before the sum, the sums of a whole row, statements
    after."""
    for node in source.walk("for_statement"):
        outer = counted(source, node)
        if outer is None or len(outer.statements) < 2 or _leaves_early(outer.body):
            continue
        first, second, *rest = outer.statements
        inner = counted(source, second)
        if inner is None or len(inner.statements) != 1 or not _jumps_rows(outer, inner):
            continue
        if not _are_free(source, outer, inner):
            continue
        text = ""
        if first.type == "declaration" and rest:
            text = _row_of_sums(source, outer, inner, rest)
        elif first.type == "expression_statement" and not rest:
            text = _row_in_place(source, outer, inner)
        if text:
            yield [replace(node, text)]


def _row_in_place(source: CppSource, outer: CountedLoop, inner: CountedLoop) -> str:
    """Return the loops for `c[i][j] = 0` and a sum in c[i][j]; "" for other statements."""
    first, statement = outer.statements[0], inner.statements[0]
    place, pad = _changed(first), outer.node.indent
    if (
        place.text != _changed(statement).text
        or names_in(place.text, inner.variable)
        or not _keeps_order(source, first, outer, inner)
        or not _keeps_order(source, statement, outer, inner)
    ):
        return ""
    return (
        f"{{\n{pad}{outer.header}\n{pad}    {first.text}\n"
        f"{pad}{inner.header}\n{pad}    {outer.header}\n{pad}        {inner.body.text}\n{pad}}}"
    )


def _row_of_sums(
    source: CppSource, outer: CountedLoop, inner: CountedLoop, rest: list[Node]
) -> str:
    """Return the loops with a sum for each value of the outer loop; "" where more would change."""
    first, statement = outer.statements[0], inner.statements[0]
    total = next((v for v in source.variables if v.declaration is first), None)
    if total is None or not total.alone or total.form or not outer.start.isdigit():
        return ""
    kind, place = source.typing.named(total.type), _changed(statement)
    if not source.typing.number(kind) or kind == "bool" or source.resolve(place) is not total:
        return ""
    value = total.value
    read = [source.resolve(use) for use in statement.walk("identifier")]
    if (
        not value
        or value.type in ("argument_list", "initializer_list")
        or not source.purity.steady(value, outer.node)
        or not _only_reads(source, statement, place, total)
        or any(
            v is not None and v is not total and v.name not in (outer.variable, inner.variable)
            and (outer.node.contains(v.node) or source.effects.writes(v, outer.node))
            for v in read
        )
        or any(part.has("lambda_expression", "declaration") for part in rest)
        or any(source.effects.reached(part) or _ends(source, part) for part in rest)
    ):  # fmt: skip
        return ""
    sums = source.fresh(f"{total.name}_row")
    body, *after_sums = (
        _with_uses(source, node, total, f"{sums}[{outer.variable}]") for node in (inner.body, *rest)
    )
    pad = outer.node.indent
    following = f"\n{pad}        ".join(after_sums)
    size = f"{outer.limit} > 0 ? {outer.limit} : 0"
    return (
        f"{{\n{pad}    std::vector<{total.type_node.text}> {sums}({size}, {value.text});\n"
        f"{pad}    {inner.header}\n{pad}        {outer.header}\n{pad}            {body}\n"
        f"{pad}    {outer.header} {{\n{pad}        {following}\n{pad}    }}\n{pad}}}"
    )


def _ends(source: CppSource, code: Node) -> bool:
    """Say whether code may end the program, by an unknown call."""
    return any(map(source.effects.runs_unknown_code, code.walk("call_expression")))


def _with_uses(source: CppSource, node: Node, variable: Variable, text: str) -> str:
    """Return the text of a node in which a variable is written in another way."""
    pieces, position = list[bytes](), node.start_byte
    for use in source.uses(variable):
        if node.contains(use):
            pieces += [source.data[position : use.start_byte], text.encode()]
            position = use.end_byte
    return b"".join([*pieces, source.data[position : node.end_byte]]).decode()


@rewrite(
    "Sorts with the library's sort instead of comparing all pairs.",
    weight=9.5,
    requires="Enough rounds sort all of an array of integers or strings, each compared as a whole, "
    "so that equal ones cannot be told apart.",
    headers=("algorithm", "functional"),
)
def bubble_to_sort(source: CppSource) -> Iterator[Site]:
    """For bubble sort and exchange sort of a whole array of integers or strings."""
    for node in source.walk("for_statement"):
        pair = nested(source, node)
        if pair is None or len(pair[0].statements) != 1 or len(pair[1].statements) != 1:
            continue
        proven = all(has_own_counter(source, loop) for loop in pair)
        if proven and (text := _sort(source, *pair, pair[1].statements[0])):
            yield [replace(node, text)]


def _sort(source: CppSource, outer: CountedLoop, inner: CountedLoop, branch: Node) -> str:
    """Return the call that sorts as two loops do; "" for other loops."""
    swapped = _swapped(source, branch["consequence"])
    test = branch["condition"].unwrapped
    if branch.type != "if_statement" or branch["alternative"] or swapped is None:
        return ""
    array, first, second = swapped
    i, j = outer.variable, inner.variable
    limit = "".join(inner.limit.split())
    rounds = "".join(outer.limit.split())
    if (first, second) == (j, f"{j}+1") and inner.start == "0":
        found = re.fullmatch(rf"(\w+)(?:-{i}-1|-1-{i}|-1)", limit)
    elif (first, second) == (i, j) and "".join(inner.start.split()) == f"{i}+1":
        found = re.fullmatch(r"(\w+)", limit)
    else:
        return ""
    places = (test["left"].squeezed, test["right"].squeezed)
    if (
        found is None
        or outer.start != "0"
        or rounds not in (found[1], f"{found[1]}-1")
        or places != (f"{array.name}[{first}]", f"{array.name}[{second}]")
        or test.operator not in ("<", ">", "<=", ">=")
        or not _is_steady_size(source, outer, found[1])
    ):
        return ""
    order = ", std::greater<>()" if "<" in test.operator else ""
    begin = f"&{array.name}[0]"
    return f"{{ if ({found[1]} > 1) std::sort({begin}, {begin} + {found[1]}{order}); }}"


def _is_steady_size(source: CppSource, loop: CountedLoop, size: str) -> bool:
    """Say whether a size is a number, or a variable of type int unchanged in the loop."""
    bounds = [n for n in loop.node["condition"].walk("identifier") if n.text == size]
    return size.isdigit() or all(
        source.typing.integer(bound) and source.purity.steady(bound, loop.node) for bound in bounds
    )


def _swapped(source: CppSource, body: Node) -> tuple[Variable, str, str] | None:
    """Return the array and the two places swapped by a branch."""
    text = "".join(part.squeezed for part in body.statements)
    call = re.fullmatch(r"(?:std::)?swap\((?P<a>\w+)\[(?P<p>.+)\],(?P=a)\[(?P<q>.+)\]\);", text)
    found = call or re.fullmatch(
        r"(?P<k>[a-z]+?)(?P<t>t|tmp|temp)=(?P<a>\w+)\[(?P<p>.+)\];"
        r"(?P=a)\[(?P=p)\]=(?P=a)\[(?P<q>.+)\];(?P=a)\[(?P=q)\]=(?P=t);",
        text,
    )
    if found is None or (
        call and not source.effects.library(next(body.walk("call_expression"))["function"])
    ):
        return None
    named = (n for n in body.walk("identifier") if n.text == found["a"])
    array = next(filter(None, map(source.resolve, named)), None)
    if array is None:
        return None
    held = source.typing.variable(array)
    kind = source.typing.element(held)
    if not (source.is_integer(kind) or kind == "string"):
        return None
    if not (held.startswith("vector<") or held in (f"{kind}[]", f"{kind}*")):
        return None
    if not call and source.typing.named(found["k"]) not in (kind, "auto"):
        return None
    first, second = found["p"], found["q"]
    return (array, second, first) if first.endswith("+1") else (array, first, second)
