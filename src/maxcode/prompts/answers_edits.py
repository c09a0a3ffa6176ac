"""Search/replace edits, as they are written in answers.

::

    path/to/file.cpp
    <<<<<<< SEARCH
    old lines
    =======
    new lines
    >>>>>>> REPLACE
"""

from __future__ import annotations

import re

from maxcode.prompts.answers_paths import named
from maxcode.prompts.edits import Edit, EditError, joined

_OPEN = re.compile(
    r"[ \t]*+(<{5,9}+)(?!<)[ \t]*+"
    r"(?:(?:SEARCH|ORIGINAL|OLD|BEFORE|HEAD)\b(?P<rest>.*)|(?P<path>[\w./\\-]*\w\.\w+))[ \t]*+",
    re.IGNORECASE,
)
_MIDDLE = re.compile(r"[ \t]*+(={5,9}+)[ \t]*+")
_CLOSE = re.compile(r"[ \t]*+(>{5,9}+)(?!>)[^<>]*+")
_FENCE = re.compile(r"[ \t]*+(?:`{3,}+|~{3,}+)(?P<info>[^`]*+)")


def read_edits(text: str) -> tuple[list[Edit], str, int]:
    """The edits of a text, the text without them, and the line on which the last one ends.

    Raises :class:`EditError` for one that has no second half.
    """
    lines = text.split("\n")
    rest = lines[:]
    edits: list[Edit] = []
    at, last, path = 0, -1, ""
    while at < len(lines):
        opened = _OPEN.fullmatch(lines[at])
        if opened is None:
            at += 1
            continue
        middle, end = _halves(lines, at, len(opened[1]))
        if middle is None:
            raise EditError(
                f"edit {len(edits) + 1} has no line ======= between the old lines and the new; "
                "write <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE"
            )
        label = opened["rest"] or opened["path"] or ""
        path = named(label.strip(" :")) or _path_above(rest, at) or path
        old, new = _unfenced(lines[at + 1 : middle]), _unfenced(lines[middle + 1 : end])
        edits.append(Edit(joined(old), joined(new), path))
        following = end + 1 if end < len(lines) and _CLOSE.fullmatch(lines[end]) else end
        rest[at:following] = [""] * (following - at)
        at, last = following, end
    return edits, "\n".join(rest), last


def _halves(lines: list[str], start: int, width: int) -> tuple[int | None, int]:
    """Where the divider of an edit is, and where its new lines end."""
    dividers: list[int] = []
    end = start + 1
    while end < len(lines) and not (_CLOSE.fullmatch(lines[end]) or _OPEN.fullmatch(lines[end])):
        if _MIDDLE.fullmatch(lines[end]):
            dividers.append(end)
        end += 1
    if not dividers:
        return None, end
    # Code may hold such a line, too: as long as the marker is the better sign.
    middle = next((i for i in dividers if len(lines[i].strip()) == width), dividers[0])
    if end == len(lines) or _OPEN.fullmatch(lines[end]):  # it lacks its last line
        fences = (i for i in range(middle + 1, end) if _FENCE.fullmatch(lines[i]))
        end = next(fences, end)
    return middle, end


def _path_above(lines: list[str], at: int) -> str:
    """The path that the lines above an edit name, past the fence that it stands in."""
    seen = 0
    for line in reversed(lines[max(0, at - 4) : at]):
        fence = _FENCE.fullmatch(line)
        text = fence["info"].split(maxsplit=1)[-1] if fence and fence["info"].strip() else line
        if path := named(text if not fence else text.rpartition(":")[2]):
            return path
        if line.strip() and not fence:
            seen += 1
        if seen:
            return ""
    return ""


def _unfenced(lines: list[str]) -> list[str]:
    """The lines of a half without a fence of their own around them."""
    if len(lines) > 1 and _FENCE.fullmatch(lines[0]) and _FENCE.fullmatch(lines[-1]):
        return lines[1:-1]
    return lines
