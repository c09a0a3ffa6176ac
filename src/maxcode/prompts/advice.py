"""Earlier suggestions of critiques."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from maxcode.tree import Step

_OF_A_STEP = 3
_SHOWN = 6


def earlier_advice(steps: Iterable[Step], quoted: Collection[int] = ()) -> list[tuple[int, str]]:
    """Suggestions among the steps with the id of the step each is about, the latest steps first.

    Suggestions of a step keep the critic's order, and each text is given once. Critiques of the
    ``quoted`` steps are shown elsewhere, so they give none.
    """
    found: dict[str, int] = {}
    for step in reversed(list(steps)):
        if step.critique and step.duplicate_of is None and step.id not in quoted:
            given = step.critique.suggestions or (step.critique.text,)
            for text in given[:_OF_A_STEP]:
                found.setdefault(text, step.id)
    return [(about, text) for text, about in found.items()][:_SHOWN]
