"""Figures over runs with their intervals: tasks are drawn, each with all its runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maxcode.comparing.statistics import LEVEL, Bootstrap, Estimate, Floats
from maxcode.reward_to_go.correlation import ranks

_ROWS = 2000  # candidates at the most of whom all pairs are compared


class Resampling:
    """Weights of runs, as they are and in each resample of a :class:`Bootstrap`.

    Every task weighs the same, and so does every run of a task. ``tasks`` names each run's.
    """

    def __init__(self, tasks: Sequence[str]) -> None:
        plain, drawn = Bootstrap(tasks).weights()
        self.weights: Floats = np.vstack([plain, drawn])
        self._task = np.unique(np.array(tasks), return_inverse=True)[1]

    def means(self, values: Floats) -> Floats:
        """The mean over tasks of the means of their runs, as it is and then in each resample.

        ``values`` has an item or a row for each run. Those that are not finite are left out, and
        tasks without others; not a number where nothing is left.
        """
        known = np.all(np.isfinite(values.reshape(len(values), -1)), axis=1)
        weights = self.among(known)
        total = weights.sum(axis=1).reshape(-1, *[1] * (values.ndim - 1))
        over = weights[:, known] @ values[known]
        found: Floats = np.divide(over, total, out=np.full_like(over, np.nan), where=total > 0)
        return found

    def among(self, known: NDArray[np.bool_]) -> Floats:
        """Weights where only some runs are known: those of a task share what it weighs."""
        left = np.bincount(self._task, known)[self._task]
        spread = np.where(known, np.bincount(self._task)[self._task] / np.maximum(left, 1), 0.0)
        weights: Floats = self.weights * spread
        return weights

    def spearman(self, runs: NDArray[np.intp], x: Floats, y: Floats) -> Estimate | None:
        """Spearman's rho over all rows, row i belonging to run ``runs[i]``.

        Ranks are those in the whole sample, for resamples too.
        """
        a, b = (ranks(side) - (len(x) + 1) / 2 for side in (x, y))
        count = self.weights.shape[1]
        sums = [
            self.weights @ np.bincount(runs, term, minlength=count)
            for term in (np.ones_like(a), a, b, a * a, b * b, a * b)
        ]
        n, sa, sb, saa, sbb, sab = sums
        spread = np.maximum(n * saa - sa**2, 0) * np.maximum(n * sbb - sb**2, 0)
        return estimate(_over_root(n * sab - sa * sb, spread))

    def kendall(self, runs: NDArray[np.intp], x: Floats, y: Floats) -> Estimate | None:
        """Kendall's tau-b over all rows; of at most 2000 of them, drawn by lot, for it takes pairs.

        A run that a resample has several times counts each time, with pairs of its own copies.
        """
        if len(x) > _ROWS:
            drawn = np.random.default_rng(0).choice(len(x), _ROWS, replace=False)
            runs, x, y = runs[drawn], x[drawn], y[drawn]
        order = np.argsort(runs, kind="stable")
        present, starts = np.unique(runs[order], return_index=True)
        signs = [np.sign(side[order, None] - side[order]).astype(np.int8) for side in (x, y)]
        weights = self.weights[:, present]

        def total(pairs: NDArray[np.int8]) -> Floats:
            by_run = np.add.reduceat(np.add.reduceat(pairs, starts, 0, np.int64), starts, 1)
            sums: Floats = ((weights @ by_run) * weights).sum(axis=1)
            return sums

        untied = total(np.abs(signs[0])) * total(np.abs(signs[1]))
        return estimate(_over_root(total(signs[0] * signs[1]), untied))


def share(above: Floats, below: Floats) -> Floats:
    """Each run's own ratio of two sums; not a number where the lower one is 0."""
    found: Floats = np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0)
    return found


def estimate(values: Floats) -> Estimate | None:
    """The first value, with the percentile interval of the others; None where it is no number.

    Resamples in which the figure is not defined are left out.
    """
    value, drawn = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not np.isfinite(value):
        return None
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(drawn, (tail, 100 - tail)) if len(drawn) else (value, value)
    return Estimate(value, float(min(low, value)), float(max(high, value)))


def _over_root(above: Floats, square: Floats) -> Floats:
    """A correlation; not a number where one side does not vary, but for rounding."""
    varies = square > 1e-12 * np.max(square, initial=0.0)
    root = np.sqrt(np.where(varies, square, 1.0))
    found: Floats = np.where(varies & (square > 0), above / root, np.nan)
    return found
