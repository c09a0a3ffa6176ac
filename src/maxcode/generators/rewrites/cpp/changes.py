"""Changes that a piece of code may make, by its syntax and the declarations of its names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from maxcode.generators.rewrites.cpp.library import (
    CHANGERS,
    CONTAINERS,
    ELEMENTS,
    ITERATORS,
    PRINTERS,
    VALUE_FUNCTIONS,
    VALUE_METHODS,
)
from maxcode.generators.rewrites.cpp.names import ARITHMETIC, Function, Variable, template
from maxcode.generators.rewrites.cpp.tree import MISSING, Node

if TYPE_CHECKING:
    from maxcode.generators.rewrites.cpp.source import CppSource

# Jumps out of the middle, operators that run code of the file, and types that depend on a name.
_STRANGE = (
    "try_statement", "throw_statement", "operator_name", "operator_cast", "user_defined_literal",
    "decltype", "linkage_specification", "destructor_name",
)  # fmt: skip
# What a change can be read from; all else may change anything.
_PLAIN = frozenset(
    """
    compound_statement init_declarator array_declarator primitive_type sized_type_specifier
    type_identifier placeholder_type_specifier auto template_type template_function
    template_argument_list type_descriptor number_literal char_literal character escape_sequence
    string_literal string_content true false binary_expression unary_expression
    parenthesized_expression condition_clause subscript_argument_list argument_list
    field_expression field_identifier cast_expression conditional_expression if_statement
    else_clause for_statement while_statement do_statement return_statement break_statement
    continue_statement switch_statement case_statement expression_statement comma_expression
    initializer_list qualified_identifier namespace_identifier comment type_qualifier
    reference_declarator function_declarator parameter_list abstract_function_declarator
    structured_binding_declarator
    """.split()  # noqa: SIM905 - a list of words
)
_MORE_THAN_DATA = (
    "function_declarator", "pointer_declarator", "bitfield_clause", "call_expression",
    "lambda_expression",
)  # fmt: skip
OUTPUT = Variable("cout", "", "global", MISSING, MISSING, MISSING, MISSING, MISSING, "", False)
"""Stands for the standard output among what code changes."""

Changed = frozenset[Variable] | None
_NOTHING: frozenset[Variable] = frozenset()


class Changes:
    """Answers about a single file; those of a loop or a function hold for all that it calls.

    A place is known by the variable that holds it. A change by way of a pointer, of a lambda or of
    a class's own code counts as unknown.
    """

    def __init__(self, source: CppSource) -> None:
        self._source = source
        self._bodies: dict[Node, Changed] = {}
        self._trail: list[Function] = []

    @cached_property
    def ordinary(self) -> bool:
        """Whether nothing in the program makes meaning depend on more than its statements."""
        source = self._source
        return (
            source.understood
            and not source.root.has(*_STRANGE)
            and not source.mentions("errno", "atomic", "fesetround", "volatile")
            and all(re.search(r"\bstd\b", one.text) for one in source.walk("using_declaration"))
            and not any(one.has("reference_declarator") for one in source.walk("field_declaration"))
            and source.declared.isdisjoint({"std", "string", "vector", "size_t"})
            and not self._has_proxies
        )

    @cached_property
    def _has_proxies(self) -> bool:
        """Whether a variable may refer to a bit although it is declared as a value."""
        bits = set[str]()  # the names of what holds single bits
        for variable in self._source.variables:
            made = variable.declaration["right"] if variable.kind == "range" else variable.value
            if variable.type == "auto" and not bits.isdisjoint(_words(made)):
                if "&" not in variable.form:
                    return True
                bits.add(variable.name)
            elif re.search(r"vector<bool>|bitset", self._source.expand(variable.type)):
                bits.add(variable.name)
        return False

    def of(self, code: Node, but: Iterable[Node] = ()) -> Changed:
        """Return the variables that code may change, None where it may change anything.

        The expressions in `but` are left out: the caller judges them.
        """
        left_out, found = set(but), set[Variable]()
        if not self.ordinary or self.home(code) is None:
            return None
        for node in code.walk():
            changed = _NOTHING if node in left_out else self._by(node)
            if changed is None:
                return None
            found |= changed
        return frozenset(found)

    def by(self, function: Function) -> Changed:
        """Return what a call changes besides its arguments; None also for unusual functions."""
        if function in self._trail:  # by way of other functions it is not followed
            return _NOTHING if function is self._trail[-1] else None
        if function.node not in self._bodies:
            self._trail.append(function)
            changed = self.of(function.body) if self._is_usual(function) else None
            self._trail.pop()
            self._bodies[function.node] = changed and frozenset(
                v for v in changed if v is OUTPUT or not function.node.contains(v.node)
            )
        return self._bodies[function.node]

    def own(self, variables: Iterable[Variable], home: Function) -> bool:
        """Say whether all are objects of a function's call, to which no other code has a way."""
        return all(is_object(v) and v.kind != "global" and home.node.contains(v.node)
                   for v in variables if v is not OUTPUT)  # fmt: skip

    def steady(self, expression: Node, within: Node, but: Iterable[Node] = ()) -> bool:
        """Say whether an expression has no effect, and the same value all through `within`."""
        changed, home = self.of(within, but), self.home(within)
        called = [f for f in self._source.functions if f.name in _words(expression)]
        if changed is None or home is None or self.of(expression) != _NOTHING:
            return False
        if expression.has("pointer_expression") or "->" in expression.text:
            return False
        return all(map(self.reads_only_arguments, called)) and all(
            not within.contains(variable.node)
            and variable not in changed
            and (
                (is_object(variable) and (variable.const or variable.kind != "global"))
                or (
                    (is_object(variable) or variable.kind == "parameter")
                    and self.own(changed, home)
                )
            )
            for variable in self._read(expression)
        )

    def reads_only_arguments(self, function: Function) -> bool:
        """Say whether the results of a function, and of those it calls, depend on no other data."""
        reached, waiting = [function], [function]
        while waiting:
            words = _words(waiting.pop().body)
            found = [f for f in self._source.functions if f.name in words and f not in reached]
            reached += found
            waiting += found
        read = (variable for one in reached for variable in self._read(one.body))
        return all(
            v.kind not in ("global", "member")
            or (v.const and is_object(v) and not v.value.has("call_expression"))
            for v in read
        )

    def _read(self, code: Node) -> Iterator[Variable]:
        for node in code.walk("identifier", "type_identifier"):
            if (variable := self._source.names.resolve(node)) is not None:
                yield variable

    def home(self, node: Node) -> Function | None:
        """Return the function (no lambda, member or template) whose own code a node is."""
        for function in self._source.functions:
            if function.node.contains(node) and function.node.parent is self._source.root:
                inside = node.enclosing("lambda_expression", "class_specifier", "struct_specifier")
                return None if inside and function.node.contains(inside) else function
        return None

    def known(self, text: str, depth: int = 4) -> bool:
        """Say whether values of a type are copied and compared by no code of the file.

        Such are numbers, strings, the library's containers of such, and classes of such data
        members and nothing else.
        """
        text = self._source.expand(text)
        if text in ARITHMETIC or text == "string":
            return True
        if text in self._classes:
            return depth > 0 and all(
                field.type in ("field_declaration", "comment")
                and self.known(field["type"].text, depth - 1)
                and not field.has(*_MORE_THAN_DATA)
                for field in self._classes[text].named_children
            )
        name, inner = template(text)
        typed = {"array": inner[:1], "bitset": []}.get(name, inner)
        library = name in CONTAINERS and name not in self._source.declared
        return library and all(self.known(part, depth) for part in typed)

    @cached_property
    def _classes(self) -> dict[str, Node]:
        """The bodies of classes without a base; of several of a name the last, which is no harm."""
        return {
            node["name"].text: node["body"]
            for node in self._source.walk("struct_specifier", "class_specifier")
            if node["body"] and not any(c.type == "base_class_clause" for c in node.children)
        }

    @cached_property
    def _silent(self) -> bool:
        """Whether no class of the file has code of its own."""
        classes = self._source.walk("struct_specifier", "class_specifier")
        return not any(one.has("function_definition", "function_declarator") for one in classes)

    def library(self, callee: Node) -> bool:
        """Say whether a name means something of the standard library, if anything."""
        name = callee.text.removeprefix("std::").partition("<")[0].strip()
        resolved = callee.type == "identifier" and self._source.resolve(callee)
        return not resolved and name not in self._source.declared

    def _is_usual(self, function: Function) -> bool:
        listed = next(function.node.walk("function_declarator"), MISSING)["parameters"]
        return (
            self._source.function(function.name) is function
            and function.name not in VALUE_FUNCTIONS | CHANGERS | PRINTERS
            and all(self.known(p.type) and p.form in ("", "&") for p in function.parameters)
            and (function.return_type == "void" or self.known(function.return_type))
            and len(listed.parts) == len(function.parameters)
            and not listed.has("optional_parameter_declaration", "variadic_parameter_declaration")
            and not re.search(r"\b(constexpr|consteval|template)\b|\[\[", function.head)
        )

    def _by(self, node: Node) -> Changed:
        """Return what a node itself changes, besides the nodes in it."""
        changed: Changed = _NOTHING
        match node.type:
            case "assignment_expression":
                changed = self._place(node["left"])
            case "update_expression":
                changed = self._place(node["argument"])
            case "call_expression":
                changed = self._call(node)
            case "identifier":
                changed = _NOTHING if self._is_plain_name(node) else None
            case "declaration" | "for_range_loop":
                changed = _NOTHING if self._declares_values(node) else None
            case "parameter_declaration":  # an argument that parses as one
                used = self._source.names.resolve(node["type"]) or self.known(node["type"].text)
                changed = _NOTHING if used else None
            case "binary_expression" if node.operator in ("<<", ">>"):
                changed = self._shifted(node)
            case "subscript_expression":  # which may insert into a map
                kind = self._source.kind_of(node["argument"])
                base = self._source.resolve(node["argument"])
                array = base is not None and bool(set("[*") & set(base.form))
                plain = array or (kind != "auto" and kind and "map<" not in kind.lower())
                changed = _NOTHING if plain else self._place(node["argument"])
            case "pointer_expression":
                changed = _NOTHING if node.operator == "*" else None
            case _:
                changed = _NOTHING if not node.is_named or node.type in _PLAIN else None
        return changed

    def _place(self, node: Node) -> Changed:
        holder = self.holder(node)
        return None if holder is None else frozenset({holder})

    def holder(self, place: Node) -> Variable | None:
        """Return the object, or the parameter by reference, that a place is (a part of)."""
        node, part = place.unwrapped or place, False
        while True:
            if node.type == "subscript_expression" or (
                node.type == "field_expression" and node.operator == "."
            ):
                node, part = node["argument"].unwrapped or node["argument"], True
            elif node.type == "call_expression" and node["function"]["field"].text in ELEMENTS:
                node = node["function"]
            else:
                break
        variable = self._source.resolve(node)
        if variable is None or variable.kind == "member" or "*" in variable.form:
            return None
        part = part or variable.form == "[binding]"  # which may be of a pair of references
        if variable.kind == "parameter" and "[" in variable.form:
            return None
        made = variable.declaration["right"] if variable.kind == "range" else variable.value
        alias = "&" in variable.form and variable.kind != "parameter"
        origin = None
        if alias or variable.type == "auto":
            origin = None if made.contains(node) else self.holder(made)
        if alias:
            return origin
        typed = origin if variable.type == "auto" else variable
        return variable if not part or (typed and self.known(typed.type)) else None

    def _declares_values(self, node: Node) -> bool:
        """Say whether a declaration makes objects of known types, or references to such."""
        found = [v for v in self._source.variables if v.declaration is node]
        stored = any(child.type == "storage_class_specifier" for child in node.children)
        return bool(found) and not stored and all(map(self._is_value, found))

    def _is_value(self, variable: Variable) -> bool:
        if variable.type != "auto" and not self.known(variable.type):
            return False
        if "&" in variable.form:
            return variable.const or self.holder(variable.node) is not None
        return "*" not in variable.form and (variable.type != "auto" or self._silent)

    def _is_plain_name(self, node: Node) -> bool:
        variable, above = self._source.resolve(node), node.parent
        if variable is not None:
            return variable.kind != "member"
        called = above if above.type == "qualified_identifier" else node
        own = any(node.text == function.name for function in self._source.functions)
        return (
            called.is_called  # judged as a call
            or above.type in ("template_function", "function_declarator")
            or called.text in ("std::string::npos", "string::npos")
            or (not own and (node.text.isupper() or node.text in PRINTERS))
        )

    def _shifted(self, operation: Node) -> Changed:
        first = operation
        while first.type == "binary_expression" and first.operator in ("<<", ">>"):
            first = first["left"]
        if first.text in ("cout", "std::cout") and self.library(first):
            return frozenset({OUTPUT}) if operation.operator == "<<" else None
        named = [self._source.resolve(node) for node in first.walk("identifier")]
        numbers = all(v is not None and self.known(v.type) for v in named)
        return _NOTHING if numbers and not first.has("call_expression") else None

    def _call(self, call: Node) -> Changed:
        callee = call["function"]
        name = call.callee.partition("<")[0].strip()
        if callee.type == "field_expression":
            return self._method(callee)
        if callee.type == "primitive_type" or name == "static_cast":
            return None if re.search(r"[&*]", call.callee) else _NOTHING
        if function := self._source.function(name):
            return self._passed(function, call)
        if not self.library(callee):
            return None
        if name in CHANGERS:
            given = [one for one in call.arguments if one.has("identifier")]
            places = [self._place(_iterated(one)) for one in given if not self.known(one.callee)]
            return None if None in places else _NOTHING.union(*filter(None, places))
        usual = name in VALUE_FUNCTIONS or name in PRINTERS or self.known(call.callee)
        return _NOTHING if usual else None

    def _method(self, access: Node) -> Changed:
        name, owner = access["field"].text, access["argument"]
        if any(name == function.name for function in self._source.functions):
            return None
        if name in VALUE_METHODS | ELEMENTS | ITERATORS:
            return _NOTHING
        kind = self._source.kind_of(owner)
        changes = access.operator == "." and name not in ("swap", "merge", "splice")
        return self._place(owner) if changes and self.known(kind) else None

    def _passed(self, function: Function, call: Node) -> Changed:
        """Return what a call of a function of the file changes."""
        changed = None if self._source.resolve(call["function"]) else self.by(function)
        given = call.arguments
        if changed is None or len(given) != len(function.parameters):
            return None
        for parameter, argument in zip(function.parameters, given, strict=True):
            if parameter.form == "&" and not parameter.const:
                place = self._place(argument)
                if place is None:
                    return None
                changed |= place
        return changed


def is_object(variable: Variable) -> bool:
    """Say whether a variable is an object of its own, not a reference, a pointer or a binding."""
    if variable.kind == "parameter" and variable.form:
        return False
    return variable.form == "[binding]" or variable.form.replace("[]", "") == ""


def _words(code: Node) -> set[str]:
    return {node.text for node in code.walk("identifier", "field_identifier", "type_identifier")}


def _iterated(argument: Node) -> Node:
    """Return the v of `v.begin()` and `v.begin() + 3`, and other arguments as they are."""
    while argument.type == "binary_expression":
        argument = argument["left"]
    callee = argument["function"]
    return callee["argument"] if callee["field"].text in ITERATORS else argument
