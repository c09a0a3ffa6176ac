"""Recorder: the one way by which something happens in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import RLock

from maxcode.events import Event
from maxcode.journal import RunLog
from maxcode.program import Program
from maxcode.state import RunState
from maxcode.tree import Step

Observer = Callable[[Event, RunState], None]
"""Called after each event, from the thread that made it, one call at a time."""


class Recorder:
    """Writes events to the journal, folds them into the state, and tells observers; in this order.

    One lock around all three: the state never holds what the journal does not.
    """

    def __init__(self, log: RunLog, state: RunState, observers: Sequence[Observer] = ()) -> None:
        self.state = state
        self._log = log
        self._observers = tuple(observers)
        self._lock = RLock()

    def __call__(
        self,
        *events: Event,
        named: Iterable[Program] = (),
        texts: Iterable[str] = (),
        sync: bool = False,
    ) -> tuple[Step, ...]:
        """Record events, and what they name; gives the steps they added to the tree.

        ``sync`` for what was paid for: see :meth:`RunLog.append`.
        """
        with self._lock:
            steps: list[Step] = []
            written = self._log.append(*events, named=named, texts=texts, sync=sync)
            for recorded in written:
                steps += self.state.apply(recorded)
            for recorded in written:
                for observer in self._observers:
                    observer(recorded.event, self.state)
            return tuple(steps)
