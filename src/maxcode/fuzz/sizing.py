"""Fresh inputs of the size and shape of an example: for timing on inputs nothing was tuned to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from random import Random

from maxcode.fuzz.drawing import Drawing, Plan
from maxcode.fuzz.facts import Facts
from maxcode.fuzz.structure import Block, Items, Line, Parsed, Record, Row, Scope, Slot, integer
from maxcode.fuzz.values import (
    Integers,
    Reals,
    Records,
    Shape,
    Values,
    Words,
    fields_of,
    shape_of,
)

_SMALL = 8  # numbers below which stand for cases rather than sizes
_SEEN = 3  # examples that show whether other numbers limit one
_NEARLY_SORTED = 0.9  # of the steps in one direction: such rows keep the order of their values


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which size: that of the example times ``factor``.

    ``wide``: numbers that stand alone and count nothing are anywhere between those of the examples,
    and not near to the example's, though some may be what its size depends on.
    """

    chance: Random
    factor: float = 1.0
    wide: bool = False


def resized(items: Items, facts: Facts, read: Sequence[Parsed], wanted: Wanted) -> str:
    """The lines of a fresh input like the one that was ``read``, without what ends the last."""
    return "\n".join(_Resizing(items, facts, wanted).items(items, read, {}, {}))


class _Resizing:
    """Draws one input alongside the example."""

    def __init__(self, items: Items, facts: Facts, wanted: Wanted) -> None:
        self._facts = facts
        self._wanted = wanted
        self._chance = wanted.chance
        self._renamed: dict[str, str] = {}
        plan = Plan("large", edges=False, beyond=False)
        self._drawing = Drawing(items, facts, wanted.chance, plan, inf)
        self._factors = self._drawing.factors

    def items(self, items: Items, read: Sequence[Parsed], old: Scope, scope: Scope) -> list[str]:
        lines: list[str] = []
        for item, parsed in zip(items, read, strict=True):
            if isinstance(item, Block):
                lines += self._block(item, list(parsed), old, scope)
            elif isinstance(item, Record):
                lines += self._records(item.key, [str(parsed)], 1, old, scope)
            else:
                lines.append(self._line(item, parsed, old, scope))
        return lines

    def _line(self, line: Line, read: Sequence[Parsed], old: Scope, scope: Scope) -> str:
        values: list[str] = []
        for part, parsed in zip(line.parts, read, strict=True):
            if isinstance(part, Row):
                given = list(map(str, parsed))
                number = self._scaled(len(given), 1)
                if part.times is not None:
                    number = max(0, part.times.value(scope))
                values += self._many(self._facts.values.get(part.key), given, number, old, scope)
                continue
            given_value = integer(str(parsed))
            values.append(self._slot(part, str(parsed), old, scope))
            if given_value is not None:
                old[part.key], scope[part.key] = given_value, int(values[-1])
        return " ".join(values)

    def _slot(self, slot: Slot, given: str, old: Scope, scope: Scope) -> str:
        number = integer(given)
        known = self._facts.values.get(slot.key)
        if self._wanted.wide and slot.key not in self._factors and isinstance(known, Integers):
            free = known.most is None and known.least is None and known.seen >= _SEEN
            if free and known.low < known.high and max(abs(known.low), abs(known.high)) >= _SMALL:
                return str(self._chance.randint(known.low, known.high))
        if number is None or not (slot.key in self._factors or not self._factors):
            return self._many(known, [given], 1, old, scope)[0]
        if slot.key in self._factors:
            return str(self._scaled(number, self._factors[slot.key]))
        if abs(number) < _SMALL:  # the number itself is the size
            return given
        return str(round(number * self._wanted.factor * self._chance.uniform(0.95, 1.0)))

    def _scaled(self, number: int, factors: int) -> int:
        scaled = round(number * float(self._wanted.factor ** (1 / max(1, factors))))
        return max(scaled, min(number, 1))

    def _block(self, block: Block, read: list[Parsed], old: Scope, scope: Scope) -> list[str]:
        if block.times is not None:
            times = max(0, block.times.value(scope))
        else:
            times = self._scaled(len(read), 1)
        last = [] if block.last is None else [block.last]
        if not read:
            return last
        if record := block.record:
            return (
                self._records(record.key, [str(row[0]) for row in read], times, old, scope) + last
            )
        if columns := block.columns:
            table = self._facts.tables.get(block.key)
            if table and (table.graph or table.distinct or table.pairs):
                drawn = self._drawing.rows(block, times, scope)
            else:
                drawn = self._columns(
                    [self._facts.values.get(slot.key) for slot in columns],
                    [list(map(str, row[0])) for row in read],
                    times,
                    old,
                    scope,
                )
            return [" ".join(row) for row in drawn] + last
        lines: list[str] = []
        for number in range(times):
            repetition = read[number * len(read) // times]
            lines += self.items(block.items, repetition, old, scope)
        return lines + last

    def _columns(
        self,
        known: Sequence[Values | None],
        rows: Sequence[Sequence[str]],
        number: int,
        old: Scope,
        scope: Scope,
    ) -> list[list[str]]:
        """So many rows, each column distributed like the one given."""
        given = [[row[place] for row in rows] for place in range(len(rows[0]))]
        fresh = [
            self._many(one, column, number, old, scope)
            for one, column in zip(known, given, strict=True)
        ]
        return [list(row) for row in zip(*fresh, strict=True)] if fresh else [[]] * number

    def _records(
        self, key: int, given: list[str], number: int, old: Scope, scope: Scope
    ) -> list[str]:
        """Lines of the kinds given, in their order, with fresh fields."""
        known = self._facts.values.get(key)
        if not isinstance(known, Records):
            return given
        lines = [given[n * len(given) // number] for n in range(number)]
        kinds: dict[Shape | None, list[int]] = {}
        for place, line in enumerate(lines):
            kinds.setdefault(shape_of(known, line), []).append(place)
        for shape, places in kinds.items():
            if shape is not None and shape.pieces:
                rows = [fields_of(lines[place])[1] for place in places]
                fresh = self._columns(shape.pieces, rows, len(rows), old, scope)
                for place, row in zip(places, fresh, strict=True):
                    lines[place] = shape.text(row)
        return Drawing.in_order(known, lines)

    def _many(
        self, known: Values | None, given: list[str], number: int, old: Scope, scope: Scope
    ) -> list[str]:
        """Fresh values distributed like those given."""
        if not given or number == 0:
            return []
        if isinstance(known, Integers):
            numbers = self._integers(known, list(map(int, given)), number, old, scope)
            return list(map(known.text, numbers))
        if isinstance(known, Reals):
            unit = 10**known.decimals
            units = [round(float(value) * unit) for value in given]
            return list(map(known.text, self._spread(known.whole(), units, number)))
        repeated = [given[i * len(given) // number] for i in range(number)]
        if isinstance(known, Words) and not known.choices:
            length = known.length.value(scope) if known.length else None
            alone = length is None and number == 1 and not self._factors
            factor = self._wanted.factor if alone else 1.0
            repeated = [self._renaming(known, word, length, factor) for word in repeated]
        self._chance.shuffle(repeated)
        return repeated

    def _integers(
        self, known: Integers, given: list[int], number: int, old: Scope, scope: Scope
    ) -> list[int]:
        if known.permutation is not None or known.parents:
            return self._drawing.numbers(known, number, scope)
        if known.most is not None:
            before, after = max(1, known.most.value(old)), known.most.value(scope)
            low = min(known.low, after)
            if number > 1:
                return self._drawing.numbers(known, number, scope)
            return [max(low, min(after, round(given[0] * after / before)))]
        return self._spread(known, given, number)

    def _spread(self, known: Integers, given: Sequence[int], number: int) -> list[int]:
        """Each given value replaced by another of its rank, equal ones by equal ones."""
        if len(given) == 1:
            low, high = sorted((round(given[0] * 0.9), round(given[0] * 1.1)))
            low, high = max(low, min(known.low, high)), min(high, max(known.high, low))
            return [self._chance.randint(low, high) for _ in range(number)]
        ranked = sorted(set(given))
        steps = [b - a for a, b in pairwise(given)]
        ups = sum(step >= 0 for step in steps) / len(steps)
        repeated = [given[i * len(given) // number] for i in range(number)]
        distinct = known.distinct or len(ranked) == len(given)
        if known.choices:
            fresh = repeated
        elif distinct:
            fresh = self._all_different(ranked, number)
        else:
            renamed = dict(zip(ranked, self._between(ranked), strict=True))
            fresh = [renamed[value] for value in repeated]
        if known.order or ups > _NEARLY_SORTED or ups < 1 - _NEARLY_SORTED:
            if distinct:
                fresh.sort(reverse=known.order.endswith("falling") or ups < 0.5)
            return fresh
        self._chance.shuffle(fresh)
        return fresh

    def _between(self, ranked: Sequence[int]) -> list[int]:
        """For each of the ascending values one between its neighbours."""
        fresh: list[int] = []
        for number, value in enumerate(ranked):
            low = fresh[-1] + 1 if number else ranked[0]
            high = ranked[number + 1] - 1 if number + 1 < len(ranked) else value
            fresh.append(self._chance.randint(low, max(low, high, value)))
        return fresh

    def _all_different(self, ranked: Sequence[int], number: int) -> list[int]:
        """So many different values, distributed like the given ones."""
        low, high, last = ranked[0], max(ranked[-1], ranked[0] + number - 1), len(ranked) - 1
        found: dict[int, None] = {}
        for _ in range(2 * number):
            place = int(self._chance.uniform(0, last))
            a, b = ranked[place], ranked[min(last, place + 1)]
            found[self._chance.randint(a, b)] = None
            if len(found) == number:
                break
        if len(found) < number:
            for value in self._chance.sample(range(low, high + 1), number):
                if len(found) < number:
                    found[value] = None
        return list(found)

    def _renaming(self, known: Words, word: str, length: int | None, factor: float) -> str:
        """Another word of the same letters or pattern; the same for the same word."""
        wanted = max(min(1, len(word)), round(len(word) * factor)) if length is None else length
        name = f"{wanted} {word}"
        if name not in self._renamed:
            fresh = "".join(self._chance.choices(word or " ", k=wanted))
            if length is None and known.shapes and (shape := shape_of(known, word)) is not None:
                fresh = self._drawing.of_shape(shape, {})
            elif length is None and not word.isalnum():  # words with signs are as they are
                fresh = self._chance.choice(known.bank)
            self._renamed[name] = fresh
        return self._renamed[name]
