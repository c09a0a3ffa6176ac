"""Which attempts a prompt shows, in which order, and which of them it can do without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from maxcode.evaluation import Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.tree import ROOT, Step

_UNTOLD = 8000  # lines of a program beyond which no difference is looked for


def history(observation: Observation) -> list[Step]:
    """The path and the attempts beside it, each once, by their ids; no failure of the harness."""
    path = observation.trajectory.steps if observation.trajectory else ()
    steps = {step.id: step for step in (*path, *observation.attempts)}
    return [
        steps[step_id]
        for step_id in sorted(steps)
        if steps[step_id].evaluation.status is not Status.INFRASTRUCTURE
    ]


def held(step: Step, steps: Iterable[Step]) -> int:
    """The id of the step that a step's program is from: its own unless its answer held none."""
    known = {one.id: one for one in steps}
    while step.evaluation.status is Status.INVALID and step.parent in known:
        step = known[step.parent]
    invalid = step.evaluation.status is Status.INVALID
    return (step.parent or ROOT) if invalid else step.id


def difference(before: Program, after: Program) -> str:
    """The diff from one to the other, or nothing where the changed files are shorter."""
    changed = [after.files.get(path, "") for path in before.changed(after)]
    if sum(text.count("\n") for text in changed) > _UNTOLD:
        return ""
    found = before.diff(after)
    return found if len(found) < sum(map(len, changed)) else ""


def expendable(steps: Sequence[Step], path: Iterable[int]) -> list[int]:
    """Ids of the steps, those first that are missed least.

    What tells nothing new is missed least: duplicates, answers without a program, failures that a
    later attempt repeats. Then come failures without a critique, failures with one, and correct
    programs, the slow ones first; of equals the oldest. Steps of the ``path`` come last of all.
    """
    last = {_words(step): step.id for step in steps}  # of those that failed alike
    path = set(path)

    def worth(step: Step) -> tuple[bool, int, float, int]:
        if step.duplicate_of is not None or step.evaluation.status is Status.INVALID:
            rank = 0
        elif step.evaluation.ok:
            rank = 4
        elif last[_words(step)] != step.id:
            rank = 1
        else:
            rank = 3 if step.critique else 2
        return (step.id in path, rank, step.reward, step.id)

    return [step.id for step in sorted(steps, key=worth)]


def _words(step: Step) -> tuple[Status, str]:
    """How a step ended, with the first line of what was said about it."""
    return step.evaluation.status, step.evaluation.feedback.partition("\n")[0]
