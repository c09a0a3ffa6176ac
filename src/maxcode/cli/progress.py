"""Views of a running search, fed by its events: in place on a screen, else in lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from maxcode.budget import FREE, Budget, Cost
from maxcode.cli.console import facts
from maxcode.evaluation import Baseline, Interval, Status
from maxcode.journal.events import (
    Answered,
    Committed,
    Compared,
    Evaluated,
    Fuzzed,
    HeldOutMeasured,
    Proposed,
    Reduced,
    VariantCompared,
    VariantEvaluated,
)
from maxcode.journal.events import Event as Recorded
from maxcode.journal.state import RunState
from maxcode.search.summary import described, doubts, figures, tally
from maxcode.text import clock, dollars, factor, interval, price
from maxcode.tree import ROOT, Step

EVEN = Interval(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot, safe to read from any thread.

    ``best`` is the confirmed speedup of the best step, ``best_name``. ``spent`` was right at
    ``taken``, a reading of the monotonic clock; ``reducing`` of its evaluations went into reducing
    the best program. ``doubts`` say why little can be gained or seen. ``notable``: the ``last``
    event is worth a line of its own.
    """

    run_id: str
    task: str
    budget: Budget
    baseline: str = ""
    doubts: tuple[str, ...] = ()
    best: Interval = EVEN
    best_name: str = ""
    counts: Mapping[Status, int] = field(default_factory=dict)
    spent: Cost = FREE
    reducing: int = 0
    taken: float = 0.0
    last: str = ""
    notable: bool = False

    @property
    def seconds(self) -> float:
        """Wall time of the run until now."""
        return self.spent.seconds + max(0.0, monotonic() - self.taken)


class Tracker:
    """An observer of a search, with a new Progress after each event."""

    def __init__(self, budget: Budget, show: Callable[[Progress], None]) -> None:
        self._budget = budget
        self._show = show
        self._last = ""

    def __call__(self, event: Recorded, state: RunState) -> None:
        """Observe an event."""
        if state.started is None or state.baseline is None:
            return
        self._last = _described(event, state) or self._last
        best = state.tree.best
        self._show(
            Progress(
                run_id=state.log.run_id,
                task=state.started.task,
                budget=self._budget,
                baseline=_measured(state.baseline),
                doubts=tuple(doubts(state.baseline)),
                best=state.tree.confirmed(best.id) or state.tree.best_speedup,
                best_name=named(best) if best.id != ROOT else "",
                counts=state.outcomes,
                spent=state.spent,
                reducing=state.account.reducing,
                taken=monotonic(),
                last=self._last,
                notable=isinstance(event, Compared | HeldOutMeasured | Reduced),
            )
        )


def _measured(baseline: Baseline) -> str:
    title, text = figures(baseline.measurements[0], None)
    return f"{title} {text}, {described(baseline)}"


def named(step: Step, most: int = 70) -> str:
    """Number and summary of a step, in about ``most`` characters."""
    summary = step.summary if len(step.summary) <= most else f"{step.summary[:most].rstrip()}..."
    return f"#{step.id} {summary}".strip()


def _described(event: Recorded, state: RunState) -> str:  # noqa: PLR0911 - a case for each event
    match event:
        case Answered(call=call):
            generated = event.role == "generator"
            what = "proposed something" if generated else f"criticised #{event.step}"
            done = f" {what}, {call.output:,} tokens"
            return call.model + (f": {call.problem}" if call.problem else done)
        case Proposed():
            return f"{len(event.proposals)} proposed, now built, checked and timed"
        case Evaluated(evaluation=evaluation):
            opened = state.work.expansions.get(event.number)
            proposals = opened.proposed.proposals if opened and opened.proposed else ()
            summaries = (one.summary for one in proposals if one.program == event.program)
            outcome = evaluation.status.replace("_", " ")
            if evaluation.speedup:
                outcome = f"scored {factor(evaluation.speedup.value)}"
            return f"{outcome}: {next(summaries, 'a candidate')}"
        case Committed():
            promising = max(
                state.progress.last_committed, key=lambda step: step.reward, default=None
            )
            if promising and promising.reward > state.tree.best_speedup.value:
                return f"{named(promising)}: measured once more, side by side with the best"
        case Fuzzed() | Compared() if not state.tree[event.step].evaluation.ok:
            return f"{named(state.tree[event.step])}: right on the tests, wrong on a further input"
        case HeldOutMeasured(held_out=held_out):
            found = interval(held_out.ratio) if held_out.ratio else held_out.problem
            return f"{named(state.tree[event.step])}: {found} on inputs held out"
        case Compared():
            ratio = event.comparison.ratio
            found = interval(ratio) if ratio else event.comparison.problem
            rival = "the baseline" if event.against == ROOT else f"#{event.against}"
            verdict = "new best, " if event.promoted else ""
            return f"{verdict}{named(state.tree[event.step])}: {found} against {rival}"
    return _of_reduction(event)


def _of_reduction(event: Recorded) -> str:
    match event:
        case VariantEvaluated(evaluation=evaluation):
            outcome = factor(evaluation.reward) if evaluation.ok else evaluation.status
            return f"reducing the best program: a variant of it, {outcome.replace('_', ' ')}"
        case VariantCompared(comparison=comparison):
            found = interval(comparison.ratio) if comparison.ratio else comparison.problem
            return f"reducing the best program: {found} against another"
        case Reduced() if event.program:
            return f"reduced the best program to {event.after} changed lines of {event.before}"
    return ""


_STOPPING = "stopping after what is under way; once more to leave at once"
_PAUSE = 5.0  # seconds between lines with nothing new
_REFRESH = 2  # a second: little enough not to disturb what is measured


class LineView:
    """A view for pipes and logs, and the base of views: a line now and then."""

    def __init__(self, console: Console, patience: float = 30.0) -> None:
        self._console = console
        self._begun = False
        self._waiting = ""
        self._printed = monotonic()
        self._patience = patience  # seconds after which a line says what is waited for
        self._over = Event()
        self._watching: Thread | None = None

    def __enter__(self) -> LineView:
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        if self._watching:
            self._watching.join()

    def watch(self, awaited: Callable[[], str]) -> None:
        """From now on show, now and then, the text of ``awaited``."""

        def look() -> None:
            while not self._over.wait(self._patience):
                if monotonic() - self._printed >= self._patience and (text := awaited()):
                    self._say(text)

        self._watching = Thread(target=look, daemon=True)
        self._watching.start()

    def doing(self, what: str) -> None:
        """Show the work before the search has progress to show."""
        self._say(what)

    def waiting(self, text: str) -> None:
        """Show the reason of a wait; an empty text ends it. Safe in any thread."""
        if text and text != self._waiting:
            self._say(text)
        self._waiting = text

    def show(self, progress: Progress) -> None:
        """Show progress; at first also the doubts about it."""
        if not self._begun:
            self._begun = True
            self._say(f"run {progress.run_id}")
            self._say(f"baseline: {progress.baseline}")
            for doubt in progress.doubts:
                self._say(f"note: {doubt}")
        elif progress.notable:
            self._say(f"{_spent(progress)}: {progress.last}")
        elif monotonic() - self._printed > _PAUSE:
            self._say(f"{_spent(progress)}: {tally(progress.counts)}")

    def stopping(self) -> None:
        """Show the coming end of the search. Safe in a signal handler."""
        os.write(2, f"{_STOPPING}\n".encode())

    def leave(self) -> None:
        """Put the terminal in order; the process ends now. Safe in a signal handler."""

    def _say(self, line: str) -> None:
        self._printed = monotonic()
        self._console.print(line, soft_wrap=True)


class LiveView(LineView):
    """Redraws a few lines in place and leaves nothing behind."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._doing = self._waiting = ""
        self._awaited: Callable[[], str] = str
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
        """See :meth:`LineView.doing`."""
        self._doing = what
        self._live.refresh()

    def waiting(self, text: str) -> None:
        """See :meth:`LineView.waiting`."""
        self._waiting = text

    def watch(self, awaited: Callable[[], str]) -> None:
        """See :meth:`LineView.watch`."""
        self._awaited = awaited

    def show(self, progress: Progress) -> None:
        """See :meth:`LineView.show`."""
        if self._progress is None:
            for doubt in progress.doubts:  # above what is redrawn, so that it stays
                self._live.console.print(Text(f"note: {doubt}", style="yellow"))
        self._progress = progress

    def stopping(self) -> None:
        """See :meth:`LineView.stopping`."""
        self._stopping = True

    def leave(self) -> None:
        """See :meth:`LineView.leave`."""
        os.write(self._live.console.file.fileno(), b"\x1b[?25h\n")  # show the cursor again

    def render(self) -> RenderableType:
        """The screen as it is now."""
        lines: list[RenderableType] = [Text(f"{self._doing} ...", style="dim")]
        if self._progress is not None:
            lines = [panel(self._progress)]
        notes = [self._waiting, _STOPPING if self._stopping and self._progress else ""]
        if awaited := self._awaited():
            lines.append(Text(awaited, style="dim"))
        return Group(*lines, *(Text(note, style="yellow") for note in notes if note))


def make_view(console: Console) -> LineView:
    """The view for a console."""
    return LiveView(console) if console.is_terminal else LineView(console)


def panel(progress: Progress) -> RenderableType:
    """A run at a glance, in any width."""
    found = Text("nothing faster yet", style="dim")
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
    budget, spent = progress.budget, progress.spent
    evaluations = _of(spent.evaluations - progress.reducing, budget.evaluations, "{:.0f}".format)
    if progress.reducing:
        evaluations += f", {progress.reducing} more to reduce the best"
    table.add_row("evaluations", evaluations)
    table.add_row("time", _of(progress.seconds, budget.seconds, clock))
    if spent.tokens or budget.tokens:
        table.add_row("tokens", _of(spent.tokens, budget.tokens, "{:,.0f}".format))
    if spent.unpriced:
        table.add_row("money", price(spent.dollars, spent.unpriced))
    elif spent.dollars or budget.dollars:
        table.add_row("money", _of(spent.dollars, budget.dollars, dollars))
    return table


def _of(spent: float, limit: float | None, shown: Callable[[float], str]) -> str:
    return shown(spent) if limit is None else f"{shown(spent)} of {shown(limit)}"


def _spent(progress: Progress) -> str:
    limit = progress.budget.evaluations
    of = f"/{limit}" if limit else ""
    paid = f", {dollars(progress.spent.dollars)}" if progress.spent.dollars else ""
    evaluations = f"{progress.spent.evaluations - progress.reducing}{of} evaluations"
    more = f" and {progress.reducing} to reduce the best" if progress.reducing else ""
    return f"{clock(progress.seconds)}, {evaluations}{more}{paid}"
