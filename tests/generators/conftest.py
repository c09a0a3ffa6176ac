"""Observations of searches that went a given way."""

from collections.abc import Callable

import pytest

from maxcode.evaluation import Interval, Status
from maxcode.observation import Observation, Observe, observe
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import sample_evaluation
from maxcode.tree import ROOT, Expansion, SearchTree, Step

Attempt = tuple[int, str, float | Status, Program]
"""The parent's number, the tags with blanks between, how it ended, and the program."""


def _tree(task: Task, attempts: tuple[Attempt, ...]) -> SearchTree:
    tree = SearchTree(Step(ROOT, None, task.baseline, sample_evaluation(Status.OK)))
    for parent, tags, verdict, program in attempts:
        number = tree.ask(Expansion(parent))
        evaluation = (
            sample_evaluation(verdict)
            if isinstance(verdict, Status)
            else sample_evaluation(Status.OK, verdict)
        )
        labels = tuple(tags.split())
        tree.add(Step(len(tree), parent, program, evaluation, number, tags=labels))
        tree.close(number)
        if evaluation.reward > tree.best.reward:
            ratio = evaluation.reward / tree.best.reward
            tree.promote(len(tree) - 1, Interval(ratio, ratio, ratio))
    return tree


@pytest.fixture
def observed() -> Callable[..., Observation]:
    """Makes what is shown of a task after attempts, for a step (by default the best)."""

    def make(
        task: Task,
        *attempts: Attempt,
        step: int | None = None,
        switches: Observe | None = None,
        seed: int = 0,
    ) -> Observation:
        tree = _tree(task, attempts)
        number = tree.ask(Expansion(tree.best.id if step is None else step))
        return observe(tree, task, number, seed, switches or Observe(), attempts=32)

    return make
