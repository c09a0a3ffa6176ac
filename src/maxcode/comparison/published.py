"""Tables of published work: each figure as its source defines it, and its confirmed counterpart.

Sources go by a search's *scores*, taken once, of all candidates, copies and answers without a
program included; below stand the same methods by their *confirmed* speedups, with 95 % intervals.
Scored rows are over the pairs of a task and a seed with which every method ended or failed.

* MaxCode (arXiv 2601.05475): over problems, the median of the highest speedup of a search (with
  several seeds, on average over them), and the average place by it among the methods; a search
  that finds nothing has a speedup of 1.
* KernelBench (arXiv 2502.10517, ``src/kernelbench/score.py``): fast_p, the share of a level's
  problems with a correct kernel more than p times as fast; "first" is by the first candidate.
* PIE (arXiv 2302.07867, ``gem5/gem5_eval.py``): of the first k programs the best correct program
  (best@k); *speedup* is the arithmetic mean over problems, 1 where none is correct or faster; %Opt
  is the share with a speedup of at least 1.1, %Correct the share with a correct program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from maxcode.comparison.contest import OPTIMISED, THRESHOLDS, Contest, with_interval
from maxcode.measure.statistics import Estimate, ranks
from maxcode.text import counted, percent

Kind = Literal["factor", "share", "place"]
"""Kind of a column: a speedup, a share of problems, or a place among methods."""
Figure = Estimate | float


@dataclass(frozen=True)
class Row:
    """Figures of a method, a float as scored and an estimate as confirmed."""

    method: str
    counted: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, repr=False)
class PublishedTable:
    """Table of a paper or benchmark; scored rows count so many ``runs`` each.

    ``columns`` are their kinds by name. Its repr is the table as text.
    """

    title: str
    columns: Mapping[str, Kind]
    rows: tuple[Row, ...]
    runs: int

    @property
    def heading(self) -> str:
        """Title with the number of runs."""
        return f"{self.title} ({counted(self.runs, 'run')} of each method)"

    def cells(self, row: Row) -> list[str]:
        """The figures of a row as text."""
        return list(map(_text, row.figures, self.columns.values()))

    def __repr__(self) -> str:
        lines = [("method", "counted", *self.columns)]
        lines += [(row.method, row.counted, *self.cells(row)) for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join((self.heading, *rows))


def _text(figure: Figure, kind: Kind) -> str:
    """A figure as in tables: ``1.42x [1.10, 1.80]``, ``31 %``, ``1.74``."""
    if kind == "share":
        return percent(figure if isinstance(figure, float) else figure.value)
    unit = "x" if kind == "factor" else ""
    return f"{figure:.2f}{unit}" if isinstance(figure, float) else with_interval(figure, unit=unit)


def maxcode_table(contest: Contest, title: str = "") -> PublishedTable:
    """Median of the highest speedup and average rank, over the pairs every method ended."""
    scored = _scored(contest, set(contest.pairs))
    rows: list[Row] = []
    if contest.pairs:
        best = {name: [max(1.0, best_at(one)) for one in found] for name, found in scored.items()}
        seeds = np.array([seed for _, seed in sorted(contest.pairs)])
        places = ranks(np.array(list(best.values())))
        confirmed = {one.method: one for one in contest.standings()}
        for number, (name, found) in enumerate(best.items()):
            # over tasks for each seed, on average over seeds
            middle = fmean(np.median(np.array(found)[seeds == seed]) for seed in np.unique(seeds))
            rows += [
                Row(name, "scored", (middle, float(places[number].mean()))),
                Row(name, "confirmed", (confirmed[name].median, confirmed[name].rank)),
            ]
    columns: dict[str, Kind] = {"median of max speedup": "factor", "average rank": "place"}
    return PublishedTable(_titled("MaxCode", title), columns, tuple(rows), len(contest.pairs))


def kernelbench_table(contest: Contest, title: str = "") -> PublishedTable:
    """fast_p of each method: of the first candidate, the benchmark's usual, and of the best.

    A failed run has no correct kernel.
    """
    confirmed = {one.method: one for one in contest.standings()}
    pairs = _settled(contest)
    rows: list[Row] = []
    for name, found in _scored(contest, pairs).items():
        for kind, k in (("first", 1), ("scored", None)):
            rows.append(Row(name, kind, fast_p([best_at(one, k) for one in found])))
        if name in confirmed:
            fast = tuple(confirmed[name].fast[p] for p in THRESHOLDS)
            rows.append(Row(name, "confirmed", fast))
    columns: dict[str, Kind] = {f"> {p:g}": "share" for p in THRESHOLDS}
    return PublishedTable(_titled("KernelBench, fast_p", title), columns, tuple(rows), len(pairs))


def pie_table(contest: Contest, title: str = "") -> PublishedTable:
    """%Opt, speedup and %Correct of each method at 1, 2, 4 and so on candidates, and confirmed.

    A failed run has no correct program.
    """
    confirmed = {one.method: one for one in contest.standings()}
    pairs = _settled(contest)
    most = max((min(len(o.scores), o.spent.evaluations) for o in contest.outcomes), default=1)
    rows: list[Row] = []
    for name, found in _scored(contest, pairs).items():
        for k in _powers(most):
            best = [best_at(one, k) for one in found]
            optimised = fmean(one >= OPTIMISED for one in best)
            speedup = fmean(max(1.0, one) for one in best)
            correct = fmean(one > 0 for one in best)
            rows.append(Row(name, f"best@{k}", (optimised, speedup, correct)))
        if standing := confirmed.get(name):
            figures = (standing.optimised, standing.arithmetic_mean, standing.correct)
            rows.append(Row(name, "confirmed", figures))
    columns: dict[str, Kind] = {"%Opt": "share", "speedup": "factor", "%Correct": "share"}
    return PublishedTable(_titled("PIE", title), columns, tuple(rows), len(pairs))


def best_at(scores: Sequence[float], k: int | None = None) -> float:
    """The highest score of the first ``k`` candidates, of all without it; 0.0 if none is right."""
    return max(scores[:k], default=0.0)


def fast_p(speedups: Sequence[float]) -> tuple[float, ...]:
    """Share of speedups above each of the thresholds; an incorrect program has 0.0."""
    return tuple(fmean(one > p for one in speedups) for p in THRESHOLDS)


def _settled(contest: Contest) -> set[tuple[str, int]]:
    """Pairs with which every method ended or failed, but for methods that only failed."""
    ranked = [name for name in contest.methods if name not in contest.left_out]
    over = {(one.method, one.task, one.seed) for one in contest.outcomes}
    over |= {(one.method, one.task, one.seed) for one in contest.failures}
    pairs = {(task, seed) for _, task, seed in over}
    return {pair for pair in pairs if ranked and all((name, *pair) in over for name in ranked)}


def _scored(contest: Contest, pairs: set[tuple[str, int]]) -> dict[str, list[tuple[float, ...]]]:
    """Scores of each method with these pairs, in their order; nothing where it failed."""
    scores = {(one.method, one.task, one.seed): one.scores for one in contest.outcomes}
    return {
        name: [scores.get((name, *pair), ()) for pair in sorted(pairs)]
        for name in contest.methods
        if pairs and name not in contest.left_out
    }


def _powers(most: int) -> list[int]:
    """1, 2, 4 and so on, and last ``most`` itself."""
    powers = [2**n for n in range(max(most, 1).bit_length()) if 2**n < most]
    return [*powers, most]


def _titled(name: str, title: str) -> str:
    return f"{name}: {title}" if title else name
