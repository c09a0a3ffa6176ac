"""The difference between two programs as hunks, any of which can be left out."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from maxcode.program import Program


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file and their replacement, as ``diff -U0`` has them.

    ``lines`` replace the lines from ``start`` up to ``end``; ``header`` is the diff's. ``removes``
    says whether the whole file goes.
    """

    path: str
    start: int
    end: int
    lines: tuple[str, ...]
    header: str = ""
    removes: bool = False

    @property
    def size(self) -> int:
        """Lines removed and added."""
        return self.end - self.start + len(self.lines)


def changed_lines(before: Program, after: Program) -> int:
    """Number of lines a diff of both removes and adds."""
    return sum(hunk.size for hunk in hunks(before, after))


def hunks(before: Program, after: Program) -> list[Hunk]:
    """Hunks, without context, between two programs."""
    found: list[Hunk] = []
    for path in before.changed(after):
        old, new = _lines(before, path), _lines(after, path)
        if path not in before.files or path not in after.files:
            header = _header(0, len(old), 0, len(new))
            found.append(Hunk(path, 0, len(old), tuple(new), header, path not in after.files))
            continue
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                header = _header(i1, i2 - i1, j1, j2 - j1)
                found.append(Hunk(path, i1, i2, tuple(new[j1:j2]), header))
    return found


def _header(old: int, removed: int, new: int, added: int) -> str:
    return f"@@ -{_place(old, removed)} +{_place(new, added)} @@"


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
