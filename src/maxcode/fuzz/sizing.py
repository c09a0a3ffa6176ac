"""Fresh inputs of the size and shape of an example, for timing on unseen inputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from random import Random
from typing import Any

from maxcode.fuzz.drawing import Drawing
from maxcode.fuzz.facts import Facts
from maxcode.fuzz.relations import NONE
from maxcode.fuzz.structure import Block, Items, Line, Record, Scope, Slot, enter
from maxcode.fuzz.values import Numbers, Records, Shape, Values, Words, shape_of, taken

_SMALL = 8  # numbers below which stand for cases rather than sizes
_SEEN = 3  # examples that show whether other numbers limit one
_NEARLY_SORTED = 0.9  # of the steps in one direction: such rows keep the order of their values


class Refreshing:
    """Replacement of an example's values by fresh values; counts stay.

    ``wide``: single numbers other than counts lie anywhere in the range of all examples instead of
    near the example's, though the work may depend on them.
    """

    def __init__(self, items: Items, facts: Facts, chance: Random, *, wide: bool) -> None:
        self._facts = facts
        self._chance = chance
        self._wide = wide
        self._renamed: dict[str, str] = {}
        self._drawing = Drawing(items, facts, chance, inf)

    def refresh(self, items: Items, read: list[Any], scope: Scope) -> None:
        """Replace all values of a parsed input."""
        for place, item in enumerate(items):
            if isinstance(item, Line):
                self._line(item, read[place], scope)
            elif isinstance(item, Record):
                read[place] = self._records(item.key, [read[place]], scope)[0]
                enter(scope, item.key, read[place])
            elif record := item.record:
                lines = self._records(record.key, [row[0] for row in read[place]], scope)
                read[place] = [[line] for line in lines]
            elif item.columns and read[place]:
                read[place] = [[row] for row in self._rows(item, read[place], scope)]
            else:
                for repetition in read[place]:
                    self.refresh(item.items, repetition, scope)

    def _line(self, line: Line, values: list[Any], scope: Scope) -> None:
        for place, part in enumerate(line.parts):
            known = self._facts.values.get(part.key)
            if not isinstance(part, Slot):
                values[place] = self._many(known, values[place], scope)
                enter(scope, part.key, values[place])
                continue
            if part.key not in self._drawing.factors:
                values[place] = self._single(known, values[place], scope)
            enter(scope, part.key, values[place])

    def _single(self, known: Values | None, given: str, scope: Scope) -> str:
        if not isinstance(known, Numbers) or known.choices or known.most or known.least:
            return self._many(known, [given], scope)[0]
        number = known.number(given)
        if self._wide and known.seen >= _SEEN and max(abs(known.low), abs(known.high)) >= _SMALL:
            return known.text(self._chance.randint(known.low, known.high))
        if abs(number) < _SMALL:  # the number itself is the size
            return given
        low, high = sorted((number, round(number * (1.0 if self._drawing.factors else 0.95))))
        near = abs(number) // 10 if self._drawing.factors else 0
        return known.text(self._chance.randint(low - near, high + near))

    def _rows(self, block: Block, read: list[Any], scope: Scope) -> list[list[str]]:
        table = self._facts.tables.get(block.key)
        if table and (table.graph or table.distinct or table.relations != NONE):
            return self._drawing.rows(block, len(read), scope)
        known = [self._facts.values.get(slot.key) for slot in block.columns]
        return self._columns(known, [row[0] for row in read], scope)

    def _columns(
        self, known: Sequence[Values | None], rows: Sequence[Sequence[str]], scope: Scope
    ) -> list[list[str]]:
        """Rows with each column distributed like the given column."""
        columns = zip(*rows, strict=True)
        fresh = [self._many(one, list(c), scope) for one, c in zip(known, columns, strict=True)]
        return [list(row) for row in zip(*fresh, strict=True)]

    def _records(self, key: int, given: list[str], scope: Scope) -> list[str]:
        """Lines of the given kinds and order, with fresh fields."""
        known, lines = self._facts.values.get(key), list(given)
        if not isinstance(known, Records):
            return lines
        kinds: dict[Shape | None, list[int]] = {}
        for place, line in enumerate(lines):
            kinds.setdefault(shape_of(known, line), []).append(place)
        for shape, places in kinds.items():
            if shape is not None and shape.pieces:
                rows = [taken(known, lines[place])[1] for place in places]
                fresh = self._columns(shape.pieces, rows, scope)
                for place, row in zip(places, fresh, strict=True):
                    lines[place] = shape.text(row)
        return Drawing.repaired(known, lines)

    def _many(self, known: Values | None, given: Sequence[str], scope: Scope) -> list[str]:
        """Fresh values distributed like the given values."""
        if isinstance(known, Numbers):
            if known.parents or known.most:
                return list(map(known.text, self._drawing.numbers(known, len(given), scope)))
            return list(map(known.text, self._spread(known, list(map(known.number, given)))))
        fresh = list(given)
        if isinstance(known, Words) and not known.choices:
            fresh = [self._renaming(known, word) for word in given]
        self._chance.shuffle(fresh)
        return fresh

    def _spread(self, known: Numbers, given: list[int]) -> list[int]:
        """Given values replaced by rank, equal values by equal values."""
        ranked = sorted(set(given))
        steps = [b - a for a, b in pairwise(given)]
        ups = sum(step >= 0 for step in steps) / max(1, len(steps))
        ordered = known.order or ups > _NEARLY_SORTED or ups < 1 - _NEARLY_SORTED
        fresh = list(given)
        if len(given) == 1:
            near = abs(given[0]) // 10
            low, high = max(known.low, given[0] - near), min(known.high, given[0] + near)
            return [self._chance.randint(low, max(low, high))]
        if len(ranked) == len(given) > 1 and not known.choices:  # all differ
            fresh = [self._chance.randint(a, max(a, b - 1)) for a, b in pairwise(ranked)]
            fresh.append(ranked[-1])
            fresh.sort(reverse=known.order.endswith("falling") or ups < 0.5)
        elif not known.choices:
            renamed = dict(zip(ranked, self._between(ranked), strict=True))
            fresh = [renamed[value] for value in given]
        if not ordered:
            self._chance.shuffle(fresh)
        return fresh

    def _between(self, ranked: Sequence[int]) -> list[int]:
        """For each of the ascending values a value between its neighbours."""
        fresh: list[int] = []
        for number, value in enumerate(ranked):
            low = fresh[-1] + 1 if number else ranked[0]
            high = ranked[number + 1] - 1 if number + 1 < len(ranked) else value
            fresh.append(self._chance.randint(low, max(low, high, value)))
        return fresh

    def _renaming(self, known: Words, word: str) -> str:
        """Another word of the same letters or pattern; equal for equal words."""
        if word not in self._renamed:
            fresh = "".join(self._chance.choices(word or " ", k=len(word)))
            if known.shapes and (shape := shape_of(known, word)) is not None:
                fresh = self._drawing.of_shape(shape, {})
            elif known.length is None and not word.isalnum():  # words with signs are as they are
                fresh = self._chance.choice(known.bank)
            self._renamed[word] = fresh
        return self._renamed[word]
