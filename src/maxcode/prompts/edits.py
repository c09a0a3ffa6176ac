"""Edits of a program: lines that are looked for, and what shall stand there instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from maxcode.program import Program
from maxcode.prompts.answer_files import (
    leaves_folder,
    resolved,
)

MAX_EDITS = 1000
"""More edits than this in one answer are not tried."""


class EditError(ValueError):
    """An edit does not apply; the message says why and what to do. ``applied`` edits before did."""

    def __init__(self, problem: str, applied: int = 0) -> None:
        super().__init__(problem)
        self.applied = applied


class NotFoundError(EditError):
    """The lines that an edit is to replace are not there."""


class AmbiguousError(EditError):
    """The lines that an edit is to replace stand in several places."""


class PathError(EditError):
    """An edit is for a file that is not the program's."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of a file and what shall stand there instead; each line ends with "\\n".

    ``path`` is as the model wrote it, or empty. Where the lines stand several times, ``line``
    (from 1; a diff has it) says which are meant; 0 does not.
    """

    search: str
    replace: str
    path: str = ""
    line: int = 0


def joined(lines: Iterable[str]) -> str:
    """Lines as an edit holds them."""
    return "".join(f"{line}\n" for line in lines)


def apply_edits(program: Program, edits: Sequence[Edit], *, tolerant: bool) -> Program:
    """The program after all edits, each of which sees the result of those before.

    Lines must stand there exactly; where ``tolerant``, but for white space, and new lines are then
    indented like those around them. Raises :class:`EditError` for the first that does not apply.
    """
    if len(edits) > MAX_EDITS:
        raise EditError(f"{len(edits)} edits are too many; write the whole program instead")
    for number, edit in enumerate(edits, 1):
        try:
            program = _apply(program, edit, tolerant)
        except EditError as error:
            which = f"edit {number} of {len(edits)}" if len(edits) > 1 else "the edit"
            raise type(error)(f"{which}: {error}", number - 1) from None
    return program


def _apply(program: Program, edit: Edit, tolerant: bool) -> Program:
    path = resolved(edit.path, program.files)
    if edit.path and not path:
        return _elsewhere(program, edit, tolerant)
    if not edit.search.strip():
        if not edit.replace.strip():
            return program
        raise EditError(
            "its SEARCH part is empty; put lines of the file there, next to which to insert"
        )
    files = [path] if path else list(program.files)
    results: dict[str, str] = {}
    failures: list[EditError] = []
    for file in sorted(files, key=lambda file: file != program.entry):
        try:
            results[file] = _replaced(program.files[file], edit, file, tolerant)
        except NotFoundError as error:
            failures.append(error)
    if not results:
        raise failures[0]
    if len(results) > 1:
        where = ", ".join(results)
        raise AmbiguousError(f"its lines stand in {where}; write the path above the edit")
    ((file, text),) = results.items()
    return program.with_file(file, text.rstrip("\n") + "\n")


def _elsewhere(program: Program, edit: Edit, tolerant: bool) -> Program:
    """An edit whose path is not one of the program's: a new file, or another name for the only."""
    if leaves_folder(edit.path):
        raise PathError(f"{edit.path} is outside of the program; its files: {_listed(program)}")
    if not edit.search.strip():
        path = edit.path.replace("\\", "/").removeprefix("./")
        return program.with_file(path, edit.replace.rstrip("\n") + "\n")
    if len(program.files) == 1:
        return _apply(program, Edit(edit.search, edit.replace, line=edit.line), tolerant)
    raise PathError(f"the program has no file {edit.path}; its files: {_listed(program)}")


def _listed(program: Program) -> str:
    return ", ".join(program.files)


# -- finding lines ------------------------------------------------------------------------------


def _squeezed(line: str) -> str:
    return "".join(line.split())


_EXACT: tuple[Callable[[str], str], ...] = (str,)
_TOLERANT: tuple[Callable[[str], str], ...] = (str, str.rstrip, _squeezed)


def _replaced(text: str, edit: Edit, path: str, tolerant: bool) -> str:
    """A file's text after an edit; the strictest way of comparing lines that finds any decides."""
    lines = re.sub(r"\r\n?", "\n", text).split("\n")
    search, replace = _split(edit.search), _split(edit.replace)
    for key in _TOLERANT if tolerant else _EXACT:
        loose = key is _squeezed
        spots = _spots(lines, search, key, skip_blank=loose)
        if not spots:
            continue
        first, end = _chosen(spots, edit, path)
        new = replace
        if loose:
            new = _reindented(replace, search, lines[first:end], strict=path.endswith(".py"))
        return "\n".join([*lines[:first], *new, *lines[end:]])
    part = edit.search.strip()
    if tolerant and len(search) == 1 and sum(line.count(part) for line in lines) == 1:
        return "\n".join(lines).replace(part, edit.replace.strip())
    raise NotFoundError(_not_found(lines, search, path))


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _spots(
    lines: Sequence[str], search: Sequence[str], key: Callable[[str], str], skip_blank: bool
) -> list[tuple[int, int]]:
    """Where the lines stand: the first, and one past the last, of each place."""
    kept = [(number, k) for number, line in enumerate(lines) if (k := key(line)) or not skip_blank]
    wanted = [k for line in search if (k := key(line)) or not skip_blank]
    keys = [k for _, k in kept]
    haystack, needle = "\n" + "\n".join(keys) + "\n", "\n" + "\n".join(wanted) + "\n"
    starts = {at: i for i, at in enumerate(accumulate((len(k) + 1 for k in keys), initial=0))}
    spots: list[tuple[int, int]] = []
    at = haystack.find(needle)
    while at >= 0 and len(spots) < 100:
        first = starts[at]
        spots.append((kept[first][0], kept[first + len(wanted) - 1][0] + 1))
        at = haystack.find(needle, at + 1)
    return spots


def _chosen(spots: list[tuple[int, int]], edit: Edit, path: str) -> tuple[int, int]:
    if len(spots) == 1:
        return spots[0]
    for spot in spots:
        if spot[0] == edit.line - 1:
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
    """New lines with the indentation of the file instead of the one that ``search`` has."""
    pairs = zip(filter(str.strip, search), filter(str.strip, found), strict=False)
    indents: dict[str, str] = {}
    for mine, theirs in pairs:
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
        return indents[known] + own[len(known) :] + line[len(own) :]
    least = min(indents, key=len, default="")  # the line is further out than all that are known
    room = max(0, len(indents.get(least, "")) - (len(least) - len(own)))
    return indents.get(least, "")[:room] + line[len(own) :]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _not_found(lines: list[str], search: list[str], path: str) -> str:
    """What to tell a model about lines that are not there: which come closest."""
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
    """Where most lines of the search stand in the file, else the line most like its longest."""
    wanted = {key for line in search if len(key := _squeezed(line)) > 1}
    hits = [int(_squeezed(line) in wanted) for line in lines]
    sums = list(accumulate(hits, initial=0))
    size = len(search)
    counts = [sums[min(i + size, len(lines))] - sums[i] for i in range(len(lines))]
    most = max(counts, default=0)
    if most:
        best = [i for i, count in enumerate(counts) if count == most]
        aligned = [i for i in best if _squeezed(lines[i]) == _squeezed(search[0])]
        return (aligned or [i for i in best if hits[i]] or best)[0]
    places = {line.strip()[:200]: i for i, line in reversed(list(enumerate(lines[:3000])))}
    for row in sorted(search, key=len, reverse=True)[:3]:
        if close := difflib.get_close_matches(row.strip()[:200], places, n=1, cutoff=0.5):
            return max(0, places[close[0]] - search.index(row))
    return None
