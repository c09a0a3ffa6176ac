"""Rewrites of loops: less work in their rounds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import CppSource, Node, replace
from maxcode.generators.rewrites.cpp.source import declare_before

_CHEAP = ("min", "max", "abs", "fabs", "floor", "ceil")
_UNCONDITIONAL = (
    "binary_expression", "cast_expression", "parenthesized_expression", "condition_clause",
    "unary_expression",
)  # fmt: skip


@rewrite(
    "Computes the bound of a loop once, before the loop.",
    weight=7.0,
    requires="The loop's condition always begins with this call, which has no effects and whose "
    "arguments the loop does not change.",
)
def hoist_loop_bound(source: CppSource) -> Iterator[Site]:
    """For strlen, sqrt and the like, and functions of the file without effects."""
    number = 0
    for loop in source.walk("for_statement", "while_statement"):
        for call in loop["condition"].walk("call_expression"):
            named = call["function"].type in ("identifier", "qualified_identifier")
            if not named or call.callee in _CHEAP or not _always_computed(call, loop):
                continue
            if source.changes.steady(call, loop, _case_changes(source, call, loop)):
                number += 1
                name = source.fresh(f"bound_{number}")
                declaration = f"const auto {name} = {call.text};"
                yield [*declare_before(loop, declaration), replace(call, name)]


def _always_computed(call: Node, loop: Node) -> bool:
    """Say whether the condition of a loop computes a call whatever else holds."""
    current = call
    while current.parent is not loop:
        above = current.parent
        short = above.operator in ("&&", "||") and above["right"] is current
        cast = above.type == "call_expression" and "static_cast" in above.callee
        listed = above.type == "argument_list" and "static_cast" in above.parent.callee
        if short or not (above.type in _UNCONDITIONAL or cast or listed):
            return False
        current = above
    return True


def _case_changes(source: CppSource, call: Node, loop: Node) -> list[Node]:
    """Return the assignments in a loop that leave `strlen(text)` as it is.

    Letters may change case: it makes no zero, and of a zero nothing else.
    """
    text = source.resolve(call.arguments[0]) if len(call.arguments) == 1 else None
    if call.callee != "strlen" or text is None or source.expand(text.type) != "char":
        return []
    return [
        assignment
        for assignment in loop.walk("assignment_expression")
        if source.resolve(assignment["left"]["argument"]) is text
        and _changes_case(source, assignment)
    ]


def _changes_case(source: CppSource, assignment: Node) -> bool:
    """Say whether it is `text[i] = toupper(text[i])`."""
    letter, call = assignment["left"], _uncast(assignment["right"])
    return (
        letter.type == "subscript_expression"
        and assignment.operator == "="
        and call.callee in ("toupper", "tolower")
        and source.changes.library(call["function"])
        and [_uncast(given).text for given in call.arguments] == [letter.text]
        and source.changes.of(letter) == frozenset()
    )


def _uncast(expression: Node) -> Node:
    """Return an expression without casts to characters around it."""
    while True:
        inner = expression.unwrapped
        if inner.type == "call_expression" and re.fullmatch(
            r"static_cast<((un)?signed )?char>", inner.callee
        ):
            inner = inner.arguments[0]
        elif inner.type == "cast_expression" and inner["type"].text.endswith("char"):
            inner = inner["value"]
        if inner is expression or not inner:
            return inner
        expression = inner
