"""Types of expressions, as far as the file's declarations show them.

Sizes are those of 64-bit Linux. An uncertain type is "", which no proof accepts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from maxcode.generators.rewrites.cpp.names import ARITHMETIC, Variable, template
from maxcode.generators.rewrites.cpp.tree import Node

if TYPE_CHECKING:
    from maxcode.generators.rewrites.cpp.source import CppSource

_SAME = {
    "unsigned": "unsigned int", "short int": "short", "long int": "long",
    "long long int": "long long", "size_t": "unsigned long", "ptrdiff_t": "long",
    "int8_t": "signed char", "uint8_t": "unsigned char", "int16_t": "short",
    "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned int",
    "int64_t": "long", "uint64_t": "unsigned long",
}  # fmt: skip
_RANKS = (
    "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float",
    "double", "long double",
)  # fmt: skip
_SMALL = ("bool", "char", "signed char", "unsigned char", "short", "unsigned short")
SEQUENCES = ("vector", "deque", "array", "FlatGrid")
_CONTAINERS = {
    *("pair", "map", "set", "multimap", "multiset", "list", "queue", "stack", "tuple", "bitset"),
    *("unordered_map", "unordered_set", "unordered_multimap", "unordered_multiset"),
    *("priority_queue", "DenseMap", "DenseSet", "less", "greater", *SEQUENCES),
}
_ROOTS = frozenset(
    {
        "sqrt", "cbrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "atan", "floor", "ceil"
    }
)  # fmt: skip


class Types:
    """Answers about a single file."""

    def __init__(self, source: CppSource) -> None:
        self._source = source

    @cached_property
    def _classes(self) -> dict[str, Node]:
        """The bodies of classes without a base, of names with a single class in the file."""
        found = [
            node
            for node in self._source.walk("struct_specifier", "class_specifier")
            if node["body"] and not any(c.type == "base_class_clause" for c in node.children)
        ]
        named = Counter(node["name"].text for node in found)
        return {name: node["body"] for node in found if named[name := node["name"].text] == 1}

    def named(self, text: str) -> str:
        """Return a type with aliases resolved, and a single name for each arithmetic type."""
        text = self._source.expand(text)
        return _SAME.get(text, text)

    def known(self, text: str, depth: int = 4) -> bool:
        """Say whether values of a type are copied and compared by no code of the file.

        Such are numbers, strings, the library's containers of such, and classes of such data
        members and nothing else.
        """
        text = self.named(text).removesuffix("[]").removesuffix("[]")
        if text in self._classes:
            return depth > 0 and all(
                field.type in ("field_declaration", "comment")
                and self.known(field["type"].text, depth - 1)
                and not field.has("function_declarator", "pointer_declarator", "bitfield_clause")
                for field in self._classes[text].named_children
            )
        if text in ARITHMETIC or text == "string" or text in _RANKS:
            return True
        name, inner = template(text)
        typed = {"array": inner[:1], "bitset": []}.get(name, inner)
        is_library = name in _CONTAINERS and name not in self._source.effects.declared
        return is_library and all(self.known(part, depth) for part in typed)

    def standard(self, text: str) -> bool:
        """Say whether a type is known, and no class of the file."""
        return self.known(text) and self.named(text) not in self._classes

    def number(self, text: str) -> bool:
        """Say whether the name of a type, as by `of`, is a number's."""
        return text in _RANKS or text in _SMALL

    def variable(self, variable: Variable) -> str:
        """Return the type of a variable: `int`, `vector<int>`, `double[][]`, `char*`."""
        visited = variable.kind == "range"
        right = variable.declaration["right"]
        if variable.form.startswith("[binding]"):
            whole = self.visited(right) if visited else self.of(variable.value)
            name, inner = template(whole)
            place = variable.node.parent.parts.index(variable.node)
            return self.named(inner[place]) if name in ("pair", "tuple") else ""
        base = self.named(variable.type)
        if base == "auto":
            base = self.visited(right) if visited else ""
            base = self.of(variable.value) if variable.form == "" and not visited else base
        return base and base + variable.form.replace("&", "")

    def element(self, text: str) -> str:
        """Return the type of a subscript; "" if unknown."""
        for end in ("[]", "*"):
            if text.endswith(end):
                return text.removesuffix(end)
        if text == "string":
            return "char"
        name, inner = template(text)
        if name == "FlatGrid":
            return self.named(inner[0]) + "[]"
        if name in SEQUENCES:
            return self.named(inner[0])
        return self.named(inner[1]) if name in ("map", "unordered_map") and len(inner) > 1 else ""

    def visited(self, container: Node) -> str:
        """Return the type visited by a range-based for over a container; "" if unknown."""
        kind = self.of(container)
        name, inner = template(kind)
        if name in ("map", "unordered_map"):
            return f"pair<{inner[0]},{inner[1]}>"
        if name in ("set", "multiset", "unordered_set", "list"):
            return self.named(inner[0])
        return "" if kind.endswith("*") else self.element(kind)

    def integer(self, node: Node) -> bool:
        """Say whether an expression is a whole number other than bool."""
        return self.of(node) in {*_RANKS[:6], *_SMALL[1:]}

    def of(self, node: Node) -> str:
        """Return the type of an expression; "" if unknown."""
        rule = self._rules.get(node.type)
        return rule(node) if rule is not None else ""

    @cached_property
    def _rules(self) -> dict[str, Callable[[Node], str]]:
        return {
            "identifier": self._name,
            "number_literal": lambda node: _literal(node.text),
            "char_literal": lambda node: "char" if node.text.startswith("'") else "",
            "true": lambda _: "bool",
            "false": lambda _: "bool",
            "parenthesized_expression": lambda node: self.of(node.unwrapped),
            "subscript_expression": lambda node: self.element(self.of(node["argument"])),
            "field_expression": self._field,
            "call_expression": self._result,
            "cast_expression": lambda node: self._number(self.named(node["type"].text)),
            "conditional_expression": self._choice,
            "unary_expression": self._signed,
            "binary_expression": self._operation,
            "assignment_expression": lambda node: self.of(node["left"]),
        }

    def _name(self, node: Node) -> str:
        variable = self._source.resolve(node)
        if variable is not None:
            return self.variable(variable)
        return _literal(self._source.effects.constants.get(node.text, ""))

    def _choice(self, node: Node) -> str:
        first, second = self.of(node["consequence"]), self.of(node["alternative"])
        return first if first == second else _common(first, second)

    def _signed(self, node: Node) -> str:
        kind = self.of(node["argument"])
        return "bool" if node.operator == "!" else _common(kind, kind)

    def _number(self, text: str) -> str:
        return text if self.number(text) else ""

    def _operation(self, node: Node) -> str:
        left, right = self.of(node["left"]), self.of(node["right"])
        if node.operator in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
            return "bool"
        if node.operator in ("<<", ">>"):
            return _common(left, left) if self._number(right) else ""
        return _common(left, right)

    def _field(self, node: Node) -> str:
        kind, field = self.of(node["argument"]), node["field"].text
        name, inner = template(kind)
        if name == "pair" and field in ("first", "second"):
            return self.named(inner[field == "second"])
        if node.operator != "." or not self.known(kind) or kind not in self._classes:
            return ""
        members = [
            v
            for v in self._source.variables
            if v.name == field and v.kind == "member" and v.scope is self._classes[kind]
        ]
        return self.variable(members[0]) if len(members) == 1 else ""

    def _result(self, call: Node) -> str:
        callee, name = call["function"], call.callee
        cast = re.fullmatch(r"static_cast\s*<([^&*]+)>", name)
        function = self._source.function(name)
        if callee.type == "field_expression":
            result = self._method_result(callee)
        elif cast or callee.type == "primitive_type":
            result = self._number(self.named(cast[1] if cast else name))
        elif function is not None:
            result = self._number(self.named(function.return_type))
        elif self._source.effects.library(callee):
            result = self._library_result(name, [self.of(one) for one in call.arguments])
        else:
            result = ""
        return result

    def _method_result(self, access: Node) -> str:
        receiver, method = self.of(access["argument"]), access["field"].text
        if not self.standard(receiver):
            return ""
        if method in ("size", "length") or (method == "count" and "Dense" not in receiver):
            return "unsigned long"
        return self.element(receiver) if method in ("at", "front", "back") else ""

    def _library_result(self, name: str, kinds: list[str]) -> str:
        if name in ("min", "max", "abs") and kinds and len(set(kinds)) == 1:
            return kinds[0]
        if name in _ROOTS and len(kinds) == 1 and self.number(kinds[0]) and kinds[0] != "float":
            return "long double" if kinds[0] == "long double" else "double"
        return ""


def _common(left: str, right: str) -> str:
    """Return the type of a sum of numbers of two types."""
    left, right = ("int" if one in _SMALL else one for one in (left, right))
    if left not in _RANKS or right not in _RANKS:
        return ""
    first, second = sorted((left, right), key=_RANKS.index)
    # An unsigned type of the same size wins over long long, whose rank is higher.
    return "unsigned long long" if (first, second) == ("unsigned long", "long long") else second


def _literal(text: str) -> str:
    text = text.replace("'", "").lower().lstrip("-")
    whole = re.fullmatch(r"(0x[0-9a-f]+|\d+)(u?)(l*)", text)
    if whole is not None:
        size = int(whole[1], 16 if "x" in text else 8 if re.match("0[0-7]", text) else 10)
        if whole[2] or whole[3]:
            return ("unsigned " if whole[2] else "") + {"": "int", "l": "long"}.get(
                whole[3], "long long"
            )
        return "int" if size < 2**31 else "long" if size < 2**63 and "x" not in text else ""
    real = re.fullmatch(r"(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[-+]?\d+)?([fl]?)", text)
    return {"": "double", "f": "float", "l": "long double"}[real[1]] if real else ""
