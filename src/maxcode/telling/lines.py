"""A run in one line, as lists of runs show it."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.cost import Cost
from maxcode.evaluation import Interval
from maxcode.journal import RunLog
from maxcode.result import Result
from maxcode.state import RunState
from maxcode.telling.results import standing
from maxcode.telling.steps import Document


@dataclass(frozen=True)
class RunLine:
    """A run in a list. ``best`` is None while nothing faster was found.

    ``started`` and ``updated`` are when its first and last event were written, in seconds since the
    epoch.
    """

    run_id: str
    task: str
    status: str
    best: Interval | None
    confirmed: bool
    spent: Cost
    started: float | None
    updated: float | None

    @classmethod
    def read(cls, log: RunLog) -> RunLine:
        """The line of a run, from all its events."""
        state, started, updated = RunState(log), None, None
        for recorded in log.events():
            state.apply(recorded)
            started = recorded.at if started is None else started
            updated = recorded.at
        return cls.of(state, started, updated)

    @classmethod
    def of(cls, state: RunState, started: float | None, updated: float | None) -> RunLine:
        """The line of a run whose events were folded already."""
        result = Result.of(state) if state.has_tree else None
        improved = result is not None and result.improved
        return cls(
            run_id=state.log.run_id,
            task=state.started.task if state.started else "",
            status=standing(state),
            best=result.speedup if result and improved else None,
            confirmed=bool(result and improved and result.confirmed),
            spent=state.spent,
            started=started,
            updated=updated,
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
            "evaluations": self.spent.evaluations,
            "started": self.started,
        }
