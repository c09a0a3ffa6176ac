"""Learning the facts of the values of a place: numbers, words and lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from math import lgamma, log
from typing import Any, TypeAlias

from maxcode.fuzz.notation import Notation
from maxcode.fuzz.relations import closed, learn_relations
from maxcode.fuzz.structure import LENGTH, Count, Scope, integer
from maxcode.fuzz.values import (
    ALPHABETS,
    FIELD,
    RUN,
    VALUE,
    WHOLE,
    Numbers,
    Records,
    Shape,
    Values,
    Words,
    in_order,
    is_spaced,
    neighbours,
    taken_apart,
    type_of,
)

_EVIDENCE = log(20)  # a fact that chance alone explains once in 20 is taken for one
_ORDERED = log(10_000)  # more for an order, in which people like to write small examples
_ORDERS = ("strictly rising", "rising", "strictly falling", "falling")
_COLLISIONS = 8.0  # expected, none seen: fewer say little, as people avoid repetitions in examples
_ALONE = 10  # values, all different, that a statement can be about which calls some unique
_MAX_CHOICES = 12  # of a closed set of numbers
_MIN_TEXTS = 3  # lines that have blanks in them, which then are text
_MAX_BANK = 400  # values that are kept of one place
_MAX_SHAPES = 4  # of the words of one place

Observed: TypeAlias = tuple[list[str], Scope]
"""Values that stood together, and the integers in scope there."""

_Kind: TypeAlias = tuple[tuple[str, ...], Any]
"""Text between the fields of words or lines, and what else tells kinds apart."""


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
    if notation is None and all(integer(value) is not None for value in everything):
        return _numbers([(list(map(int, values)), scope) for values, scope in found], unique)
    if notation := notation or Notation.of(everything):
        read = notation.number
        numbers: list[tuple[list[int], Scope]] = [
            ([n for n in map(read, values) if n is not None], {}) for values, _ in found
        ]
        return replace(_numbers(numbers, unique), notation=notation)
    return _words(everything, found, unique)


def _numbers(found: Sequence[tuple[list[int], Scope]], unique: bool) -> Numbers:
    lists = [numbers for numbers, _ in found]
    everything = list(chain(*lists))
    low, high = min(everything), max(everything)
    mixed = all(sorted(n) == [*range(low, low + len(n))] for n in lists)
    permutation = mixed and len(everything) >= 4 and max(map(len, lists)) > 1 and low in {0, 1}
    collisions = sum(len(numbers) ** 2 for numbers in lists) / (2 * (high - low + 1))
    telling = collisions > _COLLISIONS or (unique and len(everything) >= _ALONE)
    longer = [numbers for numbers in lists if len(numbers) > 1]
    parents = (
        low in {0, 1}
        and sum(lgamma(len(numbers) + 1) for numbers in longer) > 2 * _EVIDENCE
        and all(v <= low + i for numbers in lists for i, v in enumerate(numbers))
        and any(2 * max(numbers) >= len(numbers) for numbers in longer)
    )
    kinds = Counter(everything)
    sparse = 1 < len(kinds) <= _MAX_CHOICES and high - low + 1 > 3 * len(kinds)
    return Numbers(
        low,
        high,
        len(everything),
        _most(found, low),
        _least(found),
        _order(longer),
        permutation or (telling and _all_distinct(lists)),
        parents=parents,
        choices=tuple(sorted(kinds)) if sparse and closed(kinds) else (),
    )


def _all_distinct(lists: Sequence[Sequence[Any]]) -> bool:
    """Whether no list has a value twice."""
    return all(len(set(values)) == len(values) for values in lists)


def _scoped(found: Sequence[tuple[list[Any], Scope]]) -> tuple[list[Scope], list[int]]:
    """Scopes of the lists with values, and the keys in all of them, the latest first."""
    scopes = [scope for values, scope in found if values]
    return scopes, sorted(set(scopes[0]).intersection(*scopes[1:]), reverse=True)


def _most(found: Sequence[tuple[list[int], Scope]], low: int) -> Count | None:
    """Slot as an upper limit, less 1 for indices from 0, if it is reached and varies."""
    if low < 0:
        return None
    scopes, keys = _scoped(found)
    lists = [numbers for numbers, _ in found if numbers]
    tops, several = list(map(max, lists)), sum(map(len, lists)) > 2
    best, often, above = None, 0, None
    for count in [Count(key, plus) for plus in ((0, -1) if low == 0 else (0,)) for key in keys]:
        pairs = [(top, count.value(scope)) for top, scope in zip(tops, scopes, strict=True)]
        if any(top > limit for top, limit in pairs):
            continue
        limits = {limit for _, limit in pairs}
        reached = sum(top == limit for top, limit in pairs)
        near = 2 * sum(2 * top >= limit for top, limit in pairs) >= len(pairs)
        varies = len(limits) > 1 or reached > 1 or len(found) == 1
        enough = max(limits) > 1 and (reached > 1 or several)
        if reached > often and near and varies and enough:
            best, often = count, reached
        if len(pairs) >= 3 and max(tops) * 20 > max(limits):  # below each time, such as k of n
            above = above or count
    return best or above


def _least(found: Sequence[tuple[list[int], Scope]]) -> Count | None:
    """Earlier slot as a lower limit, if hardly by chance."""
    scopes, keys = _scoped(found)
    lows = [min(numbers) for numbers, _ in found if numbers]
    for key in keys if len(scopes) >= 4 else ():
        limits = [scope[key] for scope in scopes]
        above = all(low >= limit for low, limit in zip(lows, limits, strict=True))
        if above and len(set(limits)) > 2 and max(limits) > min(lows):
            return Count(key)
    return None


def _order(longer: Sequence[Sequence[int]]) -> str:
    """Common order of lists of several numbers, if hardly by chance."""
    if sum(lgamma(len(set(numbers)) + 1) for numbers in longer) <= _ORDERED:
        return ""
    return next((one for one in _ORDERS if all(in_order(n, one) for n in longer)), "")


def _words(everything: Sequence[str], found: Sequence[Observed], unique: bool = False) -> Words:
    letters = "".join(sorted({letter for word in everything for letter in word}))
    for alphabet in ALPHABETS:
        if len(letters) >= 5 and set(letters) <= set(alphabet):
            letters = alphabet
    lengths = [len(word) for word in everything]
    kinds = Counter(everything)
    varied = min(lengths) < max(lengths)
    length = _length(found) if varied or max(lengths) > 1 else None
    shapes = () if length else _shapes(everything, found)
    choices = len(kinds) == 1 or (max(lengths) > 1 and closed(kinds) and len(kinds) <= _MAX_BANK)
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
        numbered or (unique and len(everything) >= _ALONE and _all_distinct(lists)),
        shapes,
        tuple(list(kinds)[:_MAX_BANK]),
        frozenset(pair for word in kinds for pair in neighbours(word)) if mixed else frozenset(),
        tuple(_constant(lists, letters)) if length else (),
    )


def _length(found: Sequence[Observed]) -> Count | None:
    """Latest number before the words that is the length of each."""
    for key in _scoped(found)[1]:
        if key < LENGTH and all(
            len(word) == scope[key] for words, scope in found for word in words
        ):
            return Count(key)
    return None


def _constant(lists: Sequence[Sequence[str]], letters: str) -> Iterator[tuple[str, int]]:
    """Letters with the same number of occurrences in all lists of words."""
    together = ["".join(words) for words in lists]
    if len(together) > 2 and len(set(map(len, together))) > 1:
        for letter in letters:
            number = {text.count(letter) for text in together}
            if len(number) == 1:
                yield letter, number.pop()


def _shapes(everything: Sequence[str], found: Sequence[Observed]) -> tuple[Shape, ...]:
    """Patterns of runs of letters and digits, if words have few patterns."""
    if all(map(RUN.fullmatch, everything)):
        return ()  # a single run each, which has no parts
    kinds = _grouped(found, RUN, lambda _, runs: tuple(map(str.isdigit, runs)))
    if len(kinds) > min(_MAX_SHAPES, max(1, len(everything) // 3)):
        return ()
    return tuple(Shape(kind[0], tuple(map(_run, kinds[kind]))) for kind in sorted(kinds))


def _run(found: Sequence[Observed]) -> Values:
    """Facts of a run of letters or digits."""
    runs = [run for values, _ in found for run in values]
    known = learn_values(found) if runs[0].isdigit() and max(map(len, runs)) <= 18 else None
    return known if isinstance(known, Numbers) else _words(runs, found)


def _grouped(
    found: Sequence[Observed],
    pattern: re.Pattern[str],
    tag: Callable[[str, tuple[str, ...]], Any],
) -> dict[_Kind, list[list[Observed]]]:
    """Values of each field, by the kind of words or lines: the text between fields, and a tag."""
    kinds: dict[_Kind, list[list[Observed]]] = {}
    for texts, scope in found:
        here: dict[_Kind, list[tuple[str, ...]]] = {}
        for text in texts:
            literals, fields = taken_apart(pattern, text)
            here.setdefault((literals, tag(text, fields)), []).append(fields)
        for kind, rows in here.items():
            columns = kinds.setdefault(kind, [[] for _ in rows[0]])
            for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                column.append((list(values), scope))
    return kinds


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
        return Records((Shape(("", ""), (_words(everything, found),)),), bank, pattern=WHOLE)
    pattern, tags = (VALUE, frozenset[str]()) if table else (FIELD, tags_of(everything))
    kinds = _grouped(found, pattern, lambda line, _: tag_of(line, tags))
    if not kinds or 2 * len(kinds) > len(everything) > 6:
        return Records((), bank, pattern=pattern)
    notations = [None if table else _shared_notation(one) for one in zip_longest(*kinds.values())]
    shapes = tuple(
        _shape(kind, columns, notations, unique=unique) for kind, columns in kinds.items()
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


def _shape(
    kind: _Kind,
    columns: Sequence[Sequence[Observed]],
    notations: Sequence[Notation | None],
    *,
    unique: bool,
) -> Shape:
    """Kind of line; with only seen words, if it begins with a tag and has few lines."""
    (literals, tag), pairs = kind, zip(columns, notations, strict=False)
    pieces = [learn_values(column, unique=unique, notation=known) for column, known in pairs]
    if tag and sum(len(values) for found in columns[:1] for values, _ in found) <= _ALONE:
        pieces = [
            replace(one, choices=one.bank) if isinstance(one, Words) and not one.length else one
            for one in pieces
        ]
    return Shape(literals, tuple(pieces), tag)


def _of_edges(shape: Shape) -> Shape:
    """Row of a graph: any node may be at either end of its edge."""
    ends = [one for one in shape.pieces[:2] if isinstance(one, Numbers)]
    high = max(one.high for one in ends)
    pieces = (*(replace(one, low=1, high=high) for one in ends), *shape.pieces[2:])
    return replace(shape, pieces=pieces)


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
