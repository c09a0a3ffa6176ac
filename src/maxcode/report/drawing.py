"""Common parts of a report's figures: colours, axes, and the form for plotly's script.

Figures are written as plotly's JSON: its Python classes would check and copy each point, which
takes seconds for thousands. Text and background have the colours of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any

from maxcode.evaluation import Status
from maxcode.text import cut

Figure = dict[str, Any]
"""``data`` and ``layout`` for plotly; ``height`` in pixels; ``summary`` for screen readers."""
Part = dict[str, Any]
"""A trace or an axis, in plotly's JSON."""

# Okabe and Ito, "Color Universal Design": distinct for people of every colour vision, on light and
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
LOGARITHMIC_FROM = 10.0
"""The speedup from which on a scale is logarithmic."""
_MAX_UNIT_TICKS = 10


def figure(
    traces: Sequence[Part], summary: str, height: int, x: Part, y: Part, **layout: Any
) -> Figure:
    """A figure of these traces with the axes ``x`` and ``y``."""
    return {
        "data": list(traces),
        "layout": {
            "height": height,
            "hovermode": "closest",
            "margin": {"l": 60, "r": 16, "t": 34, "b": 48},
            "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
            "xaxis": {"automargin": True, **x},
            "yaxis": {"automargin": True, **y},
            **layout,
        },
        "height": height,
        "summary": summary,
    }


def axis(title: str, **more: Any) -> Part:
    """An axis with a title."""
    return {"title": {"text": title}, **more}


def counting_axis(title: str, end: float | None = None) -> Part:
    """An axis from 0 on; where it counts up to ``end``, without halves."""
    few = {"dtick": 1} if end is not None and end <= _MAX_UNIT_TICKS else {}
    return axis(title, rangemode="tozero", **few)


def speedup_axis(title: str, highest: float) -> Part:
    """An axis of speedups up to the highest; logarithmic for a high range."""
    return axis(title, **(logarithmic(0.1, highest) if highest >= LOGARITHMIC_FROM else {}))


def logarithmic(least: float, most: float) -> Part:
    """Settings of a logarithmic axis for a range, with its numbers written out."""
    decades = range(floor(log10(least)), ceil(log10(most)) + 1)
    ticks = [digit * 10.0**decade for decade in decades for digit in (1, 2, 5)]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def label(text: str, most: int = 40) -> str:
    """A foreign text; plotly would take angle brackets for markup."""
    return escape(cut(text, most), quote=False)
