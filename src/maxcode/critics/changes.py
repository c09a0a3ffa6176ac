"""What a step changed in the program that it grew from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from maxcode.critics.code import shortened
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.tree import Step

_LARGEST = 4000  # lines of a file that are compared
_MOST = 3  # places that are named


@dataclass(frozen=True, slots=True)
class Change:
    """Lines ``first`` to ``last`` of a file as it is now, or those before ``first`` removed."""

    path: str
    first: int
    last: int
    code: str

    def __str__(self) -> str:
        lines = (
            f"line {self.first}"
            if self.last <= self.first
            else f"lines {self.first} to {self.last}"
        )
        code = f" `{shortened(self.code, 50)}`" if self.code else " (removed)"
        return f"{self.path} {lines}{code}"


def parent_of(observation: Observation, step: Step) -> Step | None:
    """The step that this one grew from, if it is shown."""
    return next((shown for shown in observation.shown if shown.id == step.parent), None)


def changes(before: Program, after: Program) -> list[Change]:
    """The places in which two programs differ, the largest first."""
    found = [c for path in before.changed(after) for c in _changes(path, before, after)]
    return sorted(found, key=lambda c: (c.first - c.last, c.path, c.first))


def _changes(path: str, before: Program, after: Program) -> Iterator[Change]:
    old, new = (p.files.get(path, "").split("\n") for p in (before, after))
    if len(old) + len(new) > 2 * _LARGEST:
        yield Change(path, 1, len(new), "")
        return
    for kind, _, _, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            told = next((line for line in new[start:end] if any(map(str.isalnum, line))), "")
            yield Change(path, start + 1, max(end, start + 1), told.strip())


def changed_lines(observation: Observation, step: Step) -> dict[str, set[int]]:
    """The numbers of the lines that the step changed, by file."""
    parent = parent_of(observation, step)
    lines: dict[str, set[int]] = {}
    for change in changes(parent.program, step.program) if parent else ():
        lines.setdefault(change.path, set()).update(range(change.first, change.last + 1))
    return lines


def described(observation: Observation, step: Step) -> str:
    """A sentence about what the step changed; nothing if its parent is not shown."""
    parent = parent_of(observation, step)
    if parent is None:
        return ""
    found = changes(parent.program, step.program)
    new = [tag for tag in step.tags if tag not in parent.tags]
    by = f" by {', '.join(new)}" if new else ""
    if not found:
        return "It changed nothing in the program that it grew from."
    places = "; ".join(map(str, found[:_MOST]))
    others = f"; and {len(found) - _MOST} more places" if len(found) > _MOST else ""
    origin = "the baseline" if parent.parent is None else f"step {parent.id}"
    return f"Against {origin}, from which it grew, it changed{by}: {places}{others}."
