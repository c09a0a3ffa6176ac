"""Formats with examples and strict parsers: what the tests of learning and drawing share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


class Reader:
    """Reads lines strictly: single spaces, a line end after each line."""

    def __init__(self, data: bytes) -> None:
        text = data.decode()
        assert text.endswith("\n")
        self._lines: Iterator[str] = iter(text[:-1].split("\n"))

    def words(self, number: int | None = None) -> list[str]:
        line = next(self._lines, None)
        assert line is not None
        found = line.split(" ") if line else []
        assert all(found)
        assert number is None or len(found) == number
        return found

    def integers(self, number: int | None = None) -> list[int]:
        found = self.words(number)
        assert all(_INTEGER.fullmatch(word) for word in found)
        return [int(word) for word in found]

    def end(self) -> None:
        assert next(self._lines, None) is None


def _row(reader: Reader) -> None:
    [n] = reader.integers(1)
    reader.integers(n)


def _cases(reader: Reader) -> None:
    [t] = reader.integers(1)
    assert t >= 1
    for _ in range(t):
        n, m = reader.integers(2)
        reader.integers(n)
        reader.integers(m)


def _grid(reader: Reader) -> None:
    height, width = reader.integers(2)
    for _ in range(height):
        [row] = reader.words(1)
        assert len(row) == width
        assert set(row) <= set(".#")


def _permutation(reader: Reader) -> None:
    [n] = reader.integers(1)
    assert sorted(reader.integers(n)) == list(range(1, n + 1))


def _sorted(reader: Reader) -> None:
    n, _ = reader.integers(2)
    row = reader.integers(n)
    assert all(a < b for a, b in pairwise(row))


def _tree(reader: Reader, width: int = 2) -> None:
    [n] = reader.integers(1)
    next_to: dict[int, list[int]] = {}
    for _ in range(n - 1):
        a, b, *_ = reader.integers(width)
        next_to.setdefault(a, []).append(b)
        next_to.setdefault(b, []).append(a)
    seen, waiting = {1}, [1]
    while waiting:
        for node in next_to.get(waiting.pop(), []):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    assert seen == set(range(1, n + 1))


def _weighted_tree(reader: Reader) -> None:
    _tree(reader, 3)


def _queries(reader: Reader) -> None:
    n, q = reader.integers(2)
    reader.integers(n)
    for _ in range(q):
        left, right = reader.integers(2)
        assert 1 <= left <= right <= n


def _commands(reader: Reader) -> None:
    [q] = reader.integers(1)
    for _ in range(q):
        word, *rest = reader.words()
        assert len(rest) == {"push": 1, "pop": 0}[word]


def _pairs(reader: Reader) -> None:
    while reader.integers(2) != [0, 0]:
        pass


def _reals(reader: Reader) -> None:
    [n] = reader.integers(1)
    assert all(re.fullmatch(r"-?\d+\.\d\d", word) for word in reader.words(n))


def _records(reader: Reader) -> None:
    [n] = reader.integers(1)
    for _ in range(n):
        name, _ = reader.words(2)
        assert name.isalpha()
        assert name.islower()


@dataclass(frozen=True)
class Format:
    """Examples, and a parser that raises on what is not of the format."""

    name: str
    examples: tuple[str, ...]
    read: Callable[[Reader], None]

    def accepts(self, data: bytes) -> bool:
        try:
            reader = Reader(data)
            self.read(reader)
            reader.end()
        except (AssertionError, KeyError):
            return False
        return True

    @property
    def inputs(self) -> list[bytes]:
        return [text.encode() for text in self.examples]


FORMATS = [
    Format("row", ("5\n3 1 4 1 5\n", "2\n7 8\n", "1\n9\n"), _row),
    Format(
        "cases",
        ("2\n3 2\n1 2 3\n4 5\n1 1\n7\n8\n", "1\n2 2\n3 4\n5 6\n", "1\n1 3\n5\n2 2 2\n"),
        _cases,
    ),
    Format("grid", ("2 3\n..#\n#..\n", "1 2\n.#\n", "3 3\n...\n###\n#.#\n"), _grid),
    Format("permutation", ("3\n3 1 2\n", "4\n2 1 4 3\n", "6\n4 5 6 1 2 3\n"), _permutation),
    Format("sorted", ("5 7\n1 3 8 9 20\n", "6 2\n2 4 6 7 8 11\n", "2 1\n5 6\n"), _sorted),
    Format("tree", ("4\n1 2\n1 3\n3 4\n", "2\n1 2\n", "5\n5 1\n2 5\n3 2\n4 3\n"), _tree),
    Format(
        "weighted tree",
        (
            "4\n1 2 3\n2 3 4\n2 4 5\n",
            "2\n1 2 7\n",
            "6\n1 2 1\n1 3 2\n3 4 3\n3 5 4\n5 6 5\n",
        ),
        _weighted_tree,
    ),
    Format(
        "queries",
        ("5 3\n4 8 1 2 3\n1 3\n2 5\n4 4\n", "3 3\n6 1 9\n1 3\n2 3\n1 1\n", "1 1\n7\n1 1\n"),
        _queries,
    ),
    Format("commands", ("3\npush 4\npop\npush 5\n", "2\npush 14\npop\n"), _commands),
    Format("pairs", ("1 2\n30 4\n0 0\n", "10 2\n0 0\n", "5 6\n7 8\n9 9\n0 0\n"), _pairs),
    Format("reals", ("2\n0.50 1.25\n", "3\n-3.00 2.75 8.10\n"), _reals),
    Format("records", ("2\nbob 5\nalice 9\n", "3\nx 10\nyuri 20\nzoe 15\n"), _records),
]
