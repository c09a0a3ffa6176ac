"""Progress: what there is to see of a run while it runs, taken from its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from maxcode.budget import Budget
from maxcode.cost import FREE, Cost
from maxcode.evaluation import Interval, Status
from maxcode.events import Answered, Committed, Compared, Evaluated, Event, Proposed
from maxcode.state import RunState
from maxcode.telling.words import factor, interval
from maxcode.tree import ROOT, Step

EVEN = Interval(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot, safe to read from any thread.

    ``best`` is the incumbent's speedup by confirmations, ``best_name`` says which step it is.
    ``highest`` is the highest score above 1 in words, confirmed or not; empty if there is none.
    ``spent`` was right at ``taken``, a reading of the monotonic clock. ``last`` says what happened
    last; ``notable`` whether it is worth a line of its own.
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
    """An observer of a search that hands a fresh Progress on after each event."""

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
