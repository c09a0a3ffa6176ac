"""Fresh inputs of the size and shape of an example, for timing on unseen inputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from math import inf
from random import Random
from typing import Any

from maxcode.fuzz.drawing import Drawing
from maxcode.fuzz.facts import Facts
from maxcode.fuzz.structure import Items, Scope, Slot, walk
from maxcode.fuzz.values import Numbers, Records, Values, Words, columns_of, sorts_of, taken

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

    def refresh(self, items: Items, read: list[Any]) -> None:
        """Replace all values of a parsed input."""
        for place in walk(items, read, {}):
            item, known = place.item, self._facts.get(place.item.key)
            if known is None:
                continue
            if not isinstance(item, Slot):
                place.put(self._many(known, place.values, place.scope))
            elif item.key not in self._drawing.factors:
                place.put([self._single(known, place.values[0], place.scope)])

    def _single(self, known: Values, given: str, scope: Scope) -> str:
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

    def _lines(self, known: Records, given: Sequence[str], scope: Scope) -> list[str]:
        """Lines of the given kinds and order, with fresh fields."""
        lines, relations = list(given), known.relations
        if given and relations.graph:
            return self._drawing.lines(known, len(given), scope)
        for shape, places, columns in columns_of(known, lines):
            pairs = zip(shape.pieces, columns, strict=True)
            fresh = [self._many(piece, column, scope) for piece, column in pairs]
            for place, row in zip(places, zip(*fresh, strict=True), strict=False):
                lines[place] = shape.text(row)
        lines[:1] = given[:1] if relations.first else lines[:1]
        return Drawing.repaired(known, lines)

    def _many(self, known: Values, given: Sequence[str], scope: Scope) -> list[str]:
        """Fresh values distributed like the given values."""
        if isinstance(known, Records):
            return self._lines(known, given, scope)
        if isinstance(known, Numbers):
            if known.parents or known.most:
                return list(map(known.text, self._drawing.numbers(known, len(given), scope)))
            return list(map(known.text, self._spread(known, list(map(known.number, given)))))
        fresh = list(given)
        if known.counts:
            letters = [*"".join(given)]
            self._chance.shuffle(letters)
            return ["".join(islice(one, len(word))) for one in [iter(letters)] for word in given]
        if not known.choices:
            fresh = [self._renaming(known, word, scope) for word in given]
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
        if not known.choices:
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

    def _renaming(self, known: Words, word: str, scope: Scope) -> str:
        """Another word of the same letters or pattern; equal for equal words."""
        if word not in self._renamed:
            sorts = sorts_of(word) if known.follow else " " * len(word)
            pools: dict[str, list[str]] = {}
            for letter, sort in zip(word, sorts, strict=True):
                pools.setdefault(sort, []).append(letter)
            fresh = "".join(self._chance.choice(pools[sort]) for sort in sorts)
            if known.shapes and (shape := taken(known, word)[0]) is not None:
                fresh = self._drawing.of_shape(shape, scope)
            elif known.length is None and not word.isalnum():  # words with signs are as they are
                fresh = self._chance.choice(known.bank)
            self._renamed[word] = fresh
        return self._renamed[word]
