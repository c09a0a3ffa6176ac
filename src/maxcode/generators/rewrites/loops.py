"""Rewrites of loops: left early, in another order, or with what stays the same before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import LOOPS, CppSource, Edit, Node, Variable, after, replace
from maxcode.generators.rewrites.cpp.names import template
from maxcode.generators.rewrites.cpp.source import (
    CountedLoop,
    counted,
    declare_before,
    in_block,
    names_in,
    nested,
)


@rewrite("Leaves a loop as soon as its flag is set instead of running it to its end.", weight=7.0)
def early_exit(source: CppSource) -> Iterator[Site]:
    """A loop (or a chain of ifs in it) that does no more than set a flag leaves when it has."""
    for loop in source.walk(*LOOPS):
        *declared, branch = loop["body"].statements or [loop]
        if branch.type != "if_statement" or any(part.type != "declaration" for part in declared):
            continue
        flags = _only_actions(branch)
        if len({flag.squeezed for flag in flags}) != 1:
            continue
        setting = re.fullmatch(r"(\w+)=(true|false|0|1);", flags[0].squeezed)
        if setting is not None and setting[1] not in ("i", "j", "k"):
            yield [
                after(flag, f"\n{flag.indent}break;")
                if in_block(flag)
                else replace(flag, f"{{ {flag.text} break; }}")
                for flag in flags
            ]


def _only_actions(branch: Node) -> list[Node]:
    """Return the one statement of every branch, empty where a branch does something else."""
    actions = branch["consequence"].statements
    if len(actions) != 1:
        return []
    if not branch["alternative"]:
        return actions
    other = branch["alternative"].parts
    rest = _only_actions(other[0]) if [o.type for o in other] == ["if_statement"] else []
    return actions + rest if rest else []


_CHEAP = ("min", "max", "abs", "size", "length", "empty", "end", "make_pair", "c_str", "distance")


@rewrite(
    "Calls a function before a loop where each call in the loop gives the same value.", weight=6.0
)
def hoist_invariant_call(source: CppSource) -> Iterator[Site]:
    """One level at a time; applied again it moves a call further out."""
    number = 0
    for loop in source.walk(*LOOPS):
        if loop.type == "do_statement":
            continue
        edits: dict[str, list[Edit]] = {}
        names: dict[str, str] = {}
        for call in loop["body"].walk("call_expression"):
            cheap = call.callee.rsplit(".", 1)[-1] in _CHEAP or not call["arguments"].named_children
            if cheap or call.loops[:1] != [loop] or not source.effects.invariant(call, loop):
                continue
            text = call.text
            if text not in edits:
                number += 1
                names[text] = source.fresh(f"value_{number}")
                edits[text] = declare_before(loop, f"const auto {names[text]} = {text};")
            edits[text].append(replace(call, names[text]))
        yield from edits.values()


@rewrite(
    "Reuses the memory of a vector or string declared in a loop in all its rounds.", weight=4.0
)
def hoist_local_buffer(source: CppSource) -> Iterator[Site]:
    """The memory of a local vector or string is kept from one round to the next."""
    for variable in source.variables:
        loops = variable.node.loops
        if variable.kind != "local" or not variable.alone or variable.form or not loops:
            continue
        if variable.scope is not loops[0]["body"] or variable.const:
            continue
        if "static" in variable.declaration.text.split():
            continue
        function = loops[0].enclosing("function_definition")
        if any(
            other.name == variable.name
            and other != variable
            and function.start_byte <= other.node.start_byte < function.end_byte
            for other in source.variables
        ):
            continue
        if reset := _reset(source, variable):
            declaration = f"{variable.type_node.text} {variable.name};"
            yield [*declare_before(loops[0], declaration), replace(variable.declaration, reset)]


def _reset(source: CppSource, variable: Variable) -> str:
    """Return the statement that gives the old container its new content; "" for other types."""
    kind = source.expand(variable.type)
    container, inner = template(kind)
    if kind != "string" and container != "vector":
        return ""
    value, name = variable.value, variable.name
    if not value:
        return f"{name}.clear();"
    if value.type == "string_literal":
        return f"{name} = {value.text};"
    given = value.named_children if value.type in ("argument_list", "parameter_list") else []
    if len(given) == 2 and not any("begin" in argument.text for argument in given):
        return f"{name}.assign{value.text};"
    if len(given) != 1 or not inner:
        return ""
    is_size = value.type == "parameter_list" or given[0].type != "identifier"
    return f"{name}.assign({given[0].text}, {inner[0]}());" if is_size else ""


_OPERANDS = ("binary_expression", "cast_expression", "parenthesized_expression", "argument_list")


@rewrite("Computes the bound of a loop once, before the loop.", weight=7.0)
def hoist_loop_bound(source: CppSource) -> Iterator[Site]:
    """For strlen, sqrt, size and pure functions of the file, of what the loop leaves alone."""
    number = 0
    for loop in source.walk("for_statement", "while_statement"):
        end = -1
        for call in loop["condition"].walk("call_expression"):
            if call.start_byte < end or call.parent.type not in _OPERANDS:
                continue
            if "static_cast" in call.text:
                continue  # its argument is the call that matters
            end = call.end_byte
            if source.effects.invariant(call, loop):
                number += 1
                name = source.fresh(f"bound_{number}")
                declaration = f"const auto {name} = {call.text};"
                yield [*declare_before(loop, declaration), replace(call, name)]


@rewrite("Swaps two nested loops so that the inner one walks along the rows in memory.", weight=8.0)
def loop_interchange(source: CppSource) -> Iterator[Site]:
    """Swaps two perfectly nested loops where the inner one jumps from row to row."""
    for node in source.walk("for_statement"):
        pair = nested(source, node)
        if pair is None or len(pair[0].statements) != 1:
            continue
        outer, inner = pair
        if inner.body.has("for_statement") or not _jumps_rows(outer, inner):
            continue
        if not _leaves_early(inner.body):
            yield [_headed(outer, inner.header), _headed(inner, outer.header)]


def _headed(loop: CountedLoop, header: str) -> Edit:
    """Give a loop another header."""
    start = loop.node.start_byte
    return Edit(start, start + len(loop.header.encode()), header)


@rewrite(
    "Computes the sums of a whole row of a matrix product together, along the rows.",
    weight=8.0,
    headers=("vector",),
)
def matrix_product_order(source: CppSource) -> Iterator[Site]:
    """Splits the middle loop: what precedes the sum, the sums of a whole row, what follows."""
    for node in source.walk("for_statement"):
        outer = counted(source, node)
        if outer is None or len(outer.statements) < 2:
            continue
        first, second, *rest = outer.statements
        inner = counted(source, second)
        if inner is None or _leaves_early(outer.body) or not _jumps_rows(outer, inner):
            continue
        text = ""
        if first.type == "declaration" and rest:
            text = _row_of_sums(source, outer, inner, first, rest)
        elif first.type == "expression_statement" and not rest:
            pad = node.indent
            text = (
                f"{{\n{pad}{outer.header}\n{pad}    {first.text}\n"
                f"{pad}{inner.header}\n{pad}    {outer.header}\n{pad}        {inner.body.text}"
                f"\n{pad}}}"
            )
        if text:
            yield [replace(node, text)]


def _row_of_sums(
    source: CppSource, outer: CountedLoop, inner: CountedLoop, first: Node, rest: list[Node]
) -> str:
    """Return the loops with a sum for each value of the outer one; "" where that changes more."""
    total = next((v for v in source.variables if v.declaration is first), None)
    if total is None or not total.alone or total.form or not source.is_arithmetic(total.type):
        return ""
    value = total.value
    if not value or value.type in ("argument_list", "initializer_list"):
        return ""
    if names_in(value.text, outer.variable) or outer.start.startswith("-"):
        return ""
    sums = source.fresh(f"{total.name}_row")
    summed = re.compile(rf"(?<![\w.>]){re.escape(total.name)}\b")
    body, *after_sums = (
        summed.sub(f"{sums}[{outer.variable}]", node.text) for node in (inner.body, *rest)
    )
    pad = outer.node.indent
    following = f"\n{pad}        ".join(after_sums)
    return (
        f"{{\n{pad}    std::vector<{total.type_node.text}> {sums}({outer.limit}, {value.text});\n"
        f"{pad}    {inner.header}\n{pad}        {outer.header}\n{pad}            {body}\n"
        f"{pad}    {outer.header} {{\n{pad}        {following}\n{pad}    }}\n{pad}}}"
    )


def _leaves_early(body: Node) -> bool:
    """Say whether a body holds a jump that ties it to its loop."""
    return body.has("break_statement", "continue_statement", "return_statement", "goto_statement")


def _jumps_rows(outer: CountedLoop, inner: CountedLoop) -> bool:
    """Say whether the inner loop does not depend on the outer one and jumps more between rows."""
    if names_in(inner.header, outer.variable):
        return False
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


@rewrite("Looks at each unordered pair once instead of twice.", weight=5.0)
def symmetric_pairs(source: CppSource) -> Iterator[Site]:
    """Where loops over i and j leave out i == j, starts j at i + 1."""
    for node in source.walk("for_statement"):
        # What follows the inner loop would use a result for each i, over all j.
        pair = nested(source, node)
        if pair is None or (pair[0].start, pair[0].limit) != (pair[1].start, pair[1].limit):
            continue
        i, j = pair[0].variable, pair[1].variable
        unequal = rf"\b(?:{i}\s*[!=]=\s*{j}|{j}\s*[!=]=\s*{i})\b"
        if re.search(unequal, pair[1].body.text):
            first = pair[1].node["initializer"]
            yield [replace(first, re.sub(r"=[^;]*", f"= {i} + 1", first.text))]


@rewrite(
    "Sorts with the library's stable sort instead of comparing all pairs.",
    weight=9.5,
    headers=("algorithm",),
)
def bubble_to_sort(source: CppSource) -> Iterator[Site]:
    """For bubble sort and exchange sort of a whole array; equal elements keep their order."""
    for node in source.walk("for_statement"):
        pair = nested(source, node)
        if pair is None or len(pair[1].statements) != 1:
            continue
        if text := _sort(*pair, pair[1].statements[0]):
            yield [replace(node, text)]


def _sort(outer: CountedLoop, inner: CountedLoop, branch: Node) -> str:
    """Return the call that sorts as two loops do; "" where they do something else."""
    swapped = _swapped(branch["consequence"])
    if branch.type != "if_statement" or branch["alternative"] or swapped is None:
        return ""
    array, first, second = swapped
    i, j = outer.variable, inner.variable
    limit = re.sub(r"\s", "", inner.limit)
    size = None
    if (first, second) == (j, f"{j}+1"):
        size = re.fullmatch(rf"(\w+(?:\.size\(\))?)(?:-{i}-1|-1-{i}|-1)", limit)
    elif (first, second) == (i, j) and re.sub(r"\s", "", inner.start) == f"{i}+1":
        size = re.fullmatch(r"(\w+(?:\.size\(\))?)", limit)
    if size is None or outer.start not in ("0", "1"):
        return ""
    test = re.sub(r"\s*\+\s*1\s*\]", "+1]", branch["condition"].unwrapped.text)
    test = test.replace(f"{array}[{first}]", "right").replace(f"{array}[{second}]", "left")
    if not {array, i, j}.isdisjoint(re.findall(r"\w+", test)) or "=" in test:
        return ""
    return (
        f"std::stable_sort(&{array}[0], &{array}[0] + {size[1]}, "
        f"[&](const auto& left, const auto& right) {{ return {test}; }});"
    )


def _swapped(body: Node) -> tuple[str, str, str] | None:
    """Return the array and the two places that a branch swaps."""
    text = "".join(part.squeezed for part in body.statements)
    found = re.fullmatch(
        r"(?:std::)?swap\((?P<a>\w+)\[(?P<p>.+)\],(?P=a)\[(?P<q>.+)\]\);", text
    ) or re.fullmatch(
        r"[a-z]+(?P<t>t|tmp|temp)=(?P<a>\w+)\[(?P<p>.+)\];"
        r"(?P=a)\[(?P=p)\]=(?P=a)\[(?P<q>.+)\];(?P=a)\[(?P=q)\]=(?P=t);",
        text,
    )
    if found is None:
        return None
    array, first, second = found["a"], found["p"], found["q"]
    return (array, second, first) if first.endswith("+1") else (array, first, second)


@rewrite("Strikes out multiples in a sieve from the square of the prime on.", weight=4.0)
def sieve_from_square(source: CppSource) -> Iterator[Site]:
    """`for (int j = 2 * i; j <= n; j += i)` begins at `i * i`, without overflow."""
    for loop in source.walk("for_statement"):
        first = loop["initializer"]
        start = re.fullmatch(r"(?:int|long|long long|size_t|ll)\s+(\w+)\s*=\s*(.+);", first.text)
        step = re.fullmatch(r"(\w+)\s*(?:\+=\s*(\w+)|=\s*\1\s*\+\s*(\w+))", loop["update"].text)
        if start is None or step is None or start[1] != step[1]:
            continue
        prime = step[2] or step[3]
        if re.sub(r"\s", "", start[2]) in (f"2*{prime}", f"{prime}*2", f"{prime}+{prime}"):
            square = f"long long {start[1]} = static_cast<long long>({prime}) * {prime};"
            yield [replace(first, square)]
