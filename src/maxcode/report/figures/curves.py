"""The best so far, against what was spent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, pairwise
from math import inf
from typing import Any

from maxcode.report.document import Found, Points, RunDocument
from maxcode.report.figures.base import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    SPEEDUP,
    Figure,
    empty,
    handed,
    named,
    scale_speedups,
)
from maxcode.telling.words import counted, factor

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


def curve(run: RunDocument, axis: str) -> Figure:
    """The best of one run with its interval, the score of each candidate, and what it found."""
    figure, points, found = empty(), run.points, run.head.found
    x = getattr(points, axis)
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
    _best(figure, x, points, "best so far, by comparisons along the way", BLUE, "solid")
    told = f"Best speedup by {_AXES[axis]}, by comparisons along the way: it ends at"
    told = f"{told} {factor(points.best[-1])} after {_rises(points)}"
    if found and found.confirmed:
        _confirmed(figure, x[-1], found)
        told = f"{told}; {factor(found.speedup)} was confirmed"
    highest = max([*points.high, *(score for _, score in scored)], default=1.0)
    partly = axis == "dollars" and run.head.unpriced
    title = f"{_AXES[axis]}, as far as prices are known" if partly else _AXES[axis]
    scale_speedups(figure, title, SPEEDUP, highest, x[-1] if axis == "evaluations" else inf)
    return handed(figure, f"{told}.", 360)


def curves(runs: Sequence[RunDocument], axis: str) -> Figure:
    """The best of several runs; against dollars, of those whose prices are all known."""
    runs = priced(runs) if axis == "dollars" else runs
    figure, highest = empty(), 1.0
    for number, (run, colour) in enumerate(zip(runs, cycle(COLOURS), strict=False)):
        dash = _DASHES[number // len(COLOURS) % len(_DASHES)]
        _best(figure, getattr(run.points, axis), run.points, label(run), colour, dash)
        highest = max([highest, *run.points.best])
    scale_speedups(figure, _AXES[axis], f"best {SPEEDUP}", highest)
    ends = ", ".join(f"{label(r)} {factor(r.points.best[-1])}" for r in runs if r.points.best)
    return handed(figure, f"Best speedup by {_AXES[axis]}, at the end: {ends}.", 400)


def priced(runs: Iterable[RunDocument]) -> list[RunDocument]:
    """Those whose tokens all had a known price."""
    return [run for run in runs if not run.head.unpriced]


def _rises(points: Points) -> str:
    return counted(sum(now > before for before, now in pairwise(points.best)), "rise")


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


def _confirmed(figure: Any, x: float, found: Found) -> None:
    name = "handed back, confirmed" if found.handed_back else "confirmed"
    figure.add_scatter(
        x=[x],
        y=[found.speedup],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [found.high - found.speedup],
            "arrayminus": [found.speedup - found.low],
        },
        mode="markers",
        name=name,
        marker={"size": 11, "symbol": "diamond", "color": GREEN},
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
