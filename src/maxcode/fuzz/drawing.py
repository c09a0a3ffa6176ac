"""Drawing of new inputs from known facts: small and large, values spread or at the edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from maxcode.fuzz.facts import Facts
from maxcode.fuzz.structure import (
    Block,
    Items,
    Line,
    Record,
    Row,
    Scope,
    Slot,
    counting_keys,
    enter,
    length_key,
)
from maxcode.fuzz.values import (
    Numbers,
    Records,
    Shape,
    Values,
    Words,
    counts_of_letters,
    limited,
    outside,
    taken,
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
_REPEATED = 0.15  # of the tables have a few rows again and again
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
        lengths = {key: counts_of_letters(known) for key, known in facts.items()}
        self.factors = counting_keys(items, lengths)
        self._room = float(_ROOM[size])
        self._level = 0
        self._left = max_values
        self._few = chance.choice([0, 0, 2, 3, 6])  # words and numbers that recur, if any
        self._words_again: list[str] = []
        self._numbers_again: list[int] = []
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
                lines += self.many(item.key, 1, scope)
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
            row = self.many(part.key, self._times(part, scope), scope)
            enter(scope, part.key, row)
            values += row
        return " ".join(values)

    def _slot(self, slot: Slot, scope: Scope) -> str:
        known = self._facts[slot.key]
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
            slot, graph = self._graphs[key]
            if (nodes := scope.get(slot)) is not None:
                least = nodes - 1 if graph == "connected" else 0
                number = max(least, min(number, nodes * (nodes - 1) // 2))
        elif any(nodes == key for nodes, _ in self._graphs.values()) and number < 2 <= known.high:
            number = 2
        return number

    def _times(self, item: Row | Block, scope: Scope) -> int:
        if item.times is None:
            return self._length(self._facts[length_key(item)], 1)
        return max(0, item.times.value(scope))

    def _length(self, known: Values, factors: int) -> int:
        """A length or count; ``factors`` such numbers multiply."""
        if not isinstance(known, Numbers):
            return 1
        chance = self._chance
        room = max(1, int(self._room ** (1 / factors)))
        low, most = max(0, known.low), min(room, _LENGTH[self._size])
        high = max(low, min(known.high, max(most, low + most)))
        if self._edges and chance.random() < 0.3:
            return chance.choice([low, min(low + 1, high), high, min(known.high, 2 * high)])
        if self._size == "large" and chance.random() < 0.7:
            return chance.randint(max(low, high // 2), high)
        return chance.randint(low, high)

    def _block(self, block: Block, scope: Scope) -> list[str]:
        times = self._times(block, scope)
        if record := block.record:
            rows = self.many(record.key, times, scope)
            lines = [row for row in rows if row != block.last]
            lines += rows[:1] * (len(rows) - len(lines)) if block.times is not None else []
        else:
            lines = []
            outer = self._room, self._level
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
        return self._values(self._facts.get(key, Numbers(0, 0, 0)), number, scope)

    def _values(self, known: Values, number: int, scope: Scope) -> list[str]:
        self._left -= number
        if self._left < 0:
            raise TooLargeError
        if number == 0:
            return []
        if isinstance(known, Numbers):
            return list(map(known.text, self.numbers(known, number, scope)))
        if isinstance(known, Records):
            return self.lines(known, number, scope)
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
            high = min(known.most.value(scope), high if known.most.plus == 0 else 1 << 62)
            low = min(known.low, high)
        if known.least is not None:
            low = max(low, known.least.value(scope))
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
        if self._few and known.bank and not (known.distinct or limited(known) or known.length):
            return chance.choices(self._again(known), k=number)
        if known.choices and not (number > 1 and known.distinct):
            choices = chance.choice([known.choices, known.choices, known.choices[:2]])
            return chance.choices(choices, k=number)
        if number > 1 and not known.distinct and chance.random() < 0.3:
            few = [self._word(known, scope) for _ in range(min(number, 3))]
            return chance.choices(few, k=number)
        words = [self._word(known, scope) for _ in range(number)]
        if known.distinct:
            different, tries = dict.fromkeys(words), number + _TRIES
            while len(different) < number and tries:
                different[self._word(known, scope)] = None
                tries -= 1
            missing = number - len(different)
            words = [*different, *(self._word(known, scope) for _ in range(missing))]
        return words

    def _counted(self, known: Words, words: list[str], letter: str, times: int) -> None:
        """Place a letter ``times`` times in words, as far as there is room."""
        counted = {letter for letter, _ in known.counts}
        others = sorted(set(known.letters) - counted)
        words[:] = [word.replace(letter, self._chance.choice(others)) for word in words]
        places = ((n, i, one) for n, word in enumerate(words) for i, one in enumerate(word))
        free = [(n, i) for n, i, one in places if one not in counted]
        for n, i in self._chance.sample(free, min(times, len(free))):
            words[n] = words[n][:i] + letter + words[n][i + 1 :]

    def _again(self, known: Words) -> list[str]:
        """A few recurring words, shared by places with common words, and beginnings of others."""
        seen = known.choices or known.bank
        among = frozenset(seen)
        again = [one for one in self._words_again if one in among]
        for _ in range(self._few - len(again)):
            again.append(self._chance.choice(seen))
            if len(seen) > 1:  # a command's name recurs anyway
                self._words_again.append(again[-1])
        if known.choices:
            return again
        lengths = [self._chance.randint(known.shortest, known.longest) for _ in self._words_again]
        starts = (word[:n] for word, n in zip(self._words_again, lengths, strict=True))
        return again + [one for one in starts if one not in again and not outside(known, one)]

    def _word(self, known: Words, scope: Scope) -> str:
        chance = self._chance
        if known.length is not None:
            length = max(0, known.length.value(scope))
        elif known.shortest == known.longest:
            length = known.shortest
        else:
            length = self._length(Numbers(known.shortest, known.longest, known.seen), 1)
        if known.bank and known.length is None and not limited(known):
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

    def lines(self, known: Records, number: int, scope: Scope) -> list[str]:
        """Lines of all kinds with fresh fields, or lines of the tests with some changes."""
        chance = self._chance
        bank = [lines for lines in known.bank if lines]
        alone = limited(known) or known.whole or not bank
        if known.shapes and (alone or chance.random() < 0.5):
            lines = self._fresh(known, number, scope)
        elif bank:
            lines = self._spliced(known, bank, number, scope)
        else:
            return []
        if bank and not known.whole and chance.random() < _FIRST:
            lines[0] = chance.choice(bank)[0]
        lines = self.repaired(known, lines)
        if known.relations.graph is not None:
            return lines
        if known.relations.distinct:
            for _ in range(3):
                if len(set(lines)) == number:
                    break
                lines += self.repaired(known, self._fresh(known, number, scope))
            return [*dict.fromkeys(lines), *lines][:number]
        wide = known.table and len(known.shapes[0].pieces) > 1
        again = wide and chance.random() < _REPEATED
        return chance.choices(lines[:3], k=number) if again else lines

    def _fresh(self, known: Records, number: int, scope: Scope) -> list[str]:
        """Lines with fresh fields, of kinds that may follow one another."""
        chance, relations = self._chance, known.relations
        kinds = chance.choices(known.shapes, k=number)
        if relations.follow or relations.once:
            kinds = [known.shapes[kind] for kind in relations.walk(chance, number)]
        elif chance.random() < 0.3:
            kinds = chance.choices(chance.sample(kinds, min(number, 2)), k=number)
        rows: dict[int, Iterator[tuple[str, ...]]] = {}
        for shape in known.shapes:
            count = sum(kind is shape for kind in kinds)
            columns = [self._values(piece, count, scope) for piece in shape.pieces]
            if relations.graph is not None:
                edges = relations.graph.draw(count, scope, chance, simple=relations.distinct)
                columns[:2] = [[str(edge[end]) for edge in edges] for end in (0, 1)]
            rows[id(shape)] = zip(*columns, strict=False) if columns else iter([()] * count)
        drawn = ((kind, next(rows[id(kind)], None)) for kind in kinds)
        return [kind.text(row) for kind, row in drawn if row is not None]

    def _spliced(
        self, known: Records, bank: Sequence[Sequence[str]], number: int, scope: Scope
    ) -> list[str]:
        """Lines of the tests, some with a fresh field or a copy of another line."""
        chance = self._chance
        lines: list[str] = []
        while len(lines) < number:
            source = chance.choice(bank)
            start = chance.randrange(len(source))
            lines += source[start : start + number - len(lines)]
        for _ in range(chance.randint(0, max(1, number // 3))):
            at = chance.randrange(number)
            shape, fields = taken(known, lines[at])
            if shape is None or not fields or chance.random() < 0.3:
                lines[at] = chance.choice(lines)
                continue
            values, place = list(fields), chance.randrange(len(fields))
            values[place] = self._values(shape.pieces[place], 1, scope)[0]
            lines[at] = shape.text(values)
        return lines

    @staticmethod
    def repaired(known: Records, lines: list[str]) -> list[str]:
        """Lines with fields changed to satisfy the known relations, where that is simple."""
        rows = known.rows(lines)
        if len(rows) < len(lines):
            return lines
        known.relations.repair(rows)
        return known.lines(rows)


def _edge_counts(items: Items, facts: Facts) -> Iterator[tuple[int, tuple[int, str]]]:
    """Slots of edge counts, each with the slot of the nodes and the kind of graph."""
    for item in items:
        if isinstance(item, Block):
            known = facts.get(item.record.key) if item.record else None
            graph = known.relations.graph if isinstance(known, Records) else None
            if graph and graph.nodes.of and item.times and item.times.of and not item.times.plus:
                yield item.times.of, (graph.nodes.of, graph.kind)
            yield from _edge_counts(item.items, facts)
