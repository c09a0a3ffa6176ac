"""Edits of a program: read from an answer as search/replace blocks or diffs, and applied.

Line numbers of diffs are ignored, since models cannot count lines.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from maxcode.program import Program
from maxcode.prompts.answer_blocks import FENCE
from maxcode.prompts.answer_files import LINE_END, leaves_folder, named, resolved, squeezed

MAX_EDITS = 1000
"""Most edits tried in an answer."""


class EditError(ValueError):
    """An edit does not apply; the message gives reason and remedy."""


class AmbiguousError(EditError):
    """The lines to replace stand in several places."""


class PathError(EditError):
    """An edit names a file outside of the program."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of a file and their replacement; each line ends with "\\n".

    ``path`` is as the model wrote it, or empty. Of lines with several occurrences ``line`` (from 1,
    in a diff) picks the occurrence; 0: unknown.
    """

    search: str
    replace: str
    path: str = ""
    line: int = 0


def joined(lines: Iterable[str]) -> str:
    """Lines as an edit holds them."""
    return "".join(f"{line}\n" for line in lines)


# -- reading diffs ------------------------------------------------------------------------------

_START = re.compile(
    r"--- [^\n]*\n\+\+\+ (?P<path>[^\n]*)\n?|@@(?: -[\d,]+ \+(?P<line>\d+))?[^\n]*\n?"
)
_PARTS = re.compile(r"^(?=@@|--- [^\n]*\n\+\+\+ )", re.MULTILINE)
_BETWEEN = ("diff --git ", "index ", "new file mode ", "deleted file mode ")


def is_diff(text: str, language: str = "") -> bool:
    """Whether a fenced piece of an answer is a diff; ``language`` is the text of its fence.

    A program may quote a diff: a piece in another language is a diff only if it begins as one.
    """
    if language in ("diff", "patch", "udiff"):
        return any(line[:1] in ("+", "-") for line in text.split("\n"))
    return _PARTS.match(text.lstrip()) is not None


def read_diff(text: str) -> list[Edit]:
    """The hunks of a unified diff as edits."""
    edits: list[Edit] = []
    path = ""
    for part in _PARTS.split(text):
        start = _START.match(part)
        if start and start["path"] is not None:
            path = start["path"].split("\t")[0].strip().strip('"')
            path = path[2:] if path.startswith(("a/", "b/")) else path
        rows = part[start.end() if start else 0 :].split("\n")
        rows = [row for row in rows if not row.startswith(_BETWEEN)]
        edits += _edits_of(rows, path, int(start["line"] or 0) if start else 0)
    return edits


def _edits_of(hunk: list[str], path: str, line: int) -> list[Edit]:
    """The edit of a hunk; none if it changes nothing."""
    while hunk and not hunk[-1].strip():
        hunk.pop()  # what stands between a diff and the prose after it
    if not any(row[:1] in ("+", "-") for row in hunk):
        return []
    old = joined(_content(row) for row in hunk if row[:1] not in ("+", "\\"))
    new = joined(_content(row) for row in hunk if row[:1] not in ("-", "\\"))
    return [Edit(old, new, path, line)]


def _content(row: str) -> str:
    return row[1:] if row[:1] in ("+", "-", " ") else row


# -- reading search/replace blocks --------------------------------------------------------------

_OPEN = re.compile(
    r"[ \t]*+(<{5,9}+)(?!<)[ \t]*+"
    r"(?:(?:SEARCH|ORIGINAL|OLD|BEFORE|HEAD)\b(?P<rest>.*)|(?P<path>[\w./\\-]*\w\.\w+))[ \t]*+",
    re.IGNORECASE,
)
_MIDDLE = re.compile(r"[ \t]*+(={5,9}+)[ \t]*+")
_CLOSE = re.compile(r"[ \t]*+(>{5,9}+)(?!>)[^<>]*+")


def read_edits(text: str) -> tuple[list[Edit], str]:
    """The edits of a text, and the text without them.

    Raises :class:`EditError` for an edit without its second half.
    """
    lines = text.split("\n")
    rest = lines[:]
    edits: list[Edit] = []
    at, path = 0, ""
    while at < len(lines):
        opened = _OPEN.fullmatch(lines[at])
        if opened is None:
            at += 1
            continue
        middle, end = _halves(lines, at)
        if middle is None:
            raise EditError(
                f"edit {len(edits) + 1} has no line ======= between the old lines and the new; "
                "write <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE"
            )
        label = opened["rest"] or opened["path"] or ""
        path = named(label.strip(" :")) or _path_above(rest, at) or path
        halves = lines[at + 1 : middle], lines[middle + 1 : end]
        old, new = map(joined, halves)
        edits.append(Edit(old, new, path))
        after = end + 1 if end < len(lines) and _CLOSE.fullmatch(lines[end]) else end
        rest[at:after] = [""] * (after - at)
        at = after
    return edits, "\n".join(rest)


def _halves(lines: list[str], start: int) -> tuple[int | None, int]:
    """Where the divider of an edit is, and where its new lines end."""
    middle, end = None, start + 1
    while end < len(lines) and not (_CLOSE.fullmatch(lines[end]) or _OPEN.fullmatch(lines[end])):
        if middle is None and _MIDDLE.fullmatch(lines[end]):
            middle = end
        end += 1
    if middle and (end == len(lines) or _OPEN.fullmatch(lines[end])):  # it lacks its last line
        fences = (i for i in range(middle + 1, end) if FENCE.fullmatch(lines[i]))
        end = next(fences, end)
    return middle, end


def _path_above(lines: list[str], at: int) -> str:
    """The path in the lines above an edit, past its fence."""
    for line in reversed(lines[max(0, at - 4) : at]):
        fence = FENCE.fullmatch(line)
        text = fence["info"].split(maxsplit=1)[-1] if fence and fence["info"].strip() else line
        if path := named(text if not fence else text.rpartition(":")[2]):
            return path
        if line.strip() and not fence:
            break
    return ""


# -- applying edits -----------------------------------------------------------------------------


def apply_edits(program: Program, edits: Sequence[Edit], *, tolerant: bool) -> Program:
    """The program after all edits, each applied to the result of those before.

    Lines must match exactly; if ``tolerant``, but for white space, and new lines are indented like
    their neighbours. Raises :class:`EditError` for the first edit that does not apply.
    """
    if len(edits) > MAX_EDITS:
        raise EditError(f"{len(edits)} edits are too many; write the whole program instead")
    for number, edit in enumerate(edits, 1):
        try:
            program = _apply(program, edit, tolerant)
        except EditError as error:
            which = f"edit {number} of {len(edits)}" if len(edits) > 1 else "the edit"
            raise type(error)(f"{which}: {error}") from None
    return program


def _apply(program: Program, edit: Edit, tolerant: bool) -> Program:
    path = resolved(edit.path, program.files)
    files = [path] if path else sorted(program.files, key=lambda file: file != program.entry)
    if edit.path and not path:  # a new file, or another name for the only one
        listed = ", ".join(program.files)
        if leaves_folder(edit.path):
            raise PathError(f"{edit.path} is outside of the program; its files: {listed}")
        if not edit.search.strip():
            new = edit.path.replace("\\", "/").removeprefix("./")
            return program.with_file(new, edit.replace.rstrip("\n") + "\n")
        if len(program.files) > 1:
            raise PathError(f"the program has no file {edit.path}; its files: {listed}")
    if not edit.search.strip():
        if not edit.replace.strip():
            return program
        raise EditError(
            "its SEARCH part is empty; put lines of the file there, next to which to insert"
        )
    texts = {file: _replaced(program.files[file], edit, file, tolerant) for file in files}
    found = {file: text for file, text in texts.items() if text is not None}
    if not found:
        raise EditError(_not_found(program.files[files[0]], edit.search, files[0]))
    if len(found) > 1:
        where = ", ".join(found)
        raise AmbiguousError(f"its lines stand in {where}; write the path above the edit")
    ((file, text),) = found.items()
    return program.with_file(file, text.rstrip("\n") + "\n")


def _replaced(text: str, edit: Edit, path: str, tolerant: bool) -> str | None:
    """A file's text after an edit; None if its lines are not there."""
    lines, search, new = _lines(text), _split(edit.search), _split(edit.replace)
    for loose in (False, True) if tolerant else (False,):
        if spots := _spots(lines, search, squeezed if loose else str, skip_blank=loose):
            first, end = _chosen(spots, edit, path)
            if loose:
                new = _reindented(new, search, lines[first:end], strict=path.endswith(".py"))
            return "\n".join([*lines[:first], *new, *lines[end:]])
    part = edit.search.strip()
    if tolerant and len(search) == 1 and sum(line.count(part) for line in lines) == 1:
        return "\n".join(lines).replace(part, edit.replace.strip())
    return None


def _lines(text: str) -> list[str]:
    return LINE_END.sub("\n", text).split("\n")


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _spots(
    lines: Sequence[str], search: Sequence[str], key: Callable[[str], str], skip_blank: bool
) -> list[tuple[int, int]]:
    """Places of the lines: first line, and last line plus 1."""
    kept = [(number, k) for number, line in enumerate(lines) if (k := key(line)) or not skip_blank]
    wanted = [k for line in search if (k := key(line)) or not skip_blank]
    keys, size = [k for _, k in kept], len(wanted)
    starts = (i for i in range(len(keys) - size + 1) if keys[i : i + size] == wanted)
    return [(kept[i][0], kept[i + size - 1][0] + 1) for i in starts]


def _chosen(spots: list[tuple[int, int]], edit: Edit, path: str) -> tuple[int, int]:
    for spot in spots:
        if len(spots) == 1 or spot[0] == edit.line - 1:
            return spot
    where = ", ".join(str(first + 1) for first, _ in spots[:6])
    more = ", ..." if len(spots) > 6 else ""
    raise AmbiguousError(
        f"its SEARCH lines stand {len(spots)} times in {path} (from lines {where}{more}); "
        "add lines before or after them, so that only one place is meant"
    )


def _reindented(
    new: list[str], search: Sequence[str], found: Sequence[str], *, strict: bool
) -> list[str]:
    """New lines with the file's indentation instead of that of ``search``."""
    indents: dict[str, str] = {}
    for mine, theirs in zip(filter(str.strip, search), filter(str.strip, found), strict=False):
        if indents.setdefault(_indent(mine), _indent(theirs)) != _indent(theirs) and strict:
            raise EditError(
                "the indentation of its SEARCH lines is not that of the file; copy them exactly"
            )
    while new and search and not search[0].strip() and not new[0].strip():
        new, search = new[1:], search[1:]
    while new and search and not search[-1].strip() and not new[-1].strip():
        new, search = new[:-1], search[:-1]
    return [_with_indent(line, indents) for line in new]


def _with_indent(line: str, indents: dict[str, str]) -> str:
    own = _indent(line)
    if not line.strip():
        return line
    known = max((i for i in indents if own.startswith(i)), key=len, default=None)
    if known is not None:
        return indents[known] + line[len(known) :]
    least = min(indents, key=len, default="")  # the line is further out than all that are known
    indent = indents.get(least, "")
    return indent[: max(0, len(indent) - len(least) + len(own))] + line.lstrip()


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _not_found(text: str, searched: str, path: str) -> str:
    """The message about lines missing in a file, with the closest ones."""
    lines, search = _lines(text), _split(searched)
    first = _closest(lines, search)
    advice = "copy the lines exactly as they stand in the program, or write the whole program"
    if first is None:
        return f"its SEARCH lines are not in {path}, nor any like them; {advice}"
    shown = lines[first : first + min(max(len(search), 1), 12)]
    quoted = "\n".join(f"    {line[:200]}" for line in shown)
    return (
        f"its SEARCH lines are not in {path}; {advice}. "
        f"The closest there, from line {first + 1}:\n{quoted}"
    )


def _closest(lines: list[str], search: list[str]) -> int | None:
    """Where most lines of the search stand in the file, else a line like one of its longest."""
    wanted = {key for line in search if len(key := squeezed(line)) > 1}
    hits = [squeezed(line) in wanted for line in lines]
    if any(hits):
        size = min(len(search), 40)
        return max(range(len(lines)), key=lambda i: (sum(hits[i : i + size]), hits[i]))
    places = {line.strip()[:200]: i for i, line in reversed(list(enumerate(lines[:3000])))}
    for row in sorted(search, key=len, reverse=True)[:3]:
        if close := difflib.get_close_matches(row.strip()[:200], places, n=1, cutoff=0.5):
            return max(0, places[close[0]] - search.index(row))
    return None
