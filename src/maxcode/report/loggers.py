"""Run loggers: the settings of a run, a point for each evaluation and its end, logged elsewhere."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from queue import SimpleQueue
from threading import Event as Signal
from threading import Thread
from typing import Protocol

from maxcode.errors import JournalError, ToolError
from maxcode.evaluation import Interval, Status
from maxcode.journal.events import (
    Asked,
    BaselineMeasured,
    Committed,
    Compared,
    Event,
    Granted,
    SessionStarted,
    Stopped,
)
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.search.summary import hardly_compared
from maxcode.text import plain
from maxcode.tree import ROOT, Step

Setting = str | int | float

_MOVED_ON = Asked | Granted | Committed  # what was committed before is confirmed, if it was to be


@dataclass(frozen=True)
class Facts:
    """Facts of a run once its baseline was measured. ``started`` is in epoch seconds."""

    run_id: str
    task: str
    started: float
    settings: Mapping[str, Setting]

    @classmethod
    def of(cls, state: RunState, started: float) -> Facts:
        """The facts of a run. Raises :class:`JournalError` where its baseline is not known."""
        first, baseline = state.started, state.baseline
        if first is None or baseline is None:
            raise JournalError(f"run {state.log.run_id} stopped before its baseline was measured")
        recipe = {
            f"recipe/{k}": v
            for k, v in first.options.recipe.items()
            if isinstance(v, Setting) and k != "seal"
        }
        settings: dict[str, Setting] = {
            "task": first.task,
            "task_digest": first.task_digest,
            **first.plugins,
            "observe": str(first.observe),
            "seed": first.options.seed,
            "gamma": first.options.gamma,
            "in_flight": first.options.in_flight or "chosen",
            "budget": str(state.budget),
            "meter": baseline.measurements[0].meter,
            "baseline": baseline.value,
            "machine": baseline.machine,
            "version": first.version,
            **recipe,
        }
        return cls(state.log.run_id, first.task, started, settings)


@dataclass(frozen=True)
class Point:
    """State of a run after its evaluation of that number; 0 is the baseline.

    ``at`` is in epoch seconds. ``values`` are the figures by name, see docs/manual/export.md.
    """

    evaluation: int
    at: float
    values: Mapping[str, float]


@dataclass(frozen=True)
class Ending:
    """The result of a run: headline figures in words and numbers, and the best program."""

    status: str
    headline: str
    figures: Mapping[str, Setting]
    program: Program
    at: float

    @classmethod
    def of(cls, state: RunState, at: float) -> Ending:
        """The result so far."""
        result = Result.of(state)
        found = result.speedup if result.improved else Interval(1.0, 1.0, 1.0)
        sure = "confirmed" if result.confirmed else "not confirmed"
        few = hardly_compared(result.fuzzed, result.baseline)
        parts = filter(None, (f"{result.task}: {found}", result.elsewhere, sure, few))
        headline = ", ".join(parts) if result.improved else result.nothing
        figures: dict[str, Setting] = {
            "speedup": found.value,
            "low": found.low,
            "high": found.high,
            "confirmed": result.improved and result.confirmed,
            "evaluations": result.spent.evaluations,
            "tokens": result.spent.tokens,
            "dollars": result.spent.dollars,
            "seconds": result.spent.seconds,
            "status": result.status,
            "reason": plain(result.reason),
        }
        return cls(result.status, plain(headline), figures, result.program, at)


class Curve:
    """Makes points of the events of a run, in their order.

    A point waits until its candidate was compared with the best, if it is to be; events alone
    decide, so a resumed run has the same points.
    """

    def __init__(self) -> None:
        self._evaluations = 0
        self._best = Interval(1.0, 1.0, 1.0)
        self._by_status: Counter[Status] = Counter()
        self._held: list[tuple[int, Point]] = []  # with the number of the step

    def add(self, recorded: Recorded, state: RunState) -> Iterator[Point]:
        """The points made by an event, once it is folded into the state."""
        event = recorded.event
        if isinstance(event, _MOVED_ON):
            yield from self.flush(state)
        if isinstance(event, Stopped):
            yield from self.rest(state)
        if isinstance(event, BaselineMeasured):
            self._held.append((ROOT, Point(0, recorded.at, _spent(state))))
        if isinstance(event, Committed):
            for step in state.progress.last_committed:
                self._hold(step, recorded.at, state)

    def rest(self, state: RunState) -> Iterator[Point]:
        """The held points at the end of a session.

        None while a comparison is due: the next session makes it first.
        """
        done = state.stopped is not None and state.stopped.status == "done"
        if done or not any(map(state.progress.to_compare, state.progress.last_committed)):
            yield from self.flush(state)

    def flush(self, state: RunState) -> Iterator[Point]:
        """The held points; a new best counts from its own evaluation on."""
        if not self._held:
            return
        best = state.tree.best.id
        now = state.tree.confirmed(best) or state.tree.best_speedup
        for step, point in self._held:
            speedup = now if step >= best else self._best
            values = {
                "best/speedup": speedup.value,
                "best/low": speedup.low,
                "best/high": speedup.high,
            }
            yield Point(point.evaluation, point.at, {**values, **point.values})
        self._best = now
        self._held.clear()

    def _hold(self, step: Step, at: float, state: RunState) -> None:
        self._by_status[step.evaluation.status] += 1
        if not step.cost.evaluations:  # a duplicate, or no program at all
            return
        self._evaluations += 1
        counts = {f"status/{status.value}": float(n) for status, n in self._by_status.items()}
        values = {"score": step.reward, **counts, **_spent(state)}
        self._held.append((step.id, Point(self._evaluations, at, values)))


def _spent(state: RunState) -> dict[str, float]:
    """Cost of committed expansions; the progress of others depends on timing."""
    spent = state.account.settled
    return {
        "spent/tokens": float(spent.tokens),
        "spent/dollars": spent.dollars,
        "spent/seconds": spent.seconds,
    }


class Track(Protocol):
    """The log of a single run. ``last`` is the last logged evaluation, or -1."""

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
        if not isinstance(event, Committed | Compared | SessionStarted | Stopped):
            return
        run_id = state.log.run_id
        if run_id not in self._followers:
            self._followers[run_id] = _Follower(state.log, self)
            self._followers[run_id].start()
        self._followers[run_id].news.put(isinstance(event, Stopped))
        if isinstance(event, Stopped):
            self._followers.pop(run_id).wait(self.patience)

    def replay(self, log: RunLog) -> None:
        """Log a run from its journal, as far as it has got.

        Raises :class:`~maxcode.errors.JournalError` before its baseline was measured, and whatever
        the library raises.
        """
        _Follower(log, self).finish()


class _Follower(Thread):
    """Logs a run from its journal. Dies with the process; the journal has it all.

    ``news`` are events of the run, as whether it has ended. Whatever keeps the follower from
    logging everything is reported, but only once.
    """

    def __init__(self, log: RunLog, logger: RunLogger) -> None:
        super().__init__(name=f"logging {log.run_id}", daemon=True)
        self.news: SimpleQueue[bool] = SimpleQueue()
        self._log = log
        self._logger = logger
        self._state = RunState(log)
        self._curve = Curve()
        self._track: Track | None = None
        self._started_at = self._now = 0.0
        self._over = Signal()
        self._reported = False

    def run(self) -> None:
        try:
            while not self.news.get():
                self._read()
            self.finish()
        except Exception as error:  # noqa: BLE001 - reported; a search is worth more than its log
            self._report(f"logs no more of run {self._log.run_id}: {type(error).__name__}: {error}")
        finally:
            self._over.set()

    def finish(self) -> None:
        """Log the rest, and how the run stands."""
        self._read()
        self._write(self._curve.rest(self._state))
        self._opened().finish(Ending.of(self._state, self._now))

    def wait(self, seconds: float) -> None:
        """Wait until everything is logged, or so long."""
        if not self._over.wait(seconds):  # join() takes it for over after a Ctrl-C
            self._report(f"has not logged all of run {self._log.run_id} in time")

    def _read(self) -> None:
        for recorded in self._log.events(after=self._state.last_event):
            self._started_at = self._started_at or recorded.at
            self._now = recorded.at
            self._state.apply(recorded)
            self._write(self._curve.add(recorded, self._state))

    def _write(self, points: Iterator[Point]) -> None:
        for point in points:
            if point.evaluation > self._opened().last:
                self._opened().log(point)

    def _opened(self) -> Track:
        if self._track is None:
            self._track = self._logger.open(Facts.of(self._state, self._started_at))
        return self._track

    def _report(self, problem: str) -> None:
        if not self._reported:
            self._reported = True
            self._logger.report(
                f"{type(self._logger).__name__} {problem}; "
                "its journal has everything, log it again later"
            )
