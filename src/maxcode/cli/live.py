"""Views of a running search: a live one for terminals, lines for everything else."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from maxcode.cli.console import facts
from maxcode.cli.progress import Progress
from maxcode.telling.results import tally
from maxcode.telling.words import clock, dollars, interval, price

_STOPPING = "stopping after what is under way; once more to leave at once"
_PAUSE = 5.0  # seconds between lines that tell nothing new
_REFRESH = 2  # a second: little enough not to disturb what is measured


class View(Protocol):
    """Somewhere to show progress. Used as a context manager."""

    def __enter__(self) -> object: ...
    def __exit__(self, *exc: object) -> None: ...

    def doing(self, what: str) -> None:
        """Say what goes on before the search has anything to show."""

    def show(self, progress: Progress) -> None:
        """Show how the search stands."""

    def stopping(self) -> None:
        """Say that the search is about to end. Safe in a signal handler."""

    def leave(self) -> None:
        """Put the terminal in order; the process ends now. Safe in a signal handler."""


def make_view(console: Console) -> View:
    """The view that suits the console."""
    return LiveView(console) if console.is_terminal else LineView(console)


class LiveView:
    """Redraws a few lines in place and leaves nothing behind."""

    def __init__(self, console: Console) -> None:
        self._doing = ""
        self._stopping = False
        self._progress: Progress | None = None
        self._live = Live(
            console=console,
            get_renderable=self.render,
            refresh_per_second=_REFRESH,
            transient=True,
        )

    def __enter__(self) -> LiveView:
        self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._live.stop()

    def doing(self, what: str) -> None:
        """See :meth:`View.doing`."""
        self._doing = what
        self._live.refresh()

    def show(self, progress: Progress) -> None:
        """See :meth:`View.show`."""
        self._progress = progress

    def stopping(self) -> None:
        """See :meth:`View.stopping`."""
        self._stopping = True

    def leave(self) -> None:
        """See :meth:`View.leave`."""
        os.write(self._live.console.file.fileno(), b"\x1b[?25h\n")  # show the cursor again

    def render(self) -> RenderableType:
        """What is on the screen now."""
        if self._progress is None:
            return Text(f"{self._doing} ...", style="dim")
        lines = panel(self._progress)
        return Group(lines, Text(_STOPPING, style="yellow")) if self._stopping else lines


class LineView:
    """Prints a line now and then: for pipes, logs and screens that cannot be redrawn."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun = False
        self._printed = monotonic()

    def __enter__(self) -> LineView:
        return self

    def __exit__(self, *exc: object) -> None:
        return

    def doing(self, what: str) -> None:
        """See :meth:`View.doing`."""
        self._say(what)

    def show(self, progress: Progress) -> None:
        """See :meth:`View.show`."""
        if not self._begun:
            self._begun = True
            self._say(f"run {progress.run_id}")
            self._say(f"baseline: {progress.baseline}")
        elif progress.notable:
            self._say(f"{_spent(progress)}: {progress.last}")
        elif monotonic() - self._printed > _PAUSE:
            self._say(f"{_spent(progress)}: {tally(progress.counts)}")

    def stopping(self) -> None:
        """See :meth:`View.stopping`."""
        os.write(2, f"{_STOPPING}\n".encode())

    def leave(self) -> None:
        """See :meth:`View.leave`."""

    def _say(self, line: str) -> None:
        self._printed = monotonic()
        self._console.print(line, soft_wrap=True)


def panel(progress: Progress) -> RenderableType:
    """A run at a glance, in any width."""
    nothing = "nothing faster yet"
    if progress.highest:
        nothing = f"nothing confirmed yet; highest score {progress.highest}"
    found = Text(nothing, style="dim")
    if progress.best_name:
        found = Text.assemble(
            (interval(progress.best), "bold green"),
            f"  {progress.best_name}",
            overflow="ellipsis",
            no_wrap=True,
        )
    table = facts()
    table.add_row("task", Text.assemble((progress.task, "bold"), ("  " + progress.run_id, "dim")))
    table.add_row("baseline", progress.baseline)
    table.add_row("best", found)
    table.add_row("tried", tally(progress.counts) or "nothing yet")
    table.add_row("last", Text(progress.last, overflow="ellipsis", no_wrap=True))
    return Group(table, _bars(progress))


def _bars(progress: Progress) -> Table:
    """Spent against the budget: a bar for each limit, a figure for the rest."""
    budget, spent, seconds = progress.budget, progress.spent, progress.seconds
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True, min_width=11)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, width=24)
    _add_bar(table, "evaluations", spent.evaluations, budget.evaluations, lambda n: f"{n:.0f}")
    _add_bar(table, "time", seconds, budget.seconds, clock)
    if spent.tokens or budget.tokens:
        _add_bar(table, "tokens", spent.tokens, budget.tokens, lambda n: f"{n:,.0f}")
    if spent.unpriced:
        table.add_row("money", price(spent.dollars, spent.unpriced))
    elif spent.dollars or budget.dollars:
        _add_bar(table, "money", spent.dollars, budget.dollars, dollars)
    return table


def _add_bar(
    table: Table, name: str, spent: float, limit: float | None, shown: Callable[[float], str]
) -> None:
    if limit is None:
        table.add_row(name, shown(spent))
    else:
        bar = ProgressBar(total=limit, completed=min(spent, limit), width=24)
        table.add_row(name, f"{shown(spent)} of {shown(limit)}", bar)


def _spent(progress: Progress) -> str:
    limit = progress.budget.evaluations
    of = f"/{limit}" if limit else ""
    paid = f", {dollars(progress.spent.dollars)}" if progress.spent.dollars else ""
    return f"{clock(progress.seconds)}, {progress.spent.evaluations}{of} evaluations{paid}"
