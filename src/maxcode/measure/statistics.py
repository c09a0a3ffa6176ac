"""The ratio of two programs' times, with an interval that noise does not fool.

Samples come in pairs, taken right after one another. If both sides of a pair suffer the same kind
of disturbance, the logarithm of their ratio is distributed symmetrically around the logarithm of
the true ratio. For that case Wilcoxon's signed-rank statistic gives an exact interval whatever the
distribution is, and the Hodges-Lehmann estimator goes with it: Hollander, Wolfe and Chicken,
"Nonparametric Statistical Methods", 3rd edition, sections 3.2 and 3.3. A few wild samples hardly
move the estimate, unlike a mean; among fewer than a dozen pairs one may stretch the interval, but
only to its own side. A minimum would be biased by how often one tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, log
from statistics import median

from maxcode.evaluation import Interval


def ratio(over: Sequence[float], under: Sequence[float], level: float = 0.95) -> Interval:
    """How many times larger ``over`` is than ``under``, from paired samples above 0.

    With few pairs the wanted ``level`` may be out of reach: the interval is then the widest the
    data give, and its own ``level`` says what that is worth (1 - 2^(1-n) for n pairs). Raises
    ``ValueError`` for fewer than two pairs.
    """
    logs = [log(a / b) for a, b in zip(over, under, strict=True)]
    n = len(logs)
    if n < 2:
        raise ValueError("a ratio with an interval needs at least two pairs of samples")
    walsh = sorted((logs[i] + logs[j]) / 2 for i in range(n) for j in range(i, n))
    cut = _cut(n, (1 - level) / 2)
    reached = level if cut else 1 - 2 ** (1 - n)
    cut = max(cut, 1)
    return Interval(exp(median(walsh)), exp(walsh[cut - 1]), exp(walsh[-cut]), reached)


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
