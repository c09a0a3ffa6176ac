"""Trust as plots: reliability of probabilities, and estimates against outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maxcode.errors import InputError
from maxcode.reward_to_go.evaluation.figures import Trust
from maxcode.system import check_libraries

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# ruff: noqa: PLC0415 - matplotlib is an extra, and imported when something is drawn

_POINTS = 5000  # in a plot, at most


def check_plots() -> None:
    """Raise :class:`ToolError` where matplotlib is missing."""
    check_libraries("plots need", ("matplotlib",), "reward-to-go")


def save_plots(models: Mapping[str, Trust], folder: Path | str) -> list[Path]:
    """Draw ``estimates.png`` and, where a model gives distributions, ``reliability.png``.

    Returns the files. Raises :class:`ToolError` without matplotlib, and :class:`InputError` when
    the folder cannot be written.
    """
    check_plots()
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = [_estimates(models, folder / "estimates.png")]
        if any(trust.calibration for trust in models.values()):
            files.append(_reliability(models, folder / "reliability.png"))
    except OSError as error:
        raise InputError(f"cannot write plots to {folder}: {error.strerror}") from error
    return files


def _reliability(models: Mapping[str, Trust], path: Path) -> Path:
    figure = _figure(6.5, 5.5)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="#888888", lw=1, ls=":", label="as it should be")
    for (name, trust), colour in zip(models.items(), _colours(len(models)), strict=True):
        if trust.calibration is None:
            continue
        curve = trust.calibration.curve
        shares = [one.happened for one in curve]
        axes.errorbar(
            [one.predicted for one in curve],
            [share.value for share in shares],
            [[s.value - s.low for s in shares], [s.high - s.value for s in shares]],
            label=f"{name}, ECE {trust.calibration.ece.value:.3f}",
            color=colour,
            fmt="o-",
            ms=4,
            lw=1.5,
            capsize=2,
        )
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="predicted probability", ylabel="share that did")
    title = 'events "the target reaches edge e", with 95 % intervals'
    axes.set_title(title, fontsize=9, color="#555555", loc="left")
    _style(axes)
    figure.legend(loc="outside lower center", frameon=False, fontsize=9)
    figure.savefig(path)
    return path


def _estimates(models: Mapping[str, Trust], path: Path) -> Path:
    figure = _figure(4.2 * len(models), 4.2)
    panels = figure.subplots(1, len(models), squeeze=False)[0]
    for axes, (name, trust), colour in zip(
        panels, models.items(), _colours(len(models)), strict=True
    ):
        rng = np.random.default_rng(0)
        shown = rng.permutation(trust.candidates)[:_POINTS]
        axes.plot([0, 1], [0, 1], transform=axes.transAxes, color="#888888", lw=1, ls=":")
        axes.scatter(trust.estimates[shown], trust.targets[shown], s=6, alpha=0.25, color=colour)
        top = 1.05 * max(trust.estimates.max(), trust.targets.max(), 1.0)
        axes.set(xlim=(0, top), ylim=(0, top), xlabel="estimate", ylabel="what became of it")
        axes.set_title(name, fontsize=9, loc="left", wrap=True)
        _style(axes)
    figure.savefig(path)
    return path


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=150, layout="constrained", facecolor="white")


def _colours(count: int) -> list[str]:
    """Colours for every kind of colour vision, repeated where there are too few."""
    from matplotlib import style

    known = style.library["tableau-colorblind10"]["axes.prop_cycle"].by_key()["color"]
    return [known[i % len(known)] for i in range(count)]


def _style(axes: Axes) -> None:
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
