"""Tables of published work: each figure as its source defines it, and the same confirmed.

Sources go by what a search scored, once; nothing is measured again. That is told as *scored*. The
same methods by what was *confirmed* stand beside, with 95 % intervals. With several seeds, what is
scored is a figure for each seed, on average over seeds.

* MaxCode (arXiv 2601.05475): over problems, the median of the highest speedup of a search, and the
  average place by it. A search that finds nothing keeps the baseline, a speedup of 1; the paper
  does not say how it counts those.
* KernelBench (arXiv 2502.10517, ``src/kernelbench/score.py``): fast_p, the share of a level's
  problems with a correct kernel that is more than p times as fast; a problem without a result has
  no correct one.
* PIE (arXiv 2302.07867, ``gem5/gem5_eval.py``): of the first k programs the best correct one
  (best@k); *speedup* is the arithmetic mean over problems, 1 where none is correct or faster; %Opt
  is the share with a speedup of at least 1.1, %Correct that with a correct program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

import numpy as np

from maxcode.comparing.contest import OPTIMISED, THRESHOLDS, Contest
from maxcode.comparing.outcome import Outcome
from maxcode.comparing.statistics import Estimate, ranks

Kind = Literal["factor", "share", "place"]
Figure = Estimate | float


@dataclass(frozen=True)
class Column:
    """What a column tells: a speedup, a share of problems, or a place among methods."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Row:
    """The figures of a method, a float as scored and an estimate as confirmed; None is unknown."""

    method: str
    counted: str
    figures: tuple[Figure | None, ...]


@dataclass(frozen=True)
class PublishedTable:
    """A table that some paper or benchmark has, for the methods of a contest."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def maxcode_table(contest: Contest, title: str = "") -> PublishedTable:
    """Median of the highest speedup and average rank, over the pairs that every method ended."""
    pairs = set(contest.pairs)
    scored = {
        name: [one for one in contest.outcomes if one.method == name and _pair(one) in pairs]
        for name in contest.methods
        if name not in contest.left_out
    }
    rows: list[Row] = []
    if pairs:
        best = {name: [max(1.0, best_at(one)) for one in found] for name, found in scored.items()}
        places = ranks(np.array(list(best.values())))
        confirmed = {one.method: one for one in contest.standings()}
        for number, (name, found) in enumerate(scored.items()):
            middle = _by_seed(found, lambda ones: median(max(1.0, best_at(one)) for one in ones))
            rows += [
                Row(name, "scored", (middle, float(places[number].mean()))),
                Row(name, "confirmed", (confirmed[name].median, confirmed[name].rank)),
            ]
    columns = (Column("median of max speedup", "factor"), Column("average rank", "place"))
    return PublishedTable(_titled("MaxCode", title), columns, tuple(rows))


def kernelbench_table(
    contest: Contest, title: str = "", elsewhere: Mapping[str, Sequence[float]] | None = None
) -> PublishedTable:
    """fast_p of each method. A run that failed has no correct kernel.

    ``elsewhere`` has the speedups of methods that were run by others, a problem each, 0.0 where no
    kernel was correct.
    """
    standings = {one.method: one for one in contest.standings()}
    rows: list[Row] = []
    for name in contest.methods:
        speedups = [best_at(one) for one in contest.outcomes if one.method == name]
        speedups += [0.0 for one in contest.failures if one.method == name]
        rows += [Row(name, "scored", fast_p(speedups))] if speedups else []
        if name in standings:
            fast = tuple(standings[name].fast[p] for p in THRESHOLDS)
            rows.append(Row(name, "confirmed", fast))
    rows += [Row(name, "elsewhere", fast_p(found)) for name, found in (elsewhere or {}).items()]
    columns = tuple(Column(f"> {p:g}", "share") for p in THRESHOLDS)
    return PublishedTable(_titled("KernelBench, fast_p", title), columns, tuple(rows))


def pie_table(contest: Contest, title: str = "") -> PublishedTable:
    """%Opt, speedup and %Correct of each method at 1, 2, 4 and so on candidates, and confirmed."""
    rows: list[Row] = []
    for name in contest.methods:
        found = [one for one in contest.outcomes if one.method == name]
        failed = sum(one.method == name for one in contest.failures)
        if not found:
            continue
        for k in _powers(max(len(one.scores) for one in found)):
            best = [best_at(one, k) for one in found] + [0.0] * failed
            figures = (
                fmean(one >= OPTIMISED for one in best),
                fmean(max(1.0, one) for one in best),
                fmean(one > 0 for one in best),
            )
            rows.append(Row(name, f"best@{k}", figures))
        rows += _confirmed_pie(contest, name)
    columns = (Column("%Opt", "share"), Column("speedup", "factor"), Column("%Correct", "share"))
    return PublishedTable(_titled("PIE", title), columns, tuple(rows))


def best_at(outcome: Outcome, k: int | None = None) -> float:
    """The highest score of the first ``k`` candidates, of all without it; 0.0 if none is right."""
    return max(outcome.scores[:k], default=0.0)


def fast_p(speedups: Sequence[float]) -> tuple[float, ...]:
    """The share of speedups above each of the thresholds; what is not correct has 0.0."""
    return tuple(fmean(one > p for one in speedups) for p in THRESHOLDS)


def _confirmed_pie(contest: Contest, name: str) -> Iterable[Row]:
    for one in contest.standings():
        if one.method == name:
            yield Row(name, "confirmed", (one.optimised, one.arithmetic_mean, one.correct))


def _by_seed(found: Sequence[Outcome], figure: Callable[[list[Outcome]], float]) -> float:
    """The figure of each seed's runs, on average over seeds."""
    seeds = sorted({one.seed for one in found})
    return fmean(figure([one for one in found if one.seed == seed]) for seed in seeds)


def _powers(most: int) -> list[int]:
    """1, 2, 4 and so on, and last ``most`` itself."""
    powers = [2**n for n in range(max(most, 1).bit_length()) if 2**n < most]
    return [*powers, most]


def _pair(outcome: Outcome) -> tuple[str, int]:
    return outcome.task, outcome.seed


def _titled(name: str, title: str) -> str:
    return f"{name}: {title}" if title else name
