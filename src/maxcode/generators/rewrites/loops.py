"""Rewrites of loops: left early, or with constant work before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    LOOPS,
    MISSING,
    CppSource,
    Node,
    Variable,
    after,
    replace,
)
from maxcode.generators.rewrites.cpp.effects import is_object, is_shared
from maxcode.generators.rewrites.cpp.names import template
from maxcode.generators.rewrites.cpp.source import declare_before, in_block


@rewrite(
    "Leaves a loop as soon as its flag is set instead of running it to its end.",
    weight=7.0,
    requires="The loop changes nothing but its own variables and the flag, always to one constant.",
)
def early_exit(source: CppSource) -> Iterator[Site]:
    """A loop (or a chain of ifs in it) that only sets a flag leaves once it is set."""
    for loop in source.walk(*LOOPS):
        *declared, branch = loop["body"].statements or [loop]
        if branch.type != "if_statement" or any(part.type != "declaration" for part in declared):
            continue
        settings = _only_actions(branch)
        if len({setting.squeezed for setting in settings}) == 1 and _only_sets(
            source, loop, settings
        ):
            yield [
                after(setting, f"\n{setting.indent}break;")
                if in_block(setting)
                else replace(setting, f"{{ {setting.text} break; }}")
                for setting in settings
            ]


def _only_actions(branch: Node) -> list[Node]:
    """Return the single statement of every branch, empty where a branch does something else."""
    actions = branch["consequence"].statements
    if len(actions) != 1:
        return []
    if not branch["alternative"]:
        return actions
    other = branch["alternative"].parts
    rest = _only_actions(other[0]) if [o.type for o in other] == ["if_statement"] else []
    return actions + rest if rest else []


def _only_sets(source: CppSource, loop: Node, settings: list[Node]) -> bool:
    """Say whether a loop's only outside effect is a flag set to a constant."""
    flags = [setting.unwrapped["left"] for setting in settings]
    flag = source.resolve(flags[0])
    return (
        all(re.fullmatch(r"\w+=(true|false|0|1);", setting.squeezed) for setting in settings)
        and flag is not None
        and is_object(flag)
        and not is_shared(flag)
        and not loop.contains(flag.node)
        and source.purity.plain(loop)
        and not any(
            source.effects.is_write(use)
            for use in loop.walk("identifier")
            if use not in flags
            and (variable := source.resolve(use)) is not None
            and not loop.contains(variable.node)
        )
    )


@rewrite(
    "Reuses the memory of a vector or string declared in a loop in all its rounds.",
    weight=4.0,
    requires="The object is a string or vector of the library, and each round begins by filling "
    "it as its constructor would.",
)
def hoist_local_buffer(source: CppSource) -> Iterator[Site]:
    """The memory of a local vector or string is kept from round to round."""
    for variable in source.variables:
        loop = next(iter(variable.node.loops), MISSING)
        home = source.effects.home(loop)
        if (
            variable.kind != "local"
            or not variable.alone
            or variable.form
            or variable.const
            or variable.scope is not loop["body"]
            or is_shared(variable)
            or home is None
            or not source.effects.proven(loop)
            or loop.has("struct_specifier", "class_specifier", "alias_declaration")
        ):
            continue
        named = home.node.walk("identifier", "type_identifier")
        if any(node.text == variable.name and not _is(source, node, variable) for node in named):
            continue
        if reset := _reset(source, variable):
            declaration = f"{variable.type_node.text} {variable.name};"
            yield [*declare_before(loop, declaration), replace(variable.declaration, reset)]


def _is(source: CppSource, node: Node, variable: Variable) -> bool:
    return node is variable.node or source.names.resolve(node) is variable


def _reset(source: CppSource, variable: Variable) -> str:
    """Return the statement to give the old container its new content; "" for other types."""
    container, inner = template(source.expand(variable.type))
    if not source.typing.standard(variable.type) or (
        (container, len(inner)) != ("vector", 1) and source.expand(variable.type) != "string"
    ):
        return ""
    value, name = variable.value, variable.name
    if not value:
        return f"{name}.clear();"
    if value.type == "string_literal":
        return f"{name} = {value.text};"
    given = value.parts if value.type in ("argument_list", "parameter_list") else []
    if not given or not _is_size(source, given[0]):
        return ""
    if len(given) == 2:
        return f"{name}.assign{value.text};"
    element = f"{variable.type_node.text}::value_type()"
    return f"{name}.assign({given[0].text}, {element});" if len(given) == 1 and inner else ""


def _is_size(source: CppSource, given: Node) -> bool:
    """Say whether an argument is a whole number; `n` alone parses as the type of a parameter."""
    if given.type != "parameter_declaration":
        return source.typing.integer(given)
    variable = source.names.resolve(given["type"])
    kind = "" if variable is None or given["declarator"] else source.typing.variable(variable)
    return kind != "bool" and source.is_integer(kind)


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
            if _length_stays(source, call, loop) or source.purity.steady(call, loop):
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


def _length_stays(source: CppSource, call: Node, loop: Node) -> bool:
    """Say whether `strlen(text)` is the same all through a loop.

    Letters may change case: it makes no zero, and of a zero nothing else.
    """
    given = call.arguments
    text = source.resolve(given[0]) if len(given) == 1 else None
    if call.callee != "strlen" or not source.effects.library(call["function"]) or text is None:
        return False
    kept = [use for use in source.uses(text) if _changes_case(source, use)]
    return (
        source.typing.variable(text) in ("char*", "char[]")
        and source.effects.proven(loop)
        and not loop.contains(text.node)
        and not source.effects.writes(text, loop, kept)
    )


def _changes_case(source: CppSource, use: Node) -> bool:
    """Say whether a use of a text is the first in `text[i] = toupper(text[i])`."""
    letter, assignment = use.parent, use.parent.parent
    call = _uncast(assignment["right"])
    return (
        letter.type == "subscript_expression"
        and assignment["left"] is letter
        and assignment.operator == "="
        and call.callee in ("toupper", "tolower")
        and source.effects.library(call["function"])
        and [_uncast(given).text for given in call.arguments] == [letter.text]
        and source.purity.plain(letter)
        and not letter.has("update_expression", "assignment_expression")
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
