"""What a run logger tells of a run: its settings, a point for each evaluation, and the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from maxcode.errors import JournalError
from maxcode.evaluation import Interval, Status
from maxcode.events import Asked, BaselineMeasured, Committed, Granted, Stopped
from maxcode.journal import Recorded
from maxcode.program import Program
from maxcode.result import Result
from maxcode.state import RunState
from maxcode.tree import ROOT, Step

Setting = str | int | float

_MOVED_ON = Asked | Granted | Committed
"""Written by the coordinator when what was committed before is confirmed, if it was to be."""


@dataclass(frozen=True)
class Facts:
    """What is known of a run once its baseline was measured. ``started`` is in epoch seconds."""

    run_id: str
    task: str
    started: float
    settings: Mapping[str, Setting]

    @classmethod
    def of(cls, state: RunState, started: float) -> Facts:
        """The facts of a run. Raises :class:`JournalError` where its baseline is not known."""
        first, baseline = state.started, state.baseline
        if first is None or baseline is None:
            raise JournalError(f"run {state.log.run_id} stopped before its baseline was measured")
        recipe = {f"recipe/{k}": v for k, v in first.recipe.items() if isinstance(v, Setting)}
        settings: dict[str, Setting] = {
            "task": first.task,
            "task_digest": first.task_digest,
            **first.plugins,
            "observe": str(first.observe),
            "seed": first.seed,
            "gamma": first.gamma,
            "in_flight": first.in_flight,
            "budget": str(state.budget),
            "meter": baseline.measurements[0].meter,
            "baseline": baseline.value,
            "machine": baseline.machine,
            "version": first.version,
            **recipe,
        }
        return cls(state.log.run_id, first.task, started, settings)


@dataclass(frozen=True)
class Point:
    """How a run stands after its evaluation of that number; 0 is the baseline.

    ``at`` is when, in epoch seconds. ``values`` are the figures by name, see docs/manual/export.md.
    """

    evaluation: int
    at: float
    values: Mapping[str, float]


@dataclass(frozen=True)
class Ending:
    """What a run found: the figures of its headline in words and numbers, and the best program."""

    status: str
    headline: str
    figures: Mapping[str, Setting]
    program: Program
    at: float

    @classmethod
    def of(cls, state: RunState, at: float) -> Ending:
        """What was found so far."""
        result = Result.of(state)
        found = result.speedup if result.improved else Interval(1.0, 1.0, 1.0)
        sure = "confirmed" if result.confirmed else "not confirmed"
        headline = f"{result.task}: {found}, {sure}" if result.improved else "nothing faster found"
        figures: dict[str, Setting] = {
            "speedup": found.value,
            "low": found.low,
            "high": found.high,
            "confirmed": result.improved and result.confirmed,
            "evaluations": result.spent.evaluations,
            "tokens": result.spent.tokens,
            "dollars": result.spent.dollars,
            "seconds": result.spent.seconds,
            "status": result.status,
            "reason": result.reason,
        }
        return cls(result.status, headline, figures, result.program, at)


class Curve:
    """Makes points of the events of a run, in their order.

    A point is made when its candidate was compared with the best, if it was to be; the events tell
    that, so the points of a run that was resumed are those of one that was not.
    """

    def __init__(self) -> None:
        self._evaluations = 0
        self._best = Interval(1.0, 1.0, 1.0)
        self._by_status: Counter[Status] = Counter()
        self._held: list[tuple[int, Point]] = []  # with the number of the step

    def hear(self, recorded: Recorded, state: RunState) -> Iterator[Point]:
        """The points that are made when an event has been folded into the state."""
        event = recorded.event
        if isinstance(event, _MOVED_ON):
            yield from self.flush(state)
        if isinstance(event, Stopped):
            yield from self.rest(state)
        if isinstance(event, BaselineMeasured):
            self._held.append((ROOT, Point(0, recorded.at, _spent(state))))
        if isinstance(event, Committed):
            for step in state.last_committed:
                self._hold(step, recorded.at, state)

    def rest(self, state: RunState) -> Iterator[Point]:
        """The points that were held back when a session ends.

        None while a comparison is due that may change them: a session that goes on makes it first.
        """
        done = state.stopped is not None and state.stopped.status == "done"
        if done or not any(map(state.to_compare, state.last_committed)):
            yield from self.flush(state)

    def flush(self, state: RunState) -> Iterator[Point]:
        """The points that were held back; a new best counts from its own evaluation on."""
        if not self._held:
            return
        best = state.tree.best.id
        now = state.tree.confirmed(best) or state.tree.best_speedup
        for step, point in self._held:
            speedup = now if step >= best else self._best
            values = {
                "best/speedup": speedup.value,
                "best/low": speedup.low,
                "best/high": speedup.high,
            }
            yield Point(point.evaluation, point.at, {**values, **point.values})
        self._best = now
        self._held.clear()

    def _hold(self, step: Step, at: float, state: RunState) -> None:
        self._by_status[step.evaluation.status] += 1
        if not step.cost.evaluations:  # a duplicate, or no program at all
            return
        self._evaluations += 1
        counts = {f"status/{status.value}": float(n) for status, n in self._by_status.items()}
        values = {"score": step.reward, **counts, **_spent(state)}
        self._held.append((step.id, Point(self._evaluations, at, values)))


def _spent(state: RunState) -> dict[str, float]:
    """What committed expansions have cost; how far the others are is a matter of luck."""
    spent = state.settled
    return {
        "spent/tokens": float(spent.tokens),
        "spent/dollars": spent.dollars,
        "spent/seconds": spent.seconds,
    }
