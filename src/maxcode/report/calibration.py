"""Estimates of reward-to-go beside what became of the candidates, one by one and in bins."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.report.estimates import choice_facts, estimate_facts, judgements
from maxcode.report.history import History

_BINS = 10
_MIN_CANDIDATES = 5  # in a bin


@dataclass(frozen=True, slots=True)
class Estimated:
    """A candidate: what was expected of it, and the mean best reward on the paths through it."""

    step: int
    estimate: float
    became: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates of about the same estimate: means, and the quartiles of what they became."""

    estimate: float
    became: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """The estimates of a run. ``facts`` say in words how far they were right, under names."""

    points: tuple[Estimated, ...]
    bins: tuple[Bin, ...]
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, history: History) -> Calibration:
        """Of a run with estimates."""
        judged = judgements(history.decisions)
        points = tuple(
            Estimated(step, float(estimate), float(target))
            for one in judged
            for step, estimate, target in zip(one.steps, one.estimates, one.targets, strict=True)
        )
        return cls(
            points,
            _bins(points),
            (*estimate_facts(history.state, history.estimates), *choice_facts(judged)),
        )


def _bins(points: tuple[Estimated, ...]) -> tuple[Bin, ...]:
    """Bins of equally many candidates, as many as there are enough candidates for."""
    import numpy as np  # noqa: PLC0415 - only runs with estimates need it

    ordered = sorted(points, key=lambda one: one.estimate)
    count = min(_BINS, len(ordered) // _MIN_CANDIDATES)
    bins = []
    for group in np.array_split(np.arange(len(ordered)), count) if count else ():
        estimates = [ordered[i].estimate for i in group]
        became = [ordered[i].became for i in group]
        low, high = np.percentile(became, (25, 75))
        mean = float(np.mean(became))
        bins.append(Bin(float(np.mean(estimates)), mean, float(low), float(high), len(group)))
    return tuple(bins)
