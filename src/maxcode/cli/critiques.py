"""The command `store critiques`: figures of critics over runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from maxcode.cli import commands
from maxcode.cli.console import figure_table, print_document, say, standard_output
from maxcode.comparison.critiques import COLUMNS, critic_figures, read_critiques
from maxcode.errors import InputError, JournalError
from maxcode.journal.journal import Journal, RunLog
from maxcode.text import counted

_NOTES = (
    "followed: of steps whose parent's critique names lines, the share that changed one; by "
    "chance: the share that random changes of as many lines would have.",
    "gained: correct, and its interval above its parent's speedup.",
    "In brackets: 95 % intervals, runs resampled. Hold a critic against none, placebo and "
    "adversary in runs of the same tasks: steps that follow advice may differ in more than that.",
)


def critiques(request: commands.Critiques) -> int:
    """Print figures of critics; gives the exit code."""
    if request.every and request.run_ids:
        raise InputError("--all means every run of the store: name no RUN with it")
    names = request.run_ids or (() if request.every else ("last",))
    runs = []
    with Journal.open(request.store, create=False) as journal:
        for log in chosen_runs(journal, names, every=request.every):
            try:
                runs.append(read_critiques(log))
            except JournalError as error:
                if not request.every:
                    raise
                say(f"left out: {error}")
        if not runs:
            raise InputError(f"no run in {journal.store.where} has measured its baseline yet")
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


def chosen_runs(journal: Journal, names: Sequence[str], *, every: bool) -> Iterator[RunLog]:
    """Named runs, each once, or with ``every`` all of the store, the newest first."""
    found = map(journal.run, journal.run_ids() if every else names)
    yield from {log.run_id: log for log in found}.values()
