"""Strategies: a direction for each answer, so that several answers to one prompt differ.

Which are drawn is learned from what they gained so far, and from the bottleneck of the critique.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from maxcode.tree import Step

TAG = "strategy:"
FREE = "free"
"""The strategy of an answer that is given no direction."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A direction in words, and the bottlenecks for which it is the usual remedy."""

    name: str
    text: str
    bottlenecks: tuple[str, ...] = ()


_FREE = Strategy(FREE, "")
STRATEGIES: Mapping[str, tuple[Strategy, ...]] = MappingProxyType(
    {
        "cpp": (
            _FREE,
            Strategy("algorithm", "take an algorithm of a lower order", ("algorithm",)),
            Strategy("structure", "take other data structures, flat ones first", ("memory",)),
            Strategy("layout", "arrange data so that it is read in order", ("memory",)),
            Strategy("io", "read and write in large blocks, and convert by hand", ("io",)),
            Strategy("vector", "let the hot loop run in vector instructions", ("compute",)),
            Strategy("tables", "compute once what is computed again and again", ("algorithm",)),
            Strategy("less", "leave out work that no output depends on", ("algorithm", "compute")),
            Strategy("allocation", "allocate nothing in loops, and copy nothing", ("memory",)),
        ),
        "kernel": (
            _FREE,
            Strategy("fuse", "fuse operations into one pass over the data", ("memory",)),
            Strategy("tile", "work in tiles that stay in cache or shared memory", ("memory",)),
            Strategy("vector", "load and compute several values at a time", ("memory", "compute")),
            Strategy("library", "give the heavy part to the library's own call", ("compute",)),
            Strategy("algebra", "change the formula so that less is computed", ("algorithm",)),
            Strategy("parallel", "share the work out otherwise among threads", ("compute",)),
            Strategy("epilogue", "do what follows while results are in registers", ("memory",)),
        ),
    }
)
"""The strategies for each kind of task, as templates name the kinds."""


def drawn(kind: str, step: Step, steps: Iterable[Step], seed: int, n: int) -> list[Strategy]:
    """A strategy for each of ``n`` answers, none twice before all were drawn.

    For each strategy the chance to find something faster than all before is drawn from its Beta
    posterior, and the highest are taken (Thompson, Biometrika 1933). Those for the bottleneck that
    the critique of ``step`` names begin with one success more. All is derived from ``seed`` and the
    tags ``strategy:NAME`` of the steps, so a resumed search draws the same. Without strategies for
    the kind all are free.
    """
    known = STRATEGIES.get(kind, (_FREE,))
    tries, gains, best = dict.fromkeys(known, 0), dict.fromkeys(known, 0), 0.0
    by_name = {strategy.name: strategy for strategy in known}
    for one in steps:
        for tag in one.tags:
            found = by_name.get(tag.removeprefix(TAG)) if tag.startswith(TAG) else None
            if found:
                tries[found] += 1
                gains[found] += one.reward > best
        best = max(best, one.reward)
    bottleneck = step.critique.bottleneck if step.critique else ""
    rng = Random(f"{seed} strategies")
    chosen: list[Strategy] = []
    while len(chosen) < n:
        chances = {
            one: rng.betavariate(
                1 + gains[one] + (bottleneck in one.bottlenecks), 1 + tries[one] - gains[one]
            )
            for one in known
        }
        chosen += sorted(known, key=lambda one: -chances[one])[: n - len(chosen)]
    return chosen
