"""The difference between two programs as hunks, any of which can be left out."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby

from maxcode.program import Program

_REWRITTEN = 0.5  # share of a file's lines with words that are gone


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
    """Hunks that are left out or kept as a whole.

    A file of which more than half was rewritten is a single one.
    """
    found: list[Hunk] = []
    for path, of_file in groupby(hunks(before, after), key=lambda hunk: hunk.path):
        parts, old = list(of_file), _lines(before, path)
        found += [_joined(old, parts)] if _rewritten(old, parts) else parts
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
        whole = replace(whole, end=part.end, lines=lines, same=whole.same + len(between))
    return whole


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
