"""The ratio of two programs' times, with an interval that noise does not fool.

Samples come in pairs, taken right after one another in an order drawn by lot. Where the two
programs are alike but for a factor, whatever disturbs a pair hits either side with the same chance,
so each log ratio is as likely to lie above the true one as below, by as much, whatever the noise
is and however long it lasts (R. A. Fisher, "The Design of Experiments", 1935, section 21). For
signs that are fair coins Wilcoxon's signed-rank statistic gives an exact interval, and the
Hodges-Lehmann estimator goes with it: Hollander, Wolfe and Chicken, "Nonparametric Statistical
Methods", 3rd edition, sections 3.2 and 3.3. A few wild samples hardly move the estimate, unlike a
mean; among fewer than a dozen pairs one may stretch the interval, but only to its own side. A
minimum would be biased by how often one tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil, exp, log
from statistics import median

from maxcode.evaluation import Interval

LONG_ENOUGH = 0.02
"""Seconds below which the start of a process is much of what is measured."""

_MOST_PASSES = 10


def ratio(over: Sequence[float], under: Sequence[float], level: float = 0.95) -> Interval:
    """How many times larger ``over`` is than ``under``, from paired samples above 0.

    With few pairs the wanted ``level`` may be out of reach: the interval is then the widest the
    data give, and its own ``level`` says what that is worth (1 - 2^(1-n) for n pairs). Raises
    ``ValueError`` for fewer than two pairs.
    """
    logs = _log_ratios(over, under)
    n = len(logs)
    walsh = sorted((logs[i] + logs[j]) / 2 for i in range(n) for j in range(i, n))
    cut = _cut(n, (1 - level) / 2)
    reached = level if cut else 1 - 2 ** (1 - n)
    cut = max(cut, 1)
    return Interval(exp(median(walsh)), exp(walsh[cut - 1]), exp(walsh[-cut]), reached)


def bounded(
    over: Sequence[float], under: Sequence[float], repeatable: float, level: float = 0.95
) -> Interval:
    """The same for a meter whose readings of a program agree within ``repeatable``, relatively.

    The interval reaches from the smallest ratio to the largest, and by that width beyond. This is a
    bound, which holds as far as the meter keeps its promise, and no statement of chance: ``level``
    is only carried along. Raises ``ValueError`` for fewer than two pairs.
    """
    logs = _log_ratios(over, under)
    value, beyond = median(logs), log(1 + repeatable)
    return Interval(exp(value), exp(min(logs) - beyond), exp(max(logs) + beyond), level)


def noise(samples: Sequence[float]) -> float:
    """How much two samples in a row typically differ, relatively (0.01 is 1 %).

    The median of their absolute log ratios, so that a slow drift and a few wild samples do not
    count. Raises ``ValueError`` for fewer than two.
    """
    if len(samples) < 2:
        raise ValueError("noise shows between samples, so it takes at least two")
    return median(abs(log(after / before)) for before, after in pairwise(samples))


def repetitions(seconds: float) -> int:
    """How many passes of so many seconds make a sample that is long enough: 20 ms.

    Ten at the most, or the quickest programs would take longest to measure.
    """
    if seconds * _MOST_PASSES <= LONG_ENOUGH:
        return _MOST_PASSES
    return ceil(LONG_ENOUGH / seconds)


def _log_ratios(over: Sequence[float], under: Sequence[float]) -> list[float]:
    logs = [log(a / b) for a, b in zip(over, under, strict=True)]
    if len(logs) < 2:
        raise ValueError("a ratio with an interval needs at least two pairs of samples")
    return logs


@lru_cache(maxsize=256)
def _cut(n: int, tail: float) -> int:
    """The largest c with P(T+ <= c - 1) <= tail, T+ being the signed-rank statistic of n pairs."""
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
