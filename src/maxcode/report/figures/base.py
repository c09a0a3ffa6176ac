"""What all figures share: colours, axes, and the form they are handed on in."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import import_module
from math import ceil, floor, inf, log10
from typing import Any

from maxcode.evaluation import Status
from maxcode.report.plain import cut

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
