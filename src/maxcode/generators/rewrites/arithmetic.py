"""Powers by repeated squaring."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import (
    CppSource,
    Edit,
    Function,
    Variable,
    after,
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.source import counted
from maxcode.generators.rewrites.cpp.tree import arguments, statements, unwrap
from maxcode.generators.rewrites.support import load

_STEP = re.compile(r"(\w+)=\(?\1\*(\w+)\)?%(\w+);")


class BinaryPower(SiteRewrite):
    """`for (...) result = result * base % m;` needs one product for each bit, not each round."""

    name = "binary-power"
    summary = "Computes a modular power by repeated squaring instead of one factor at a time."
    weight = 9.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop that does nothing but multiply modulo something."""
        for node in source.walk("for_statement"):
            loop = counted(source, node)
            if loop is None or len(loop.statements) != 1:
                continue
            step = _STEP.fullmatch(re.sub(r"\s", "", source.of(loop.statements[0])))
            if step is None or loop.variable in step.groups():
                continue
            result, base, modulus = step.groups()
            if base == result:
                continue
            power, left = source.fresh("power"), source.fresh("left")
            pad = source.indent(node)
            yield [
                replace(
                    node,
                    f"{{\n{pad}    long long {power} = {base} % {modulus};\n"
                    f"{pad}    for (long long {left} = ({loop.limit}) - ({loop.start}); "
                    f"{left} > 0; {left} >>= 1) {{\n"
                    f"{pad}        if ({left} & 1) {result} = {result} * {power} % {modulus};\n"
                    f"{pad}        {power} = {power} * {power} % {modulus};\n"
                    f"{pad}    }}\n{pad}}}",
                )
            ]


class ConstantDivision(SiteRewrite):
    """In loops only; the result may differ in the last digit."""

    name = "constant-division"
    summary = "Multiplies by the reciprocal of a floating point constant instead of dividing."
    weight = 2.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each division by a floating point constant in a loop."""
        for quotient in source.walk("binary_expression"):
            left, right = (quotient.child_by_field_name(side) for side in ("left", "right"))
            operator = quotient.child_by_field_name("operator")
            if source.of(operator) != "/" or left is None or right is None or operator is None:
                continue
            divisor = source.of(right)
            if not re.fullmatch(r"\d+\.\d*", divisor) or float(divisor) == 0:
                continue
            if left.type != "number_literal" and source.enclosing_loops(quotient):
                yield [Edit(operator.start_byte, right.end_byte, f"* (1.0 / {divisor})")]


_SQUARED = "_squared"
_ORDER = ("<", ">", "<=", ">=")


class DelayedRoot(SiteRewrite):
    """`if (distance(a, b) < best)` becomes `if (distance_squared(a, b) < best * best)`."""

    name = "delayed-root"
    summary = "Compares squared distances and takes the root only of those that pass."
    weight = 7.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each comparison with a function of the file that returns a square root."""
        for function in source.functions:
            root = self._returned_root(source, function)
            if root is None:
                continue
            name = source.fresh(function.name + _SQUARED)
            edits: list[Edit] = []
            for call in source.walk("call_expression"):
                if source.callee(call) == function.name:
                    edits += self._comparison(source, call, name)
                    edits += self._variable(source, call, name)
            if edits:
                yield [before(function.node, self._squared(source, function, root, name)), *edits]

    def _returned_root(self, source: CppSource, function: Function) -> Node | None:
        """Return the call of sqrt that is the function's only result."""
        results = list(source.walk("return_statement", within=function.body))
        if len(results) != 1 or not results[0].named_children:
            return None
        value = unwrap(results[0].named_children[0])
        if value is None or value.type != "call_expression":
            return None
        is_root = source.callee(value) in ("sqrt", "sqrtl", "sqrtf") and len(arguments(value)) == 1
        return value if is_root else None

    def _squared(self, source: CppSource, function: Function, root: Node, name: str) -> str:
        """Return a copy of the function without the root."""
        start = function.node.start_byte
        copy = source.data[start : root.start_byte].decode()
        copy = re.sub(rf"\b{function.name}\b", name, copy, count=1)
        rest = source.data[root.end_byte : function.node.end_byte].decode()
        return f"{copy}{source.of(arguments(root)[0])}{rest}\n\n"

    def _comparison(self, source: CppSource, call: Node, name: str) -> list[Edit]:
        """Square both sides of `call < x` and `x > call`."""
        test = source.parent(call)
        callee = call.child_by_field_name("function")
        if test is None or callee is None or test.type != "binary_expression":
            return []
        if source.of(test.child_by_field_name("operator")) not in _ORDER:
            return []
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        other = right if left is not None and left.id == call.id else left
        if other is None or other.type not in ("identifier", "number_literal"):
            return []
        text = source.of(other)
        return [replace(callee, name), replace(other, f"{text} * {text}")]

    def _variable(self, source: CppSource, call: Node, name: str) -> list[Edit]:
        """Delay the root in `double d = call; if (d < best) ...` where nothing else reads d."""
        variable = next((v for v in source.variables if v.value == call and v.alone), None)
        branch = None if variable is None else source.next_statement(variable.declaration)
        callee = call.child_by_field_name("function")
        if variable is None or branch is None or callee is None:
            return []
        test = unwrap(branch.child_by_field_name("condition"))
        body = branch.child_by_field_name("consequence")
        sides = self._sides(source, test, variable)
        uses = source.uses(variable)
        if sides is None or body is None or not uses or uses[-1].end_byte > body.end_byte:
            return []
        own, other = sides
        square = source.fresh(f"{variable.name}{_SQUARED}")
        root = f"{source.of(variable.type_node)} {variable.name} = std::sqrt({square});"
        if body.type == "compound_statement":
            pad = source.indent(branch) + "    "
            delayed = [Edit(body.start_byte + 1, body.start_byte + 1, f"\n{pad}{root}")]
        else:
            delayed = [before(body, f"{{ {root} "), after(body, " }")]
        return [
            replace(variable.node, square),
            replace(callee, name),
            replace(own, square),
            replace(other, f"{source.of(other)} * {source.of(other)}"),
            *delayed,
        ]

    def _sides(
        self, source: CppSource, test: Node | None, variable: Variable
    ) -> tuple[Node, Node] | None:
        """Return the operands of a comparison, first the variable, then another name."""
        if test is None or source.of(test.child_by_field_name("operator")) not in _ORDER:
            return None
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        if left is None or right is None or (left.type, right.type) != ("identifier",) * 2:
            return None
        own, other = (left, right) if source.of(left) == variable.name else (right, left)
        return (own, other) if source.of(own) == variable.name else None


_FUNCTION = re.compile(r"(?:std::)?((?:sqrt|pow|fabs|floor|ceil|sin|cos|tan|exp|log|atan2|hypot)l)")


class LongDoubleToDouble(SiteRewrite):
    """All in one: a program that mixes both would convert all the time."""

    name = "long-double-to-double"
    summary = "Computes with double, which processors do in hardware registers, not long double."
    weight = 6.0
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the types, literals, functions and formats of long double together."""
        types = [
            replace(node, "double")
            for node in source.walk("sized_type_specifier")
            if re.fullmatch(r"long\s+double", source.of(node))
        ]
        if not types:
            return
        edits: list[Edit] = types
        for node in source.walk("number_literal"):
            text = source.of(node)
            if text[-1:] in ("L", "l") and re.search(r"[.eE]", text) and "x" not in text:
                edits.append(replace(node, text[:-1]))
        edits += [
            replace(node, source.of(node)[:-1])
            for node in source.walk("identifier")
            if _FUNCTION.fullmatch(source.of(node))
        ]
        for node in source.walk("string_content"):
            text = re.sub(r"%([-+ 0]*\d*(?:\.\d+)?)L([fge])", r"%\1l\2", source.of(node))
            if text != source.of(node):
                edits.append(replace(node, text))
        yield edits


class ModuloToSubtraction(SiteRewrite):
    """`x = (x + y) % m` where both are below m: `x += y; if (x >= m) x -= m;`."""

    name = "modulo-to-subtraction"
    summary = "Replaces the division in a modular sum by a comparison and a subtraction."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each statement that adds to a variable modulo something."""
        for assignment in source.walk("assignment_expression"):
            statement = source.parent(assignment)
            left, right = (assignment.child_by_field_name(side) for side in ("left", "right"))
            if statement is None or statement.type != "expression_statement" or left is None:
                continue
            operator = source.of(assignment.child_by_field_name("operator"))
            target = source.of(left)
            if operator == "=" and right is not None:
                parts = self._modular_sum(source, right, target)
                if parts is not None:
                    added, modulus = parts
                    text = f"{target} += {added}; if ({target} >= {modulus}) {target} -= {modulus};"
                    yield [replace(statement, self._as_one(source, statement, text))]
            elif (
                operator == "%="
                and right is not None
                and right.type in ("identifier", "number_literal")
            ):
                previous = statement.prev_named_sibling
                added_before = (
                    source.of(previous)
                    .replace(" ", "")
                    .startswith((f"{target}+=", f"{target}++", f"++{target}"))
                )
                if previous is not None and added_before and "*" not in source.of(previous):
                    modulus = source.of(right)
                    text = f"if ({target} >= {modulus}) {target} -= {modulus};"
                    yield [replace(statement, text)]

    def _as_one(self, source: CppSource, statement: Node, text: str) -> str:
        block = source.parent(statement)
        return text if block is not None and block.type == "compound_statement" else f"{{ {text} }}"

    def _modular_sum(self, source: CppSource, value: Node, target: str) -> tuple[str, str] | None:
        """Return what is added and the modulus in `(target + added) % modulus`."""
        if source.of(value.child_by_field_name("operator")) != "%":
            return None
        total = unwrap(value.child_by_field_name("left"))
        modulus = value.child_by_field_name("right")
        if total is None or modulus is None or modulus.type not in ("identifier", "number_literal"):
            return None
        if source.of(total.child_by_field_name("operator")) != "+":
            return None
        first, second = (total.child_by_field_name(side) for side in ("left", "right"))
        simple = ("identifier", "number_literal", "subscript_expression", "call_expression")
        if first is None or second is None or first.type not in simple or second.type not in simple:
            return None
        terms = [source.of(first), source.of(second)]
        if target not in terms:
            return None
        terms.remove(target)
        return terms[0], source.of(modulus)


_BODY = re.compile(
    r"(?:(?P<a>\w+)\+=(?P<x>\w+)(?:&1|%2);|if\((?P<y>\w+)(?:&1|%2|%2==1)\)\{?(?P<b>\w+)\+\+;\}?)"
    r"(?P<z>\w+)(?:>>=1|/=2);"
)


class Popcount(SiteRewrite):
    """For loops that add the lowest bit and shift until nothing is left."""

    name = "popcount"
    summary = "Counts the bits of a number with the processor's own instruction."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop that counts bits."""
        for loop in source.walk("while_statement"):
            test = re.sub(r"[\s()]", "", source.of(loop.child_by_field_name("condition")))
            body = statements(loop.child_by_field_name("body"))
            found = _BODY.fullmatch(re.sub(r"\s", "", "".join(source.of(part) for part in body)))
            if found is None:
                continue
            number, count = found["z"], found["a"] or found["b"]
            if (found["x"] or found["y"]) == number and test in (
                number,
                f"{number}>0",
                f"{number}!=0",
            ):
                yield [
                    replace(loop, f"{{ {count} += __builtin_popcountll({number}); {number} = 0; }}")
                ]


_SMALL = {"2": "squared", "3": "cubed", "2.0": "squared", "3.0": "cubed"}


class PowerToProduct(SiteRewrite):
    """For the constants 2, 3 and 0.5 and for whole exponents in integer variables."""

    name = "power-to-product"
    summary = "Computes powers with whole exponents by multiplying instead of calling pow."
    weight = 4.0
    support = load("powers")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each call of pow with a suitable exponent."""
        for call in source.walk("call_expression"):
            callee = call.child_by_field_name("function")
            given = arguments(call)
            if callee is None or source.callee(call) not in ("pow", "powl") or len(given) != 2:
                continue
            base, exponent = given
            small = _SMALL.get(source.of(exponent))
            rest = Edit(base.end_byte, exponent.end_byte, "")
            if small is not None:
                yield [replace(callee, small), rest]
            elif source.of(exponent) == "0.5":
                yield [replace(callee, "std::sqrt"), rest]
            elif self._is_whole(source, exponent):
                yield [replace(callee, "whole_power")]

    def _is_whole(self, source: CppSource, node: Node) -> bool:
        if node.type == "binary_expression":
            return source.of(node.child_by_field_name("operator")) in ("+", "-") and all(
                self._is_integer(source, child) for child in node.named_children
            )
        return self._is_integer(source, node)

    def _is_integer(self, source: CppSource, node: Node) -> bool:
        if node.type == "number_literal":
            return source.of(node).isdigit()
        variable = source.names.resolve(node) if node.type == "identifier" else None
        return variable is not None and not variable.form and source.is_integer(variable.type)


class TrialDivision(SiteRewrite):
    """`i < n` (or `i <= n / 2`, `i <= sqrt(n)`) becomes `i * i <= n` where one divisor decides."""

    name = "trial-division"
    summary = "Looks for a divisor up to the square root instead of up to the number."
    weight = 9.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the condition of each loop that stops caring after the first divisor."""
        for loop in source.walk("for_statement"):
            condition = loop.child_by_field_name("condition")
            body = loop.child_by_field_name("body")
            if condition is None or condition.type != "binary_expression":
                continue
            found = re.fullmatch(
                r"(\w+)\s*<=?\s*(?:\(int\)\s*)?(?:std::)?(?:sqrt\()?(\w+)\)?(?:\s*/\s*2)?",
                source.of(condition),
            )
            parts = statements(body)
            if found is None or len(parts) != 1 or parts[0].type != "if_statement":
                continue
            counter, number = found.groups()
            if self._decides(source, parts[0], counter, number):
                test = f"static_cast<long long>({counter}) * {counter} <= {number}"
                yield [replace(condition, test)]

    def _decides(self, source: CppSource, branch: Node, counter: str, number: str) -> bool:
        test = unwrap(branch.child_by_field_name("condition"))
        divides = re.sub(r"[\s()]", "", source.of(test)) in (
            f"{number}%{counter}==0", f"!{number}%{counter}",
        )  # fmt: skip
        actions = statements(branch.child_by_field_name("consequence"))
        return (
            divides
            and branch.child_by_field_name("alternative") is None
            and bool(actions)
            and all(self._final(source, action) for action in actions)
        )

    def _final(self, source: CppSource, action: Node) -> bool:
        text = source.of(action).replace(" ", "")
        return (
            re.fullmatch(r"return(false|true|0|1);|break;|\w+=(false|true|0|1);", text) is not None
        )
