"""Smaller inputs of the same format: fewer rows with the counts adapted, and simpler fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from maxcode.fuzz.facts import Facts
from maxcode.fuzz.structure import (
    Block,
    Items,
    MismatchError,
    Record,
    Row,
    Scope,
    Slot,
    integer,
    walk,
)
from maxcode.fuzz.values import Numbers, Records, Values, Words, limited, taken

_MAX_FIELDS = 400  # of an input whose fields are made simpler one by one


@dataclass(slots=True)
class _Counted:
    """Sequences of values or lines with a common count, if any."""

    sequences: list[tuple[list[Any], int]] = field(default_factory=list)  # and by how many more
    count: tuple[list[Any], int] | None = None  # where the number stands
    words: list[tuple[list[Any], int]] = field(default_factory=list)  # as long as it says


def smaller(items: Items, facts: Facts, read: list[Any]) -> Iterator[list[Any]]:
    """Smaller versions of a parsed input, the boldest first."""
    for number, counted in enumerate(_counted(items, facts, read)):
        size = _size(counted)
        for keep in _subsets(size):
            copied = deepcopy(read)
            _keep(_counted(items, facts, copied)[number], keep)
            _lower(items, facts, copied)
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


def _counted(items: Items, facts: Facts, read: list[Any]) -> list[_Counted]:
    """Sequences and words of variable length, in the order of the input."""
    found: list[_Counted] = []
    numbers: dict[int, _Counted] = {}  # by the key of the number that counts
    for place in walk(items, read, {}):
        item, holder = place.item, place.holder
        times = item.times if isinstance(item, Row | Block) else None
        if isinstance(item, Row | Block) and times is None:
            found.append(_Counted([(holder, 0)]))
        elif times is not None and times.of in numbers:
            counted, number = numbers[times.of], place.scope.get(times.of, 0)
            counted.sequences.append((holder, max(0, len(holder) - number)))
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
        if known is None or isinstance(place.item, Block):
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


def _fields(
    items: Items, facts: Facts, read: list[Any]
) -> Iterator[tuple[Values | None, list[Any], int]]:
    """Values of an input with the facts of their places."""
    for place in walk(items, read, {}):
        if not isinstance(place.item, Block):
            known = facts.get(place.item.key)
            yield from ((known, place.holder, n) for n in range(len(place.holder))[place.at])


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
                lines += [repetition] if item.record else rendered(item.items, repetition)
            lines += [] if item.last is None else [item.last]
        elif isinstance(item, Record):
            lines.append(parsed)
        else:
            values = [[one] if isinstance(one, str) else one for one in parsed]
            lines.append(" ".join(value for part in values for value in part))
    return lines
