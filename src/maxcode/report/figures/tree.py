"""The search tree: steps by their number and speedup, each joined to the one it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

from maxcode.evaluation import Status
from maxcode.report.document import RunDocument, StepLine
from maxcode.report.figures.base import (
    BLUE,
    FROM,
    GREY,
    SPEEDUP,
    STATUSES,
    Figure,
    empty,
    handed,
    scale_speedups,
)

_MANY = 1000  # steps from which on points and lines are finer


def tree(run: RunDocument) -> Figure | None:
    """The tree of a run; None before its baseline was measured."""
    steps = run.steps
    if not steps:
        return None
    figure, fine = empty(), len(steps) > _MANY
    heights, floor = _heights(steps)
    _edges(figure, [s for s in steps if not s.on_path], heights, GREY, 1, 0.12 if fine else 0.35)
    _points(figure, [s for s in steps if not s.on_path], heights, 4 if fine else 8)
    _edges(figure, [s for s in steps if s.on_path], heights, BLUE, 2.5, 1.0)
    _path(figure, [s for s in steps if s.on_path], heights)
    highest = max(heights.values())
    order = "step, in the order of commitment"
    scale_speedups(figure, order, SPEEDUP, highest, len(steps) - 1)
    if any(step.reward <= 0 for step in steps):
        _name_floor(figure, floor, logarithmic=highest >= FROM)
    path = run.head.found.path if run.head.found else (0,)
    told = " to ".join(f"#{step}" for step in path[-12:])
    return handed(
        figure,
        f"Search tree of {len(steps)} steps. The path to the best: {told}. "
        "The table of steps tells the same.",
        420,
    )


def _heights(steps: Sequence[StepLine]) -> tuple[dict[int, float], float]:
    """Where steps lie: by reward; those without one on a floor below all others, also given."""
    rewards = [step.reward for step in steps if step.reward > 0]
    low, top = min(rewards, default=1.0), max(rewards, default=1.0)
    floor = low / 1.6 if top >= FROM else low - 0.15 * max(top - low, 0.2)
    return {step.id: step.reward if step.reward > 0 else floor for step in steps}, floor


def _points(
    figure: Any, steps: Sequence[StepLine], heights: Mapping[int, float], size: int
) -> None:
    present = {step.status for step in steps}
    for status, (colour, symbol) in STATUSES.items():
        if status not in present:
            continue
        those = [step for step in steps if step.status == status]
        told = "#%{customdata}: %{y:.3g}x" if status == Status.OK else "#%{customdata}"
        figure.add_scatter(
            x=[step.id for step in those],
            y=[heights[step.id] for step in those],
            customdata=[step.id for step in those],
            mode="markers",
            name=status.replace("_", " "),
            marker={"color": colour, "symbol": symbol, "size": size, "opacity": 0.75},
            hovertemplate=f"{told}<extra>%{{fullData.name}}</extra>",
        )


def _path(figure: Any, steps: Sequence[StepLine], heights: Mapping[int, float]) -> None:
    figure.add_scatter(
        x=[step.id for step in steps],
        y=[heights[step.id] for step in steps],
        customdata=[step.id for step in steps],
        mode="markers",
        name="on the path to the best",
        marker={"color": BLUE, "size": [13 if step.best else 9 for step in steps]},
        hovertemplate="#%{customdata}: %{y:.3g}x<extra>on the path</extra>",
    )


def _edges(
    figure: Any,
    steps: Sequence[StepLine],
    heights: Mapping[int, float],
    colour: str,
    width: float,
    opacity: float,
) -> None:
    x: list[int | None] = []
    y: list[float | None] = []
    for step in steps:
        if step.parent is not None:
            x += [step.parent, step.id, None]
            y += [heights[step.parent], heights[step.id], None]
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": colour, "width": width},
        opacity=opacity,
        hoverinfo="skip",
        showlegend=False,
    )


def _name_floor(figure: Any, floor: float, *, logarithmic: bool) -> None:
    """Say that what lies there has no speedup."""
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="right",
        y=log10(floor) if logarithmic else floor,
        yanchor="top",
        yshift=-6,
        text="failed",
        showarrow=False,
    )
