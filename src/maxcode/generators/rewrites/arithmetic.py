"""Rewrites of computations: powers, roots, divisors, bits and the types of numbers."""

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
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.effects import is_object, is_shared
from maxcode.generators.rewrites.cpp.source import counted, has_own_counter
from maxcode.generators.rewrites.support import load

_STEP = re.compile(r"(\w+)=\(?\1\*(\w+)\)?%(\w+);")
_LARGEST_MODULUS = 3037000499  # whose square is the largest below 2**63


def _number(source: CppSource, home: Node, text: str) -> str:
    """Return the type of a literal or of a variable of its own; "" for anything else."""
    if text.isdigit():
        return "int" if int(text) < 2**31 else "long long"
    uses = (node for node in home.walk("identifier") if node.text == text)
    variable = source.resolve(next(uses, MISSING))
    if variable is None or not is_object(variable) or variable.form:
        return ""
    return source.typing.variable(variable)


@rewrite(
    "Computes a modular power by repeated squaring instead of one factor at a time.",
    weight=9.0,
    requires="All are signed integers of their own; where a product of remainders might not fit, "
    "the loop runs as it is.",
)
def binary_power(source: CppSource) -> Iterator[Site]:
    """`for (...) result = result * base % m;` needs a product for each bit, not each round."""
    for node in source.walk("for_statement"):
        loop = counted(source, node)
        if loop is None or len(loop.statements) != 1 or not has_own_counter(source, loop):
            continue
        step = _STEP.fullmatch(loop.statements[0].squeezed)
        limit = node["condition"]["right"]
        if step is None or loop.variable in step.groups() or len(set(step.groups())) != 3:
            continue
        result, base, modulus = step.groups()
        kinds = [_number(source, node, text) for text in (result, base, modulus)]
        counter = source.typing.of(node["condition"]["left"])
        bounds = [_number(source, node, text) for text in (loop.start, limit.text)]
        if (
            not {*kinds, *bounds, counter} <= {"int", "long", "long long"}
            or (kinds[0] == "int" and kinds != ["int"] * 3)
            or not loop.start.isdigit()
            or not source.purity.steady(limit, node)
        ):
            continue
        power, left = source.fresh("power"), source.fresh("left")
        pad = node.indent
        more = " + 1" if node["condition"].operator == "<=" else ""
        code = (
            f"if (0 < {modulus} && {modulus} <= {_LARGEST_MODULUS} && 0 <= {base} "
            f"&& 0 <= {result} && {result} < {modulus}) {{\n"
            f"{pad}    long long {power} = {base} % {modulus};\n"
            f"{pad}    for (long long {left} = static_cast<long long>({limit.text}){more} - "
            f"{loop.start}; {left} > 0; {left} >>= 1) {{\n"
            f"{pad}        if ({left} & 1) {result} = 1LL * {result} * {power} % {modulus};\n"
            f"{pad}        {power} = {power} * {power} % {modulus};\n"
            f"{pad}    }}\n{pad}}} else {{\n{pad}    {node.text}\n{pad}}}"
        )
        yield [replace(node, code)]


@rewrite(
    "Takes the root of a squared distance only where it may be below the least one so far.",
    weight=7.0,
    requires="A function without effects returns nothing but a root, which is compared with a "
    "number of its type; a root that is certainly not below it is replaced by the largest number.",
    support=(load("roots"),),
)
def delayed_root(source: CppSource) -> Iterator[Site]:
    """`distance(a, b) < best` takes no root where the square is clearly above `best * best`."""
    for function in source.functions:
        root, kind = _returned_root(function), source.typing.named(function.return_type)
        if (
            not root
            or kind not in ("double", "long double")
            or source.function(function.name) is not function
            or not source.effects.library(root["function"])
            or not source.purity.pure(function)
        ):
            continue
        name, bound = source.fresh(f"{function.name}_below"), source.fresh("bound")
        square = source.fresh("square")
        edits: list[Edit] = []
        for call in source.walk("call_expression"):
            named = call["function"].text == function.name and call.start_byte > root.end_byte
            proven = named and bool(call.arguments) and source.effects.proven(call)
            if proven and (limit := _least_so_far(source, call, kind)):
                last = call["arguments"].children[-1]
                edits += [replace(call["function"], name), before(last, f", {limit}")]
        if edits:
            copy = _bounded(source, function, root, (name, bound, square))
            yield [before(function.node, copy), *edits]


def _bounded(source: CppSource, function: Function, root: Node, names: tuple[str, str, str]) -> str:
    """Return the function with the largest number for a root certainly not below a bound."""
    name, bound, square = names
    node, kind, returned = function.node, function.return_type, root.enclosing("return_statement")
    listed = next(node.walk("function_declarator"))["parameters"]
    pieces = [
        source.data[node.start_byte : function.named.start_byte], name.encode(),
        source.data[function.named.end_byte : listed.end_byte - 1], f", {kind} {bound})".encode(),
        source.data[listed.end_byte : returned.start_byte],
        f"const auto {square} = {root.arguments[0].text};\n"
        f"    if (root_reaches<{kind}>({square}, {bound})) "
        f"return std::numeric_limits<{kind}>::max();\n"
        f"    return {root['function'].text}({square});".encode(),
        source.data[returned.end_byte : node.end_byte], b"\n\n",
    ]  # fmt: skip
    return b"".join(pieces).decode()


def _returned_root(function: Function) -> Node:
    """Return the call of sqrt if it is the function's only result, at the end of its block."""
    results = list(function.body.walk("return_statement"))
    if len(results) != 1 or results[0].parent is not function.body:
        return MISSING
    value = results[0].parts[0].unwrapped if results[0].parts else MISSING
    is_root = value.callee in ("sqrt", "sqrtl") and len(value.arguments) == 1
    return value if is_root and value.type == "call_expression" else MISSING


def _least_so_far(source: CppSource, call: Node, kind: str) -> str:
    """Return the x of `call < x`, or of `d = call` where only `if (d < x) ...` reads d."""
    test, value = call.parent, call
    if test.type == "init_declarator":
        variable = next((v for v in source.variables if v.value is call and v.alone), None)
        branch = test.parent.following
        test = branch["condition"].unwrapped
        if variable is None or variable.form or branch["alternative"]:
            return ""
        uses = source.uses(variable)
        value = uses[0] if uses else MISSING
        if (
            branch.type != "if_statement"
            or not all(branch.contains(use) for use in uses)
            or source.typing.variable(variable) != kind
        ):
            return ""
    sides = (test["left"], test["right"])
    if sides[0] is value and test.operator in ("<", "<="):
        other = sides[1]
    elif sides[1] is value and test.operator in (">", ">="):
        other = sides[0]
    else:
        return ""
    changing = call.has("assignment_expression", "update_expression")
    bound = None if changing else source.resolve(other)
    own = bound is not None and is_object(bound) and not is_shared(bound)
    return other.text if own and source.typing.of(other) == kind else ""


_LONG_FUNCTION = re.compile(
    r"(?:std::)?(?:sqrt|pow|fabs|floor|ceil|sin|cos|tan|exp|log|atan2|hypot)l"
)


@rewrite(
    "Computes with double, which processors do in hardware registers, not long double.",
    weight=6.0,
    requires="No result depends on more than the range and the 15 digits of double.",
    guess=True,
    max_single=0,
)
def long_double_to_double(source: CppSource) -> Iterator[Site]:
    """All at once: a program that mixes both would convert all the time."""
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


_COUNTS_BITS = re.compile(
    r"(?:(?P<a>\w+)\+=(?P<x>\w+)(?:&1|%2);|if\((?P<y>\w+)(?:&1|%2|%2==1)\)\{?(?P<b>\w+)\+\+;\}?)"
    r"(?P<z>\w+)(?:>>=1|/=2);"
)


@rewrite(
    "Counts the bits of a number with the processor's own instruction.",
    weight=5.0,
    requires="Number and count are integers of their own; for a number that is not above 0 the "
    "loop runs as it is.",
)
def popcount(source: CppSource) -> Iterator[Site]:
    """For loops that add the lowest bit and shift until nothing is left."""
    for loop in source.walk("while_statement"):
        found = _COUNTS_BITS.fullmatch("".join(part.squeezed for part in loop["body"].statements))
        if found is None or not source.effects.proven(loop):
            continue
        number, count = found["z"], found["a"] or found["b"]
        test = re.sub(r"[()]", "", loop["condition"].squeezed)
        integers = all(source.is_integer(_number(source, loop, one)) for one in (number, count))
        if (
            integers
            and number != count
            and (found["x"] or found["y"]) == number
            and test in (number, f"{number}>0", f"{number}!=0")
        ):
            code = f"{{ {count} += __builtin_popcountll({number}); {number} = 0; }}"
            yield [replace(loop, f"if ({number} > 0) {code} else {loop.text}")]


_SMALL_POWERS = {
    "2": "squared", "3": "cubed", "2.0": "squared", "3.0": "cubed", "0.5": "std::sqrt",
}  # fmt: skip


@rewrite(
    "Computes powers with whole exponents by multiplying instead of calling pow.",
    weight=4.0,
    requires="No result depends on how the last digits of a power are rounded.",
    guess=True,
    support=(load("powers"),),
)
def power_to_product(source: CppSource) -> Iterator[Site]:
    """For the constants 2, 3 and 0.5 and for whole exponents in integer variables."""
    for call in source.walk("call_expression"):
        given = call.arguments
        if call.callee not in ("pow", "powl") or len(given) != 2:
            continue
        if not source.effects.library(call["function"]):
            continue
        base, exponent = given
        if name := _SMALL_POWERS.get(exponent.text):
            rest = Edit(base.end_byte, exponent.end_byte, "")
            yield [replace(call["function"], name), rest]
        elif source.typing.integer(exponent) and source.typing.of(base) in ("double", "int"):
            yield [replace(call["function"], "whole_power")]


@rewrite(
    "Looks for a divisor up to the square root instead of up to the number.",
    weight=9.0,
    requires="The loop tries every number from 2 on, up to half of the number at least, and any "
    "one divisor has the same effect as all.",
)
def trial_division(source: CppSource) -> Iterator[Site]:
    """`i < n` or `i <= n / 2` becomes `i <= n / i`, which cannot overflow."""
    for node in source.walk("for_statement"):
        loop, condition = counted(source, node), node["condition"]
        if loop is None or loop.start != "2" or not has_own_counter(source, loop):
            continue
        found = re.fullmatch(rf"{loop.variable}(?:<(\w+)|<=(\w+)/2)", condition.squeezed)
        if found is None or [part.type for part in loop.statements] != ["if_statement"]:
            continue
        number = found[1] or found[2]
        kind = _number(source, condition, number)
        if (
            source.is_integer(kind)
            and kind == source.typing.of(condition["left"])
            and not number.isdigit()
            and _decides(source, loop.statements[0], loop.variable, number)
        ):
            yield [replace(condition, f"{loop.variable} <= {number} / {loop.variable}")]


def _decides(source: CppSource, branch: Node, counter: str, number: str) -> bool:
    """Say whether a branch needs a single divisor: it sets flags, leaves the loop or returns."""
    test = branch["condition"].unwrapped.squeezed
    actions = branch["consequence"].statements
    final = re.compile(r"return(false|true|\d+)?;|break;|(\w+)=(false|true|[01]);")
    flags = [found[2] for action in actions if (found := final.fullmatch(action.squeezed))]
    kinds = [_number(source, branch["consequence"], flag) for flag in flags if flag]
    return (
        test in (f"{number}%{counter}==0", f"!({number}%{counter})")
        and not branch["alternative"]
        and bool(actions)
        and len(flags) == len(actions)
        and number not in flags
        and counter not in flags
        and all(map(source.typing.number, kinds))
    )
