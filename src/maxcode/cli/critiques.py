"""The command `critiques`: what critics were worth, by critic, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from rich.table import Table

from maxcode.cli import commands
from maxcode.cli.console import figure_table, print_document, standard_error, standard_output
from maxcode.comparison.critiques import (
    COLUMNS,
    CriticFigures,
    CritiquedRun,
    critic_figures,
    read_critiques,
)
from maxcode.errors import InputError, JournalError
from maxcode.journal.journal import Journal
from maxcode.text import counted

_NOTES = (
    "followed: of steps whose parent's critique names lines, the share that changed one; by "
    "chance: the share that random changes of as many lines would have.",
    "gained: correct, and its interval above its parent's speedup. agrees: the bottleneck named "
    "is the one that the profile shows.",
    "In brackets: 95 % intervals, runs resampled. Hold a critic against none, placebo and "
    "adversary in runs of the same tasks: steps that follow advice may differ in more than that.",
)


def critiques(request: commands.Critiques) -> int:
    """Print what became of the advice of critics; gives the exit code."""
    with Journal.open(request.store, create=False) as journal:
        runs = list(_read(journal, request))
        if not runs:
            raise InputError(f"no run in {journal.store.where} has measured its baseline yet")
    found = critic_figures(runs)
    if request.json:
        print_document({"critics": [asdict(one) for one in found]})
        return 0
    console = standard_output()
    console.print(_table(found))
    console.print(f"\n{counted(len(runs), 'run')}. " + "\n".join(_NOTES))
    return 0


def _read(journal: Journal, request: commands.Critiques) -> Iterator[CritiquedRun]:
    if request.every and request.run_ids:
        raise InputError("--all means every run of the store: name no RUN with it")
    if not request.every:
        for name in request.run_ids or ["last"]:
            yield read_critiques(journal.run(name))
        return
    for run_id in journal.run_ids():
        try:
            yield read_critiques(journal.run(run_id))
        except JournalError as error:
            standard_error().print(f"left out: {error}")


def _table(found: list[CriticFigures]) -> Table:
    table = figure_table(*COLUMNS)
    for one in found:
        table.add_row(*one.cells())
    return table
