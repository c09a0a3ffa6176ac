"""Findings in a profile: kinds of slow code, with their share of the time and the remedy."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from maxcode.critics.rules import RULES, Context, Rule
from maxcode.evaluation import HotLine, Profile
from maxcode.program import Program
from maxcode.text import cut, percent

MAX_FINDINGS = 3
"""Findings that are told, and lines or rows of each."""

_WORTH_SAYING, _WORTH_NAMING = 0.05, 0.005  # shares of the time


@dataclass(frozen=True, slots=True)
class Finding:
    """A kind of slow code in a profile.

    ``seen`` is a sentence with share, cause and place, ``advice`` the usual remedy and ``code`` the
    line to begin with. ``weight`` is the share of the time, halved where little can be said.
    """

    bottleneck: str
    share: float
    weight: float
    seen: str
    advice: str
    code: str = ""


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def notable(found: Iterable[Finding]) -> list[Finding]:
    """Findings of a notable share, the largest first; all if none is notable."""
    ranked = sorted(found, key=lambda finding: -finding.weight)
    return [finding for finding in ranked if finding.share >= _WORTH_SAYING] or ranked


def bottleneck(found: Sequence[Finding]) -> str:
    """The kind of bottleneck with the largest sum of shares, the earlier of equals."""
    sums: dict[str, float] = defaultdict(float)
    for finding in found:
        sums[finding.bottleneck] += finding.weight
    return max(sums, key=sums.__getitem__, default="")


def findings(program: Program, profile: Profile) -> list[Finding]:
    """Notable findings in the hot lines of a program.

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
    return notable(_finding(rule, parts, context) for rule, parts in taken.items())


def _finding(rule: Rule, parts: dict[HotLine, float], context: Context) -> Finding:
    ranked = sorted(parts.items(), key=lambda item: -item[1])
    lines, share = [line for line, _ in ranked], sum(parts.values())
    named = [item for item in ranked[:MAX_FINDINGS] if item[1] >= _WORTH_NAMING]
    several = len(context.program.files) > 1
    places = "; ".join(f"{_place(line, several)} {percent(part)}" for line, part in named)
    more = next(filter(None, (rule.more(line, context) for line in lines)), "")
    whole = "time" if lines[0].path.endswith(".py") else "instructions"
    first = next(filter(_calls_itself, lines), lines[0])
    where = _place(first, several)
    return Finding(
        bottleneck=rule.bottleneck,
        share=share,
        weight=share / 2 if rule.vague else share,
        seen=f"{percent(share)} of the {whole}: {rule.seen} ({places}){'; ' * bool(more)}{more}.",
        advice=f"{where if several else capital(where)}: {rule.advice}.",
        code=first.code.strip(),
    )


def _calls_itself(line: HotLine) -> bool:
    """Whether a function calls itself on a line, with which to begin then."""
    called = line.function and re.search(rf"\b{re.escape(line.function)}\s*\(", line.code)
    return bool(called) and not line.code.endswith(("{", ":"))


def _place(line: HotLine, several: bool) -> str:
    """Place and text of a line, with its file if there are ``several``."""
    where = f"{line.path}:{line.line}" if several else f"line {line.line}"
    if not any(character.isalnum() for character in line.code):
        return f"{where}, the end of a block in `{line.function}`"
    return f"{where} `{cut(line.code, 70)}`"
