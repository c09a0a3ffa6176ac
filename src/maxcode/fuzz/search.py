"""Search for the common structure of examples: the simplest hypothesis for all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from time import monotonic

from maxcode.fuzz.structure import (
    Block,
    Count,
    Document,
    Item,
    Items,
    Line,
    MismatchError,
    Record,
    Row,
    Scope,
    Slot,
    integer,
    parse,
    parse_items,
    walk,
    with_tables,
)
from maxcode.fuzz.values import fields_of, is_spaced, tag_of, tags_of

_LIMITS = (6.0, 9.0, 13.0, 18.0, 25.0, 35.0, 50.0)  # of a hypothesis's cost, tried in turn
_MAX_TRIALS = 6000  # items looked at, then the search ends
_MAX_CANDIDATES = 40  # hypotheses compared at one limit
_SMALL = 20_000  # bytes: examples to search in, the others are only read
_MEDIUM, _MIN_SMALL = 200_000, 3  # bytes of examples, and how many are searched where few are small
_MAX_SCOPE = 6  # integers that counts are made of: the latest ones
_MAX_ITEMS = 20
_MAX_BODY = 4  # items of a block
_MAX_DEPTH = 2  # blocks within blocks
_PLUS = {0: 0.0, -1: 0.5, 1: 0.7}  # what counts add to a number, and how unlikely that is
_LAST_LINES = {"0", "-1", "#", "*", ".", "END", "end", "0.0"}
_SIGNS = re.compile(r'\w[,;=]+\w|["{}\[\]|]|\d[,;]$|^[,;].')  # in words of records
_MAX_LINES = 2000  # of records that are looked at
_HEADING = -1.0  # cost of a first line of words that all examples share: it is no accident
_RECORD = 0.5  # cost of records, of whatever kinds
_SAME = 3  # examples of as many lines, which then is no accident
_MIN_KEYS, _KEYED = 3, 1.0  # kinds of keyed lines, and their cost
_MIXED = 1.0  # cost of a slot that is a number here and a word there
_MIXED_ROW = 6.0  # and of such a row: its values have places of their own


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Place in an example, with the integers read before it."""

    document: Document
    at: int
    scope: Scope

    @property
    def ended(self) -> bool:
        return self.at >= len(self.document.lines)

    @property
    def values(self) -> tuple[str, ...]:
        return self.document.values[self.at]


Cursors = tuple[_Cursor, ...]


def find_structure(documents: Sequence[Document], until: float = inf) -> Items | None:
    """The simplest structure of all documents, if found within bounds.

    The search ends at ``until``, a reading of :func:`time.monotonic`, with the best so far.
    """
    best = _Search(documents, until).best()
    return None if best is None else with_tables(best)


class _Search:
    """Depth-first search over items possible in all examples, with a limit on their total cost."""

    def __init__(self, documents: Sequence[Document], until: float) -> None:
        by_size = sorted(documents, key=lambda document: sum(map(len, document.lines)))
        small = [doc for doc in by_size if sum(map(len, doc.lines)) <= _SMALL][:12]
        self._documents = by_size
        few = [doc for doc in by_size[:_MIN_SMALL] if sum(map(len, doc.lines)) <= _MEDIUM]
        self._small = max(small, few, by_size[:1], key=len)
        self._until = until
        self._key = 0
        self._trials = 0

    def best(self) -> Items | None:
        start = tuple(_Cursor(document, 0, {}) for document in self._small)
        found: list[tuple[float, int, Items]] = []
        for limit in _LIMITS:
            self._trials = 0
            for items, cost in self._complete(start, limit):
                best = min(found)[0] if found else inf
                total = self._total_cost(items, cost, best)
                if total is not None:
                    found.append((total, len(found), items))
                if len(found) >= _MAX_CANDIDATES or monotonic() > self._until:
                    break
            if found and min(found)[0] <= limit:
                break
        return min(found)[2] if found else None

    def _total_cost(self, items: Items, cost: float, most: float) -> float | None:
        """Cost with the values of all examples; None for an unread example, or above ``most``."""
        kinds: dict[int, set[bool]] = {}
        rows: set[int] = set()
        records: dict[int, list[str]] = {}
        for document in self._documents:
            try:
                _note_kinds(items, document, kinds, rows, records)
            except MismatchError:
                return None
            if cost + _cost_of_kinds(kinds, rows) >= most:
                return None
        for lines in records.values():
            if not (len(lines) == len(self._documents) and _is_heading(lines)):
                cost += _cost_of_records(lines) - _RECORD
        return cost + _cost_of_kinds(kinds, rows)

    def _complete(self, start: Cursors, limit: float) -> Iterator[tuple[Items, float]]:
        if all(cursor.ended for cursor in start):
            yield (), 0.0
        for items, cost, cursors in self._sequences(start, (), limit, 0, _MAX_ITEMS):
            if all(cursor.ended for cursor in cursors):
                yield items, cost

    def _sequences(
        self, cursors: Cursors, scope: tuple[int, ...], limit: float, depth: int, longest: int
    ) -> Iterator[tuple[Items, float, Cursors]]:
        """Sequences of items readable from all cursors."""
        for item, cost, after, inner in self._items(cursors, scope, limit, depth):
            yield (item,), cost, after
            if longest > 1 and not all(cursor.ended for cursor in after):
                for rest, more, end in self._sequences(
                    after, inner, limit - cost, depth, longest - 1
                ):
                    yield (item, *rest), cost + more, end

    def _items(
        self, cursors: Cursors, scope: tuple[int, ...], limit: float, depth: int
    ) -> Iterator[tuple[Item, float, Cursors, tuple[int, ...]]]:
        if limit < 0 or self._trials > _MAX_TRIALS or monotonic() > self._until:
            return
        if depth < _MAX_DEPTH:
            for block, cost, after in self._blocks(cursors, scope, limit, depth):
                yield block, cost, after, scope
        if any(cursor.ended for cursor in cursors):
            return
        for line, cost in self._lines(cursors, scope, limit, keyed=depth == 0):
            self._trials += 1
            if cost <= limit:
                read = _advanced((line,), cursors)
                if read is not None:
                    slots = [part.key for part in line.parts if isinstance(part, Slot)]
                    known = [key for key in slots if all(key in c.scope for c in read)]
                    yield line, cost, read, (*scope, *known)[-_MAX_SCOPE:]
        lines = [c.document.lines[c.at] for c in cursors]
        heading = depth == 0 and _is_heading(lines)
        cost = _RECORD if heading or _cost_of_records(lines) < inf else inf
        if heading and not any(c.at for c in cursors) and not re.search("[0-9]", lines[0]):
            cost = _HEADING
        if cost <= limit:
            after = tuple(_Cursor(c.document, c.at + 1, c.scope) for c in cursors)
            yield Record(self._new_key()), cost, after, scope

    def _blocks(
        self, cursors: Cursors, scope: tuple[int, ...], limit: float, depth: int
    ) -> Iterator[tuple[Block, float, Cursors]]:
        left = [len(cursor.document.lines) - cursor.at for cursor in cursors]
        for count, cost in _counts(cursors, scope, left, whole=False):
            yield from self._filled(Block(0, count, ()), 1 + cost, cursors, scope, limit, depth)
        if depth or all(cursor.ended for cursor in cursors):
            return
        free = [(Block(0, None, (), last), 2.0) for last in self._last_lines(cursors)]
        if len(set(left)) == 1 and left[0] >= 3:
            free.append((Block(0, Count(None, left[0]), ()), 4.0))
        if len(set(left)) > 1 or len(cursors) < _SAME:
            free.append((Block(0, None, ()), 6.0))
        for block, cost in free:
            yield from self._filled(block, cost, cursors, scope, limit, depth)

    def _filled(
        self,
        empty: Block,
        own_cost: float,
        cursors: Cursors,
        scope: tuple[int, ...],
        limit: float,
        depth: int,
    ) -> Iterator[tuple[Block, float, Cursors]]:
        """The block with bodies for all repetitions, guessed from the first of each example."""
        if empty.times is not None:  # what counts repetitions does not count within them too
            scope = tuple(key for key in scope if key != empty.times.of)
        lines = [_repeated(empty, cursor) for cursor in cursors]
        first = tuple(cursor for cursor, found in zip(cursors, lines, strict=True) if found)
        if not first or limit < own_cost:
            return
        bodies: Iterator[tuple[Items, float]] = (
            (items, cost)
            for items, cost, _ in self._sequences(
                first, scope, limit - own_cost, depth + 1, _MAX_BODY
            )
        )
        if _cost_of_records([line for found in lines for line in found]) < inf:
            bodies = chain([((Record(self._new_key()),), _RECORD)], bodies)
        for items, cost in bodies:
            self._trials += 1
            if self._trials > _MAX_TRIALS or monotonic() > self._until:
                return
            block = replace(empty, key=self._new_key(), items=items)
            after = _advanced((block,), cursors)
            if after is not None:
                yield block, own_cost + cost, after

    @staticmethod
    def _last_lines(cursors: Cursors) -> list[str]:
        """Possible last lines of a block, common to all examples."""
        lines = [[line.strip() for line in c.document.lines[c.at :]] for c in cursors]
        if not all(lines):
            return []
        usual = {line for line in lines[0] if line and set(line.split()) <= _LAST_LINES}
        word = lines[0][-1]
        if len(lines) > 2 and word.isalpha() and all(one.count(word) == 1 for one in lines):
            usual.add(word)
        return sorted(line for line in usual if all(line in one for one in lines))

    def _lines(
        self, cursors: Cursors, scope: tuple[int, ...], limit: float, *, keyed: bool
    ) -> Iterator[tuple[Line, float]]:
        """Lines readable at all cursors, without some beyond the cost limit.

        ``keyed``: a word common to all cursors is a key.
        """
        lines = [cursor.values for cursor in cursors]
        if any(is_spaced(c.document.lines[c.at]) for c in cursors):
            return
        values = [value for line in lines for value in line]
        signs = not any(any(map(str.isalnum, value)) for value in values)
        if not signs and any(map(_SIGNS.search, values)):
            return
        widths = {len(line) for line in lines}
        if widths == {0}:
            yield Line(()), 0.5
            return
        yield from self._rows(cursors, scope, (), 1.0, limit)
        if len(widths) == 1:
            width = widths.pop()
            if width <= 12:
                columns = list(zip(*lines, strict=True))
                keys = sum(len(set(c)) == 1 and integer(c[0]) is None for c in columns)
                cost = 1.0 + min(width, 3 + 0.25 * (width - 3))
                if keyed and keys and len(lines) > 1:
                    cost = 0.3 + 0.5 * (width - keys)
                yield Line(tuple(Slot(self._new_key()) for _ in range(width))), cost
        if len({integer(value) is None for line in lines for value in line}) == 1:
            if len({line[-1] for line in lines if line}) == 1 < len(lines):
                yield Line((Row(self._new_key(), None), Slot(self._new_key()))), 8.5
            yield Line((Row(self._new_key(), None),)), 9.0

    def _rows(
        self,
        cursors: Cursors,
        scope: tuple[int, ...],
        parts: tuple[Slot | Row, ...],
        cost: float,
        limit: float,
    ) -> Iterator[tuple[Line, float]]:
        """Lines with at least one counted row, after up to a few slots each."""
        reached = [_reached(parts, cursor) for cursor in cursors]
        left = [len(cursor.values) - at for cursor, (at, _) in zip(cursors, reached, strict=True)]
        rows = sum(isinstance(part, Row) for part in parts)
        if rows and not any(left):
            yield Line(parts), cost
            return
        self._trials += 1
        hopeless = min(left) < 0 or not any(left) or cost > limit
        if hopeless or self._trials > _MAX_TRIALS:
            return
        inner = tuple(
            _Cursor(cursor.document, cursor.at, known)
            for cursor, (_, known) in zip(cursors, reached, strict=True)
        )
        keys = tuple(key for key in scope if all(key in cursor.scope for cursor in inner))
        for count, more in _counts(inner, keys, left, whole=rows >= 2):
            row = Row(self._new_key(), count)
            yield from self._rows(cursors, scope, (*parts, row), cost + 1.5 + more, limit)
        slots = len(parts) - rows
        if min(left) > 0 and slots < 6 and rows < 3:
            slot = Slot(self._new_key())
            yield from self._rows(
                cursors, (*scope, slot.key)[-_MAX_SCOPE:], (*parts, slot), cost + 1.0, limit
            )

    def _new_key(self) -> int:
        self._key += 1
        return self._key


def _reached(parts: Sequence[Slot | Row], cursor: _Cursor) -> tuple[int, Scope]:
    """Number of values read by the parts of a line, and the scope after them."""
    at, scope = 0, dict(cursor.scope)
    for part in parts:
        if isinstance(part, Slot):
            number = integer(cursor.values[at]) if at < len(cursor.values) else None
            if number is not None:
                scope[part.key] = number
            at += 1
        elif part.times is not None:
            at += part.times.value(scope)
    return at, scope


def _repeated(block: Block, cursor: _Cursor) -> list[str]:
    """Lines of a block of single lines."""
    lines = list(cursor.document.lines[cursor.at :])
    if block.times is not None:
        return lines[: block.times.value(cursor.scope)]
    if block.last is not None:
        return lines[: [line.strip() for line in lines].index(block.last)]
    return lines


def _counts(
    cursors: Cursors, scope: tuple[int, ...], left: Sequence[int], *, whole: bool
) -> Iterator[tuple[Count, float]]:
    """Counts within the remaining length of all examples; the likeliest of equal counts.

    ``whole``: the count is the whole remaining length.
    """
    seen: set[tuple[int, ...]] = set()
    for plus, cost in _PLUS.items():
        for key in scope:
            count = Count(key, plus)
            numbers = tuple(count.value(cursor.scope) for cursor in cursors)
            fits = all(0 <= number <= room for number, room in zip(numbers, left, strict=True))
            if not fits or max(numbers) < 2 or numbers in seen:
                continue
            if whole and list(numbers) != list(left):
                continue
            seen.add(numbers)
            yield count, cost


def _cost_of_records(lines: Sequence[str]) -> float:
    """Cost of reading lines as records."""
    lines = lines[:_MAX_LINES]
    tags = tags_of(lines)
    split = [line.split() for line in lines]
    signs = not any(map(str.isalnum, {letter for line in lines for letter in line}))
    plain = signs or not any(_SIGNS.search(word) for words in split for word in words)
    if (
        not tags
        and plain
        and (
            len({len(words) for words in split}) == 1
            or all(integer(word) is not None for words in split for word in words)
        )
    ):
        return inf  # lines of values
    kinds = {(tag_of(line, tags), fields_of(line)[0]) for line in lines}
    each = Counter(tag_of(line, tags) for line in lines)
    if len(each) >= _MIN_KEYS and len(set(each.values())) == 1 < min(each.values()):
        return _KEYED  # each key as often as the others
    fields = sum(len(literals) - 1 for _, literals in kinds)
    return 1.0 + len(kinds) + 0.3 * fields


def _advanced(items: Items, cursors: Cursors) -> Cursors | None:
    after: list[_Cursor] = []
    for cursor in cursors:
        scope = dict(cursor.scope)
        try:
            at, _ = parse_items(items, cursor.document, cursor.at, scope)
        except MismatchError:
            return None
        after.append(_Cursor(cursor.document, at, scope))
    return tuple(after)


def _is_heading(lines: Sequence[str]) -> bool:
    """Whether all examples have the same line here, with letters."""
    return len(lines) > 1 and len(set(lines)) == 1 and any(map(str.isalpha, lines[0]))


def _note_kinds(
    items: Items,
    document: Document,
    kinds: dict[int, set[bool]],
    rows: set[int],
    records: dict[int, list[str]],
) -> None:
    """Collect kinds of values (numbers, words) by slot and row, and lines of records."""
    for place in walk(items, parse(items, document), {}):
        key = place.item.key
        if isinstance(place.item, Record):
            records.setdefault(key, []).extend(place.values[:_MAX_LINES])
        elif not isinstance(place.item, Block):
            rows |= {key} if isinstance(place.item, Row) else set()
            kinds.setdefault(key, set()).update(map(_is_number, place.values))


def _cost_of_kinds(kinds: dict[int, set[bool]], rows: set[int]) -> float:
    """Cost of places with both numbers and words."""
    mixed = [key for key, found in kinds.items() if len(found) > 1]
    return sum(_MIXED_ROW if key in rows else _MIXED for key in mixed)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
