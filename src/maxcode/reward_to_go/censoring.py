"""Candidates that nothing was grown from: what would have been reached is unknown, not nothing.

Their own reward is the least that they lead to. What growing them would have gained is imputed:
drawn from candidates that were grown from in like circumstances, several each, so that what is
learned keeps the spread of what may happen (hot deck; Andridge and Little, "A review of hot deck
imputation for survey non-response", 2010).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import log

import numpy as np

from maxcode.measure.statistics import Floats
from maxcode.reward_to_go.objective import Bins
from maxcode.reward_to_go.rows import Row

DONORS = 8
"""Gains that are drawn for each censored candidate."""

_MOST = 4000  # donors that are kept


@dataclass
class Donors:
    """Candidates that were grown from, and by what factor the best below them was above their own.

    Two candidates are alike by how fast they are, beside the best before them, and by how much of
    the budget was left: the nearest :data:`DONORS` in units of the standard deviation of each.
    """

    like: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    gains: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Donors:
        """From the rows of candidates that passed and were grown from; others are passed over."""
        known = [
            (*_circumstances(row), row.target / max(row.u, row.reward))
            for row in rows
            if not row.censored and row.reward > 0
        ]
        if not known:
            return cls()
        table = np.array(known[:: len(known) // _MOST + 1])
        return cls(table[:, :-1], table[:, -1])

    def imputed(self, row: Row, bins: Bins) -> Iterator[Row]:
        """The row with what growing it may gain: one for each target, their weights its own.

        A row that is not censored stays as it is, and so do all where nothing was grown from any.
        """
        if not row.censored or not len(self.gains):
            yield row
            return
        spread = self.like.std(axis=0)
        apart = (self.like - _circumstances(row)) / np.where(spread > 0, spread, 1.0)
        nearest = np.argsort((apart**2).sum(axis=1), kind="stable")[:DONORS]
        own = max(row.u, row.reward)
        targets = Counter(own * float(gain) for gain in self.gains[nearest])
        for target, count in sorted(targets.items()):
            weight = row.weight * count / len(nearest)
            changed = {"target": target, "bin": bins.index(target), "weight": weight}
            yield row.model_copy(update=changed)


def _circumstances(row: Row) -> tuple[float, float, float]:
    return log(row.reward), log(row.reward / max(row.u, 1.0)), row.features.get("left", 0.0)
