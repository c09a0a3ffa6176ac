"""Effect of the suggestions in critiques: followed or not, and with which gain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from maxcode.tree import Step

_SHARE = 0.5  # of a suggestion's words that a change has to name to have followed it
_LEAST = 2
_SHOWN = 6
_GAIN = 1.02
_WORD = re.compile(r"[a-z_][a-z0-9_]{3,}")
_COMMON = frozenset(
    [
        *("that", "this", "with", "from", "into", "than", "then", "them", "they", "each", "every"),
        *("instead", "would", "should", "could", "have", "been", "where", "when", "which", "while"),
        *("your", "more", "most", "some", "only", "also", "make", "used", "using", "uses"),
        *("code", "program"),
    ]
)


@dataclass(frozen=True, slots=True)
class Advice:
    """A suggestion of the critique of step ``about``, and its outcome.

    ``outcome`` is empty where no attempt has followed it.
    """

    about: int
    text: str
    outcome: str = ""


def advice_taken(steps: Iterable[Step]) -> tuple[Advice, ...]:
    """The latest suggestions among the steps; followed ones first.

    A child has followed a suggestion if its summary shares at least half of the suggestion's words,
    and two.
    """
    known = list(steps)
    found: list[Advice] = []
    for step in known:
        children = [one for one in known if one.parent == step.id]
        for text in step.critique.suggestions if step.critique else ():
            words = _words(text)
            followed = [one for one in children if _names(one.summary, words)]
            outcomes = "; ".join(_outcome(step, one) for one in followed[-2:])
            found.append(Advice(step.id, text, outcomes))
    found = [one for one in found if one.outcome] + [one for one in found[-3:] if not one.outcome]
    return tuple(found[-_SHOWN:]) if any(one.outcome for one in found) else ()


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _COMMON}


def _names(summary: str, words: set[str]) -> bool:
    shared = len(words & _words(summary))
    return shared >= _LEAST and shared >= _SHARE * len(words)


def _outcome(before: Step, after: Step) -> str:
    if not after.evaluation.ok:
        return f"attempt {after.id} followed it and failed"
    if before.reward <= 0:
        return f"attempt {after.id} followed it and passed, at {after.reward:.2f}x"
    gained = "gained" if after.reward > _GAIN * before.reward else "did not gain"
    rewards = f"{before.reward:.2f}x to {after.reward:.2f}x"
    return f"attempt {after.id} followed it and {gained}, {rewards}"
