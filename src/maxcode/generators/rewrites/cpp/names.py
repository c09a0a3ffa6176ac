"""Which variables and functions a file declares, and which identifier means which."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.tree import SyntaxTree, contains

INTEGERS = frozenset(
    {
        "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned",
        "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "size_t",
        "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
        "long int", "long long int", "ptrdiff_t", "short int",
    }
)  # fmt: skip
FLOATS = frozenset({"float", "double", "long double"})
ARITHMETIC = INTEGERS | FLOATS | {"bool"}


def plain(text: str) -> str:
    """Return a type's text without `std::` and cv-qualifiers, single-spaced."""
    text = re.sub(r"\b(const|volatile|static|constexpr|typename)\b|\bstd\s*::", " ", text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s*([<>,:*&])\s*", r"\1", text)


def template(text: str) -> tuple[str, list[str]] | None:
    """Split `map<int, vector<int>>` into its name and its arguments; None for other types."""
    text = plain(text)
    opening = text.find("<")
    if opening <= 0 or not text.endswith(">"):
        return None
    parts, depth, start = [], 0, opening + 1
    for position in range(opening, len(text)):
        character = text[position]
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
        if (character == "," and depth == 1) or depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
            if depth == 0 and start < len(text):
                return None  # such as vector<int>::iterator
    return text[:opening], parts


Kind = Literal["local", "parameter", "global", "member", "range"]

_SCOPES = (
    "compound_statement", "for_statement", "for_range_loop", "if_statement", "while_statement",
    "switch_statement", "lambda_expression", "function_definition", "field_declaration_list",
    "declaration_list", "translation_unit", "catch_clause",
)  # fmt: skip
_WRAPPERS = ("pointer_declarator", "reference_declarator", "array_declarator", "init_declarator")


@dataclass(frozen=True)
class Variable:
    """A declared variable.

    * `name`: as written
    * `type`: the type's text without `std::`, `const`, pointer and array parts
    * `kind`: `range` is the variable of a range-based for, `member` one of a class
    * `node`: the identifier in the declaration
    * `type_node`: the node of the type
    * `declaration`: the whole declaration, parameter or range-based for
    * `scope`: the node in which the name is visible
    * `value`: what it is initialised with: an expression, an argument list or None
    * `form`: `&`, `*`, `[]` and the like, as they follow the type; empty for a plain value
    * `const`: whether the declaration says const or constexpr
    """

    name: str
    type: str
    kind: Kind
    node: Node
    type_node: Node
    declaration: Node
    scope: Node
    value: Node | None
    form: str
    const: bool

    @property
    def alone(self) -> bool:
        """Whether the declaration declares nothing else."""
        return len(self.declaration.children_by_field_name("declarator")) == 1


@dataclass(frozen=True)
class Function:
    """A function that the file defines; a lambda bound to a name is none.

    ``node`` is the whole definition and ``body`` its block; ``return_type`` is text.
    """

    name: str
    node: Node
    body: Node
    return_type: str
    parameters: tuple[Variable, ...]


class Names:
    """The declarations of one file, and the uses of each."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._tree = tree
        self.variables = tuple(self._find_variables())
        self.functions = tuple(self._find_functions())
        self._by_name: defaultdict[str, list[Variable]] = defaultdict(list)
        for variable in self.variables:
            self._by_name[variable.name].append(variable)
        self._uses: defaultdict[int, list[Node]] = defaultdict(list)
        for node in tree.walk("identifier", "type_identifier"):
            variable_used = self.resolve(node)
            if variable_used is not None and variable_used.node.id != node.id:
                self._uses[variable_used.node.id].append(node)

    def resolve(self, identifier: Node) -> Variable | None:
        """Return the variable that an identifier names, None where the file declares none."""
        candidates = [
            variable
            for variable in self._by_name.get(self._tree.of(identifier), ())
            if contains(variable.scope, identifier)
            and (variable.node.start_byte <= identifier.start_byte or variable.kind == "member")
        ]
        return min(
            candidates,
            key=lambda v: (v.scope.end_byte - v.scope.start_byte, -v.node.start_byte),
            default=None,
        )

    def uses(self, variable: Variable) -> list[Node]:
        """Return the identifiers that name a variable, its declaration left out."""
        return self._uses[variable.node.id]

    def _find_variables(self) -> Iterator[Variable]:
        for node in self._tree.walk(
            "declaration",
            "parameter_declaration",
            "optional_parameter_declaration",
            "for_range_loop",
            "field_declaration",
        ):
            type_node = node.child_by_field_name("type")
            kind = self._kind(node)
            if type_node is None or kind is None:
                continue
            scope = node if kind == "range" else self._tree.enclosing(node, *_SCOPES)
            if scope is None:
                continue
            const = any(
                self._tree.of(child) in ("const", "constexpr")
                for child in node.children
                if child.type == "type_qualifier"
            )
            for declarator in node.children_by_field_name("declarator"):
                for identifier, value, form in self._declared(declarator, node):
                    yield Variable(
                        name=self._tree.of(identifier),
                        type=plain(self._tree.of(type_node)),
                        kind=kind,
                        node=identifier,
                        type_node=type_node,
                        declaration=node,
                        scope=scope,
                        value=value,
                        form=form,
                        const=const,
                    )

    def _kind(self, node: Node) -> Kind | None:
        if node.type == "for_range_loop":
            return "range"
        if node.type == "field_declaration":
            return "member"
        if node.type != "declaration":
            owner = self._tree.enclosing(node, "function_definition", "lambda_expression")
            parameters = self._tree.parent(node)
            belongs = (
                owner is not None
                and parameters is not None
                and not contains(body_of(owner) or owner, node)
            )
            return "parameter" if belongs else None
        inside = self._tree.enclosing(node, "compound_statement", "lambda_expression")
        return "global" if inside is None else "local"

    def _declared(self, declarator: Node, owner: Node) -> Iterator[tuple[Node, Node | None, str]]:
        """Yield identifier, initial value and form for each name in a declarator."""
        value, form, current = None, "", declarator
        while current.type in _WRAPPERS:
            if current.type == "init_declarator":
                value = current.child_by_field_name("value")
            else:
                marks = {"pointer_declarator": "*", "array_declarator": "[]"}
                form += marks.get(current.type, self._tree.of(current.children[0]))
            inner = current.child_by_field_name("declarator")
            if inner is None and current.type == "reference_declarator":
                inner = current.named_children[-1] if current.named_children else None
            if inner is None:
                return
            current = inner
        if current.type in ("identifier", "field_identifier"):
            default = owner.child_by_field_name("default_value")
            yield current, value or default, form
        elif current.type == "structured_binding_declarator":
            for child in current.named_children:
                yield child, value, "[binding]" + form
        elif current.type == "function_declarator" and self._is_initialised(current):
            # `vector<int> v(n);` parses as a function that takes an n.
            name = current.child_by_field_name("declarator")
            if name is not None:
                yield name, current.child_by_field_name("parameters"), ""

    def _is_initialised(self, declarator: Node) -> bool:
        parameters = declarator.child_by_field_name("parameters")
        name = declarator.child_by_field_name("declarator")
        return (
            parameters is not None
            and name is not None
            and name.type == "identifier"
            and bool(parameters.named_children)
            and self._tree.enclosing(declarator, "compound_statement") is not None
            and all(
                child.type == "parameter_declaration" and not self._names_parameter(child)
                for child in parameters.named_children
            )
        )

    def _names_parameter(self, parameter: Node) -> bool:
        """Tell `int x` from an expression that parses as a nameless parameter."""
        declarator = parameter.child_by_field_name("declarator")
        kind = parameter.child_by_field_name("type")
        if kind is None or kind.type == "primitive_type":
            return True
        return declarator is not None and declarator.type != "abstract_function_declarator"

    def _find_functions(self) -> Iterator[Function]:
        for node in self._tree.walk("function_definition"):
            declarator = node.child_by_field_name("declarator")
            while declarator is not None and declarator.type != "function_declarator":
                inner = declarator.child_by_field_name("declarator")
                if inner is None and declarator.named_children:
                    inner = declarator.named_children[-1]
                declarator = inner
            body = node.child_by_field_name("body")
            if declarator is None or body is None:
                continue
            name = declarator.child_by_field_name("declarator")
            if name is None or name.type not in ("identifier", "field_identifier"):
                continue
            parameters = tuple(
                variable
                for variable in self.variables
                if variable.kind == "parameter" and variable.scope.id == node.id
            )
            return_type = self._tree.of(node.child_by_field_name("type"))
            prefix = self._tree.data[node.start_byte : declarator.start_byte].decode(
                "utf-8", "replace"
            )
            if prefix.rstrip().endswith(("*", "&")):
                return_type += prefix.rstrip()[-1]
            yield Function(self._tree.of(name), node, body, plain(return_type), parameters)


def body_of(owner: Node) -> Node | None:
    """Return the body of a function, lambda or loop."""
    return owner.child_by_field_name("body")
