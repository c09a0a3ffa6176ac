"""Earlier suggestions of critiques, with the outcome of changes at the places they name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from maxcode.program import Program
from maxcode.search.changes import hunks
from maxcode.tree import Step

_OF_A_STEP = 3  # suggestions that nobody followed
_SHOWN = 6
_OUTCOMES = 2
_GAIN = 1.02
_LINES = re.compile(r"\blines? ((?:\d+(?:\s*(?:,|-|\u2013|and|to)\s*)?)+)", re.IGNORECASE)
_RANGE = re.compile(r"(\d+)(?:\s*(?:-|\u2013|to)\s*(\d+))?")
_NAME = re.compile(r"`([^`\n]{2,})`|\b(\w+(?:::\w+)+|[a-z]\w*_\w+|[a-z]+[A-Z]\w*)\b|\b(\w+)\(")


@dataclass(frozen=True, slots=True)
class Advice:
    """A suggestion of the critique of step ``about``, and its outcome.

    ``outcome`` is empty where no attempt has changed the place it names.
    """

    about: int
    text: str
    outcome: str = ""


def advice_taken(steps: Iterable[Step], quoted: Collection[int] = ()) -> tuple[Advice, ...]:
    """Suggestions among the steps: followed ones first, then those of the latest steps.

    Those of a step keep the critic's order. A child has followed a suggestion if it changed a line
    that the suggestion names by number, or by a name in it. Critiques of the ``quoted`` steps are
    shown elsewhere, so only their followed suggestions are given.
    """
    known = list(steps)
    followed: list[Advice] = []
    others: list[Advice] = []
    for step in reversed(known):
        if step.critique is None or step.duplicate_of is not None:
            continue
        children = [one for one in known if one.parent == step.id and one.program != step.program]
        given = [
            Advice(step.id, text, _outcomes(step, text, children))
            for text in step.critique.suggestions or (step.critique.text,)
        ]
        followed += [one for one in given if one.outcome]
        if step.id not in quoted:
            others += [one for one in given if not one.outcome][:_OF_A_STEP]
    distinct = {one.text: one for one in (*others[::-1], *followed[::-1])}
    return tuple(one for one in (*followed, *others) if distinct[one.text] == one)[:_SHOWN]


def _outcomes(step: Step, text: str, children: Iterable[Step]) -> str:
    found = [one for one in children if _follows(text, step.program, one.program)]
    return "; ".join(_outcome(step, one) for one in found[-_OUTCOMES:])


def _follows(text: str, before: Program, after: Program) -> bool:
    """Whether a change touches a place that a suggestion names."""
    numbers, names = set(_numbers(text)), _names(text)
    if not (numbers or names):
        return False
    for hunk in hunks(before, after):
        old = before.files.get(hunk.path, "").split("\n")[hunk.start : hunk.end]
        if numbers & {*range(hunk.start + 1, max(hunk.end, hunk.start + 1) + 1)}:
            return True
        if names and names.search("\n".join(old)):
            return True
    return False


def _numbers(text: str) -> Iterator[int]:
    for listed in _LINES.findall(text):
        for first, last in _RANGE.findall(listed):
            yield from range(int(first), min(int(last or first), int(first) + 1000) + 1)


def _names(text: str) -> re.Pattern[str] | None:
    """A pattern of the names in a suggestion that are no plain words."""
    found = {name for groups in _NAME.findall(text) for name in groups if name}
    parts = "|".join(re.escape(one) for one in sorted(found, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)") if found else None


def _outcome(before: Step, after: Step) -> str:
    changed = f"{after.id} changed this place and"
    if not (after.evaluation.ok and after.speedup):
        return f"attempt {changed} failed"
    now = f"{after.speedup.value:.2f}x"
    if not (before.evaluation.ok and before.speedup):
        return f"attempt {changed} passed, at {now}"
    gained = "gained" if after.speedup.value > _GAIN * before.speedup.value else "did not gain"
    return f"attempt {changed} {gained}, {before.speedup.value:.2f}x to {now}"
