"""How well estimates order the candidates of a decision. Equal ones are in random order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from maxcode.measure.statistics import Estimate, Floats
from maxcode.ranking import Agreement
from maxcode.reward_to_go.evaluation.judgement import (
    Judgement,
    Resampling,
    estimate,
    share,
)

Runs = Sequence[Sequence[Judgement]]
"""The judgements of each run."""

TOP = (1, 2, 4)


@dataclass(frozen=True)
class Regret:
    """Loss from running only the k candidates with the highest estimates.

    The mean over decisions with more than k candidates of ``1 - best of those k / best of all``;
    ``random`` is expected of k drawn at random. Decisions in which all fail are left out.
    """

    k: int
    decisions: int
    model: Estimate
    random: Estimate


def expected_best(estimates: Floats, rewards: Floats, k: int) -> float:
    """The expected best reward among the k candidates of the highest estimates."""
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
    """Expected number of candidates to run, in the order of estimates, until a wanted candidate.

    It is the sum over k of the chance that none of the first k is wanted.
    """
    best = wanted.astype(np.float64)
    return 1 + sum(1 - expected_best(estimates, best, k) for k in range(1, len(best)))


def _descending(estimates: Floats) -> Iterator[NDArray[np.intp]]:
    """Indices of equal estimates, the highest first."""
    for value in np.unique(estimates)[::-1]:
        yield np.flatnonzero(estimates == value)


def agreement(judgements: Iterable[Judgement], outcome: str) -> Agreement:
    """The agreement of estimates with an outcome, over all pairs of a decision."""
    pairs = ((one.estimates.tolist(), getattr(one, outcome).tolist()) for one in judgements)
    return sum((Agreement().plus(*pair) for pair in pairs), Agreement())


def _sums(runs: Runs, terms: Callable[[Judgement], tuple[float, ...]]) -> Floats:
    """Each term summed over the decisions of each run: a row a term, a column a run."""
    return np.array([np.sum([terms(one) for one in run], axis=0) for run in runs]).T


def within(runs: Runs, resampling: Resampling, outcome: str) -> Estimate | None:
    """Kendall's tau-b: the mean over decisions with different outcomes, then runs and tasks.

    ``outcome`` is the attribute to compare estimates with. Equal estimates have a tau of 0.
    """

    def terms(one: Judgement) -> tuple[float, float]:
        differ = np.ptp(getattr(one, outcome)) > 0
        return (agreement([one], outcome).tau, 1) if differ else (0, 0)

    return estimate(resampling.means(share(*_sums(runs, terms))))


def regrets(runs: Runs, resampling: Resampling) -> tuple[Regret, ...]:
    """The regret for each k for which there are decisions with more candidates."""
    return tuple(filter(None, (_regret(runs, resampling, k) for k in TOP)))


def _regret(runs: Runs, resampling: Resampling, k: int) -> Regret | None:
    def terms(one: Judgement) -> tuple[float, ...]:
        best = one.rewards.max()
        if len(one.rewards) <= k or best == 0:
            return (0, 0, 0)
        alike = np.zeros_like(one.estimates)
        kept = (expected_best(order, one.rewards, k) for order in (one.estimates, alike))
        return (*((best - min(reward, best)) / best for reward in kept), 1)

    lost, at_random, count = _sums(runs, terms)
    model, random = (estimate(resampling.means(share(sums, count))) for sums in (lost, at_random))
    return Regret(k, int(count.sum()), model, random) if model and random else None


def savings(runs: Runs, resampling: Resampling) -> Estimate | None:
    """Share of evaluations saved by the model's order, against random order; below 0: it costs.

    Counted until the best candidate of a decision is found, over decisions with a correct
    candidate.
    """

    def to_best(one: Judgement) -> tuple[float, float]:
        top = one.rewards.max()
        if not top > 0 or len(one.rewards) < 2:
            return 0, 0
        wanted, alike = one.rewards == top, np.zeros_like(one.estimates)
        return expected_place(one.estimates, wanted), expected_place(alike, wanted)

    return estimate(1 - resampling.means(share(*_sums(runs, to_best))))
