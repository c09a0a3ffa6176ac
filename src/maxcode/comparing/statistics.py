"""What runs allow one to conclude: resampling, ranks, and tests of paired differences.

Arrays have one column a *pair*, that is a task and a seed with which every method ran. Pairs of one
task are alike, so tasks are resampled, with replacement, and each keeps its seeds: of the schemes
for data in groups the one that follows the variance more closely (A. C. Davison and D. V. Hinkley,
"Bootstrap Methods and their Application", 1997, section 3.8). With a single task its seeds are
resampled. The same draws serve all methods, so that what they have in common cancels. Intervals of
the bootstrap are percentile intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
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
    """Draws of tasks, or of the seeds of a single task; ``tasks`` says whose each pair is."""

    def __init__(self, tasks: Sequence[str], resamples: int = RESAMPLES, seed: int = 0) -> None:
        names = list(dict.fromkeys(tasks))
        belongs = np.array([[task == name for task in tasks] for name in names], np.float64)
        self._to_tasks: Floats = belongs / belongs.sum(axis=1, keepdims=True)
        self._single = len(names) == 1
        units = len(tasks) if self._single else len(names)
        rng = np.random.default_rng(seed)
        self._drawn = rng.integers(units, size=(resamples, units))
        counts = np.apply_along_axis(np.bincount, 1, self._drawn, minlength=units)
        self._shares: Floats = counts / units

    def mean(self, values: Floats) -> Estimate:
        """The mean over tasks of each task's mean."""
        return _estimate(self.task_means(values).mean(), self._shares @ self._units(values))

    def geometric_mean(self, logs: Floats) -> Estimate:
        """The geometric mean over tasks of each task's geometric mean, from logarithms."""
        mean = self.mean(logs)
        return Estimate(*(float(np.exp(x)) for x in (mean.value, mean.low, mean.high)))

    def median(self, logs: Floats) -> Estimate:
        """The median over tasks of each task's geometric mean, from logarithms."""
        if self._single:
            return self.geometric_mean(logs)
        means = np.exp(self.task_means(logs))
        return _estimate(float(np.median(means)), np.median(means[self._drawn], axis=1))

    def task_means(self, values: Floats) -> Floats:
        """The mean of each task's pairs."""
        means: Floats = self._to_tasks @ values
        return means

    def weights(self) -> tuple[Floats, Floats]:
        """The weight of each pair in :meth:`mean`, as it is, and in each resample."""
        plain: Floats = self._to_tasks.mean(axis=0)
        return plain, self._shares if self._single else self._shares @ self._to_tasks

    def _units(self, values: Floats) -> Floats:
        """What is drawn: the means of tasks, or the values of a single one's pairs."""
        return values if self._single else self.task_means(values)


def t_test(values: Floats) -> tuple[Estimate, float]:
    """The mean of values, with its 95 % interval, and the p-value of its being 0 (Student, 1908).

    Of the means of at least two tasks this speaks of other tasks like them. One value gives an
    interval of no width, and p = 1.
    """
    from scipy import special  # type: ignore[import-untyped]  # noqa: PLC0415 - takes a while

    mean, freedom = float(values.mean()), len(values) - 1
    if not freedom:
        return Estimate(mean, mean, mean), 1.0
    error = float(values.std(ddof=1)) / sqrt(len(values))
    if error <= _ROUNDING:
        return Estimate(mean, mean, mean), 1.0 if abs(mean) <= _ROUNDING else 0.0
    reach = float(special.stdtrit(freedom, (1 + LEVEL) / 2)) * error
    p = 2 * float(special.stdtr(freedom, -abs(mean) / error))
    return Estimate(mean, mean - reach, mean + reach), p


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
