"""Best so far of a run after each evaluation, from its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from maxcode.evaluation import Interval, Status
from maxcode.journal.events import Asked, BaselineMeasured, Committed, Granted, Stopped
from maxcode.journal.journal import Recorded
from maxcode.journal.state import RunState
from maxcode.tree import ROOT, Step


@dataclass(frozen=True)
class Point:
    """State of a run after its evaluation of that number; 0 is the baseline.

    ``at`` is in epoch seconds. ``values`` are the figures by name, see docs/manual/export.md.
    """

    evaluation: int
    at: float
    values: Mapping[str, float]


class Curve:
    """Points of a run, made of its events in their order.

    A point is ``settled`` once its candidate was compared with the best, if it is to be; events
    alone decide, so a resumed run has the same points.
    """

    def __init__(self) -> None:
        self.settled: list[Point] = []
        self._evaluations = 0
        self._best = Interval(1.0, 1.0, 1.0)
        self._by_status: Counter[Status] = Counter()
        self._held: list[tuple[int, Point]] = []  # with the number of the step

    def add(self, recorded: Recorded, state: RunState) -> None:
        """Note an event that was folded into the state."""
        match recorded.event:
            case Asked() | Granted() | Committed():  # all before is confirmed, if it was to be
                self.settle(state)
            case Stopped():
                self.settle_rest(state)
            case BaselineMeasured():
                self._held.append((ROOT, Point(0, recorded.at, _spent(state))))
        if isinstance(recorded.event, Committed):
            for step in state.progress.last_committed:
                self._hold(step, recorded.at, state)

    def settle_rest(self, state: RunState) -> None:
        """Settle points at the end of a session.

        None while a comparison is due: the next session makes it first.
        """
        done = state.stopped is not None and state.stopped.status == "done"
        if done or not any(map(state.progress.to_compare, state.progress.last_committed)):
            self.settle(state)

    def settle(self, state: RunState) -> None:
        """Settle all points."""
        if self._held:
            self.settled += self.held(state)
            self._best = _best(state)
            self._held.clear()

    def held(self, state: RunState) -> list[Point]:
        """Points not settled, as the tree is now; a new best counts from its own evaluation on."""
        points, now = [], _best(state)
        for step, point in self._held:
            best = now if step >= state.tree.best.id else self._best
            known = {"best/speedup": best.value, "best/low": best.low, "best/high": best.high}
            points.append(Point(point.evaluation, point.at, {**known, **point.values}))
        return points

    def _hold(self, step: Step, at: float, state: RunState) -> None:
        self._by_status[step.evaluation.status] += 1
        if not step.cost.evaluations:  # a duplicate, or no program at all
            return
        self._evaluations += 1
        counts = {f"status/{status.value}": float(n) for status, n in self._by_status.items()}
        values = {"score": step.reward, **counts, **_spent(state)}
        self._held.append((step.id, Point(self._evaluations, at, values)))


def _best(state: RunState) -> Interval:
    return state.tree.confirmed(state.tree.best.id) or state.tree.best_speedup


def _spent(state: RunState) -> dict[str, float]:
    """Cost of committed expansions; the progress of others depends on timing."""
    spent = state.account.settled
    return {
        "spent/tokens": float(spent.tokens),
        "spent/dollars": spent.dollars,
        "spent/seconds": spent.seconds,
    }
