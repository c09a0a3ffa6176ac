"""Accuracy of a run's estimates of reward-to-go, in words and as JSON."""

from __future__ import annotations

from math import isfinite

from maxcode.journal.state import RunState
from maxcode.ranking import Estimates
from maxcode.report.listing import Document
from maxcode.text import counted, duration


def estimate_facts(state: RunState) -> list[tuple[str, str]]:
    """The estimates of a run in words, under their name; empty where there are none."""
    found = state.progress.estimates
    if not found.rankings:
        return []
    return [("estimates", f"{_order(found)}; took {duration(found.seconds)}")]


def estimates_document(state: RunState) -> Document | None:
    """Kendall's tau of estimates and outcomes, its range by chance, and the number of pairs."""
    found = state.progress.estimates
    if not found.rankings:
        return None
    tau, chance = found.agreement.tau, found.agreement.chance
    return {"tau": tau, "chance": chance if isfinite(chance) else None, "pairs": found.pairs}


def _order(found: Estimates) -> str:
    tau, chance = found.agreement.tau, found.agreement.chance
    if not isfinite(chance):
        return "no two candidates of a state tell whether they are right"
    if chance >= 1:
        order = "too few pairs to say whether they order candidates better than chance"
    else:
        word = "better" if tau > chance else "worse" if tau < -chance else "no better"
        order = f"they order candidates {word} than chance"
    pairs = counted(found.pairs, "pair")
    return f"{order}: tau {tau:.2f}, chance alone reaches {chance:.2f}, {pairs}"
