"""Rows: what a reward-to-go model learns from, one for each future of each candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from maxcode.errors import InputError
from maxcode.observation import Observation
from maxcode.returns import discounted_sums, enforce_value, value_target
from maxcode.reward_to_go.bins import Bins
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.features import features
from maxcode.reward_to_go.text import candidate_text, state_text

Returns = Literal["max", "sum"]
"""What is learned: ``max(u, max_k gamma^k r_k)``, or the discounted sum for comparison."""


@dataclass(frozen=True)
class Objective:
    """What targets are, and into which bins they fall. Raises :class:`InputError`."""

    bins: Bins = field(default_factory=Bins)
    returns: Returns = "max"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        if self.returns not in get_args(Returns):
            known = ", ".join(get_args(Returns))
            raise InputError(f"unknown returns {self.returns!r}; known: {known}")
        if not 0 < self.gamma <= 1:
            raise InputError(f"gamma must lie in (0, 1], not {self.gamma}")

    def target(self, u: float, rewards: Sequence[float]) -> float:
        """What is learned of a candidate with these rewards from its own on, in a state with u."""
        if self.returns == "sum":
            return discounted_sums(rewards, self.gamma)[0]
        return value_target(u, rewards, self.gamma)

    def worth(self, distribution: Sequence[float], u: float) -> float:
        """The estimate that probabilities of the bins make in a state with u; at least u.

        Of sums it is u and the expected sum: so all estimates are at least u, and candidates of a
        state are ordered by their sums.
        """
        if self.returns == "sum":
            return u + self.bins.expectation(distribution)
        return self.bins.expectation(distribution, u)

    def raised(self, target: float, u: float) -> float:
        """The estimate that an expected target makes in a state with u; at least u."""
        return u + max(target, 0.0) if self.returns == "sum" else enforce_value(target, u)

    def seen(self, observation: Observation) -> Observation:
        """The observation with u as it is under this objective's discount, whatever the run's."""
        return replace(observation, trajectory=replace(observation.path, gamma=self.gamma))


class Row(BaseModel):
    """A candidate in a state, and one thing that became of it.

    ``prompt`` tells the task and the trajectory, ``candidate`` the candidate, as a language model
    reads them; ``features`` are those that are not 0, for other models. ``u`` is the state's,
    ``reward`` the candidate's own, ``target`` what is learned, ``bin`` where that falls. A
    candidate has a row for each target among its futures, the paths through it, and ``weight`` is
    the share of them that have it: the mean of its rows is an estimate of
    ``V(s, u) = E[max(u, G)]``. ``explored`` tells that it was run whatever a model said of it.
    ``step`` counts within the run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    task_digest: str
    run: str
    expansion: int
    step: int
    prompt: str
    candidate: str
    features: dict[str, float]
    u: float
    reward: float
    target: float
    bin: int
    weight: float
    explored: bool


def rows(decision: Decision, objective: Objective) -> Iterator[Row]:
    """The rows of the candidates that were run, in order; rising targets for each of them."""
    observation = objective.seen(decision.observation)
    prompt, u = state_text(observation), observation.path.u
    for candidate in decision.judged:
        if candidate.step is None:
            continue
        targets = Counter(objective.target(u, future) for future in candidate.futures)
        text = candidate_text(observation, candidate.program)
        measured = features(observation, candidate.program)
        measured = {name: value for name, value in measured.items() if value}
        for target, count in sorted(targets.items()):
            yield Row(
                task=observation.task.name,
                task_digest=decision.task,
                run=decision.run,
                expansion=observation.number,
                step=candidate.step.id,
                prompt=prompt,
                candidate=text,
                features=measured,
                u=u,
                reward=candidate.step.reward,
                target=target,
                bin=objective.bins.index(target),
                weight=count / targets.total(),
                explored=candidate.explored,
            )


def expected_target(rows: Sequence[Row]) -> float:
    """``V(s, u)`` of a candidate: the mean of its rows' targets by their weights."""
    return fsum(row.weight * row.target for row in rows) / fsum(row.weight for row in rows)
