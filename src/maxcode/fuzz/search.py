"""Search for the common structure of examples: the simplest hypothesis for all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from time import monotonic

from maxcode.fuzz.learning import tag_of, tags_of
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
from maxcode.fuzz.values import FIELD, is_spaced, taken_apart

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
    """Place in an example, a line and perhaps a value in it, with the integers read before it."""

    document: Document
    at: int
    scope: Scope
    column: int = 0

    @property
    def ended(self) -> bool:
        return self.at >= len(self.document.lines)

    @property
    def values(self) -> tuple[str, ...]:
        return self.document.values[self.at]

    def after(self, part: Slot | Row) -> _Cursor:
        """Place after a part of a line."""
        if isinstance(part, Row):
            times = part.times.value(self.scope) if part.times else 0
            return replace(self, column=self.column + times)
        number = integer(self.values[self.column])
        scope = self.scope if number is None else {**self.scope, part.key: number}
        return replace(self, scope=scope, column=self.column + 1)


@dataclass(frozen=True, slots=True)
class _Front:
    """Places reached in all examples, and slots of integers that may count what follows."""

    cursors: tuple[_Cursor, ...]
    keys: tuple[int, ...] = ()

    @property
    def ended(self) -> bool:
        return all(cursor.ended for cursor in self.cursors)

    def after(self, *items: Item) -> _Front | None:
        """Places after items; None where an example has others."""
        after: list[_Cursor] = []
        for cursor in self.cursors:
            scope = dict(cursor.scope)
            try:
                at, _ = parse_items(items, cursor.document, cursor.at, scope)
            except MismatchError:
                return None
            after.append(_Cursor(cursor.document, at, scope))
        return _Front(tuple(after), self.keys)

    def counts(self, left: Sequence[int]) -> Iterator[tuple[Count, float]]:
        """Counts within the remaining length of all examples; the likeliest of equal counts."""
        seen: set[tuple[int, ...]] = set()
        keys = [key for key in self.keys if all(key in cursor.scope for cursor in self.cursors)]
        for plus, cost in _PLUS.items():
            for key in keys:
                count = Count(key, plus)
                numbers = tuple(count.value(cursor.scope) for cursor in self.cursors)
                fits = all(0 <= number <= room for number, room in zip(numbers, left, strict=True))
                if fits and max(numbers) >= 2 and numbers not in seen:
                    seen.add(numbers)
                    yield count, cost


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
        start = _Front(tuple(_Cursor(document, 0, {}) for document in self._small))
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
        kinds: dict[int, tuple[float, set[bool]]] = {}  # cost of both numbers and words, and kinds
        records: dict[int, list[str]] = {}
        mixed = 0.0
        for document in self._documents:
            try:
                for place in walk(items, parse(items, document), {}):
                    item = place.item
                    if isinstance(item, Record):
                        records.setdefault(item.key, []).extend(place.values[:_MAX_LINES])
                    elif not isinstance(item, Block):
                        price = _MIXED_ROW if isinstance(item, Row) else _MIXED
                        _, seen = kinds.setdefault(item.key, (price, set()))
                        seen.update(map(_is_number, place.values))
            except MismatchError:
                return None
            mixed = sum(price for price, seen in kinds.values() if len(seen) > 1)
            if cost + mixed >= most:
                return None
        for lines in records.values():
            if not (len(lines) == len(self._documents) and _is_heading(lines)):
                cost += _cost_of_records(lines) - _RECORD
        return cost + mixed

    @property
    def _spent(self) -> bool:
        return self._trials > _MAX_TRIALS or monotonic() > self._until

    def _complete(self, start: _Front, limit: float) -> Iterator[tuple[Items, float]]:
        if start.ended:
            yield (), 0.0
        for items, cost, end in self._sequences(start, limit, 0, _MAX_ITEMS):
            if end.ended:
                yield items, cost

    def _sequences(
        self, front: _Front, limit: float, depth: int, longest: int
    ) -> Iterator[tuple[Items, float, _Front]]:
        """Sequences of items readable in all examples."""
        for item, cost, after in self._items(front, limit, depth):
            yield (item,), cost, after
            if longest > 1 and not after.ended:
                for rest, more, end in self._sequences(after, limit - cost, depth, longest - 1):
                    yield (item, *rest), cost + more, end

    def _items(
        self, front: _Front, limit: float, depth: int
    ) -> Iterator[tuple[Item, float, _Front]]:
        if limit < 0 or self._spent:
            return
        if depth < _MAX_DEPTH:
            yield from self._blocks(front, limit, depth)
        cursors = front.cursors
        if any(cursor.ended for cursor in cursors):
            return
        for line, cost in self._lines(front, limit, keyed=depth == 0):
            self._trials += 1
            after = front.after(line) if cost <= limit else None
            if after is not None:
                slots = [part.key for part in line.parts if isinstance(part, Slot)]
                known = [key for key in slots if all(key in c.scope for c in after.cursors)]
                yield line, cost, replace(after, keys=(*front.keys, *known)[-_MAX_SCOPE:])
        lines = [c.document.lines[c.at] for c in cursors]
        heading = depth == 0 and _is_heading(lines)
        cost = _RECORD if heading or _cost_of_records(lines) < inf else inf
        if heading and not any(c.at for c in cursors) and not re.search("[0-9]", lines[0]):
            cost = _HEADING
        if cost <= limit:
            below = tuple(_Cursor(c.document, c.at + 1, c.scope) for c in cursors)
            yield Record(self._new_key()), cost, _Front(below, front.keys)

    def _blocks(
        self, front: _Front, limit: float, depth: int
    ) -> Iterator[tuple[Block, float, _Front]]:
        left = [len(cursor.document.lines) - cursor.at for cursor in front.cursors]
        for count, cost in front.counts(left):
            yield from self._filled(Block(0, count, ()), 1 + cost, front, limit, depth)
        if depth or front.ended:
            return
        free = [(Block(0, None, (), last), 2.0) for last in self._last_lines(front)]
        if len(set(left)) == 1 and left[0] >= 3:
            free.append((Block(0, Count(None, left[0]), ()), 4.0))
        if len(set(left)) > 1 or len(left) < _SAME:
            free.append((Block(0, None, ()), 6.0))
        for block, cost in free:
            yield from self._filled(block, cost, front, limit, depth)

    def _filled(
        self, empty: Block, own_cost: float, front: _Front, limit: float, depth: int
    ) -> Iterator[tuple[Block, float, _Front]]:
        """The block with bodies for all repetitions, guessed from the first of each example."""
        lines = [_repeated(empty, cursor) for cursor in front.cursors]
        cursors = tuple(c for c, found in zip(front.cursors, lines, strict=True) if found)
        if not cursors or limit < own_cost:
            return
        # a number that counts repetitions does not count within them too
        counting = empty.times.of if empty.times else None
        first = _Front(cursors, tuple(key for key in front.keys if key != counting))
        found = self._sequences(first, limit - own_cost, depth + 1, _MAX_BODY)
        bodies: Iterator[tuple[Items, float]] = ((items, cost) for items, cost, _ in found)
        if _cost_of_records([line for found in lines for line in found]) < inf:
            bodies = chain([((Record(self._new_key()),), _RECORD)], bodies)
        for items, cost in bodies:
            self._trials += 1
            if self._spent:
                return
            block = replace(empty, key=self._new_key(), items=items)
            after = front.after(block)
            if after is not None:
                yield block, own_cost + cost, after

    @staticmethod
    def _last_lines(front: _Front) -> list[str]:
        """Possible last lines of a block, common to all examples."""
        lines = [[line.strip() for line in c.document.lines[c.at :]] for c in front.cursors]
        if not all(lines):
            return []
        usual = {line for line in lines[0] if line and set(line.split()) <= _LAST_LINES}
        word = lines[0][-1]
        if len(lines) > 2 and word.isalpha() and all(one.count(word) == 1 for one in lines):
            usual.add(word)
        return sorted(line for line in usual if all(line in one for one in lines))

    def _lines(self, front: _Front, limit: float, *, keyed: bool) -> Iterator[tuple[Line, float]]:
        """Lines readable at all cursors, without some beyond the cost limit.

        ``keyed``: a word common to all cursors is a key.
        """
        lines = [cursor.values for cursor in front.cursors]
        if any(is_spaced(c.document.lines[c.at]) for c in front.cursors):
            return
        values = [value for line in lines for value in line]
        signs = not any(any(map(str.isalnum, value)) for value in values)
        if not signs and any(map(_SIGNS.search, values)):
            return
        widths = {len(line) for line in lines}
        if widths == {0}:
            yield Line(()), 0.5
            return
        yield from self._rows(front, (), 1.0, limit)
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
        self, front: _Front, parts: tuple[Slot | Row, ...], cost: float, limit: float
    ) -> Iterator[tuple[Line, float]]:
        """Lines with at least one counted row, after up to a few slots each."""
        left = [len(cursor.values) - cursor.column for cursor in front.cursors]
        rows = sum(isinstance(part, Row) for part in parts)
        if rows and not any(left):
            yield Line(parts), cost
            return
        self._trials += 1
        if min(left) < 0 or not any(left) or cost > limit or self._trials > _MAX_TRIALS:
            return
        further: list[tuple[Slot | Row, float]] = [
            (Row(self._new_key(), count), 1.5 + more) for count, more in front.counts(left)
        ]
        if min(left) > 0 and len(parts) - rows < 6:
            further.append((Slot(self._new_key()), 1.0))
        for part, more in further:
            cursors = tuple(cursor.after(part) for cursor in front.cursors)
            keys = (*front.keys, part.key) if isinstance(part, Slot) else front.keys
            after = _Front(cursors, keys[-_MAX_SCOPE:])
            yield from self._rows(after, (*parts, part), cost + more, limit)

    def _new_key(self) -> int:
        self._key += 1
        return self._key


def _repeated(block: Block, cursor: _Cursor) -> list[str]:
    """Lines of a block of single lines."""
    lines = list(cursor.document.lines[cursor.at :])
    if block.times is not None:
        return lines[: block.times.value(cursor.scope)]
    if block.last is not None:
        return lines[: [line.strip() for line in lines].index(block.last)]
    return lines


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
    kinds = {(tag_of(line, tags), taken_apart(FIELD, line)[0]) for line in lines}
    each = Counter(tag_of(line, tags) for line in lines)
    if len(each) >= _MIN_KEYS and len(set(each.values())) == 1 < min(each.values()):
        return _KEYED  # each key as often as the others
    fields = sum(len(literals) - 1 for _, literals in kinds)
    return 1.0 + len(kinds) + 0.3 * fields


def _is_heading(lines: Sequence[str]) -> bool:
    """Whether all examples have the same line here, with letters."""
    return len(lines) > 1 and len(set(lines)) == 1 and any(map(str.isalpha, lines[0]))


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
