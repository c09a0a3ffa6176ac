"""The difference between two programs as separate changes, any of which can be left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from maxcode.lang.syntax import (
    WORD,
    Block,
    Syntax,
    Token,
    declared,
    same_tokens,
    split_lines,
    syntax_of,
)
from maxcode.program import Program
from maxcode.task import Task

_MAX_PAIRS = 4_000_000  # of tokens that are compared with one another
_MAX_PIECES = 400  # pairs of statements whose texts are compared
_ALIKE = 0.5  # how alike two texts are of which one became the other


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the lines from ``start`` up to ``end`` of a file by others.

    ``removes`` says that the whole file goes; ``order`` sorts what is added at one place.
    """

    path: str
    start: int
    end: int
    lines: tuple[str, ...]
    removes: bool = False
    order: int = 0

    @property
    def size(self) -> int:
        """Lines removed and added."""
        return self.end - self.start + len(self.lines)

    @property
    def words(self) -> frozenset[str]:
        """The words of the added lines."""
        return frozenset(WORD.findall("".join(self.lines)))


Unit = tuple[Change, ...]
"""Changes that are kept or left out together."""


def size(units: Iterable[Unit]) -> int:
    """Lines that the units remove and add."""
    return sum(change.size for unit in units for change in unit)


def changed_lines(before: Program, after: Program) -> int:
    """How many lines a diff of the two removes and adds."""
    return size(changes(before, after))


def changes(before: Program, after: Program) -> list[Unit]:
    """The hunks, without context, that turn one program into the other; each a unit."""
    found: list[Unit] = []
    for path in before.changed(after):
        old, new = _lines(before, path), _lines(after, path)
        if path not in after.files:
            found.append((Change(path, 0, len(old), (), removes=True),))
            continue
        if path not in before.files:
            found.append((Change(path, 0, 0, tuple(new)),))
            continue
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                found.append((Change(path, i1, i2, tuple(new[j1:j2])),))
    return found


@dataclass(frozen=True, slots=True)
class Hunk:
    """A hunk of a unified diff without context: its file, its header, and what it changes."""

    path: str
    header: str
    unit: Unit

    @property
    def size(self) -> int:
        """Lines removed and added."""
        return size([self.unit])


def hunks(before: Program, after: Program) -> list[Hunk]:
    """The changes between two programs, each with its place as ``diff -U0`` writes it."""
    found: list[Hunk] = []
    shift: Counter[str] = Counter()
    for unit in changes(before, after):
        change = unit[0]
        old, new = change.end - change.start, len(change.lines)
        places = _place(change.start, old), _place(change.start + shift[change.path], new)
        shift[change.path] += new - old
        found.append(Hunk(change.path, f"@@ -{places[0]} +{places[1]} @@", unit))
    return found


def _place(start: int, count: int) -> str:
    return str(start + 1) if count == 1 else f"{start + (count > 0)},{count}"


def applied(before: Program, units: Iterable[Unit]) -> Program:
    """The program with these changes made."""
    by_path: dict[str, list[Change]] = {}
    for change in (change for unit in units for change in unit):
        by_path.setdefault(change.path, []).append(change)
    files = dict(before.files)
    for path, own in by_path.items():
        if any(change.removes for change in own):
            del files[path]
            continue
        lines, made, at = _lines(before, path), [], 0
        for change in sorted(own, key=lambda one: (one.start, one.order, one.end)):
            made += [*lines[at : change.start], *change.lines]
            at = max(at, change.end)
        files[path] = "".join([*made, *lines[at:]])
    return Program(files, before.entry)


def split(before: Program, after: Program, units: Sequence[Unit]) -> list[Unit]:
    """The same changes in smaller units: statement by statement, or line by line.

    ``units`` are those of :func:`changes` between the two. Of lines that were replaced, the pieces
    that are most alike on both sides go together.
    """
    found: list[Unit] = []
    shift: Counter[str] = Counter()  # how far behind lines lie in the new file
    for unit in units:
        change = unit[0]
        start = change.start + shift[change.path]
        shift[change.path] += len(change.lines) - (change.end - change.start)
        if change.removes or change.path not in before.files:
            found.append(unit)
            continue
        new = _cuts(change.path, after.files[change.path], start, start + len(change.lines))
        old = _cuts(change.path, before.files[change.path], change.start, change.end)
        new = [[(a - start, b - start) for a, b in piece] for piece in new]
        old = [[(a - change.start, b - change.start) for a, b in piece] for piece in old]
        if not old or not new or all(len(piece) == 1 for piece in (*old, *new)):
            found += _paired(change, _lines(before, change.path), old, new)
        else:
            found.append(unit)
    return found


def _paired(change: Change, lines: Sequence[str], old: Pieces, new: Pieces) -> list[Unit]:
    """The change in pieces: those that are alike on both sides, and what is between them."""

    def text(piece: list[tuple[int, int]], of: Sequence[str]) -> str:
        return " ".join("".join("".join(of[a:b]) for a, b in piece).split())

    theirs = [text(piece, lines[change.start : change.end]) for piece in old]
    ours = [text(piece, change.lines) for piece in new]
    anchors = [*sorted(_alignment(theirs, ours).items()), (len(new), len(old))]
    found: list[Unit] = []
    n = o = 0
    for next_new, next_old in anchors:
        found += _between(change, old[o:next_old], new[n:next_new], old[:o])
        if next_new < len(new):
            found += _between(change, [old[next_old]], [new[next_new]], [])
        n, o = next_new + 1, next_old + 1
    return found


def _between(change: Change, old: Pieces, new: Pieces, before: Pieces) -> list[Unit]:
    """Pieces of which one side took the other's place; ``before`` are old ones that precede."""
    at = before[-1][-1][1] if before else 0
    if not old:
        return [tuple(_part(change, at, at, a, b) for a, b in piece) for piece in new]
    if not new:
        return [tuple(_part(change, a, b, 0, 0) for a, b in piece) for piece in old]
    first, last = old[0][0][0], old[-1][-1][1]
    return [(_part(change, first, last, new[0][0][0], new[-1][-1][1]),)]


def _alignment(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """For new texts the old ones that they are like, in order: with the most likeness in all."""
    if len(old) * len(new) > _MAX_PIECES:
        return {n: n for n in range(len(new))} if len(old) == len(new) else {}
    alike = [[_likeness(one, other) for other in old] for one in new]
    best = [[0.0] * (len(old) + 1) for _ in range(len(new) + 1)]
    for n, row in enumerate(alike, 1):
        for o, gain in enumerate(row, 1):
            best[n][o] = max(best[n - 1][o], best[n][o - 1], best[n - 1][o - 1] + gain)
    found: dict[int, int] = {}
    n, o = len(new), len(old)
    while n and o:
        if best[n][o] == best[n - 1][o]:
            n -= 1
        elif best[n][o] == best[n][o - 1]:
            o -= 1
        else:
            n, o = n - 1, o - 1
            found[n] = o
    return found


def _likeness(one: str, other: str) -> float:
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return ratio if ratio >= _ALIKE else 0.0


def _part(change: Change, start: int, end: int, first: int, last: int) -> Change:
    lines = change.lines[first:last]
    return Change(change.path, change.start + start, change.start + end, lines, order=first)


Pieces = list[list[tuple[int, int]]]
"""Ranges of lines, of which those in one list belong together."""


def _cuts(path: str, text: str, start: int, end: int) -> Pieces:
    """The lines from ``start`` up to ``end`` in pieces."""
    syntax = syntax_of(path)
    if syntax is None:
        return [[(line, line + 1)] for line in range(start, end)]
    try:
        blocks = _within(syntax.blocks(text), start, end)
    except ValueError:
        blocks = []
    pieces: Pieces = []
    at = start
    if len(blocks) == 1 and len(blocks[0].inner) > 1:
        outer = blocks[0]
        inner = _within(outer.inner, outer.start + 1, outer.end - 1)
        if inner:  # the head and foot of what is inside go together
            pieces.append([(start, inner[0].start), (inner[-1].end, end)])
            at, end, blocks = inner[0].start, inner[-1].end, inner
    for number, block in enumerate(blocks, 1):
        last = end if number == len(blocks) else block.end
        if last > at:
            pieces.append([(at, last)])
            at = last
    return pieces or [[(start, end)]] * (end > start)


def _within(blocks: Sequence[Block], start: int, end: int) -> list[Block]:
    """The outermost blocks that lie in these lines as a whole."""
    found: list[Block] = []
    for block in blocks:
        if start <= block.start and block.end <= end:
            found.append(block)
        elif block.start < end and start < block.end:
            found += _within(block.inner, start, end)
    return found


# -- what may be left out -------------------------------------------------------------------------


class Names:
    """The names that a program declares and its baseline does not mention.

    They say what cannot be left out alone: code that uses such a name does not build without its
    declaration.
    """

    def __init__(self, before: Program, after: Program) -> None:
        known = {word for text in before.files.values() for word in WORD.findall(text)}
        self._own = declared(after) - known

    def uses(self, before: Program, units: Sequence[Unit]) -> list[list[Unit]]:
        """For each of the names the units that use it without declaring it.

        Left out together, they leave the declaration without a use.
        """
        every = declared(applied(before, units))
        declares = [
            every - declared(applied(before, [u for u in units if u is not unit])) for unit in units
        ]
        words = [frozenset[str]().union(*(change.words for change in unit)) for unit in units]
        found: list[list[Unit]] = []
        for name in sorted(self._own):
            group = [
                u for u, own, said in zip(units, declares, words, strict=True) if name in said - own
            ]
            if group and group not in found:
                found.append(group)
        return found

    def closed(self, before: Program, units: Sequence[Unit]) -> list[Unit]:
        """The units without those that use what is not declared any more."""
        kept = list(units)
        while lacking := self._own - declared(applied(before, kept)):
            fewer = [u for u in kept if not any(change.words & lacking for change in u)]
            if len(fewer) == len(kept):
                break
            kept = fewer
        return kept


# -- formatting and comments ----------------------------------------------------------------------


def reformatted(task: Task, after: Program) -> Program:
    """The program with the baseline's formatting and comments wherever its tokens are the same.

    It is built to the same, since its tokens are the same, and differs from the baseline in fewer
    lines.
    """
    before = task.baseline
    program = after
    for path in before.changed(after):
        syntax = syntax_of(path)
        if syntax is None or path not in before.files or path not in after.files:
            continue
        try:
            text = _reformatted(syntax, path, before.files[path], after.files[path])
        except ValueError:
            continue
        program = program.with_file(path, text)
    return program


def _reformatted(syntax: Syntax, path: str, before: str, after: str) -> str:
    old, new = split_lines(before), split_lines(after)
    old_at, new_at = _offsets(old), _offsets(new)
    ours, theirs = syntax.tokens(before), syntax.tokens(after)
    pieces: list[str] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        kept, changed = "".join(old[i1:i2]), "".join(new[j1:j2])
        pieces.append(kept if tag == "equal" else changed)
        if tag == "equal":
            continue
        tried = [kept]  # as if nothing but comments and white space were changed
        if syntax.free_form:
            a = _Stretch(before, ours, old_at[i1], old_at[i2])
            b = _Stretch(after, theirs, new_at[j1], new_at[j2])
            tried.append(_merged(a, b))
        for text in tried:
            if same_tokens(path, "".join([*pieces[:-1], text, *new[j2:]]), after):
                pieces[-1] = text
                break
    return "".join(pieces)


class _Stretch:
    """The tokens of some lines, with the white space and comments before each and at the end."""

    def __init__(self, text: str, tokens: Sequence[Token], start: int, end: int) -> None:
        self.tokens = [token for token in tokens if start <= token.start < end]
        self.words = [text[token.start : token.end] for token in self.tokens]
        self.gaps: list[str] = []
        at = start
        for token in self.tokens:
            self.gaps.append(text[at : token.start])
            at = token.end
        self.gaps.append(text[at:end])


def _merged(old: _Stretch, new: _Stretch) -> str:
    """The new tokens, with the old white space and comments between those that were there."""
    if len(old.tokens) * len(new.tokens) > _MAX_PAIRS:
        return "".join(gap + word for gap, word in zip(new.gaps, [*new.words, ""], strict=True))
    matcher = SequenceMatcher(
        None, [t.text for t in old.tokens], [t.text for t in new.tokens], autojunk=False
    )
    partner: dict[int, int] = {}
    for i, j, length in matcher.get_matching_blocks():
        partner.update((j + k, i + k) for k in range(length))
    _settle(partner, [t.text for t in new.tokens])
    partner[len(new.tokens)] = len(old.tokens)  # the ends belong together
    before_first = {-1: -1, **partner}
    pieces: list[str] = []
    for j, word in enumerate([*new.words, ""]):
        gap = _gap(old, new, partner.get(j), j, before_first.get(j - 1))
        pieces += [gap, word]
    return "".join(pieces)


def _settle(partner: dict[int, int], words: Sequence[str]) -> None:
    """Let what was inserted begin behind the end of a statement, where that is as good a match.

    ``; b = 2`` between ``a = 1`` and ``;`` becomes ``b = 2;`` behind ``a = 1;``.
    """
    first = None
    for j in range(len(words)):
        if j not in partner:
            first = j if first is None else first
            continue
        if first:
            i, start, end = partner[j], first, j
            while (
                words[start - 1] not in _ENDS
                and partner.get(end) == i
                and partner.get(start - 1) == i - 1
                and words[start] == words[end]
            ):
                partner[start] = partner.pop(end)
                start, end, i = start + 1, end + 1, i + 1
        first = None


_ENDS = (";", "{", "}")


def _gap(old: _Stretch, new: _Stretch, i: int | None, j: int, previous: int | None) -> str:
    """What stands before the new token ``j``.

    ``i`` and ``previous`` are the old tokens that are the same as this one and the one before it.
    """
    mine = new.gaps[j]
    if i is not None and not _as_deep(old, new, i, j):
        return mine  # it stands in another block now, so its indentation differs
    if i is not None and previous == i - 1:
        return old.gaps[i]
    if i is not None and _broken(mine) and _broken(old.gaps[i]):
        return _head(mine) + _tail(old.gaps[i])
    if i is None and previous is not None and _broken(mine) and _broken(old.gaps[previous + 1]):
        return _head(old.gaps[previous + 1]) + _tail(mine)
    return mine


def _as_deep(old: _Stretch, new: _Stretch, i: int, j: int) -> bool:
    if i == len(old.tokens) or j == len(new.tokens):
        return True
    return old.tokens[i].depth == new.tokens[j].depth


def _broken(gap: str) -> bool:
    return "\n" in gap


def _head(gap: str) -> str:
    return gap.partition("\n")[0]


def _tail(gap: str) -> str:
    return gap[len(_head(gap)) :]


def _offsets(lines: Sequence[str]) -> list[int]:
    found = [0]
    for line in lines:
        found.append(found[-1] + len(line))
    return found


def _lines(program: Program, path: str) -> list[str]:
    return split_lines(program.files.get(path, ""))
