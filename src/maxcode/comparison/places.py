"""Measurements of runs of one task and seed, and places of methods, with ties.

Two methods share a place where they return the same program, and where their confirmations cannot
tell the two programs apart: the log ratio of speedups a and b lies within the bound made of the
half of each interval facing the other::

    log a - log b  <=  sqrt((log a - log a_low)^2 + (log b_high - log b)^2)

G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
approach", Statistics in Medicine 27, 2008.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from maxcode.comparison.outcome import Outcome
from maxcode.measure.statistics import Floats

_ROUNDING = 1e-12


def measured(runs: Sequence[Sequence[Outcome]]) -> tuple[Floats, Floats]:
    """Log speedups and places of methods (rows) by pair (columns), from each method's runs.

    A program returned by several methods on a pair has the mean of its measurements. Place 1 is the
    fastest, ties share their mean.
    """
    logs, below, above = np.zeros((3, len(runs), len(runs[0])))  # halves of each interval
    for column, of_pair in enumerate(zip(*runs, strict=True)):
        alike: defaultdict[str, list[int]] = defaultdict(list)
        for row, run in enumerate(of_pair):
            alike[run.program or f"of run {row}"].append(row)
        for rows in alike.values():
            log, *halves = zip(*(_halves(of_pair[row]) for row in rows), strict=True)
            logs[rows, column] = np.mean(log)
            for table, half in zip((below, above), halves, strict=True):
                table[rows, column] = np.hypot.reduce(half) / len(rows)
    places = np.ones_like(logs)
    for row, log in enumerate(logs):
        ahead = logs - log  # of this method, by how much
        faster = ahead > np.hypot(below, above[row]) + _ROUNDING
        tied = ~faster & (-ahead <= np.hypot(above, below[row]) + _ROUNDING)
        places[row] = faster.sum(axis=0) + (tied.sum(axis=0) + 1) / 2
    return logs, places


def _halves(run: Outcome) -> tuple[float, float, float]:
    """A run's log speedup, and both halves of its interval."""
    log = float(np.log(run.speedup))
    if run.raw <= 1 or run.low <= 0:
        return log, 0.0, 0.0
    return log, max(0.0, log - float(np.log(run.low))), max(0.0, float(np.log(run.high)) - log)
