"""How well estimates order the candidates of a decision. Equal ones are in random order.

Figures are means over tasks of the means of their runs; runs without the figure are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from maxcode.measure.statistics import Bootstrap, Estimate, Floats
from maxcode.ranking import Agreement
from maxcode.reward_to_go.evaluation.judgement import Judgement

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


def _figure(runs: Runs, terms: Callable[[Judgement], tuple[float, float]]) -> Estimate | None:
    """The ratio of two sums over the decisions of a run; None where all divide by 0."""
    sums = [np.sum([terms(one) for one in run], axis=0) for run in runs]
    known = [i for i, (_, below) in enumerate(sums) if below]
    ratios = np.array([sums[i][0] / sums[i][1] for i in known])
    return Bootstrap([runs[i][0].task for i in known]).mean(ratios) if known else None


def within(runs: Runs, outcome: str) -> Estimate | None:
    """Kendall's tau-b, the mean over decisions with different outcomes.

    ``outcome`` is the attribute to compare estimates with. Equal estimates have a tau of 0.
    """

    def terms(one: Judgement) -> tuple[float, float]:
        differ = np.ptp(getattr(one, outcome)) > 0
        return (agreement([one], outcome).tau, 1) if differ else (0, 0)

    return _figure(runs, terms)


def regret(runs: Runs, *, random: bool = False) -> Estimate | None:
    """Loss from running only the candidate with the highest estimate, or a ``random`` one.

    The mean of ``1 - its reward / best of all``. Decisions in which all fail are left out.
    """

    def terms(one: Judgement) -> tuple[float, float]:
        best = one.rewards.max()
        if len(one.rewards) < 2 or best == 0:
            return 0, 0
        chosen = one.rewards if random else one.rewards[one.estimates == one.estimates.max()]
        return 1 - chosen.mean() / best, 1

    return _figure(runs, terms)


def savings(runs: Runs) -> Estimate | None:
    """Share of evaluations saved by the model's order, against random order; below 0: it costs.

    Counted until the best candidate of a decision is found, over decisions with a correct
    candidate.
    """

    def terms(one: Judgement) -> tuple[float, float]:
        top = one.rewards.max()
        if not top > 0 or len(one.rewards) < 2:
            return 0, 0
        wanted, alike = one.rewards == top, np.zeros_like(one.estimates)
        at_random = expected_place(alike, wanted)
        return at_random - expected_place(one.estimates, wanted), at_random

    return _figure(runs, terms)
