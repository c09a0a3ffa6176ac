"""Best-so-far curves as pictures: PNG by matplotlib, an interactive page by plotly."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from maxcode.comparison.contest import Contest
from maxcode.comparison.outcome import AXES, Axis, Curve
from maxcode.errors import InputError
from maxcode.system import check_libraries
from maxcode.text import counted

# ruff: noqa: PLC0415 - what draws is an extra, and imported when something is drawn


# Okabe and Ito, "Color Universal Design": distinct for people of every colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = (("-", "solid", "o"), ("--", "dash", "s"), (":", "dot", "^"))
"""Line styles of matplotlib and plotly, and a marker for each."""
_LABELS: dict[Axis, str] = {
    "evaluations": "evaluations",
    "tokens": "tokens",
    "dollars": "US dollars",
    "seconds": "seconds",
}
_HEIGHT = "best confirmed speedup so far"
_BANDS = 4  # curves beyond which bands would hide one another
_FROM = 10.0  # a speedup from which on the scale is logarithmic


def check_plots() -> None:
    """Raise :class:`ToolError` where matplotlib or plotly is missing."""
    check_libraries("plots need", ("matplotlib", "plotly"), "plots")


def save_plots(contest: Contest, folder: Path | str) -> list[Path]:
    """Draw the curves: ``best-by-evaluations.png`` and so on, and ``best.html`` with all of them.

    Curves against an axis no run spent are left out. Gives the files. Raises :class:`ToolError`
    without the extra ``plots``, and :class:`InputError` when there is nothing to draw or the folder
    cannot be written.
    """
    check_plots()
    curves = {axis: contest.curves(axis) for axis in AXES if contest.spent_any(axis)}
    if not any(curves.values()):
        raise InputError("no task and seed has a finished run of every method: nothing to draw")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        note = _note(contest)
        files = [
            _save_png(found, note, folder / f"best-by-{axis}.png") for axis, found in curves.items()
        ]
        page = folder / "best.html"
        page.write_text(_page(list(curves.values()), note), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write plots to {folder}: {error.strerror}") from error
    return [*files, page]


def _note(contest: Contest) -> str:
    """Note on the curves: their figure, runs, tasks and budget."""
    tasks, pairs = len({task for task, _ in contest.pairs}), len(contest.pairs)
    runs = f"{counted(pairs, 'run')} each on {counted(tasks, 'task')}"
    budget = f", budget {contest.budget}" if contest.budget else ""
    early = [f"{one.method} ({one.count} of {one.runs})" for one in contest.ended_early]
    unspent = f"\nended with budget left: {', '.join(early)}" if early else ""
    return f"geometric mean with 95 % interval; {runs}{budget}{unspent}"


def _styles(count: int) -> list[tuple[str, tuple[str, str, str]]]:
    """A colour and a line of its own for each curve."""
    styles = ((colour, dash) for dash in cycle(_DASHES) for colour in _COLOURS)
    return list(islice(styles, count))


def _save_png(curves: Sequence[Curve], note: str, path: Path) -> Path:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

    figure = Figure(figsize=(9, 5.4), dpi=150, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    end, handles = curves[0].x[-1], []
    for number, (curve, (colour, dash)) in enumerate(
        zip(curves, _styles(len(curves)), strict=True)
    ):
        axes.step(curve.x, curve.value, where="post", color=colour, ls=dash[0], lw=1.8)
        name = curve.method.replace("$", r"\$")
        marker = "" if len(curves) <= _BANDS else dash[2]
        handles.append(Line2D([], [], color=colour, ls=dash[0], marker=marker, ms=4, label=name))
        if len(curves) <= _BANDS:
            axes.fill_between(
                curve.x, curve.low, curve.high, step="post", color=colour, alpha=0.15, lw=0
            )
        else:
            value = curve.value[-1]
            reach = [[value - curve.low[-1]], [curve.high[-1] - value]]
            place = end * (1.015 + 0.015 * number)
            axes.errorbar([place], [value], reach, color=colour, fmt=dash[2], ms=4, lw=1.4)
    if max(max(curve.high) for curve in curves) >= _FROM:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(ScalarFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
    if curves[0].axis in ("evaluations", "tokens"):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(left=0)
    axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= end])
    axes.set_xlabel(f"{_LABELS[curves[0].axis]} spent in a run")
    axes.set_ylabel(f"{_HEIGHT} (times)")
    axes.set_title(note, fontsize=9, color="#555555", loc="left")
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    columns = min(3, len(curves))
    figure.legend(
        handles=handles, loc="outside lower left", ncols=columns, frameon=False, fontsize=9
    )
    figure.savefig(path)
    return path


def _page(every: Sequence[Sequence[Curve]], note: str) -> str:
    """Page with a chart for each axis; the library is part of it, so it needs no network."""
    charts = [
        _chart(curves).to_html(full_html=False, include_plotlyjs=number == 0)
        for number, curves in enumerate(every)
    ]
    title = escape(f"{_HEIGHT.capitalize()}: {note}")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n"
        '<body style="background: white; font-family: sans-serif; max-width: 70em">\n'
        f"<h1 style='font-size: 1.2em'>{title}</h1>\n"
        "<p>A click on a name hides its curve, a double click all others.</p>\n"
        + "\n".join(charts)
        + "\n</body>\n</html>\n"
    )


def _chart(curves: Sequence[Curve]) -> Any:
    figure = import_module("plotly.graph_objects").Figure()  # it has no types
    for curve, (colour, dash) in zip(curves, _styles(len(curves)), strict=True):
        shared = {"x": curve.x, "legendgroup": curve.method, "line_shape": "hv"}
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        none = {"mode": "lines", "line_width": 0, "hoverinfo": "skip", "showlegend": False}
        fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},0.12)"}
        figure.add_scatter(y=curve.low, **shared, **none)
        figure.add_scatter(y=curve.high, **shared, **none, **fill)
        figure.add_scatter(
            y=curve.value,
            **shared,
            name=curve.method,
            mode="lines",
            line={"color": colour, "dash": dash[1], "width": 2},
            customdata=list(zip(curve.low, curve.high, strict=True)),
            hovertemplate="%{y:.2f}x [%{customdata[0]:.2f}, %{customdata[1]:.2f}]",
        )
    logarithmic = max(max(curve.high) for curve in curves) >= _FROM
    figure.update_layout(
        template="plotly_white",
        hovermode="x unified",
        xaxis_title=f"{_LABELS[curves[0].axis]} spent in a run",
        yaxis={"title": f"{_HEIGHT} (times)", "type": "log" if logarithmic else "linear"},
        legend={"x": 1.02, "y": 1},
        height=460,
    )
    return figure
