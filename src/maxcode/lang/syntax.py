"""Syntax of a language: tokens, statements, and declared names.

C++ is read by tree-sitter, Python by its own ``tokenize`` and ``ast``. A file of another language,
or an unreadable file, has no syntax: it is then a sequence of lines.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from maxcode.program import Program

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its text, where it begins and ends in the file, and how many braces are open."""

    text: str
    start: int
    end: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """A statement or definition: its lines, from ``start`` up to ``end``, and those within it."""

    start: int
    end: int
    inner: tuple[Block, ...] = ()


class Syntax(ABC):
    """How to read the files of a language. Lines count from 0."""

    @abstractmethod
    def tokens(self, text: str) -> tuple[Token, ...]:
        """Everything that decides the build: without comments and white space that means
        nothing.

        Raises ValueError for unreadable text.
        """

    @abstractmethod
    def blocks(self, text: str) -> tuple[Block, ...]:
        """The outermost statements and definitions, in order. Raises ValueError."""

    @abstractmethod
    def declared(self, text: str) -> frozenset[str]:
        """The names of all declared functions, types, variables and macros. Raises ValueError."""

    @property
    def free_form(self) -> bool:
        """Whether white space between two tokens may be replaced by other white space."""
        return False


def syntax_of(path: str) -> Syntax | None:
    """How to read a file, by the ending of its name."""
    return _BY_ENDING.get(PurePosixPath(path).suffix.lower())


def same_tokens(path: str, one: str, other: str) -> bool:
    """Whether two texts of a file differ in comments and white space only."""
    syntax = syntax_of(path)
    if one == other or syntax is None:
        return one == other
    try:
        return [t.text for t in syntax.tokens(one)] == [t.text for t in syntax.tokens(other)]
    except ValueError:
        return False


def declared(program: Program) -> frozenset[str]:
    """The names declared in the files of a program; none of an unreadable file."""
    found: set[str] = set()
    for path, text in program.files.items():
        syntax = syntax_of(path)
        try:
            found |= syntax.declared(text) if syntax else set()
        except ValueError:
            continue
    return frozenset(found)


def split_lines(text: str) -> list[str]:
    """The lines with their ends, as a diff counts them."""
    return io.StringIO(text).readlines()


# -- C++ ------------------------------------------------------------------------------------------

CONTAINERS = frozenset(
    {
        *("translation_unit", "compound_statement", "field_declaration_list", "declaration_list"),
        *("preproc_ifdef", "preproc_if", "preproc_else"),
    }
)
"""The types of nodes whose children are statements, declarations or members."""

_WHOLE = frozenset(
    {
        *("preproc_include", "preproc_def", "preproc_function_def", "preproc_call"),
        *("string_literal", "raw_string_literal", "char_literal", "user_defined_literal"),
    }
)
_NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier"})
_NAMED = frozenset(
    {
        *("class_specifier", "struct_specifier", "union_specifier", "enum_specifier"),
        *("alias_declaration", "preproc_def", "preproc_function_def", "enumerator"),
        *("namespace_definition", "concept_definition"),
    }
)


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


class CppSyntax(Syntax):
    """C++ and its like, such as CUDA."""

    def tokens(self, text: str) -> tuple[Token, ...]:
        """See :meth:`Syntax.tokens`; a preprocessor directive is a single token."""
        data = text.encode("utf-8", "surrogatepass")
        plain = len(data) == len(text)
        found: list[Token] = []
        depth = 0
        waiting = [cpp_root(text)]
        while waiting:
            node = waiting.pop()
            if node.type == "comment" or node.start_byte == node.end_byte:
                continue
            if node.children and node.type not in _WHOLE:
                waiting += reversed(node.children)
                continue
            raw = data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")
            word = " ".join(raw.split()) if node.type.startswith("preproc") else raw.rstrip("\n")
            if not word.strip():
                continue  # the end of a directive's line
            start = node.start_byte
            start = start if plain else len(data[:start].decode("utf-8", "surrogatepass"))
            depth -= word == "}"
            found.append(Token(word, start, start + len(raw.rstrip()), depth))
            depth += word == "{"
        return tuple(found)

    def blocks(self, text: str) -> tuple[Block, ...]:
        """See :meth:`Syntax.blocks`."""
        return tuple(self._blocks(cpp_root(text)))

    def declared(self, text: str) -> frozenset[str]:
        """See :meth:`Syntax.declared`."""
        found = set()
        for node in walk(cpp_root(text)):
            if node.type in _NAMED and (name := node.child_by_field_name("name")):
                if node.child_by_field_name("body") or "specifier" not in node.type:
                    found.add(text_of(name))
            elif "declaration" in node.type or node.type in (
                *("function_definition", "type_definition", "for_range_loop"),
            ):
                for child in node.children_by_field_name("declarator"):
                    if name := declarator_name(child):
                        found.add(text_of(name))
        return frozenset(found)

    @property
    def free_form(self) -> bool:
        """True."""
        return True

    def _blocks(self, container: Node) -> Iterator[Block]:
        for child in container.named_children:
            if child.type == "comment":
                continue  # it goes with what follows
            start, end = child.start_point[0], child.end_point[0] + (child.end_point[1] > 0)
            yield Block(start, max(end, start + 1), tuple(self._inner(child)))

    def _inner(self, node: Node) -> Iterator[Block]:
        for child in node.named_children:
            if child.type in CONTAINERS:
                yield from self._blocks(child)
            else:
                yield from self._inner(child)


# -- Python ---------------------------------------------------------------------------------------

_NOTHING = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER)
_SHAPE = {tokenize.INDENT: "<indent>", tokenize.DEDENT: "<dedent>", tokenize.NEWLINE: "<newline>"}


@lru_cache(maxsize=64)
def python_tree(text: str) -> ast.Module:
    """The syntax tree of a Python file. Raises ValueError."""
    try:
        return ast.parse(text)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"this is no Python: {error}") from error


class PythonSyntax(Syntax):
    """Python."""

    def tokens(self, text: str) -> tuple[Token, ...]:
        """See :meth:`Syntax.tokens`; the beginnings and ends of indented blocks are among them."""
        lines = io.StringIO(text).readlines()
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        try:
            found = [
                (one, _SHAPE.get(one.type, one.string))
                for one in tokenize.generate_tokens(io.StringIO(text).readline)
                if one.type not in _NOTHING
            ]
        except (tokenize.TokenError, SyntaxError) as error:
            raise ValueError(f"this is no Python: {error}") from error
        last = len(starts) - 1
        return tuple(
            Token(
                word,
                starts[min(one.start[0] - 1, last)] + one.start[1],
                starts[min(one.end[0] - 1, last)] + one.end[1],
            )
            for one, word in found
        )

    def blocks(self, text: str) -> tuple[Block, ...]:
        """See :meth:`Syntax.blocks`."""
        return tuple(map(_python_block, python_tree(text).body))

    def declared(self, text: str) -> frozenset[str]:
        """See :meth:`Syntax.declared`."""
        found: set[str] = set()
        for node in ast.walk(python_tree(text)):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found.add(name)
                case ast.ClassDef(name=name):
                    found.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    found.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    found.add(name)
                case ast.alias():
                    found.add((node.asname or node.name).partition(".")[0])
        return frozenset(found)


def _python_block(node: ast.stmt) -> Block:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    inner: list[ast.stmt] = []
    for name in ("body", "orelse", "finalbody"):
        inner += [one for one in getattr(node, name, []) if isinstance(one, ast.stmt)]
    for handler in getattr(node, "handlers", []):
        inner += handler.body
    return Block(first - 1, node.end_lineno or first, tuple(map(_python_block, inner)))


_CPP, _PYTHON = CppSyntax(), PythonSyntax()
_BY_ENDING: dict[str, Syntax] = {
    **dict.fromkeys(
        (".cpp", ".cc", ".cxx", ".c", ".h", ".hh", ".hpp", ".hxx", ".cu", ".cuh"), _CPP
    ),
    ".py": _PYTHON,
}
