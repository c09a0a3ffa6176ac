"""Code without effects: proved from its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from maxcode.generators.rewrites.cpp.effects import Effects, first_operand, is_object, is_shared
from maxcode.generators.rewrites.cpp.library import (
    ELEMENTS,
    ITERATORS,
    PLACES,
    PRINTERS,
    VALUE_FUNCTIONS,
    VALUE_METHODS,
)
from maxcode.generators.rewrites.cpp.names import Function, Variable
from maxcode.generators.rewrites.cpp.tree import MISSING, Node

if TYPE_CHECKING:
    from maxcode.generators.rewrites.cpp.source import CppSource

# What code without effects may consist of.
_PLAIN_SYNTAX = frozenset(
    {
        "compound_statement", "declaration", "init_declarator", "array_declarator", "identifier",
        "primitive_type", "sized_type_specifier", "type_identifier", "placeholder_type_specifier",
        "auto", "template_type", "template_function", "template_argument_list", "type_descriptor",
        "number_literal", "char_literal", "character", "escape_sequence", "string_literal",
        "string_content", "true", "false", "binary_expression", "unary_expression",
        "assignment_expression", "update_expression", "parenthesized_expression",
        "condition_clause", "subscript_expression", "subscript_argument_list", "call_expression",
        "argument_list", "field_expression", "field_identifier", "cast_expression",
        "conditional_expression", "if_statement", "else_clause", "for_statement", "for_range_loop",
        "while_statement", "do_statement", "return_statement", "break_statement",
        "continue_statement", "switch_statement", "case_statement", "expression_statement",
        "comma_expression", "initializer_list", "qualified_identifier", "namespace_identifier",
        "comment", "type_qualifier", "reference_declarator", "function_declarator",
        "parameter_list", "parameter_declaration", "abstract_function_declarator",
        "structured_binding_declarator",
    }
)  # fmt: skip
_VALUE_FORMS = ("&", "[binding]", "[binding]&")


class Purity:
    """Answers about a single file.

    ``prints`` allows effects that leave arguments as they are: output, and changes of global
    numbers.
    """

    def __init__(self, source: CppSource, effects: Effects) -> None:
        self._source, self._effects, self._types = source, effects, source.typing
        self._known: dict[tuple[Node, bool], bool] = {}

    def pure(self, function: Function, *, prints: bool = False) -> bool:
        """Say whether a function changes nothing, and depends on arguments and global data only."""
        return self._is_pure(function, (), prints=prints)

    def plain(self, code: Node) -> bool:
        """Say whether code changes nothing but the own variables of its function."""
        home = self._effects.home(code)
        return (
            home is not None
            and self._effects.proven(code)
            and self._is_plain(code, home, (home,), prints=False)
        )

    def steady(self, expression: Node, within: Node) -> bool:
        """Say whether an expression has no effect, and the same value all through `within`."""
        changing = ("assignment_expression", "update_expression", "declaration")
        return (
            self.plain(expression)
            and not expression.has(*changing)
            and not any(
                within.contains(variable.node) or self._effects.writes(variable, within)
                for variable in self._used(expression)
            )
        )

    def _used(self, code: Node) -> Iterator[Variable]:
        """Yield the variables in a piece of code, and the global ones in functions it may call."""
        for node in code.walk("identifier", "type_identifier"):
            if (variable := self._source.names.resolve(node)) is not None:
                yield variable
        for function in self._effects.reached(code):
            yield from self.global_variables(function)

    def global_variables(self, function: Function) -> Iterator[Variable]:
        """Yield the global variables mentioned in a function."""
        for node in function.body.walk("identifier"):
            variable = self._source.resolve(node)
            if variable is not None and variable.kind == "global":
                yield variable

    def _is_pure(self, function: Function, trail: tuple[Function, ...], *, prints: bool) -> bool:
        if function in trail:
            return function is trail[-1]  # by way of other functions it is not followed
        key = function.node, prints
        if key not in self._known:
            self._known[key] = self._has_plain_head(function, prints=prints) and self._is_plain(
                function.body, function, (*trail, function), prints=prints
            )
        return self._known[key]

    def _has_plain_head(self, function: Function, *, prints: bool) -> bool:
        listed = next(function.node.walk("function_declarator"), MISSING)["parameters"]
        returned = function.return_type
        return (
            self._effects.proven(function.body)
            and all(self._types.known(p.type) for p in function.parameters)
            and (self._types.known(returned) or (prints and returned == "void"))
            and len(listed.parts) == len(function.parameters)
            and not listed.has("optional_parameter_declaration", "variadic_parameter_declaration")
            and not re.search(r"\b(constexpr|consteval|template)\b|\[\[", function.head)
        )

    def _is_plain(
        self, code: Node, home: Function, trail: tuple[Function, ...], *, prints: bool
    ) -> bool:
        for node in code.walk():
            plain = not node.is_named or node.type in _PLAIN_SYNTAX
            match node.type:
                case "identifier":
                    plain = self._is_plain_name(node, home, prints=prints)
                case "call_expression":
                    plain = self._is_plain_call(node, home, trail, prints=prints)
                case "declaration" | "for_range_loop":
                    plain = self._declares_values(node)
                case "parameter_declaration":  # an argument that parses as one
                    used = self._source.names.resolve(node["type"])
                    plain = used is not None or self._types.known(node["type"].text)
                case "assignment_expression":
                    plain = self._is_own(node["left"], home, prints=prints)
                case "update_expression":
                    plain = self._is_own(node["argument"], home, prints=prints)
                case "binary_expression" if self._effects.is_stream(node):
                    plain = prints and first_operand(node).text in ("cout", "std::cout")
                case "subscript_expression":  # which may insert into a map
                    inserts = "map<" in self._types.of(node["argument"]).lower()
                    plain = not inserts or self._is_own(node, home, prints=False)
            if not plain:
                return False
        return True

    def _declares_values(self, node: Node) -> bool:
        """Say whether a declaration makes objects of known types, or constant references."""
        found = [v for v in self._source.variables if v.declaration is node]
        return (
            bool(found)
            and not any(child.type == "storage_class_specifier" for child in node.children)
            and all(
                self._types.known(self._types.variable(v))
                if v.form.replace("[]", "") == ""
                else v.const and v.form in _VALUE_FORMS
                for v in found
            )
        )

    def _is_plain_name(self, node: Node, home: Function, *, prints: bool) -> bool:
        variable = self._source.resolve(node)
        if variable is not None:
            mine = home.node.contains(variable.node)
            return mine or (variable.kind == "global" and self._types.known(variable.type))
        above = node.parent
        called = node if above.type != "qualified_identifier" else above
        return (
            called.is_called  # judged as a call
            or above.type in ("template_function", "function_declarator")
            or node.text in self._effects.constants
            or called.text in ("std::string::npos", "string::npos")
            or (prints and node.text in PRINTERS and self._effects.library(node))
        )

    def _is_plain_call(
        self, call: Node, home: Function, trail: tuple[Function, ...], *, prints: bool
    ) -> bool:
        callee, types = call["function"], self._types
        name = call.callee.partition("<")[0].strip()
        if callee.type == "field_expression":
            reads = callee["field"].text in VALUE_METHODS | ELEMENTS | ITERATORS
            plain = types.standard(types.of(callee["argument"])) and callee["field"].text != "at"
            plain = plain and (reads or self._is_own(callee["argument"], home, prints=False))
        elif defined := self._effects.functions.get(name):
            places = range(len(call.arguments))
            plain = callee.type == "identifier" and self._source.resolve(callee) is None and all(
                self._is_pure(function, trail, prints=prints)
                and not any(self._effects.passed(function, place) for place in places)
                for function in defined
            )  # fmt: skip
        elif callee.type == "primitive_type" or name == "static_cast":
            plain = not re.search(r"[&*]", call.callee)
        elif not self._effects.library(callee):
            plain = False
        elif name in ("swap", "sort", "reverse", "fill"):
            changed = (one for one in call.arguments if one.has("identifier"))
            plain = all(self._is_own(one, home, prints=False) for one in changed)
        else:
            allowed = VALUE_FUNCTIONS | PLACES | (PRINTERS if prints else frozenset())
            plain = name in allowed or types.standard(call.callee)
        return plain

    def _is_own(self, target: Node, home: Function, *, prints: bool) -> bool:
        """Say whether a changed place is part of the function's own object."""
        while target.type in ("subscript_expression", "field_expression", "call_expression"):
            if target.operator == "->":
                return False
            target = target["argument"] or target["function"]
        variable = self._source.resolve(target.unwrapped)
        if variable is None or not is_object(variable):
            return False
        if home.node.contains(variable.node):
            return not is_shared(variable)
        number = self._types.number(self._types.variable(variable).rstrip("[]"))
        return prints and variable.kind == "global" and number
