"""A comparison as JSON and as CSV; docs/manual/comparing.md describes both key by key."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from pydantic import JsonValue

from maxcode.comparison.contest import Contest, Difference, Standing
from maxcode.comparison.outcome import AXES
from maxcode.comparison.published import PublishedTable
from maxcode.measure.statistics import Estimate

Document = dict[str, JsonValue]


def document(
    contest: Contest,
    effects: Sequence[Difference] = (),
    tables: Sequence[PublishedTable] = (),
    against: Sequence[Difference] = (),
) -> Document:
    """All known data: figures, differences, runs, failures and curves.

    ``effects`` are of an ablation's switches, ``tables`` of published work, ``against`` differences
    from the methods named besides the control.
    """
    return {
        "budget": contest.budget,
        "methods": list(contest.methods),
        "control": contest.control,
        "planned": contest.planned,
        "missing": contest.missing,
        "pairs": [{"task": task, "seed": seed} for task, seed in contest.pairs],
        "standings": [_standing(one) for one in contest.standings()],
        "differences": [_difference(one) for one in contest.differences()],
        "against": [_difference(one) for one in against],
        "effects": [_difference(one) for one in effects],
        "efficiency": {
            name: {metric: asdict(one) if one else None for metric, one in found.items()}
            for name, found in contest.efficiency().items()
        },
        "tables": [_published(one) for one in tables],
        "left_out": list(contest.left_out),
        "ended_early": [asdict(one) for one in contest.ended_early],
        "runs": [{**one.row(), "scores": list(one.scores)} for one in contest.outcomes],
        "failures": [
            {"method": one.method, "task": one.task, "seed": one.seed, "message": one.message}
            for one in contest.failures
        ],
        "curves": {
            axis: [_without("axis", asdict(curve)) for curve in contest.curves(axis)]
            for axis in AXES
            if contest.spent_any(axis)
        },
    }


def _published(one: PublishedTable) -> Document:
    return {
        "title": one.title,
        "runs": one.runs,
        "rows": [
            {
                "method": row.method,
                "counted": row.counted,
                "figures": {
                    name: asdict(figure) if isinstance(figure, Estimate) else figure
                    for name, figure in zip(one.columns, row.figures, strict=True)
                },
            }
            for row in one.rows
        ],
    }


def _difference(one: Difference) -> Document:
    bounds = {name: bound if isfinite(bound) else None for name, bound in asdict(one.ratio).items()}
    return {**asdict(one), "ratio": bounds, "verdict": one.verdict, "real": one.real}


def _standing(one: Standing) -> Document:
    fast: Document = {f"{p:g}": asdict(estimate) for p, estimate in one.fast.items()}
    return {**_without("fast", asdict(one)), "fast_p": fast}


def _without(name: str, fields: dict[str, Any]) -> Document:
    return {key: value for key, value in fields.items() if key != name}


def table(contest: Contest) -> str:
    """A line of CSV for each completed run, under a line of names."""
    text = io.StringIO()
    rows = contest.rows()
    names = list(rows[0]) if rows else ["method", "task", "seed"]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
