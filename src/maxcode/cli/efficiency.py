"""The command `efficiency`: Effi-Learner's metrics of runs, as tables or as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import cast, get_args

from pydantic import JsonValue
from rich.table import Table

from maxcode.cli import commands
from maxcode.cli.console import (
    figure_table,
    print_document,
    standard_error,
    standard_output,
    titled,
)
from maxcode.comparison.efficiency import (
    Clock,
    Efficiency,
    Overhead,
    OverheadFigures,
    RunOverhead,
    read_overhead,
)
from maxcode.comparison.efficiency import efficiency as efficiency_of
from maxcode.errors import InputError, JournalError
from maxcode.journal.journal import Journal
from maxcode.text import counted, quantity

_Runs = Mapping[str, RunOverhead]
"""Runs by id."""


@dataclass(frozen=True)
class _Kind:
    """One kind of overhead: the names of its two figures, and where they are found."""

    absolute: str
    normalised: str
    unit: str
    figures: Callable[[Efficiency], OverheadFigures | None]
    read: Callable[[Overhead, Clock], float | None]

    def of(self, run: RunOverhead, clock: Clock | None) -> tuple[float, float] | None:
        """Of a run's program and its baseline, if both were measured."""
        program, baseline = (
            self.read(one, clock or run.clock) for one in (run.program, run.baseline)
        )
        return None if program is None or baseline is None else (program, baseline)


_KINDS = (
    _Kind("ET", "NET", "s", lambda found: found.time, Overhead.seconds),
    _Kind("MU", "NMU", "B", lambda found: found.peak_memory, lambda one, _: one.peak_bytes),
    _Kind(
        "TMU", "NTMU", "MB*s", lambda found: found.memory_integral, lambda one, _: one.integral_mb_s
    ),
)


def efficiency(request: commands.Efficiency) -> int:
    """Print what runs made of their baselines; gives the exit code."""
    if request.clock not in (None, *get_args(Clock)):
        raise InputError(f"--clock is cpu or wall, not {request.clock!r}")
    clock = cast(Clock | None, request.clock)
    with Journal.open(request.store, create=False) as journal:
        runs = dict(_read(journal, request))
        if not runs:
            raise InputError(f"no run in {journal.store.where} has measured its baseline yet")
    found = efficiency_of(list(runs.values()), clock)
    if request.json:
        rows: list[JsonValue] = [
            {"run_id": run_id, "clock": clock or run.clock, **asdict(run)}
            for run_id, run in runs.items()
        ]
        print_document({"runs": rows, **asdict(found)})
        return 0
    console = standard_output()
    console.print(_of_runs(runs, clock))
    console.print(titled("Over these runs", _of_all(found)))
    console.print("\n" + "\n".join(_notes(runs, found, clock)))
    return 0


def _read(journal: Journal, request: commands.Efficiency) -> Iterator[tuple[str, RunOverhead]]:
    """The runs that were asked for; of all in a store those whose baseline is known."""
    if request.every and request.run_ids:
        raise InputError("--all means every run of the store: name no RUN with it")
    if not request.every:
        for name in request.run_ids or ["last"]:
            log = journal.run(name)
            yield log.run_id, read_overhead(log)
        return
    for run_id in journal.run_ids():
        try:
            yield run_id, read_overhead(journal.run(run_id))
        except JournalError as error:
            standard_error().print(f"left out: {error}")


def _of_runs(runs: _Runs, clock: Clock | None) -> Table:
    names = [name for kind in _KINDS for name in (kind.absolute, kind.normalised)]
    table = figure_table("run", *names, "samples")
    for run_id, run in runs.items():
        cells: list[str] = []
        for kind in _KINDS:
            if both := kind.of(run, clock):
                cells += quantity(both[0], kind.unit), _ratio(both[0] / both[1])
            else:
                cells += "-", "-"
        table.add_row(run_id, *cells, run.samples)
    return table


def of_methods(found: Mapping[str, Efficiency]) -> Table | None:
    """The figures of each method in both definitions; None where nothing was measured."""
    table = figure_table(
        "method", "NET to NTMU", *(n for k in _KINDS for n in (k.absolute, k.normalised))
    )
    for method, one in found.items():
        means, totals = [], []
        for kind in _KINDS:
            figures = kind.figures(one)
            means += [quantity(figures.program, kind.unit) if figures else "-"]
            means += [_ratio(figures.mean_of_ratios.value) if figures else "-"]
            totals += ["", _ratio(figures.ratio_of_totals) if figures else "-"]
        if set(means) != {"-"}:
            table.add_row(method, "mean of ratios", *means)
            table.add_row("", "ratio of totals", *totals)
    return table if table.row_count else None


def _of_all(found: Efficiency) -> Table:
    table = figure_table("", "mean", "baseline's", "mean of ratios", "ratio of totals", "runs")
    for kind in _KINDS:
        figures = kind.figures(found)
        cells = ["-", "-", "-", "-", "0"]
        if figures is not None:
            net = figures.mean_of_ratios
            cells = [
                quantity(figures.program, kind.unit),
                quantity(figures.baseline, kind.unit),
                f"{_ratio(net.value)} [{_ratio(net.low)}, {_ratio(net.high)}]",
                _ratio(figures.ratio_of_totals),
                str(figures.runs),
            ]
        table.add_row(f"{kind.absolute}, {kind.normalised}", *cells)
    return table


def _notes(runs: _Runs, found: Efficiency, clock: Clock | None) -> Iterator[str]:
    clocks = sorted({clock or run.clock for run in runs.values() if _KINDS[0].of(run, clock)})
    yield (
        "Ratios are to the task's own program: below 1 is less. Effi-Learner's paper takes the "
        "mean of ratios, its scripts the ratio of totals."
    )
    if clocks:
        yield f"ET: {' and '.join(clocks)} time."
    if len(runs) > 1 and any(kind.figures(found) for kind in _KINDS):
        drawn = "tasks" if len({run.task for run in runs.values()}) > 1 else "runs"
        yield f"In brackets: 95 % intervals, {drawn} resampled."
    lacking = Counter(
        (run.meter, ", ".join(kind.absolute for kind in _KINDS if not kind.of(run, clock)))
        for run in runs.values()
    )
    for (meter, names), count in lacking.items():
        if names:
            yield f"{counted(count, 'run')} measured by {meter}: no {names}"
    if any(run.samples in ("score", "apart") for run in runs.values()):
        yield (
            "score, apart: the program was not compared with the baseline, and the search's own "
            "samples flatter what it picked."
        )


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.2g}"
