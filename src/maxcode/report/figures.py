"""Figures of a report, as plotly describes them in JSON: data, layout, and what they show in words.

Colours of text and background are the page's, which has them light and dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maxcode.evaluation import Status
from maxcode.report.charts import (
    BLUE,
    GREY,
    ORANGE,
    SPEEDUP,
    STATUSES,
    Figure,
    bar_height,
    bars,
    curve,
    curves,
    empty,
    handed,
    label,
    logarithmic,
    named,
    priced,
    spent,
    tree,
)
from maxcode.report.document import RunDocument, Spending, Spent, Timing
from maxcode.report.history import Calibration
from maxcode.system import check_libraries
from maxcode.text import duration, price

_APART = (
    5.0  # the ratio of the largest sample to the least from which on their scale is logarithmic
)
_UNITS = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")),
}


def outcomes(counts: Mapping[str, int]) -> Figure | None:
    """How the candidates of a run ended."""
    if not counts:
        return None
    order = sorted(counts, key=lambda status: (status == Status.OK, counts[status]))
    names = [status.replace("_", " ") for status in order]
    values = [counts[status] for status in order]
    figure = bars(names, values, [f"{n:,}" for n in values], [STATUSES[s][0] for s in order])
    figure.update_xaxes(title="candidates")
    told = ", ".join(f"{n} {name}" for name, n in zip(names[::-1], values[::-1], strict=True))
    return handed(figure, f"How candidates ended: {told}.", bar_height(len(order)))


def all_outcomes(runs: Sequence[RunDocument]) -> Figure:
    """How those of several runs ended."""
    figure, names = empty(), [label(run) for run in runs]
    for status in [s for s in STATUSES if any(s in run.outcomes for run in runs)]:
        figure.add_bar(
            x=[run.outcomes.get(status, 0) for run in runs],
            y=names,
            orientation="h",
            name=status.replace("_", " "),
            marker={"color": STATUSES[status][0]},
            hovertemplate="%{x} %{fullData.name}<extra></extra>",
        )
    figure.update_layout(barmode="stack", xaxis_title="candidates", yaxis_autorange="reversed")
    return handed(figure, "How the candidates of each run ended.", 40 + bar_height(len(runs)))


def samples(timings: Sequence[Timing]) -> Figure | None:
    """Samples as points, with boxes from quartile to quartile; all on the meter of the baseline."""
    shown = [one for one in timings if one.unit == timings[0].unit][::-1]
    values = [value for one in shown for _, found in one.samples for value in found]
    if not values:
        return None
    figure, least = empty(), min(values)
    size, unit = _unit(max(values), shown[0].unit)
    sides = {False: ("the step", BLUE), True: ("what it was compared with", GREY)}
    for other, (name, colour) in sides.items():
        drawn = [
            (one.title, value / size)
            for one in shown
            for side, found in one.samples
            if (side == one.rival) is other
            for value in found
        ]
        figure.add_box(
            x=[value for _, value in drawn],
            y=[title for title, _ in drawn],
            name=name,
            orientation="h",
            boxpoints="all",
            jitter=0.5,
            pointpos=0,
            marker={"color": colour, "size": 4, "opacity": 0.7},
            line={"width": 1.2},
            hovertemplate=f"%{{y}}: %{{x:.4g}} {named(unit)}<extra>{name}</extra>",
        )
    figure.update_layout(boxmode="group", xaxis_title=named(f"{shown[0].meter} ({unit})"))
    if least > 0 and max(values) / least > _APART:
        figure.update_xaxes(logarithmic(least / size, max(values) / size))
    else:
        figure.update_xaxes(rangemode="tozero")
    figure.update_yaxes(categoryorder="array", categoryarray=[one.title for one in shown])
    told = f"{len(values)} samples of {len(shown)} measurements in {unit}, with quartiles"
    return handed(figure, f"{told}. The table below has their medians.", 110 + 50 * len(shown))


def _unit(largest: float, unit: str) -> tuple[float, str]:
    """The unit that gives sensible digits, and how much it is of the given one."""
    known = [(size, name) for size, name in _UNITS.get(unit, ()) if largest >= size]
    return known[0] if known else (1.0, unit)


def times(spending: Spending) -> Figure | None:
    """Where time went."""
    if not spending.seconds:
        return None
    seconds = dict(spending.seconds)
    if spending.waiting:
        seconds["waiting and not accounted for"] = spending.waiting
    order = sorted(seconds, key=lambda kind: seconds[kind])
    texts = [duration(seconds[kind]) for kind in order]
    colours = [BLUE if kind in spending.seconds else GREY for kind in order]
    figure = bars(order, [seconds[kind] for kind in order], texts, colours)
    figure.update_xaxes(title="time (s)")
    told = ", ".join(f"{kind} {text}" for kind, text in zip(order[::-1], texts[::-1], strict=True))
    return handed(figure, f"Where time went: {told}.", bar_height(len(order)))


def money(models: Sequence[Spent]) -> Figure | None:
    """What models were paid: in dollars, or where no price is known in tokens."""
    if not models:
        return None
    paid = any(one.dollars for one in models)
    texts = [f"{one.tokens:,} tokens, {price(one.dollars, one.unpriced)}" for one in models]
    names = [_asked(one) for one in models]
    amounts = [one.dollars if paid else one.tokens for one in models]
    figure = bars(names, amounts, texts, [ORANGE] * len(models))
    figure.update_xaxes(title="US dollars" if paid else "tokens")
    told = "; ".join(
        f"{one.role} {one.model}: {text}" for one, text in zip(models, texts, strict=True)
    )
    return handed(figure, f"What models were paid: {told}.", bar_height(len(models)))


def _asked(one: Spent) -> str:
    """Who asked which model, without where that is served."""
    model = one.model.partition(":")[2].partition("@")[0] or one.model
    return f"{named(one.role)}<br>{named(model, 24)}" if model else named(one.role)


def calibration(estimates: Calibration) -> Figure | None:
    """What was expected of candidates, and what became of them."""
    if not estimates.points:
        return None
    figure, bins = empty(), estimates.bins
    highest = 1.05 * max(max(one.estimate, one.became) for one in estimates.points)
    figure.add_scatter(
        x=[0, highest],
        y=[0, highest],
        mode="lines",
        line={"color": GREY, "dash": "dot", "width": 1},
        name="as it should be",
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[one.estimate for one in estimates.points],
        y=[one.became for one in estimates.points],
        customdata=[one.step for one in estimates.points],
        mode="markers",
        name="candidates",
        marker={"color": BLUE, "size": 5, "opacity": 0.45},
        hovertemplate="#%{customdata}: %{x:.3g}x expected, %{y:.3g}x became<extra></extra>",
    )
    figure.add_scatter(
        x=[one.estimate for one in bins],
        y=[one.became for one in bins],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, one.high - one.became) for one in bins],
            "arrayminus": [max(0.0, one.became - one.low) for one in bins],
        },
        mode="lines+markers",
        name="mean and quartiles, in bins",
        line={"color": ORANGE, "width": 2},
        hovertemplate="%{x:.3g}x expected, %{y:.3g}x became<extra>bin</extra>",
    )
    figure.update_xaxes(title=f"expected {SPEEDUP}", range=[0, highest])
    figure.update_yaxes(title=f"what became of it, {SPEEDUP}", range=[0, highest])
    told = "; ".join(f"{name}: {text}" for name, text in estimates.facts)
    return handed(figure, f"Estimates of {len(estimates.points)} candidates. {told}", 400)


def check_figures() -> None:
    """Raise :class:`ToolError` where plotly or Pygments is missing."""
    check_libraries("a report needs", ("plotly", "pygments"), "report")


def figures(run: RunDocument) -> dict[str, Figure]:
    """The figures of a run, by name; those with nothing to show are left out."""
    found = {
        **{f"curve-{axis}": curve(run, axis) for axis in spent([run])},
        "tree": tree(run),
        "outcomes": outcomes(run.outcomes),
        "samples": samples(run.timings),
        "time": times(run.spending),
        "money": money(run.spending.models),
        "calibration": calibration(run.estimates) if run.estimates else None,
    }
    return {name: figure for name, figure in found.items() if figure}


def comparison(runs: Sequence[RunDocument]) -> dict[str, Figure]:
    """The figures of several runs of one task: their curves, and how their candidates ended."""
    axes = [axis for axis in spent(runs) if axis != "dollars"]
    axes += [axis for axis in spent(priced(runs)) if axis == "dollars"]
    drawn = {f"curve-{axis}": curves(runs, axis) for axis in axes}
    return {**drawn, "outcomes": all_outcomes(runs)}
