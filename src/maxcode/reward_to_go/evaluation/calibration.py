"""Calibration of predicted probabilities.

The events are "the target reaches edge e" for every edge of the bins above 0, predicted by the tail
of the distribution. Edges reached before the decision are certain, and left out: they would flatter
any model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maxcode.measure.statistics import Estimate, Floats
from maxcode.reward_to_go.evaluation.judgement import Judgement, Resampling, estimate, share

_STEPS = 10  # of confidence, equally wide


@dataclass(frozen=True)
class Reliability:
    """Events of about the same predicted probability: how often they came true."""

    predicted: float
    happened: Estimate
    events: int


@dataclass(frozen=True)
class Calibration:
    """How good probabilities are.

    * ``brier``: the mean squared error of the events' probabilities (G. W. Brier, 1950); 0 is best
    * ``skill``: ``1 - brier / brier of the base rates``; above 0 it is better than those
    * ``ece``: expected calibration error, the mean distance of predicted and observed shares over
      ten equal steps of probability (Naeini, Cooper and Hauskrecht, 2015); above 0 by chance alone
    * ``base_rates``: of each edge, in the sample

    The events of a run weigh the same, and so do runs with events and their tasks. ``runs`` is the
    number of runs with probabilities.
    """

    brier: Estimate
    skill: Estimate | None
    ece: Estimate
    curve: tuple[Reliability, ...]
    base_rates: tuple[float, ...]
    runs: int


def calibration(
    judgements: Sequence[Sequence[Judgement]],
    resampling: Resampling,
) -> Calibration | None:
    """The calibration over the judgements of each run; None without distributions.

    Runs with a missing distribution are left out. Base rates are the sample's own and have seen
    the outcomes, so the skill is a little too modest.
    """
    known = np.array([all(one.tails is not None for one in run) for run in judgements])
    if not known.any():
        return None
    base = _rates(judgements, resampling.among(known)[0])
    totals, steps = (
        np.array(sums) for sums in zip(*(_sums(run, base) for run in judgements), strict=True)
    )
    totals[~known], steps[~known] = 0, 0
    error, base_error, count = totals.T
    events, predicted, happened = steps.transpose(1, 0, 2)
    errors = resampling.means(share(error, count))
    brier = estimate(errors)
    if brier is None:
        return None  # every edge had been reached
    apart = (predicted - happened) / np.where(count > 0, count, np.nan)[:, None]
    ece = estimate(np.abs(resampling.means(apart)).sum(axis=1))
    skill = estimate(1 - share(errors, resampling.means(share(base_error, count))))
    curve = []
    for step in np.flatnonzero(events.sum(axis=0)):
        rate = estimate(resampling.means(share(happened[:, step], events[:, step])))
        mean = estimate(resampling.means(share(predicted[:, step], events[:, step])))
        if rate and mean:
            curve.append(Reliability(mean.value, rate, int(events[:, step].sum())))
    assert ece is not None  # noqa: S101 - there are events
    return Calibration(brier, skill, ece, tuple(curve), tuple(base.tolist()), int(known.sum()))


def _rates(judgements: Sequence[Sequence[Judgement]], weights: Floats) -> Floats:
    """Frequency with which each open edge was reached; 0.5 if it was never open."""
    edges = len(judgements[0][0].open)
    reached, count = np.zeros(edges), np.zeros(edges)
    for weight, run in zip(weights, judgements, strict=True):
        for one in run:
            reached += weight * one.reached.sum(axis=0) * one.open
            count += weight * len(one.estimates) * one.open
    return share(reached, count, 0.5)


def _sums(run: Sequence[Judgement], base: Floats) -> tuple[Floats, Floats]:
    """Sums over a run's events.

    The errors of the model and of the base rates, and the number of events; then for each step of
    probability their number, their predicted sum, and how many came true.
    """
    totals, steps = np.zeros(3), np.zeros((3, _STEPS))
    for one in run:
        if one.tails is None:
            continue
        predicted, happened = one.tails[:, one.open].ravel(), one.reached[:, one.open].ravel()
        rates = np.tile(base[one.open], len(one.estimates))
        totals += _squared(predicted, happened), _squared(rates, happened), predicted.size
        place = np.minimum((predicted * _STEPS).astype(int), _STEPS - 1)
        terms = (np.ones_like(predicted), predicted, happened)
        steps += [np.bincount(place, term, minlength=_STEPS) for term in terms]
    return totals, steps


def _squared(predicted: Floats, happened: Floats) -> float:
    """The squared error against each future, where ``happened`` is the share of them."""
    return float((predicted**2 - 2 * predicted * happened + happened).sum())
