"""The ratio of two programs' times, with an interval robust against noise.

Samples come in pairs, taken right after one another in random order. Where the programs are alike
but for a factor, a disturbance hits either side with the same chance, so each log ratio is as
likely to lie above the true ratio as below, by as much, whatever the noise is (R. A. Fisher, "The
Design of Experiments", 1935, section 21). Wilcoxon's signed-rank statistic gives an exact interval,
and the Hodges-Lehmann estimator goes with it (Hollander, Wolfe and Chicken, "Nonparametric
Statistical Methods", 3rd edition, sections 3.2 and 3.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil, exp, inf, log, sqrt
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxcode.evaluation import Interval

LONG_ENOUGH = 0.02
"""Seconds below which the start of a process makes up much of the reading."""

_MAX_PASSES = 10
_WIDEST = 20.0  # of a logarithm: a factor of half a billion


def ratio(over: Sequence[float], under: Sequence[float], level: float = 0.95) -> Interval:
    """How many times larger ``over`` is than ``under``, from paired samples above 0.

    With few pairs the wanted ``level`` may be out of reach: the interval is then the widest the
    data give, with its own ``level`` (1 - 2^(1-n) for n pairs). Raises ``ValueError`` for fewer
    than two pairs.
    """
    logs = _log_ratios(over, under)
    n = len(logs)
    walsh = sorted((logs[i] + logs[j]) / 2 for i in range(n) for j in range(i, n))
    cut = _cut(n, (1 - level) / 2)
    reached = level if cut else 1 - 2 ** (1 - n)
    cut = max(cut, 1)
    return Interval(exp(median(walsh)), exp(walsh[cut - 1]), exp(walsh[-cut]), reached)


def student(over: Sequence[float], under: Sequence[float], level: float) -> Interval:
    """Ratio of paired samples with normal noise of log ratios (Student, 1908), from two pairs on.

    The value is the mean's, and the interval is never so wide as to have no bounds. Raises
    ``ValueError`` for fewer than two pairs.
    """
    logs = np.array(_log_ratios(over, under))
    value = float(logs.mean())
    error = float(logs.std(ddof=1)) / sqrt(len(logs))
    reach = min(_quantile(len(logs) - 1, (1 + level) / 2) * error, _WIDEST)
    return Interval(exp(value), exp(value - reach), exp(value + reach), level)


def bounded(
    over: Sequence[float], under: Sequence[float], repeatable: float, level: float = 0.95
) -> Interval:
    """Ratio of paired samples by a meter whose readings agree within ``repeatable``, relatively.

    The interval reaches from the smallest ratio to the largest, and by this width beyond. It is a
    bound, which holds as far as the meter keeps its promise, and no statement of chance: ``level``
    is only carried along. Raises ``ValueError`` for fewer than two pairs.
    """
    logs = _log_ratios(over, under)
    value, beyond = median(logs), log(1 + repeatable)
    return Interval(exp(value), exp(min(logs) - beyond), exp(max(logs) + beyond), level)


def noise(samples: Sequence[float]) -> float:
    """Typical difference of two samples in a row, relatively (0.01 is 1 %).

    The median of their absolute log ratios, so slow drift and a few wild samples do not count.
    Raises ``ValueError`` for fewer than two.
    """
    if len(samples) < 2:
        raise ValueError("noise shows between samples, so it takes at least two")
    return median(abs(log(after / before)) for before, after in pairwise(samples))


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of normal values, which a few wild ones do not change.

    The median absolute deviation, scaled, with the correction for few values of C. Croux and P. J.
    Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale", Computational
    Statistics 1, 1992; for fewer than ten of them it is 2 to 9 % too small.
    """
    middle, n = median(values), len(values)
    return 1.4826 * n / (n - 0.8) * median(abs(one - middle) for one in values)


def repetitions(seconds: float) -> int:
    """Number of passes of so many seconds in a long enough sample: 20 ms.

    Ten at the most, or the quickest programs would take longest to measure.
    """
    if seconds * _MAX_PASSES <= LONG_ENOUGH:
        return _MAX_PASSES
    return ceil(LONG_ENOUGH / seconds)


def _quantile(freedom: int, chance: float) -> float:
    """Quantile of Student's t."""
    return float(_special().stdtrit(freedom, chance))


def _special() -> Any:
    from scipy import special  # type: ignore[import-untyped]  # noqa: PLC0415 - takes a while

    return special


def _log_ratios(over: Sequence[float], under: Sequence[float]) -> list[float]:
    for name, samples in (("first", under), ("second", over)):
        if any(sample <= 0 for sample in samples):
            raise ValueError(
                f"the {name} program has a sample of {min(samples):g}, and readings are above 0; "
                "take several passes in a sample (maxcode.measure.repetitions)"
            )
    logs = [log(a / b) for a, b in zip(over, under, strict=True)]
    if len(logs) < 2:
        raise ValueError("a ratio with an interval needs at least two pairs of samples")
    return logs


@lru_cache(maxsize=256)
def _cut(n: int, tail: float) -> int:
    """Largest c with P(T+ <= c - 1) <= tail, T+ being the signed-rank statistic of n pairs."""
    counts = [1]  # counts[t] = number of subsets of {1..n} that sum to t
    for rank in range(1, n + 1):
        shifted = [0] * rank + counts
        counts = [a + b for a, b in zip(shifted, counts + [0] * rank, strict=True)]
    total, below = 2**n, 0
    for t, count in enumerate(counts):
        below += count
        if below / total > tail:
            return t
    return len(counts)


Floats = NDArray[np.float64]

LEVEL = 0.95  # of figures over tasks; a confirmation's is in measure/rounds
RESAMPLES = 2000
_ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class Estimate:
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    def __repr__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


class Bootstrap:
    """Draws of tasks, or of the seeds of a single task; ``tasks`` names the task of each pair."""

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
        """Values to draw: the means of tasks, or the values of a single task's pairs."""
        return values if self._single else self.task_means(values)


def t_test(values: Floats) -> tuple[Estimate, float]:
    """Mean of values, with its 95 % interval, and the p-value of its being 0 (Student, 1908).

    Of the means of at least two tasks this speaks of other tasks like them. Equal values show no
    scatter to go by; the signs of their differences do with them: p is 2^(1-n), and the interval
    has bounds from six values on, else it is infinite.
    """
    mean, freedom = float(values.mean()), len(values) - 1
    error = float(values.std(ddof=1)) / sqrt(len(values)) if freedom else 0.0
    if error <= _ROUNDING:
        p = 2.0**-freedom
        reach = 0.0 if p <= 1 - LEVEL else inf
        return Estimate(mean, mean - reach, mean + reach), 1.0 if abs(mean) <= _ROUNDING else p
    reach = _quantile(freedom, (1 + LEVEL) / 2) * error
    p = 2 * float(_special().stdtr(freedom, -abs(mean) / error))
    return Estimate(mean, mean - reach, mean + reach), p


def detectable(values: Floats, significant: float, power: float) -> float | None:
    """The mean :func:`t_test` would find with probability ``power``, given the scatter of values.

    By the usual approximation, the sum of the two quantiles of t (J. Cohen, "Statistical power
    analysis for the behavioral sciences", 1988). None of fewer than two values.
    """
    freedom = len(values) - 1
    if freedom < 1:
        return None
    error = float(values.std(ddof=1)) / sqrt(len(values))
    return error * (_quantile(freedom, 1 - significant / 2) + _quantile(freedom, power))


def ranks(speedups: Floats) -> Floats:
    """Ranks of methods (rows) in each pair (columns): 1 is the fastest, ties share their mean."""
    others = speedups[:, None, :]
    faster = (others > speedups).sum(axis=0)
    equal = (others == speedups).sum(axis=0)
    places: Floats = faster + (equal + 1) / 2
    return places


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
