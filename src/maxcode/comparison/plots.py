"""Best-so-far curves as PNG files, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

from maxcode.comparison.contest import Contest
from maxcode.comparison.outcome import AXES, Axis, Curve
from maxcode.errors import InputError
from maxcode.system import check_libraries
from maxcode.text import counted

# ruff: noqa: PLC0415 - what draws is an extra, and imported when something is drawn


# Okabe and Ito, "Color Universal Design": distinct for people of every colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = (("-", "o"), ("--", "s"), (":", "^"))
"""Line styles, and a marker for each."""
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
    """Raise :class:`ToolError` where matplotlib is missing."""
    check_libraries("plots need", ("matplotlib",), "plots")


def save_plots(contest: Contest, folder: Path | str) -> list[Path]:
    """Draw the curves: ``best-by-evaluations.png`` and so on.

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
        return [
            _save_png(found, note, folder / f"best-by-{axis}.png") for axis, found in curves.items()
        ]
    except OSError as error:
        raise InputError(f"cannot write plots to {folder}: {error.strerror}") from error


def _note(contest: Contest) -> str:
    """Note on the curves: their figure, runs, tasks and budget."""
    tasks, pairs = len({task for task, _ in contest.pairs}), len(contest.pairs)
    runs = f"{counted(pairs, 'run')} each on {counted(tasks, 'task')}"
    budget = f", budget {contest.budget}" if contest.budget else ""
    early = [f"{one.method} ({one.count} of {one.runs})" for one in contest.ended_early]
    unspent = f"\nended with budget left: {', '.join(early)}" if early else ""
    return f"geometric mean with 95 % interval; {runs}{budget}{unspent}"


def _styles(count: int) -> list[tuple[str, tuple[str, str]]]:
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
        marker = "" if len(curves) <= _BANDS else dash[1]
        handles.append(Line2D([], [], color=colour, ls=dash[0], marker=marker, ms=4, label=name))
        if len(curves) <= _BANDS:
            axes.fill_between(
                curve.x, curve.low, curve.high, step="post", color=colour, alpha=0.15, lw=0
            )
        else:
            value = curve.value[-1]
            reach = [[value - curve.low[-1]], [curve.high[-1] - value]]
            place = end * (1.015 + 0.015 * number)
            axes.errorbar([place], [value], reach, color=colour, fmt=dash[1], ms=4, lw=1.4)
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
