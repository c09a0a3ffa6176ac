"""Rank correlation, as training and figures of trust measure it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def ranks(values: ArrayLike) -> Floats:
    """Ranks from 1, the lowest; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    shared: Floats = (ends - (counts - 1) / 2)[place]
    return shared


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's rho: Pearson's correlation of ranks; 0 where either side has no order."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])
