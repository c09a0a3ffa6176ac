"""A parsed C++ text with quick access to its syntax nodes in source order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

_LANGUAGE = Language(tree_sitter_cpp.language())

LOOPS = ("for_statement", "for_range_loop", "while_statement", "do_statement")


class SyntaxTree:
    """The syntax tree of one C++ file; text that does not parse leaves ERROR nodes in it.

    `text` is the whole file; `hidden` are pieces of code that `walk` passes over wherever they
    stand in it. `data` is the text in UTF-8, which the byte offsets of nodes refer to, and `root`
    the translation unit.
    """

    def __init__(self, text: str, hidden: Iterable[str] = ()) -> None:
        self.text = text
        self.data = text.encode("utf-8", "surrogatepass")
        places = [self.find(code) for code in hidden]
        self._hidden = [place for place in places if place is not None]
        self.root = Parser(_LANGUAGE).parse(self.data).root_node
        self._nodes: list[Node] = []
        self._parents: list[Node | None] = []
        self._ends: list[int] = []  # for each node, where its subtree ends in _nodes
        self._position: dict[int, int] = {}
        self._index()

    def _index(self) -> None:
        stack: list[tuple[Node, Node | None]] = [(self.root, None)]
        while stack:
            node, parent = stack.pop()
            self._position[node.id] = len(self._nodes)
            self._nodes.append(node)
            self._parents.append(parent)
            stack.extend((child, node) for child in reversed(self._shown(node)))
        self._ends = list(range(1, len(self._nodes) + 1))
        for position in range(len(self._nodes) - 1, 0, -1):
            parent = self._parents[position]
            if parent is not None:
                above = self._position[parent.id]
                self._ends[above] = max(self._ends[above], self._ends[position])

    def _shown(self, node: Node) -> list[Node]:
        if node.id != self.root.id or not self._hidden:
            return node.children
        return [
            child
            for child in node.children
            if not any(
                start <= child.start_byte and child.end_byte <= end for start, end in self._hidden
            )
        ]

    def find(self, code: str) -> tuple[int, int] | None:
        """Return where a piece of code begins and ends, with either kind of line ends."""
        for form in (code, with_crlf(code)):
            data = form.encode()
            start = self.data.find(data)
            if start >= 0:
                return start, start + len(data)
        return None

    def of(self, node: Node | None) -> str:
        """Return the text of a node, empty for None."""
        if node is None:
            return ""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def walk(self, *types: str, within: Node | None = None) -> Iterator[Node]:
        """Yield the nodes of these types (all where none is given) in source order."""
        first = 0 if within is None else self._position[within.id]
        for node in self._nodes[first : self._ends[first]]:
            if not types or node.type in types:
                yield node

    def parent(self, node: Node) -> Node | None:
        """Return the node directly above, None at the root."""
        return self._parents[self._position[node.id]]

    def ancestors(self, node: Node) -> Iterator[Node]:
        """Yield the nodes above, innermost first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def enclosing(self, node: Node, *types: str) -> Node | None:
        """Return the innermost node above of one of these types."""
        return next((above for above in self.ancestors(node) if above.type in types), None)

    def enclosing_loops(self, node: Node) -> list[Node]:
        """Return the loops around a node in its own function, innermost first."""
        loops = []
        for above in self.ancestors(node):
            if above.type in ("function_definition", "lambda_expression"):
                break
            if above.type in LOOPS:
                loops.append(above)
        return loops

    def indent(self, node: Node) -> str:
        """Return the white space that begins the line on which a node starts."""
        line = self.data[self.data.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
        return line[: len(line) - len(line.lstrip(b" \t"))].decode()

    def next_statement(self, node: Node) -> Node | None:
        """Return the named node that follows in the same block, comments left out."""
        following = node.next_named_sibling
        while following is not None and following.type == "comment":
            following = following.next_named_sibling
        return following


def contains(outer: Node, inner: Node) -> bool:
    """Say whether `inner` lies within the bytes of `outer`."""
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def statements(body: Node | None) -> list[Node]:
    """Return the statements of a block, or the one statement that stands for it."""
    if body is None:
        return []
    if body.type != "compound_statement":
        return [body]
    return [child for child in body.named_children if child.type != "comment"]


def unwrap(node: Node | None) -> Node | None:
    """Return an expression without the parentheses (or the statement) around it."""
    while node is not None and node.type in (
        "parenthesized_expression",
        "expression_statement",
        "condition_clause",
    ):
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) != 1:
            return None
        node = inner[0]
    return node


def arguments(call: Node) -> list[Node]:
    """Return the arguments of a call expression."""
    listed = call.child_by_field_name("arguments")
    if listed is None:
        return []
    return [child for child in listed.named_children if child.type != "comment"]


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
        """Say whether both change the same bytes; two insertions at one place do not."""
        if self.start == self.end and other.start == other.end:
            return False
        return self.start < other.end and other.start < self.end


def replace(node: Node, text: str) -> Edit:
    """Replace a node by `text`."""
    return Edit(node.start_byte, node.end_byte, text)


def delete(node: Node) -> Edit:
    """Remove a node."""
    return replace(node, "")


def before(node: Node, text: str) -> Edit:
    """Insert `text` directly before a node."""
    return Edit(node.start_byte, node.start_byte, text)


def after(node: Node, text: str) -> Edit:
    """Insert `text` directly after a node."""
    return Edit(node.end_byte, node.end_byte, text)


def compatible(accepted: Iterable[Edit], proposed: Sequence[Edit]) -> bool:
    """Say whether no proposed edit overlaps an accepted one."""
    return not any(new.overlaps(old) for old in accepted for new in proposed)


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return `data` with all edits made; insertions at one place keep their order.

    Raises ValueError where two edits overlap.
    """
    pieces: list[bytes] = []
    position = 0
    # An insertion at the start of a replaced range comes before the replacement.
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < position:
            raise ValueError(f"overlapping edits at byte {edit.start}")
        pieces += [data[position : edit.start], edit.text.encode("utf-8", "surrogatepass")]
        position = edit.end
    return b"".join([*pieces, data[position:]])
