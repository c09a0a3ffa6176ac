"""Facts of the values of a place: numbers, words and lines, and what a value breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, TypeAlias

from maxcode.fuzz.notation import DAY, TIME, Notation
from maxcode.fuzz.relations import NONE, Entry, Relations
from maxcode.fuzz.structure import Count

ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789")
_SORTS = str.maketrans("".join(ALPHABETS).replace("0", ""), 26 * "a" + 26 * "A" + 9 * "9")
RUN = re.compile(r"[A-Za-z]+|[0-9]+")
FIELD = re.compile(
    rf"(?<![\d./-])(?:{DAY})(?![\d./-])|(?<!\d)(?:{TIME})(?![\d:])"
    r'|"[^"]*"|(?<![\w.])-?\d+\.\d+(?![\w.])|(?<!\w)-\d+(?!\w)|\w+'
)
VALUE = re.compile(r"[^ ]+")
WHOLE = re.compile(r"(?s).+")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Whole numbers from ``low`` to ``high``, the range of ``seen`` values.

    ``most`` and ``least`` are limits set by other values of the input. ``order`` is rising or
    falling, perhaps strictly; ``parents``: the i-th value is at most ``low`` + i, as in a list of
    parents. ``choices`` is a closed set. ``stated`` is the widest range in a statement or
    declaration.
    """

    low: int
    high: int
    seen: int
    most: Count | None = None
    least: Count | None = None
    order: str = ""
    distinct: bool = False
    parents: bool = False
    choices: tuple[int, ...] = ()
    notation: Notation = Notation.PLAIN
    stated: tuple[int, int] | None = None

    def text(self, value: int) -> str:
        """Text of a number in the input."""
        return self.notation.text(value)

    def number(self, text: str) -> int:
        """Number of a text in the notation."""
        number = self.notation.number(text)
        assert number is not None  # noqa: S101 - learned from such texts, or asked for before
        return number


@dataclass(frozen=True, slots=True)
class Shape:
    """Pattern: ``pieces`` between ``literals`` (one more than pieces), beginning with ``tag``."""

    literals: tuple[str, ...]
    pieces: tuple[Values, ...]
    tag: str = ""

    def text(self, values: Iterable[str]) -> str:
        """The pattern with values in place of its pieces."""
        return self.literals[0] + "".join(
            value + after for value, after in zip(values, self.literals[1:], strict=True)
        )

    def put(self, at: int, piece: Values) -> Shape:
        """The pattern with another piece."""
        return replace(self, pieces=(*self.pieces[:at], piece, *self.pieces[at + 1 :]))


@dataclass(frozen=True, slots=True)
class Words:
    """Words of ``letters``; of a pattern of ``shapes``, if any; or of the closed set ``choices``.

    ``length`` is the count of their letters, if known; ``bank`` holds seen words. ``follow`` are
    pairs of consecutive sorts of letters where digits and others are mixed, ``counts`` the number
    of occurrences of letters in the words of a place.
    """

    letters: str
    shortest: int
    longest: int
    seen: int
    length: Count | None = None
    choices: tuple[str, ...] = ()
    distinct: bool = False
    shapes: tuple[Shape, ...] = ()
    bank: tuple[str, ...] = ()
    follow: frozenset[tuple[str, str]] = frozenset()
    counts: tuple[tuple[str, int], ...] = ()
    stated: tuple[int, int] | None = None  # of lengths, as for numbers
    pattern: ClassVar[re.Pattern[str]] = RUN


@dataclass(frozen=True, slots=True)
class Records:
    """Lines of several kinds (``shapes``); none if lines have too little in common.

    ``bank`` holds consecutive lines of the tests, ``relations`` their invariants. ``pattern`` is
    that of a field: a value of a table's row, a number or word of other lines, or a whole line.
    """

    shapes: tuple[Shape, ...]
    bank: tuple[tuple[str, ...], ...] = ()
    relations: Relations = NONE
    pattern: re.Pattern[str] = FIELD

    @property
    def table(self) -> bool:
        """Whether lines are rows of separate values."""
        return self.pattern is VALUE

    @property
    def whole(self) -> bool:
        """Whether a line is a single field."""
        return self.pattern is WHOLE

    def rows(self, lines: Sequence[str]) -> list[Entry]:
        """Lines as kinds and fields, without lines of unknown kind."""
        kinds = {id(shape): number for number, shape in enumerate(self.shapes)}
        found = (taken(self, line) for line in lines)
        return [
            (kinds[id(shape)], list(map(typed, shape.pieces, fields)))
            for shape, fields in found
            if shape is not None
        ]

    def lines(self, rows: Iterable[Entry]) -> list[str]:
        """Rows as lines."""
        return [
            self.shapes[kind].text(map(untyped, self.shapes[kind].pieces, row))
            for kind, row in rows
        ]


Values: TypeAlias = Numbers | Words | Records


def limited(known: Words | Records) -> bool:
    """Whether other values of the input limit numbers in words or lines."""
    pieces = (piece for shape in known.shapes for piece in shape.pieces)
    return any(isinstance(one, Numbers) and (one.most or one.least) for one in pieces)


def mapped(known: Records, change: Callable[[Values], Values]) -> Records:
    """Records with changed facts of each field."""
    shapes = (replace(one, pieces=tuple(map(change, one.pieces))) for one in known.shapes)
    return replace(known, shapes=tuple(shapes))


def counts_of_letters(known: Values) -> frozenset[int]:
    """Slots that count the letters of words of a place."""
    if isinstance(known, Numbers):
        return frozenset()
    length = known.length.of if isinstance(known, Words) and known.length else None
    pieces = (piece for shape in known.shapes for piece in shape.pieces)
    own: frozenset[int] = frozenset() if length is None else frozenset({length})
    return own.union(*map(counts_of_letters, pieces))


def type_of(known: Values) -> Hashable:
    """Type of a field; only fields of equal types are compared."""
    if not isinstance(known, Numbers):
        return "word"
    width = known.notation.width if known.notation.form == "real" else 0
    return replace(known.notation, width=width, fixed=False)


def typed(known: Values, text: str) -> int | str:
    """Value for comparisons: a whole number or a word."""
    number = known.notation.number(text) if isinstance(known, Numbers) else None
    return text if number is None else number


def untyped(known: Values, value: int | str) -> str:
    """The text of a value."""
    if isinstance(known, Numbers) and isinstance(value, int):
        return known.text(value)
    return str(value)


def in_order(numbers: Sequence[int], order: str) -> bool:
    """Whether numbers are in an order: rising or falling, perhaps strictly."""
    sign = -1 if order.endswith("falling") else 1
    least = 1 if order.startswith("strictly") else 0
    return all(sign * (b - a) >= least for a, b in pairwise(numbers))


def sorts_of(word: str) -> str:
    """Sort of each letter: small, capital, digit, zero, or itself."""
    return word.translate(_SORTS)


def neighbours(word: str) -> Iterator[tuple[str, str]]:
    """Pairs of consecutive sorts of letters in a word, with its ends."""
    return pairwise(["", *sorts_of(word), ""])


@lru_cache(1 << 15)
def taken_apart(pattern: re.Pattern[str], text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Text between the matches of a pattern, and the matches."""
    literals, pieces, end = [], [], 0
    for match in pattern.finditer(text):
        quoted = pattern is FIELD and match[0][0] == '"'
        literals.append(text[end : match.start() + quoted])
        end = match.end() - quoted
        pieces.append(text[match.start() + quoted : end])
    return (*literals, text[end:]), tuple(pieces)


def is_spaced(line: str) -> bool:
    """Whether a line has blanks of its own, beyond single ones between words."""
    return "  " in line.strip() and any(map(str.isalpha, line))


def outside(known: Values, value: str) -> str:
    """Fact of a place broken by a value, in words; empty for none."""
    return next(_outside(known, value), "")


def _outside(known: Values, value: str) -> Iterator[str]:
    if isinstance(known, Numbers):
        yield from _outside_numbers(known, value)
        return
    if isinstance(known, Words) and known.choices:
        if value not in known.choices:
            yield f"{value[:20]!r}, which the tests lack"
        return
    if isinstance(known, Words) and known.length is None:
        for size in _beyond(len(value), known.shortest, known.longest, str):
            yield f"a word of {size} letters"
    if known.shapes:
        shape, values = taken(known, value)
        if shape is None:
            yield "another kind of line" if isinstance(known, Records) else "another kind of word"
        else:
            fields = zip(shape.pieces, values, strict=True)
            yield from (text for piece, one in fields for text in _outside(piece, one))
    elif isinstance(known, Words):
        yield from (
            f"a word with {strange!r}" for strange in sorted(set(value) - set(known.letters))
        )
        if known.follow and not known.follow.issuperset(neighbours(value)):
            yield f"{value[:20]!r}, a word of another form"
    elif not any(value in lines for lines in known.bank):
        yield "another line of text"


def _outside_numbers(known: Numbers, value: str) -> Iterator[str]:
    number = known.notation.number(value)
    if number is None:
        yield f"{value[:20]!r} in place of {known.notation.name}s"
    elif known.choices and number not in known.choices:
        yield f"{value}, not one of {', '.join(map(known.text, known.choices))}"
    else:
        yield from _beyond(number, known.low, known.high, known.text)


def _beyond(value: int, low: int, high: int, text: Callable[[int], str]) -> Iterator[str]:
    if value < low:
        yield f"{text(value)}, less than {text(low)}"
    if value > high:
        yield f"{text(value)}, more than {text(high)}"


def taken(known: Words | Records, text: str) -> tuple[Shape | None, tuple[str, ...]]:
    """Known pattern of a word or line, if any, and its fields."""
    literals, values = taken_apart(known.pattern, text)
    tagged = any(shape.tag for shape in known.shapes)
    tag = text.split(maxsplit=1)[0] if tagged and text.strip() else ""
    fitting = [one for one in known.shapes if (one.literals, one.tag) == (literals, tag)]
    if len(fitting) < 2:
        return next(iter(fitting), None), values
    within = (
        shape
        for shape in fitting
        if not any(outside(piece, one) for piece, one in zip(shape.pieces, values, strict=True))
    )
    return next(within, fitting[0]), values


def columns_of(
    known: Words | Records, texts: Sequence[str]
) -> list[tuple[Shape, list[int], list[list[str]]]]:
    """Words or lines by pattern: their places, and the values of each field."""
    found: dict[int, tuple[Shape, list[int], list[tuple[str, ...]]]] = {}
    for place, text in enumerate(texts):
        shape, fields = taken(known, text)
        if shape is not None:
            _, places, rows = found.setdefault(id(shape), (shape, [], []))
            places.append(place)
            rows.append(fields)
    return [
        (shape, places, [list(column) for column in zip(*rows, strict=True)])
        for shape, places, rows in found.values()
    ]
