"""Drawing of new inputs from known facts: small and large, values spread or at the edges."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from maxcode.fuzz.facts import Facts, Table, length_key, table_rows
from maxcode.fuzz.structure import Block, Items, Line, Record, Scope, Slot, counting_keys, enter
from maxcode.fuzz.values import (
    Numbers,
    Records,
    Shape,
    Values,
    Words,
    outside,
    taken,
    untyped,
)

MAX_SIZE = 64 << 10
"""Bytes of an input that is drawn for its correctness, unless the smallest test has more."""

SIZES = ("tiny", "small", "small", "tiny", "small", "medium", "medium", "large")
_ROOM = {"tiny": 9, "small": 64, "medium": 400, "large": 3000}  # values of an input, about
_LENGTH = {"tiny": 3, "small": 8, "medium": 30, "large": 2000}  # of one dimension
_SPLICED = 0.4  # of the words whose letters have no pattern: parts of others
_SMALL = 99  # below one for numbers of two decimals
_SPAN = 1 << 62  # of different numbers
_TRIES = 20  # to draw one more different word
_AGAIN = 0.2  # of the edges that need not be there: those of others
_FIRST = 0.5  # of the inputs begin with a line that begins a test


class TooLargeError(Exception):
    """The input would exceed the largest wanted size."""


class Drawing:
    """Draws one input of a size, perhaps with values at the ``edges`` of their ranges.

    Raises :class:`TooLargeError` for more than ``max_values``.
    """

    def __init__(
        self,
        items: Items,
        facts: Facts,
        chance: Random,
        max_values: float,
        *,
        size: str = "large",
        edges: bool = False,
    ) -> None:
        self._items = items
        self._facts = facts
        self._chance = chance
        self._size = size
        self._edges = edges
        words = {key: known for key, known in facts.values.items() if isinstance(known, Words)}
        lengths = {key: known.length for key, known in words.items() if known.length}
        self.factors = counting_keys(items, lengths)
        self._room = float(_ROOM[size])
        self._level = 0
        self._left = max_values
        self._few = chance.choice([0, 0, 2, 3, 6])  # words and numbers that recur, if any
        self._words_again: list[str] = []
        self._numbers_again: list[int] = []
        self._seen: dict[int, frozenset[str]] = {}  # by the id of what is known of a place
        self._graphs = dict(_edge_counts(items, facts))
        for nodes, _ in self._graphs.values():
            self.factors.setdefault(nodes, 1)

    def text(self) -> str:
        """Lines of the input, without the end of the last line."""
        return "\n".join(self._draw_items(self._items, {}))

    def _draw_items(self, items: Items, scope: Scope) -> list[str]:
        lines: list[str] = []
        for item in items:
            if isinstance(item, Block):
                lines += self._block(item, scope)
            elif isinstance(item, Record):
                lines += self._records(item.key, 1, scope)
                enter(scope, item.key, lines[-1])
            else:
                lines.append(self._line(item, scope))
        return lines

    def _line(self, line: Line, scope: Scope) -> str:
        values: list[str] = []
        for part in line.parts:
            if isinstance(part, Slot):
                values.append(self._slot(part, scope))
                continue
            if part.times is None:
                number = self._length(self._facts.values[length_key(part)], 1)
            else:
                number = max(0, part.times.value(scope))
            row = self.many(part.key, number, scope)
            enter(scope, part.key, row)
            values += row
        return " ".join(values)

    def _slot(self, slot: Slot, scope: Scope) -> str:
        known = self._facts.values[slot.key]
        if slot.key in self.factors and isinstance(known, Numbers):
            number = self._count(slot.key, known, scope)
            value = str(number)
        else:
            value = self.many(slot.key, 1, scope)[0]
        enter(scope, slot.key, value)
        return value

    def _count(self, key: int, known: Numbers, scope: Scope) -> int:
        number = self._length(known, max(1, self.factors[key] - self._level))
        if known.least is not None:
            number = max(number, known.least.value(scope))
        if key in self._graphs:
            nodes, graph = self._graphs[key]
            if nodes in scope:
                most = scope[nodes] * (scope[nodes] - 1) // 2
                least = scope[nodes] - 1 if graph == "connected" else 0
                number = max(least, min(number, most))
        elif any(nodes == key for nodes, _ in self._graphs.values()) and number < 2 <= known.high:
            number = 2
        return number

    def _length(self, known: Values, factors: int) -> int:
        """A length or count; ``factors`` such numbers multiply."""
        if not isinstance(known, Numbers):
            return 1
        chance = self._chance
        if known.low == known.high and known.seen >= 5:  # it was always the same
            return known.low
        room = max(1, int(self._room ** (1 / factors)))
        low, most = max(0, known.low), min(room, _LENGTH[self._size])
        high = max(low, min(known.high, max(most, low + most)))
        if self._edges and chance.random() < 0.3:
            return chance.choice([low, min(low + 1, high), high, min(known.high, 2 * high)])
        if self._size == "large" and chance.random() < 0.7:
            return chance.randint(max(low, high // 2), high)
        return chance.randint(low, high)

    def _block(self, block: Block, scope: Scope) -> list[str]:
        if block.times is None:
            times = self._length(self._facts.values[block.key], 1)
        else:
            times = max(0, block.times.value(scope))
        if record := block.record:
            rows = self._records(record.key, times, scope)
            lines = [row for row in rows if row != block.last]
            lines += rows[:1] * (times - len(lines)) if block.times is not None else []
        elif block.columns:
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

    # -- values of one place -----------------------------------------------------------------

    def many(self, key: int, number: int, scope: Scope) -> list[str]:
        """``number`` values of a slot or row."""
        return self._values(self._facts.values.get(key, Numbers(0, 0, 0)), number, scope)

    def _values(self, known: Values, number: int, scope: Scope) -> list[str]:
        self._left -= number
        if self._left < 0:
            raise TooLargeError
        if number == 0:
            return []
        if isinstance(known, Numbers):
            return list(map(known.text, self.numbers(known, number, scope)))
        if isinstance(known, Records):
            return self._lines(known, number, scope)
        words = self._words(known, number, scope)
        for letter, times in known.counts:
            self._counted(known, words, letter, times)
        return words

    def numbers(self, known: Numbers, number: int, scope: Scope) -> list[int]:
        """``number`` numbers of a slot or row."""
        chance = self._chance
        if known.parents:
            nearest = chance.choice((number, number, 1, 3))  # a path, or close to one
            spread = [(max(0, i - nearest + 1), i) for i in range(number)]
            return [known.low + chance.randint(a, b) for a, b in spread]
        if known.choices and not (known.distinct or known.order):
            return chance.choices(known.choices, k=number)
        low, high = known.low, known.high
        if known.most is not None:
            high = min(known.most.value(scope), high if known.most.form == "{}" else 1 << 62)
            low = min(known.low, high)
        if known.least is not None and known.least.value(scope) > low:
            low = min(known.least.value(scope), high) if known.most else known.least.value(scope)
        high = max(low, high)
        if self._few and not (known.order or known.distinct):
            again = [one for one in self._numbers_again if low <= one <= high]
            while len(again) < self._few:
                again.append(self._single(low, high))
                self._numbers_again.append(again[-1])
            return chance.choices(again, k=number)
        if number == 1:
            return [self._single(low, high)]
        return self._arranged(low, high, number, known.order, known.distinct)

    def _single(self, low: int, high: int) -> int:
        chance = self._chance
        if self._edges:
            edges = [low, high, low + 1, high - 1, 0, 1, -1, (low + high) // 2]
            inside = [edge for edge in edges if low <= edge <= high]
            if chance.random() < 0.4:
                return chance.choice(inside)
            if high - low > 1000 and chance.random() < 0.5:  # small ones matter as much as large
                return low + chance.randint(0, min(high - low, 10 ** chance.randint(1, 3)))
        return chance.randint(low, high)

    def _arranged(self, low: int, high: int, number: int, order: str, distinct: bool) -> list[int]:
        """Numbers within a range: spread, close together, equal or sorted."""
        chance = self._chance
        window = chance.choice(["full", "full", "low", "high", "near", "zero"])
        alone = distinct or order.startswith("strictly")
        if alone and high - low < 2 * number:
            window = "full"
        if window == "low":
            high = min(high, low + 4)
        elif window == "high":
            low = max(low, high - 4)
        elif window == "zero" and low <= 0 <= high:
            low, high = max(low, -_SMALL), min(high, _SMALL)
        elif window == "near":
            middle = chance.randint(low, high)
            low, high = max(low, middle - 3), min(high, middle + 3)
        if alone:
            numbers = self._distinct(low, high, number)
        else:
            numbers = self._shaped(low, high, number, chance.randint(0, 13))
        if order:
            return sorted(numbers, reverse=order.endswith("falling"))
        return numbers

    def _shaped(self, low: int, high: int, number: int, shape: int) -> list[int]:
        chance = self._chance
        if shape == 7:
            return [chance.randint(low, high)] * number
        if shape == 8:
            return chance.choices([chance.randint(low, high) for _ in range(2)], k=number)
        if shape == 9:
            return [(low, high)[i % 2] for i in range(number)]
        if shape == 10 and high - low + 1 >= number:
            return self._distinct(low, high, number)
        numbers = [chance.randint(low, high) for _ in range(number)]
        if shape in {11, 12}:
            numbers.sort(reverse=shape == 12)
        elif shape == 13:  # sorted but for one
            numbers.sort()
            numbers.insert(0, numbers.pop())
        elif self._edges:
            for _ in range(chance.randint(0, 2)):
                numbers[chance.randrange(number)] = chance.choice((low, high))
        return numbers

    def _distinct(self, low: int, high: int, number: int) -> list[int]:
        """Different numbers; the range grows where it has too few."""
        high = max(min(high, low + _SPAN), low + number - 1)
        return self._chance.sample(range(low, high + 1), number)

    # -- words and lines ---------------------------------------------------------------------

    def _words(self, known: Words, number: int, scope: Scope) -> list[str]:
        chance = self._chance
        if self._few and known.bank and not (known.distinct or known.limited or known.length):
            return chance.choices(self._again(known), k=number)
        if known.choices and not (number > 1 and known.distinct):
            choices = chance.choice([known.choices, known.choices, known.choices[:2]])
            return chance.choices(choices, k=number)
        if number > 1 and not known.distinct and chance.random() < 0.3:
            few = [self._word(known, scope) for _ in range(min(number, 3))]
            return chance.choices(few, k=number)
        words = [self._word(known, scope) for _ in range(number)]
        if known.distinct:
            words = list(dict.fromkeys(words))
            for _ in range(number + _TRIES):
                if len(words) == number:
                    break
                word = self._word(known, scope)
                words += [] if word in words else [word]
            words += [self._word(known, scope) for _ in range(number - len(words))]
        return words

    def _counted(self, known: Words, words: list[str], letter: str, times: int) -> None:
        """Place a letter ``times`` times in words, as far as there is room."""
        others = sorted(set(known.letters) - {letter for letter, _ in known.counts}) or [letter]
        words[:] = [word.replace(letter, self._chance.choice(others)) for word in words]
        counted = {letter for letter, _ in known.counts}
        free = [
            (n, i)
            for n, word in enumerate(words)
            for i, one in enumerate(word)
            if one not in counted
        ]
        for n, i in self._chance.sample(free, min(times, len(free))):
            words[n] = words[n][:i] + letter + words[n][i + 1 :]

    def _again(self, known: Words) -> list[str]:
        """A few recurring words; places with common words share them."""
        seen = known.choices or known.bank
        if id(known) not in self._seen:
            self._seen[id(known)] = frozenset(seen)
        again = [one for one in self._words_again if one in self._seen[id(known)]]
        for _ in range(self._few - len(again)):
            again.append(self._chance.choice(seen))
            self._words_again.append(again[-1])
        return again

    def _word(self, known: Words, scope: Scope) -> str:
        chance = self._chance
        if known.length is not None:
            length = max(0, known.length.value(scope))
        elif known.shortest == known.longest and known.seen >= 3:
            length = known.shortest
        else:
            length = self._length(Numbers(known.shortest, known.longest, known.seen), 1)
        if known.bank and known.length is None and not known.limited:
            mixed = any(map(str.isalnum, known.letters)) and not known.letters.isalnum()
            signs = 0.6 if mixed else 0.0  # of which words are made some way
            if chance.random() < (0.5 if known.shapes else 0.2 + signs):
                return chance.choice(known.bank)
        if known.shapes:
            return self.of_shape(chance.choice(known.shapes), scope)
        if known.bank and chance.random() < _SPLICED:
            one, other = chance.choice(known.bank), chance.choice(known.bank)
            word = (one[chance.randrange(len(one) or 1) :] + other)[:length]
            if len(word) == length and not outside(known, word):
                return word
        word = self._letters(known.letters, length) if known.letters else ""
        usual = not known.bank or not outside(known, word)
        return word if usual else chance.choice(known.bank)

    def _letters(self, letters: str, length: int) -> str:
        """A word: of one or two letters, periodic, a palindrome, sorted, or random."""
        chance, shape = self._chance, self._chance.randint(0, 9)
        if shape < 2:
            letters = "".join(chance.choices(letters, k=shape + 1))
        elif shape == 2:
            piece = chance.choices(letters, k=chance.randint(1, 3))
            return "".join((piece * length)[:length])
        word = "".join(chance.choices(letters, k=length))
        if shape == 3:
            return word[: (length + 1) // 2] + word[: length // 2][::-1]
        return "".join(sorted(word)) if shape == 4 else word

    def of_shape(self, shape: Shape, scope: Scope) -> str:
        """A word of a pattern."""
        return shape.text(self._values(piece, 1, scope)[0] for piece in shape.pieces)

    def _records(self, key: int, number: int, scope: Scope) -> list[str]:
        known = self._facts.values.get(key)
        return self._lines(known, number, scope) if isinstance(known, Records) else []

    def _lines(self, known: Records, number: int, scope: Scope) -> list[str]:
        """Lines of the tests with some changes, or lines of all kinds with fresh fields."""
        self._left -= number
        if self._left < 0:
            raise TooLargeError
        chance = self._chance
        bank = [lines for lines in known.bank if lines]
        if not number or not bank:
            return []
        fresh = bool(known.shapes) and (known.limited or known.whole or chance.random() < 0.5)
        if fresh:
            kinds = chance.choices(known.shapes, k=number)
            if known.relations.follow or known.relations.once:
                kinds = [known.shapes[kind] for kind in known.relations.walk(chance, number)]
            elif chance.random() < 0.3:
                kinds = chance.choices(chance.sample(kinds, min(number, 2)), k=number)
            columns: dict[int, list[list[str]]] = {}
            for place, shape in enumerate(known.shapes):
                rows = sum(kind is shape for kind in kinds)
                pieces = [self._values(piece, rows, scope) for piece in shape.pieces]
                columns[place] = [[column[row] for column in pieces] for row in range(rows)]
            places = {id(shape): place for place, shape in enumerate(known.shapes)}
            lines = [kind.text(columns[places[id(kind)]].pop()) for kind in kinds]
        else:
            lines = []
            while len(lines) < number:
                source = chance.choice(bank)
                start = chance.randrange(len(source))
                lines += source[start : start + number - len(lines)]
            for _ in range(chance.randint(0, max(1, number // 3))):
                at = chance.randrange(number)
                lines[at] = self._changed(known, lines, at, scope)
        if chance.random() < _FIRST and not known.whole:
            lines[0] = chance.choice(bank)[0]
        return self.repaired(known, lines)

    def _changed(self, known: Records, lines: Sequence[str], at: int, scope: Scope) -> str:
        """A line with a fresh field, or a copy of another line."""
        chance = self._chance
        shape, fields = taken(known, lines[at])
        values = list(fields)
        if shape is None or not values or chance.random() < 0.3:
            return chance.choice(lines)
        place = chance.randrange(len(values))
        values[place] = self._values(shape.pieces[place], 1, scope)[0]
        return shape.text(values)

    @staticmethod
    def repaired(known: Records, lines: list[str]) -> list[str]:
        """Lines with fields changed to satisfy the known relations, where that is simple."""
        rows = known.rows(lines)
        if len(rows) < len(lines):
            return lines
        known.relations.repair(rows)
        return known.lines(rows)

    # -- tables and graphs -------------------------------------------------------------------

    def rows(self, block: Block, times: int, scope: Scope) -> list[list[str]]:
        """The rows of a table, as words."""
        columns = block.columns
        table = self._facts.tables.get(block.key, Table())
        rows = self._rows(table, columns, times, scope)
        if not times or not rows:
            return []
        if not table.graph:
            rows = self._related(table, columns, rows)
        if table.distinct:
            unique = {tuple(row): row for row in rows}
            for _ in range(3):
                if len(unique) == times:
                    break
                more = self._related(table, columns, self._rows(table, columns, times, scope))
                unique |= {tuple(row): row for row in more if tuple(row) not in unique}
            rows = (list(unique.values()) + rows)[:times]
        elif len(columns) > 1 and not table.graph and self._chance.random() < 0.15:
            rows = [list(row) for row in self._chance.choices(rows[:3], k=times)]
        return rows

    def _related(
        self, table: Table, columns: Sequence[Slot], rows: list[list[str]]
    ) -> list[list[str]]:
        known = [self._facts.values[column.key] for column in columns]
        related = table_rows(known, rows)
        table.relations.repair(related)
        return [list(map(untyped, known, row)) for _, row in related]

    def _rows(
        self, table: Table, columns: Sequence[Slot], times: int, scope: Scope
    ) -> list[list[str]]:
        if times * len(columns) > self._left:
            raise TooLargeError
        drawn = [self.many(column.key, times, scope) for column in columns]
        if table.graph and table.nodes is not None:
            ends = self._graph(table.graph, table.nodes.value(scope), times)
            drawn[0], drawn[1] = [str(a) for a, _ in ends], [str(b) for _, b in ends]
            if not table.distinct and table.graph != "tree":  # some edges again, either way round
                for n in range(table.nodes.value(scope) - 1, len(ends)):
                    if self._chance.random() < _AGAIN:
                        a, b = self._chance.choice(ends)
                        drawn[0][n], drawn[1][n] = str(b), str(a)
            if len(ends) < times:
                drawn = [column[: len(ends)] for column in drawn]
        return [list(row) for row in zip(*drawn, strict=True)]

    def _graph(self, graph: str, nodes: int, number: int) -> list[tuple[int, int]]:
        chance = self._chance
        shape = chance.randint(0, 4)
        names = [*range(1, nodes + 1)]
        if chance.random() < 0.5:
            chance.shuffle(names)
        edges: dict[tuple[int, int], None] = {}
        if graph in {"tree", "connected"}:
            for i in range(1, nodes):
                parent = {1: 0, 2: i - 1, 3: (i - 1) // 2}.get(shape)
                edges[(chance.randint(0, i - 1) if parent is None else parent, i)] = None
        if graph != "tree":
            tries = 0
            while len(edges) < number and tries < 4 * number and nodes > 1:
                a, b = sorted(chance.randrange(nodes) for _ in range(2))
                tries += 1
                if a != b:
                    edges[(a, b)] = None
            if len(edges) < number:
                every = ((a, b) for b in range(nodes) for a in range(b))
                for pair in every:
                    if len(edges) >= number:
                        break
                    edges[pair] = None
        flip = chance.random() < 0.5
        return [
            (names[b], names[a]) if flip and i % 3 == 0 else (names[a], names[b])
            for i, (a, b) in enumerate(list(edges)[:number])
        ]


def _edge_counts(items: Items, facts: Facts) -> list[tuple[int, tuple[int, str]]]:
    """Slots of edge counts, each with the slot of the nodes and the kind of graph."""
    found: list[tuple[int, tuple[int, str]]] = []
    for item in items:
        if isinstance(item, Block):
            table = facts.tables.get(item.key)
            if table and table.graph and table.nodes and item.times and item.times.form == "{}":
                found.append((item.times.of[0], (table.nodes.of[0], table.graph)))
            found += _edge_counts(item.items, facts)
    return found
