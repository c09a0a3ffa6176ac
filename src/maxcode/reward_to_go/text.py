"""Texts from which a language model estimates the reward-to-go of a candidate.

A system prompt, :func:`instructions`, and a message of the user in three pieces: the state, which
all candidates there share, the candidate, and :data:`QUESTION`. The first two end with a single
line end and their successors begin with none, so tokenizers split the message where its pieces
meet: the tokens of the pieces are those of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from maxcode.evaluation import Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.draft import difference
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.tree import Step

QUESTION = "Which bin? Answer with its label alone."
"""The question after the candidate."""

_STATEMENT, _PROGRAM, _CHANGE, _FEEDBACK = 4000, 12_000, 4000, 300  # characters
_FIRST, _LAST = 2, 6  # steps of a long trajectory that are shown
_AIMS = {
    "max": "the highest speedup that will be reached through it, its own and those before it "
    "included",
    "sum": "the discounted sum of the speedups that will be reached through it, its own included",
}


def spans(bins: Bins) -> list[str]:
    """Each bin in words."""
    middle = [f"from {low:g} to below {high:g}" for low, high in pairwise(bins.edges)]
    return ["no correct program", *middle, f"{bins.edges[-1]:g} or more"]


def instructions(objective: Objective) -> str:
    """The system prompt: the quantity to estimate, and the label of each bin."""
    pairs = zip(objective.bins.labels, spans(objective.bins), strict=True)
    listed = "\n".join(f"{label}: {span}" for label, span in pairs)
    return (
        "A search rewrites a program step by step to make it faster. You are shown the task, the "
        "steps so far with their verdicts, and a candidate for the next step. Estimate "
        f"{_AIMS[objective.returns]}, as a ratio to the baseline. "
        f"The bins and their labels:\n{listed}"
    )


def state_text(observation: Observation) -> str:
    """The task, its baseline, and the path to the candidate's parent.

    At most about 60,000 characters: the middles of a long path, of long programs and of long
    differences are left out, with a note of their length.
    """
    task, path = observation.task, observation.path
    language = f" ({task.language})" if task.language else ""
    best = f"Best speedup so far: {path.best.reward:.3f}"
    if path.gamma != 1:
        best += f" (discounted by {path.gamma} a step: {path.u:.3f})"
    parts = [
        f"# Task {task.name}{language}",
        _cut(task.statement.strip(), _STATEMENT),
        "# Baseline",
        _fenced(_files(task.baseline, list(task.baseline.files)), _PROGRAM),
        "# Steps",
        *_steps(task.baseline, path.steps),
        best,
    ]
    return "\n\n".join(parts) + "\n"


def candidate_text(observation: Observation, program: Program) -> str:
    """The candidate as its difference to ``observation.step``, or whole if shorter.

    At most about 12,000 characters, without the middle of a longer text.
    """
    return f"# Candidate\n\n{_change(observation.step.program, program, _PROGRAM)}\n"


def _steps(baseline: Program, steps: Sequence[Step]) -> list[str]:
    """A part for each step, numbered from 1; the path may lack its beginning."""
    before = [baseline, *(step.program for step in steps)]
    changes = [pair for pair in zip(before, steps, strict=False) if pair[1].parent is not None]
    parts = [_step(number, *change) for number, change in enumerate(changes, 1)]
    if (missing := len(parts) - _FIRST - _LAST) > 0:
        parts[_FIRST:-_LAST] = [f"({missing} steps left out)"]
    return parts or ["(none yet)"]


def _step(number: int, before: Program, step: Step) -> str:
    """The change of a step, and its outcome."""
    verdict = str(step.evaluation.status)
    if step.evaluation.ok:
        verdict = f"ok, speedup {step.reward:.3f}"
    elif feedback := step.evaluation.feedback.strip():
        verdict += f"\n{_cut(feedback, _FEEDBACK)}"
    heading = f"## Step {number}: {verdict}"
    if step.evaluation.status is Status.INVALID:
        return heading
    return f"{heading}\n{_change(before, step.program, _CHANGE)}"


def _change(before: Program, after: Program, most: int) -> str:
    changed = before.changed(after)
    if not changed:
        return "(no change)"
    return _fenced(difference(before, after) or _files(after, changed), most)


def _files(program: Program, paths: Sequence[str]) -> str:
    """The text of files; those of a program of several with their names."""
    if len(program.files) == 1 and paths == list(program.files):
        return program.code
    removed = "(removed)\n"
    return "\n".join(f"### {path}\n{program.files.get(path, removed)}" for path in paths)


def _fenced(text: str, most: int) -> str:
    return f"```\n{_cut(text.rstrip(), most)}\n```"


def _cut(text: str, most: int) -> str:
    """The text, without its middle where it is longer than ``most`` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
