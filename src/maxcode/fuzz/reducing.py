"""Smaller inputs of the same format: fewer rows with the counts adapted, and simpler fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from maxcode.fuzz.facts import Facts
from maxcode.fuzz.structure import Block, Count, Items, Line, Record, Row, Slot, integer
from maxcode.fuzz.values import Numbers, Records, Values, Words, taken

_LINEAR = ("{}", "{} - 1", "{} + 1")  # forms of counts: one less of what is counted, one less
_MAX_FIELDS = 400  # of an input whose fields are made simpler one by one


@dataclass(slots=True)
class _Counted:
    """Sequences of values or lines with a common count, if any."""

    sequences: list[tuple[list[Any], int]] = field(default_factory=list)  # and by how many more
    count: tuple[list[Any], int] | None = None  # where the number stands
    words: list[tuple[list[Any], int]] = field(default_factory=list)  # as long as it says
    indices: list[tuple[list[Any], int]] = field(default_factory=list)  # that it limits
    permutations: list[tuple[list[Any], int]] = field(default_factory=list)  # and their least


def smaller(items: Items, facts: Facts, read: list[Any]) -> Iterator[list[Any]]:
    """Smaller versions of a parsed input, the boldest first."""
    for number, counted in enumerate(_counted(items, facts, read)):
        size = _size(counted)
        for keep in _subsets(size):
            copied = deepcopy(read)
            _keep(_counted(items, facts, copied)[number], keep)
            yield copied
    places = list(_fields(items, facts, read))
    if len(places) > _MAX_FIELDS:
        return
    for number, (known, holder, place) in enumerate(places):
        for simple in _simpler(known, str(holder[place])):
            copied = deepcopy(read)
            _, other, same = list(_fields(items, facts, copied))[number]
            other[same] = simple
            yield copied


def _size(counted: _Counted) -> int:
    if counted.sequences:
        return min(len(one) - more for one, more in counted.sequences)
    return min((len(holder[place]) for holder, place in counted.words), default=0)


def _subsets(size: int) -> Iterator[list[int]]:
    """Indices to keep of ``size``: a few, or all but a chunk, as in delta debugging."""
    for least in (0, 1, 2):
        if size > least + 1:
            yield list(range(least))
            yield list(range(size - least, size))
    chunk = size // 2
    while chunk:
        for start in range(0, size, chunk):
            yield [*range(start), *range(start + chunk, size)]
        chunk //= 2


def _keep(counted: _Counted, keep: Sequence[int]) -> None:
    """Keep some of the counted values or lines, and adapt the count."""
    removed = _size(counted) - len(keep)
    for sequence, more in counted.sequences:
        end = len(sequence) - more
        sequence[:] = [sequence[n] for n in keep if n < end] + sequence[end:]
    for holder, place in counted.words:
        holder[place] = "".join(holder[place][n] for n in keep)
    if counted.count is None:
        return
    holder, place = counted.count
    count = int(holder[place]) - removed
    holder[place] = str(count)
    for holder, place in counted.indices:
        number = integer(holder[place]) if place < len(holder) else None
        if number is not None:
            holder[place] = str(min(number, count))
    for row, low in counted.permutations:
        ranks = {number: rank for rank, number in enumerate(sorted(map(int, row)), low)}
        row[:] = [str(ranks[int(number)]) for number in row]


def _counted(items: Items, facts: Facts, read: list[Any]) -> list[_Counted]:
    """Sequences and words of variable length, in the order of the input."""
    search = _Counts(facts)
    search.walk(items, read)
    return [one for one in search.found if one.sequences or one.words]


class _Counts:
    """Search for the sequences counted by each number of an input."""

    def __init__(self, facts: Facts) -> None:
        self.found: list[_Counted] = []
        self._facts = facts
        self._scope: dict[int, _Counted] = {}  # by the key of the number that counts

    def walk(self, items: Items, read: list[Any]) -> None:
        for item, parsed in zip(items, read, strict=True):
            if isinstance(item, Block):
                self._count(item.times, parsed)
                for repetition in parsed:
                    self.walk(item.items, repetition)
            elif isinstance(item, Line):
                self._line(item, parsed)

    def _line(self, line: Line, values: list[Any]) -> None:
        for place, part in enumerate(line.parts):
            if isinstance(part, Row):
                self._count(part.times, values[place])
                self._note(part.key, values[place], range(len(values[place])))
                continue
            self._note(part.key, values, [place])
            if integer(values[place]) is not None:
                self._scope[part.key] = _Counted(count=(values, place))
                self.found.append(self._scope[part.key])

    def _count(self, times: Count | None, sequence: list[Any]) -> None:
        if times is None:
            self.found.append(_Counted([(sequence, 0)]))
        elif times.form in _LINEAR and (counted := self._scope.get(times.of[0])):
            holder, place = counted.count or ([], 0)
            counted.sequences.append((sequence, max(0, len(sequence) - int(holder[place]))))

    def _note(self, key: int, holder: list[Any], places: Sequence[int]) -> None:
        known = self._facts.values.get(key)
        count = known.length if isinstance(known, Words) else None
        count = known.most if isinstance(known, Numbers) else count
        if count is None or not (counted := self._scope.get(count.of[0])):
            return
        if isinstance(known, Numbers) and known.distinct:
            counted.permutations.append((holder, known.low))
        else:
            found = counted.words if isinstance(known, Words) else counted.indices
            found += [(holder, place) for place in places]


def _fields(
    items: Items, facts: Facts, read: list[Any]
) -> Iterator[tuple[Values | None, list[Any], int]]:
    """Values of an input with the facts of their places."""
    for at, item in enumerate(items):
        if isinstance(item, Block):
            for repetition in read[at]:
                yield from _fields(item.items, facts, repetition)
        elif isinstance(item, Record):
            yield facts.values.get(item.key), read, at
        else:
            for place, part in enumerate(item.parts):
                known = facts.values.get(part.key)
                if isinstance(part, Slot):
                    yield known, read[at], place
                else:
                    yield from ((known, read[at][place], n) for n in range(len(read[at][place])))


def _simpler(known: Values | None, value: str) -> Iterator[str]:
    """Simpler values of one place."""
    if isinstance(known, Records):
        shape, fields = taken(known, value)
        for place, piece in enumerate(shape.pieces if shape else ()):
            for simple in _simpler(piece, fields[place]):
                if shape is not None:
                    yield shape.text([*fields[:place], simple, *fields[place + 1 :]])
    elif isinstance(known, Numbers) and (number := known.notation.number(value)) is not None:
        nearest, unit = min(max(0, known.low), known.high), known.notation.unit
        options = (nearest, nearest + unit, number - number % unit, (number + nearest) // 2)
        yield from (known.text(one) for one in dict.fromkeys(options) if abs(one) < abs(number))
    elif isinstance(known, Words) and known.length is None and not known.choices:
        least = max(known.shortest, 1)
        for length in dict.fromkeys((least, (least + len(value)) // 2, len(value) - 1)):
            if least <= length < len(value):
                yield value[:length]
        plain = next(filter(str.isalnum, known.letters), "") * len(value)
        yield from [plain] if plain not in {"", value} else []
        shorter = [word for word in known.bank if len(word) < len(value)]
        yield from sorted(shorter, key=len)[:1]


def rendered(items: Items, read: Sequence[Any]) -> list[str]:
    """Lines of a parsed input."""
    lines: list[str] = []
    for item, parsed in zip(items, read, strict=True):
        if isinstance(item, Block):
            for repetition in parsed:
                lines += rendered(item.items, repetition)
            lines += [] if item.last is None else [item.last]
        elif isinstance(item, Record):
            lines.append(parsed)
        else:
            values = [[one] if isinstance(one, str) else one for one in parsed]
            lines.append(" ".join(value for part in values for value in part))
    return lines
