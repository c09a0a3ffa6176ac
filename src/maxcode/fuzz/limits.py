"""Limits of fields beyond those of the tests: what a statement says, and what a task declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from maxcode.errors import InputError
from maxcode.fuzz.facts import Facts
from maxcode.fuzz.values import Integers, Reals, Values, Words

Limits = Mapping[str, tuple[float, float]]
"""The least and the most of fields by the names that a description gives them."""

_NUMBER = r"[-\u2212]?\d[\d,_ ]*(?:\.\d+)?(?:\s*(?:\^|\*\*)\s*\d+(?:\s*-\s*1)?|e\d+)?"
_BETWEEN = re.compile(
    rf"({_NUMBER})\s*(?:to|and|\.\.|(?:<=?|\u2264)\s*[^<>=\u2264,;.]{{1,24}}?\s*(?:<=?|\u2264))\s*"
    rf"({_NUMBER})"
)
_AT_MOST = re.compile(rf"(?:at most|up to|no more than|\u2264|<=)\s*({_NUMBER})")
_AROUND = re.compile(rf"(?:\u00b1|\+/-|\+-)\s*({_NUMBER})")
_UNIQUE = re.compile(r"\b(distinct|unique|different|no two|pairwise|each .{1,30} once)\b", re.I)
_COVERED = 0.5  # of a stated range that the tests have to span, or it may be another field's


def stated_ranges(statement: str) -> list[tuple[float, float]]:
    """The ranges of numbers that a statement names, such as "from 0 to 1,000" and "1 <= n <= 9"."""
    found = [(_value(low), _value(high)) for low, high in _BETWEEN.findall(statement)]
    found += [(float("-inf"), _value(high)) for high in _AT_MOST.findall(statement)]
    found += [(-_value(far), _value(far)) for far in _AROUND.findall(statement)]
    return [(low, high) for low, high in found if low < high]


def _value(text: str) -> float:
    text = re.sub(r"[,_\s]", "", text).replace("\u2212", "-").replace("**", "^")
    base, power, rest = text.partition("^")
    if not power:
        return float(text)
    exponent, less, _ = rest.partition("-")
    return float(base) ** int(exponent) - bool(less)


def speaks_of_unique(statement: str) -> bool:
    """Whether a statement says of something that it comes once only."""
    return _UNIQUE.search(statement) is not None


def extended(facts: Facts, stated: Sequence[tuple[float, float]]) -> None:
    """Extend ranges to what a statement says of them.

    A statement names ranges and not places. A field's own, if it is named, is one of those that
    hold all its values: what all of these have in common is no wider. It counts only if the tests
    span half of it.
    """
    for key, known in facts.values.items():
        low, high = _range(known)
        holding = [(a, b) for a, b in stated if a <= low and high <= b]
        least = max((a for a, _ in holding), default=low)
        most = min((b for _, b in holding), default=high)
        least = low if least == float("-inf") else least
        if low < high and high - low >= _COVERED * (most - least):
            facts.values[key] = _within(known, least, most)


def declared(facts: Facts, names: Mapping[int, str], limits: Limits) -> None:
    """Set ranges as a task declares them.

    Raises :class:`~maxcode.errors.InputError` for a name that the description has not.
    """
    keys = {name: key for key, name in names.items()}
    for name, (least, most) in limits.items():
        if name not in keys:
            raise InputError(f"[fuzz.limits] has {name!r}; the fields are {_listed(keys)}")
        known = facts.values[keys[name]]
        low, high = _range(known)
        if not least <= low or not high <= most:
            raise InputError(
                f"[fuzz.limits] {name} = [{least:g}, {most:g}]: the tests have {low:g} to {high:g}"
            )
        facts.values[keys[name]] = _within(known, least, most)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "not known by name"


def _range(known: Values) -> tuple[float, float]:
    """The range of a number's value or a word's length; an empty one where there is neither."""
    if isinstance(known, Integers) and not known.choices and known.permutation is None:
        return known.low, known.high
    if isinstance(known, Reals):
        return known.low, known.high
    if isinstance(known, Words) and not (known.choices or known.shapes or known.length):
        return known.shortest, known.longest
    return 0.0, 0.0


def _within(known: Values, low: float, high: float) -> Values:
    if isinstance(known, Words):
        return replace(known, shortest=round(low), longest=round(high))
    if isinstance(known, Integers):
        return replace(known, low=round(low), high=round(high))
    return replace(known, low=low, high=high) if isinstance(known, Reals) else known
