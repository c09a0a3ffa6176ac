"""What a running search shows, taken from its events: in place on a screen, else in lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from maxcode.budget import FREE, Budget, Cost
from maxcode.cli.console import facts
from maxcode.evaluation import Interval, Status
from maxcode.journal.events import Answered, Committed, Compared, Evaluated, Event, Proposed
from maxcode.journal.state import RunState
from maxcode.report.text import clock, dollars, factor, interval, price, tally
from maxcode.tree import ROOT, Step

EVEN = Interval(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot, safe to read from any thread.

    ``best`` is the confirmed speedup of the best step, ``best_name``. ``highest`` is the highest
    score above 1 as text, confirmed or not. ``spent`` was right at ``taken``, a reading of the
    monotonic clock. ``notable`` says whether what happened ``last`` is worth a line of its own.
    """

    run_id: str
    task: str
    budget: Budget
    baseline: str = ""
    best: Interval = EVEN
    best_name: str = ""
    highest: str = ""
    counts: Mapping[Status, int] = field(default_factory=dict)
    spent: Cost = FREE
    taken: float = 0.0
    last: str = ""
    notable: bool = False

    @property
    def seconds(self) -> float:
        """Wall time of the run until now."""
        return self.spent.seconds + max(0.0, monotonic() - self.taken)


class Tracker:
    """An observer of a search that shows a new Progress after each event."""

    def __init__(self, budget: Budget, show: Callable[[Progress], None]) -> None:
        self._budget = budget
        self._show = show
        self._last = ""
        self._highest: _Score | None = None

    def __call__(self, event: Event, state: RunState) -> None:
        """Observe one event."""
        if state.started is None or state.baseline is None:
            return
        happened = _described(event, state)
        self._last = happened or self._last
        best = state.tree.best
        highest = self._highest = _higher(self._highest, event, state)
        self._show(
            Progress(
                run_id=state.log.run_id,
                task=state.started.task,
                budget=self._budget,
                baseline=state.baseline.note,
                best=state.tree.confirmed(best.id) or state.tree.best_speedup,
                best_name=named(best) if best.id != ROOT else "",
                highest=str(highest) if highest.value > 1 else "",
                counts=state.outcomes,
                spent=state.spent,
                taken=monotonic(),
                last=self._last,
                notable=isinstance(event, Compared),
            )
        )


@dataclass(frozen=True, slots=True)
class _Score:
    """A score, and the step that has it once it is known as a step."""

    value: float
    step: int | None = None

    def __str__(self) -> str:
        return factor(self.value) + (f" (#{self.step})" if self.step is not None else "")

    def or_higher(self, steps: Iterable[Step]) -> _Score:
        """The highest of all; the earliest of equals, and rather one with its step."""
        highest = max(steps, key=lambda step: step.reward, default=None)
        if highest is None or highest.reward < self.value:
            return self
        if highest.reward == self.value and self.step is not None:
            return self
        return _Score(highest.reward, highest.id)


def _higher(known: _Score | None, event: Event, state: RunState) -> _Score:
    """The highest score after an event; all steps are looked at only before the first."""
    if known is None:
        known = _Score(1.0, ROOT).or_higher(state.tree)
    if isinstance(event, Committed):
        return known.or_higher(state.last_committed)
    if isinstance(event, Evaluated) and event.evaluation.reward > known.value:
        return _Score(event.evaluation.reward)
    return known


def named(step: Step, most: int = 70) -> str:
    """A step in a few words: its number and what was changed, in about ``most`` characters."""
    summary = step.summary if len(step.summary) <= most else f"{step.summary[:most].rstrip()}..."
    return f"#{step.id} {summary}".strip()


def _described(event: Event, state: RunState) -> str:
    match event:
        case Answered() | Proposed():
            return _said(event)
        case Evaluated():
            evaluation = event.evaluation
            said = evaluation.speedup and f"scored {factor(evaluation.speedup.value)}"
            return f"{said or evaluation.status.replace('_', ' ')}: {_summary(event, state)}"
        case Committed():
            promising = max(state.last_committed, key=lambda step: step.reward, default=None)
            if promising and promising.reward > state.tree.best_speedup.value:
                return f"{named(promising)}: measured once more, side by side with the best"
            return ""
        case Compared():
            ratio = event.comparison.ratio
            found = interval(ratio) if ratio else event.comparison.problem
            rival = "the baseline" if event.against == ROOT else f"#{event.against}"
            verdict = "new best, " if event.promoted else ""
            return f"{verdict}{named(state.tree[event.step])}: {found} against {rival}"
        case _:
            return ""


def _said(event: Answered | Proposed) -> str:
    if isinstance(event, Proposed):
        return f"{len(event.proposals)} proposed, now built, checked and timed"
    if event.call.problem:
        return f"{event.call.model}: {event.call.problem}"
    what = "proposed something" if event.role == "generator" else f"criticised #{event.step}"
    return f"{event.call.model} {what}, {event.call.output:,} tokens"


def _summary(event: Evaluated, state: RunState) -> str:
    """What the generator said of the program that was judged."""
    opened = state.open.get(event.number)
    proposals = opened.proposed.proposals if opened and opened.proposed else ()
    return next((p.summary for p in proposals if p.program == event.program), "a candidate")


_STOPPING = "stopping after what is under way; once more to leave at once"
_PAUSE = 5.0  # seconds between lines with nothing new
_REFRESH = 2  # a second: little enough not to disturb what is measured


class View:
    """Somewhere to show progress. Used as a context manager."""

    def __enter__(self) -> View:
        return self

    def __exit__(self, *exc: object) -> None:
        return

    def doing(self, what: str) -> None:
        """Show what goes on before the search has anything to show."""

    def show(self, progress: Progress) -> None:
        """Show how the search stands."""

    def stopping(self) -> None:
        """Show that the search is about to end. Safe in a signal handler."""

    def leave(self) -> None:
        """Put the terminal in order; the process ends now. Safe in a signal handler."""


def make_view(console: Console) -> View:
    """The view that suits the console."""
    return LiveView(console) if console.is_terminal else LineView(console)


class LiveView(View):
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


class LineView(View):
    """Prints a line now and then: for pipes, logs and screens that cannot be redrawn."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun = False
        self._printed = monotonic()

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
