"""Account: the cost and the seconds of a run, folded from its events."""

from __future__ import annotations

from dataclasses import replace

from maxcode.budget import FREE, Call, Cost, Usage
from maxcode.evaluation import Evaluation, Status

_JUDGED = Cost(evaluations=1)


class Account:
    """Settled costs, the clock of all sessions, and the slowest steps.

    ``slowest`` has the seconds of the slowest event of each kind: the next is expected to take as
    long. ``reducing`` counts the evaluations spent by reductions.
    """

    def __init__(self) -> None:
        self.usage: dict[str, Usage] = {}  # of models, by name
        self.reducing = 0
        self.slowest: dict[str, float] = {}
        self._settled = FREE
        self._seconds_before = 0.0  # in sessions that ended
        self._session_from = 0.0
        self.now = 0.0  # by the clock of the session, at its last event

    @property
    def settled(self) -> Cost:
        """Cost of committed expansions and of reductions, and the seconds of all sessions.

        An evaluation is charged to the first step with its program, in the order of commitment, so
        the count does not depend on which of two finished first.
        """
        return replace(self._settled, seconds=self._seconds_before + self.now - self._session_from)

    def settle(self, cost: Cost) -> None:
        """Add a cost that is over and paid for."""
        self._settled += cost

    def use(self, call: Call) -> None:
        """Add a call of a model to its usage."""
        self.usage[call.model] = self.usage.get(call.model, Usage()) + Usage.of(call)

    def took(self, kind: str, seconds: float) -> None:
        """Note the duration of a step of this kind."""
        self.slowest[kind] = max(self.slowest.get(kind, 0.0), seconds)

    def expected(self, *kinds: str) -> float:
        """Seconds of an event of each kind, by the slowest so far."""
        return sum(self.slowest.get(kind, 0.0) for kind in kinds)

    def begin(self, clock: float, before: float | None = None) -> None:
        """Begin a session at ``clock``, after ``before`` seconds recorded in no event."""
        if before is not None:
            self._seconds_before = self.settled.seconds + before
        self._session_from = self.now = clock

    def pass_time(self, clock: float) -> None:
        """Move on to the clock of an event of this session."""
        if clock < self.now:  # the time of day, which is all that older versions wrote, was set
            self._session_from -= self.now - clock
        self.now = clock


def charge(evaluation: Evaluation) -> Cost:
    """Cost of an evaluation: nothing when the harness failed."""
    return FREE if evaluation.status is Status.INFRASTRUCTURE else _JUDGED
