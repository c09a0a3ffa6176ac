"""Decisions as a model estimated them, beside how they turned out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxcode.comparing.statistics import Floats
from maxcode.cost import FREE, Cost
from maxcode.errors import InputError, RewardToGoError
from maxcode.interfaces import RewardToGo
from maxcode.reward_to_go.bins import Bins
from maxcode.reward_to_go.decisions import Candidate, Decision
from maxcode.reward_to_go.rows import Objective
from maxcode.reward_to_go.saved import Saved
from maxcode.tree import Value


@dataclass(frozen=True, eq=False)
class Judgement:
    """A decision: the candidates that were run (n), and what a model said of them.

    ``targets`` are the means over a candidate's futures. With a distribution, ``tails`` (n x edges)
    gives the probability that the target reaches each edge above 0, and ``reached`` the share of
    futures in which it did; ``open`` marks edges that were not reached before. ``steps`` holds the
    ids of the candidates' steps, ``winning`` those on the way to the run's best. ``steered`` tells
    that the run had a model: what it liked may have been followed further than others, which makes
    targets higher but not rewards.
    """

    run: str
    task: str
    name: str
    steps: tuple[int, ...]
    winning: tuple[int, ...]
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
    """What a model estimates: its ``objective``, that of what it was ``saved`` as, or the default.

    Models need have neither; the default is the best reward, without a discount, in default bins.
    """
    objective, saved = (getattr(model, name, None) for name in ("objective", "saved"))
    if isinstance(objective, Objective):
        return objective
    if isinstance(saved, Saved):
        return saved.objective
    return Objective()


def judge(model: RewardToGo, decision: Decision, objective: Objective) -> Judgement:
    """Ask a model of the candidates that were run; ``objective`` is what it estimates.

    Raises :class:`RewardToGoError` for estimates that are no numbers or too few, and what the model
    raises.
    """
    candidates = decision.judged
    observation = objective.seen(decision.observation)
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
    """What the run's own model said when it decided; None where it had none.

    ``objective`` is what that model estimates. Where it is not known, targets are best rewards
    under the run's discount, and probabilities, of bins that are not known, are left out; so are
    those over another number of bins. With ``drawn`` only of candidates that were run whatever it
    said: a sample without bias.
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
    futures = [[objective.target(path.u, future) for future in one.futures] for one in candidates]
    edges = np.array(objective.bins.edges[1:])
    steps = [one.step for one in candidates if one.step]
    return Judgement(
        run=decision.run,
        task=decision.task,
        name=decision.observation.task.name,
        steps=tuple(step.id for step in steps),
        winning=decision.winning,
        steered=decision.steered,
        estimates=np.array([value.expected for value in values]),
        targets=np.array([np.mean(targets) for targets in futures]),
        rewards=np.array([step.reward for step in steps]),
        tails=_tails([value.distribution for value in values], objective.bins)
        if calibrated
        else None,
        reached=np.array([(np.array(t)[:, None] >= edges).mean(axis=0) for t in futures]),
        open=edges > (path.u if objective.returns == "max" else 0.0),
        explored=sum(one.explored for one in candidates),
        cost=sum((value.cost for value in values), FREE),
    )


def _tails(distributions: Sequence[tuple[float, ...]], bins: Bins) -> Floats | None:
    """The probabilities of reaching each edge above 0; None where one is not over these bins."""
    if not all(len(one) == len(bins) for one in distributions):
        return None
    upwards = np.cumsum(np.array(distributions)[:, ::-1], axis=1)[:, ::-1]
    tails: Floats = np.minimum(upwards[:, 2:], 1.0)
    return tails
