"""What reward-to-go models estimate, and the bins over which they give probabilities."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
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

Returns = Literal["max", "sum", "own"]
"""What is learned: ``max(u, max_k gamma^k r_k)``; for comparison the discounted sum, or ``max(u,
r_0)`` by the candidate's own reward, of which a model that looks ahead has to know more."""

Over = Literal["paths", "subtree", "imputed"]
"""Of which futures of a candidate: the mean over the paths through it, or the best of its subtree,
as far as that was seen, or with what is imputed where nothing was grown from it."""


@dataclass(frozen=True)
class Bins:
    """Bin 0 holds 0, what fails; bin i > 0 holds speedups from edge i-1 to below edge i.

    The first edge is 0 and belongs to no other bin; the last bin has no upper end. ``means`` are
    the centres, one for each bin; the default is the middles. Raises :class:`InputError` for edges
    that do not rise from 0, or of which there are more than labels.
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
        """What a target in each bin is worth."""
        if self.means:
            return self.means
        middles = ((a + b) / 2 for a, b in pairwise(self.edges))
        return (0.0, *middles, self.edges[-1] * _TAIL or 1.0)

    def index(self, value: float) -> int:
        """The bin of a value >= 0."""
        return bisect_right(self.edges, value) if value > 0 else 0

    def expectation(self, distribution: Sequence[float], u: float = 0.0) -> float:
        """The mean of ``max(u, centre)`` under the probabilities of the bins.

        It is ``E[max(u, G)]``. The mean raised to u afterwards would be less, and the same for most
        candidates of a state in which u is high.
        """
        worth = (max(u, centre) for centre in self.centres)
        return sum(p * centre for p, centre in zip(distribution, worth, strict=True))

    def soft(self, value: float) -> tuple[float, ...]:
        """Probabilities that divide a value between its neighbouring centres.

        Their expectation is the value, for values from the second centre to the last. Failure is
        no matter of degree, so bin 0 shares with none.
        """
        weights = [0.0] * len(self)
        centres, own = self.centres, self.index(value)
        other = own + 1 if value > centres[own] else own - 1
        if own == 0 or not 1 <= other < len(self):
            weights[own] = 1.0
        else:
            share = abs(value - centres[own]) / abs(centres[other] - centres[own])
            weights[own], weights[other] = 1 - share, share
        return tuple(weights)


@dataclass(frozen=True)
class Objective:
    """What targets are, and into which bins they fall. Raises :class:`InputError`.

    With ``over="paths"`` a candidate has a target for each path through it. With ``"subtree"`` and
    ``"imputed"`` it has one, the best that was reached below it: what V(s, u) asks for, of the
    policy and of the budget that were there, so that models are shown both. Where nothing was grown
    from it, that is the least that it leads to: "subtree" takes it as it is, and with "imputed" a
    dataset has in its place what :class:`~maxcode.reward_to_go.censoring.Donors` draws.
    """

    bins: Bins = field(default_factory=Bins)
    returns: Returns = "max"
    gamma: float = 1.0
    over: Over = "paths"

    def __post_init__(self) -> None:
        if self.returns not in get_args(Returns):
            known = ", ".join(get_args(Returns))
            raise InputError(f"unknown returns {self.returns!r}; known: {known}")
        if not 0 < self.gamma <= 1:
            raise InputError(f"gamma must lie in (0, 1], not {self.gamma}")
        if self.over not in get_args(Over):
            raise InputError(f"unknown target {self.over!r}; known: {', '.join(get_args(Over))}")
        if self.over != "paths" and self.returns == "sum":
            raise InputError("a subtree has a best reward, not a sum: take the target paths")

    @property
    def learned(self) -> tuple[object, ...]:
        """Equal for equal targets and bins, whatever the means of bins are."""
        return self.returns, self.gamma, self.over, self.bins.edges

    def target(self, u: float, rewards: Sequence[float]) -> float:
        """The target of a candidate with these rewards from its own on, in a state with u."""
        if self.returns == "sum":
            return discounted_sums(rewards, self.gamma)[0]
        if self.returns == "own":
            return value_target(u, rewards[:1], self.gamma)
        return value_target(u, rewards, self.gamma)

    def targets(self, u: float, futures: Sequence[Sequence[float]]) -> list[float]:
        """The targets of a candidate with these futures, each of the same weight."""
        found = [self.target(u, future) for future in futures]
        return found if self.over == "paths" else [max(found)]

    def worth(self, distribution: Sequence[float], u: float) -> float:
        """The estimate from probabilities of the bins in a state with u; at least u.

        For sums it is u plus the expected sum, so that all estimates are at least u and candidates
        of a state are ordered by their sums.
        """
        if self.returns == "sum":
            return u + self.bins.expectation(distribution)
        return self.bins.expectation(distribution, u)

    def raised(self, target: float, u: float) -> float:
        """The estimate from an expected target in a state with u; at least u."""
        return u + max(target, 0.0) if self.returns == "sum" else enforce_value(target, u)

    def seen(self, observation: Observation) -> Observation:
        """The observation with u under this objective's discount, whatever the run's was.

        What is left of the search stays only where that is what the target is of.
        """
        path = replace(observation.path, gamma=self.gamma)
        if self.over == "paths":
            return replace(observation, trajectory=path, policy="", left=None)
        return replace(observation, trajectory=path)
