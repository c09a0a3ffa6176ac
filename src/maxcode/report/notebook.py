"""How a result shows itself in a notebook: headline, curve and diff, without any script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from io import StringIO

from jinja2 import Environment, PackageLoader

from maxcode.evaluation import Interval
from maxcode.report.details import plain
from maxcode.report.text import (
    asked,
    counted,
    factor,
    handed_back,
    how_sure,
    interval,
    tried,
)
from maxcode.search.result import Result
from maxcode.tree import ROOT

_SHOWN = 400  # lines of a diff
_INK = "#010203"  # becomes the colour of the text around, be that light or dark
_ACCENT = "#3584c8"  # 3:1 and more on white and on black


def html(result: Result) -> str:
    """The result as HTML. The curve needs matplotlib, and is left out where that is missing."""
    environment = Environment(
        loader=PackageLoader("maxcode.report"), autoescape=True, trim_blocks=True
    )
    lines = plain(result.diff()).splitlines() if result.improved else []
    ratio = result.speedup
    rises = _rises(result)
    facts = [*handed_back(result), ("tried", tried(result)), *asked(result), ("run", result.run_id)]
    if result.improved:
        facts.insert(0, how_sure(result))
    if result.status != "done":
        facts.append(("stopped", f"{result.status}. {result.reason}".rstrip(". ")))
    return environment.get_template("notebook.html.jinja").render(
        task=plain(result.task),
        speedup=factor(ratio.value) if result.improved else "",
        bounds=f"{100 * ratio.level:g}% interval {factor(ratio.low)} to {factor(ratio.high)}",
        facts=[(name, plain(text)) for name, text in facts],
        nothing=f"nothing faster {'found' if result.returned is None else 'handed back'}",
        curve=_curve(result, rises) if find_spec("matplotlib") else "",
        described=_described(result, rises),
        diff=[(_kind(line), line) for line in lines[:_SHOWN]],
        more=counted(len(lines) - _SHOWN, "more line") if len(lines) > _SHOWN else "",
    )


def _rises(result: Result) -> list[tuple[int, Interval]]:
    """The steps that were the best one after the other, with what is known of their speedups."""
    tree = result.tree
    rises = [(step, tree.confirmed(step) or ratio) for step, ratio in tree.incumbents]
    if result.returned is not None or not result.confirmed:
        return rises
    # A product of comparisons that the search chose steps by may promise more than was confirmed.
    most = max(rises[0][1], result.speedup, key=lambda one: one.value)
    return [(step, min(one, most, key=lambda one: one.value)) for step, one in rises]


def _described(result: Result, rises: Sequence[tuple[int, Interval]]) -> str:
    return (
        f"Best so far over {counted(result.spent.evaluations, 'evaluation')}: "
        f"{counted(len(rises) - 1, 'rise')}, to {interval(rises[-1][1])}"
    )


def _kind(line: str) -> str:
    """What a line of a unified diff is, as the style sheet calls it."""
    if line.startswith(("---", "+++", "@@")):
        return "mx-place"
    return {"+": "mx-added", "-": "mx-removed"}.get(line[:1], "mx-kept")


def _curve(result: Result, rises: Sequence[tuple[int, Interval]]) -> str:
    """The best so far and every score, over evaluations, as an SVG picture."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    numbers, count = {}, 0
    for step in result.tree:
        count += step.cost.evaluations
        numbers[step.id] = count
    scored = [s for s in result.tree if s.evaluation.ok and s.id != ROOT and s.cost.evaluations]

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
