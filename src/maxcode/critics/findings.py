"""Findings in a profile, by the rules."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maxcode.critics.code import capital
from maxcode.critics.rules import RULES, Context, Rule
from maxcode.evaluation import HotLine, Profile
from maxcode.program import Program
from maxcode.text import cut, percent

_WORTH_SAYING, _WORTH_NAMING = 0.05, 0.005  # shares of the instructions
_MAX_FINDINGS = 3  # findings, suggestions, and lines of each
_ALLOCATOR = re.compile(
    r"^(operator (new|delete)(\[\])?|malloc|calloc|realloc|free|cfree|_int_(malloc|free|realloc)|"
    r"malloc_consolidate|unlink_chunk|sysmalloc|tcache_\w+|std::string::_M_create)$"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule with its lines and their shares, the costliest first."""

    rule: Rule
    lines: tuple[tuple[HotLine, float], ...]
    more: str

    @property
    def share(self) -> float:
        """Share of all instructions."""
        return sum(part for _, part in self.lines)

    @property
    def weight(self) -> float:
        """The share, halved if little can be said about it."""
        return self.share / 2 if self.rule.vague else self.share

    def seen(self, several: bool) -> str:
        """A sentence: share, cause, and place; with the file if there are ``several``."""
        named = [item for item in self.lines[:_MAX_FINDINGS] if item[1] >= _WORTH_NAMING]
        places = "; ".join(f"{place(line, several)} {percent(part)}" for line, part in named)
        more = f"; {self.more}" if self.more else ""
        whole = "time" if self._first.path.endswith(".py") else "instructions"
        return f"{percent(self.share)} of the {whole}: {self.rule.seen} ({places}){more}."

    def advice(self, several: bool) -> str:
        """The line to begin with, and the usual remedy."""
        where = place(self._first, several)
        return f"{where if several else capital(where)}: {self.rule.advice}."

    @property
    def _first(self) -> HotLine:
        """The line to begin with: where a function calls itself, else the costliest."""
        calling = (
            line
            for line, _ in self.lines
            if line.function
            and re.search(rf"\b{re.escape(line.function)}\s*\(", line.code)
            and not line.code.endswith(("{", ":"))
        )
        return next(calling, self.lines[0][0])


def findings(program: Program, profile: Profile) -> list[Finding]:
    """All findings of a notable share, the largest first.

    Lines that the program does not have are left out, and those in languages without rules.
    """
    context = Context(program, profile)
    taken: dict[Rule, dict[HotLine, float]] = defaultdict(lambda: defaultdict(float))
    for line in filter(context.has, profile.lines):
        own = line.share - sum(part for _, part in line.library)
        for function, part in [*line.library, ("", max(own, 0.0))]:
            rule = next((rule for rule in RULES if rule.takes(function, line, context)), None)
            if rule is not None:
                taken[rule][line] += part
    found = []
    for rule, parts in taken.items():
        ranked = tuple(sorted(parts.items(), key=lambda item: -item[1]))
        lines = [line for line, _ in ranked]
        more = (rule.more(lines[start:], context) for start in range(len(lines)))
        found.append(Finding(rule, ranked, next(filter(None, more), "")))
    worth = [finding for finding in found if finding.share >= _WORTH_SAYING]
    return sorted(worth or found, key=lambda finding: -finding.weight)


def bottleneck(found: Sequence[Finding]) -> str:
    """The kind of bottleneck with the largest sum of shares, the earlier of equals."""
    sums: dict[str, float] = defaultdict(float)
    for finding in found:
        sums[finding.rule.bottleneck] += finding.weight
    return max(sums, key=sums.__getitem__, default="")


def evidence(found: Sequence[Finding], program: Program, profile: Profile) -> Iterator[str]:
    """The observations, in sentences."""
    several = len(program.files) > 1
    for finding in found[:_MAX_FINDINGS]:
        yield finding.seen(several)
    allocating = sum(f.share for f in profile.functions if _ALLOCATOR.match(f.name))
    if allocating >= 2 * _WORTH_SAYING and profile.allocations:
        yield (
            f"{percent(allocating)} of the instructions allocate and free memory, "
            f"{profile.allocations:,} times."
        )


def suggestions(found: Sequence[Finding], program: Program) -> Iterator[str]:
    """Usual remedies, the most promising first."""
    several = len(program.files) > 1
    for finding in found[:_MAX_FINDINGS]:
        yield finding.advice(several)


def place(line: HotLine, several: bool) -> str:
    """Place and text of a line."""
    where = f"{line.path}:{line.line}" if several else f"line {line.line}"
    if not any(character.isalnum() for character in line.code):
        return f"{where}, the end of a block in `{line.function}`"
    return f"{where} `{cut(line.code, 70)}`"
