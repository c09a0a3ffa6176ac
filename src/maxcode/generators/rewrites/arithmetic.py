"""Rewrites of computations: powers, roots, divisions, remainders and the types of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    MISSING,
    CppSource,
    Edit,
    Function,
    Node,
    after,
    at_start,
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.source import counted, in_block
from maxcode.generators.rewrites.support import load

_STEP = re.compile(r"(\w+)=\(?\1\*(\w+)\)?%(\w+);")


@rewrite(
    "Computes a modular power by repeated squaring instead of one factor at a time.", weight=9.0
)
def binary_power(source: CppSource) -> Iterator[Site]:
    """`for (...) result = result * base % m;` needs one product for each bit, not each round."""
    for node in source.walk("for_statement"):
        loop = counted(source, node)
        if loop is None or len(loop.statements) != 1:
            continue
        step = _STEP.fullmatch(loop.statements[0].squeezed)
        if step is None or loop.variable in step.groups():
            continue
        result, base, modulus = step.groups()
        if base == result:
            continue
        power, left = source.fresh("power"), source.fresh("left")
        pad = node.indent
        code = (
            f"{{\n{pad}    long long {power} = {base} % {modulus};\n"
            f"{pad}    for (long long {left} = ({loop.limit}) - ({loop.start}); "
            f"{left} > 0; {left} >>= 1) {{\n"
            f"{pad}        if ({left} & 1) {result} = {result} * {power} % {modulus};\n"
            f"{pad}        {power} = {power} * {power} % {modulus};\n"
            f"{pad}    }}\n{pad}}}"
        )
        yield [replace(node, code)]


@rewrite(
    "Multiplies by the reciprocal of a floating point constant instead of dividing.", weight=2.0
)
def constant_division(source: CppSource) -> Iterator[Site]:
    """In loops only; the result may differ in the last digit."""
    for quotient in source.walk("binary_expression"):
        left, right = quotient["left"], quotient["right"]
        if quotient.operator != "/" or left.type == "number_literal" or not quotient.loops:
            continue
        if re.fullmatch(r"\d+\.\d*", right.text) and float(right.text) != 0:
            sign = quotient["operator"]
            yield [Edit(sign.start_byte, right.end_byte, f"* (1.0 / {right.text})")]


_ORDER = ("<", ">", "<=", ">=")


@rewrite("Compares squared distances and takes the root only of those that pass.", weight=7.0)
def delayed_root(source: CppSource) -> Iterator[Site]:
    """`if (distance(a, b) < best)` becomes `if (distance_squared(a, b) < best * best)`."""
    for function in source.functions:
        root = _returned_root(function)
        if not root:
            continue
        name = source.fresh(f"{function.name}_squared")
        edits: list[Edit] = []
        for call in source.walk("call_expression"):
            if call.callee == function.name:
                edits += _squared_comparison(call, name) + _root_in_branch(source, call, name)
        if edits:
            start, end = function.node.start_byte, function.node.end_byte
            copy = source.data[start : root.start_byte].decode()
            copy = re.sub(rf"\b{function.name}\b", name, copy, count=1)
            rest = source.data[root.end_byte : end].decode()
            copy = f"{copy}{root.arguments[0].text}{rest}\n\n"
            yield [before(function.node, copy), *edits]


def _returned_root(function: Function) -> Node:
    """Return the call of sqrt that is the function's only result."""
    results = list(function.body.walk("return_statement"))
    if len(results) != 1 or not results[0].named_children:
        return MISSING
    value = results[0].named_children[0].unwrapped
    is_root = value.callee in ("sqrt", "sqrtl", "sqrtf") and len(value.arguments) == 1
    return value if is_root and value.type == "call_expression" else MISSING


def _squared_comparison(call: Node, name: str) -> list[Edit]:
    """Square both sides of `call < x` and `x > call`."""
    test = call.parent
    if test.type != "binary_expression" or test.operator not in _ORDER:
        return []
    other = test["right"] if test["left"] is call else test["left"]
    if other.type not in ("identifier", "number_literal"):
        return []
    return [replace(call["function"], name), replace(other, f"{other.text} * {other.text}")]


def _root_in_branch(source: CppSource, call: Node, name: str) -> list[Edit]:
    """Delay the root in `double d = call; if (d < best) ...` where nothing else reads d."""
    variable = next((v for v in source.variables if v.value is call and v.alone), None)
    if variable is None:
        return []
    following = variable.declaration.following
    test, body = following["condition"].unwrapped, following["consequence"]
    own, other = test["left"], test["right"]
    if test.operator not in _ORDER or (own.type, other.type) != ("identifier",) * 2:
        return []
    if own.text != variable.name:
        own, other = other, own
    uses = source.uses(variable)
    if own.text != variable.name or not uses or uses[-1].end_byte > body.end_byte:
        return []
    square = source.fresh(f"{variable.name}_squared")
    root = f"{variable.type_node.text} {variable.name} = std::sqrt({square});"
    if body.type == "compound_statement":
        delayed = [at_start(body, f"\n{following.indent}    {root}")]
    else:
        delayed = [before(body, f"{{ {root} "), after(body, " }")]
    return [
        replace(variable.node, square),
        replace(call["function"], name),
        replace(own, square),
        replace(other, f"{other.text} * {other.text}"),
        *delayed,
    ]


_LONG_FUNCTION = re.compile(
    r"(?:std::)?(?:sqrt|pow|fabs|floor|ceil|sin|cos|tan|exp|log|atan2|hypot)l"
)


@rewrite(
    "Computes with double, which processors do in hardware registers, not long double.",
    weight=6.0,
    max_single=0,
)
def long_double_to_double(source: CppSource) -> Iterator[Site]:
    """All in one: a program that mixes both would convert all the time."""
    types = [
        replace(node, "double")
        for node in source.walk("sized_type_specifier")
        if re.fullmatch(r"long\s+double", node.text)
    ]
    edits: list[Edit] = []
    for node in source.walk("number_literal", "identifier", "string_content"):
        old = new = node.text
        if node.type == "string_content":
            new = re.sub(r"%([-+ 0]*\d*(?:\.\d+)?)L([fge])", r"%\1l\2", old)
        elif node.type == "identifier":
            new = old[:-1] if _LONG_FUNCTION.fullmatch(old) else old
        elif old[-1:] in ("L", "l") and re.search(r"[.eE]", old) and "x" not in old:
            new = old[:-1]
        if new != old:
            edits.append(replace(node, new))
    if types:
        yield types + edits


_TERMS = ("identifier", "number_literal", "subscript_expression", "call_expression")


@rewrite("Replaces the division in a modular sum by a comparison and a subtraction.", weight=4.0)
def modulo_to_subtraction(source: CppSource) -> Iterator[Site]:
    """`x = (x + y) % m` where both are below m: `x += y; if (x >= m) x -= m;`."""
    for assignment in source.walk("assignment_expression"):
        statement, right = assignment.parent, assignment["right"]
        if statement.type != "expression_statement":
            continue
        target = assignment["left"].text
        if assignment.operator == "=" and right.operator == "%":
            total, modulus = right["left"].unwrapped, right["right"]
            terms = [total["left"], total["right"]]
            texts = [term.text for term in terms]
            if total.operator != "+" or not all(term.type in _TERMS for term in terms):
                continue
            if target in texts and modulus.type in ("identifier", "number_literal"):
                texts.remove(target)
                code = f"{target} += {texts[0]}; {_subtracted(target, modulus)}"
                yield [replace(statement, code if in_block(statement) else f"{{ {code} }}")]
        elif assignment.operator == "%=" and right.type in ("identifier", "number_literal"):
            added = statement.preceding.text
            begins = (f"{target}+=", f"{target}++", f"++{target}")
            if added.replace(" ", "").startswith(begins) and "*" not in added:
                yield [replace(statement, _subtracted(target, right))]


def _subtracted(target: str, modulus: Node) -> str:
    return f"if ({target} >= {modulus.text}) {target} -= {modulus.text};"


_COUNTS_BITS = re.compile(
    r"(?:(?P<a>\w+)\+=(?P<x>\w+)(?:&1|%2);|if\((?P<y>\w+)(?:&1|%2|%2==1)\)\{?(?P<b>\w+)\+\+;\}?)"
    r"(?P<z>\w+)(?:>>=1|/=2);"
)


@rewrite("Counts the bits of a number with the processor's own instruction.", weight=5.0)
def popcount(source: CppSource) -> Iterator[Site]:
    """For loops that add the lowest bit and shift until nothing is left."""
    for loop in source.walk("while_statement"):
        body = "".join(part.squeezed for part in loop["body"].statements)
        found = _COUNTS_BITS.fullmatch(body)
        if found is None:
            continue
        number, count = found["z"], found["a"] or found["b"]
        test = re.sub(r"[()]", "", loop["condition"].squeezed)
        if (found["x"] or found["y"]) != number:
            continue
        if test in (number, f"{number}>0", f"{number}!=0"):
            code = f"{{ {count} += __builtin_popcountll({number}); {number} = 0; }}"
            yield [replace(loop, code)]


_SMALL_POWERS = {
    "2": "squared", "3": "cubed", "2.0": "squared", "3.0": "cubed", "0.5": "std::sqrt",
}  # fmt: skip


@rewrite(
    "Computes powers with whole exponents by multiplying instead of calling pow.",
    weight=4.0,
    support=(load("powers"),),
)
def power_to_product(source: CppSource) -> Iterator[Site]:
    """For the constants 2, 3 and 0.5 and for whole exponents in integer variables."""
    for call in source.walk("call_expression"):
        given = call.arguments
        if call.callee not in ("pow", "powl") or len(given) != 2:
            continue
        base, exponent = given
        if name := _SMALL_POWERS.get(exponent.text):
            rest = Edit(base.end_byte, exponent.end_byte, "")
            yield [replace(call["function"], name), rest]
        elif _is_whole(source, exponent):
            yield [replace(call["function"], "whole_power")]


def _is_whole(source: CppSource, node: Node) -> bool:
    is_sum = node.type == "binary_expression"
    if is_sum and node.operator not in ("+", "-"):
        return False
    for part in node.named_children if is_sum else [node]:
        variable = source.resolve(part)
        is_integer = variable and not variable.form and source.is_integer(variable.type)
        if not (is_integer or (part.type == "number_literal" and part.text.isdigit())):
            return False
    return True


@rewrite("Looks for a divisor up to the square root instead of up to the number.", weight=9.0)
def trial_division(source: CppSource) -> Iterator[Site]:
    """`i < n` (or `i <= n / 2`, `i <= sqrt(n)`) becomes `i * i <= n` where one divisor decides."""
    for loop in source.walk("for_statement"):
        condition, parts = loop["condition"], loop["body"].statements
        found = re.fullmatch(
            r"(\w+)\s*<=?\s*(?:\(int\)\s*)?(?:std::)?(?:sqrt\()?(\w+)\)?(?:\s*/\s*2)?",
            condition.text,
        )
        if found is None or condition.type != "binary_expression":
            continue
        counter, number = found.groups()
        if [part.type for part in parts] == ["if_statement"] and _decides(
            parts[0], counter, number
        ):
            test = f"static_cast<long long>({counter}) * {counter} <= {number}"
            yield [replace(condition, test)]


def _decides(branch: Node, counter: str, number: str) -> bool:
    """Say whether a branch needs one divisor only: it sets a flag, leaves the loop or returns."""
    test = re.sub(r"[()]", "", branch["condition"].unwrapped.squeezed)
    actions = branch["consequence"].statements
    final = re.compile(r"return(false|true|0|1);|break;|\w+=(false|true|0|1);")
    return (
        test in (f"{number}%{counter}==0", f"!{number}%{counter}")
        and not branch["alternative"]
        and bool(actions)
        and all(final.fullmatch(action.text.replace(" ", "")) for action in actions)
    )
