"""On which lanes a run was judged, how busy they were and what failed there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from maxcode.evaluation import Evaluation, Status
from maxcode.journal.events import (
    Compared,
    Evaluated,
    Event,
    HeldOutMeasured,
    VariantCompared,
    VariantEvaluated,
)
from maxcode.text import cut, plain

_NOTE = 300  # characters
_NOTES = 20


@dataclass(frozen=True, slots=True)
class LaneLine:
    """What a lane did: ``on`` is its processor or GPU.

    ``judged`` counts candidates, and ``compared`` comparisons. ``seconds`` is what they took, and
    ``busy`` the share of the run's time on the clock that this is; the lane's own preparation is in
    neither. ``failures`` are attempts that were lost there, or failed through no fault of the
    candidate.
    """

    lane: str
    node: str
    on: str
    judged: int
    compared: int
    seconds: float
    busy: float
    failures: int


@dataclass(frozen=True, slots=True)
class LanesUsed:
    """The lanes of a run, by name, and what went wrong with them in words."""

    lines: tuple[LaneLine, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def nodes(self) -> int:
        """On how many nodes they are."""
        return len({line.node for line in self.lines})


@dataclass
class _Count:
    on: str = ""
    judged: int = 0
    compared: int = 0
    failures: int = 0
    seconds: float = 0.0


@dataclass
class LaneCounts:
    """Counts what happened on lanes, event by event."""

    _lanes: dict[str, _Count] = field(default_factory=dict)
    _notes: dict[str, None] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Count an event."""
        match event:
            case Evaluated():
                self._judged(event.evaluation)
                for place in event.lost_at:
                    if lane := self._of(place):
                        lane.failures += 1
                self._notes.update(dict.fromkeys(event.notes))
            case VariantEvaluated(evaluation=evaluation):
                self._judged(evaluation)
            case (
                Compared(comparison=measured)
                | VariantCompared(comparison=measured)
                | HeldOutMeasured(held_out=measured)
            ):
                if lane := self._of(measured.place):
                    lane.compared += 1
                    lane.seconds += measured.seconds

    def used(self, wall: float) -> LanesUsed:
        """The lanes so far, in a run that has taken ``wall`` seconds."""
        lines = [
            LaneLine(
                lane=cut(name, _NOTE),
                node=cut(name.rpartition("/")[0], _NOTE),
                on=cut(lane.on, _NOTE),
                judged=lane.judged,
                compared=lane.compared,
                seconds=lane.seconds,
                busy=lane.seconds / wall if wall > 0 else 0.0,
                failures=lane.failures,
            )
            for name, lane in sorted(self._lanes.items(), key=lambda item: _in_order(item[0]))
        ]
        return LanesUsed(tuple(lines), _shown([*self._notes]))

    def _judged(self, evaluation: Evaluation) -> None:
        if lane := self._of(evaluation.place):
            failed = evaluation.status is Status.INFRASTRUCTURE
            lane.failures += failed
            lane.judged += not failed
            lane.seconds += evaluation.seconds

    def _of(self, place: str) -> _Count | None:
        """The lane of a place; None for this machine, which has no name."""
        name, _, on = place.partition(" ")
        if not name:
            return None
        lane = self._lanes.setdefault(name, _Count())
        lane.on = on or lane.on
        return lane


def _in_order(name: str) -> tuple[str, int]:
    """So that lane 10 of a node comes after lane 9."""
    node, _, number = name.rpartition("/")
    return (node, int(number)) if number.isdecimal() else (name, 0)


def _shown(notes: Sequence[str]) -> tuple[str, ...]:
    more = len(notes) - _NOTES
    rest = (f"and {more} before these",) if more > 0 else ()
    return (*(cut(plain(note), _NOTE) for note in notes[-_NOTES:]), *rest)
