"""Fields of an input: type, range and pattern of the values of a place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, zip_longest
from math import lgamma, log
from typing import Any, ClassVar, TypeAlias

from maxcode.fuzz.notation import DAY, TIME, Notation
from maxcode.fuzz.relations import NONE, Entry, Relations, all_distinct, closed, learn_relations
from maxcode.fuzz.structure import LENGTH, Count, Scope, integer

_EVIDENCE = log(20)  # a fact that chance alone explains once in 20 is taken for one
_ORDERED = log(10_000)  # more for an order, in which people like to write small examples
_ORDERS = ("strictly rising", "rising", "strictly falling", "falling")
_COLLISIONS = 8.0  # expected, none seen: fewer say little, as people avoid repetitions in examples
_ALONE = 10  # values, all different, that a statement can be about which calls some unique
_MAX_CHOICES = 12  # of a closed set of numbers
_MIN_TEXTS = 3  # lines that have blanks in them, which then are text
_MAX_BANK = 400  # values that are kept of one place
_MAX_SHAPES = 4  # of the words of one place
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789")
_SORTS = str.maketrans("".join(_ALPHABETS).replace("0", ""), 26 * "a" + 26 * "A" + 9 * "9")
_RUN = re.compile(r"[A-Za-z]+|[0-9]+")
_FIELD = re.compile(
    rf"(?<![\d./-])(?:{DAY})(?![\d./-])|(?<!\d)(?:{TIME})(?![\d:])"
    r'|"[^"]*"|(?<![\w.])-?\d+\.\d+(?![\w.])|(?<!\w)-\d+(?!\w)|\w+'
)
_VALUE = re.compile(r"[^ ]+")
_WHOLE = re.compile(r"(?s).+")


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
    pattern: ClassVar[re.Pattern[str]] = _RUN


@dataclass(frozen=True, slots=True)
class Records:
    """Lines of several kinds (``shapes``); none if lines have too little in common.

    ``bank`` holds consecutive lines of the tests, ``relations`` their invariants. ``pattern`` is
    that of a field: a value of a table's row, a number or word of other lines, or a whole line.
    """

    shapes: tuple[Shape, ...]
    bank: tuple[tuple[str, ...], ...] = ()
    relations: Relations = NONE
    pattern: re.Pattern[str] = _FIELD

    @property
    def table(self) -> bool:
        """Whether lines are rows of separate values."""
        return self.pattern is _VALUE

    @property
    def whole(self) -> bool:
        """Whether a line is a single field."""
        return self.pattern is _WHOLE

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


Observed: TypeAlias = tuple[list[str], Scope]
"""Values that stood together, and the integers in scope there."""


def learn_values(
    found: Sequence[Observed], *, unique: bool = False, notation: Notation | None = None
) -> Values:
    """Facts of the values of a place.

    ``unique``: values without repetition are distinct, by chance or not. ``notation`` is known from
    other places.
    """
    everything = [value for values, _ in found for value in values]
    if not everything:
        return Numbers(0, 0, 0)
    if all(integer(value) is not None for value in everything) and notation is None:
        return _numbers([(list(map(int, values)), scope) for values, scope in found], unique)
    if notation := notation or Notation.of(everything):
        read = notation.number
        numbers: list[tuple[list[int], Scope]] = [
            ([n for n in map(read, values) if n is not None], {}) for values, _ in found
        ]
        return replace(_numbers(numbers, unique), notation=notation)
    return _words(everything, found, unique)


def _numbers(found: Sequence[tuple[list[int], Scope]], unique: bool) -> Numbers:
    everything = [number for numbers, _ in found for number in numbers]
    low, high = min(everything), max(everything)
    lists = [numbers for numbers, _ in found]
    mixed = all(sorted(n) == [*range(low, low + len(n))] for n in lists)
    permutation = mixed and len(everything) >= 4 and max(map(len, lists)) > 1 and low in {0, 1}
    chance = sum(len(numbers) ** 2 for numbers in lists) / (2 * (high - low + 1))
    longer = [numbers for numbers in lists if len(numbers) > 1]
    parents = (
        low in {0, 1}
        and sum(lgamma(len(numbers) + 1) for numbers in longer) > 2 * _EVIDENCE
        and all(v <= low + i for numbers in lists for i, v in enumerate(numbers))
        and any(2 * max(numbers) >= len(numbers) for numbers in longer)
    )
    kinds = Counter(everything)
    sparse = len(kinds) <= _MAX_CHOICES and high - low + 1 > 3 * len(kinds)
    return Numbers(
        low,
        high,
        len(everything),
        _most(found, low),
        _least(found),
        _order(lists),
        permutation
        or (
            all_distinct(lists) and (chance > _COLLISIONS or (unique and len(everything) >= _ALONE))
        ),
        parents=parents,
        choices=tuple(sorted(kinds)) if sparse and closed(kinds) and len(kinds) > 1 else (),
    )


def _most(found: Sequence[tuple[list[int], Scope]], low: int) -> Count | None:
    """Slot or product as an upper limit, if it is reached and varies."""
    filled = [(numbers, scope) for numbers, scope in found if numbers]
    keys = set.intersection(*(set(scope) for _, scope in filled))
    options = [Count(key) for key in sorted(keys, reverse=True)]
    if low == 0:  # as in indices that start at 0
        options += [Count(key, -1) for key in sorted(keys, reverse=True)]
    if low < 0:
        return None
    tops = [max(numbers) for numbers, _ in filled]
    limited = [(count, [count.value(scope) for _, scope in filled]) for count in options]
    below = [
        (count, limits)
        for count, limits in limited
        if all(top <= limit for top, limit in zip(tops, limits, strict=True))
    ]
    best, often = None, 0
    for count, limits in below:
        reached = sum(top == limit for top, limit in zip(tops, limits, strict=True))
        if 2 * sum(2 * top >= limit for top, limit in zip(tops, limits, strict=True)) < len(tops):
            continue
        varies = len(set(limits)) > 1 or reached > 1 or len(found) == 1
        enough = max(limits) > 1 and (reached > 1 or sum(len(n) for n, _ in filled) > 2)
        if reached > often and varies and enough:
            best, often = count, reached
    for count, limits in below:  # a single number that is below each time, such as k of n
        if best is None and len(filled) >= 3 and max(tops) * 20 > max(limits):
            best = count
    return best


def _least(found: Sequence[tuple[list[int], Scope]]) -> Count | None:
    """Earlier slot as a lower limit, if hardly by chance."""
    filled = [(numbers, scope) for numbers, scope in found if numbers]
    if len(filled) < 4:
        return None
    for key in sorted(set.intersection(*(set(scope) for _, scope in filled)), reverse=True):
        limits = [scope[key] for _, scope in filled]
        lows = [min(numbers) for numbers, _ in filled]
        above = all(low >= limit for low, limit in zip(lows, limits, strict=True))
        if above and len(set(limits)) > 2 and max(limits) > min(lows):
            return Count(key)
    return None


def _order(lists: Sequence[Sequence[float]]) -> str:
    """Common order of all lists, if hardly by chance."""
    longer = [numbers for numbers in lists if len(numbers) > 1]
    if sum(lgamma(len(set(numbers)) + 1) for numbers in longer) <= _ORDERED:
        return ""
    return next((one for one in _ORDERS if all(in_order(n, one) for n in longer)), "")


def in_order(numbers: Sequence[float], order: str) -> bool:
    """Whether numbers are in an order: rising or falling, perhaps strictly."""
    sign = -1 if order.endswith("falling") else 1
    least = 0.0 if order.startswith("strictly") else -1e-300
    return all(sign * (b - a) > least for a, b in pairwise(numbers))


def _words(everything: Sequence[str], found: Sequence[Observed], unique: bool = False) -> Words:
    letters = "".join(sorted({letter for word in everything for letter in word}))
    for alphabet in _ALPHABETS:
        if len(letters) >= 5 and set(letters) <= set(alphabet):
            letters = alphabet
    lengths = [len(word) for word in everything]
    kinds = Counter(everything)
    length = None
    if max(lengths) > 1 or len(set(lengths)) > 1:
        keys = set.intersection(*(set(scope) for values, scope in found if values))
        keys = {key for key in keys if key < LENGTH}
        length = next(
            (
                Count(key)
                for key in sorted(keys, reverse=True)
                if all(len(word) == scope[key] for values, scope in found for word in values)
            ),
            None,
        )
    shapes = () if length else _shapes(everything, found)
    choices = (max(lengths) > 1 and closed(kinds)) or len(kinds) == 1
    choices &= len(kinds) <= _MAX_BANK
    mixed = {"0" <= letter <= "9" for letter in letters} == {True, False}
    lists = [values for values, _ in found]
    numbered = len(shapes) == 1 and any(
        isinstance(piece, Numbers) and piece.distinct for piece in shapes[0].pieces
    )
    return Words(
        letters,
        min(lengths),
        max(lengths),
        len(everything),
        length,
        tuple(sorted(kinds)) if choices and length is None else (),
        numbered or (unique and len(everything) >= _ALONE and all_distinct(lists)),
        shapes,
        tuple(list(kinds)[:_MAX_BANK]),
        frozenset(pair for word in kinds for pair in _sorts(word)) if mixed else frozenset(),
        tuple(_constant(lists, letters)) if length else (),
    )


def _constant(lists: Sequence[Sequence[str]], letters: str) -> Iterator[tuple[str, int]]:
    """Letters with the same number of occurrences in all lists of words."""
    together = ["".join(words) for words in lists]
    if len(together) > 2 and len(set(map(len, together))) > 1:
        for letter in letters:
            number = {text.count(letter) for text in together}
            if len(number) == 1:
                yield letter, number.pop()


def sorts_of(word: str) -> str:
    """Sort of each letter: small, capital, digit, zero, or itself."""
    return word.translate(_SORTS)


def _sorts(word: str) -> Iterator[tuple[str, str]]:
    """Pairs of consecutive sorts of letters in a word, with its ends."""
    return pairwise(["", *sorts_of(word), ""])


def _shapes(everything: Sequence[str], found: Sequence[Observed]) -> tuple[Shape, ...]:
    """Patterns of runs of letters and digits, if words have few patterns."""
    if all(_RUN.fullmatch(word) for word in everything):
        return ()  # a single run each, which has no parts
    kinds = _grouped(found, _RUN, lambda _, runs: tuple(map(str.isdigit, runs)))
    if len(kinds) > min(_MAX_SHAPES, max(1, len(everything) // 3)):
        return ()
    return tuple(Shape(kind[0], tuple(map(_run_values, kinds[kind]))) for kind in sorted(kinds))


def _run_values(found: Sequence[Observed]) -> Values:
    runs = [run for values, _ in found for run in values]
    if runs[0].isdigit() and max(map(len, runs)) <= 18:
        known = learn_values(found)
        return known if isinstance(known, Numbers) else _words(runs, found)
    return _words(runs, found)


@lru_cache(1 << 15)
def _taken_apart(pattern: re.Pattern[str], text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Text between the matches of a pattern, and the matches."""
    literals, pieces, end = [], [], 0
    for match in pattern.finditer(text):
        quoted = pattern is _FIELD and match[0][0] == '"'
        literals.append(text[end : match.start() + quoted])
        end = match.end() - quoted
        pieces.append(text[match.start() + quoted : end])
    return (*literals, text[end:]), tuple(pieces)


def _grouped(
    found: Sequence[Observed],
    pattern: re.Pattern[str],
    tag: Callable[[str, tuple[str, ...]], Any],
) -> dict[tuple[tuple[str, ...], Any], list[list[Observed]]]:
    """Values of each field, by the text between fields and the tag of words or lines."""
    kinds: dict[tuple[tuple[str, ...], Any], list[list[Observed]]] = {}
    for texts, scope in found:
        here: dict[tuple[tuple[str, ...], Any], list[tuple[str, ...]]] = {}
        for text in texts:
            literals, fields = _taken_apart(pattern, text)
            here.setdefault((literals, tag(text, fields)), []).append(fields)
        for kind, rows in here.items():
            columns = kinds.setdefault(kind, [[] for _ in rows[0]])
            for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                column.append((list(values), scope))
    return kinds


def is_spaced(line: str) -> bool:
    """Whether a line has blanks of its own, beyond single ones between words."""
    return "  " in line.strip() and any(map(str.isalpha, line))


def fields_of(line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Text between the fields of a line, and the fields: numbers, words, quoted text."""
    return _taken_apart(_FIELD, line)


def learn_records(
    found: Sequence[Observed], *, unique: bool = False, table: bool = False
) -> Records:
    """Kinds of the lines of a place: by separators, and by the first word if there are few.

    Lines of a ``table`` are of one kind, with a blank between fields.
    """
    everything = [line for lines, _ in found for line in lines]
    bank = () if table else tuple(tuple(lines[:_MAX_BANK]) for lines, _ in found[:_MAX_BANK])
    one = all(len(lines) == 1 for lines, _ in found) and not table
    if one and len(everything) >= _MIN_TEXTS and any(map(is_spaced, everything)):
        return Records((Shape(("", ""), (_words(everything, found),)),), bank, pattern=_WHOLE)
    pattern, tags = (_VALUE, frozenset[str]()) if table else (_FIELD, tags_of(everything))
    kinds = _grouped(found, pattern, lambda line, _: tag_of(line, tags))
    if not kinds or 2 * len(kinds) > len(everything) > 6:
        return Records((), bank, pattern=pattern)
    notations = [None if table else _shared_notation(one) for one in zip_longest(*kinds.values())]
    shapes = tuple(
        _of_few(
            Shape(
                literals,
                tuple(
                    learn_values(column, unique=unique, notation=notation)
                    for column, notation in zip(columns, notations, strict=False)
                ),
                tag,
            ),
            sum(len(values) for values, _ in columns[0]) if columns else 0,
        )
        for (literals, tag), columns in kinds.items()
    )
    known = Records(shapes, bank, pattern=pattern)
    types = {kind: list(map(type_of, shape.pieces)) for kind, shape in enumerate(shapes)}
    entries = [(known.rows(lines), scope) for lines, scope in found]
    relations = learn_relations(entries, types, table=table)
    shapes = tuple(map(_of_edges, shapes)) if relations.graph else shapes
    return replace(known, shapes=shapes, relations=relations)


def _shared_notation(fields: Sequence[Sequence[Observed] | None]) -> Notation | None:
    """Notation of a field in lines of all kinds, which may be short of digits in some."""
    values = [value for found in fields for values, _ in found or () for value in values]
    notation = Notation.of(values)
    return notation if notation and notation.form != "real" else None


def _of_edges(shape: Shape) -> Shape:
    """Row of a graph: any node may be at either end of its edge."""
    ends = [one for one in shape.pieces[:2] if isinstance(one, Numbers)]
    high = max(one.high for one in ends)
    pieces = (*(replace(one, low=1, high=high) for one in ends), *shape.pieces[2:])
    return replace(shape, pieces=pieces)


def _of_few(shape: Shape, number: int) -> Shape:
    """Kind of line with only seen words, for a kind with few lines."""
    if not shape.tag or number > _ALONE:
        return shape
    pieces = (
        replace(one, choices=one.bank) if isinstance(one, Words) and one.length is None else one
        for one in shape.pieces
    )
    return replace(shape, pieces=tuple(pieces))


def tags_of(lines: Sequence[str]) -> frozenset[str]:
    """First words of lines, if they decide the kind of line; otherwise empty."""
    widths: dict[str, set[int]] = {}
    for line in lines:
        words = line.split()
        widths.setdefault(words[0] if words else "", set()).add(len(words))
    numbers = any(integer(tag) is not None for tag in widths)
    if not 2 <= len(widths) <= _MAX_CHOICES or len(lines) < (4 if numbers else 2) * len(widths):
        return frozenset()
    if numbers and (
        any((integer(tag) or 0) > _MAX_CHOICES or len(one) > 1 for tag, one in widths.items())
        or len({min(one) for one in widths.values()}) < 2
    ):
        return frozenset()
    return frozenset(widths)


def tag_of(line: str, tags: frozenset[str]) -> str:
    """Tag of a line; empty without tags."""
    words = line.split()
    return words[0] if tags and words else ""


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
        if known.follow and not known.follow.issuperset(_sorts(value)):
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
    literals, values = _taken_apart(known.pattern, text)
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
