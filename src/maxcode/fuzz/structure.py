"""Structure of inputs: a small grammar with counts, and its parser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

Scope: TypeAlias = dict[int, int]
"""Values of the integers read so far, and lengths of words and lines, by the key of their slot."""

LENGTH = 1 << 20
"""Added to the key of a word or line it is the key of its length."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True)
class Count:
    """Count: the earlier number ``of`` plus ``plus``, or ``plus`` alone without one."""

    of: int | None
    plus: int = 0

    def value(self, scope: Mapping[int, int]) -> int:
        """The number. Raises :class:`MismatchError` for a slot missing in the scope.

        Such as the length of a word: a number in its place has none.
        """
        if self.of is None:
            return self.plus
        if self.of not in scope:
            raise MismatchError
        return scope[self.of] + self.plus


@dataclass(frozen=True, slots=True)
class Slot:
    """One value."""

    key: int


@dataclass(frozen=True, slots=True)
class Row:
    """Values side by side; without ``times`` all up to the slots at the end of the line."""

    key: int
    times: Count | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of values; a blank one has no parts."""

    parts: tuple[Slot | Row, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """Line of ``width`` values, or of any form; its facts are learned from the examples."""

    key: int
    width: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """Repeated items: ``times``, up to a line ``last``, or to the end of the input."""

    key: int
    times: Count | None
    items: tuple[Item, ...]
    last: str | None = None

    @property
    def record(self) -> Record | None:
        """The record, if the block has no other item."""
        one = self.items[0] if len(self.items) == 1 else None
        return one if isinstance(one, Record) else None


def length_key(item: Row | Block) -> int:
    """Key of the length of a row or block without a count."""
    return -item.key


Item: TypeAlias = Line | Record | Block
Items: TypeAlias = tuple[Item, ...]

Parsed: TypeAlias = "str | list[Parsed]"
"""A parsed item: of a line its values and rows, of a block its repetitions or records."""


class MismatchError(Exception):
    """The input has another structure."""


@dataclass(frozen=True, slots=True)
class Document:
    """Input as lines of values, without blank lines at its end."""

    lines: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, text: str) -> Document:
        """Lines and values of a text."""
        body = text.rstrip("\n")
        lines = tuple(body.split("\n")) if body else ()
        return cls(lines, tuple(tuple(line.split()) for line in lines))


def integer(value: str) -> int | None:
    """Integer of a value in the usual notation; None for others."""
    return int(value) if _INTEGER.fullmatch(value) else None


def enter(scope: Scope, key: int, value: str | Sequence[str]) -> None:
    """Put a value in scope: an integer, or the length of other text.

    A row enters with the length of its text, unless its values are integers.
    """
    first = value if isinstance(value, str) else "".join(value[:1])
    number = integer(first)
    scope.pop(key, None)
    if number is None:
        scope[LENGTH + key] = len(value if isinstance(value, str) else " ".join(value))
    elif first == value:
        scope[key] = number


def parse(items: Items, document: Document) -> list[Parsed]:
    """Read a whole input. Raises :class:`MismatchError` for another structure."""
    at, read = parse_items(items, document, 0, {})
    if at != len(document.lines):
        raise MismatchError
    return read


def parse_items(
    items: Items, document: Document, at: int, scope: Scope
) -> tuple[int, list[Parsed]]:
    """Read items from line ``at`` on; returns the next line and the parsed items."""
    read: list[Parsed] = []
    for item in items:
        if isinstance(item, Block):
            at, repetitions = _parse_block(item, document, at, scope)
            read.append(repetitions)
            continue
        if at >= len(document.lines):
            raise MismatchError
        if isinstance(item, Record):
            line = document.lines[at]
            if item.width:
                line = " ".join(document.values[at])
                if len(document.values[at]) != item.width:
                    raise MismatchError
            enter(scope, item.key, line)
            read.append(line)
        else:
            read.append(parse_line(item, document.values[at], scope))
        at += 1
    return at, read


def _parse_block(
    block: Block, document: Document, at: int, scope: Scope
) -> tuple[int, list[Parsed]]:
    repetitions: list[Parsed] = []
    times = block.times.value(scope) if block.times is not None else None
    if times is not None and not 0 <= times <= len(document.lines) - at:
        raise MismatchError
    while at < len(document.lines) if times is None else times > len(repetitions):
        if block.last is not None and document.lines[at].strip() == block.last:
            return at + 1, repetitions
        before = at
        at, read = parse_items(block.items, document, at, scope)
        if at == before and times is None:  # it would repeat nothing for ever
            raise MismatchError
        repetitions += read if block.record else [read]
    if block.last is not None:
        raise MismatchError
    return at, repetitions


def parse_line(line: Line, values: Sequence[str], scope: Scope) -> list[Parsed]:
    """Read one line, and put its integers in scope."""
    read: list[Parsed] = []
    at = 0
    for left, part in enumerate(line.parts, 1 - len(line.parts)):
        if isinstance(part, Slot):
            if at >= len(values):
                raise MismatchError
            enter(scope, part.key, values[at])
            read.append(values[at])
            at += 1
        else:
            times = len(values) - at + left  # each part after it has one
            if part.times is not None:
                times = part.times.value(scope)
            if not 0 <= times <= len(values) - at:
                raise MismatchError
            enter(scope, part.key, values[at : at + times])
            read.append(list(values[at : at + times]))
            at += times
    if at != len(values):
        raise MismatchError
    return read


@dataclass(frozen=True, slots=True)
class Place:
    """Part of a structure with its values in a parsed input; of a block, its repetitions."""

    item: Slot | Row | Record | Block
    holder: list[Any]
    at: slice
    scope: Scope

    @property
    def values(self) -> list[str]:
        """The values, in order."""
        return self.holder[self.at]

    def put(self, values: Sequence[str]) -> None:
        """Replace the values."""
        self.holder[self.at] = values


_ALL = slice(None)


def walk(items: Items, read: list[Any], scope: Scope) -> Iterator[Place]:
    """Places of a parsed input in order, each with the scope before it.

    Values may be replaced meanwhile: they enter the scope afterwards.
    """
    for at, item in enumerate(items):
        if isinstance(item, Block):
            yield Place(item, read[at], _ALL, scope)
            if record := item.record:
                yield Place(record, read[at], _ALL, scope)
            else:
                for repetition in read[at]:
                    yield from walk(item.items, repetition, scope)
        elif isinstance(item, Record):
            yield Place(item, read, slice(at, at + 1), scope)
            enter(scope, item.key, read[at])
        else:
            values = read[at]
            for number, part in enumerate(item.parts):
                if isinstance(part, Slot):
                    yield Place(part, values, slice(number, number + 1), scope)
                else:
                    yield Place(part, values[number], _ALL, scope)
                enter(scope, part.key, values[number])


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


def with_tables(items: Items) -> Items:
    """The structure with repeated lines of slots as records of a width."""
    return tuple(map(_with_tables, items))


def _with_tables(item: Item) -> Item:
    if not isinstance(item, Block):
        return item
    items, line = with_tables(item.items), item.items[0]
    parts = line.parts if isinstance(line, Line) and len(items) == 1 else ()
    if parts and all(isinstance(part, Slot) for part in parts):
        items = (Record(parts[0].key, len(parts)),)
    return replace(item, items=items)


def counting_keys(items: Items, lengths: Mapping[int, frozenset[int]]) -> dict[int, int]:
    """Slots used in counts, each with the largest number of factors of its products.

    ``lengths`` are the slots that count letters, by the key of the words.
    """
    found: dict[int, int] = {}

    def note(around: frozenset[int], key: int, times: Count | None) -> frozenset[int]:
        inner = around | lengths.get(key, frozenset())
        if times is not None and times.of is not None:
            inner |= {times.of}
        for one in inner:
            found[one] = max(found.get(one, 0), len(inner))
        return inner

    def visit(items: Items, around: frozenset[int]) -> None:
        for item in items:
            if isinstance(item, Block):
                visit(item.items, note(around, item.key, item.times))
            elif isinstance(item, Record):
                note(around, item.key, None)
            else:
                for part in item.parts:
                    note(around, part.key, part.times if isinstance(part, Row) else None)

    visit(items, frozenset())
    return found
