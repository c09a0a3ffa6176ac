"""Facts of inputs: the values of each place, and the rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from maxcode.fuzz.relations import NONE, Entry, Relations, learn_relations
from maxcode.fuzz.structure import (
    Block,
    Count,
    Document,
    Items,
    Line,
    Parsed,
    Record,
    Row,
    Scope,
    enter,
    integer,
    parse_items,
)
from maxcode.fuzz.values import (
    Numbers,
    Observed,
    Records,
    Values,
    Words,
    all_distinct,
    in_order,
    learn_records,
    learn_values,
    outside,
    taken,
    type_of,
    typed,
)

_COLLISIONS = 8.0  # expected, none seen: fewer say little, as people avoid repetitions in examples
UNLIMITED = "a number beyond what limits it"
"""Words of :func:`beyond` for a number forbidden by another value of the input."""
_MAX_LISTS = 2000  # of one place, looked at


@dataclass(frozen=True, slots=True)
class Table:
    """Facts of a table's rows beyond those of its columns.

    ``relations`` hold between columns and between rows; ``distinct``: no row comes twice;
    ``graph`` is "", "graph" (if distinct, with each edge in one direction only), "connected" or
    "tree", of which the first two columns are the edges between nodes 1 to ``nodes``.
    """

    relations: Relations = NONE
    distinct: bool = False
    graph: str = ""
    nodes: Count | None = None


@dataclass(slots=True)
class Facts:
    """Known facts of slots, rows, records and tables, by key."""

    values: dict[int, Values]
    tables: dict[int, Table]


def length_key(row: Row) -> int:
    """Key of the length of a row without a count."""
    return -row.key


def learn_facts(items: Items, documents: Sequence[Document], *, unique: bool = False) -> Facts:
    """Facts of all documents of the structure ``items``.

    ``unique`` as for :func:`~maxcode.fuzz.values.learn_values`.
    """
    seen = _Observations()
    for document in documents:
        _, read = parse_items(items, document, 0, {})
        seen.add(items, read, {})
    values = {
        key: (learn_records if key in seen.records else learn_values)(found, unique=unique)
        for key, found in seen.values.items()
    }
    tables = {
        key: _table(found, [values[slot] for slot in seen.columns[key]])
        for key, found in seen.tables.items()
    }
    return Facts(values, tables)


class _Observations:
    """Values of documents by place."""

    def __init__(self, most: float = _MAX_LISTS) -> None:
        self._most = most
        self.values: dict[int, list[Observed]] = {}
        self.records: set[int] = set()
        self.tables: dict[int, list[tuple[list[list[str]], Scope]]] = {}
        self.columns: dict[int, list[int]] = {}  # of tables, the keys of the slots

    def add(self, items: Items, read: Sequence[Parsed], scope: Scope) -> None:
        """Add the values of parsed items."""
        for item, parsed in zip(items, read, strict=True):
            if isinstance(item, Block):
                self._block(item, parsed, scope)
            elif isinstance(item, Record):
                self.records.add(item.key)
                self._note(item.key, [str(parsed)], scope)
                enter(scope, item.key, str(parsed))
            else:
                self._line(item, parsed, scope)

    def _note(self, key: int, values: list[str], scope: Scope) -> None:
        found = self.values.setdefault(key, [])
        if len(found) < self._most:
            found.append((values, dict(scope)))

    def _block(self, block: Block, read: Sequence[Parsed], scope: Scope) -> None:
        if block.times is None:
            self._note(block.key, [str(len(read))], scope)
        columns = block.columns
        if record := block.record:
            self.records.add(record.key)
            self._note(record.key, [str(row[0]) for row in read], scope)
            return
        if columns:
            lines = [list(map(str, row[0])) for row in read]
            for column, slot in enumerate(columns):
                self._note(slot.key, [line[column] for line in lines], scope)
            self.tables.setdefault(block.key, []).append((lines, dict(scope)))
            self.columns[block.key] = [slot.key for slot in columns]
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
            enter(scope, part.key, value if isinstance(value, str) else list(map(str, value)))


def table_rows(known: Sequence[Values], lines: Sequence[Sequence[str]]) -> list[Entry]:
    """Rows of a table as rows of one kind."""
    return [(0, list(map(typed, known, line))) for line in lines]


def _table(found: Sequence[tuple[list[list[str]], Scope]], known: Sequence[Values]) -> Table:
    rows = [row for lines, _ in found for row in lines]
    if not rows:
        return Table()
    numbers = [
        [int(row[column]) for row in rows]
        if all(integer(row[column]) is not None for row in rows)
        else None
        for column in range(len(rows[0]))
    ]
    relations = learn_relations(
        [table_rows(known, lines) for lines, _ in found], {0: list(map(type_of, known))}
    )
    keys = [[tuple(row) for row in lines] for lines, _ in found]
    kinds = 1.0
    for column in range(len(rows[0])):
        kinds *= len({row[column] for row in rows})
    chance = sum(len(lines) ** 2 for lines in keys) / (2 * kinds)
    distinct = len(numbers) > 1 and all_distinct(keys) and chance > _COLLISIONS
    graph, nodes = _graph(found, numbers) if len(numbers) >= 2 else ("", None)
    distinct |= graph in {"graph", "connected"}
    return Table(relations, distinct, graph, nodes)


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


def beyond(items: Items, facts: Facts, read: Sequence[Parsed]) -> Iterator[str]:
    """Ways in which an input breaks the facts, in words."""
    seen = _Observations(inf)
    seen.add(items, read, {})
    for key, found in seen.values.items():
        if (known := facts.values.get(key)) is not None:
            for values, scope in found:
                yield from filter(None, (outside(known, value) for value in values))
                if not isinstance(known, Numbers):
                    for value in values:
                        yield from _limited_fields(known, value, scope)
                yield from _unrelated(known, values, scope)
    for key, rows in seen.tables.items():
        for lines, scope in rows:
            yield from _unlike(facts, key, seen.columns[key], lines, scope)


def _unrelated(known: Values, values: list[str], scope: Scope) -> Iterator[str]:
    """Known orders and limits broken by the values of a place."""
    if isinstance(known, Words) and known.length is not None:
        if any(len(value) != known.length.value(scope) for value in values):
            yield "words of another length"
        if any("".join(values).count(letter) != number for letter, number in known.counts):
            yield "letters more or less often"
    if isinstance(known, Records):
        yield from known.relations.broken(known.rows(values))
    elif known.distinct and len(set(values)) < len(values):
        yield "a value twice"
    if isinstance(known, Numbers):
        yield from _unrelated_numbers(known, values, scope)


def _unrelated_numbers(known: Numbers, values: list[str], scope: Scope) -> Iterator[str]:
    numbers = [number for value in values if isinstance(number := typed(known, value), int)]
    if known.order and not in_order(numbers, known.order):
        yield f"numbers that are not {known.order}"
    if len(numbers) < len(values) or not numbers:
        return
    if _unlimited(known, numbers, scope):
        yield UNLIMITED if len(numbers) > 1 else "a single number beyond another"
    if known.parents and any(value > known.low + i for i, value in enumerate(numbers)):
        yield "a parent after its child"


def _unlimited(known: Numbers, numbers: Sequence[int], scope: Scope) -> bool:
    """Whether numbers exceed limits set by other values of the input."""
    above = known.most is not None and max(numbers) > known.most.value(scope)
    return above or (known.least is not None and min(numbers) < known.least.value(scope))


def _limited_fields(known: Words | Records, value: str, scope: Scope) -> Iterator[str]:
    """Limits set by other values and broken by fields of a word or line."""
    if known.limited:
        shape, fields = taken(known, value)
        for piece, field in zip(shape.pieces if shape else (), fields, strict=False):
            number = typed(piece, field)
            if isinstance(piece, Numbers) and isinstance(number, int):
                yield from [UNLIMITED] * _unlimited(piece, [number], scope)


def _unlike(
    facts: Facts, key: int, columns: Sequence[int], lines: list[list[str]], scope: Scope
) -> Iterator[str]:
    """Facts of a table broken by its rows."""
    table = facts.tables.get(key, Table())
    if table.distinct and not table.graph and len(set(map(tuple, lines))) < len(lines):
        yield "a row twice"
    yield from table.relations.broken(
        table_rows([facts.values[column] for column in columns], lines)
    )
    if table.graph and table.nodes is not None and lines:
        pairs, nodes = [(int(row[0]), int(row[1])) for row in lines], table.nodes.value(scope)
        again = any(a == b for a, b in pairs) or len(set(map(frozenset, pairs))) < len(pairs)
        if again and table.distinct:
            yield "an edge twice, or from a node to itself"
        if max(map(max, pairs)) > nodes:
            yield "an edge to a node that there is not"
        elif table.graph != "graph" and not _connected(pairs, nodes):
            yield "a graph that is not connected"
