"""The best so far, against what was spent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, pairwise
from typing import Any

from maxcode.report.document import Points, RunDocument
from maxcode.report.figures.base import (
    BLUE,
    COLOURS,
    GREY,
    SPEEDUP,
    Figure,
    empty,
    handed,
    named,
    scale_speedups,
)
from maxcode.report.words import counted, factor

_AXES = {
    "evaluations": "evaluations",
    "tokens": "tokens",
    "dollars": "US dollars",
    "seconds": "wall time (s)",
}
_DASHES = ("solid", "dash", "dot", "dashdot")


def spent(runs: Iterable[RunDocument]) -> list[str]:
    """The axes along which any of the runs spent something."""
    points = [run.points for run in runs]
    return [axis for axis in _AXES if any(max(getattr(p, axis), default=0) > 0 for p in points)]


def curve(points: Points, axis: str) -> Figure:
    """The best of one run with its interval, and the score of each candidate."""
    figure, x = empty(), getattr(points, axis)
    scored = [(at, score) for at, score in zip(x, points.score, strict=True) if score]
    figure.add_scatter(
        x=[at for at, _ in scored],
        y=[score for _, score in scored],
        mode="markers",
        name="candidates, as first timed",
        marker={"size": 6 if len(scored) < 500 else 4, "color": GREY, "opacity": 0.55},
        hovertemplate="%{y:.3g}x<extra>candidate</extra>",
    )
    _band(figure, x, points)
    _best(figure, x, points, "best so far, confirmed", BLUE, "solid")
    highest = max([*points.high, *(score for _, score in scored)], default=1.0)
    scale_speedups(figure, _AXES[axis], SPEEDUP, highest)
    rises = counted(sum(now > before for before, now in pairwise(points.best)), "rise")
    told = f"Best confirmed speedup by {_AXES[axis]}: it ends at {factor(points.best[-1])}"
    return handed(figure, f"{told} after {rises}.", 360)


def curves(runs: Sequence[RunDocument], axis: str) -> Figure:
    """The best of several runs."""
    figure, highest = empty(), 1.0
    for number, (run, colour) in enumerate(zip(runs, cycle(COLOURS), strict=False)):
        dash = _DASHES[number // len(COLOURS) % len(_DASHES)]
        _best(figure, getattr(run.points, axis), run.points, label(run), colour, dash)
        highest = max([highest, *run.points.best])
    scale_speedups(figure, _AXES[axis], f"best confirmed {SPEEDUP}", highest)
    ends = ", ".join(f"{label(r)} {factor(r.points.best[-1])}" for r in runs if r.points.best)
    return handed(figure, f"Best confirmed speedup by {_AXES[axis]}, at the end: {ends}.", 400)


def label(run: RunDocument) -> str:
    """A run's name in a figure: the end of its id, and what proposed."""
    return named(f"{run.head.run_id[-8:]} {run.head.plugins.get('generator', '')}")


def _best(
    figure: Any, x: Sequence[float], points: Points, name: str, colour: str, dash: str
) -> None:
    figure.add_scatter(
        x=x,
        y=points.best,
        name=name,
        mode="lines",
        line={"shape": "hv", "color": colour, "width": 2.5, "dash": dash},
        hovertemplate="%{y:.3g}x<extra>%{fullData.name}</extra>",
    )


def _band(figure: Any, x: Sequence[float], points: Points) -> None:
    red, green, blue = (int(BLUE[i : i + 2], 16) for i in (1, 3, 5))
    shared = {"x": x, "mode": "lines", "line": {"width": 0, "shape": "hv"}, "hoverinfo": "skip"}
    figure.add_scatter(y=points.low, showlegend=False, **shared)
    figure.add_scatter(
        y=points.high,
        fill="tonexty",
        fillcolor=f"rgba({red},{green},{blue},0.18)",
        name="its interval",
        **shared,
    )
