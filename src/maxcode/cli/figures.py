"""The commands `store efficiency`, `store critiques` and `store lessons`: figures of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar, cast, get_args

from pydantic import JsonValue
from rich.table import Table

from maxcode.cli import commands
from maxcode.cli.console import (
    figure_table,
    plain_table,
    print_document,
    say,
    standard_output,
    titled,
)
from maxcode.comparison.critiques import COLUMNS, critic_figures, read_critiques
from maxcode.comparison.efficiency import (
    Clock,
    Efficiency,
    Overhead,
    OverheadFigures,
    RunOverhead,
    read_overhead,
)
from maxcode.comparison.efficiency import efficiency as efficiency_of
from maxcode.comparison.lessons import learn
from maxcode.errors import InputError, JournalError
from maxcode.journal.journal import Journal, RunLog
from maxcode.prompts.lessons import LessonBook, summarise
from maxcode.text import counted, cut, quantity

_T = TypeVar("_T")

_Runs = Mapping[str, RunOverhead]
"""Runs by id."""


@dataclass(frozen=True)
class _Kind:
    """A kind of overhead: names of its two figures, and functions that read them."""

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
    """Print time and memory of best programs and baselines; gives the exit code."""
    if request.clock not in (None, *get_args(Clock)):
        raise InputError(f"--clock is cpu or wall, not {request.clock!r}")
    clock = cast(Clock | None, request.clock)
    with Journal.open(request.store, create=False) as journal:
        runs = dict(_read(journal, request, read_overhead))
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


_NOTES = (
    "followed: of steps whose parent's critique names lines, the share that changed one; by "
    "chance: the share that random changes of as many lines would have.",
    "gained: correct, and its interval above its parent's speedup. agrees: the bottleneck named "
    "is the one that the profile shows.",
    "In brackets: 95 % intervals, runs resampled. Hold a critic against none, placebo and "
    "adversary in runs of the same tasks: steps that follow advice may differ in more than that.",
)


def critiques(request: commands.Critiques) -> int:
    """Print figures of critics; gives the exit code."""
    with Journal.open(request.store, create=False) as journal:
        runs = [one for _, one in _read(journal, request, read_critiques)]
    found = critic_figures(runs)
    if request.json:
        print_document({"critics": [asdict(one) for one in found]})
        return 0
    console, table = standard_output(), figure_table(*COLUMNS)
    for one in found:
        table.add_row(*one.cells())
    console.print(table)
    console.print(f"\n{counted(len(runs), 'run')}. " + "\n".join(_NOTES))
    return 0


def lessons(request: commands.Lessons) -> int:
    """Learn from runs, remove lessons, and print the lessons of the file; gives the exit code."""
    _check(request)
    path = Path(request.file)
    learning = request.every or bool(request.run_ids)
    book = LessonBook() if learning and not path.exists() else LessonBook.read(path)
    if request.remove:
        book = book.without(request.remove)
    if learning:
        with Journal.open(request.store, create=False) as journal:
            for log in chosen_runs(journal, request.run_ids or (), every=request.every):
                try:
                    book = learn(book, log)
                except JournalError as error:
                    say(f"left out: {error}")
    if learning or request.remove:
        book.write(path)
    known = [one for one in book.lessons if not one.removed]
    if request.json:
        print_document({"lessons": [one.model_dump(mode="json") for one in known]})
        return 0
    table = plain_table("id", "language", "change", "evidence")
    for one in sorted(known, key=lambda lesson: -len(lesson.evidence)):
        table.add_row(one.id, cut(one.language or "-", 12), cut(one.text, 160), summarise(one))
    standard_output().print(table)
    standard_output().print(f"{counted(len(known), 'lesson')} in {path}", soft_wrap=True)
    return 0


def _check(request: commands.Efficiency | commands.Critiques | commands.Lessons) -> None:
    if request.every and request.run_ids:
        raise InputError("--all means every run of the store: name no RUN with it")


def chosen_runs(journal: Journal, names: Sequence[str], *, every: bool) -> Iterator[RunLog]:
    """Named runs, each once, or with ``every`` all of the store, the newest first."""
    found = map(journal.run, journal.run_ids() if every else names)
    yield from {log.run_id: log for log in found}.values()


def _read(
    journal: Journal,
    request: commands.Efficiency | commands.Critiques,
    read: Callable[[RunLog], _T],
) -> list[tuple[str, _T]]:
    """Figures of the chosen runs by id, with ``--all`` of runs that have a baseline."""
    _check(request)
    names = request.run_ids or (() if request.every else ("last",))
    found = []
    for log in chosen_runs(journal, names, every=request.every):
        try:
            found.append((log.run_id, read(log)))
        except JournalError as error:
            if not request.every:
                raise
            say(f"left out: {error}")
    if not found:
        raise InputError(f"no run in {journal.store.where} has measured its baseline yet")
    return found
