"""A result as HTML for notebooks: headline, curve and diff, without any script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from io import StringIO

from jinja2 import Environment, PackageLoader

from maxcode.evaluation import Interval
from maxcode.text import counted, factor, interval, plain, plain_value
from maxcode.tree import ROOT, SearchTree

_MAX_LINES = 400  # of a diff
_INK = "#010203"  # becomes the colour of the text around, be that light or dark
_ACCENT = "#3584c8"  # 3:1 and more on white and on black

Rises = Sequence[tuple[int, Interval]]
"""Best steps in sequence, with their speedups."""


def html(
    task: str,
    speedup: Interval | None,
    elsewhere: str,
    nothing: str,
    facts: Sequence[tuple[str, str]],
    tree: SearchTree,
    rises: Rises,
    diff: str,
) -> str:
    """HTML of a result; ``nothing`` is the headline without a ``speedup``.

    ``elsewhere`` gives the speedup on other inputs, if known.

    The curve needs matplotlib, and is left out where it is missing.
    """
    environment = Environment(
        loader=PackageLoader("maxcode.search"),
        autoescape=True,
        trim_blocks=True,
        finalize=plain_value,
    )
    lines, bounds = plain(diff).splitlines(), ""
    if speedup:
        low, high = factor(speedup.low), factor(speedup.high)
        bounds = f"{100 * speedup.level:g}% interval {low} to {high}"
    evaluations = sum(step.cost.evaluations for step in tree)
    return environment.get_template("notebook.html.jinja").render(
        task=task,
        speedup=factor(speedup.value) if speedup else "",
        elsewhere=f" on the tests given, {elsewhere}" if elsewhere else "",
        bounds=bounds,
        facts=facts,
        nothing=nothing,
        curve=_curve(tree, rises) if find_spec("matplotlib") else "",
        described=f"Best so far over {counted(evaluations, 'evaluation')}: "
        f"{counted(len(rises) - 1, 'rise')}, to {interval(rises[-1][1])}",
        diff=[(_kind(line), line) for line in lines[:_MAX_LINES]],
        more=counted(len(lines) - _MAX_LINES, "more line") if len(lines) > _MAX_LINES else "",
    )


def _kind(line: str) -> str:
    """Kind of a line of a unified diff, as the style sheet calls it."""
    if line.startswith(("---", "+++", "@@")):
        return "mx-place"
    return {"+": "mx-added", "-": "mx-removed"}.get(line[:1], "mx-kept")


def _curve(tree: SearchTree, rises: Rises) -> str:
    """The best so far and every score, over evaluations, as an SVG picture."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    numbers, count = {}, 0
    for step in tree:
        count += step.cost.evaluations
        numbers[step.id] = count
    scored = [s for s in tree if s.evaluation.ok and s.id != ROOT and s.cost.evaluations]

    figure = Figure(figsize=(7, 2.6), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(
        [numbers[s.id] for s in scored],
        [s.reward for s in scored],
        "o",
        ms=3,
        alpha=0.5,
        color=_INK,
        mec="none",
        label="score of a candidate",
    )
    axes.step(
        [*(numbers[step] for step, _ in rises), count],
        [*(one.value for _, one in rises), rises[-1][1].value],
        where="post",
        color=_ACCENT,
        lw=2,
        label="best so far",
    )
    axes.set(xlabel="evaluations", ylabel="speedup (times)", xlim=(0, 1.01 * max(count, 1)))
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_INK)
    axes.tick_params(colors=_INK)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_color(_INK)
    axes.legend(frameon=False, labelcolor=_INK, fontsize=9)
    drawn = StringIO()
    figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None})
    picture = re.sub(r"<metadata>.*?</metadata>", "", drawn.getvalue(), flags=re.DOTALL)
    return picture[picture.index("<svg") :].replace(_INK, "currentColor")
