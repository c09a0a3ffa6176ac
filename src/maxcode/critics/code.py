"""Facts about code read without parsing, and the changes of a step.

A missed fact costs a hint, no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.lang.outline import loops_around
from maxcode.lang.syntax import bare as emptied
from maxcode.observation import Observation
from maxcode.search.changes import Hunk, hunks
from maxcode.text import cut
from maxcode.tree import Step

CONTAINER = r"\b(?:vector|string|map|set|list|deque|array|queue|stack|bitset|multimap|multiset)\b"
_DEFINITION = re.compile(r"\b(\w+)\s*\(([^(){};]{0,500})\)\s*(?:const\s*)?(?:noexcept\s*)?\{")
_COUNTER = re.compile(r"\bfor\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*(?:=|\{)")
_TWO_INDICES = re.compile(r"\b(\w+)\s*\[([^\[\]]+)\]\s*\[([^\[\]]+)\]")
_CALLED = re.compile(r"\b(\w+)\s*\(")
_PARAMETER = re.compile(r"(?:[^,<>]|<(?:[^<>]|<[^<>]*>)*>)+")  # templates in templates, too
_EACH = re.compile(r"\bfor\s*\(\s*(const\s+)?[\w:<>, ]+\s\w+\s*:[^:]")
_SEARCHED = re.compile(r"(?:\bnot|\b(?:if|elif|while|and|or)\b[^:\[\]]*?)\s+in\s+([\w.]+)")
_LIST = re.compile(r"\[|(?:list|sorted)\(|.*\.split\(")
_GROWN = re.compile(r"([\w.]+)\s*(?:\+=|=\s*\1\s*\+)")
_TEXT = re.compile(r"f?[\"']")
_MAX_PLACES = 3  # places that are named


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


def by_value(code: str, number: int) -> str:
    """Which containers a line copies into a function's parameters or a loop's variable."""
    line = line_of(code, number)
    called = set(_CALLED.findall(line))
    copied = [
        f"{name} takes {' and '.join(kept)} by value"
        for name, parameters in _DEFINITION.findall(bare(code))
        if name in called and (kept := list(_copied(parameters)))
    ]
    if _EACH.search(line):
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


def searched_list(code: str, number: int) -> str:
    """The list that `in` searches on a line of Python."""
    found = _SEARCHED.search(line_of(code, number))
    values = _values(code, found[1]) if found else []
    return f"`{found[1]}` is a list" if found and values and all(map(_LIST.match, values)) else ""


def grown_text(code: str, number: int) -> str:
    """The string that grows by pieces on a line of a loop in Python."""
    found = _GROWN.match(line_of(code, number)) if loops_around("main.py", code, number) else None
    if found is None or not any(map(_TEXT.match, _values(code, found[1]))):
        return ""
    return f"`{found[1]}` is a string"


def _values(code: str, name: str) -> list[str]:
    """The expressions assigned to a name anywhere in a file of Python."""
    assigned = rf"^[ \t]*{re.escape(name)}(?:[ \t]*:[^=\n]*)?[ \t]*=(?!=)[ \t]*(.*)"
    return re.findall(assigned, code, re.MULTILINE)


def _copied(parameters: str) -> Iterator[str]:
    """Parameters of containers by value."""
    for one in _PARAMETER.findall(parameters):
        if re.search(CONTAINER, one) and not re.search(r"[&*]", one):
            yield f"`{' '.join(one.split())}`"


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
