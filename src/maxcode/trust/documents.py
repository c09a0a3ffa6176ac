"""Trust as JSON and as CSV; docs/manual/reward_to_go.md names the figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict

from pydantic import JsonValue

from maxcode.trust.figures import Trust

Document = dict[str, JsonValue]

_COLUMNS = ("model", "family", "figure", "value", "low", "high")
ALL = "all"
"""What stands for all families in a table."""


def document(trust: Trust) -> Document:
    """Every figure with its interval, for all tasks and by family."""
    found = trust.calibration
    return {
        "tasks": trust.tasks,
        "runs": trust.runs,
        "decisions": trust.decisions,
        "candidates": trust.candidates,
        "explored": trust.explored,
        "ranks": trust.ranks,
        "judged_by": "reward" if trust.steered else "target",
        "agreement": {
            "tau": trust.agreement.tau,
            "chance": trust.agreement.chance if trust.agreement.variance else None,
        },
        "verdict": trust.verdict,
        "dollars": trust.cost.dollars,
        "tokens": trust.cost.tokens,
        "figures": {name: asdict(one) if one else None for name, one in trust.figures.items()},
        "reliability": [asdict(one) for one in found.curve] if found else [],
        "calibrated_runs": found.runs if found else 0,
        "base_rates": list(found.base_rates) if found else [],
        "families": {name: document(one) for name, one in trust.families.items()},
    }


def table(models: Mapping[str, Trust]) -> str:
    """A line of CSV for each model, family and figure, under a line of names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for model, trust in models.items():
        for family, one in {ALL: trust, **trust.families}.items():
            for figure, found in one.figures.items():
                if found:
                    writer.writerow((model, family, figure, found.value, found.low, found.high))
    return text.getvalue()
