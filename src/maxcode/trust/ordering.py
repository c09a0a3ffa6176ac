"""How well estimates order the candidates of a decision. Among equal estimates the lot decides."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from maxcode.comparing.statistics import Floats
from maxcode.ranking import Agreement
from maxcode.reward_to_go.correlation import spearman


def correlations(estimates: Floats, outcomes: Floats) -> tuple[float, float] | None:
    """Spearman's rho and Kendall's tau-b; None where the outcomes are all equal.

    Where the estimates are, both are 0: who likes all alike has told nothing.
    """
    if len(set(outcomes.tolist())) < 2:
        return None
    rho = spearman(estimates, outcomes)
    return rho, Agreement().plus(estimates.tolist(), outcomes.tolist()).tau


def expected_best(estimates: Floats, rewards: Floats, k: int) -> float:
    """The best reward that is expected among the k candidates of the highest estimates."""
    best, left = 0.0, k
    for group in _descending(estimates):
        values: list[float] = sorted(rewards[group].tolist(), reverse=True)
        if len(values) > left:  # so many of these are drawn
            chances = (comb(len(values) - 1 - i, left - 1) for i in range(len(values) - left + 1))
            ways = zip(chances, values, strict=False)  # the lowest can be no maximum
            return sum(n * max(best, value) for n, value in ways) / comb(len(values), left)
        best, left = max(best, values[0]), left - len(values)
        if not left:
            break
    return best


def expected_place(estimates: Floats, wanted: NDArray[np.bool_]) -> float:
    """How many candidates are expected to be run, in the order of estimates, until a wanted one is.

    The first of j wanted ones among m in random order is expected at place (m + 1) / (j + 1).
    Raises :class:`ValueError` when none is wanted.
    """
    before = 0
    for group in _descending(estimates):
        found = int(wanted[group].sum())
        if found:
            return before + (len(group) + 1) / (found + 1)
        before += len(group)
    raise ValueError("no candidate is wanted")


def _descending(estimates: Floats) -> Iterator[NDArray[np.intp]]:
    """Indices of equal estimates, the highest first."""
    for value in np.unique(estimates)[::-1]:
        yield np.flatnonzero(estimates == value)
