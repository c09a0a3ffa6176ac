"""Functions of C++ programs, and pieces of an answer in their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from maxcode.lang.syntax import cpp_root, declarator_name, text_of, walk
from maxcode.program import Program

if TYPE_CHECKING:
    from tree_sitter import Node


def with_functions(base: Program, code: str, files: Sequence[str]) -> Program | None:
    """The program with the functions of ``code`` in the place of its own.

    A function is known by its name, and among several of that name by its parameters, too. Other
    code is put before the first of them, but for #include and using lines of the file. None where
    the code is no C++, or replaces nothing in any of ``files``.
    """
    root = cpp_root(code)
    if root.has_error:
        return None
    pieces = root.children
    for path in files:
        old = _functions(cpp_root(base.files[path]))
        found = {id(piece): _place(piece, old) for piece in pieces}
        if any(found.values()):
            return base.with_file(path, _merged(base.files[path], code, pieces, found))
    return None


def names_of_functions(program: Program) -> set[str]:
    """The functions with a body in a C++ program, but for those in classes."""
    return {name for text in program.files.values() for name in _functions(cpp_root(text))}


_Place = tuple[int, int]
"""Where a text begins and ends, in bytes."""


def _functions(root: Node) -> dict[str, list[Node]]:
    """The functions with a body, outside of classes, by name."""
    found: dict[str, list[Node]] = {}
    for node in walk(root):
        if node.type == "function_definition" and (name := declarator_name(node)) is not None:
            found.setdefault(text_of(name), []).append(node)
    return found


def _place(piece: Node, old: dict[str, list[Node]]) -> _Place | None:
    """The place of the function to replace by a piece of an answer."""
    definition = piece
    if piece.type == "template_declaration":
        definition = next((n for n in piece.children if n.type == "function_definition"), piece)
    name = declarator_name(definition) if definition.type == "function_definition" else None
    rivals = old.get(text_of(name), []) if name else []
    if len(rivals) > 1:
        rivals = [one for one in rivals if _parameters(one) == _parameters(definition)]
    if len(rivals) != 1:
        return None
    node = rivals[0]
    if node.parent is not None and node.parent.type == "template_declaration":
        if piece.type != "template_declaration":
            return node.start_byte, node.end_byte
        node = node.parent
    return node.start_byte, node.end_byte


def _parameters(definition: Node) -> str:
    lists = (node for node in walk(definition) if node.type == "parameter_list")
    first = next(lists, None)
    return "".join(text_of(first).split()) if first is not None else ""


def _merged(text: str, code: str, pieces: Sequence[Node], found: dict[int, _Place | None]) -> str:
    """The text of a file with all pieces of an answer in it."""
    data, new = text.encode(), code.encode()
    lines = {line.strip() for line in text.split("\n")}
    beside: list[bytes] = []
    placed: dict[_Place, bytes] = {}
    for piece in pieces:
        own = new[piece.start_byte : piece.end_byte]
        place = found[id(piece)]
        if place is not None:
            placed[place] = own
        elif own.decode().strip() not in lines:
            beside.append(own.rstrip(b"\n"))
    top = [own for own in beside if own.startswith(b"#include")]
    others = [own for own in beside if not own.startswith(b"#include")]
    first = min(placed)
    for place in sorted(placed, reverse=True):
        own = placed[place]
        if place == first and others:
            own = b"\n\n".join([*others, own])
        data = data[: place[0]] + own + data[place[1] :]
    return (b"".join(own + b"\n" for own in top) + data).decode()
