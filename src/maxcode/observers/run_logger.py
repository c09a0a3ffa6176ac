"""The base of observers that log runs elsewhere."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.util import find_spec
from queue import SimpleQueue
from threading import Event as Signal
from threading import Thread
from time import monotonic
from typing import Protocol

from maxcode.errors import ToolError
from maxcode.events import Committed, Compared, Event, SessionStarted, Stopped
from maxcode.journal import RunLog
from maxcode.observers.points import Curve, Ending, Facts, Point
from maxcode.state import RunState


class Track(Protocol):
    """Where one run is logged. ``last`` is the last evaluation that is there already, or -1."""

    last: int

    def log(self, point: Point) -> None:
        """Log a point, of a later evaluation than all before."""

    def finish(self, ending: Ending) -> None:
        """Log how the run stands, and close. The run may be resumed, and logged on, later."""


def require(library: str) -> None:
    """Raise :class:`ToolError` where a library is missing whose extra has the same name."""
    found = find_spec(library)
    if found is None or found.origin is None:  # a mere folder of that name, such as ./wandb
        raise ToolError(f"the library {library} is missing here: pip install 'maxcode[{library}]'")


def _warn(problem: str) -> None:
    warnings.warn(problem, RuntimeWarning, stacklevel=2)


class RunLogger(ABC):
    """An observer that logs the runs of searches: ``optimize(..., observers=[TensorBoard("x")])``.

    It reads a run's journal in a thread of its own, so a search never waits for it but at its end,
    when the last points are logged, and then ``patience`` seconds at most. Nothing that goes wrong
    in it reaches the search: it is told once, by ``report`` (at first :func:`warnings.warn`), and
    the rest of the run is not logged. :meth:`replay` does that later. Points that are logged
    already are not logged again, so a run that is resumed or replayed goes on where it was. With a
    ``patience`` of 0 no search waits, and whoever made the logger calls :meth:`wait`.
    """

    def __init__(self) -> None:
        self.report: Callable[[str], None] = _warn
        self.patience = 30.0
        self._threads: dict[str, _FollowingThread] = {}
        self._ended: list[_FollowingThread] = []

    @abstractmethod
    def open(self, run: Facts) -> Track:
        """Where a run is logged: a new place, or the one where it was logged before."""

    def __call__(self, event: Event, state: RunState) -> None:
        """Observe an event."""
        run_id = state.log.run_id
        if isinstance(event, Committed | Compared | SessionStarted | Stopped):
            if run_id not in self._threads:
                self._threads[run_id] = _FollowingThread(state.log, self)
                self._threads[run_id].start()
            self._threads[run_id].news.put(None)
        if isinstance(event, Stopped):
            thread = self._threads.pop(run_id)
            thread.end()
            if self.patience:
                thread.see_off(self.patience)
            else:
                self._ended.append(thread)

    def wait(self, seconds: float) -> None:
        """Wait until runs that are over are logged, and report those that are not by then."""
        until = monotonic() + seconds
        while self._ended:
            self._ended[0].see_off(until - monotonic())
            del self._ended[0]

    def replay(self, log: RunLog) -> None:
        """Log a run from its journal, as far as it has got.

        Raises :class:`~maxcode.errors.JournalError` before its baseline was measured, and whatever
        the library raises.
        """
        follower = Follower(log, self.open)
        follower.read()
        follower.close()


class Follower:
    """Reads the journal of a run, on from where it was, and logs what there is to log."""

    def __init__(self, log: RunLog, opened: Callable[[Facts], Track]) -> None:
        self._log = log
        self._open = opened
        self._state = RunState(log)
        self._curve = Curve()
        self._track: Track | None = None
        self._started = self._now = 0.0

    def read(self) -> None:
        """Log what is new."""
        for recorded in self._log.events(after=self._state.last_event):
            self._started = self._started or recorded.at
            self._now = recorded.at
            self._state.apply(recorded)
            for point in self._curve.hear(recorded, self._state):
                self._tell(point)

    def close(self) -> None:
        """Log the rest and the end of it."""
        for point in self._curve.rest(self._state):
            self._tell(point)
        self._opened().finish(Ending.of(self._state, self._now))

    def _tell(self, point: Point) -> None:
        track = self._opened()
        if point.evaluation > track.last:
            track.log(point)

    def _opened(self) -> Track:
        if self._track is None:
            self._track = self._open(Facts.of(self._state, self._started))
        return self._track


class _FollowingThread(Thread):
    """Follows a run while it is searched. Dies with the process; the journal has it all.

    Whatever keeps it from logging everything is reported, but only once.
    """

    def __init__(self, log: RunLog, logger: RunLogger) -> None:
        super().__init__(name=f"logging {log.run_id}", daemon=True)
        self.news: SimpleQueue[None] = SimpleQueue()
        self._log = log
        self._logger = logger
        self._ended = False
        self._over = Signal()
        self._told = False

    def run(self) -> None:
        try:
            follower = Follower(self._log, self._logger.open)
            while not self._ended:
                self.news.get()
                follower.read()
            follower.read()
            follower.close()
        except Exception as error:  # noqa: BLE001 - told; a search is worth more than its log
            self._report(f"logs no more of run {self._log.run_id}: {type(error).__name__}: {error}")
        finally:
            self._over.set()

    def end(self) -> None:
        """Tell that there is no more to come."""
        self._ended = True
        self.news.put(None)

    def see_off(self, seconds: float) -> None:
        """Wait until everything is logged, or so long."""
        if not self._over.wait(max(0.0, seconds)):  # join() takes it for over after a Ctrl-C
            self._report(f"has not logged all of run {self._log.run_id} in time")

    def _report(self, problem: str) -> None:
        if self._told:
            return
        self._told = True
        self._logger.report(
            f"{type(self._logger).__name__} {problem}; "
            "its journal has everything, log it again later"
        )
