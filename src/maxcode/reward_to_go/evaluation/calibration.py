"""Calibration of predicted probabilities.

The events are "the target reaches edge e" for every edge of the bins above 0, predicted by the tail
of the distribution. Edges reached before the decision are certain, and left out: they would flatter
any model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxcode.measure.statistics import Estimate, Floats
from maxcode.reward_to_go.evaluation.judgement import Judgement, Resampling, estimate, share


def calibration(
    judgements: Sequence[Sequence[Judgement]],
    resampling: Resampling,
) -> tuple[Estimate | None, Estimate | None, int]:
    """Brier's score and skill over the judgements of each run, and the number of known runs.

    The score is the mean squared error of the events' probabilities (G. W. Brier, 1950); the skill
    is 1 minus its ratio to the score of the base rates, which are the sample's own and have seen
    the outcomes. The events of a run weigh the same, and so do runs with events and their tasks.
    Runs with a missing distribution are left out.
    """
    known = np.array([all(one.tails is not None for one in run) for run in judgements])
    found = [_events(i, one) for i, run in enumerate(judgements) if known[i] for one in run]
    if not any(len(one[0]) for one in found):
        return None, None, 0  # nothing is known, or every edge had been reached
    at, edge, predicted, happened = (np.concatenate(part) for part in zip(*found, strict=True))
    weights, bound, runs = resampling.among(known)[0][at], judgements[0][0].open.size, len(known)
    reached, open_at = (_sums(edge, w, bound) for w in (weights * happened, weights))
    base = share(reached, open_at, 0.5)  # 0.5 if it was never open
    # The squared error against each future, where ``happened`` is the share of them.
    squares = (p * p - 2 * p * happened + happened for p in (predicted, base[edge]))
    error, base_error, count = (_sums(at, w, runs) for w in (*squares, np.ones_like(predicted)))
    errors = resampling.means(share(error, count))
    skill = estimate(1 - share(errors, resampling.means(share(base_error, count))))
    return estimate(errors), skill, int(known.sum())


def _events(run: int, one: Judgement) -> tuple[NDArray[Any], ...]:
    """The run, edge, predicted probability and outcome of each event of a decision."""
    edges = np.tile(np.flatnonzero(one.open), len(one.estimates))
    predicted = one.reached if one.tails is None else one.tails
    both = (table[:, one.open].ravel() for table in (predicted, one.reached))
    return np.full_like(edges, run), edges, *both


def _sums(place: NDArray[np.intp], terms: Floats, places: int) -> Floats:
    """Sums of terms by place."""
    return np.bincount(place, terms, places).astype(np.float64)
