"""Figures of a report, as plotly describes them in JSON: data, layout, and what they show in words.

Colours of text and background are the page's, which has them light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence

from maxcode.report.document import RunDocument
from maxcode.report.figures.base import Figure
from maxcode.report.figures.charts import (
    all_outcomes,
    calibration,
    money,
    outcomes,
    samples,
    times,
)
from maxcode.report.figures.curves import curve, curves, priced, spent
from maxcode.report.figures.tree import tree
from maxcode.tools import check_libraries


def check_figures() -> None:
    """Raise :class:`ToolError` where plotly or Pygments is missing."""
    check_libraries("a report needs", ("plotly", "pygments"), "report")


def figures(run: RunDocument) -> dict[str, Figure]:
    """The figures of a run, by name; those with nothing to show are left out."""
    found = {
        **{f"curve-{axis}": curve(run, axis) for axis in spent([run])},
        "tree": tree(run),
        "outcomes": outcomes(run.outcomes),
        "samples": samples(run.timings),
        "time": times(run.spending),
        "money": money(run.spending.models),
        "calibration": calibration(run.estimates) if run.estimates else None,
    }
    return {name: figure for name, figure in found.items() if figure}


def comparison(runs: Sequence[RunDocument]) -> dict[str, Figure]:
    """The figures of several runs of one task: their curves, and how their candidates ended."""
    axes = [axis for axis in spent(runs) if axis != "dollars"]
    axes += [axis for axis in spent(priced(runs)) if axis == "dollars"]
    drawn = {f"curve-{axis}": curves(runs, axis) for axis in axes}
    return {**drawn, "outcomes": all_outcomes(runs)}
