"""Rule: one way of being slow, and how a profile shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from maxcode.evaluation import HotFunction, HotLine, Profile
from maxcode.program import Program

_OFTEN = 10_000  # calls of a recursive function that are worth a thought


@dataclass(frozen=True, slots=True)
class Context:
    """A program and its profile."""

    program: Program
    profile: Profile

    def text(self, path: str) -> str:
        """The text of a file of the program; "" if it has no such file."""
        return self.program.files.get(path, "")

    def recursive(self, line: HotLine) -> HotFunction | None:
        """The function that the line is in, if it calls itself often."""
        for function in self.profile.functions:
            if function.own and function.name == line.function:
                return function if function.recursive and function.calls >= _OFTEN else None
        return None


Detail = Callable[[Context, Sequence[HotLine]], str]
"""Finds more to say about lines, the costliest of which is the first; "" if there is nothing."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of being slow.

    ``through`` is searched in the names of the library functions that a line calls, and the rule
    takes their parts of the line's cost; without it, it takes what the line executes itself.
    ``code`` must be found in the line too, and ``missing`` nowhere in its file, where given.
    ``seen`` completes "30 % of the instructions: ...", ``advice`` says what usually helps.
    ``detail`` adds to what was seen; with ``needed`` the rule fits only where it does. A ``vague``
    rule says little, and counts for half beside others.
    """

    bottleneck: str
    seen: str
    advice: str
    through: str = ""
    code: str = ""
    missing: str = ""
    detail: Detail | None = None
    needed: bool = False
    vague: bool = False

    def takes(self, function: str, line: HotLine, context: Context) -> bool:
        """Whether it takes the part of a line's cost that is a library function's ("": own)."""
        if bool(self.through) != bool(function) or not re.search(self.through, function):
            return False
        if not re.search(self.code, line.code):
            return False
        if self.missing and re.search(self.missing, context.text(line.path)):
            return False
        return not self.needed or bool(self.more([line], context))

    def more(self, lines: Sequence[HotLine], context: Context) -> str:
        """What there is to add about these lines."""
        return self.detail(context, lines) if self.detail else ""


@dataclass(frozen=True, slots=True)
class Remark:
    """Advice about a whole program: ``pattern`` is found in it, and one of ``bottlenecks``."""

    bottlenecks: tuple[str, ...]
    pattern: str
    advice: str
