"""Syntax trees of source text (C++ by tree-sitter, Python by its own ``ast``), and bare code."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier"})


@cache
def cpp_parser() -> Parser:
    """The parser of C++, made once."""
    import tree_sitter_cpp  # noqa: PLC0415 - only searches that found something need it
    from tree_sitter import Language, Parser  # noqa: PLC0415

    return Parser(Language(tree_sitter_cpp.language()))


@lru_cache(maxsize=64)
def cpp_root(text: str) -> Node:
    """The root of a C++ file's syntax tree; text that does not parse leaves ERROR nodes in it."""
    return cpp_parser().parse(text.encode("utf-8", "surrogatepass")).root_node


def text_of(node: Node) -> str:
    """The code of a node."""
    return (node.text or b"").decode("utf-8", "surrogatepass")


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in source order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def declarator_name(node: Node) -> Node | None:
    """The node of the name in a definition or declarator."""
    while node.type not in _NAMES | {"destructor_name", "operator_name", "operator_cast"}:
        inner = next(
            (c for field in ("declarator", "name") if (c := node.child_by_field_name(field))), None
        )
        if inner is None:  # as in a reference or pointer declarator, or an array
            inner = next((c for c in node.named_children if "declarator" in c.type), None)
            inner = inner or next((c for c in node.named_children if c.type in _NAMES), None)
        if inner is None:
            return None
        node = inner
    return node


@lru_cache(maxsize=64)
def python_tree(text: str) -> ast.Module:
    """The syntax tree of a Python file. Raises ValueError."""
    try:
        return ast.parse(text)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"this is no Python: {error}") from error


def first_line(node: ast.AST) -> int:
    """The line on which a statement of Python begins, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(one.lineno for one in (node, *decorators) if isinstance(one, ast.stmt | ast.expr))


def global_names(text: str) -> tuple[set[str], set[str]]:
    """The global names that a Python module binds at its top level, and those that it uses.

    Names that are set from inside a function count as used. Raises SyntaxError.
    """
    top = symtable.symtable(text, "module", "exec")
    bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    used = {one.get_name() for one in top.get_symbols() if one.is_referenced()}
    front = top.get_children()
    while front:
        scope = front.pop()
        used |= {one.get_name() for one in scope.get_symbols() if one.is_global()}
        front += scope.get_children()
    return bound, used


_LITERAL = r"""
    "(?:\\.|[^"\\\n])*+"?
  | '(?:\\.|[^'\\\n])*+'?
"""
# Quantifiers are possessive, and what is left open ends with the line or the text: so that no
# text, however long and odd, takes more than a few passes.
_TOKENS = {
    "python": re.compile(
        r'''\#[^\n]*
          | """(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)
          | \'\'\'(?:[^'\\]++|\\.|'(?!\'\'))*+(?:\'\'\'|\Z)
          |'''
        + _LITERAL,
        re.DOTALL | re.VERBOSE,
    ),
    **dict.fromkeys(
        ("c++", "c", "rust", "go", "java", "javascript", "typescript"),
        re.compile(
            r"""//[^\n]*
              | /\*.*?(?:\*/|\Z)
              | R"(?P<mark>[^\s()\\"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
              | \b\d(?:'?[\w.])*+
              |"""
            + _LITERAL,
            re.DOTALL | re.VERBOSE,
        ),
    ),
}


def without_comments(code: str, language: str) -> str:
    """The code without comments; every line stays where it is."""

    def kept(found: re.Match[str]) -> str:
        token = found[0]
        return token if token[0] in "R\"'0123456789" else "\n" * token.count("\n") or " "

    tokens = _TOKENS.get(language)
    return tokens.sub(kept, code) if tokens else code


@lru_cache(maxsize=8)
def bare(code: str, language: str) -> str:
    """The code without comments, and with empty literals; every line stays where it is."""

    def emptied(found: re.Match[str]) -> str:
        token = found[0]
        if token[0].isdigit():
            return token
        return '""' * (token[0] in "R\"'") + "\n" * token.count("\n")

    tokens = _TOKENS.get(language)
    return tokens.sub(emptied, code) if tokens else code
