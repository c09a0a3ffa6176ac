"""A plot of a training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def save_plot(metrics: Path, file: Path) -> bool:
    """Draw losses and ranking against steps, from the lines of ``metrics.jsonl``.

    Gives False, and draws nothing, where matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - an extra
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        return False
    lines = [json.loads(line) for line in metrics.read_text("utf-8").splitlines()]
    figure = Figure(figsize=(7, 6), layout="constrained")
    FigureCanvasAgg(figure)
    losses, ranking = figure.subplots(2, 1, sharex=True)
    _draw(losses, lines, "loss", "training", "#56B4E9")
    _draw(losses, lines, "eval_loss", "held out", "#D55E00")
    losses.set_ylabel("cross-entropy of the bin")
    losses.legend()
    _draw(ranking, lines, "eval_ranking", "held out", "#009E73")
    ranking.axhline(0, color="#999999", linewidth=0.8)
    ranking.set_ylabel("rank correlation")
    ranking.set_xlabel("steps")
    figure.savefig(file, dpi=120)
    return True


def _draw(axes: Any, lines: list[dict[str, float]], key: str, label: str, colour: str) -> None:
    points = [(line["step"], line[key]) for line in lines if key in line]
    axes.plot(*zip(*points, strict=True) if points else ([], []), label=label, color=colour)
