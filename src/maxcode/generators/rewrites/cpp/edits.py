"""Edits of a source text as replacements of byte ranges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node


@dataclass(frozen=True)
class Edit:
    """Replace the bytes from `start` up to, not including, `end` by `text`."""

    start: int
    end: int
    text: str

    def overlaps(self, other: "Edit") -> bool:
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
