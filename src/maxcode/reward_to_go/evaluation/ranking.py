"""How well estimates order the candidates of a decision. Equal ones are in random order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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


def expected_place(estimates: Floats, wanted: NDArray[np.bool_]) -> float:
    """Expected number of candidates to run, in the order of estimates, until a wanted candidate."""
    before = 0
    for value in np.unique(estimates)[::-1]:
        group = wanted[estimates == value]
        if group.any():
            return float(before + (len(group) + 1) / (group.sum() + 1))
        before += len(group)
    return float(before)


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


def regret(runs: Runs, resampling: Resampling) -> tuple[Estimate | None, Estimate | None]:
    """Loss from running only the candidate with the highest estimate, and one at random.

    The mean of ``1 - its reward / best of all``. Decisions in which all fail are left out.
    """

    def terms(one: Judgement) -> tuple[float, ...]:
        best = one.rewards.max()
        if len(one.rewards) < 2 or best == 0:
            return (0, 0, 0)
        chosen = one.rewards[one.estimates == one.estimates.max()].mean()
        return (1 - chosen / best, 1 - one.rewards.mean() / best, 1)

    lost, at_random, count = _sums(runs, terms)
    model, random = (estimate(resampling.means(share(sums, count))) for sums in (lost, at_random))
    return model, random


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
