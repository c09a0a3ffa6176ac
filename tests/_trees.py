"""Search trees made step by step, without a search."""

from collections.abc import Iterable
from typing import Any

from maxcode.evaluation import Status
from maxcode.program import Program
from maxcode.testing import sample_evaluation, toy_task
from maxcode.tree import ROOT, Expansion, SearchTree, Step


def add(tree: SearchTree, parent: int, reward: float, **given: Any) -> None:
    """One more step, by an expansion of its own; its program is its number, 0 is a failure."""
    number, step_id = tree.ask(Expansion(parent)), len(tree)
    verdict = sample_evaluation(Status.OK if reward else Status.TIMEOUT, reward)
    step = {"program": Program.of(f"{step_id}"), "evaluation": verdict, **given}
    tree.add(Step(step_id, parent, expansion=number, **step))
    tree.close(number)


def grown(
    steps: Iterable[tuple[int, float]], gamma: float = 1.0, kind: type[SearchTree] = SearchTree
) -> SearchTree:
    """A tree of steps given by parent and reward."""
    tree = kind(Step(ROOT, None, toy_task().baseline, sample_evaluation(Status.OK)), gamma)
    for parent, reward in steps:
        add(tree, parent, reward)
    return tree
