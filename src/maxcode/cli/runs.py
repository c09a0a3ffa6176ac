"""The command `runs`: what a store holds."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from maxcode.cli.commands import Runs
from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.document import Document, print_document, standing
from maxcode.cli.figures import factor, when
from maxcode.evaluation import Interval
from maxcode.journal import Journal, RunLog
from maxcode.result import Result
from maxcode.state import RunState
from maxcode.store import default_store

_STYLES = {"done": "green", "running": "cyan", "interrupted": "yellow"}


@dataclass(frozen=True)
class _Line:
    """A run in the list. ``best`` is None while nothing faster was found."""

    run_id: str
    task: str
    status: str
    best: Interval | None
    confirmed: bool
    evaluations: int
    started: float | None

    @classmethod
    def of(cls, log: RunLog) -> _Line:
        state = RunState.load(log)
        first = next(log.events(), None)
        improved = confirmed = None
        if state.has_tree:
            result = Result.of(state)
            improved = result.speedup if result.improved else None
            confirmed = result.improved and result.confirmed
        return cls(
            run_id=log.run_id,
            task=state.started.task if state.started else "",
            status=standing(state),
            best=improved,
            confirmed=bool(confirmed),
            evaluations=state.spent.evaluations,
            started=first.at if first else None,
        )

    def document(self) -> Document:
        """As JSON."""
        best = self.best or Interval(1.0, 1.0, 1.0)
        return {
            "run_id": self.run_id,
            "task": self.task,
            "status": self.status,
            "best": {
                "speedup": best.value,
                "low": best.low,
                "high": best.high,
                "confirmed": self.confirmed,
            },
            "evaluations": self.evaluations,
            "started": self.started,
        }


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


def _read(request: Runs) -> tuple[list[_Line], int]:
    """The newest runs, and how many there are in all."""
    if request.store is None and not default_store().exists():
        return [], 0  # nobody has used it yet
    with Journal.open(request.store, create=False) as journal:
        ids = journal.run_ids()
        return [_Line.of(journal.run(run_id)) for run_id in ids[: request.limit]], len(ids)


def _table(lines: list[_Line]) -> Table:
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
            str(line.evaluations),
            when(line.started) if line.started else "-",
        )
    return table
