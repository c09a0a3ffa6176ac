"""Best-so-far curves: what a method has in hand, by what it has spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from maxcode.comparing.outcome import Outcome
from maxcode.comparing.statistics import LEVEL, Floats

Axis = Literal["evaluations", "tokens", "dollars", "seconds"]

AXES: tuple[Axis, ...] = ("evaluations", "tokens", "dollars", "seconds")

_POINTS = 200


@dataclass(frozen=True)
class Curve:
    """A method's best confirmed speedup so far, against what a run had spent by then.

    ``value`` is the geometric mean over tasks and seeds, ``low`` and ``high`` bound its 95 %
    interval, and ``x`` is in evaluations, tokens, dollars or seconds. A run that ended earlier
    keeps its last value.
    """

    method: str
    axis: Axis
    x: tuple[float, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def curve_of(
    method: str, axis: Axis, runs: Sequence[Outcome], weights: tuple[Floats, Floats], end: float
) -> Curve:
    """The curve over runs, given the weight of each, as it is and in each resample."""
    whole = axis in ("evaluations", "tokens") and end <= _POINTS
    x = np.arange(end + 1) if whole else np.linspace(0, end, _POINTS)
    logs = np.array([_steps(run, axis, x) for run in runs])
    plain, resampled = weights
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(resampled @ logs, (tail, 100 - tail), axis=0)
    value, low, high = (tuple(map(float, np.exp(one))) for one in (plain @ logs, low, high))
    return Curve(method, axis, tuple(map(float, x)), value, low, high)


def _steps(run: Outcome, axis: Axis, x: Floats) -> Floats:
    """The logarithm of the best confirmed speedup at each ``x``."""
    rises = [getattr(point.spent, axis) for point in run.curve]
    levels = np.log([1.0, *(max(1.0, point.speedup) for point in run.curve)])
    return levels[np.searchsorted(rises, x, side="right")]
