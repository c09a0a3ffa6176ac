"""The figures of a report: curves and the search tree.

Figures are written as plotly's JSON: its Python classes would check and copy each point, which
takes seconds for thousands. Text and background have the colours of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, inf
from typing import Any, TypeVar

from maxcode.evaluation import Status
from maxcode.report.document import RunDocument
from maxcode.report.history import Point
from maxcode.report.rows import StepRow
from maxcode.search.result import Result
from maxcode.system import check_libraries
from maxcode.text import factor

Figure = dict[str, Any]
"""``data`` and ``layout`` for plotly, and a ``summary`` for screen readers."""
Part = dict[str, Any]
"""A trace or an axis, in plotly's JSON."""

# Okabe and Ito, "Color Universal Design": distinct for people of every colour vision, on light and
# dark. Their black would be lost on dark.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
YELLOW, SKY, GREY = "#E69F00", "#56B4E9", "#888888"
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

LOGARITHMIC_FROM = 10.0
"""The speedup from which on a scale is logarithmic."""
_MAX_UNIT_TICKS = 10


def _figure(
    traces: Sequence[Part], summary: str, height: int, title: str, highest: float, ends: float = inf
) -> Figure:
    """Traces above an axis from 0 on, without halves where it ends early, and up to a speedup."""
    few = {"dtick": 1} if ends <= _MAX_UNIT_TICKS else {}
    scale = {"type": "log", "dtick": "D2"} if highest >= LOGARITHMIC_FROM else {}
    return {
        "data": list(traces),
        "layout": {
            "height": height,
            "xaxis": {"title": {"text": title}, "rangemode": "tozero", **few},
            "yaxis": {"title": {"text": "speedup (times)"}, **scale},
        },
        "summary": summary,
    }


_AXES = {
    "evaluations": "evaluations",
    "tokens": "tokens",
    "dollars": "US dollars",
    "seconds": "wall time (s)",
}
_MOST_POINTS = 2500  # of one kind in a figure

_T = TypeVar("_T")


def check_figures() -> None:
    """Raise :class:`ToolError` where plotly or Pygments is missing."""
    check_libraries("a report needs", ("plotly", "pygments"), "report")


def figures(run: RunDocument) -> dict[str, Figure]:
    """The figures of a run, by name, without empty ones."""
    found = {
        **{f"curve-{along}": _curve(run, along) for along in _AXES if _spent(run, along)},
        "tree": _tree(run),
    }
    return {name: one for name, one in found.items() if one}


def _spent(run: RunDocument, along: str) -> bool:
    return max(_along(run.points, along), default=0) > 0


def _along(points: Sequence[Point], along: str) -> list[float]:
    """Spending at each point of a run."""
    if along == "evaluations":
        return [point.evaluation for point in points]
    return _column(points, f"spent/{along}")


def _column(points: Sequence[Point], name: str) -> list[float]:
    return [point.values[name] for point in points]


def _curve(run: RunDocument, along: str) -> Figure:
    """The best of a run with its interval, the score of each candidate, and the result."""
    points = thinned(run.points, key=lambda point: point.values["best/speedup"])
    result = run.result
    x = _along(points, along)
    scored = [(at, y) for at, p in zip(x, points, strict=True) if (y := p.values.get("score"))]
    candidates = {
        "type": "scatter",
        "x": [at for at, _ in scored],
        "y": [score for _, score in scored],
        "mode": "markers",
        "name": f"candidates, as first timed{_sampled(points, run.points)}",
        "marker": {"size": 5, "color": GREY, "opacity": 0.55},
        "hovertemplate": "%{y:.3g}x<extra>candidate</extra>",
    }
    best = {
        "type": "scatter",
        "x": x,
        "y": _column(points, "best/speedup"),
        "name": "best so far, by comparisons along the way",
        "mode": "lines",
        "line": {"shape": "hv", "color": BLUE, "width": 2.5},
        "hovertemplate": "%{y:.3g}x<extra>%{fullData.name}</extra>",
    }
    traces = [candidates, *_band(x, points), best]
    ends = factor(points[-1].values["best/speedup"])
    summary = f"Best speedup by {_AXES[along]}, by comparisons along the way: it ends at {ends}"
    if result and result.confirmed:
        traces.append(_confirmed(x[-1], result))
        summary += f"; {factor(result.speedup.value)} was confirmed"
    highest = max([*_column(points, "best/high"), *(score for _, score in scored)])
    last = x[-1] if along == "evaluations" else inf
    return _figure(traces, f"{summary}.", 360, _AXES[along], highest, last)


def _confirmed(x: float, result: Result) -> Part:
    found = result.speedup
    return {
        "type": "scatter",
        "x": [x],
        "y": [found.value],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [found.high - found.value],
            "arrayminus": [found.value - found.low],
        },
        "mode": "markers",
        "name": "confirmed" if result.returned is None else "returned, confirmed",
        "marker": {"size": 11, "symbol": "diamond", "color": GREEN},
        "hovertemplate": "%{y:.3g}x<extra>%{fullData.name}</extra>",
    }


def _band(x: Sequence[float], points: Sequence[Point]) -> list[Part]:
    line = {"type": "scatter", "mode": "lines", "line": {"width": 0, "shape": "hv"}, "x": x}
    line["hoverinfo"] = "skip"
    low, high = (_column(points, name) for name in ("best/low", "best/high"))
    fill = {"fill": "tonexty", "fillcolor": f"{BLUE}2e", "name": "its interval"}
    return [{**line, "y": low, "showlegend": False}, {**line, "y": high, **fill}]


def _tree(run: RunDocument) -> Figure | None:
    """The tree of a run; None before its baseline was measured."""
    steps = run.steps
    if not steps:
        return None
    heights = _heights(steps)
    path = [step for step in steps if step.on_path]
    every = [step for step in steps if not step.on_path]
    others = thinned(every, key=lambda step: step.reward)
    on_path = {
        **_marks(path, heights),
        "name": "on the path to the best",
        "marker": {"color": BLUE, "size": [13 if step.best else 9 for step in path]},
        "hovertemplate": "#%{customdata}: %{y:.3g}x<extra>on the path</extra>",
    }
    highest = max(heights.values())
    ids = " to ".join(f"#{step.step}" for step in path[-12:])
    return _figure(
        [
            _edges(others, heights, {"color": GREY, "width": 1}, 0.3),
            *_by_status(others, heights),
            _edges(path, heights, {"color": BLUE, "width": 2.5}, 1.0),
            on_path,
        ],
        f"Search tree of {len(steps)} steps{_sampled(others, every)}. The path to the best: {ids}. "
        "The table of steps has all of them.",
        420,
        "step, in the order of commitment",
        highest,
        len(steps) - 1,
    )


def thinned(points: Sequence[_T], key: Callable[[_T], float]) -> list[_T]:
    """The points to draw: all, or of many the new maxima and a sample.

    A browser draws some thousands at once; the sample is spread evenly.
    """
    if len(points) <= _MOST_POINTS:
        return list(points)
    highest, kept = -inf, set(range(0, len(points), ceil(len(points) / _MOST_POINTS)))
    for place, point in enumerate(points):
        if key(point) > highest:
            highest = key(point)
            kept.add(place)
    return [points[place] for place in sorted(kept)]


def _sampled(drawn: Sequence[object], every: Sequence[object]) -> str:
    return "" if len(drawn) == len(every) else f" ({len(drawn):,} of {len(every):,})"


def _heights(steps: Sequence[StepRow]) -> dict[int, float]:
    """Heights of steps by reward, those without a reward on a floor below."""
    rewards = [step.reward for step in steps if step.reward > 0]
    low, top = min(rewards, default=1.0), max(rewards, default=1.0)
    ground = low / 1.6 if top >= LOGARITHMIC_FROM else low - 0.15 * max(top - low, 0.2)
    return {step.step: step.reward if step.reward > 0 else ground for step in steps}


def _marks(steps: Sequence[StepRow], heights: Mapping[int, float]) -> Part:
    ids = [step.step for step in steps]
    marks = {"x": ids, "y": [heights[number] for number in ids], "customdata": ids}
    return {"type": "scatter", "mode": "markers", **marks}


def _by_status(steps: Sequence[StepRow], heights: Mapping[int, float]) -> Iterable[Part]:
    present = {step.status for step in steps}
    for status, (colour, symbol) in STATUSES.items():
        if status in present:
            text = "#%{customdata}: %{y:.3g}x" if status == Status.OK else "#%{customdata}"
            yield {
                **_marks([step for step in steps if step.status == status], heights),
                "name": status.replace("_", " "),
                "marker": {"color": colour, "symbol": symbol, "size": 7, "opacity": 0.75},
                "hovertemplate": f"{text}<extra>%{{fullData.name}}</extra>",
            }


def _edges(
    steps: Sequence[StepRow], heights: Mapping[int, float], line: Part, opacity: float
) -> Part:
    x: list[int | None] = []
    y: list[float | None] = []
    for step in steps:
        if step.parent is not None:
            x += [step.parent, step.step, None]
            y += [heights[step.parent], heights[step.step], None]
    look = {"line": line, "opacity": opacity, "hoverinfo": "skip", "showlegend": False}
    return {"type": "scatter", "x": x, "y": y, "mode": "lines", **look}
