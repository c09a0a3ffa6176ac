"""Graphs with rows as edges: learned kinds, and drawing of their edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TypeAlias

from maxcode.fuzz.structure import Count, Scope

Edges: TypeAlias = Sequence[tuple[int, int]]

_CONNECTED = 8  # nodes of all examples, from which on a connected graph is no accident
_AGAIN = 0.2  # of the edges that need not be there: those of others


@dataclass(frozen=True, slots=True)
class Graph:
    """Edges between nodes 1 to ``nodes``; ``kind`` is "graph", "connected" or "tree"."""

    kind: str
    nodes: Count

    def broken(self, edges: Edges, scope: Scope, *, simple: bool) -> Iterator[str]:
        """Facts of the graph broken by edges, in words."""
        if simple and not _simple(edges):
            yield "an edge twice, or from a node to itself"
        nodes = self.nodes.value(scope)
        if not {node for edge in edges for node in edge} <= {*range(1, nodes + 1)}:
            yield "an edge to a node that there is not"
        elif self.kind != "graph" and edges and not _connected(edges, nodes):
            yield "a graph that is not connected"

    def draw(
        self, number: int, scope: Scope, chance: Random, *, simple: bool
    ) -> list[tuple[int, int]]:
        """``number`` edges, or fewer where the graph has no more."""
        nodes = self.nodes.value(scope)
        shape, edges = chance.randint(0, 4), dict[tuple[int, int], None]()
        names = [*range(1, nodes + 1)]
        if chance.random() < 0.5:
            chance.shuffle(names)
        for i in range(1, nodes if self.kind != "graph" else 0):
            parent = {1: 0, 2: i - 1, 3: (i - 1) // 2}.get(shape)
            edges[chance.randint(0, i - 1) if parent is None else parent, i] = None
        if self.kind != "tree" and nodes > 1:
            for _ in range(4 * number):
                a, b = sorted(chance.choices(range(nodes), k=2))
                if a != b and len(edges) < number:
                    edges[a, b] = None
            others = ((a, b) for b in range(nodes) for a in range(b) if (a, b) not in edges)
            edges |= dict.fromkeys(islice(others, max(0, number - len(edges))))
        flip = chance.random() < 0.5
        drawn = [
            (names[b], names[a]) if flip and i % 3 == 0 else (names[a], names[b])
            for i, (a, b) in enumerate(list(edges)[:number])
        ]
        if not simple and self.kind != "tree":  # some again, either way round
            for n in range(nodes - 1, len(drawn)):
                if chance.random() < _AGAIN:
                    drawn[n] = chance.choice(drawn)[::-1]
        return drawn


def learn_graph(found: Sequence[tuple[Edges, Scope]]) -> Graph | None:
    """The graph of all lists of edges, if any."""
    filled = [(edges, scope) for edges, scope in found if edges]
    if not filled or min(min(map(min, edges)) for edges, _ in filled) != 1:
        return None
    tops = [max(map(max, edges)) for edges, _ in filled]
    for key in sorted(set.intersection(*(set(scope) for _, scope in filled))):
        sizes = [scope[key] for _, scope in filled]
        fits = [size - top for size, top in zip(sizes, tops, strict=True)]
        if min(fits) < 0 or tops[0] == 1 or 2 * fits.count(0) < len(fits):
            continue
        whole = all(_connected(edges, scope[key]) for edges, scope in filled)
        if whole and all(len(edges) == scope[key] - 1 for edges, scope in filled):
            return Graph("tree", Count(key))
        connected = whole and sum(sizes) >= _CONNECTED
        graph = Graph("connected" if connected else "graph", Count(key))
        return graph if all(_simple(edges) for edges, _ in filled) else None
    return None


def _simple(edges: Edges) -> bool:
    """Whether no edge comes twice, nor leads from a node to itself."""
    return all(a != b for a, b in edges) and len(set(map(frozenset, edges))) == len(edges)


def _connected(edges: Edges, nodes: int) -> bool:
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
