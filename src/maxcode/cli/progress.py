"""Views of a running search, fed by its events: in place on a screen, else in lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import monotonic

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from maxcode.budget import Budget, Cost
from maxcode.cli.console import PATIENCE, STOPPING, announce_stop, every
from maxcode.evaluation import Status
from maxcode.journal.events import (
    Answered,
    Committed,
    Compared,
    Critiqued,
    HeldOutMeasured,
    Proposed,
    Reduced,
)
from maxcode.journal.events import Event as Recorded
from maxcode.journal.state import RunState
from maxcode.search.minimise import allowance
from maxcode.search.summary import described, doubts, figures, tally
from maxcode.text import clock, counted, cut, dollars, duration, interval, price
from maxcode.tree import ROOT, Step


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot of a search, safe to read from any thread.

    ``phase`` says what goes on, and ``done`` which share of it, 0 where that is not known; it began
    when ``began`` seconds of the run were spent. ``spent`` was right at ``taken``, a reading of the
    monotonic clock.
    """

    phase: str
    done: float
    began: float
    budget: Budget
    spent: Cost
    counts: Mapping[Status, int]
    taken: float

    @property
    def state(self) -> str:
        """Phase, time and money, with an estimate of the time left."""
        budget, spent = self.budget, self.spent
        seconds = spent.seconds + max(0.0, monotonic() - self.taken)
        parts = [self.phase, _of(seconds, budget.seconds, clock)]
        if spent.tokens or budget.tokens:
            parts.append(f"{_of(spent.tokens, budget.tokens, '{:,.0f}'.format)} tokens")
        if spent.unpriced or spent.dollars or budget.dollars:
            paid = price(spent.dollars, spent.unpriced)
            parts.append(paid if budget.dollars is None else f"{paid} of {dollars(budget.dollars)}")
        if 0 < self.done < 1:
            left = (seconds - self.began) * (1 / self.done - 1)
            parts.append(f"about {duration(max(1, round(left)))} left")
        return ", ".join(parts)


def _of(spent: float, limit: float | None, shown: Callable[[float], str]) -> str:
    return shown(spent) if limit is None else f"{shown(spent)} of {shown(limit)}"


def _searching(event: Recorded, state: RunState, budget: Budget) -> tuple[str, float]:
    """The phase of a run that is not being reduced, and the share of it that is done."""
    spent, reduction = state.spent, state.work.reduction
    limit, tried = budget.evaluations, spent.evaluations - state.account.reducing
    new = state.progress.last_committed if isinstance(event, Committed) else ()
    promising = any(step.reward > state.tree.best_speedup.value for step in new)
    if promising or reduction or (limit and tried >= limit):
        return "confirming", 0.0
    limits = ((tried, limit), (spent.seconds, budget.seconds))
    more = ((spent.dollars, budget.dollars), (spent.tokens, budget.tokens))
    done = max((used / most for used, most in (*limits, *more) if most), default=0.0)
    share = state.started.options.minimise if state.started else 0.0
    beside = f" (+{allowance(share, limit)} to reduce)" if limit and share else ""
    return f"searching, {_of(tried, limit, '{:.0f}'.format)}{beside}", done


def _named(step: Step) -> str:
    """Number and summary of a step, in about 70 characters."""
    return f"#{step.id} {cut(step.summary, 70)}".strip()


def _described(event: Recorded, state: RunState) -> str:  # noqa: PLR0911 - a case for each event
    """An event that is worth a line, its outcome first and names last; empty for others."""
    match event:
        case Answered(call=call) if call.problem:
            what = "a proposal" if event.role == "generator" else f"criticism of #{event.step}"
            return f"{what} is lost, {call.problem}: {call.model}"
        case Proposed(proposals=proposals):
            why = [one.problem.partition("\n")[0] for one in proposals if one.program is None]
            answers = counted(len(proposals), "answer")
            return f"{len(why)} of {answers} without a program: {why[0]}" if why else ""
        case Critiqued(critique=critique) if critique.missing:
            return f"no criticism of #{event.step}: {critique.missing}"
        case Compared() if not state.tree[event.step].evaluation.ok:
            return f"right on the tests, wrong on a further input: {_named(state.tree[event.step])}"
        case HeldOutMeasured(held_out=held_out):
            found = interval(held_out.ratio) if held_out.ratio else held_out.problem
            return f"{found} on inputs held out: {_named(state.tree[event.step])}"
        case Compared(comparison=comparison):
            found = interval(comparison.ratio) if comparison.ratio else comparison.problem
            rival = "the baseline" if event.against == ROOT else f"#{event.against}"
            verdict = ", new best" if event.promoted else ""
            return f"{found} against {rival}{verdict}: {_named(state.tree[event.step])}"
        case Reduced() if event.program:
            return f"reduced the best program to {event.after} changed lines of {event.before}"
    return ""


_PAUSE = 5.0  # seconds between lines with nothing new
_LOOK = 1.0  # seconds between looks at what is waited for
_REFRESH = 2  # a second: little enough not to disturb what is measured
_FIRST = "building, checking and timing the baseline"


class View:
    """Lines on a search, which it observes; on a screen the last lines are redrawn in place.

    ``patience``: seconds after which a line of a log names what is waited for.
    """

    def __init__(self, console: Console, budget: Budget, patience: float = PATIENCE) -> None:
        self._console = console
        self._budget = budget
        self._patience = patience
        self._progress: Progress | None = None
        self._reducing_since = 0.0
        self._waiting = self._stopping = self._known_trouble = ""
        self._printed = self._began = self._waits_since = monotonic()
        self._awaited: Callable[[], str] = str
        self._trouble: Callable[[], str] = str

    @contextmanager
    def shown(self) -> Iterator[None]:
        """While entered, it is redrawn on a screen; a log says now and then what is waited for."""
        self._began = monotonic()
        self._say_in_log(_FIRST)
        how: AbstractContextManager[object] = every(min(_LOOK, self._patience), self._look)
        if self._console.is_terminal:
            how = Live(
                console=self._console,
                get_renderable=self.render,
                refresh_per_second=_REFRESH,
                transient=True,
            )
        with how:
            yield

    def watch(self, awaited: Callable[[], str], trouble: Callable[[], str] = str) -> None:
        """From now on show the text of ``awaited`` now and then, that of ``trouble`` at once."""
        self._awaited, self._trouble = awaited, trouble

    def render(self) -> RenderableType:
        """The lines redrawn on a screen: progress, and what is waited for."""
        state = self._state()
        notes = (self._trouble(), self._waited(), self._stopping)
        lines = [Text(state), Text(self._awaited(), "dim"), *(Text(one, "yellow") for one in notes)]
        return Group(*filter(None, lines))

    def _look(self) -> None:
        """Print troubles when they come, and after a while without a line what is waited for."""
        trouble, known = self._trouble(), self._known_trouble
        self._known_trouble = trouble
        if trouble != known:
            self._say(trouble)
        if monotonic() - self._printed >= self._patience:
            self._say(self._waited() or self._awaited() or self._state())

    def _state(self) -> str:
        """Progress, or the work before there is any, with its time."""
        if one := self._progress:
            return ": ".join(filter(None, (one.state, tally(one.counts))))
        return f"{_FIRST}: {clock(monotonic() - self._began)} so far"

    def _waited(self) -> str:
        return self._waiting and f"{self._waiting}: {clock(monotonic() - self._waits_since)} so far"

    def waiting(self, text: str) -> None:
        """Show the reason of a wait; an empty text ends it. Safe in any thread."""
        if not (text and self._waiting):  # else the same wait goes on
            self._waits_since = monotonic()
        self._waiting = text

    def __call__(self, event: Recorded, state: RunState) -> None:
        """Observe an event; at first the baseline is shown, with doubts about it."""
        if state.started is None or state.baseline is None:
            return
        first, self._progress = self._progress is None, self._taken(event, state)
        if first:
            title, text = figures(state.baseline.measurements[0], None)
            self._say(f"baseline: {title} {text}, {described(state.baseline)}")
            for doubt in doubts(state.baseline):
                self._say(f"note: {doubt}")
            self._say(f"run {state.log.run_id}")
        elif last := _described(event, state):
            self._say(f"{last} ({self._progress.state})")
        elif monotonic() - self._printed > _PAUSE:
            self._say_in_log(self._state())

    def _taken(self, event: Recorded, state: RunState) -> Progress:
        phase, done, began = *_searching(event, state, self._budget), 0.0
        if (reduction := state.work.reduction) and reduction.hunks is None:
            if not reduction.judged:
                self._reducing_since = state.spent.seconds
            most = reduction.started.evaluations
            phase = f"reducing, {reduction.judged} of at most {most} (Ctrl-C leaves it as it is)"
            done, began = reduction.judged / most, self._reducing_since
        spent, counts = state.spent, state.outcomes
        return Progress(phase, done, began, self._budget, spent, counts, monotonic())

    def stopping(self) -> None:
        """Show the coming end of the search. Safe in a signal handler."""
        self._stopping = STOPPING
        if not self._console.is_terminal:
            announce_stop()

    def leave(self) -> None:
        """Put the terminal in order; the process ends now. Safe in a signal handler."""
        if self._console.is_terminal:
            os.write(self._console.file.fileno(), b"\x1b[?25h\n")  # show the cursor again

    def _say(self, line: str) -> None:
        if line:
            self._printed = monotonic()
            self._console.print(line, soft_wrap=True)

    def _say_in_log(self, line: str) -> None:
        if not self._console.is_terminal:
            self._say(line)
