"""The variables and functions that a file declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from maxcode.generators.rewrites.cpp.tree import MISSING, Node

if TYPE_CHECKING:
    from maxcode.generators.rewrites.cpp.source import CppSource

INTEGERS = frozenset(
    {
        "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned",
        "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "size_t",
        "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
        "long int", "long long int", "ptrdiff_t", "short int",
    }
)  # fmt: skip
ARITHMETIC = INTEGERS | {"float", "double", "long double", "bool"}


def plain(text: str) -> str:
    """Return a type's text without `std::` and cv-qualifiers, single-spaced."""
    text = re.sub(r"\b(const|volatile|static|constexpr|typename)\b|\bstd\s*::", " ", text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s*([<>,:*&])\s*", r"\1", text)


def template(text: str) -> tuple[str, list[str]]:
    """Split `map<int, vector<int>>` into its name and its arguments; "" for other types."""
    text = plain(text)
    opening = text.find("<")
    if opening <= 0 or not text.endswith(">"):
        return "", []
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
                return "", []  # such as vector<int>::iterator
    return text[:opening], parts


Kind = Literal["local", "parameter", "global", "member", "range"]

_SCOPES = (
    "compound_statement", "for_statement", "for_range_loop", "if_statement", "while_statement",
    "switch_statement", "lambda_expression", "function_definition", "field_declaration_list",
    "declaration_list", "translation_unit", "catch_clause",
)  # fmt: skip
_DECLARATIONS = (
    "declaration", "parameter_declaration", "optional_parameter_declaration", "for_range_loop",
    "field_declaration",
)  # fmt: skip
_WRAPPERS = {
    "pointer_declarator": "*",
    "reference_declarator": "&",
    "array_declarator": "[]",
    "init_declarator": "",
}


@dataclass(frozen=True)
class Variable:
    """A declared variable.

    * `name`: as written
    * `type`: the type's text without `std::`, `const`, pointer and array parts
    * `kind`: `range` is the variable of a range-based for, `member` one of a class
    * `node`: the identifier in the declaration
    * `declaration`: the whole declaration, parameter or range-based for
    * `scope`: the node in which the name is visible
    * `value`: what it is initialised with: an expression or an argument list; may be missing
    * `form`: `&`, `*`, `[]` and the like, as they follow the type; empty for a plain value
    * `const`: whether the declaration says const or constexpr
    """

    name: str
    type: str
    kind: Kind
    node: Node
    declaration: Node
    scope: Node
    value: Node
    form: str
    const: bool

    @property
    def is_static(self) -> bool:
        """Whether it lives longer than the function's call that declares it."""
        return "static" in self.declaration.text.split()

    @property
    def is_own(self) -> bool:
        """Whether it is an object of a call: a local variable or a parameter by value."""
        return self.kind in ("local", "parameter") and not self.form and not self.is_static


@dataclass(frozen=True)
class Function:
    """A function that the file defines; a lambda bound to a name is none.

    * `node`: the whole definition, `body` its block
    * `head`: the definition's text up to its body
    * `return_type`: the type's text
    """

    name: str
    node: Node
    body: Node
    head: str
    return_type: str
    parameters: tuple[Variable, ...]


def variables(source: CppSource) -> Iterator[Variable]:
    """The variables that a file declares."""
    for node in source.walk(*_DECLARATIONS):
        type_node, kind = node["type"], _kind(node)
        if not type_node or kind is None:
            continue
        scope = node if kind == "range" else node.enclosing(*_SCOPES)
        if not scope:
            continue
        const = any(
            child.type == "type_qualifier" and child.text in ("const", "constexpr")
            for child in node.children
        )
        type_text = plain(type_node.text)
        for declarator in (child for child in node.children if child.field == "declarator"):
            for name, value, form in _declared(declarator, node):
                yield Variable(name.text, type_text, kind, name, node, scope, value, form, const)


def _kind(node: Node) -> Kind | None:
    if node.type == "for_range_loop":
        return "range"
    if node.type == "field_declaration":
        return "member"
    if node.type == "declaration":
        inside = node.enclosing("compound_statement", "lambda_expression")
        return "local" if inside else "global"
    owner = node.enclosing("function_definition", "lambda_expression")
    return "parameter" if owner and not (owner["body"] or owner).contains(node) else None


def _declared(declarator: Node, owner: Node) -> Iterator[tuple[Node, Node, str]]:
    """Yield identifier, initial value and form for each name in a declarator."""
    value, form, current = MISSING, "", declarator
    while current.type in _WRAPPERS:
        if current.type == "init_declarator":
            value = current["value"]
        elif current.type == "reference_declarator":
            form += current.children[0].text  # & or &&
        else:
            form += _WRAPPERS[current.type]
        inner = current["declarator"]
        if not inner and current.type == "reference_declarator":
            inner = current.parts[-1] if current.parts else MISSING
        current = inner
    if current.type in ("identifier", "field_identifier"):
        yield current, value or owner["default_value"], form
    elif current.type == "structured_binding_declarator":
        for child in current.parts:
            yield child, value, "[binding]" + form


def functions(source: CppSource, variables: Sequence[Variable]) -> Iterator[Function]:
    """The functions that a file defines."""
    for node in source.walk("function_definition"):
        declarator, body = node["declarator"], node["body"]
        while declarator and declarator.type != "function_declarator":
            named = declarator.parts
            declarator = declarator["declarator"] or (named[-1] if named else MISSING)
        name = declarator["declarator"]
        if not body or name.type not in ("identifier", "field_identifier"):
            continue
        prefix = source.data[node.start_byte : declarator.start_byte].decode("utf-8", "replace")
        pointer = prefix.rstrip()[-1:] if prefix.rstrip().endswith(("*", "&")) else ""
        yield Function(
            name=name.text,
            node=node,
            body=body,
            head=source.data[node.start_byte : body.start_byte].decode("utf-8", "replace").rstrip(),
            return_type=plain(node["type"].text + pointer),
            parameters=tuple(v for v in variables if v.kind == "parameter" and v.scope is node),
        )
