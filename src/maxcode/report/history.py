"""History: the events of a run, read once for all parts of a report."""

from __future__ import annotations

from maxcode.journal.events import Answered, Committed, Compared, ProposalRecord
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.state import RunState
from maxcode.report.curve import Curve, Point


class History:
    """The events of a run. :meth:`read` reads new ones.

    * ``started``, ``updated``: times of the first and the last event, in seconds since the epoch
    * ``committed``: the time at which each step entered the tree
    * ``calls``: answers of models, and their times
    * ``comparisons``: comparisons of steps
    * ``origins``: the proposal behind each step
    * ``critics``: the answer that a step's critique is made of, by step
    """

    def __init__(self, log: RunLog) -> None:
        self.state = RunState(log)
        self.curve = Curve()
        self.started: float | None = None
        self.updated: float | None = None
        self.committed: list[float] = []
        self.calls: list[tuple[float, Answered]] = []
        self.comparisons: list[Compared] = []
        self.origins: dict[int, ProposalRecord] = {}
        self.critics: dict[int, Answered] = {}

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

    @property
    def points(self) -> list[Point]:
        """How the run stood after each evaluation; the last may rise when they are compared."""
        return [*self.curve.settled, *self.curve.held(self.state)]

    def _add(self, recorded: Recorded) -> None:
        state, event = self.state, recorded.event
        done = state.work.expansions.get(event.number) if isinstance(event, Committed) else None
        steps = state.apply(recorded)
        self.curve.add(recorded, state)
        self.started = recorded.at if self.started is None else self.started
        self.updated = recorded.at
        if state.has_tree:
            self.committed += [recorded.at] * (len(state.tree) - len(self.committed))
        if done:
            self.origins.update(zip((step.id for step in steps), done.candidates, strict=True))
        if isinstance(event, Compared):
            self.comparisons.append(event)
        if isinstance(event, Answered):
            self.calls.append((recorded.at, event))
            if event.role == "critic" and event.step is not None and not event.call.problem:
                self.critics[event.step] = event
