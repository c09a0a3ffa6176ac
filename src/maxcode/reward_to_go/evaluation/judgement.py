"""Decisions as a model estimated them, beside their outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maxcode.budget import FREE, Cost
from maxcode.errors import RewardToGoError
from maxcode.interfaces import RewardToGo
from maxcode.measure.statistics import Floats
from maxcode.reward_to_go.decisions import Candidate, Decision
from maxcode.reward_to_go.objective import Objective
from maxcode.tree import Value


@dataclass(frozen=True, eq=False)
class Judgement:
    """A decision: the executed candidates, and a model's estimates of them.

    ``targets`` are means over a candidate's futures. ``steered``: the run had a model, which may
    have raised targets (not rewards) of candidates with high estimates. ``explored`` candidates
    were run whatever the estimate.
    """

    run: str
    task: str
    name: str
    steered: bool
    estimates: Floats
    targets: Floats
    rewards: Floats
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
    return _judgement(decision, candidates, values, objective)


def recorded(decision: Decision, *, drawn: bool = False) -> Judgement | None:
    """The estimates of the run's own model at the decision; None without a model.

    Targets are best rewards under the run's discount. ``drawn`` leaves only candidates run whatever
    the estimate: a sample without bias.
    """
    known = [
        (one, one.estimate)
        for one in decision.judged
        if one.estimate is not None and (one.explored or not drawn)
    ]
    if not known:
        return None
    candidates, values = zip(*known, strict=True)
    return _judgement(
        decision, candidates, values, Objective(gamma=decision.observation.path.gamma)
    )


def _judgement(
    decision: Decision,
    candidates: Sequence[Candidate],
    values: Sequence[Value],
    objective: Objective,
) -> Judgement:
    u = objective.seen(decision.observation).path.u
    return Judgement(
        run=decision.run,
        task=decision.task,
        name=decision.observation.task.name,
        steered=decision.steered,
        estimates=np.array([value.expected for value in values]),
        targets=np.array([np.mean(objective.targets(u, one.futures)) for one in candidates]),
        rewards=np.array([one.step.reward for one in candidates if one.step]),
        explored=sum(one.explored for one in candidates),
        cost=sum((value.cost for value in values), FREE),
    )
