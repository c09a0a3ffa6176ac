"""Facts about code read without parsing, and the changes of a step.

A missed fact costs a hint, no more.
"""

from __future__ import annotations

import re

from maxcode.observation import Observation
from maxcode.search.changes import Hunk, hunks
from maxcode.text import cut
from maxcode.tree import Step

_SEARCHED = re.compile(r"(?:\bnot|\b(?:if|elif|while|and|or)\b[^:\[\]]*?)\s+in\s+([\w.]+)")
_LIST = re.compile(r"\[|(?:list|sorted)\(|.*\.split\(")
_MAX_PLACES = 3  # places that are named


def line_of(code: str, number: int) -> str:
    """The line, counted from 1, without white space around it; "" for a missing line."""
    lines = code.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def searched_list(code: str, number: int) -> str:
    """The list that `in` searches on a line of Python."""
    found = _SEARCHED.search(line_of(code, number))
    if found is None:
        return ""
    assigned = rf"^[ \t]*{re.escape(found[1])}(?:[ \t]*:[^=\n]*)?[ \t]*=(?!=)[ \t]*(.*)"
    values = re.findall(assigned, code, re.MULTILINE)
    return f"`{found[1]}` is a list" if values and all(map(_LIST.match, values)) else ""


def parent_of(observation: Observation, step: Step) -> Step | None:
    """The parent of a step, if it is shown."""
    return next((shown for shown in observation.shown if shown.id == step.parent), None)


def changed_lines(observation: Observation, step: Step) -> set[tuple[str, int]]:
    """Files and numbers of the lines changed by the step; none if its parent is not shown."""
    parent = parent_of(observation, step)
    found = hunks(parent.program, step.program) if parent else []
    return {(one.path, one.now + n) for one in found for n in range(1, len(one.lines) + 1)}


def described(observation: Observation, step: Step) -> str:
    """A sentence about the step's changes; empty if its parent is not shown."""
    parent = parent_of(observation, step)
    if parent is None:
        return ""
    found = sorted(hunks(parent.program, step.program), key=lambda hunk: -len(hunk.lines))
    if not found:
        return "It changed nothing in the program that it grew from."
    new = [tag for tag in step.tags if tag not in parent.tags and ":" not in tag]
    by = f" by {', '.join(new)}" if new else ""
    places = "; ".join(map(_place, found[:_MAX_PLACES]))
    others = f"; and {len(found) - _MAX_PLACES} more places" if len(found) > _MAX_PLACES else ""
    origin = "the baseline" if parent.parent is None else f"step {parent.id}"
    return f"Against {origin}, from which it grew, it changed{by}: {places}{others}."


def _place(hunk: Hunk) -> str:
    """Lines of a hunk in the program as it is now, and the first of them."""
    first, count = hunk.now + 1, len(hunk.lines)
    lines = f"lines {first} to {hunk.now + count}" if count > 1 else f"line {first}"
    shown = next((line for line in hunk.lines if any(map(str.isalnum, line))), "").strip()
    return f"{hunk.path} {lines}" + (f" `{cut(shown, 50)}`" if count else " (removed)")
