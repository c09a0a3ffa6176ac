"""Invariants of the fields of a row and of consecutive rows in all examples.

A small family in the manner of Daikon (Ernst et al., 2001): an order or inequality of two fields; a
constant step from row to row; which kinds of rows follow which. Invariants with enough evidence in
all examples are kept.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from random import Random
from typing import Any, TypeAlias

from maxcode.fuzz.graphs import Graph, learn_graph
from maxcode.fuzz.notation import Notation
from maxcode.fuzz.structure import Scope

_LOOKED_AT = 500  # rows in which values of two fields are compared
_SHARED = 0.2  # of the values of two fields that are never the same
_ENOUGH = 8  # steps that are the same, beyond the first of each kind of row
_SIGNS = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
}
_END = -1  # in place of a kind: before the first row and after the last

Entry: TypeAlias = tuple[int, list[Any]]
"""The kind of a row, and its fields: whole numbers or words."""


def closed(kinds: Counter[Any]) -> bool:
    """Whether an unseen value is unlikely (Good and Turing)."""
    seen, once = kinds.total(), sum(count == 1 for count in kinds.values())
    return seen >= 4 * len(kinds) and once <= 0.02 * seen


@dataclass(frozen=True, slots=True)
class Relations:
    """Invariants of rows.

    ``pairs`` are kinds of rows and two of their fields, with how they compare. ``first`` are the
    ranges of the first row's fields: of numbers, and of the lengths of words. ``steps`` is the
    growth of the first field from a row of a kind to the next, ``start`` its first value,
    ``follow`` the known pairs of consecutive kinds, and ``once`` the number of kinds if each comes
    once. ``distinct``: no edge of the ``graph`` comes twice, in either direction.
    """

    pairs: tuple[tuple[int, int, int, str], ...] = ()
    first: tuple[tuple[int, int], ...] = ()
    steps: Mapping[int, int] = field(default_factory=dict)
    start: int | None = None
    follow: frozenset[tuple[int, int]] = frozenset()
    once: int = 0
    distinct: bool = False
    graph: Graph | None = None

    def broken(self, rows: Sequence[Entry], scope: Scope) -> Iterator[str]:
        """Invariants broken by rows, in words."""
        for kind, left, right, sign in self.pairs:
            if not all(_holds(sign, row[left], row[right]) for k, row in rows if k == kind):
                yield f"rows without {sign} between two fields"
        if self.first and rows:
            pairs = zip(self.first, rows[0][1], strict=False)
            if not all(low <= _size(value) <= high for (low, high), value in pairs):
                yield "another first row"
        if self.steps:
            firsts = [row[0] for _, row in rows if row]
            if self.start is not None and firsts and firsts[0] != self.start:
                yield "another first row"
            if any(self.steps.get(kind) != by for kind, by in _steps(rows)):
                yield "another step from row to row"
        if rows and self.follow and not self.follow.issuperset(_follow(rows)):
            yield "rows of kinds that do not follow one another"
        if self.once and sorted(kind for kind, _ in rows) != [*range(self.once)]:
            yield "not each kind of row once"
        if self.graph is not None:
            edges = [(row[0], row[1]) for _, row in rows]
            yield from self.graph.broken(edges, scope, simple=self.distinct)

    def repair(self, rows: list[Entry]) -> None:
        """Change fields to satisfy the invariants, as far as simple.

        Edges of a graph only change their direction.
        """
        if self.graph is None and self.steps:
            at, step = self.start, 0
            for kind, row in rows:
                if row:
                    at = row[0] if at is None else at
                    row[0] = at
                    step = self.steps.get(kind, step)
                at = None if at is None else at + step
        for kind, left, right, sign in self.pairs:
            if self.graph is not None and right > 1:
                continue
            same = [row for k, row in rows if k == kind]
            for row in same:
                if isinstance(row[left], str):
                    others = (one[right] for one in same if _SIGNS[sign](row[left], one[right]))
                    row[right] = next(others, row[right]) if row[left] == row[right] else row[right]
                else:
                    row[left], row[right] = _compared(row[left], row[right], sign)

    def walk(self, chance: Random, number: int) -> list[int]:
        """About ``number`` kinds of rows, each a known successor of the kind before."""
        if self.once:
            return chance.sample(range(self.once), self.once)
        after: dict[int, list[int]] = {}
        for kind, following in sorted(self.follow):
            after.setdefault(kind, []).append(following)
        far = {_END: 0}  # how many rows it is to the end
        for _ in after:
            for kind, following in self.follow:
                if kind != _END and following in far:
                    far[kind] = min(far.get(kind, far[following] + 1), far[following] + 1)
        kinds: list[int] = []
        kind = _END
        while True:
            options = [one for one in after[kind] if one in far]
            inside = [one for one in options if one != _END]
            left = number - len(kinds)
            if left <= 0 or not inside:
                kind = min(options, key=far.__getitem__)
            else:  # not to the end before its time, if that can be helped
                kind = chance.choice([one for one in inside if far[one] <= left] or inside)
            if kind == _END:
                return kinds
            kinds.append(kind)


def learn_relations(
    found: Sequence[tuple[Sequence[Entry], Scope]],
    types: Mapping[int, Sequence[Hashable]],
    *,
    table: bool,
) -> Relations:
    """Invariants of lists of rows. ``types`` are the types of the fields of each kind of row.

    Only fields of the same type are compared. Rows of a ``table`` may be edges.
    """
    lists = [rows for rows, _ in found]
    pairs: list[tuple[int, int, int, str]] = []
    for kind, fields in types.items():
        rows = [row for one in lists for k, row in one if k == kind]
        for left, right in combinations(range(len(fields)), 2):
            comparable = fields[left] == fields[right] and len(rows) >= 3 + right - left
            if comparable and (sign := _comparison(rows, left, right)):
                pairs.append((kind, left, right, sign))
    leading = {fields[0] for fields in types.values() if fields}
    steps = _constant(lists) if len(leading) == 1 and "word" not in leading else {}
    starts = {row[0] for one in lists for row in [next((row for _, row in one if row), [None])]}
    following = Counter(pair for one in lists for pair in _follow(one) if _END not in pair)
    known = len(types) > 1 and closed(following)
    every = [sorted(kind for kind, _ in rows) for rows in lists]
    once = len(types) > 1 < len(lists) and all(kinds == [*range(len(types))] for kinds in every)
    begin = [one[0] for one in lists if one]
    first: list[tuple[int, int]] = []
    if len(types) > 1 and len({kind for kind, _ in begin}) == 1 < len(begin):
        columns = zip(*(map(_size, row) for _, row in begin), strict=False)
        first = [(min(column), max(column)) for column in columns]
    graph = None
    if table and list(types[0][:2]) == [Notation.PLAIN] * 2:
        graph = learn_graph([([(a, b) for _, (a, b, *_) in rows], at) for rows, at in found])
    return Relations(
        tuple(pairs),
        tuple(first),
        steps,
        starts.pop() if steps and len(starts) == 1 < len(lists) else None,
        frozenset(pair for one in lists if one for pair in _follow(one)) if known else frozenset(),
        len(types) if once else 0,
        graph is not None and graph.kind != "tree",
        graph,
    )


def _size(value: Any) -> int:
    return value if isinstance(value, int) else len(value)


def _comparison(rows: Sequence[Sequence[Any]], left: int, right: int) -> str:
    """Common comparison of two fields in all rows, where their ranges overlap; "" for none."""
    one, other = zip(*((row[left], row[right]) for row in rows[:_LOOKED_AT]), strict=True)
    shared = len(set(one) & set(other)) / max(1, len(set(one) | set(other)))
    overlap = max(one) >= min(other) and max(other) >= min(one)
    enough = len(rows) >= 4 + right - left
    options = [*_SIGNS][:4] if isinstance(one[0], int) and overlap and enough else []
    options += ["!="] if shared > _SHARED else []
    holding = (sign for sign in options if all(_SIGNS[sign](row[left], row[right]) for row in rows))
    return next(holding, "")


def _compared(a: Any, b: Any, sign: str) -> tuple[Any, Any]:
    if type(a) is not type(b):
        return a, b
    if sign in {"<", ">", "!="} and a == b:
        a, b = (a, b + 1) if a <= 1 else (a - 1, b)
    if (sign in {"<", "<="} and a > b) or (sign in {">", ">="} and a < b):
        return b, a
    return a, b


def _holds(sign: str, a: Any, b: Any) -> bool:
    """Whether two fields compare so; fields of different types do not compare."""
    return type(a) is not type(b) or _SIGNS[sign](a, b)


def _follow(rows: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    return pairwise([_END, *(kind for kind, _ in rows), _END])


def _steps(rows: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Kind of each row, and growth of the first field to the next row."""
    for (kind, row), (_, after) in pairwise(rows):
        if row and after and isinstance(row[0], int) and isinstance(after[0], int):
            yield kind, after[0] - row[0]


def _constant(lists: Sequence[Sequence[Entry]]) -> dict[int, int]:
    """Constant steps after each kind of row; empty if a step varies."""
    steps: dict[int, int] = {}
    number = 0
    for rows in lists:
        for kind, step in _steps(rows):
            number += 1
            if steps.setdefault(kind, step) != step:
                return {}
    return steps if number - len(steps) >= _ENOUGH and any(steps.values()) else {}


NONE = Relations()
