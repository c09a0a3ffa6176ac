"""Forms of answers, and the choice among them.

Large models write whole programs. Small models are cut off or forget half, and may still get a
search/replace block right. A run learns the form from the share of usable answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal, get_args

from maxcode.evaluation import Status
from maxcode.tree import Step

Form = Literal["program", "edits"]
"""The whole program, or search/replace blocks."""

FORMS: tuple[Form, ...] = get_args(Form)
TAG = "form:"
_TRIED = 4  # answers in the usual form before another one is tried
_ENOUGH = 0.5  # share of usable answers with which nothing else is tried


def chosen(forms: Sequence[Form], steps: Iterable[Step], seed: int) -> Form:
    """The form to ask for, given the possible forms (the usual first) and the steps before.

    The usual form, until less than half of at least four answers were usable. From then on the
    share of usable answers of each form is drawn from its Beta posterior, and the highest wins
    (Thompson sampling: Thompson, Biometrika 1933). The draw depends on ``seed`` and the steps' tags
    ``form:NAME`` only, so a resumed search draws the same.
    """
    asked: Counter[str] = Counter()
    usable: Counter[str] = Counter()
    for step in steps:
        for form in (tag.removeprefix(TAG) for tag in step.tags if tag.startswith(TAG)):
            asked[form] += 1
            usable[form] += step.evaluation.status is not Status.INVALID
    usual = forms[0]
    if asked[usual] < _TRIED or usable[usual] >= _ENOUGH * asked[usual]:
        return usual
    rng = Random(f"{seed} form")
    shares = {
        form: rng.betavariate(1 + usable[form], 1 + asked[form] - usable[form]) for form in forms
    }
    return max(forms, key=lambda form: shares[form])
