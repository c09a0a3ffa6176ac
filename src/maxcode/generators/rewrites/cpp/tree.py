"""The syntax tree of a C++ file, and edits of its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import TreeCursor

from maxcode.lang.syntax import cpp_parser


class Node:
    """A node of a syntax tree.

    A missing one is false: its type and text are empty, and so is everything found from it.

    * `type`: as tree-sitter's grammar of C++ names it
    * `start_byte`, `end_byte`: where it begins and ends in the file as UTF-8
    * `field`: what it is to its parent, such as "left"; None for most nodes
    * `parent`, `children`: the nodes directly above and below
    """

    __slots__ = (
        "_data", "_end", "_first", "_nodes", "children", "end_byte", "field", "is_named", "parent",
        "start_byte", "type",
    )  # fmt: skip

    def __init__(
        self, cursor: TreeCursor | None, parent: Node | None, data: bytes, nodes: list[Node]
    ) -> None:
        self._data, self._nodes = data, nodes
        self._first = self._end = 0  # where its subtree begins and ends in nodes
        self.children: list[Node] = []
        self.parent = self if parent is None else parent
        node = None if cursor is None else cursor.node
        self.type = "" if node is None else node.type
        self.start_byte = 0 if node is None else node.start_byte
        self.end_byte = 0 if node is None else node.end_byte
        self.is_named = node is not None and node.is_named
        self.field = None if cursor is None else cursor.field_name

    def __bool__(self) -> bool:
        """Whether it exists."""
        return bool(self.type)

    def __getitem__(self, field: str) -> Node:
        """The first child of that field, such as ``node["left"]``."""
        return next((child for child in self.children if child.field == field), MISSING)

    @property
    def text(self) -> str:
        """The code of the node."""
        return self._data[self.start_byte : self.end_byte].decode("utf-8", "surrogatepass")

    @property
    def squeezed(self) -> str:
        """Its text without white space."""
        return "".join(self.text.split())

    @property
    def operator(self) -> str:
        """The operator of an expression."""
        return self["operator"].text

    @property
    def callee(self) -> str:
        """The name of the called function, without `std::`."""
        return self["function"].text.removeprefix("std::")

    @property
    def parts(self) -> list[Node]:
        """The named children, comments left out."""
        return [child for child in self.children if child.is_named and child.type != "comment"]

    @property
    def arguments(self) -> list[Node]:
        """The arguments of a call."""
        return self["arguments"].parts

    @property
    def method_call(self) -> tuple[str, Node, list[Node]]:
        """For the v of `v.push_back(x)`: the method, "" for none, the call and its arguments."""
        access, call = self.parent, self.parent.parent
        if access.type == "field_expression" and access["argument"] is self and access.is_called:
            return access["field"].text, call, call.arguments
        return "", MISSING, []

    @property
    def is_called(self) -> bool:
        """Whether it is the called expression of a call."""
        return self.parent.type == "call_expression" and self.parent["function"] is self

    def enclosing(self, *types: str) -> Node:
        """Return the innermost node above of any of these types."""
        above = self.parent
        while above and above.type not in types:
            above = above.parent
        return above

    def walk(self, *types: str) -> Iterator[Node]:
        """Yield itself and the nodes below of these types (all if none is given), in order."""
        for node in self._nodes[self._first : self._end]:
            if not types or node.type in types:
                yield node

    def has(self, *types: str) -> bool:
        """Whether it or a node below is of any of these types."""
        return any(True for _ in self.walk(*types))

    def contains(self, other: Node) -> bool:
        """Whether another node lies within its bytes."""
        return self.start_byte <= other.start_byte and other.end_byte <= self.end_byte


MISSING = Node(None, None, b"", [])
"""Stands for a missing node."""


def parsed(data: bytes, hidden: Sequence[tuple[int, int]] = ()) -> tuple[Node, bool]:
    """Return the root of the tree of a C++ file, and whether some code did not parse.

    ``walk`` passes over the nodes at the top that lie in ``hidden`` ranges of bytes.
    """
    tree = cpp_parser().parse(data)
    cursor = tree.walk()
    nodes: list[Node] = []
    root = parent = MISSING
    while True:
        node = Node(cursor, parent, data, nodes)
        if parent:
            parent.children.append(node)
        root = root or node
        shown = parent is not root or not any(
            start <= node.start_byte and node.end_byte <= end for start, end in hidden
        )
        if shown:
            node._first = len(nodes)
            nodes.append(node)
            node._end = len(nodes)
            if cursor.goto_first_child():
                parent = node
                continue
        while not cursor.goto_next_sibling():
            parent._end = len(nodes)
            if not cursor.goto_parent():
                return root, tree.root_node.has_error
            parent = parent.parent


def with_crlf(text: str) -> str:
    """Return a text with the line ends of DOS."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


@dataclass(frozen=True)
class Edit:
    """Replace the bytes from `start` up to, not including, `end` by `text`."""

    start: int
    end: int
    text: str

    def overlaps(self, other: Edit) -> bool:
        """Say whether both change the same bytes; two insertions at the same place do not."""
        if self.start == self.end and other.start == other.end:
            return False
        return self.start < other.end and other.start < self.end


def replace(node: Node, text: str) -> Edit:
    """Replace a node by `text`."""
    return Edit(node.start_byte, node.end_byte, text)


def before(node: Node, text: str) -> Edit:
    """Insert `text` directly before a node."""
    return Edit(node.start_byte, node.start_byte, text)


def after(node: Node, text: str) -> Edit:
    """Insert `text` directly after a node."""
    return Edit(node.end_byte, node.end_byte, text)


def at_start(node: Node, text: str) -> Edit:
    """Insert `text` behind the first character of a node, such as its opening bracket."""
    return Edit(node.start_byte + 1, node.start_byte + 1, text)


def compatible(accepted: Iterable[Edit], proposed: Sequence[Edit]) -> bool:
    """Say whether no proposed edit overlaps an accepted one."""
    return not any(new.overlaps(old) for old in accepted for new in proposed)


def apply_edits(data: bytes, edits: Iterable[Edit]) -> str:
    """Return a text with all edits made, which do not overlap; insertions keep their order.

    New lines end as those of the text.
    """
    pieces: list[bytes] = []
    position, dos = 0, b"\r\n" in data
    # An insertion at the start of a replaced range comes before the replacement.
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        text = with_crlf(edit.text) if dos else edit.text
        pieces += [data[position : edit.start], text.encode("utf-8", "surrogatepass")]
        position = edit.end
    return b"".join([*pieces, data[position:]]).decode("utf-8", "surrogatepass")


def fresh(text: str, stem: str) -> str:
    """Return a name that begins with ``stem`` and does not occur in a text."""
    while re.search(rf"\b{stem}\b", text):
        stem += "_"
    return stem
