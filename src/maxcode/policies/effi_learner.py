"""EffiLearner: self-optimisation from overhead profiles, the search of Effi-Learner (SOAP)."""

from __future__ import annotations

from random import Random
from typing import Literal

from maxcode.errors import PolicyError
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.policies.rounds import check_choice, check_counts, latest_round
from maxcode.tree import ROOT, Expansion, SearchTree, Step

Metric = Literal["time", "peak_memory", "memory_integral"]


class EffiLearner(SearchPolicy):
    """Effi-Learner, first named SOAP (arXiv 2405.15189).

    A candidate a step, of the incumbent, which is shown with its profile. The candidate takes its
    place if it is correct and strictly better on ``metric``; otherwise the incumbent stays, and a
    failed candidate is shown beside it with its errors. ``metric`` is "time" (the task's meter; the
    default here), "peak_memory" or "memory_integral" (the original's). The last two need an
    executor with such meters. ``steps=None`` goes on until the budget ends. The result is the best
    program by speed if the metric is time, else the incumbent, which may be slower.
    """

    observe = Observe.nothing()

    def __init__(self, steps: int | None = 5, metric: Metric = "time") -> None:
        check_counts("effi-learner", steps=steps)
        check_choice("effi-learner", "metric", metric, Metric)
        self.steps = steps
        self.metric = metric

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        """A candidate of the incumbent, once the candidate before is judged.

        Raises :class:`~maxcode.errors.PolicyError` when the metric was not measured.
        """
        if tree.pending or (self.steps is not None and tree.expansions >= self.steps):
            return []
        failed = [step.id for step in latest_round(tree)[-1:] if not step.evaluation.ok]
        return [Expansion(self._incumbent(tree).id, exemplars=tuple(failed), profile=True)]

    def returned(self, tree: SearchTree) -> int:
        """The best step, or with a metric other than time the last incumbent."""
        return tree.best.id if self.metric == "time" else self._incumbent(tree).id

    def _incumbent(self, tree: SearchTree) -> Step:
        """The latest candidate if it was accepted, else its parent."""
        tried = latest_round(tree)
        if not tried:
            return tree.root
        candidate, incumbent = tried[-1], tree[tried[-1].parent or ROOT]
        return candidate if self._better(candidate, incumbent) else incumbent

    def _better(self, candidate: Step, incumbent: Step) -> bool:
        if not candidate.evaluation.ok:
            return False
        if self.metric == "time":
            return candidate.reward > incumbent.reward
        return self._measured(candidate) < self._measured(incumbent)

    def _measured(self, step: Step) -> float:
        for measurement in step.evaluation.measurements:
            if measurement.meter == self.metric:
                return measurement.median
        raise PolicyError(
            f"effi-learner: {self.metric} of step {step.id} was not measured; take metric=time, or "
            "an executor and a meter that measure it"
        )
