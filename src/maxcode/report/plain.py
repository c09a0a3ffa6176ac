"""What others wrote, as text that a page may show: nothing in it acts, and nothing in it hides."""

from __future__ import annotations

from math import isfinite

_CONTROLS = [c for c in (*range(0x20), 0x7F) if chr(c) not in "\n\t"]
_PICTURES = {c: chr(0x2421 if c == 0x7F else 0x2400 + c) for c in _CONTROLS}
# These turn the order of what follows them: a comment may look like code, and code like a comment
# (N. Boucher and R. Anderson, "Trojan Source", 2021). The C1 controls have no pictures.
_NAMED = (
    *range(0x80, 0xA0),
    0x061C,
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_VISIBLE = str.maketrans(_PICTURES | {c: f"<U+{c:04X}>" for c in (*_NAMED, 0x2028, 0x2029, 0xFEFF)})


def plain(text: str) -> str:
    """The text with controls and marks of direction made visible, and without half surrogates.

    A line that ends in CR LF ends in LF.
    """
    whole = (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
    return whole.replace("\r\n", "\n").translate(_VISIBLE)


def cut(text: str, most: int) -> str:
    """The text in one line of at most so many characters."""
    line = plain(" ".join(text.split()))
    return line if len(line) <= most else f"{line[:most].rstrip()}..."


def finite(value: float | None) -> float | None:
    """The number, if it is one that JSON has."""
    return value if value is not None and isfinite(value) else None
