"""Rounds of a search tree, their best and worst steps, and keys to rank them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.tree import ROOT, Expansion, SearchTree, Step

By = Literal["reward", "reward-to-go"]
"""Steps are ranked by their own rewards, or by a reward-to-go model's estimates."""


def check_counts(policy: str, **counts: int | None) -> None:
    """Raise :class:`~maxcode.errors.InputError` for a number below 1; None is unlimited."""
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"{policy}: {name} must be at least 1, not {count}")


def check_choice(policy: str, name: str, value: str, known: object) -> None:
    """Raise :class:`~maxcode.errors.InputError` for a value that is none of the literals."""
    if value not in get_args(known):
        raise InputError(f"{policy}: {name} is {' or '.join(get_args(known))}, not {value!r}")


def next_round(tree: SearchTree, children: int) -> Expansion:
    """The growth of the latest round: from its fastest step, be it slower than the step before.

    After a round without a correct step its parent stays, and the candidate that came furthest is
    shown beside it.
    """
    tried = latest_round(tree)
    if not tried:
        return Expansion(ROOT, children)
    if best := fastest(tried):
        return Expansion(best.id, children)
    miss = nearest_miss(tried)
    return Expansion(tried[-1].parent or ROOT, children, exemplars=(miss.id,) if miss else ())


def latest_round(tree: SearchTree) -> list[Step]:
    """The steps of the last expansion with any, oldest first; empty before there is any."""
    return steps_since(tree, tree[len(tree) - 1].expansion) if len(tree) > 1 else []


def latest_whole_round(tree: SearchTree) -> list[Step]:
    """The latest round not cut short by the budget; else the latest."""
    for step_id in range(len(tree) - 1, ROOT, -1):
        number = tree[step_id].expansion
        if not tree.cut_short(number):
            return [step for step in steps_since(tree, number) if step.expansion == number]
    return latest_round(tree)


def steps_since(tree: SearchTree, number: int) -> list[Step]:
    """The steps made by the expansion of that number and by later ones, oldest first.

    Steps on which the harness failed are left out: they say nothing about a program. The tree must
    hold no steps of earlier expansions behind these, as with results committed in the order of
    requests.
    """
    found: list[Step] = []
    for step_id in range(len(tree) - 1, 0, -1):
        step = tree[step_id]
        if step.expansion < number:
            break
        found.append(step)
    return [s for s in reversed(found) if s.evaluation.status is not Status.INFRASTRUCTURE]


def fastest(steps: Iterable[Step]) -> Step | None:
    """The correct step with the highest reward, the earliest of equals; None without any."""
    correct = (step for step in steps if step.evaluation.ok)
    return max(correct, key=lambda step: step.reward, default=None)


def nearest_miss(steps: Iterable[Step]) -> Step | None:
    """The latest of the failed steps that came furthest: it ran, or else was built, or else
    read."""
    reached = {Status.INVALID: 0, Status.BUILD_ERROR: 1}
    failed = (step for step in steps if not step.evaluation.ok)
    return max(
        failed, key=lambda step: (reached.get(step.evaluation.status, 2), step.id), default=None
    )
