"""Unified diffs, read as edits: by what their lines say, since models cannot count lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from maxcode.prompts.answer_files import named
from maxcode.prompts.edits import Edit, EditError, joined

_HUNK = re.compile(r"@@(?: -\d+(?:,\d+)? \+(?P<line>\d+)(?:,\d+)?)?[^@]*+(?:@@.*)?")
_HEADER = re.compile(
    r"diff --git|index [0-9a-f]+\.\.|(?:new|deleted) file mode|similarity |\*\*\* (?:Begin|End) "
)
_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (?P<path>.+)")  # as apply_patch has it
_LANGUAGES = ("diff", "patch", "udiff")


def is_diff(text: str, language: str = "") -> bool:
    """Whether a fenced piece of an answer is a diff; ``language`` is what its fence says.

    A program may quote one: what is no diff by its language begins as one, below a path at most.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if language in _LANGUAGES:
        return any(line[0] in "+-" for line in lines)
    return _begins(lines, 0) or (bool(lines) and bool(named(lines[0])) and _begins(lines, 1))


def holds_diff(prose: str) -> bool:
    """Whether there is a diff amid prose."""
    lines = prose.split("\n")
    return any(_is_header(lines, i) or line.startswith("@@ ") for i, line in enumerate(lines))


def read_diff(text: str, *, fenced: bool = True) -> list[Edit]:
    """The hunks of a diff as edits. Outside of a fence, a hunk ends where prose begins."""
    lines = text.split("\n")
    edits: list[Edit] = []
    hunk: list[str] | None = [] if fenced and not _has_hunks(lines) else None
    path, start, skip = "", 0, False
    for number, line in enumerate(lines):
        if skip:
            skip = False
        elif _is_header(lines, number):
            _finish(edits, hunk, path, start)
            path, hunk, skip = _path(line, lines[number + 1]), None, True
        elif found := _FILE.fullmatch(line):
            _finish(edits, hunk, path, start)
            path, hunk, start = found["path"].strip(), [], 0
        elif found := _HUNK.fullmatch(line):
            _finish(edits, hunk, path, start)
            start, hunk = int(found["line"] or 0), []
        elif _HEADER.match(line) or (not fenced and line and line[0] not in " +-\\"):
            _finish(edits, hunk, path, start)
            hunk = None
        elif hunk is not None:
            hunk.append(line)
    _finish(edits, hunk, path, start)
    return edits


def _has_hunks(lines: Sequence[str]) -> bool:
    return any(_HUNK.fullmatch(line) for line in lines)


def _begins(lines: Sequence[str], number: int) -> bool:
    line = lines[number] if number < len(lines) else ""
    starts = _HUNK.fullmatch(line) or _HEADER.match(line) or _FILE.fullmatch(line)
    return bool(starts) or _is_header(lines, number)


def _is_header(lines: Sequence[str], number: int) -> bool:
    pair = lines[number : number + 2]
    return len(pair) == 2 and pair[0].startswith("--- ") and pair[1].startswith("+++ ")


def _path(old: str, new: str) -> str:
    """The file that a header is for: the new name, and the old one if it is removed."""
    names = [line[4:].split("\t")[0].strip().strip('"') for line in (new, old)]
    name = names[0] if names[0] != "/dev/null" else names[1]
    return name[2:] if name.startswith(("a/", "b/")) else name


def _finish(edits: list[Edit], hunk: list[str] | None, path: str, line: int) -> None:
    hunk = hunk or []
    while hunk and not hunk[-1].strip():
        hunk.pop()  # what stands between a diff and the prose after it
    while hunk and not hunk[0].strip():
        hunk.pop(0)
        line += 1
    if not any(row[0] in "+-" for row in hunk if row):
        return
    old = [_content(row) for row in hunk if row[:1] not in ("+", "\\")]
    new = [_content(row) for row in hunk if row[:1] not in ("-", "\\")]
    edits.append(Edit(joined(old), joined(new), path, line))


def _content(row: str) -> str:
    return row[1:] if row[:1] in ("+", "-", " ") else row


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
