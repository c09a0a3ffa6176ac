"""How well estimates order held-out candidates, which decides when training ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from maxcode.reward_to_go.correlation import spearman
from maxcode.reward_to_go.training.examples import Example

_CANDIDATES, _DECISIONS = 3, 10  # from which on correlations within decisions are worth averaging


class Ranking:
    """Spearman's rank correlation of estimates and outcomes over held-out examples.

    Within decisions, as reranking needs it, averaged by the number of candidates; over all of them
    where fewer than 10 decisions have 3 candidates with different outcomes. ``possible`` is False
    where all outcomes are the same.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self._outcomes = np.array([example.outcome for example in examples])
        members: dict[tuple[str, int], list[int]] = {}
        for index, example in enumerate(examples):
            members.setdefault(example.decision, []).append(index)
        groups = [np.array(group) for group in members.values() if len(group) >= _CANDIDATES]
        self._groups = [group for group in groups if np.ptp(self._outcomes[group]) > 0]
        self.within = len(self._groups) >= _DECISIONS
        if not self.within:
            self._groups = [np.arange(len(examples))]
        self.possible = len(examples) > 1 and float(np.ptp(self._outcomes)) > 0

    def of(self, estimates: Any) -> float:
        """The correlation of these estimates, one an example; 0 where they are all the same."""
        found = [spearman(estimates[group], self._outcomes[group]) for group in self._groups]
        return float(np.average(found, weights=[len(group) for group in self._groups]))
