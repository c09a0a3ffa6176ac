"""Measurements of runs of one task and seed, and places of methods: ties, and noise.

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
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from maxcode.comparison.outcome import Outcome
from maxcode.measure.statistics import Floats

_DRAWS = 200  # of what the same programs might have measured
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Measured:
    """Log speedups of methods (rows) by pair (columns), and the precision of each.

    A program returned by several methods on a pair has the mean of its measurements. ``below`` and
    ``above`` are the halves of each interval, ``noise`` the standard error of each log speedup; all
    are 0 where a method is at the baseline. ``programs`` number the programs of a pair: equal
    programs have the same number.
    """

    logs: Floats
    below: Floats
    above: Floats
    noise: Floats
    programs: Floats

    @classmethod
    def of(cls, runs: Sequence[Sequence[Outcome]]) -> Measured:
        """Measurements from the runs of each method, pair by pair."""
        shape = len(runs), len(runs[0])
        tables = {name: np.zeros(shape) for name in ("logs", "below", "above", "noise")}
        programs = np.zeros(shape)
        for column, of_pair in enumerate(zip(*runs, strict=True)):
            alike: defaultdict[str, list[int]] = defaultdict(list)
            for row, run in enumerate(of_pair):
                alike[run.program or f"of run {row}"].append(row)
            for number, rows in enumerate(alike.values()):
                found = [_halves(of_pair[row]) for row in rows]
                log, *errors = zip(*found, strict=True)
                tables["logs"][rows, column] = np.mean(log)
                for name, error in zip(("below", "above", "noise"), errors, strict=True):
                    tables[name][rows, column] = np.hypot.reduce(error) / len(rows)
                programs[rows, column] = number
        return cls(**tables, programs=programs)

    @cached_property
    def places(self) -> Floats:
        """The place of each method in each pair: 1 is the fastest, ties share their mean."""
        return self._places(self.logs)

    def places_again(self) -> Floats:
        """Places as they might have been, had each program been measured again; a draw a layer."""
        rng = np.random.default_rng(0)
        return np.array([self._places(self.logs + self._drawn(rng)) for _ in range(_DRAWS)])

    def _drawn(self, rng: np.random.Generator) -> Floats:
        """Noise of another measurement, the same for methods with the same program."""
        by_program = rng.standard_normal(self.logs.shape)
        columns = np.arange(self.logs.shape[1])
        drawn: Floats = by_program[self.programs.astype(int), columns] * self.noise
        return drawn

    def _places(self, logs: Floats) -> Floats:
        places = np.ones_like(logs)
        for row, log in enumerate(logs):
            ahead = logs - log  # of this method, by how much
            bound = np.hypot(self.below, self.above[row]) + _ROUNDING
            behind = np.hypot(self.above, self.below[row]) + _ROUNDING
            faster = ahead > bound
            tied = ~faster & (-ahead <= behind)
            places[row] = faster.sum(axis=0) + (tied.sum(axis=0) + 1) / 2
        return places


def _halves(run: Outcome) -> tuple[float, float, float, float]:
    """A run's log speedup, both halves of its interval, and its standard error."""
    log = float(np.log(run.speedup))
    if run.raw <= 1 or run.low <= 0:
        return log, 0.0, 0.0, 0.0
    below = max(0.0, log - float(np.log(run.low)))
    above = max(0.0, float(np.log(run.high)) - log)
    quantile = NormalDist().inv_cdf((1 + min(run.level, 1 - 1e-9)) / 2)
    return log, below, above, (below + above) / 2 / quantile
