"""Limits of fields from a task's statement and its declarations."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from maxcode.errors import InputError
from maxcode.fuzz.facts import Facts, Path, field, put
from maxcode.fuzz.values import Numbers, Records, Values, Words, mapped

Limits = Mapping[str, tuple[float, float]]
"""The least and the most of fields by the names that a description gives them."""

_Range: TypeAlias = tuple[float, float]

_NUMBER = (
    r"[-\u2212]?(?:\d{1,3}(?:[,_ ]\d{3})+(?!\d)|\d+)(?:\.\d+)?"
    r"(?:\s*(?:\^|\*\*)\s*\d+(?:\s*-\s*1)?|e\d+)?"
)
_LESS = r"(?:<=?|\u2264)"
_BETWEEN = re.compile(
    rf"({_NUMBER})\s*(?:to|and|\.\.|{_LESS}\s*([^<>=\u2264;.]{{1,24}}?)\s*{_LESS})\s*({_NUMBER})"
)
_AT_MOST = re.compile(rf"(?:at most|up to|no more than|{_LESS})\s*({_NUMBER})")
_AROUND = re.compile(
    rf"(?:\u00b1|\+/-|\+-|absolute values?(?: is)?\s+at\s+most|\|(?:,\s*\|\w+\|)?\s*{_LESS})"
    rf"\s*({_NUMBER})"
)
_SIGNED = re.compile(r"\b(32|64)[- ]bit signed|\bsigned (32|64)[- ]bit|\b(32|64)-bit \(?signed")
_EVERY = re.compile(rf"\b(?:all|every|each)\b[^.]{{0,40}}?{_NUMBER}", re.I)
_LETTERS = re.compile(r"(?:\s+[\w-]+){0,2}?\s+(?:letters|characters|bytes|digits)\b")
_LONG = re.compile(r"\blengths?\b[^.;]{0,20}$")
_COUNTED = r"(?:lines|rows|records|words|pairs|cases|integers|numbers|values|points|items|entries)"
_COUNT = re.compile(rf"(?:\s+[\w-]+){{0,2}}?\s+{_COUNTED}\b")
_COUNT_BEFORE = re.compile(rf"\b{_COUNTED}\s*\([^()]{{0,9}}$")
_EQUAL = re.compile(
    r"\b(?:equal|same|repeated|duplicates?)\b[^.;]{0,40}\b(?:possible|allowed|permitted|may|can)\b"
    r"|\bnot necessarily (?:distinct|different|unique)\b|\bmay (?:repeat|be equal|coincide)\b",
    re.I,
)
_UNIQUE = re.compile(r"\b(distinct|unique|different|no two|pairwise|each .{1,30} once)\b", re.I)


def stated_ranges(statement: str) -> tuple[list[_Range], list[_Range], list[_Range]]:
    """Ranges in a statement, such as "1 <= n <= 9": of values, of lengths, of counts.

    A range of several names, as in "1 <= n, m <= 9", is repeated for each. Lengths are of words
    ("at most 30 letters"), counts of lines and the like.
    """
    values: list[_Range] = []
    lengths: list[_Range] = []
    counts: list[_Range] = []
    for pattern in (_BETWEEN, _AROUND, _AT_MOST):
        for match in pattern.finditer(statement):
            low, middle, high = match.groups("") if pattern is _BETWEEN else ("", "", match[1])
            most = _value(high)
            least = _value(low) if low else -most if pattern is _AROUND else float("-inf")
            before, end = statement[: match.start()], match.end()
            named_before = pattern is _AT_MOST and _COUNT_BEFORE.search(before)
            kind = values
            if _LETTERS.match(statement, end) or _LONG.search(before) or "|" in middle:
                kind = lengths
            elif _COUNT.match(statement, end) or named_before:
                kind = counts
            if least < most:
                kind += [(least, most)] * (1 + middle.count(",") + match[0].count("|,"))
        statement = pattern.sub(" ", statement)
    for bits in _SIGNED.findall(statement):
        limit = 2.0 ** (int("".join(bits)) - 1)
        values.append((-limit, limit - 1))
    return values, lengths, counts


def _value(text: str) -> float:
    text = re.sub(r"[,_\s]", "", text).replace("\u2212", "-").replace("**", "^")
    base, power, rest = text.removeprefix("-").partition("^")
    exponent, less, _ = rest.partition("-")
    number = float(base) if "." in base or "e" in base else int(base)  # exact where it is whole
    value = number ** int(exponent) - bool(less) if power else number
    return -value if text.startswith("-") else value


def speaks_of_unique(statement: str) -> bool:
    """Whether a statement speaks of distinct values."""
    return _UNIQUE.search(statement) is not None


def permits_equal(statement: str) -> bool:
    """Whether a statement permits equal values."""
    return _EQUAL.search(statement) is not None


def extended(
    facts: Facts, names: Mapping[Path, str], statement: str, counting: Container[int] = ()
) -> None:
    """Extend ranges to those of a statement; ``counting`` numbers also to its ranges of counts.

    A statement names ranges without places. The intersection of all ranges around a field's values
    is never wider than the field's own range. With fewer ranges than fields none of them counts:
    a range may be another field's.
    """
    stated, lengths, counts = stated_ranges(statement)
    fields = [_range(field(facts, path)) for path in names]
    others = [known for known in facts.values() if isinstance(known, Records) and not known.table]
    rows = [_range(piece) for one in others for shape in one.shapes for piece in shape.pieces]
    number = sum(low < high for low, high in fields) + _apart(rows)
    enough = len(stated) + len(counts) >= number or _EVERY.search(statement) is not None

    def widened(known: Values, *, of_counts: bool = False) -> Values:
        if isinstance(known, Records):
            return mapped(known, widened)
        low, high = _range(known)
        named = lengths if isinstance(known, Words) else stated + counts * of_counts
        holding = [(a, b) for a, b in named if a <= low and high <= b]
        if not holding or low == high:
            return known
        # a range without a lower end goes down to zero, unless another goes below it
        lowest = min(0.0 if a == float("-inf") else a for a, _ in holding)
        widest = min(lowest, low), max(b for _, b in holding)
        least = max(low if a == float("-inf") else a for a, _ in holding)
        most = min(b for _, b in holding)
        return _within(known, least, most, widest) if enough else _within(known, low, high, widest)

    for path in [*names, *((key,) for key, one in facts.items() if isinstance(one, Records))]:
        known = field(facts, path)
        if not (isinstance(known, Records) and known.table):
            put(facts, path, widened(known, of_counts=path[0] in counting))


def _apart(ranges: Iterable[tuple[float, float]]) -> int:
    """Number of ranges; overlapping ranges count once."""
    number, end = 0, float("-inf")
    for low, high in sorted(one for one in ranges if one[0] < one[1]):
        number += low > end
        end = max(end, high)
    return number


def declared(facts: Facts, names: Mapping[Path, str], limits: Limits) -> None:
    """Set ranges as a task declares them.

    Raises :class:`~maxcode.errors.InputError` for a name missing in the description.
    """
    keys = {name: key for key, name in names.items()}
    for name, (least, most) in limits.items():
        if name not in keys:
            fields = ", ".join(keys) or "not known by name"
            raise InputError(f"[fuzz.limits] has {name!r}; the fields are {fields}")
        known = field(facts, keys[name])
        low, high = _range(known)
        if not least <= low or not high <= most:
            raise InputError(
                f"[fuzz.limits] {name} = [{least:g}, {most:g}]: the tests have {low:g} to {high:g}"
            )
        put(facts, keys[name], _within(known, least, most))


def _range(known: Values) -> tuple[float, float]:
    """Range of a number's value or a word's length; empty for other fields."""
    if isinstance(known, Numbers):
        free = not known.choices and known.most is None and known.notation.form in {"", "real"}
        unit = known.notation.unit  # whole numbers stay exact
        low, high = (one if unit == 1 else one / unit for one in (known.low, known.high))
        return (low, high) if free else (0.0, 0.0)
    if isinstance(known, Words) and not (known.choices or known.shapes or known.length):
        return known.shortest, known.longest
    return 0.0, 0.0


def _within(known: Values, low: float, high: float, widest: _Range | None = None) -> Values:
    """A field with a range, and with the widest stated range."""
    unit = known.notation.unit if isinstance(known, Numbers) else 1
    low, high = round(low * unit), round(high * unit)
    stated = (round(widest[0] * unit), round(widest[1] * unit)) if widest else (low, high)
    if isinstance(known, Words):
        return replace(known, shortest=low, longest=high, stated=stated)
    assert isinstance(known, Numbers)  # noqa: S101 - lines have no range
    return replace(known, low=low, high=high, stated=stated)
