"""History: the events of a run, read once for all parts of a report."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.journal.events import (
    Answered,
    Asked,
    Committed,
    Compared,
    ProposalRecord,
)
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.open import OpenExpansion
from maxcode.report.curve import Curve, Point
from maxcode.report.rows import RunReader
from maxcode.system import garbage_kept


@dataclass(frozen=True, slots=True)
class Origin:
    """The proposal behind a step, and the model's answer behind it, if any."""

    proposal: ProposalRecord
    answer: Answered | None


class History(RunReader):
    """The events of a run. :meth:`read` reads new ones."""

    def __init__(self, log: RunLog) -> None:
        super().__init__(log)
        self.curve = Curve()
        self._open: dict[int, OpenExpansion] = {}
        self.comparisons: list[Compared] = []
        self.origins: dict[int, Origin] = {}  # by step
        self.critics: dict[int, Answered] = {}  # the answer that a step's critique is made of
        self.updated: float | None = None

    @classmethod
    def of(cls, log: RunLog) -> History:
        """The history of a run, up to now."""
        history = cls(log)
        history.read()
        return history

    def read(self) -> bool:
        """Read new events; whether there were any."""
        before = self.state.last_event
        with garbage_kept():
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
        self.updated = recorded.at
        self.add(recorded)
        self.curve.add(recorded, self.state)
        match recorded.event:
            case Asked():
                self._open.update(self.state.work.expansions)
            case Answered(role="critic", step=int(step)) as event if not event.call.problem:
                self.critics[step] = event
            case Compared() as event:
                self.comparisons.append(event)
            case Committed(number=number):
                self._trace(self._open.pop(number))

    def _trace(self, done: OpenExpansion) -> None:
        """Note which proposal of an expansion each of its steps was."""
        answers = {one.text: one for one in done.answers.values() if one.role == "generator"}
        for step, proposal in zip(self.state.progress.last_committed, done.candidates, strict=True):
            self.origins[step.id] = Origin(proposal, answers.get(proposal.answer))
