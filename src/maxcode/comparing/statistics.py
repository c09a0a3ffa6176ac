"""What runs allow one to conclude: resampling, ranks, and a test of paired differences.

Arrays have one column a *pair*, that is a task and a seed with which every method ran. Pairs of one
task are alike, so they are resampled in two stages: tasks are drawn with replacement, and for each
draw as many of its seeds, with replacement, as it has (A. C. Davison and D. V. Hinkley, "Bootstrap
Methods and their Application", 1997, section 3.8). The same draws serve all methods, so that what
they have in common cancels in differences. Intervals are percentile intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVEL = 0.95
RESAMPLES = 2000
_EXACT = 12  # pairs up to which every assignment of signs is looked at
_FLIPS = 10_000
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


class Bootstrap:
    """Draws of tasks and of their seeds; ``tasks`` says to which task each pair belongs."""

    def __init__(self, tasks: Sequence[str], resamples: int = RESAMPLES, seed: int = 0) -> None:
        names = list(dict.fromkeys(tasks))
        groups = [np.flatnonzero([task == name for task in tasks]) for name in names]
        most = max(len(group) for group in groups)
        rng = np.random.default_rng(seed)
        drawn = rng.integers(len(groups), size=(resamples, len(groups)))
        self._pairs = np.zeros((resamples, len(groups), most), np.int64)
        self._counted = np.zeros((resamples, len(groups), most))
        for number, group in enumerate(groups):
            where = drawn == number
            draws = rng.integers(len(group), size=(int(where.sum()), len(group)))
            self._pairs[where, : len(group)] = group[draws]
            self._counted[where, : len(group)] = 1
        self._groups = groups

    def mean(self, values: Floats) -> Estimate:
        """The mean over tasks of each task's mean."""
        return _estimate(self.task_means(values).mean(), self._resampled(values).mean(axis=1))

    def geometric_mean(self, logs: Floats) -> Estimate:
        """The geometric mean over tasks of each task's geometric mean, from logarithms."""
        mean = self.mean(logs)
        return Estimate(*(float(np.exp(x)) for x in (mean.value, mean.low, mean.high)))

    def median(self, logs: Floats) -> Estimate:
        """The median over tasks of each task's geometric mean, from logarithms."""
        resampled = np.median(np.exp(self._resampled(logs)), axis=1)
        return _estimate(float(np.median(np.exp(self.task_means(logs)))), resampled)

    def task_means(self, values: Floats) -> Floats:
        """The mean of each task's pairs."""
        return np.array([values[group].mean() for group in self._groups])

    def weights(self) -> tuple[Floats, Floats]:
        """The weight of each pair in :meth:`mean`, as it is, and in each resample."""
        count = sum(len(group) for group in self._groups)
        plain = np.zeros(count)
        for group in self._groups:
            plain[group] = 1 / len(group) / len(self._groups)
        resampled = np.zeros((len(self._pairs), count))
        rows = np.arange(len(self._pairs))[:, None, None]
        weights = self._counted / self._counted.sum(axis=2, keepdims=True) / len(self._groups)
        np.add.at(resampled, (rows, self._pairs), weights)
        return plain, resampled

    def _resampled(self, values: Floats) -> Floats:
        """The mean of each drawn task, a row for each resample."""
        sums: Floats = (values[self._pairs] * self._counted).sum(axis=2)
        means: Floats = sums / self._counted.sum(axis=2)
        return means


def ranks(speedups: Floats) -> Floats:
    """Ranks of methods (rows) in each pair (columns): 1 is the fastest, ties share their mean."""
    others = speedups[:, None, :]
    faster = (others > speedups).sum(axis=0)
    equal = (others == speedups).sum(axis=0)
    places: Floats = faster + (equal + 1) / 2
    return places


def permutation_test(differences: Floats, weights: Floats) -> float:
    """The two-sided p-value of paired differences under "the sign of each is a fair coin".

    That is so if two methods are alike, for then nothing tells which of a pair came from which
    (R. A. Fisher, "The Design of Experiments", 1935, section 21). The statistic is the weighted sum
    of the differences. Up to 12 pairs every assignment of signs is looked at; else 10,000 random
    ones and the one there is (B. Phipson and G. K. Smyth, "Permutation p-values should never be
    zero", 2010).
    """
    weighted = differences * weights
    count = len(weighted)
    if count <= _EXACT:
        bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
        signs: NDArray[Any] = 1.0 - 2.0 * bits
    else:
        drawn = np.random.default_rng(0).integers(2, size=(_FLIPS, count))
        signs = np.vstack([np.ones(count), 1.0 - 2.0 * drawn])
    extreme = np.abs(signs @ weighted) >= abs(weighted.sum()) - _ROUNDING
    return float(extreme.mean())


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number (S. Holm, Scandinavian J. of Statistics 6, 1979)."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected = [0.0] * len(p_values)
    least = 0.0
    for place, index in enumerate(order):
        least = max(least, min(1.0, (len(order) - place) * p_values[index]))
        corrected[index] = least
    return corrected


def _estimate(value: float, resampled: Floats) -> Estimate:
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(resampled, (tail, 100 - tail))
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))
