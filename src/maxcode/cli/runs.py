"""The command `runs`: what a store holds."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from maxcode.cli.commands import Runs
from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.document import print_document
from maxcode.journal import Journal
from maxcode.store import default_store
from maxcode.telling.lines import RunLine
from maxcode.telling.words import factor, when

_STYLES = {"done": "green", "running": "cyan", "interrupted": "yellow"}


def runs(request: Runs) -> int:
    """List the newest runs; gives the exit code."""
    lines, total = _read(request)
    if request.json:
        print_document({"runs": [line.document() for line in lines], "total": total})
        return 0
    if not lines:
        standard_error().print("no runs yet; begin one with: maxcode optimize TASK")
        return 0
    standard_output().print(_table(lines))
    if total > len(lines):
        standard_error().print(f"and {total - len(lines)} older: --limit {total}")
    return 0


def _read(request: Runs) -> tuple[list[RunLine], int]:
    """The newest runs, and how many there are in all."""
    if request.store is None and not default_store().exists():
        return [], 0  # nobody has used it yet
    with Journal.open(request.store, create=False) as journal:
        ids = journal.run_ids()
        return [RunLine.read(journal.run(run_id)) for run_id in ids[: request.limit]], len(ids)


def _table(lines: list[RunLine]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("run", overflow="fold")
    table.add_column("status")
    table.add_column("best", justify="right")
    table.add_column("evaluations", justify="right")
    table.add_column("started", no_wrap=True)
    for line in lines:
        table.add_row(
            line.run_id,
            Text(line.status, style=_STYLES.get(line.status, "red")),
            factor(line.best.value) if line.best else "-",
            str(line.spent.evaluations),
            when(line.started) if line.started else "-",
        )
    return table
