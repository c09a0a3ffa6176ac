"""A store of runs, followed while searches write to it."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, RLock
from typing import Generic, TypeVar

import sqlalchemy as sa

from maxcode import processes
from maxcode.errors import JournalError, RunNotFoundError
from maxcode.journal import Journal, RunLog
from maxcode.report.history import History
from maxcode.report.lines import RunLine
from maxcode.state import RunState
from maxcode.store import default_store

PERIOD = 0.5
"""Seconds between two looks at the store, however many readers there are."""

_KEPT = 16  # runs whose events stay in memory, folded

_T = TypeVar("_T")


class _Recent(Generic[_T]):
    """What was used last, by the name of its run; the rest is dropped."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _T] = OrderedDict()

    def get(self, run_id: str, make: Callable[[], _T]) -> _T:
        """What is kept of a run, made if there is nothing."""
        if run_id not in self._kept:
            self._kept[run_id] = make()
        self._kept.move_to_end(run_id)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._kept[run_id]

    def clear(self) -> None:
        """Drop everything."""
        self._kept.clear()


class FollowedRun:
    """A run whose events are folded as they come."""

    def __init__(self, log: RunLog) -> None:
        self.state = RunState(log)
        self.started: float | None = None
        self.updated: float | None = None

    def catch_up(self) -> None:
        """Fold what was written since."""
        for recorded in self.state.log.events(after=self.state.last_event):
            self.state.apply(recorded)
            self.started = recorded.at if self.started is None else self.started
            self.updated = recorded.at

    @property
    def line(self) -> RunLine:
        """The run as far as it is."""
        return RunLine.of(self.state, self.started, self.updated)


@dataclass(frozen=True)
class ListedRun:
    """A run's line, the number of the last event that went into it, and the process at work."""

    line: RunLine
    last_event: int
    process: str

    def now(self) -> ListedRun:
        """The same; killed, if its process has gone without a word."""
        if self.line.status != "running" or processes.alive(self.process):
            return self
        return replace(self, line=replace(self.line, status="killed"))


@dataclass(frozen=True)
class Seen:
    """What a look found: runs, newest first, how many there are in all, or why there are none."""

    runs: tuple[ListedRun, ...]
    total: int
    problem: str = ""


class Watch:
    """Looks at a store again and again, for any number of readers; never writes to it.

    The store may not be there yet, go away, and come back. All methods may be called from any
    thread. ``ended`` tells readers that wait for news that there will be none.
    """

    def __init__(self, store: str | None = None) -> None:
        self.where = str(default_store() if store is None else store)
        self.ended = Event()
        self._file = _file_of(self.where)
        self._lock = RLock()
        self._journal: Journal | None = None
        self._inode: tuple[int, int] | None = None
        self._looked = -PERIOD
        self._last_events: dict[str, int] = {}
        self._problem = ""
        self._listed: dict[str, ListedRun] = {}
        self._open: _Recent[FollowedRun] = _Recent()
        self._histories: _Recent[History] = _Recent()

    def newest(self, limit: int) -> Seen:
        """The newest runs, as they were less than :data:`PERIOD` seconds ago."""
        with self._lock:
            self._look()
            return self._seen(list(self._last_events)[:limit])

    def of(self, run_ids: Iterable[str]) -> Seen:
        """These runs; those that the store does not hold are left out."""
        with self._lock:
            self._look()
            return self._seen([run_id for run_id in run_ids if run_id in self._last_events])

    @contextmanager
    def history(self, run_id: str) -> Iterator[History]:
        """All that happened in a run up to now, for the caller alone.

        Raises :class:`RunNotFoundError`, or :class:`JournalError` while there is no store.
        """
        with self._lock:
            self._look()
            if self._problem:
                raise JournalError(self._problem)
            if run_id not in self._last_events:
                raise RunNotFoundError(f"no run {run_id!r} in {self.where}")
            history = self._histories.get(run_id, lambda: History(self._log(run_id)))
            history.read()
            yield history

    def close(self) -> None:
        """Close the store."""
        self.ended.set()
        with self._lock:
            self._forget()

    def _look(self) -> None:
        """Find out what was written, at most once in a period."""
        if time.monotonic() - self._looked < PERIOD:
            return
        try:
            self._last_events = self._current_journal().last_events()
            self._problem = ""
        except JournalError as error:
            self._fail(error)
        self._looked = time.monotonic()

    def _fail(self, error: JournalError) -> None:
        self._forget()
        self._problem = str(error)

    def _current_journal(self) -> Journal:
        """The journal; opened again when its file is no longer the one that was opened."""
        inode = _inode(self._file)
        if self._journal is None or inode != self._inode:
            self._forget()
            self._journal, self._inode = Journal.open(self.where, create=False), inode
        return self._journal

    def _forget(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._journal, self._last_events = None, {}
        self._listed.clear()
        self._open.clear()
        self._histories.clear()

    def _seen(self, run_ids: list[str]) -> Seen:
        try:
            listed = tuple(self._listed_run(run_id) for run_id in run_ids)
        except JournalError as error:  # the store went away after it was looked at
            self._fail(error)
            listed = ()
        return Seen(listed, len(self._last_events), self._problem)

    def _listed_run(self, run_id: str) -> ListedRun:
        listed = self._listed.get(run_id)
        if listed is None or listed.last_event < self._last_events[run_id]:
            followed = self._followed(run_id)
            session = followed.state.session
            listed = ListedRun(
                followed.line, followed.state.last_event, session.process if session else ""
            )
        self._listed[run_id] = listed.now()
        return self._listed[run_id]

    def _followed(self, run_id: str) -> FollowedRun:
        followed = self._open.get(run_id, lambda: FollowedRun(self._log(run_id)))
        followed.catch_up()
        return followed

    def _log(self, run_id: str) -> RunLog:
        return self._current_journal().run(run_id)


def _file_of(where: str) -> Path | None:
    """The store's file; None of a database that is none."""
    if "://" not in where:
        return Path(where).expanduser()
    url = sa.make_url(where)
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _inode(file: Path | None) -> tuple[int, int] | None:
    if file is None or not file.exists():
        return None
    found = file.stat()
    return found.st_dev, found.st_ino
