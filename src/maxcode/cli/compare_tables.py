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
    factor_with_interval,
    missed,
)
from maxcode.comparison.efficiency import Efficiency, OverheadFigures
from maxcode.comparison.published import PublishedTable
from maxcode.text import counted, duration, percent, price, quantity

_WIDE = 26  # columns beyond which a name is broken


def _named(method: str) -> Text:
    """A method's name, broken before its ``@`` where it is long."""
    return Text(method.replace("@", "\n@") if len(method) > _WIDE else method)


def _share(p: float) -> Callable[[Standing], str]:
    return lambda one: percent(one.fast[p].value)


_SPEEDUPS: dict[str, Callable[[Standing], str]] = {
    "geometric mean": lambda one: factor_with_interval(one.geometric_mean),
    "median": lambda one: factor_with_interval(one.median),
    "rank": lambda one: f"{one.rank.value:.1f} [{one.rank.low:.1f}, {one.rank.high:.1f}]",
}
_SHARES: dict[str, Callable[[Standing], str]] = {
    "correct": lambda one: percent(one.correct.value),
    **{f"> {p:g}": _share(p) for p in THRESHOLDS[1:]},
    "%Opt": lambda one: percent(one.optimised.value),
}
_COSTS: dict[str, Callable[[Standing], str]] = {
    "runs": lambda one: str(one.runs),
    "evaluations": lambda one: f"{one.evaluations:.1f}",
    "tokens": lambda one: f"{one.tokens:,.0f}",
    "dollars": lambda one: price(one.dollars, one.unpriced),
    "time": lambda one: duration(one.seconds),
}


def print_contest(
    console: Console,
    contest: Contest,
    *,
    against: tuple[str, Sequence[Difference]] = ("", ()),
    effects: Sequence[Difference] = (),
    ranked: Sequence[Difference] = (),
    tables: Sequence[PublishedTable] = (),
) -> None:
    """Print all tables of a comparison.

    ``against`` names another method than the control, or all, with differences from it. ``effects``
    are differences by an ablation's switches, ``ranked`` by reward-to-go models, and
    ``tables`` are in the form of published work.
    """
    for one in tables:
        if one.rows:
            console.print(titled(one.heading, _published(one)))
    if standings := contest.standings():
        console.print(_standings(standings, _SPEEDUPS))
        title = "Share of runs that are correct, and faster than p (fast_p)"
        console.print(titled(title, _standings(standings, _SHARES)))
        console.print(titled("What a run cost, on average", _standings(standings, _COSTS)))
        if taken := _efficiency(contest.efficiency()):
            console.print(titled("What the programs take (Effi-Learner)", taken))
        _print_differences(console, f"Against {contest.control}", contest.differences())
        other, from_other = against
        title = "Each against each" if other == "all" else f"Against {other}"
        _print_differences(console, title, from_other)
        _print_differences(console, "What each switch is worth", effects)
        _print_differences(console, "What the reward-to-go model is worth", ranked)
    _print_basis(console, contest)


def outcome_of(contest: Contest) -> Outcome:
    """The comparison for a comment or a file of tests: methods, and failed runs."""
    rows = [
        Row(one.method, (factor_with_interval(one.geometric_mean), str(one.runs)))
        for one in contest.standings()
    ]
    failed = [
        Row(f"{one.method}, {one.task}, seed {one.seed}", (one.message, ""), "failed")
        for one in contest.failures
    ]
    done = f"{len(contest.outcomes)} of {counted(contest.planned, 'run')}"
    said = (
        f"{one.method} against {contest.control}: {one.verdict}" for one in contest.differences()
    )
    return Outcome(
        "compare",
        "comparison",
        done,
        failure="failed" if failed else "",
        columns=("method", "geometric mean", "runs"),
        rows=[*failed, *rows],
        facts=[*said, f"budget: {contest.budget}"],
    )


_OVERHEAD: tuple[tuple[str, str, str, Callable[[Efficiency], OverheadFigures | None]], ...] = (
    ("ET", "NET", "s", lambda found: found.time),
    ("MU", "NMU", "B", lambda found: found.peak_memory),
    ("TMU", "NTMU", "MB*s", lambda found: found.memory_integral),
)


def _efficiency(found: Mapping[str, Efficiency]) -> Table | None:
    """Effi-Learner's figures of each method in both definitions; None where nothing was measured.

    The paper takes the mean of ratios, its scripts the ratio of totals.
    """
    names = [name for absolute, normalised, *_ in _OVERHEAD for name in (absolute, normalised)]
    table = figure_table("method", "NET to NTMU", *names)
    for method, one in found.items():
        means, totals = [], []
        for _, _, unit, read in _OVERHEAD:
            figures = read(one)
            means += [quantity(figures.program, unit) if figures else "-"]
            means += [f"{figures.mean_of_ratios.value:.2f}" if figures else "-"]
            totals += ["", f"{figures.ratio_of_totals:.2f}" if figures else "-"]
        if set(means) != {"-"}:
            table.add_row(method, "mean of ratios", *means)
            table.add_row("", "ratio of totals", *totals)
    return table if table.row_count else None


def _published(table: PublishedTable) -> Table:
    drawn = figure_table("method", "counted", *(column.name for column in table.columns))
    last = ""
    for row in table.rows:
        name = _named(row.method) if row.method != last else ""
        drawn.add_row(name, row.counted, *table.cells(row))
        last = row.method
    return drawn


def _standings(
    standings: Sequence[Standing], columns: Mapping[str, Callable[[Standing], str]]
) -> Table:
    table = figure_table("method", *columns)
    for one in standings:
        table.add_row(_named(one.method), *(figure(one) for figure in columns.values()))
    return table


def _print_differences(console: Console, title: str, found: Sequence[Difference]) -> None:
    if not found:
        return
    console.print(titled(title))
    for one in found:
        style = "bold" if one.real else "" if one.corrected <= SIGNIFICANT else "dim"
        console.print(Padding(Text(str(one), style), (0, 0, 0, 2)))


def _print_basis(console: Console, contest: Contest) -> None:
    tasks = len({task for task, _ in contest.pairs})
    console.print(
        f"\n{counted(len(contest.pairs), 'pair')} of a task and a seed, on {counted(tasks, 'task')}"
        f", budget {contest.budget}. A program that is wrong or not faster counts as 1.0x."
    )
    if contest.pairs:
        drawn = "tasks resampled" if tasks > 1 else "seeds resampled: they speak of this task only"
        console.print(
            f"In brackets: 95 % intervals, {drawn}. p: of signs of pairs, each seed a look; for a "
            "real difference the t-test over tasks, too; corrected for their number (Holm)."
        )
        if power := _power(contest, tasks):
            console.print(power)
    if len(contest.pairs) == 1:
        console.print("A single pair says nothing about chance: the intervals are empty.")
    _print_unequal(console, contest)
    alike = Counter((one.method, one.message) for one in contest.failures)
    for (method, message), count in alike.items():
        console.print(f"failed, {counted(count, 'run')} of {method}: {message}", style="red")


def _power(contest: Contest, tasks: int) -> str:
    """The smallest differences the comparison could show; empty for the control alone."""
    found = [one.detectable for one in contest.differences()]
    if not found:
        return ""
    seeds = counted(len({seed for _, seed in contest.pairs}), "seed")
    power = missed(found, f" from {contest.control}")
    return f"Power: with {seeds} on {counted(tasks, 'task')} {power}."


def _print_unequal(console: Console, contest: Contest) -> None:
    """Print reasons for which the comparison is unequal."""
    for name in contest.left_out:
        console.print(f"left out: {name}, of which no run came to its end", style="yellow")
    failed = {one.method for one in contest.failures} - set(contest.left_out)
    if failed:
        console.print(
            f"pairs on which {', '.join(sorted(failed))} failed are left out, which favours it",
            style="yellow",
        )
    for early in contest.ended_early:
        console.print(f"note: {early}")
