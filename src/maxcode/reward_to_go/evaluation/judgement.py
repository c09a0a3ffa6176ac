"""Decisions as a model estimated them beside their outcomes, and statistics over such runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from maxcode.budget import FREE, Cost
from maxcode.errors import InputError, RewardToGoError
from maxcode.interfaces import RewardToGo
from maxcode.measure.statistics import LEVEL, Bootstrap, Estimate, Floats
from maxcode.reward_to_go.decisions import Candidate, Decision
from maxcode.reward_to_go.objective import Objective
from maxcode.tree import Value


@dataclass(frozen=True, eq=False)
class Judgement:
    """A decision: the executed candidates (n), and a model's estimates of them.

    ``targets`` are means over a candidate's futures. With a distribution, ``tails`` (n x edges)
    gives the probability to reach each edge above 0, and ``reached`` the share of futures above it;
    ``open`` marks edges not reached before. ``steps`` holds ids. ``steered``: the run had a model,
    which may have raised targets (not rewards) of candidates with high estimates.
    """

    run: str
    task: str
    name: str
    steps: tuple[int, ...]
    steered: bool
    estimates: Floats
    targets: Floats
    rewards: Floats
    tails: Floats | None
    reached: Floats
    open: NDArray[np.bool_]
    explored: int
    cost: Cost = FREE


def objective_of(model: RewardToGo) -> Objective:
    """A model's ``objective``, that of its ``saved`` form, or the default.

    Models need have neither; the default is the best reward, without a discount, in default bins.
    """
    for one in (model, getattr(model, "saved", None)):
        objective = getattr(one, "objective", None)
        if isinstance(objective, Objective):
            return objective
    return Objective()


def judge(model: RewardToGo, decision: Decision, objective: Objective) -> Judgement:
    """Ask a model for estimates of the executed candidates, under its ``objective``.

    Raises :class:`RewardToGoError` for estimates that are no numbers or too few, and the model's
    errors.
    """
    candidates = decision.judged
    path = objective.seen(decision.observation).path
    observation = replace(decision.observation, trajectory=path)  # as a search shows it
    values = model.predict(observation, [one.program for one in candidates])
    if len(values) != len(candidates):
        raise RewardToGoError(f"{len(values)} estimates for {len(candidates)} programs")
    if not all(np.isfinite(value.expected) for value in values):
        raise RewardToGoError("an estimate is not a finite number")
    for value in values:
        if value.distribution and len(value.distribution) != len(objective.bins):
            raise InputError(
                f"a distribution over {len(value.distribution)} bins, where {len(objective.bins)} "
                "are known: give the bins that the model was trained with"
            )
    return _judgement(decision, candidates, values, objective, calibrated=True)


def recorded(
    decision: Decision, objective: Objective | None = None, *, drawn: bool = False
) -> Judgement | None:
    """The estimates of the run's own model at the decision; None without a model.

    ``objective`` is the model's. If unknown, targets are best rewards under the run's discount, and
    probabilities, of unknown bins, are left out; so are those over another number of bins.
    ``drawn`` leaves only candidates run whatever the estimate: a sample without bias.
    """
    known = [
        (one, one.estimate)
        for one in decision.judged
        if one.estimate is not None and (one.explored or not drawn)
    ]
    if not known:
        return None
    candidates, values = zip(*known, strict=True)
    calibrated = objective is not None
    objective = objective or Objective(gamma=decision.observation.path.gamma)
    return _judgement(decision, candidates, values, objective, calibrated=calibrated)


def _judgement(
    decision: Decision,
    candidates: Sequence[Candidate],
    values: Sequence[Value],
    objective: Objective,
    *,
    calibrated: bool,
) -> Judgement:
    path = objective.seen(decision.observation).path
    futures = [objective.targets(path.u, one.futures) for one in candidates]
    edges = np.array(objective.bins.edges[1:])
    steps = [one.step for one in candidates if one.step]
    return Judgement(
        run=decision.run,
        task=decision.task,
        name=decision.observation.task.name,
        steps=tuple(step.id for step in steps),
        steered=decision.steered,
        estimates=np.array([value.expected for value in values]),
        targets=np.array([np.mean(targets) for targets in futures]),
        rewards=np.array([step.reward for step in steps]),
        tails=_tails(values, len(objective.bins)) if calibrated else None,
        reached=np.array([(np.array(t)[:, None] >= edges).mean(axis=0) for t in futures]),
        open=edges > (path.u if objective.returns == "max" else 0.0),
        explored=sum(one.explored for one in candidates),
        cost=sum((value.cost for value in values), FREE),
    )


def _tails(values: Sequence[Value], bins: int) -> Floats | None:
    """The probabilities of reaching each edge above 0; None if any are over other bins."""
    distributions = [value.distribution for value in values]
    if not all(len(one) == bins for one in distributions):
        return None
    upwards = np.cumsum(np.array(distributions)[:, ::-1], axis=1)[:, ::-1]
    tails: Floats = np.minimum(upwards[:, 2:], 1.0)
    return tails


class Resampling:
    """Weights of runs, as they are and in each resample of a :class:`Bootstrap`.

    Every task weighs the same, and so does every run of a task. ``tasks`` names each run's.
    """

    def __init__(self, tasks: Sequence[str]) -> None:
        plain, drawn = Bootstrap(tasks).weights()
        self.weights: Floats = np.vstack([plain, drawn])
        self._task = np.unique(np.array(tasks), return_inverse=True)[1]

    def means(self, values: Floats) -> Floats:
        """The mean over tasks of the means of their runs, as it is and then in each resample.

        ``values`` has an item or a row for each run. Infinite and undefined values are left out,
        and tasks without others; not a number if nothing is left.
        """
        known = np.all(np.isfinite(values.reshape(len(values), -1)), axis=1)
        weights = self.among(known)
        total = weights.sum(axis=1).reshape(-1, *[1] * (values.ndim - 1))
        over = weights[:, known] @ values[known]
        found: Floats = np.divide(over, total, out=np.full_like(over, np.nan), where=total > 0)
        return found

    def among(self, known: NDArray[np.bool_]) -> Floats:
        """Weights where only some runs are known: a task's known runs share its weight."""
        left = np.bincount(self._task, known)[self._task]
        spread = np.where(known, np.bincount(self._task)[self._task] / np.maximum(left, 1), 0.0)
        weights: Floats = self.weights * spread
        return weights


def share(above: Floats, below: Floats, otherwise: float = np.nan) -> Floats:
    """The ratios of two arrays of sums; ``otherwise`` for a denominator of 0."""
    found: Floats = np.divide(above, below, out=np.full(len(below), otherwise), where=below > 0)
    return found


def estimate(values: Floats) -> Estimate | None:
    """The first value, with the percentile interval of the others; None where it is no number.

    Resamples in which the figure is not defined are left out.
    """
    value, drawn = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not np.isfinite(value):
        return None
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(drawn, (tail, 100 - tail)) if len(drawn) else (value, value)
    return Estimate(value, float(min(low, value)), float(max(high, value)))
