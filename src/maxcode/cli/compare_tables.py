"""Tables of a comparison: figures of each method, differences, and their limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from maxcode.cli.console import figure_table, titled
from maxcode.cli.forms import Outcome, Row
from maxcode.comparison.contest import (
    SIGNIFICANT,
    THRESHOLDS,
    Contest,
    Difference,
    Standing,
    missed,
    with_interval,
)
from maxcode.comparison.efficiency import OverheadFigures
from maxcode.comparison.published import PublishedTable
from maxcode.text import counted, duration, percent, price, quantity

_Columns = Mapping[str, Callable[[Standing], str]]


def _share(p: float) -> Callable[[Standing], str]:
    return lambda one: percent(one.fast[p].value)


_STANDINGS: dict[str, _Columns] = {
    "": {
        "geometric mean": lambda one: with_interval(one.geometric_mean, unit="x"),
        "median": lambda one: with_interval(one.median, unit="x"),
        "rank": lambda one: with_interval(one.rank, 1),
    },
    "Share of runs that are correct, and faster than p (fast_p)": {
        "correct": lambda one: percent(one.correct.value),
        **{f"> {p:g}": _share(p) for p in THRESHOLDS[1:]},
        "%Opt": lambda one: percent(one.optimised.value),
    },
    "What a run cost, on average": {
        "runs": lambda one: str(one.runs),
        "evaluations": lambda one: f"{one.evaluations:.1f}",
        "tokens": lambda one: f"{one.tokens:,.0f}",
        "dollars": lambda one: price(one.dollars, one.unpriced),
        "time": lambda one: duration(one.seconds),
    },
}
"""Figures of each method by the title of their table."""


def print_contest(
    console: Console,
    contest: Contest,
    differences: Mapping[str, Sequence[Difference]],
    tables: Sequence[PublishedTable] = (),
) -> None:
    """Print all tables of a comparison.

    ``differences`` are lists of further differences by their titles, beside those from the control;
    ``tables`` are in the form of published work.
    """
    for published in tables:
        if published.rows:
            console.print(titled(published.heading, _published(published)))
    if standings := contest.standings():
        for title, columns in _STANDINGS.items():
            table = figure_table("method", *columns)
            for one in standings:
                table.add_row(one.method, *(figure(one) for figure in columns.values()))
            console.print(titled(title, table) if title else table)
        taken = _efficiency(contest.efficiency())
        if taken.row_count:
            console.print(titled("What the programs take (Effi-Learner)", taken))
        lists = {f"Against {contest.control}": contest.differences(), **differences}
        for title, found in lists.items():
            _print_differences(console, title, found)
    _print_basis(console, contest)


def outcome_of(contest: Contest) -> Outcome:
    """The comparison for a comment or a file of tests: methods, and failed runs."""
    rows = [
        Row(one.method, (with_interval(one.geometric_mean, unit="x"), str(one.runs)))
        for one in contest.standings()
    ]
    failed = [
        Row(f"{one.method}, {one.task}, seed {one.seed}", (one.message, ""), "failed")
        for one in contest.failures
    ]
    said = (
        f"{one.method} against {contest.control}: {one.verdict}" for one in contest.differences()
    )
    return Outcome(
        "compare",
        "comparison",
        f"{len(contest.outcomes)} of {counted(contest.planned, 'run')}",
        failure="failed" if failed else "",
        columns=("method", "geometric mean", "runs"),
        rows=[*failed, *rows],
        facts=[*said, f"budget: {contest.budget}"],
    )


_OVERHEAD = {"ET": ("time", "s"), "MU": ("peak_memory", "B"), "TMU": ("memory_integral", "MB*s")}
"""Effi-Learner's figures, each with a normalised one: attribute and unit."""


def _efficiency(found: Mapping[str, Mapping[str, OverheadFigures | None]]) -> Table:
    """Effi-Learner's figures of each method in both definitions, where anything was measured.

    The paper takes the mean of ratios, its scripts the ratio of totals.
    """
    names = [each for name in _OVERHEAD for each in (name, f"N{name}")]
    table = figure_table("method", "NET to NTMU", *names)
    for method, one in found.items():
        means, totals = [], []
        for name, unit in _OVERHEAD.values():
            figures = one[name]
            means += [quantity(figures.program, unit) if figures else "-"]
            means += [f"{figures.mean_of_ratios.value:.2f}" if figures else "-"]
            totals += ["", f"{figures.ratio_of_totals:.2f}" if figures else "-"]
        if set(means) != {"-"}:
            table.add_row(method, "mean of ratios", *means)
            table.add_row("", "ratio of totals", *totals)
    return table


def _published(table: PublishedTable) -> Table:
    drawn = figure_table("method", "counted", *(column.name for column in table.columns))
    last = ""
    for row in table.rows:
        drawn.add_row(row.method if row.method != last else "", row.counted, *table.cells(row))
        last = row.method
    return drawn


def _print_differences(console: Console, title: str, found: Sequence[Difference]) -> None:
    if found:
        console.print(titled(title))
    for one in found:
        style = "bold" if one.real else "" if one.corrected <= SIGNIFICANT else "dim"
        console.print(Padding(Text(str(one), style), (0, 0, 0, 2)))


def _print_basis(console: Console, contest: Contest) -> None:
    """Print the size of the comparison, its tests and power, and what makes it unequal."""
    pairs = len(contest.pairs)
    tasks = len({task for task, _ in contest.pairs})
    on = counted(tasks, "task")
    console.print(
        f"\n{counted(pairs, 'pair')} of a task and a seed, on {on}, budget {contest.budget}. A "
        "program that is wrong or not faster counts as 1.0x."
    )
    if pairs > 1:
        drawn = "tasks resampled" if tasks > 1 else "seeds resampled: they speak of this task only"
        console.print(
            f"In brackets: 95 % intervals, {drawn}. p: of signs of pairs, each seed a look; for a "
            "real difference the t-test over tasks, too; corrected for their number (Holm)."
        )
    elif pairs:
        console.print("A single pair says nothing about chance, so there are no intervals.")
    if pairs and (found := [one.detectable for one in contest.differences()]):
        seeds = counted(len({seed for _, seed in contest.pairs}), "seed")
        power = missed(found, f" from {contest.control}")
        console.print(f"Power: with {seeds} on {on} {power}.")
    for name in contest.left_out:
        console.print(f"left out: {name}, of which no run came to its end", style="yellow")
    if failed := {one.method for one in contest.failures} - set(contest.left_out):
        console.print(
            f"pairs on which {', '.join(sorted(failed))} failed are left out, which favours it",
            style="yellow",
        )
    for early in contest.ended_early:
        console.print(f"note: {early}")
    alike = Counter((one.method, one.message) for one in contest.failures)
    for (method, message), count in alike.items():
        console.print(f"failed, {counted(count, 'run')} of {method}: {message}", style="red")
