"""Draws what judges find among programs that are all the same, from the A/A benchmarks' results.

Needs `pip install '.[plots]'`. The same results give the same file.

Usage: python docs/pictures/best_of_equals.py
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "benchmarks" / "results"
JUDGES = {  # by what the results call them
    "naive_largest": ("naive: best of means", "o", "#c0392b"),
    "largest_score": ("maxcode: highest score", "^", "#e0a030"),
    "largest_confirmed": ("maxcode: confirmed", "s", "#2c6fbb"),
}


def main() -> None:
    """Draw the picture beside this script."""
    mpl.rcParams.update({"svg.hashsalt": "maxcode", "font.size": 10})
    searches = [
        search
        for name in ("aa_cpp", "aa_kernels")
        for search in json.loads((RESULTS / f"{name}.json").read_text())["searches"]
    ]
    searches.sort(key=lambda search: search["naive_largest"])
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    axes.axhline(1, color="#999999", linewidth=0.8)
    numbers = range(1, len(searches) + 1)
    for key, (label, marker, color) in JUDGES.items():
        axes.plot(numbers, [s[key] for s in searches], marker, color=color, label=label)
    axes.set_xticks([])
    axes.set_xlabel(f"{len(searches)} searches among programs that are all the same")
    axes.set_ylabel('largest "speedup"')
    axes.legend(frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "best_of_equals.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
