"""Facts of inputs: those of the values of each place, by its key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from maxcode.fuzz.learning import Observed, learn_records, learn_values
from maxcode.fuzz.structure import (
    Block,
    Document,
    Items,
    Parsed,
    Record,
    Row,
    Scope,
    length_key,
    parse,
    walk,
)
from maxcode.fuzz.values import (
    Numbers,
    Records,
    Values,
    Words,
    columns_of,
    in_order,
    limited,
    outside,
    typed,
)

Facts: TypeAlias = dict[int, Values]
"""Facts of slots, rows and records, and of the lengths of rows and blocks without a count."""

Path: TypeAlias = tuple[int, ...]
"""A key, and for a column of a table its place."""

UNLIMITED = "a number beyond what limits it"
"""Words of :func:`beyond` for a number forbidden by another value of the input."""
_MAX_LISTS = 2000  # of one place, looked at


def learn_facts(items: Items, documents: Sequence[Document], *, unique: bool = False) -> Facts:
    """Facts of all documents of the structure ``items``.

    ``unique`` as for :func:`~maxcode.fuzz.learning.learn_values`.
    """
    found: dict[int, list[Observed]] = {}
    widths: dict[int, int] = {}

    def note(key: int, values: Sequence[str], scope: Mapping[int, int]) -> None:
        if len(lists := found.setdefault(key, [])) < _MAX_LISTS:
            lists.append((list(values), dict(scope)))

    for document in documents:
        for place in walk(items, parse(items, document), {}):
            item = place.item
            if isinstance(item, Record):
                widths[item.key] = item.width
            if isinstance(item, Row | Block) and item.times is None:
                note(length_key(item), [str(len(place.holder))], place.scope)
            if not isinstance(item, Block):
                note(item.key, place.values, place.scope)
    return {
        key: learn_records(lists, unique=unique, table=widths[key] > 0)
        if key in widths
        else learn_values(lists, unique=unique)
        for key, lists in found.items()
    }


def field(facts: Facts, path: Path) -> Values:
    """Facts of a slot, a row, or a column of a table."""
    key, *place = path
    known = facts[key]
    return known.shapes[0].pieces[place[0]] if place and isinstance(known, Records) else known


def put(facts: Facts, path: Path, field: Values) -> None:
    """Replace the facts of a path."""
    key, *place = path
    known = facts[key]
    if place and isinstance(known, Records):
        [shape] = known.shapes
        field = replace(known, shapes=(shape.put(place[0], field),))
    facts[key] = field


def beyond(items: Items, facts: Facts, read: list[Parsed]) -> Iterator[str]:
    """Ways in which an input breaks the facts, in words."""
    for place in walk(items, read, {}):
        item, scope = place.item, place.scope
        if isinstance(item, Row | Block) and item.times is None and length_key(item) in facts:
            yield from filter(None, [outside(facts[length_key(item)], str(len(place.holder)))])
        if (known := facts.get(item.key)) is not None:
            values = place.values
            yield from filter(None, (outside(known, value) for value in values))
            yield from _broken(known, values, scope)


def _broken(known: Values, values: list[str], scope: Scope) -> Iterator[str]:
    """Known orders and limits broken by the values of a place."""
    if isinstance(known, Numbers):
        yield from _broken_numbers(known, values, scope)
    if isinstance(known, Words | Records):
        yield from _unlimited_fields(known, values, scope)
    if isinstance(known, Records):
        yield from known.relations.broken(known.rows(values), scope)
        for shape, _, columns in columns_of(known, values) if known.table else ():
            for piece, column in zip(shape.pieces, columns, strict=True):
                yield from _broken(piece, column, scope)
    elif known.distinct and len(set(values)) < len(values):
        yield "a value twice"
    if isinstance(known, Words) and known.length is not None:
        if any(len(value) != known.length.value(scope) for value in values):
            yield "words of another length"
        if any("".join(values).count(letter) != number for letter, number in known.counts):
            yield "letters more or less often"


def _broken_numbers(known: Numbers, values: list[str], scope: Scope) -> Iterator[str]:
    numbers = [number for value in values if isinstance(number := typed(known, value), int)]
    if known.order and not in_order(numbers, known.order):
        yield f"numbers that are not {known.order}"
    if len(numbers) < len(values) or not numbers:
        return
    if _unlimited(known, numbers, scope):
        yield UNLIMITED if len(numbers) > 1 else "a single number beyond another"
    if known.parents and any(value > known.low + i for i, value in enumerate(numbers)):
        yield "a parent after its child"


def _unlimited(known: Numbers, numbers: Sequence[int], scope: Scope) -> bool:
    """Whether numbers exceed limits set by other values of the input."""
    above = known.most is not None and max(numbers) > known.most.value(scope)
    return above or (known.least is not None and min(numbers) < known.least.value(scope))


def _unlimited_fields(known: Words | Records, values: list[str], scope: Scope) -> Iterator[str]:
    """Limits set by other values and broken by fields of words or lines."""
    if not limited(known):
        return
    for shape, _, columns in columns_of(known, values):
        for piece, column in zip(shape.pieces, columns, strict=True):
            numbers = [n for value in column if isinstance(n := typed(piece, value), int)]
            if isinstance(piece, Numbers) and numbers and _unlimited(piece, numbers, scope):
                yield UNLIMITED
