"""History: the events of a run, read once for all parts of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from maxcode.evaluation import Status
from maxcode.journal.events import (
    Answered,
    Asked,
    BaselineMeasured,
    Committed,
    Granted,
    ProposalRecord,
)
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.state import RunState
from maxcode.tree import ROOT, Step


@dataclass(frozen=True)
class Point:
    """State of a run after its evaluation of that number, of ``step``; 0 is the baseline.

    ``at`` is in epoch seconds. ``values`` are the figures by name, see docs/manual/export.md.
    """

    evaluation: int
    step: int
    at: float
    values: Mapping[str, float]


class History:
    """The events of a run. :meth:`read` reads new ones.

    * ``started``, ``updated``: times of the first and the last event, in seconds since the epoch
    * ``committed``: the time at which each step entered the tree
    * ``points``: the run after each evaluation; comparisons may change all but the first
      ``settled``
    * ``calls``: answers of models, and their times
    * ``origins``: the proposal behind each step
    * ``critics``: the answer that a step's critique is made of, by step
    """

    def __init__(self, log: RunLog) -> None:
        self.state = RunState(log)
        self.started: float | None = None
        self.updated: float | None = None
        self.committed: list[float] = []
        self.points: list[Point] = []
        self.settled = 0
        self.calls: list[tuple[float, Answered]] = []
        self.origins: dict[int, ProposalRecord] = {}
        self.critics: dict[int, Answered] = {}
        self._best: dict[str, float] = {}
        self._by_status: Counter[Status] = Counter()

    @classmethod
    def of(cls, log: RunLog) -> History:
        """The history of a run, up to now."""
        history = cls(log)
        history.read()
        return history

    def read(self) -> bool:
        """Read new events; whether there were any."""
        before = self.state.last_event
        for recorded in self.log.events(before):
            self._add(recorded)
        return self.state.last_event > before

    @property
    def log(self) -> RunLog:
        """Where the events are."""
        return self.state.log

    def settle(self) -> None:
        """Settle all points, unless a comparison is due: the next session makes it first."""
        stopped, progress = self.state.stopped, self.state.progress
        done = stopped is not None and stopped.status == "done"
        if done or not any(map(progress.to_compare, progress.last_committed)):
            self.settled = len(self.points)

    def _add(self, recorded: Recorded) -> None:
        state, event = self.state, recorded.event
        done = state.work.expansions.get(event.number) if isinstance(event, Committed) else None
        steps = state.apply(recorded)
        self.started = recorded.at if self.started is None else self.started
        self.updated = recorded.at
        if done:
            self.origins.update(zip((step.id for step in steps), done.candidates, strict=True))
        match event:
            case Answered():
                self.calls.append((recorded.at, event))
                if event.role == "critic" and event.step is not None and not event.call.problem:
                    self.critics[event.step] = event
            case Asked() | Granted() | Committed():  # steps of before are compared, if ever
                self.settled = len(self.points)
        if state.has_tree:
            self.committed += [recorded.at] * (len(state.tree) - len(self.committed))
            self._note_best()
        if isinstance(event, BaselineMeasured):
            self._append(Point(0, ROOT, recorded.at, {}))
        elif isinstance(event, Committed):
            for step in steps:
                self._note(step, recorded.at)

    def _note(self, step: Step, at: float) -> None:
        self._by_status[step.evaluation.status] += 1
        if step.cost.evaluations:  # no duplicate, and a program
            counts = {f"status/{name.value}": float(n) for name, n in self._by_status.items()}
            evaluation = self.points[-1].evaluation + 1
            self._append(Point(evaluation, step.id, at, {"score": step.reward, **counts}))

    def _append(self, point: Point) -> None:
        """Add a point, with the best and the cost of committed expansions.

        The progress of other expansions depends on timing.
        """
        spent = self.state.account.settled
        cost = {"tokens": spent.tokens, "dollars": spent.dollars, "seconds": spent.seconds}
        spending = {f"spent/{name}": float(value) for name, value in cost.items()}
        values = {**self._best, **point.values, **spending}
        self.points.append(replace(point, values=values))

    def _note_best(self) -> None:
        """Give a new best to the points from its own evaluation on."""
        tree = self.state.tree
        best = tree.best.id
        now = tree.confirmed(best) or tree.best_speedup
        known = {"best/speedup": now.value, "best/low": now.low, "best/high": now.high}
        if known != self._best:
            self._best = known
            for place, point in enumerate(self.points[self.settled :], self.settled):
                if point.step >= best:
                    self.points[place] = replace(point, values={**point.values, **known})
