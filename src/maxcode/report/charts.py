"""What all figures share: colours, axes, and the form they are handed on in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from itertools import cycle, pairwise
from math import ceil, floor, inf, log10
from typing import Any

from maxcode.evaluation import Status
from maxcode.report.document import Found, Points, RunDocument, StepLine
from maxcode.text import counted, cut, factor

Figure = dict[str, Any]
"""``data`` and ``layout`` for plotly; ``height`` in pixels; ``summary`` for who cannot see it."""

# Okabe and Ito, "Color Universal Design": told apart by people of every colour vision, on light and
# dark. Their black would be lost on dark.
BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, GREY = COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#888888"),
)
STATUSES: dict[str, tuple[str, str]] = {
    Status.OK: (GREEN, "circle"),
    Status.INVALID: (GREY, "square-open"),
    Status.BUILD_ERROR: (YELLOW, "square"),
    Status.WRONG_ANSWER: (ORANGE, "x"),
    Status.RUNTIME_ERROR: (PINK, "diamond"),
    Status.TIMEOUT: (SKY, "triangle-up"),
    Status.OUT_OF_MEMORY: (SKY, "triangle-down"),
    Status.SUSPECT: (ORANGE, "star"),
    Status.INFRASTRUCTURE: (GREY, "cross"),
}
"""Colour and marker of each outcome, in the order of legends."""

SPEEDUP = "speedup (times)"
FROM = 10.0
"""The speedup from which on a scale is logarithmic."""
_FEW = 10


class Drawing:
    """A figure of plotly's, without a style of its own, whose traces stay as they are given.

    plotly would check and copy each of their points, which takes seconds where there are thousands.
    """

    def __init__(self) -> None:
        graph_objects = import_module("plotly.graph_objects")
        self._figure = graph_objects.Figure(layout={"template": "none"})
        self._traces: list[dict[str, Any]] = []
        self.update_layout = self._figure.update_layout
        self.update_xaxes = self._figure.update_xaxes
        self.update_yaxes = self._figure.update_yaxes
        self.add_annotation = self._figure.add_annotation

    def add_scatter(self, **trace: Any) -> None:
        """Points and lines."""
        self._traces.append({"type": "scatter", **trace})

    def add_bar(self, **trace: Any) -> None:
        """Bars."""
        self._traces.append({"type": "bar", **trace})

    def add_box(self, **trace: Any) -> None:
        """Boxes."""
        self._traces.append({"type": "box", **trace})

    def to_plotly_json(self) -> dict[str, Any]:
        """``data`` and ``layout``."""
        return {"data": self._traces, "layout": self._figure.layout.to_plotly_json()}


def empty() -> Drawing:
    """A figure with nothing in it."""
    return Drawing()


def handed(figure: Any, summary: str, height: int) -> Figure:
    """The figure in the form that pages take."""
    figure.update_layout(
        height=height,
        hovermode="closest",
        margin={"l": 60, "r": 16, "t": 34, "b": 48},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return {**figure.to_plotly_json(), "height": height, "summary": summary}


def scale_speedups(figure: Any, x: str, y: str, highest: float, count: float = inf) -> None:
    """Name the axes, and choose the scale of speedups up to the highest.

    Where ``x`` counts something, ``count`` is how far: it has no halves.
    """
    figure.update_xaxes(title=x, rangemode="tozero")
    if count <= _FEW:
        figure.update_xaxes(dtick=1)
    figure.update_yaxes(title=y)
    if highest >= FROM:
        figure.update_yaxes(logarithmic(0.1, highest))


def logarithmic(least: float, most: float) -> dict[str, Any]:
    """A logarithmic axis for numbers in that range, with its numbers written out."""
    decades = range(floor(log10(least)), ceil(log10(most)) + 1)
    ticks = [digit * 10.0**decade for decade in decades for digit in (1, 2, 5)]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def bars(
    names: Sequence[str], values: Sequence[float], texts: Sequence[str], colours: Sequence[str]
) -> Any:
    """Horizontal bars, the first below."""
    figure = empty()
    figure.add_bar(
        x=values,
        y=names,
        orientation="h",
        marker={"color": colours},
        text=texts,
        textposition="auto",
        hovertemplate="%{y}: %{text}<extra></extra>",
    )
    figure.update_layout(showlegend=False)
    return figure


def bar_height(count: int) -> int:
    """The height in pixels of a figure of so many bars."""
    return 100 + 36 * count


def named(text: str, most: int = 40) -> str:
    """Somebody's word for something; plotly would take what is in angle brackets for markup."""
    return escape(cut(text, most), quote=False)


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
    name = "returned, confirmed" if found.returned else "confirmed"
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
