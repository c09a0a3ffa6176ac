"""Formats with examples and strict checks: what the tests of learning and drawing share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")

Lines = list[list[str]]
"""Words of each line."""


def _lines(data: bytes) -> Lines:
    """Lines read strictly: single spaces, a line end after each line."""
    text = data.decode()
    assert text.endswith("\n")
    lines = [line.split(" ") if line else [] for line in text[:-1].split("\n")]
    assert all(word for line in lines for word in line)
    return lines


def _integers(lines: Lines) -> list[list[int]]:
    assert all(_INTEGER.fullmatch(word) for line in lines for word in line)
    return [list(map(int, line)) for line in lines]


def _row(lines: Lines) -> None:
    [n], row = _integers(lines)
    assert len(row) == n


def _cases(lines: Lines) -> None:
    [t], *cases = _integers(lines)
    assert len(cases) == 3 * t > 0
    for (n, m), row, other in zip(cases[::3], cases[1::3], cases[2::3], strict=True):
        assert (len(row), len(other)) == (n, m)


def _grid(lines: Lines) -> None:
    [[height, width]] = _integers(lines[:1])
    assert len(lines) == 1 + height
    for [row] in lines[1:]:
        assert len(row) == width
        assert set(row) <= set(".#")


def _permutation(lines: Lines) -> None:
    [n], row = _integers(lines)
    assert sorted(row) == list(range(1, n + 1))


def _sorted(lines: Lines) -> None:
    [n, _], row = _integers(lines)
    assert len(row) == n
    assert all(a < b for a, b in pairwise(row))


def _tree(lines: Lines, width: int = 2) -> None:
    [n], *edges = _integers(lines)
    assert len(edges) == n - 1
    next_to: dict[int, list[int]] = {}
    for a, b, *rest in edges:
        assert len(rest) == width - 2
        next_to.setdefault(a, []).append(b)
        next_to.setdefault(b, []).append(a)
    seen, waiting = {1}, [1]
    while waiting:
        for node in set(next_to.get(waiting.pop(), [])) - seen:
            seen.add(node)
            waiting.append(node)
    assert seen == set(range(1, n + 1))


def _weighted_tree(lines: Lines) -> None:
    _tree(lines, 3)


def _queries(lines: Lines) -> None:
    [n, q], row, *queries = _integers(lines)
    assert (len(row), len(queries)) == (n, q)
    assert all(1 <= left <= right <= n for left, right in queries)


def _commands(lines: Lines) -> None:
    [[q]] = _integers(lines[:1])
    assert len(lines) == 1 + q
    assert all(len(rest) == {"push": 1, "pop": 0}[word] for word, *rest in lines[1:])


def _pairs(lines: Lines) -> None:
    *pairs, last = _integers(lines)
    assert last == [0, 0] not in pairs
    assert all(len(pair) == 2 for pair in pairs)


def _reals(lines: Lines) -> None:
    head, row = lines
    assert _integers([head]) == [[len(row)]]
    assert all(re.fullmatch(r"-?\d+\.\d\d", word) for word in row)


def _records(lines: Lines) -> None:
    [[n]] = _integers(lines[:1])
    assert len(lines) == 1 + n
    assert all(name.isalpha() and name.islower() for name, _ in lines[1:])


@dataclass(frozen=True)
class Format:
    """Examples, and a check that raises on what is not of the format."""

    name: str
    examples: tuple[str, ...]
    check: Callable[[Lines], None]

    def accepts(self, data: bytes) -> bool:
        try:
            self.check(_lines(data))
        except (AssertionError, KeyError, ValueError):
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
