"""Weaker facts of inputs: wider ranges, fewer relations, other words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from maxcode.fuzz.facts import Facts
from maxcode.fuzz.notation import Notation
from maxcode.fuzz.relations import NONE, Relations
from maxcode.fuzz.values import ALPHABETS, Numbers, Records, Shape, Values, Words, mapped, type_of

_RELATIONS = 0.3  # of the times one of records' relations is given up
_WIDER = 0.4  # of the times all numbers have wider ranges
_WAYS = (1, 1, 2, 3)  # facts given up otherwise
_SIGNS = 0.1  # of the times wider ranges have negative numbers where none were seen
_NATURAL = (10**2, 10**3, 10**4, 10**5, 10**6, 10**9, 10**12, 10**18)  # limits people set
_MIN_SEEN = 8  # values of a field that never differ, which then is no accident
_MIN_LENGTH = 8  # of words and lists that become several times as long
_MANY_FIELDS, _MORE = 6, 0.8  # of records; how often one more of so many is weaker
_UNBOUNDED = 1 << 62  # but by another number
_MARK = 10**15  # numbers in place of fields while they are moved
_ESCAPES = ('\\"x', "\\\\")  # of a quote and a backslash


def _word(text: str) -> Words:
    letters = "".join(sorted(set(text)))
    return Words(letters, len(text), len(text), 1, choices=(text,), bank=(text,))


def weaker(facts: Facts, chance: Random, *, wider: bool) -> Facts:
    """Facts with some given up.

    With ``wider``, ranges of all numbers may widen at once.
    """
    values = dict(facts)
    if wider and chance.random() < _WIDER:
        reach, signs = chance.randrange(len(_NATURAL) + 3), chance.random() < _SIGNS
        values = {key: _wider(known, reach, signs=signs) for key, known in values.items()}
    for _ in range(chance.choice(_WAYS) - (values != facts)):
        options = [(key, one) for key, known in values.items() for one in _values(known, chance)]
        if options:
            key, one = chance.choice(options)
            values[key] = one
    return values


def with_equals(facts: Facts) -> Facts:
    """Facts without distinct values: equal values are allowed."""
    return {key: _equal(known) for key, known in facts.items()}


def _equal(known: Values) -> Values:
    if isinstance(known, Records):
        return replace(mapped(known, _equal), relations=_equal_fields(known.relations))
    if isinstance(known, Words):
        return replace(known, distinct=False)
    if known.most is not None:  # a permutation
        return known
    return replace(known, distinct=False, order=known.order.removeprefix("strictly "))


def _equal_fields(known: Relations) -> Relations:
    weaker = {"<": "<=", ">": ">="}
    return replace(
        known,
        distinct=False,
        pairs=tuple(
            (kind, left, right, weaker.get(sign, sign))
            for kind, left, right, sign in known.pairs
            if sign != "!="
        ),
    )


def _values(known: Values, chance: Random) -> Iterator[Values]:
    if (equal := _equal(known)) != known:
        yield equal
    if isinstance(known, Numbers):
        if (known.most or known.least) and not known.distinct:  # of two counts, by accident
            yield replace(known, most=None, least=None)
        reach = chance.randrange(len(_NATURAL) + 3)
        yield _wider(known, reach, signs=chance.random() < _SIGNS)
    elif isinstance(known, Words):
        if not (known.choices or known.length):
            longest = max(_MIN_LENGTH, known.longest) * chance.choice((2, 4))
            shortest, longest = known.stated or (min(known.shortest, 1), longest)
            yield replace(known, shortest=shortest, shapes=())
            yield replace(known, longest=longest, shapes=())
            more = chance.choice(ALPHABETS) if any(map(str.isalnum, known.letters)) else ""
            letters = "".join(sorted({*known.letters, *more}))
            yield replace(known, letters=letters, shapes=(), bank=(), follow=frozenset())
    elif isinstance(known, Records):
        relations = [replace(known, relations=one) for one in _relations(known.relations)]
        if known.table:
            yield from relations
        elif relations and chance.random() < _RELATIONS:
            yield chance.choice(relations)
            return
        columns = len(known.shapes[0].pieces) if known.table and known.shapes else 1
        for _ in range(columns):
            yield from _fields(known, chance)


def _fields(known: Records, chance: Random) -> Iterator[Records]:
    """Records with a field of weaker facts, or of another field's facts."""
    free = [
        (place, at)
        for place, shape in enumerate(known.shapes)
        for at in range(bool(shape.tag), len(shape.pieces))
        if not _fixed(shape.pieces[at])
    ]
    if not free:
        return
    place, at = chance.choice(free)
    if len(free) > _MANY_FIELDS and chance.random() < _MORE:  # in two or more fields at once
        known = next(_fields(known, chance), known)
    shape = known.shapes[place]
    options = [_put(shape, at, less) for less in _values(shape.pieces[at], chance)]
    if isinstance(shape.pieces[at], Words):
        for other, quoted in _other_words(known, shape.pieces[at]):
            options.append(_put(shape, at, other, quoted=quoted))
        if shape.literals[at + 1][:1] in {",", ";", "|", '"'}:
            options.append(_put(shape, at, _word("")))
    options += _other_forms(shape, at, chance)
    chance.shuffle(options)
    for one in options:
        shapes = (*known.shapes[:place], one, *known.shapes[place + 1 :])
        same = [*map(type_of, one.pieces)] == [*map(type_of, shape.pieces)]
        relations = known.relations
        if not same:  # the sequence of kinds alone
            relations = replace(NONE, follow=relations.follow, once=relations.once)
        yield replace(known, shapes=shapes, relations=relations)


def _put(shape: Shape, at: int, piece: Values, *, quoted: bool = False) -> Shape:
    """Pattern with another field at a place."""
    literals = list(shape.literals)
    if quoted and not literals[at].endswith('"'):
        literals[at] += '"'
        literals[at + 1] = '"' + literals[at + 1]
    return replace(shape.put(at, piece), literals=tuple(literals))


def _other_words(known: Records, piece: Values) -> Iterator[tuple[Words, bool]]:
    """Fields with other words, and whether these are quoted."""
    for shape in known.shapes:
        for at in range(bool(shape.tag), len(shape.pieces)):
            other, before, after = shape.pieces[at], shape.literals[at], shape.literals[at + 1]
            if isinstance(other, Words) and other != piece and not _fixed(other):
                yield other, before.endswith('"') and after.startswith('"')


def _other_forms(shape: Shape, at: int, chance: Random) -> Iterator[Shape]:
    """Patterns with a missing value or leading zeros in place of a number, with escapes in quotes,
    and with keys of a JSON object in another order."""
    marks = [str(_MARK + number) for number in range(len(shape.pieces))]
    text = shape.text(marks)
    try:
        fields = [*json.loads(text).items()]
    except (ValueError, AttributeError):
        fields = []
    for separators in ((",", ":"), (", ", ": ")):
        if fields and json.dumps(dict(fields), separators=separators) == text:
            chance.shuffle(fields)
            text = json.dumps(dict(fields), separators=separators)
            order = sorted(range(len(marks)), key=lambda number: text.index(marks[number]))
            pieces = tuple(shape.pieces[number] for number in order)
            yield Shape(tuple(re.split("|".join(marks), text)), pieces)
    piece = shape.pieces[at]
    if isinstance(piece, Numbers):
        if fields or '"' in text:  # a log or a table, not an array of numbers
            yield _put(shape, at, _word("null" if fields else "-"))
        elif at and piece.notation == Notation.PLAIN and piece.low >= 0:  # such as behind a name
            padded = Notation("padded", len(str(piece.high)) + 1)
            yield _put(shape, at, replace(piece, notation=padded))
    elif isinstance(piece, Words) and shape.literals[at].endswith('"'):
        escaped = tuple(word + mark for word in piece.bank[:4] for mark in _ESCAPES)
        yield _put(shape, at, replace(piece, shapes=(), choices=escaped, bank=escaped))


def _relations(known: Relations) -> Iterator[Relations]:
    for pair in known.pairs:
        yield replace(known, pairs=tuple(one for one in known.pairs if one != pair))
    if known.graph is not None and known.graph.kind == "connected":
        yield replace(known, graph=replace(known.graph, kind="graph"))
        yield replace(known, graph=None)
    if known.follow:
        yield replace(known, follow=NONE.follow)


def _fixed(known: Values) -> bool:
    """Whether a field is always the same."""
    if isinstance(known, Numbers):
        return known.low == known.high and known.seen >= _MIN_SEEN
    return isinstance(known, Words) and len(known.bank) == 1 and known.seen >= _MIN_SEEN


def _wider(known: Values, reach: int, *, signs: bool) -> Values:
    """Numbers with a range up to a usual limit."""
    if isinstance(known, Records):
        return mapped(known, lambda one: _wider(one, reach, signs=signs))
    if not isinstance(known, Numbers) or not known.seen or _fixed(known):
        return known
    low, high = known.low, known.high
    if known.stated or known.most:
        low, high = known.stated or (low, _UNBOUNDED)  # what limits it grows, too
    elif usual := known.notation.limits:
        low, high = min(low, usual[0]), max(high, usual[1])
    else:
        most = _NATURAL[-1] if high > 1 << 31 else 10**9
        natural = [limit for limit in _NATURAL if high < limit <= most]
        options = [high, high * 2 + 1, high * 4 + 1, *natural]
        high = options[reach % len(options)]
        low = min(low, reach % 2, -high if known.low < 0 or signs else 1)
    return replace(known, low=low, high=high, choices=())
