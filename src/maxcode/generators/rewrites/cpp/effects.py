"""Effects of a piece of code, proved from its syntax, its names and their types.

Unknown code (a name not declared in the file, an unknown type, a reference to an unseen target) may
change anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from maxcode.generators.rewrites.cpp.library import (
    CHANGERS,
    ELEMENTS,
    ITERATORS,
    KNOWN_FUNCTIONS,
    PLACES,
    VALUE_METHODS,
)
from maxcode.generators.rewrites.cpp.names import Function, Variable
from maxcode.generators.rewrites.cpp.tree import Node

if TYPE_CHECKING:
    from maxcode.generators.rewrites.cpp.source import CppSource

# Jumps out of the middle, operators that run code of the file, and types that depend on a name.
_STRANGE_SYNTAX = (
    "try_statement", "throw_statement", "operator_name", "operator_cast", "user_defined_literal",
    "decltype", "linkage_specification",
)  # fmt: skip
_TRANSPARENT = (
    "condition_clause", "if_statement", "while_statement", "for_statement", "do_statement",
    "expression_statement", "case_statement", "array_declarator", "unary_expression",
    "comma_expression", "template_argument_list", "sizeof_expression", "conditional_expression",
)  # fmt: skip

# What means the same place as an expression in it, or a reference to that or to a part of it.
_SAME = (
    "parenthesized_expression", "conditional_expression", "call_expression", "comma_expression",
    "binary_expression", "argument_list",
)  # fmt: skip

READ, WRITE, ESCAPE = range(3)
"""Effects of a use on a variable: no change; a change there; another way to it from then on."""


class Effects:
    """Answers about a single file."""

    def __init__(self, source: CppSource) -> None:
        self._source, self._types = source, source.typing
        self._judging: set[Node] = set()
        self.functions: dict[str, list[Function]] = {}
        for function in source.functions:
            self.functions.setdefault(function.name, []).append(function)

    # What the file is made of

    @cached_property
    def ordinary(self) -> bool:
        """Whether nothing in the program makes meaning depend on more than its statements."""
        source = self._source
        return (
            source.understood
            and not source.root.has(*_STRANGE_SYNTAX)
            and not source.mentions("errno", "atomic", "fesetround", "volatile")
            and all(re.search(r"\bstd\b", one.text) for one in source.walk("using_declaration"))
            and not any(one.has("reference_declarator") for one in source.walk("field_declaration"))
            and self.declared.isdisjoint({"std", "string", "vector", "size_t"})
        )

    @cached_property
    def constants(self) -> dict[str, str]:
        """The macros for numbers, with their values."""
        found = {m["name"].text: m["value"].text.strip() for m in self._source.walk("preproc_def")}
        return {name: text for name, text in found.items() if re.fullmatch(r"[\d.]\S*", text)}

    @cached_property
    def declared(self) -> frozenset[str]:
        """Every declared name of the file but variables."""
        found = set[str]()
        for node in self._source.walk(
            "preproc_def", "function_declarator", "struct_specifier", "class_specifier",
            "enum_specifier", "enumerator", "alias_declaration", "namespace_definition",
            "type_definition",
        ):  # fmt: skip
            found.update(re.findall(r"\w+", (node["name"] or node["declarator"]).text))
        return frozenset(found)

    @cached_property
    def _has_constructors(self) -> bool:
        found = self._source.walk("function_declarator")
        return any(
            node.enclosing("field_declaration_list") and not node.parent["type"] for node in found
        )

    def proven(self, node: Node) -> bool:
        """Say whether a node is code of a function in an understood program."""
        return self.ordinary and self.home(node) is not None

    def home(self, node: Node) -> Function | None:
        """Return the function (no lambda, member or template) whose own code a node is."""
        for function in self._source.functions:
            if function.node.contains(node) and function.node.parent is self._source.root:
                inside = node.enclosing("lambda_expression", "class_specifier", "struct_specifier")
                return None if inside and function.node.contains(inside) else function
        return None

    def library(self, callee: Node) -> bool:
        """Say whether a name means something of the standard library, if anything."""
        if callee.type == "template_function":
            callee = callee["name"]
        name = callee.text.removeprefix("std::").partition("<")[0].strip()
        return name not in self.declared and (
            callee.type != "identifier" or self._source.resolve(callee) is None
        )

    # What changes a variable

    def writes(self, variable: Variable, within: Node, but: Sequence[Node] = ()) -> bool:
        """Say whether code in `within` may change a variable or its contents.

        The uses in `but` are left out: the caller judges them.
        """
        if variable.kind == "member":
            return True
        reached = self.reached(within) if is_shared(variable) else []
        for use in self._source.uses(variable):
            if use in but:
                continue
            effect = self._effect(use)
            home = self.home(use)
            if effect != READ and (
                effect == ESCAPE
                or within.contains(use)
                or home is None  # in a lambda or a class: run who knows when
                or home in reached
            ):
                return True
        # A reference to an object was seen where it was made.
        return not is_object(variable) and self._changes_by_another_name(variable, within)

    def writes_visited(self, loop: Node, within: Node) -> bool:
        """Say whether code in `within` may change a variable of a range-based for."""
        variables = (v for v in self._source.variables if v.declaration is loop)
        return any(self.writes(variable, within) for variable in variables)

    def is_write(self, use: Node) -> bool:
        """Say whether this use of a variable may change it or a part of it."""
        return self._effect(use) != READ

    def _changes_by_another_name(self, variable: Variable, within: Node) -> bool:
        regions = [within, *(function.body for function in self.reached(within))]
        for region in regions:
            if any(self.runs_unknown_code(call) for call in region.walk("call_expression")):
                return True
            for use in region.walk("identifier", "type_identifier"):
                other = self._source.names.resolve(use)
                if other is None or other.node is variable.node:
                    continue
                if self.may_alias(variable, other) and self._effect(use) != READ:
                    return True
        return False

    def may_alias(self, one: Variable, other: Variable) -> bool:
        """Say whether two variables may be the same object, or a part of each other."""
        if one.node is other.node:
            return True
        if is_object(one) and is_object(other):
            return False
        for first, second in ((one, other), (other, one)):
            made_later = second.kind == "local" and is_object(second) and not is_shared(second)
            if first.kind == "parameter" and "*" not in first.form and made_later:
                return False
        kinds = [self._types.variable(v).rstrip("[]*") for v in (one, other)]
        if not all(self._types.standard(kind) for kind in kinds):
            return True
        first_kind, second_kind = (kind.replace("string", "string<char>") for kind in kinds)
        return _mentions(first_kind, second_kind) or _mentions(second_kind, first_kind)

    def reached(self, within: Node) -> list[Function]:
        """Return the functions a piece of code may call.

        They are those named in it or in their code, or all after an unseen call.
        """
        found: list[Function] = []
        waiting = [within]
        while waiting:
            region = waiting.pop()
            if any(map(self.runs_unknown_code, region.walk("call_expression"))):
                return list(self._source.functions)
            for node in region.walk("identifier", "field_identifier", "type_identifier"):
                for function in self.functions.get(node.text, ()):
                    if function not in found:
                        found.append(function)
                        waiting.append(function.body)
        return found

    def runs_unknown_code(self, call: Node) -> bool:
        """Say whether a call may run code outside of the file and the lists of names."""
        callee = call["function"]
        if callee.type == "field_expression":
            return not self._types.standard(self._types.of(callee["argument"]))
        if call.callee in self.functions:
            return self._source.resolve(callee) is not None
        known = call.callee.partition("<")[0].strip() in KNOWN_FUNCTIONS
        return callee.type != "primitive_type" and not (known and self.library(callee))

    # What one use does

    def _effect(self, use: Node) -> int:
        variable = self._source.names.resolve(use)
        if variable is None:
            return ESCAPE
        pointer = "*" in variable.form or "[]" in variable.form
        current, part = use, False
        while isinstance(outer := self._outward(current, pointer=pointer and not part), Node):
            part = part or outer.type not in _SAME or outer["function"].type == "field_expression"
            current = outer
        if outer is None:
            outer = self._outcome(current, variable, pointer=pointer and not part)
        return outer

    def _outward(self, current: Node, *, pointer: bool) -> Node | int | None:
        """Return the larger expression for (a part of) the same place.

        Or the effect on the place; None if the surrounding code has it.
        """
        above = current.parent
        match above.type:
            case "field_expression":
                return self._member(above, current)
            case "subscript_expression" if above["argument"] is current:
                kind = self._types.of(current)
                if "map<" in kind.lower():
                    return WRITE  # may insert
                return above if self._types.element(kind) else ESCAPE
            case "pointer_expression" if above.operator == "&":
                call = above.parent.parent
                scanned = call.callee == "scanf" and self.library(call["function"])
                return WRITE if scanned else ESCAPE
        return above if self._means(above, current, pointer=pointer) else None

    def _means(self, above: Node, current: Node, *, pointer: bool) -> bool:
        """Say whether an expression means the same place as an expression in it."""
        match above.type:
            case "parenthesized_expression" | "pointer_expression":
                means = True
            case "conditional_expression":
                means = above["condition"] is not current
            case "comma_expression":
                means = above["right"] is current
            case "binary_expression":
                means = pointer and above.operator in ("+", "-")
            case "call_expression":  # min and max give references
                means = current.type == "argument_list"
            case "argument_list":
                means = above.parent.callee in ("min", "max") and self.library(
                    above.parent["function"]
                )
            case _:
                means = False
        return means

    def _member(self, access: Node, holder: Node) -> Node | int:
        kind, method = self._types.of(holder), access["field"].text
        if not access.is_called:
            return access
        if not self._types.standard(kind):
            return ESCAPE
        if method in VALUE_METHODS or (method == "find" and kind == "string"):
            return READ
        if method in ITERATORS:
            return READ if "set<" in kind else self._iterated(access.parent)
        return access.parent if method in ELEMENTS else WRITE

    def _outcome(self, current: Node, variable: Variable, *, pointer: bool) -> int:
        """Effect of the code around a place; a copied pointer is another way to it."""
        above = current.parent
        copied = ESCAPE if pointer else READ
        match above.type:
            case "assignment_expression":
                known = self._types.known(self._types.of(above["left"]))
                effect = WRITE if above["left"] is current else copied if known else ESCAPE
            case "update_expression" | "binary_expression":
                shown = above.operator == "<<" and above["right"] is current
                number = above["left"] and not self.is_stream(above)
                effect = READ if shown or number else WRITE
            case "argument_list":
                effect = self._argument(above, current, variable, pointer=pointer)
            case "init_declarator":
                effect = self._bound(above, variable, copied)
            case "parameter_declaration":
                effect = self._made(above)
            case "initializer_list":
                given = ESCAPE if pointer or self._has_constructors else READ
                effect = max(given, self._outcome(above, variable, pointer=pointer))
            case "subscript_argument_list":
                effect = copied
            case "lambda_capture_specifier":
                named = above.children[above.children.index(current) - 1].text == "&"
                effect = ESCAPE if named else copied
            case "for_range_loop":
                effect = self._visited(above)
            case "return_statement":
                outer = above.enclosing("function_definition", "lambda_expression")
                effect = copied if self._returns_value(outer) else ESCAPE
            case "cast_expression":
                effect = ESCAPE if re.search(r"[&*]", above["type"].text) else copied
            case _:
                effect = READ if above.type in _TRANSPARENT else ESCAPE
        return effect

    def _bound(self, declarator: Node, variable: Variable, copied: int) -> int:
        """Effect of a declaration on the source of its value."""
        declaration, inner = declarator.parent, declarator["declarator"]
        if inner.type == "reference_declarator":
            constant = any(child.text == "const" for child in declaration.children)
            return READ if constant and copied == READ else ESCAPE
        kind = declaration["type"].text
        kind = self._types.variable(variable).rstrip("[]*") if kind == "auto" else kind
        return copied if self._types.known(kind) else ESCAPE

    def _made(self, argument: Node) -> int:
        """Effect of `vector<int> w(v);`, which parses as a function, on v."""
        made = [argument.enclosing("declaration"), argument.enclosing("parameter_declaration")]
        known = all(self._types.known(one["type"].text) for one in made if one)
        return READ if known and made[0]["declarator"].type == "function_declarator" else ESCAPE

    def _returns_value(self, function: Node) -> bool:
        declarator, kind = function["declarator"], function["type"].text
        if function.type == "lambda_expression":
            return "->" not in declarator.text
        return declarator.type == "function_declarator" and self._types.known(kind)

    def is_stream(self, operation: Node) -> bool:
        """Say whether `a << b` or `a >> b` may be anything but a shift of numbers."""
        if operation.operator not in ("<<", ">>"):
            return False
        return not self._types.number(self._types.of(first_operand(operation)))

    def _visited(self, loop: Node) -> int:
        if loop["declarator"].type != "reference_declarator":
            return READ
        variables = [v for v in self._source.variables if v.declaration is loop]
        if any(v.const for v in variables):
            return READ
        uses = [use for variable in variables for use in self._source.uses(variable)]
        return max((self._effect(use) for use in uses), default=READ)

    def _iterated(self, call: Node) -> int:
        """Effect on a container through the iterator of a call."""
        above = call.parent
        if above.type == "binary_expression":
            both = above["left"].has("call_expression") and above["right"].has("call_expression")
            if above.operator in ("+", "-") and not both:
                return self._iterated(above)
            reads = above.operator in ("==", "!=") or (above.operator == "-" and both)
        elif above.type == "pointer_expression" or (
            above.type == "field_expression" and not above.is_called
        ):
            after = above.parent
            reads = (after.type == "binary_expression" and not self.is_stream(after)) or (
                after.type in ("assignment_expression", "init_declarator")
                and after["left"] is not above
                and after["declarator"].type != "reference_declarator"
            )
        elif above.type == "argument_list":
            return self._iterator_given(above, call)
        else:
            reads = False
        return READ if reads else ESCAPE

    def _iterator_given(self, listed: Node, current: Node) -> int:
        call, callee = listed.parent, listed.parent["function"]
        if call.type == "init_declarator":
            effect = READ if self._types.known(call.parent["type"].text) else ESCAPE
        elif callee.type == "field_expression":
            standard = self._types.standard(self._types.of(callee["argument"]))
            effect = READ if standard and current is not listed.parts[0] else ESCAPE
        elif not self.library(callee) or call.callee not in KNOWN_FUNCTIONS:
            effect = ESCAPE
        elif call.callee in PLACES:
            effect = self._iterated(call)
        else:
            effect = WRITE if call.callee in CHANGERS else READ
        return effect

    def _argument(self, listed: Node, current: Node, variable: Variable, *, pointer: bool) -> int:
        call, callee = listed.parent, listed.parent["function"]
        name = call.callee.partition("<")[0].strip()
        copied = ESCAPE if pointer else READ
        if call.type == "init_declarator":
            known = self._types.known(call.parent["type"].text)
            reference = call["declarator"].type == "reference_declarator"
            effect = READ if known and not reference else ESCAPE
        elif callee.type == "field_expression":
            kind, changes = self._types.of(callee["argument"]), ("swap", "merge", "splice")
            effect = WRITE if callee["field"].text in changes else copied
            effect = READ if kind == "string" else effect if self._types.standard(kind) else ESCAPE
        elif name in self.functions:
            effect = self._passed_to_own(call, listed.parts.index(current), variable)
        elif name == "static_cast":
            effect = ESCAPE if re.search(r"[&*]", call.callee) else copied
        elif callee.type == "primitive_type":
            effect = READ
        elif not self.library(callee) or call.type != "call_expression":
            effect = ESCAPE
        elif name in PLACES:
            effect = self._iterated(call)
        elif name in KNOWN_FUNCTIONS:
            effect = WRITE if name in CHANGERS else READ
        else:
            effect = copied if self._types.standard(call.callee) else ESCAPE
        return effect

    def _passed_to_own(self, call: Node, place: int, variable: Variable) -> int:
        """Effect on an argument of a function of the file."""
        if self._source.resolve(call["function"]) or call["function"].type != "identifier":
            return ESCAPE
        effect = max(self.passed(function, place) for function in self.functions[call.callee])
        return ESCAPE if effect != READ and is_shared(variable) else effect

    def passed(self, function: Function, place: int) -> int:
        """Possible effect of a function on the argument at a place."""
        if place >= len(function.parameters):
            return ESCAPE
        parameter = function.parameters[place]
        if not self._types.known(parameter.type):
            return ESCAPE
        if parameter.const or parameter.form == "":
            return READ
        if parameter.node in self._judging or parameter.form not in ("&", "*", "[]", "[][]"):
            return ESCAPE
        self._judging.add(parameter.node)
        effects = [self._effect(use) for use in self._source.uses(parameter)]
        self._judging.discard(parameter.node)
        return max(effects, default=READ)


def is_object(variable: Variable) -> bool:
    """Say whether a variable is an object of its own, not a reference, a pointer or a binding."""
    if variable.kind == "parameter" and variable.form:
        return False
    return variable.form == "[binding]" or variable.form.replace("[]", "") == ""


def is_shared(variable: Variable) -> bool:
    """Say whether several functions, or several calls of the same, use the variable."""
    return variable.kind == "global" or variable.declaration.has("storage_class_specifier")


def first_operand(operation: Node) -> Node:
    """Return the a of `a << b << c`."""
    while operation.type == "binary_expression" and operation.operator in ("<<", ">>"):
        operation = operation["left"]
    return operation


def _mentions(text: str, part: str) -> bool:
    """Say whether a type has another in it: `vector<pair<int,char>>` has int."""
    return re.search(rf"(?<![\w ]){re.escape(part)}(?![\w ])", text) is not None
