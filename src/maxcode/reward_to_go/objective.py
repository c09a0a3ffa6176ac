"""The target of reward-to-go models, and the bins of their probabilities."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from typing import Literal, get_args

from maxcode.errors import InputError
from maxcode.observation import Observation
from maxcode.returns import discounted_sums, enforce_value, value_target

EDGES = (0.0, 0.5, 0.9, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0)
LABELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TAIL = 1.5  # the last bin has no end; its centre is its edge times this

Returns = Literal["max", "sum"]
"""The target: ``max(u, max_k gamma^k r_k)``, or for comparison the discounted sum."""


@dataclass(frozen=True)
class Bins:
    """Bin 0 holds 0, failure; bin i > 0 holds speedups from edge i-1 to below edge i.

    The first edge is 0 and belongs to no other bin; the last bin has no upper end. ``means`` are
    the centres of the bins; the default is the middles. Raises :class:`InputError` for edges that
    do not rise from 0, or for more edges than labels.
    """

    edges: tuple[float, ...] = EDGES
    means: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise(self.edges)) and all(map(isfinite, self.edges))
        if not self.edges or self.edges[0] != 0 or not rising:
            raise InputError(f"bins: edges rise from 0, unlike {list(self.edges)}")
        if len(self.edges) >= len(LABELS):
            raise InputError(f"bins: at most {len(LABELS) - 1} edges, not {len(self.edges)}")
        if self.means and len(self.means) != len(self):
            raise InputError(f"bins: {len(self)} bins, but {len(self.means)} means")

    def __len__(self) -> int:
        return len(self.edges) + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """A character for each bin."""
        return tuple(LABELS[: len(self)])

    @property
    def centres(self) -> tuple[float, ...]:
        """The value of a target in each bin."""
        if self.means:
            return self.means
        middles = ((a + b) / 2 for a, b in pairwise(self.edges))
        return (0.0, *middles, self.edges[-1] * _TAIL or 1.0)

    def index(self, value: float) -> int:
        """The bin of a value >= 0."""
        return bisect_right(self.edges, value) if value > 0 else 0

    def shares(self, targets: Iterable[tuple[float, float]]) -> list[float]:
        """The weight in each bin, of targets with their weights."""
        found = [0.0] * len(self)
        for target, weight in targets:
            found[self.index(target)] += weight
        return found

    def expectation(self, distribution: Sequence[float], u: float = 0.0) -> float:
        """The mean of ``max(u, centre)`` under the probabilities of the bins.

        It is ``E[max(u, G)]``. The mean raised to u afterwards would be less, and the same for most
        candidates of a state in which u is high.
        """
        worth = (max(u, centre) for centre in self.centres)
        return sum(p * centre for p, centre in zip(distribution, worth, strict=True))


@dataclass(frozen=True)
class Objective:
    """Targets and their bins: a candidate has a target for each path through it.

    Raises :class:`InputError`.
    """

    bins: Bins = field(default_factory=Bins)
    returns: Returns = "max"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        if self.returns not in get_args(Returns):
            known = ", ".join(get_args(Returns))
            raise InputError(f"unknown returns {self.returns!r}; known: {known}")
        if not 0 < self.gamma <= 1:
            raise InputError(f"gamma must lie in (0, 1], not {self.gamma}")

    def target(self, u: float, rewards: Sequence[float]) -> float:
        """The target of a candidate with these rewards from its own on, in a state with u."""
        if self.returns == "sum":
            return discounted_sums(rewards, self.gamma)[0]
        return value_target(u, rewards, self.gamma)

    def targets(self, u: float, futures: Sequence[Sequence[float]]) -> list[float]:
        """The targets of a candidate with these futures, each of the same weight."""
        return [self.target(u, future) for future in futures]

    def worth(self, distribution: Sequence[float], u: float) -> float:
        """The estimate from probabilities of the bins in a state with u; at least u.

        For sums it is u plus the expected sum, so all estimates are at least u and candidates of a
        state are ordered by their sums.
        """
        if self.returns == "sum":
            return u + self.bins.expectation(distribution)
        return self.bins.expectation(distribution, u)

    def raised(self, target: float, u: float) -> float:
        """The estimate from an expected target in a state with u; at least u."""
        return u + max(target, 0.0) if self.returns == "sum" else enforce_value(target, u)

    def seen(self, observation: Observation) -> Observation:
        """The observation with u under this objective's discount, whatever the run's was."""
        return replace(observation, trajectory=replace(observation.path, gamma=self.gamma))
