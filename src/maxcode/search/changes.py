"""The difference between two programs as hunks, any of which can be left out."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, pairwise

from maxcode.program import Program

_REWRITTEN = 0.5  # share of a file's lines with words that are gone
_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_ASIDE = {  # comments and docstrings, and strings, which may hold the sign of one
    "//": re.compile(rf"(?P<remark>//[^\n]*|/\*.*?(?:\*/|\Z))|{_STRING}", re.DOTALL),
    "#": re.compile(
        r"(?P<remark>#[^\n]*|^[ \t]*(?P<quotes>\"\"\"|''').*?(?:(?P=quotes)|\Z))"
        rf"|(?P<others>\"\"\"|''').*?(?:(?P=others)|\Z)|{_STRING}",
        re.DOTALL | re.MULTILINE,
    ),
}


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file and their replacement, as ``diff -U0`` has them.

    ``lines`` replace the lines from ``start`` up to ``end``, and begin at line ``now`` of the other
    file; ``same`` of them do not change. ``removes`` says whether the whole file goes.
    """

    path: str
    start: int
    end: int
    lines: tuple[str, ...]
    now: int = 0
    same: int = 0
    removes: bool = False

    @property
    def header(self) -> str:
        """The first line of the hunk in a diff."""
        old, new = _place(self.start, self.end - self.start), _place(self.now, len(self.lines))
        return f"@@ -{old} +{new} @@"

    @property
    def size(self) -> int:
        """Lines removed and added."""
        return self.end - self.start + len(self.lines) - 2 * self.same


def changed_lines(before: Program, after: Program) -> int:
    """Number of lines a diff of both removes and adds."""
    return sum(hunk.size for hunk in hunks(before, after))


def hunks(before: Program, after: Program) -> list[Hunk]:
    """Hunks, without context, between two programs."""
    found: list[Hunk] = []
    for path in before.changed(after):
        old, new = _lines(before, path), _lines(after, path)
        if path not in before.files or path not in after.files:
            removes = path not in after.files
            found.append(Hunk(path, 0, len(old), tuple(new), removes=removes))
            continue
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                found.append(Hunk(path, i1, i2, tuple(new[j1:j2]), j1))
    return found


def pieces(before: Program, after: Program) -> list[Hunk]:
    """Hunks that are left out or kept as a whole: comments are in one with the code after them.

    A file of which more than half was rewritten is a single piece.
    """
    found: list[Hunk] = []
    for path, of_file in groupby(hunks(before, after), key=lambda hunk: hunk.path):
        parts, old = list(of_file), _lines(before, path)
        if _rewritten(old, parts):
            found.append(_joined(old, parts))
            continue
        ties = set(_ties(parts, old, _remarks(before, path), _remarks(after, path)))
        ends = [i + 1 for i in range(len(parts)) if i not in ties]
        found += [_joined(old, parts[a:b]) for a, b in pairwise([0, *ends])]
    return found


def _rewritten(old: Sequence[str], parts: Iterable[Hunk]) -> bool:
    worded = [any(map(str.isalnum, line)) for line in old]
    return sum(sum(worded[one.start : one.end]) for one in parts) > _REWRITTEN * sum(worded)


def _joined(old: Sequence[str], parts: Sequence[Hunk]) -> Hunk:
    """A hunk from the first to the last, with the lines between them."""
    whole, *rest = parts
    for part in rest:
        between = old[whole.end : part.start]
        lines = (*whole.lines, *between, *part.lines)
        same = whole.same + len(between)
        whole = Hunk(whole.path, whole.start, part.end, lines, whole.now, same)
    return whole


def _ties(
    parts: Sequence[Hunk],
    old: Sequence[str],
    old_remarks: Sequence[bool],
    new_remarks: Sequence[bool],
) -> Iterator[int]:
    """Numbers of the hunks that are of a piece with the next.

    Only a comment is between them, or the first is a comment, or the second and there is no other.
    """

    def bare(one: Hunk) -> bool:
        now = slice(one.now, one.now + len(one.lines))
        return all(old_remarks[one.start : one.end]) and all(new_remarks[now])

    for i, (one, other) in enumerate(pairwise(parts)):
        between = slice(one.end, other.start)
        commented = all(old_remarks[between]) and any(map(str.strip, old[between]))
        if commented or bare(one) or (bare(other) and i + 2 == len(parts)):
            yield i


def _remarks(program: Program, path: str) -> list[bool]:
    """Whether each line of a file is blank, or holds a comment or docstring and nothing else."""
    sign = "#" if path.endswith((".py", ".pyi", ".pyx", ".sh", ".toml")) else "//"

    def emptied(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n") if found["remark"] else found[0]

    text = _ASIDE[sign].sub(emptied, program.files.get(path, ""))
    return [not line.strip() for line in _split(text)]


def _place(start: int, count: int) -> str:
    return str(start + 1) if count == 1 else f"{start + (count > 0)},{count}"


def applied(before: Program, chosen: Iterable[Hunk]) -> Program:
    """The program with these hunks applied."""
    files, shift = dict(before.files), Counter[str]()
    for hunk in sorted(chosen, key=lambda one: (one.path, one.start)):
        if hunk.removes:
            del files[hunk.path]
            continue
        lines, moved = _split(files.get(hunk.path, "")), shift[hunk.path]
        lines[hunk.start + moved : hunk.end + moved] = hunk.lines
        files[hunk.path] = "".join(lines)
        shift[hunk.path] += len(hunk.lines) - (hunk.end - hunk.start)
    return Program(files, before.entry)


def _lines(program: Program, path: str) -> list[str]:
    return _split(program.files.get(path, ""))


def _split(text: str) -> list[str]:
    """The lines with their ends, as a diff counts them."""
    return io.StringIO(text).readlines()
