"""Smaller inputs of the same format: fewer rows with the counts adapted, and simpler fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from maxcode.fuzz.facts import Facts
from maxcode.fuzz.structure import Block, Items, MismatchError, Row, Scope, Slot, integer, walk
from maxcode.fuzz.values import Numbers, Records, Values, Words, limited, taken

_MAX_FIELDS = 400  # of an input whose fields are made simpler one by one


@dataclass(slots=True)
class _Counted:
    """Sequences of values or lines with a common count, if any."""

    sequences: list[tuple[list[Any], int]] = field(default_factory=list)  # and by how many more
    count: tuple[list[Any], int] | None = None  # where the number stands
    words: list[tuple[list[Any], int]] = field(default_factory=list)  # as long as it says

    @property
    def size(self) -> int:
        """Number of values, lines or letters that may go."""
        if self.sequences:
            return min(len(one) - more for one, more in self.sequences)
        return min(len(holder[place]) for holder, place in self.words)

    def keep(self, kept: Sequence[int]) -> None:
        """Keep some of the counted values or lines, and adapt the count."""
        removed = self.size - len(kept)
        for sequence, more in self.sequences:
            end = len(sequence) - more
            sequence[:] = [sequence[n] for n in kept if n < end] + sequence[end:]
        for holder, place in self.words:
            holder[place] = "".join(holder[place][n] for n in kept)
        if self.count is not None:
            holder, place = self.count
            holder[place] = str(int(holder[place]) - removed)


def smaller(items: Items, facts: Facts, read: list[Any]) -> Iterator[list[Any]]:
    """Smaller versions of a parsed input, the boldest first."""
    for counted in _counted(items, facts, read):
        for kept in _subsets(counted.size):
            copied, part = deepcopy((read, counted))
            part.keep(kept)
            _lower(items, facts, copied)
            yield copied
    places = [
        (known, place.holder, at)
        for place in walk(items, read, {})
        if (known := facts.get(place.item.key)) is not None
        for at in range(len(place.holder))[place.at]
    ]
    for known, holder, at in places if len(places) <= _MAX_FIELDS else ():
        for simple in _simpler(known, holder[at]):
            copied, other = deepcopy((read, holder))
            other[at] = simple
            yield copied


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


def _counted(items: Items, facts: Facts, read: list[Any]) -> list[_Counted]:
    """Sequences and words of variable length, in the order of the input."""
    found: list[_Counted] = []
    numbers: dict[int, _Counted] = {}  # by the key of the number that counts
    for place in walk(items, read, {}):
        item, holder = place.item, place.holder
        if isinstance(item, Row | Block):
            if item.times is None:
                found.append(_Counted([(holder, 0)]))
            elif item.times.of in numbers:
                more = len(holder) - place.scope.get(item.times.of, 0)
                numbers[item.times.of].sequences.append((holder, max(0, more)))
        known = facts.get(item.key)
        if isinstance(known, Records) and [len(one.pieces) for one in known.shapes] == [1]:
            known = known.shapes[0].pieces[0]
        length = known.length if isinstance(known, Words) else None
        if length is not None and length.of in numbers:
            numbers[length.of].words += [(holder, n) for n in range(len(holder))[place.at]]
        if isinstance(item, Slot) and integer(place.values[0]) is not None:
            numbers[item.key] = _Counted(count=(holder, place.at.start))
            found.append(numbers[item.key])
    return [one for one in found if one.sequences or one.words]


def _lower(items: Items, facts: Facts, read: list[Any]) -> None:
    """Lower numbers to the limits set by other values; permutations keep their order."""
    for place in walk(items, read, {}):
        known = facts.get(place.item.key)
        if known is None:
            continue
        if isinstance(known, Numbers) and known.most and known.distinct:
            ranks = {n: rank for rank, n in enumerate(sorted(map(int, place.values)), known.low)}
            place.put([str(ranks[int(number)]) for number in place.values])
        else:
            place.put([_lowered(known, value, place.scope) for value in place.values])


def _lowered(known: Values, value: str, scope: Scope) -> str:
    if isinstance(known, Numbers):
        try:
            most = known.most.value(scope) if known.most else None
        except MismatchError:
            most = None
        number = known.notation.number(value)
        return value if most is None or number is None else known.text(min(number, most))
    if not limited(known):
        return value
    shape, fields = taken(known, value)
    if shape is None:
        return value
    pairs = zip(shape.pieces, fields, strict=True)
    return shape.text(_lowered(piece, one, scope) for piece, one in pairs)


def _simpler(known: Values, value: str) -> Iterator[str]:
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
