"""Structure of inputs: a small grammar with counts, and its parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Scope: TypeAlias = dict[int, int]
"""Values of the integers read so far, and lengths of words and lines, by the key of their slot."""

LENGTH = 1 << 20
"""Added to the key of a word or line it is the key of its length."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")

FORMS: dict[str, tuple[Callable[..., int], float]] = {
    "{}": (lambda a: a, 0.0),
    "{} x {}": (lambda a, b: a * b, 0.3),
    "{} - 1": (lambda a: a - 1, 0.5),
    "2 x {}": (lambda a: 2 * a, 0.6),
    "{} + 1": (lambda a: a + 1, 0.7),
    "{} + {}": (lambda a, b: a + b, 4.0),
    "3 x {}": (lambda a: 3 * a, 0.9),
    "{} ({} - 1) / 2": (lambda a, b: a * (b - 1) // 2, 0.9),
}
"""How a count may follow from earlier numbers, and how unlikely that is."""


@dataclass(frozen=True, slots=True)
class Count:
    """Count: a form of earlier slots, or a constant for an empty ``form``."""

    form: str
    of: tuple[int, ...] = ()
    constant: int = 0

    def value(self, scope: Mapping[int, int]) -> int:
        """The number. Raises :class:`MismatchError` for a slot missing in the scope.

        Such as the length of a word: a number in its place has none.
        """
        if not self.form:
            return self.constant
        try:
            return FORMS[self.form][0](*(scope[key] for key in self.of))
        except KeyError:
            raise MismatchError from None


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
    """Line of any form; kinds and fields are learned from the lines of the examples."""

    key: int


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

    @property
    def columns(self) -> tuple[Slot, ...]:
        """Slots of a table's line; empty for other blocks."""
        if len(self.items) == 1 and isinstance(line := self.items[0], Line) and line.parts:
            slots = tuple(part for part in line.parts if isinstance(part, Slot))
            return slots if len(slots) == len(line.parts) else ()
        return ()


Item: TypeAlias = Line | Record | Block
Items: TypeAlias = tuple[Item, ...]

Parsed: TypeAlias = "str | list[Parsed]"
"""A parsed item: of a line its values and rows, of a block its repetitions."""


class MismatchError(Exception):
    """The input has another structure."""


@dataclass(frozen=True, slots=True)
class Document:
    """Input as lines of values, and its ending."""

    lines: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    ending: str

    @classmethod
    def of(cls, text: str) -> Document:
        """Lines and values of a text; blank lines at its end belong to the ending."""
        body = text.rstrip("\n")
        lines = tuple(body.split("\n")) if body else ()
        return cls(lines, tuple(tuple(line.split()) for line in lines), text[len(body) :])

    def joined(self) -> Document:
        """All values on a single line."""
        values = tuple(value for line in self.values for value in line)
        return Document((" ".join(values),), (values,), self.ending)


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
            enter(scope, item.key, document.lines[at])
            read.append(document.lines[at])
        else:
            read.append(parse_line(item, document.values[at], scope))
        at += 1
    return at, read


def _parse_block(
    block: Block, document: Document, at: int, scope: Scope
) -> tuple[int, list[Parsed]]:
    repetitions: list[Parsed] = []
    if block.times is not None:
        times = block.times.value(scope)
        if not 0 <= times <= len(document.lines) - at:
            raise MismatchError
        for _ in range(times):
            at, read = parse_items(block.items, document, at, scope)
            repetitions.append(read)
        return at, repetitions
    while at < len(document.lines):
        if block.last is not None and document.lines[at].strip() == block.last:
            return at + 1, repetitions
        before = at
        at, read = parse_items(block.items, document, at, scope)
        if at == before:  # it would repeat nothing for ever
            raise MismatchError
        repetitions.append(read)
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


def counting_keys(items: Items, lengths: Mapping[int, Count]) -> dict[int, int]:
    """Slots used in counts, each with the largest number of factors of its products.

    ``lengths`` are the counts of letters, by the key of the words.
    """
    found: dict[int, int] = {}

    def walk(items: Items, around: frozenset[int]) -> None:
        for item in items:
            if isinstance(item, Block):
                inner = around | frozenset(item.times.of if item.times else ())
                note(inner)
                walk(item.items, inner)
            elif isinstance(item, Line):
                for part in item.parts:
                    inner = around
                    if isinstance(part, Row) and part.times:
                        inner |= frozenset(part.times.of)
                    if part.key in lengths:
                        inner |= frozenset(lengths[part.key].of)
                    note(inner)

    def note(factors: frozenset[int]) -> None:
        for key in factors:
            found[key] = max(found.get(key, 0), len(factors))

    walk(items, frozenset())
    return found
