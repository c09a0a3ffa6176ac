"""Run loggers: the settings of a run, a point for each evaluation and its end, logged elsewhere."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Event as Signal
from threading import Thread
from typing import Protocol

from maxcode.errors import JournalError, ToolError
from maxcode.journal.events import Event, Stopped
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.report.closing import headline
from maxcode.report.history import History, Point
from maxcode.report.rows import RunRow, run_row, settings
from maxcode.search.result import Result
from maxcode.text import plain

_PERIOD = 1.0  # seconds between two looks at the journal
Setting = str | int | float

_SETTINGS = (
    *("task", "task_digest", "policy", "generator", "critic", "reward_to_go", "executor"),
    *("observe", "seed", "gamma", "in_flight", "budget", "meter", "baseline", "machine"),
    "version",
)
_FIGURES = (
    *("speedup", "low", "high", "confirmed", "improved", "evaluations", "tokens", "dollars"),
    *("seconds", "status", "reason"),
)


def _known(row: RunRow, names: Iterable[str]) -> dict[str, Setting]:
    found = {name: getattr(row, name) for name in names}
    shown = {name: plain(one) if isinstance(one, str) else one for name, one in found.items()}
    return {name: value for name, value in shown.items() if value is not None}


@dataclass(frozen=True)
class Facts:
    """Facts of a run once its baseline was measured. ``started`` is in epoch seconds."""

    run_id: str
    started: float
    settings: Mapping[str, Setting]

    @classmethod
    def of(cls, history: History) -> Facts:
        """The facts of a run. Raises :class:`JournalError` where its baseline is not known."""
        row = run_row(history)
        if row.baseline is None:
            raise JournalError(f"run {row.run} stopped before its baseline was measured")
        given = {f"recipe/{name}": value for name, value in settings(row).items()}
        return cls(row.run, row.started or 0.0, {**_known(row, _SETTINGS), **given})


@dataclass(frozen=True)
class Ending:
    """The result of a run: headline, figures of its row (docs/manual/export.md), best program."""

    status: str
    headline: str
    figures: Mapping[str, Setting]
    program: Program
    at: float

    @classmethod
    def of(cls, history: History) -> Ending:
        """The result so far."""
        result, row = Result.of(history.state), run_row(history)
        told = headline(result)
        text = plain(f"{told.result}{told.rest}")
        return cls(row.status, text, _known(row, _FIGURES), result.program, history.updated or 0.0)


class Track(Protocol):
    """The log of a single run."""

    @property
    def last(self) -> int:
        """The last logged evaluation, or -1."""

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
    """An observer to log the runs of searches: ``optimize(..., observers=[TensorBoard("x")])``.

    It reads a run's journal in a thread of its own. A search waits for it only at its end,
    ``patience`` seconds at most. Failures never reach the search: the first is reported by
    ``report`` (:func:`warnings.warn` unless set), and the rest of the run is not logged;
    :meth:`replay` logs it later. Logged points are not logged again, so a resumed or replayed run
    goes on where it was.
    """

    patience = 30.0

    def __init__(self) -> None:
        self.report: Callable[[str], None] = _warn
        self._followers: dict[str, _Follower] = {}

    @abstractmethod
    def open(self, run: Facts) -> Track:
        """The log of a run: a new place, or its earlier place."""

    @staticmethod
    def absolute(where: str) -> str:
        """The constructor's argument, as it means the same from whatever folder."""
        return where

    def __call__(self, event: Event, state: RunState) -> None:
        """Observe an event."""
        run_id = state.log.run_id
        if run_id not in self._followers:
            self._followers[run_id] = _Follower(state.log, self)
            self._followers[run_id].start()
        if isinstance(event, Stopped):
            self._followers.pop(run_id).end(self.patience)

    def replay(self, log: RunLog) -> None:
        """Log a run from its journal, as far as it has got.

        Raises :class:`~maxcode.errors.JournalError` before its baseline was measured, and whatever
        the library raises.
        """
        _Follower(log, self).finish()


class _Follower(Thread):
    """Logs a run from its journal. Dies with the process; the journal has it all."""

    def __init__(self, log: RunLog, logger: RunLogger) -> None:
        super().__init__(name=f"logging {log.run_id}", daemon=True)
        self._logger = logger
        self._history = History(log)
        self._written = 0
        self._track: Track | None = None
        self._ended, self._over = Signal(), Signal()

    def run(self) -> None:
        try:
            while not self._ended.wait(_PERIOD):
                self._log_on()
            self.finish()
        except Exception as error:  # noqa: BLE001 - reported; a search is worth more than its log
            run_id = self._history.log.run_id
            self._report(f"logs no more of run {run_id}: {type(error).__name__}: {error}")
        finally:
            self._over.set()

    def end(self, patience: float) -> None:
        """Wait until everything is logged, or so many seconds."""
        self._ended.set()
        if not self._over.wait(patience):  # join() takes it for over after a Ctrl-C
            self._report(f"has not logged all of run {self._history.log.run_id} in time")

    def finish(self) -> None:
        """Log the rest, and how the run stands."""
        self._history.read()
        self._history.settle()
        self._log_on()
        self._opened().finish(Ending.of(self._history))

    def _log_on(self) -> None:
        self._history.read()
        for point in self._history.points[self._written : self._history.settled]:
            if point.evaluation > self._opened().last:
                self._opened().log(point)
        self._written = self._history.settled

    def _opened(self) -> Track:
        if self._track is None:
            self._track = self._logger.open(Facts.of(self._history))
        return self._track

    def _report(self, problem: str) -> None:
        name = type(self._logger).__name__
        self._logger.report(f"{name} {problem}; its journal has everything, log it again later")
