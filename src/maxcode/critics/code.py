"""Facts about code read without parsing, and the changes of a step.

A missed fact costs a hint, no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from maxcode.lang.outline import loops_around
from maxcode.lang.syntax import bare as emptied
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.text import cut
from maxcode.tree import Step

CONTAINER = r"\b(?:vector|string|map|set|list|deque|array|queue|stack|bitset|multimap|multiset)\b"
_DEFINITION = re.compile(r"\b(\w+)\s*\(([^(){};]{0,500})\)\s*(?:const\s*)?(?:noexcept\s*)?\{")
_ALIAS = re.compile(
    rf"\btypedef\b[^;]{{0,300}}{CONTAINER}[^;]{{0,300}}?(\w+)\s*;"
    rf"|\busing\s+(\w+)\s*=[^;]{{0,300}}{CONTAINER}"
)
_COUNTER = re.compile(r"\bfor\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*(?:=|\{)")
_TWO_INDICES = re.compile(r"\b(\w+)\s*\[([^\[\]]+)\]\s*\[([^\[\]]+)\]")
_CALLED = re.compile(r"\b(\w+)\s*\(")


def bare(code: str) -> str:
    """C++ without comments, and with empty literals; every line stays where it is."""
    return emptied(code, "c++")


def line_of(code: str, number: int) -> str:
    """The line, counted from 1, without white space around it; "" for a missing line."""
    lines = code.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def by_value(code: str, line: str) -> str:
    """Which containers the line copies into a function's parameters or a loop's variable."""
    text = bare(code)
    heavy = _heavy(text)
    called = set(_CALLED.findall(line))
    copied = [
        f"{name} takes {_listed(kept)} by value"
        for name, parameters in _DEFINITION.findall(text)
        if name in called and (kept := list(_copied(parameters, heavy)))
    ]
    if re.search(r"\bfor\s*\(\s*(const\s+)?[\w:<>, ]+\s\w+\s*:[^:]", line):
        copied.append("the loop's variable is a copy of each element")
    return "; ".join(dict.fromkeys(copied))


def walks_down(code: str, number: int) -> str:
    """A table on that line whose first index, not its last, is the innermost loop's counter."""
    loops = loops_around("main.cpp", code, number)
    counter = _COUNTER.search(line_of(bare(code), loops[-1])) if len(loops) > 1 else None
    if counter is None:
        return ""
    inner = re.compile(rf"\b{counter[1]}\b")
    for found in _TWO_INDICES.finditer(line_of(bare(code), number)):
        if inner.search(found[2]) and not inner.search(found[3]):
            return f"`{found[0]}` jumps by a whole row each time round the innermost loop"
    return ""


def _heavy(text: str) -> re.Pattern[str]:
    """Types dear to copy: containers, and the program's own names for them."""
    aliases = [rf"\b{one or other}\b" for one, other in _ALIAS.findall(text)]
    return re.compile("|".join([CONTAINER, *aliases]))


def _listed(code: Iterable[str]) -> str:
    return " and ".join(f"`{one}`" for one in code)


def _copied(parameters: str, heavy: re.Pattern[str]) -> Iterator[str]:
    """Parameters, split at commas outside <>, of containers by value."""
    depth, one = 0, ""
    for character in parameters + ",":
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth <= 0:
            if heavy.search(one) and not re.search(r"[&*]", one):
                yield " ".join(one.split())
            one = ""
        else:
            one += character


_LARGEST = 4000  # lines of a file that are compared
_MAX_PLACES = 3  # places that are named


@dataclass(frozen=True, slots=True)
class Change:
    """Lines ``first`` to ``last`` of a file as it is now, or lines removed before ``first``."""

    path: str
    first: int
    last: int
    code: str

    def __str__(self) -> str:
        several = self.last > self.first
        lines = f"lines {self.first} to {self.last}" if several else f"line {self.first}"
        code = f" `{cut(self.code, 50)}`" if self.code else " (removed)"
        return f"{self.path} {lines}{code}"


def parent_of(observation: Observation, step: Step) -> Step | None:
    """The parent of a step, if it is shown."""
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
            shown = next((line for line in new[start:end] if any(map(str.isalnum, line))), "")
            yield Change(path, start + 1, max(end, start + 1), shown.strip())


def changed_lines(observation: Observation, step: Step) -> dict[str, set[int]]:
    """The numbers of the lines changed by the step, by file."""
    parent = parent_of(observation, step)
    lines: dict[str, set[int]] = {}
    for change in changes(parent.program, step.program) if parent else ():
        lines.setdefault(change.path, set()).update(range(change.first, change.last + 1))
    return lines


def described(observation: Observation, step: Step) -> str:
    """A sentence about the step's changes; empty if its parent is not shown."""
    parent = parent_of(observation, step)
    if parent is None:
        return ""
    found = changes(parent.program, step.program)
    new = [tag for tag in step.tags if tag not in parent.tags and ":" not in tag]
    by = f" by {', '.join(new)}" if new else ""
    if not found:
        return "It changed nothing in the program that it grew from."
    places = "; ".join(map(str, found[:_MAX_PLACES]))
    others = f"; and {len(found) - _MAX_PLACES} more places" if len(found) > _MAX_PLACES else ""
    origin = "the baseline" if parent.parent is None else f"step {parent.id}"
    return f"Against {origin}, from which it grew, it changed{by}: {places}{others}."
