"""Draws new inputs of a known structure: within what was seen, at its edges, and beyond."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from maxcode.fuzz.fields import Facts, Integers, Reals, Table, Texts, Values, Words, length_key
from maxcode.fuzz.structure import (
    Block,
    Cases,
    Items,
    Line,
    Scope,
    Slot,
    Text,
    counting_keys,
)

MAX_SIZE = 64 << 10
"""Bytes of an input that is drawn for its correctness."""

_T = TypeVar("_T")
_ROOM = {"tiny": 9, "small": 64, "medium": 400, "large": 3000}  # values of an input, about
_LENGTH = {"tiny": 3, "small": 8, "medium": 30, "large": 2000}  # of one dimension
_MANY = 48  # values: more are drawn by one choice, a seed, as single choices take long
_FEW_SEEN = 5  # values: fewer do not show that none is negative
_NATURAL = (10**2, 10**3, 10**4, 10**5, 10**6, 10**9, 10**12, 10**18)  # limits people set
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789")


class Source(ABC):
    """Where the choices come from: Hypothesis, which can shrink them, or a generator by seed."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """One integer, both ends included."""

    @abstractmethod
    def integers(self, number: int, low: int, high: int) -> list[int]:
        """So many integers."""

    def pick(self, options: Sequence[_T]) -> _T:
        """One of the options."""
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True so often; a shrunk choice is False."""
        return self.integer(0, 99) >= 100 - percent

    def for_many(self, number: int) -> Source:
        """Where so many choices come from: this source, or a generator that one choice seeds."""
        return RandomSource(random.Random(self.integer(0, 1 << 16))) if number > _MANY else self

    def picks(self, options: Sequence[_T], number: int) -> list[_T]:
        """So many of the options, each from all of them."""
        return [options[place] for place in self.integers(number, 0, len(options) - 1)]

    def shuffled(self, values: Sequence[_T]) -> list[_T]:
        """The values in an order that one choice decides; the simplest leaves them."""
        number = self.integer(0, 1 << 16)
        mixed = list(values)
        if number:
            random.Random(number).shuffle(mixed)
        return mixed


class RandomSource(Source):
    """Choices of a generator of random numbers."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def integer(self, low: int, high: int) -> int:
        """One choice, even over the range."""
        return self._chance.randint(low, high)

    def integers(self, number: int, low: int, high: int) -> list[int]:
        """A choice each."""
        return [self._chance.randint(low, high) for _ in range(number)]


@dataclass(frozen=True, slots=True)
class Plan:
    """What kind of input to draw: how large, and how far from the examples."""

    size: str
    edges: bool
    beyond: bool
    signs: bool
    reach: int
    scale: float


def draw_plan(source: Source, scale: float) -> Plan:
    """A plan; ``scale`` is how far beyond the examples it may go, 0 for not at all."""
    size = source.pick(["tiny", "small", "small", "tiny", "small", "medium", "medium", "large"])
    kind = source.integer(0, 99)
    # what is large and beyond is more than many a correct program has time or memory for
    beyond = size != "large" and kind >= 100 - round(35 * min(1.0, scale))
    return Plan(
        size,
        edges=not beyond and kind >= 35,
        beyond=beyond,
        signs=beyond and source.chance(12),
        reach=source.integer(0, len(_NATURAL) + 2) if beyond else 0,
        scale=scale,
    )


class TooLargeError(Exception):
    """An input would be larger than any that is wanted."""


class Drawing:
    """Draws one input. Raises :class:`TooLargeError`."""

    def __init__(
        self,
        items: Items,
        facts: Facts,
        source: Source,
        plan: Plan,
        max_values: float = MAX_SIZE / 2,
    ) -> None:
        self._items = items
        self._facts = facts
        self._source = source
        self._plan = plan
        words = {key: known for key, known in facts.values.items() if isinstance(known, Words)}
        lengths = {key: known.length for key, known in words.items() if known.length}
        self.factors = counting_keys(items, lengths)
        self._room = float(_ROOM[plan.size])
        self._level = 0
        self._left = max_values
        self._edges = dict(_edge_counts(items, facts))
        for nodes, _ in self._edges.values():
            self.factors.setdefault(nodes, 1)

    def text(self) -> str:
        """The lines of the input, without what ends the last one."""
        return "\n".join(self._draw_items(self._items, {}))

    def _draw_items(self, items: Items, scope: Scope) -> list[str]:
        lines: list[str] = []
        for item in items:
            if isinstance(item, Block):
                lines += self._block(item, scope)
            elif isinstance(item, Text):
                lines.append(self._one(item.key, scope))
            elif isinstance(item, Cases):
                lines.append(self._case(item, scope))
            else:
                lines.append(self._line(item, scope))
        return lines

    def _line(self, line: Line, scope: Scope) -> str:
        values: list[str] = []
        for part in line.parts:
            if isinstance(part, Slot):
                values.append(self._slot(part, scope))
            elif part.times is None:
                number = self._length(self._facts.values[length_key(part)], 1)
                values += self._many(part.key, number, scope)
            else:
                values += self._many(part.key, max(0, part.times.value(scope)), scope)
        return " ".join(values)

    def _slot(self, slot: Slot, scope: Scope) -> str:
        known = self._facts.values[slot.key]
        if slot.key in self.factors and isinstance(known, Integers):
            number = self._count(slot.key, known, scope)
            scope[slot.key] = number
            return str(number)
        value = self._one(slot.key, scope)
        if isinstance(known, Integers):
            scope[slot.key] = int(value)
        return value

    def _count(self, key: int, known: Integers, scope: Scope) -> int:
        number = self._length(known, max(1, self.factors[key] - self._level))
        if known.least is not None:
            number = max(number, known.least.value(scope))
        if key in self._edges:
            nodes, graph = self._edges[key]
            if nodes in scope:
                most = scope[nodes] * (scope[nodes] - 1) // 2
                least = scope[nodes] - 1 if graph == "connected" else 0
                number = max(least, min(number, most))
        elif any(nodes == key for nodes, _ in self._edges.values()) and number < 2 <= known.high:
            number = 2
        return number

    def _length(self, known: Values, factors: int, source: Source | None = None) -> int:
        """How many, where so many such numbers multiply."""
        if not isinstance(known, Integers):
            return 1
        source = source or self._source
        low, plan = known.low, self._plan
        least = min(low, 1)
        if known.low == known.high and known.seen >= 5:  # it was always the same
            return known.low
        room = max(1, int(self._room ** (1 / factors)))
        high = max(least, min(room, _LENGTH[plan.size]))
        if plan.size != "large" or plan.scale < 0.5:
            reach = max(known.high, 8)
            high = min(high, max(least, round(reach * (1 + 3 * plan.scale))))
        if plan.edges and source.chance(30):
            return source.pick([least, min(least + 1, high), min(max(low, least), high), high])
        if plan.size == "large" and source.chance(70):
            return source.integer(max(least, high // 2), high)
        return source.integer(least, high)

    def _block(self, block: Block, scope: Scope) -> list[str]:
        if block.times is None:
            times = self._length(self._facts.values[block.key], 1)
        else:
            times = max(0, block.times.value(scope))
        if block.columns:
            rows = [" ".join(row) for row in self.rows(block, times, scope)]
            lines = [row for row in rows if row != block.last]
        else:
            lines = []
            outer = self._room, self._level
            if block.times is None or block.times.of:
                self._room, self._level = self._room / max(1, times), self._level + 1
            for _ in range(times):
                repetition = self._draw_items(block.items, scope)
                if block.last is None or repetition[0] != block.last:
                    lines += repetition
            self._room, self._level = outer
        return lines if block.last is None else [*lines, block.last]

    def _case(self, item: Cases, scope: Scope) -> str:
        tag, slots = self._source.pick(item.slots)
        return " ".join([tag, *(self._one(slot.key, scope) for slot in slots)])

    def _one(self, key: int, scope: Scope) -> str:
        return self._many(key, 1, scope)[0]

    def _many(self, key: int, number: int, scope: Scope) -> list[str]:
        """So many values that stand together."""
        self._left -= number
        if self._left < 0:
            raise TooLargeError
        known = self._facts.values.get(key, Integers(0, 0, 0))
        if number == 0:
            return []
        if isinstance(known, Integers):
            return list(map(str, self.numbers(known, number, scope)))
        if isinstance(known, Reals):
            return self._reals(known, number)
        if isinstance(known, Texts):
            return [self._source.pick(known.lines) for _ in range(number)]
        return self._words(known, number, scope)

    def numbers(self, known: Integers, number: int, scope: Scope) -> list[int]:
        """Integers that stand together."""
        if known.permutation is not None:
            numbers = range(known.permutation, known.permutation + number)
            return self._source.shuffled(numbers)
        if known.parents:
            source = self._source.for_many(number)
            return [source.integer(known.low, known.low + i) for i in range(number)]
        low, high = self._range(known)
        if known.most is not None:
            high = known.most.value(scope)
            low = min(known.low, high)
        if known.least is not None and known.least.value(scope) > low:
            low = min(known.least.value(scope), high) if known.most else known.least.value(scope)
        high = max(low, high)
        if number == 1:
            return [self._single(low, high)]
        return self._arranged(low, high, number, known.order, known.distinct)

    def _range(self, known: Integers) -> tuple[int, int]:
        low, high, plan = known.low, known.high, self._plan
        if known.seen == 0:
            return low, high
        if low == high and known.seen >= 5:  # it was always the same
            return low, high
        if plan.beyond:
            natural = [limit for limit in _NATURAL if limit > high][: 7 if high > 1 << 31 else 6]
            natural = [limit for limit in natural if high > 1 << 31 or limit <= 10**9]
            options = [high * 2 + 1, high * 4 + 1, *natural]
            high = options[plan.reach % len(options)]
            if low < 0:
                low = min(low, -high)
        if low > 0 and (plan.edges or plan.beyond):
            low = 1
        if plan.signs and known.seen < _FEW_SEEN and known.most is None:
            low = min(low, self._source.pick([0, -1, -high]))
        elif plan.signs and low == 1:
            low = 0
        return low, high

    def _single(self, low: int, high: int) -> int:
        if self._plan.edges or self._plan.beyond:
            edges = [low, high, low + 1, high - 1, 0, 1, -1, (low + high) // 2]
            inside = [edge for edge in edges if low <= edge <= high]
            if self._source.chance(40):
                return self._source.pick(inside)
            if high - low > 1000 and self._source.chance(50):  # small ones matter as much as large
                return low + self._source.integer(0, 10 ** self._source.integer(1, 3))
        return self._source.integer(low, high)

    def _arranged(self, low: int, high: int, number: int, order: str, distinct: bool) -> list[int]:
        """Numbers within the range: spread or close together, some alike, some sorted."""
        source = self._source
        window = source.pick(["full", "full", "low", "high", "near"])
        if window == "low":
            high = min(high, low + 4)
        elif window == "high":
            low = max(low, high - 4)
        elif window == "near":
            middle = source.integer(low, high)
            low, high = max(low, middle - 3), min(high, middle + 3)
        if distinct or order.startswith("strictly"):
            numbers = self._distinct(low, high, number)
        else:
            numbers = self._shaped(low, high, number, source.integer(0, 13))
        if order:
            return sorted(numbers, reverse=order.endswith("falling"))
        return numbers

    def _shaped(self, low: int, high: int, number: int, shape: int) -> list[int]:
        source = self._source
        if shape == 7:
            return [source.integer(low, high)] * number
        if shape == 8:
            few = source.integers(2, low, high)
            return source.picks(few, number)
        if shape == 9:
            return [(low, high)[i % 2] for i in range(number)]
        if shape == 10 and high - low + 1 >= number:
            return source.shuffled(self._distinct(low, high, number))
        numbers = source.integers(number, low, high)
        if shape in {11, 12}:
            numbers.sort(reverse=shape == 12)
        elif shape == 13:  # sorted but for one
            numbers.sort()
            numbers.insert(0, numbers.pop())
        return numbers

    def _distinct(self, low: int, high: int, number: int) -> list[int]:
        """Different numbers; the range grows where it has too few."""
        high = max(high, low + number - 1)
        if high - low < 4 * number:
            every = list(range(low, high + 1))
            return self._source.shuffled(every)[:number]
        found = dict.fromkeys(self._source.integers(number, low, high))
        for value in range(low, high + 1):
            if len(found) >= number:
                break
            found[value] = None
        return self._source.shuffled(list(found)[:number])

    def _reals(self, known: Reals, number: int) -> list[str]:
        unit = 10**known.decimals
        whole = Integers(
            round(known.low * unit),
            round(known.high * unit),
            known.seen,
            order=known.order,
            distinct=known.distinct,
        )
        low, high = self._range(whole)
        if number == 1:
            numbers = [self._single(low, high)]
        else:
            numbers = self._arranged(low, high, number, known.order, known.distinct)
        return [_decimal(value, known.decimals, known.fixed) for value in numbers]

    def _words(self, known: Words, number: int, scope: Scope) -> list[str]:
        source = self._source.for_many(number)
        if known.choices and not (number > 1 and known.distinct):
            choices = source.pick([known.choices, known.choices, known.choices[:2]])
            return source.picks(choices, number)
        if number > 1 and not known.distinct and source.chance(30):
            few = [self._word(known, scope, source) for _ in range(min(number, 3))]
            return source.picks(few, number)
        words = [self._word(known, scope, source) for _ in range(number)]
        if known.distinct:
            words = list(dict.fromkeys(words))
            words += [self._word(known, scope, source) for _ in range(number - len(words))]
        return words

    def _word(self, known: Words, scope: Scope, source: Source) -> str:
        if known.length is not None:
            length = max(0, known.length.value(scope))
        elif known.shortest == known.longest and known.seen >= 3:
            length = known.shortest
        else:
            length = self._length(Integers(known.shortest, known.longest, known.seen), 1, source)
        letters = known.letters
        for alphabet in _ALPHABETS:
            if len(letters) >= 5 and set(letters) <= set(alphabet):
                letters = alphabet
        if not letters or not length:
            return ""
        shape = source.integer(0, 9)
        if shape == 5:
            return source.pick(letters) * length
        if shape == 6:
            letters = source.pick(letters) + source.pick(letters)
        if shape == 7:
            piece = [source.pick(letters) for _ in range(source.integer(1, 3))]
            return "".join((piece * length)[:length])
        word = "".join(letters[i] for i in source.integers(length, 0, len(letters) - 1))
        if shape == 8:
            return word[: (length + 1) // 2] + word[: length // 2][::-1]
        return "".join(sorted(word)) if shape == 9 else word

    def rows(self, block: Block, times: int, scope: Scope) -> list[list[str]]:
        """The rows of a table, as words."""
        columns = block.columns
        table = self._facts.tables.get(block.key, Table())
        rows = self._rows(table, columns, times, scope)
        if not times or not rows:
            return []
        numbers = [isinstance(self._facts.values.get(c.key), Integers) for c in columns]
        for left, right, sign in table.pairs:
            if numbers[left] and numbers[right] and not (table.graph and left < 2):
                for row in rows:
                    a, b = _compared(int(row[left]), int(row[right]), sign)
                    row[left], row[right] = str(a), str(b)
        if table.distinct:
            unique = {tuple(row): row for row in rows}
            for _ in range(3):
                if len(unique) == times:
                    break
                more = self._rows(table, columns, times, scope)
                unique |= {tuple(row): row for row in more if tuple(row) not in unique}
            rows = (list(unique.values()) + rows)[:times]
        elif len(columns) > 1 and not table.graph and self._source.chance(15):
            rows = [list(row) for row in self._source.picks(rows[:3], times)]
        return rows

    def _rows(
        self, table: Table, columns: Sequence[Slot], times: int, scope: Scope
    ) -> list[list[str]]:
        if times * len(columns) > self._left:
            raise TooLargeError
        drawn = [self._many(column.key, times, scope) for column in columns]
        if table.graph and table.nodes is not None:
            ends = self._graph(table.graph, table.nodes.value(scope), times)
            drawn[0], drawn[1] = [str(a) for a, _ in ends], [str(b) for _, b in ends]
            if len(ends) < times:
                drawn = [column[: len(ends)] for column in drawn]
        return [list(row) for row in zip(*drawn, strict=True)]

    def _graph(self, graph: str, nodes: int, number: int) -> list[tuple[int, int]]:
        source = self._source
        shape = source.integer(0, 4)
        names = [*range(1, nodes + 1)]
        if source.chance(50):
            names = source.shuffled(names)
        source = source.for_many(max(nodes, number))
        edges: dict[tuple[int, int], None] = {}
        if graph in {"tree", "connected"}:
            for i in range(1, nodes):
                parent = {1: 0, 2: i - 1, 3: (i - 1) // 2}.get(shape)
                edges[(source.integer(0, i - 1) if parent is None else parent, i)] = None
        if graph != "tree":
            tries = 0
            while len(edges) < number and tries < 4 * number and nodes > 1:
                a, b = sorted(source.integers(2, 0, nodes - 1))
                tries += 1
                if a != b:
                    edges[(a, b)] = None
            if len(edges) < number:
                every = ((a, b) for b in range(nodes) for a in range(b))
                for pair in every:
                    if len(edges) >= number:
                        break
                    edges[pair] = None
        if number > self._left:
            raise TooLargeError
        flip = source.chance(50)
        return [
            (names[b], names[a]) if flip and i % 3 == 0 else (names[a], names[b])
            for i, (a, b) in enumerate(list(edges)[:number])
        ]


def _edge_counts(items: Items, facts: Facts) -> list[tuple[int, tuple[int, str]]]:
    """The slots that count edges, each with the slot of the nodes and the kind of graph."""
    found: list[tuple[int, tuple[int, str]]] = []
    for item in items:
        if isinstance(item, Block):
            table = facts.tables.get(item.key)
            if table and table.graph and table.nodes and item.times and item.times.form == "{}":
                found.append((item.times.of[0], (table.nodes.of[0], table.graph)))
            found += _edge_counts(item.items, facts)
    return found


def _compared(a: int, b: int, sign: str) -> tuple[int, int]:
    if sign in {"<", ">", "!="} and a == b:
        a, b = (a, b + 1) if a <= 1 else (a - 1, b)
    if (sign in {"<", "<="} and a > b) or (sign in {">", ">="} and a < b):
        return b, a
    return a, b


def _decimal(value: int, decimals: int, fixed: bool) -> str:
    digits = str(abs(value)).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}"
    if not fixed:
        text = text.rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 else text
