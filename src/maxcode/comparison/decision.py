"""Whether two methods differ: a rule with the level it claims, also when seeds are added.

Between equal methods the sign of each difference is a fair coin (R. A. Fisher, "The Design of
Experiments", 1935, section 21). Each further seed is a look, and the risk is spent over the looks
(K. K. G. Lan and D. L. DeMets, Biometrika 70, 1983): half of it at the first look with at least
eight pairs, which are m, and all but the share m / 2n of it up to n pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from maxcode.measure.statistics import Floats

_FIRST = 8  # pairs of the first look; fewer could show next to nothing
_EXACT = 12  # pairs up to which every assignment of signs is looked at
_FLIPS = 10_000
_ROUNDING = 1e-9  # relative, of sums
_LEVELS = 0.05 * 1.05 ** np.arange(61, -125, -1.0)  # of p-values, from 0.98 down to 0.0001


def spending(pairs: Sequence[int]) -> list[float]:
    """Share of the risk that may be spent up to each look, by its number of pairs."""
    first = next((count for count in pairs if count >= _FIRST), 0)
    return [1 - first / (2 * count) if count >= _FIRST else 0.0 for count in pairs]


def look_weights(pairs: Sequence[tuple[str, int]], seeds: Sequence[int]) -> Floats:
    """Weight of each pair (rows) in the mean over tasks after each seed (columns)."""
    tasks = np.array([task for task, _ in pairs])
    known = np.array([seed for _, seed in pairs])
    columns = []
    for number in range(1, len(seeds) + 1):
        taken = np.isin(known, seeds[:number])
        counts = np.array([(taken & (tasks == task)).sum() for task in tasks])
        present = len(set(tasks[taken]))
        columns.append(np.where(taken, 1 / np.maximum(counts, 1) / max(present, 1), 0.0))
    return np.array(columns, dtype=np.float64).reshape(len(seeds), len(pairs)).T


@lru_cache(maxsize=1)
def _signs(count: int) -> Floats:
    """Assignments of signs to so many pairs, a row each; the first is the actual one."""
    if count <= _EXACT:
        bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return np.asarray(1.0 - 2.0 * bits, np.float64)
    # Column by column, so that the signs of known pairs stay when pairs are added.
    drawn = [np.random.default_rng(pair).integers(2, size=_FLIPS) for pair in range(count)]
    return np.vstack([np.ones(count), 1.0 - 2.0 * np.array(drawn, np.float64).T])


class SignTest:
    """Group sequential test of paired log differences, by the flips of their signs.

    ``weights`` are those of :func:`look_weights`. Up to 12 pairs every assignment of signs is
    looked at, else the actual one and 10,000 random ones (B. Phipson and G. K. Smyth, "Permutation
    p-values should never be zero", 2010).
    """

    def __init__(self, differences: Floats, weights: Floats) -> None:
        signs = _signs(len(differences))
        self.shares = spending([int(count) for count in np.count_nonzero(weights, axis=0)])
        self._sums: Floats = np.abs(signs @ (differences[:, None] * weights))

    @cached_property
    def _looks(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Of each look the assignments by falling sum, and the ends of groups of equal sums."""
        found = []
        for sums in self._sums.T:
            order = np.argsort(-sums, kind="stable")
            ranked = sums[order]
            drops = ranked[:-1] - ranked[1:] > _ROUNDING * ranked[0]
            # Sums of 0 differ in no way from each other, or from their negatives.
            ends = np.append(drops, False) & (ranked > 0)
            found.append((order, np.flatnonzero(ends)))
        return found

    def found_at(self, level: float) -> int | None:
        """Number of the first look, from 1 on, at which a difference is found; None for none.

        ``level`` is the risk of all looks together.
        """
        under_way: NDArray[np.bool_] = np.ones(len(self._sums), dtype=bool)
        for number, ((order, ends), share) in enumerate(zip(self._looks, self.shares, strict=True)):
            allowed = int(level * share * len(self._sums) + _ROUNDING)
            counted = np.cumsum(under_way[order])
            within = ends[counted[ends] <= allowed - np.count_nonzero(~under_way)]
            if len(within):
                under_way[order[: within[-1] + 1]] = False
            if not under_way[0]:
                return number + 1
        return None

    def p(self) -> float:
        """Smallest level, in steps of 5 %, from which on all levels find a difference; else 1."""
        smallest = 1.0
        for level in _LEVELS:
            if self.found_at(float(level)) is None:
                break
            smallest = float(level)
        return smallest
