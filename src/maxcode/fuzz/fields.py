"""What the values of one place in the inputs have in common: ranges, order, limits by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lgamma, log
from typing import TypeAlias

from maxcode.fuzz.structure import (
    Block,
    Cases,
    Count,
    Document,
    Items,
    Line,
    Parsed,
    Row,
    Scope,
    Slot,
    Text,
    integer,
    parse_items,
)

_EVIDENCE = log(20)  # a fact that chance alone explains once in 20 is taken for one
_ORDERED = log(10_000)  # more for an order, in which people like to write small examples
_COLLISIONS = 8.0  # expected, none seen: fewer say little, as people avoid repetitions in examples
_MAX_LISTS = 2000  # of one place, looked at
_MAX_CHOICES = 12

ORDERS = ("rising", "strictly rising", "falling", "strictly falling")


@dataclass(frozen=True, slots=True)
class Integers:
    """Whole numbers from ``low`` to ``high``, as ``seen`` examples of them show.

    ``most`` and ``least`` are limits that other values of the input set. ``order`` is one of
    :data:`ORDERS` or empty; ``permutation`` is the first number where a row has each once;
    ``parents`` says that the i-th value is at most ``low`` + i, as in a list of parents.
    """

    low: int
    high: int
    seen: int
    most: Count | None = None
    least: Count | None = None
    order: str = ""
    distinct: bool = False
    permutation: int | None = None
    parents: bool = False


@dataclass(frozen=True, slots=True)
class Reals:
    """Numbers with a decimal point, with at most ``decimals`` digits after it."""

    low: float
    high: float
    decimals: int
    fixed: bool
    seen: int
    order: str = ""
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Words of the ``letters``, or one of ``choices``; ``length`` is what sets theirs, if known."""

    letters: str
    shortest: int
    longest: int
    seen: int
    length: Count | None = None
    choices: tuple[str, ...] = ()
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """Lines of text, as they were given."""

    lines: tuple[str, ...]


Values: TypeAlias = Integers | Reals | Words | Texts


@dataclass(frozen=True, slots=True)
class Table:
    """What rows of a table have in common beyond their columns.

    ``pairs`` are columns i, j and how they compare in every row; ``distinct`` says that no row
    comes twice; ``graph`` is "", "graph" (no edge twice, in neither direction), "connected" or
    "tree", of which the first two columns are the edges between nodes 1 to ``nodes``.
    """

    pairs: tuple[tuple[int, int, str], ...] = ()
    distinct: bool = False
    graph: str = ""
    nodes: Count | None = None


Observed: TypeAlias = tuple[list[str], Scope]
"""Values that stood together, and the integers in scope there."""


@dataclass(slots=True)
class Facts:
    """What is known of each slot, row and text, and of each table, by key."""

    values: dict[int, Values]
    tables: dict[int, Table]


def length_key(row: Row) -> int:
    """The key of how long a row is that ends with its line."""
    return -row.key


def learn_facts(items: Items, documents: Sequence[Document]) -> Facts:
    """Facts that hold in all documents, which have the structure ``items``."""
    seen = _Observations()
    for document in documents:
        _, read = parse_items(items, document, 0, {})
        seen.add(items, read, {})
    values = {key: _values(found) for key, found in seen.values.items()}
    return Facts(values, {key: _table(found) for key, found in seen.tables.items()})


class _Observations:
    """The values of documents by the place where they stand."""

    def __init__(self) -> None:
        self.values: dict[int, list[Observed]] = {}
        self.tables: dict[int, list[tuple[list[list[str]], Scope]]] = {}

    def add(self, items: Items, read: Sequence[Parsed], scope: Scope) -> None:
        """Take in what items were read as."""
        for item, parsed in zip(items, read, strict=True):
            if isinstance(item, Block):
                self._block(item, parsed, scope)
            elif isinstance(item, Text):
                self._note(item.key, [str(parsed)], scope)
            elif isinstance(item, Cases):
                tag, *values = map(str, parsed)
                self._note(item.key, [tag], scope)
                for slot, value in zip(dict(item.slots)[tag], values, strict=True):
                    self._note(slot.key, [value], scope)
            else:
                self._line(item, parsed, scope)

    def _note(self, key: int, values: list[str], scope: Scope) -> None:
        found = self.values.setdefault(key, [])
        if len(found) < _MAX_LISTS:
            found.append((values, dict(scope)))

    def _block(self, block: Block, read: Sequence[Parsed], scope: Scope) -> None:
        if block.times is None:
            self._note(block.key, [str(len(read))], scope)
        columns = block.columns
        if columns:
            lines = [list(map(str, row[0])) for row in read]
            for column, slot in enumerate(columns):
                self._note(slot.key, [line[column] for line in lines], scope)
            self.tables.setdefault(block.key, []).append((lines, dict(scope)))
            return
        for row in read:
            self.add(block.items, row, scope)

    def _line(self, line: Line, read: Sequence[Parsed], scope: Scope) -> None:
        for part, value in zip(line.parts, read, strict=True):
            self._note(
                part.key, [value] if isinstance(value, str) else list(map(str, value)), scope
            )
            if isinstance(part, Row) and part.times is None:
                self._note(length_key(part), [str(len(value))], scope)
            if isinstance(part, Slot) and (number := integer(str(value))) is not None:
                scope[part.key] = number


def _values(found: Sequence[Observed]) -> Values:
    everything = [value for values, _ in found for value in values]
    if not everything:
        return Integers(0, 0, 0)
    numbers = [integer(value) for value in everything]
    if all(number is not None for number in numbers):
        return _integers([([int(value) for value in values], scope) for values, scope in found])
    if reals := _reals(everything, found):
        return reals
    if any(" " in value or not value for value in everything):
        return Texts(tuple(dict.fromkeys(everything)))
    return _words(everything, found)


def _integers(found: Sequence[tuple[list[int], Scope]]) -> Integers:
    everything = [number for numbers, _ in found for number in numbers]
    low, high = min(everything), max(everything)
    lists = [numbers for numbers, _ in found]
    permutation = next(
        (
            first
            for first in (1, 0)
            if sum(len(numbers) for numbers in lists) >= 4
            and all(sorted(numbers) == [*range(first, first + len(numbers))] for numbers in lists)
            and max(map(len, lists)) > 1
        ),
        None,
    )
    if permutation is not None:
        return Integers(low, high, len(everything), permutation=permutation)
    order = _order(lists)
    chance = sum(len(numbers) ** 2 for numbers in lists) / (2 * (high - low + 1))
    distinct = _all_distinct(lists) and chance > _COLLISIONS
    longer = [numbers for numbers in lists if len(numbers) > 1]
    parents = (
        low in {0, 1}
        and sum(lgamma(len(numbers) + 1) for numbers in longer) > 2 * _EVIDENCE
        and all(v <= low + i for numbers in lists for i, v in enumerate(numbers))
        and len(set(everything)) > 1
    )
    return Integers(
        low,
        high,
        len(everything),
        _most(found, low),
        _least(found),
        order,
        distinct,
        parents=parents,
    )


def _most(found: Sequence[tuple[list[int], Scope]], low: int) -> Count | None:
    """The slot or product that limits the values from above, if one is reached and varies."""
    filled = [(numbers, scope) for numbers, scope in found if numbers]
    keys = set.intersection(*(set(scope) for _, scope in filled))
    options = [Count("{}", (key,)) for key in sorted(keys, reverse=True)]
    if low == 0:  # as in indices that start at 0
        options += [Count("{} - 1", (key,)) for key in sorted(keys, reverse=True)]
    for count in options:
        limits = [count.value(scope) for _, scope in filled]
        below = all(
            max(numbers) <= limit for (numbers, _), limit in zip(filled, limits, strict=True)
        )
        reached = sum(
            max(numbers) == limit for (numbers, _), limit in zip(filled, limits, strict=True)
        )
        if (
            below
            and low >= 0
            and reached
            and (len(set(limits)) > 1 or reached > 1 or len(found) == 1)
        ):
            enough = max(limits) > 1 and (reached > 1 or sum(len(n) for n, _ in filled) > 2)
            if enough:
                return count
    for count in options:  # a single number that is below each time, such as k of n
        limits = [count.value(scope) for _, scope in filled]
        small = all(
            max(numbers) <= limit for (numbers, _), limit in zip(filled, limits, strict=True)
        )
        if (
            small
            and low >= 0
            and len(filled) >= 3
            and max(max(n) for n, _ in filled) * 20 > max(limits)
        ):
            return count
    return None


def _least(found: Sequence[tuple[list[int], Scope]]) -> Count | None:
    """The earlier slot that no value is below, where that is no accident."""
    filled = [(numbers, scope) for numbers, scope in found if numbers]
    if len(filled) < 4:
        return None
    for key in sorted(set.intersection(*(set(scope) for _, scope in filled)), reverse=True):
        limits = [scope[key] for _, scope in filled]
        lows = [min(numbers) for numbers, _ in filled]
        above = all(low >= limit for low, limit in zip(lows, limits, strict=True))
        if above and len(set(limits)) > 2 and max(limits) > min(lows):
            return Count("{}", (key,))
    return None


def _order(lists: Sequence[Sequence[float]]) -> str:
    """The order that all lists are in, where chance would hardly put them so."""
    longer = [numbers for numbers in lists if len(numbers) > 1]
    if sum(lgamma(len(set(numbers)) + 1) for numbers in longer) <= _ORDERED:
        return ""
    for sign, name in ((1, "rising"), (-1, "falling")):
        steps = [sign * (b - a) for numbers in longer for a, b in pairwise(numbers)]
        if min(steps) > 0:
            return f"strictly {name}"
        if min(steps) >= 0:
            return name
    return ""


def _all_distinct(lists: Sequence[Sequence[object]]) -> bool:
    return all(len(set(values)) == len(values) for values in lists)


def _reals(everything: Sequence[str], found: Sequence[Observed]) -> Reals | None:
    decimals = set()
    for value in everything:
        whole, point, fraction = value.partition(".")
        digits = whole.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or (point and not fraction.isdigit()):
            return None
        if len(digits) > 1 and digits[0] == "0":
            return None
        decimals.add(len(fraction) if point else 0)
    if max(decimals) == 0:  # integers longer than 18 digits
        return None
    numbers = [float(value) for value in everything]
    lists = [[float(value) for value in values] for values, _ in found]
    fixed = len(decimals) == 1
    return Reals(min(numbers), max(numbers), max(decimals), fixed, len(numbers), _order(lists))


def _words(everything: Sequence[str], found: Sequence[Observed]) -> Words:
    letters = "".join(sorted({letter for word in everything for letter in word}))
    lengths = [len(word) for word in everything]
    kinds = set(everything)
    few = len(kinds) <= _MAX_CHOICES and len(everything) >= 3 * len(kinds) and max(lengths) > 1
    uneven = len({tuple(sorted(set(word))) for word in kinds}) > len(kinds) / 2
    length = None
    if max(lengths) > 1 or len(set(lengths)) > 1:
        keys = set.intersection(*(set(scope) for values, scope in found if values))
        length = next(
            (
                Count("{}", (key,))
                for key in sorted(keys, reverse=True)
                if all(len(word) == scope[key] for values, scope in found for word in values)
            ),
            None,
        )
    distinct = len(everything) >= 20 and _all_distinct([values for values, _ in found]) and few
    return Words(
        letters,
        min(lengths),
        max(lengths),
        len(everything),
        length,
        tuple(sorted(kinds)) if few and uneven and length is None else (),
        distinct,
    )


def _table(found: Sequence[tuple[list[list[str]], Scope]]) -> Table:
    rows = [row for lines, _ in found for row in lines]
    if not rows:
        return Table()
    numbers = [
        [int(row[column]) for row in rows]
        if all(integer(row[column]) is not None for row in rows)
        else None
        for column in range(len(rows[0]))
    ]
    pairs = []
    for right in range(1, len(numbers)):
        left = right - 1
        one, other = numbers[left], numbers[right]
        if one is not None and other is not None and (sign := _comparison(one, other)):
            pairs.append((left, right, sign))
    keys = [[tuple(row) for row in lines] for lines, _ in found]
    kinds = 1.0
    for column in range(len(rows[0])):
        kinds *= len({row[column] for row in rows})
    chance = sum(len(lines) ** 2 for lines in keys) / (2 * kinds)
    distinct = len(numbers) > 1 and _all_distinct(keys) and chance > _COLLISIONS
    graph, nodes = _graph(found, numbers) if len(numbers) >= 2 else ("", None)
    return Table(tuple(pairs), distinct, graph, nodes)


def _comparison(one: Sequence[int], other: Sequence[int]) -> str:
    """How two columns compare in every row, where ranges overlap and there are enough rows."""
    if len(one) < 4 or max(one) < min(other) or max(other) < min(one):
        return ""
    steps = [b - a for a, b in zip(one, other, strict=True)]
    if len(one) >= 5:
        for name, held in (("<", min(steps) > 0), (">", max(steps) < 0)):
            if held:
                return name
        for name, held in (("<=", min(steps) >= 0), (">=", max(steps) <= 0)):
            if held and len(set(steps)) > 1:
                return name
    shared = len(set(one) & set(other)) / max(1, len(set(one) | set(other)))
    return "!=" if 0 not in steps and shared > 0.2 and len(one) >= 4 else ""


def _graph(
    found: Sequence[tuple[list[list[str]], Scope]], numbers: Sequence[Sequence[int] | None]
) -> tuple[str, Count | None]:
    """Whether the first two columns are edges between nodes 1 to n, and of what graph."""
    if numbers[0] is None or numbers[1] is None or min(*numbers[0], *numbers[1]) != 1:
        return "", None
    filled = [(lines, scope) for lines, scope in found if lines]
    keys = set.intersection(*(set(scope) for _, scope in filled))
    for key in sorted(keys):
        tops = [max(max(int(row[0]), int(row[1])) for row in lines) for lines, _ in filled]
        sizes = [scope[key] for _, scope in filled]
        if any(top > size for top, size in zip(tops, sizes, strict=True)) or tops[0] == 1:
            continue
        if sum(top == size for top, size in zip(tops, sizes, strict=True)) * 2 < len(tops):
            continue
        count = Count("{}", (key,))
        edges = [[(int(row[0]), int(row[1])) for row in lines] for lines, _ in filled]
        whole = all(_connected(pairs, size) for pairs, size in zip(edges, sizes, strict=True))
        if whole and all(len(pairs) == size - 1 for pairs, size in zip(edges, sizes, strict=True)):
            return "tree", count
        if any(a == b for pairs in edges for a, b in pairs):
            return "", None
        simple = all(len({frozenset(pair) for pair in pairs}) == len(pairs) for pairs in edges)
        if whole and sum(sizes) >= 8:
            return ("connected", count) if simple else ("", None)
        return ("graph", count) if simple else ("", None)
    return "", None


def _connected(edges: Sequence[tuple[int, int]], nodes: int) -> bool:
    parent = list(range(nodes + 1))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    joins = 0
    for a, b in edges:
        if (one := root(a)) != (other := root(b)):
            parent[one] = other
            joins += 1
    return joins == nodes - 1


def within_facts(items: Items, facts: Facts, read: Sequence[Parsed]) -> bool:
    """Whether all values lie in the ranges that the facts state."""
    seen = _Observations()
    seen.add(items, read, {})
    return all(
        _fits(facts.values[key], value)
        for key, found in seen.values.items()
        if key in facts.values
        for values, _ in found
        for value in values
    )


def _fits(known: Values, value: str) -> bool:
    if isinstance(known, Integers):
        number = integer(value)
        return number is not None and known.low <= number <= known.high
    if isinstance(known, Reals):
        try:
            return known.low <= float(value) <= known.high
        except ValueError:
            return False
    if isinstance(known, Words):
        if known.choices:
            return value in known.choices
        return known.shortest <= len(value) <= known.longest and set(value) <= set(known.letters)
    return value in known.lines
