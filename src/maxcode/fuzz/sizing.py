"""Fresh inputs of a given size: for timing on inputs that nothing was tuned to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import TypeVar

from maxcode.fuzz.drawing import Drawing, Plan, RandomSource
from maxcode.fuzz.fields import Facts, Integers, Reals, Words
from maxcode.fuzz.structure import (
    Block,
    Cases,
    Items,
    Line,
    Parsed,
    Row,
    Scope,
    Slot,
    Text,
    integer,
)

_T = TypeVar("_T", int, float)
_SMALL = 8  # numbers below which stand for cases rather than sizes
_SEEN = 3  # examples that show whether other numbers limit one
_NEARLY_SORTED = 0.9  # of the steps in one direction: such rows keep the order of their values


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which size: that of the example times ``factor``; ``distinct`` values if so asked.

    ``wide``: numbers that stand alone and count nothing are anywhere between those of the examples,
    and not near to the example's, though some may be what its size depends on.
    """

    chance: random.Random
    factor: float = 1.0
    distinct: bool = False
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
        plan = Plan("large", edges=False, beyond=False, signs=False, reach=0, scale=0.0)
        self._drawing = Drawing(items, facts, RandomSource(wanted.chance), plan, inf)
        self._factors = self._drawing.factors

    def items(self, items: Items, read: Sequence[Parsed], old: Scope, scope: Scope) -> list[str]:
        lines: list[str] = []
        for item, parsed in zip(items, read, strict=True):
            if isinstance(item, Block):
                lines += self._block(item, list(parsed), old, scope)
            elif isinstance(item, Text):
                lines.append(self._text(str(parsed)))
            elif isinstance(item, Cases):
                values = [str(value) for value in parsed]
                keys = [slot.key for slot in dict(item.slots)[values[0]]]
                fresh = [
                    self._many(key, [value], 1, old, scope)[0]
                    for key, value in zip(keys, values[1:], strict=True)
                ]
                lines.append(" ".join([values[0], *fresh]))
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
                values += self._many(part.key, given, number, old, scope)
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
            return self._many(slot.key, [given], 1, old, scope)[0]
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
        if columns := block.columns:
            rows = [row[0] for row in read]
            given = [[str(row[column]) for row in rows] for column in range(len(columns))]
            table = self._facts.tables.get(block.key)
            if table and (table.graph or table.distinct or table.pairs):
                drawn = self._drawing.rows(block, times, scope)
            else:
                drawn = [
                    list(row)
                    for row in zip(
                        *(
                            self._many(slot.key, column, times, old, scope)
                            for slot, column in zip(columns, given, strict=True)
                        ),
                        strict=True,
                    )
                ]
            return [" ".join(row) for row in drawn] + last
        lines: list[str] = []
        for number in range(times):
            repetition = read[number * len(read) // times]
            lines += self.items(block.items, repetition, old, scope)
        return lines + last

    def _many(self, key: int, given: list[str], number: int, old: Scope, scope: Scope) -> list[str]:
        """Fresh values distributed like those given."""
        known = self._facts.values.get(key)
        if not given or number == 0:
            return []
        if isinstance(known, Integers):
            return list(map(str, self._integers(known, list(map(int, given)), number, old, scope)))
        if isinstance(known, Reals):
            fresh = self._spread(list(map(float, given)), number, known.order, known.distinct)
            if known.fixed:
                return [f"{value:.{known.decimals}f}" for value in fresh]
            return [f"{value:.{known.decimals}f}".rstrip("0").rstrip(".") for value in fresh]
        if isinstance(known, Words):
            return self._words(known, given, number, scope)
        return [self._text(self._chance.choice(given)) for _ in range(number)]

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
        fresh = self._spread(given, number, known.order, known.distinct)
        return [round(value) for value in fresh]

    def _spread(self, given: Sequence[_T], number: int, order: str, distinct: bool) -> list[float]:
        """Each given value replaced by another of its rank, equal ones by equal ones."""
        if len(given) == 1:
            low, high = sorted((given[0] * 0.9, given[0] * 1.1))
            return [self._chance.uniform(low, high) for _ in range(number)]
        ranked = sorted(set(given))
        distinct = distinct or self._wanted.distinct or len(ranked) == len(given)
        steps = [b - a for a, b in pairwise(given)]
        ups = sum(step >= 0 for step in steps) / len(steps)
        if distinct:
            fresh = self._all_different(ranked, number)
        else:
            renamed = dict(zip(ranked, self._between(ranked), strict=True))
            repeated = [given[i * len(given) // number] for i in range(number)]
            fresh = [renamed[value] for value in repeated]
        if order or ups > _NEARLY_SORTED or ups < 1 - _NEARLY_SORTED:
            if distinct:
                fresh.sort(reverse=order.endswith("falling") or ups < 0.5)
            return fresh
        self._chance.shuffle(fresh)
        return fresh

    def _between(self, ranked: Sequence[_T]) -> list[float]:
        """For each of the ascending values one between its neighbours."""
        whole = all(isinstance(value, int) for value in ranked)
        fresh: list[float] = []
        for number, value in enumerate(ranked):
            low = fresh[-1] if number else ranked[0]
            high = ranked[number + 1] if number + 1 < len(ranked) else value
            if whole:
                start = int(low) + (number > 0)
                fresh.append(self._chance.randint(start, max(start, int(high) - 1, int(value))))
            else:
                fresh.append(self._chance.uniform(low, max(low, high)))
        return fresh

    def _all_different(self, ranked: Sequence[_T], number: int) -> list[float]:
        """So many different values, distributed like the given ones."""
        if not all(isinstance(value, int) for value in ranked):
            last = len(ranked) - 1
            places = [self._chance.uniform(0, last) for _ in range(number)]
            return [
                ranked[int(p)] + (p % 1) * (ranked[min(last, int(p) + 1)] - ranked[int(p)])
                for p in places
            ]
        found: dict[int, None] = {}
        low, high = int(ranked[0]), max(int(ranked[-1]), int(ranked[0]) + number - 1)
        last = len(ranked) - 1
        for _ in range(2 * number):
            place = self._chance.uniform(0, last)
            a, b = int(ranked[int(place)]), int(ranked[min(last, int(place) + 1)])
            found[self._chance.randint(a, b)] = None
            if len(found) == number:
                break
        while len(found) < number:
            if high - low < 2 * number:
                for value in self._chance.sample(range(low, high + 1), high - low + 1):
                    found.setdefault(value, None)
                    if len(found) == number:
                        break
            else:
                found[self._chance.randint(low, high)] = None
        return list(found)

    def _words(self, known: Words, given: list[str], number: int, scope: Scope) -> list[str]:
        repeated = [given[i * len(given) // number] for i in range(number)]
        if known.choices:
            self._chance.shuffle(repeated)
            return repeated
        length = known.length.value(scope) if known.length else None
        factor = 1.0 if length is not None or number > 1 or self._factors else self._wanted.factor
        fresh = [self._renaming(word, length, factor) for word in repeated]
        self._chance.shuffle(fresh)
        return fresh

    def _renaming(self, word: str, length: int | None, factor: float) -> str:
        """Another word of the same letters; the same for the same word."""
        wanted = max(min(1, len(word)), round(len(word) * factor)) if length is None else length
        name = f"{wanted} {word}"
        if name not in self._renamed or self._wanted.distinct:
            self._renamed[name] = "".join(self._chance.choices(word or " ", k=wanted))
        return self._renamed[name]

    def _text(self, line: str) -> str:
        words = line.split(" ")
        self._chance.shuffle(words)
        return " ".join(words)
