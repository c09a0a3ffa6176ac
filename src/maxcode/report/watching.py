"""A store of runs, watched while searches write to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import RLock

from maxcode.errors import JournalError, MaxcodeError, RunNotFoundError
from maxcode.journal.journal import Journal
from maxcode.journal.store import default_store
from maxcode.redaction import without_password
from maxcode.report.history import History
from maxcode.report.listing import RunLine

PERIOD = 0.5
"""Seconds between two looks at the store, however many readers there are."""

_MAX_KEPT = 16  # runs whose state stays in memory


@dataclass(frozen=True)
class Seen:
    """The runs in a store, newest first, how many there are in all, or why there are none."""

    runs: tuple[RunLine, ...]
    total: int
    problem: str = ""


class _Opened:
    """An open store, and the data read from it. Dropped as a whole when the store goes away."""

    def __init__(self, where: str) -> None:
        self.inode = _inode(where)
        self.journal = Journal.open(where, read_only=True)
        self.last_events: dict[str, int] = {}
        self._history = lru_cache(_MAX_KEPT)(lambda run_id: History(self.journal.run(run_id)))
        self._listed: dict[str, RunLine] = {}

    def history(self, run_id: str) -> History:
        """The history of a run, up to now."""
        history = self._history(run_id)
        history.read()
        return history

    def line(self, run_id: str) -> RunLine:
        """The run as far as it is."""
        listed, last_event = self._listed.get(run_id), self.last_events[run_id]
        if listed is None or listed.last_event < last_event:
            try:
                listed = RunLine.of(self.history(run_id))
            except MaxcodeError as error:
                self.journal.last_events()  # raises where it is the store that cannot be read
                listed = RunLine.unreadable(run_id, error, last_event)
        self._listed[run_id] = listed.now()
        return self._listed[run_id]


class Watch:
    """Looks at a store again and again, for any number of readers; never writes to it.

    The store may not be there yet, go away, and come back. All methods may be called from any
    thread. ``where`` is the store without its password.
    """

    def __init__(self, store: str | None = None) -> None:
        self._store = str(default_store() if store is None else store)
        self.where = without_password(self._store)
        self._lock = RLock()  # of all that follows, and of what is read
        self._opened: _Opened | None = None
        self._looked = -PERIOD
        self._problem = ""

    def newest(self, limit: int, run_id: str = "") -> Seen:
        """The newest runs, or only this one, as they were less than :data:`PERIOD` seconds ago."""
        with self._lock:
            opened = self._look()
            if opened is None:
                return Seen((), 0, self._problem)
            known = opened.last_events
            chosen = [one for one in known if one == run_id] if run_id else list(known)[:limit]
            try:
                return Seen(tuple(map(opened.line, chosen)), len(known))
            except JournalError as error:  # the store went away after it was looked at
                self._drop(str(error))
                return Seen((), 0, str(error))

    @contextmanager
    def history(self, run_id: str) -> Iterator[History]:
        """All events of a run up to now, for the caller alone.

        Raises :class:`RunNotFoundError`, or :class:`JournalError` while there is no store.
        """
        with self._lock:
            opened = self._look()
            if opened is None:
                raise JournalError(self._problem)
            if run_id not in opened.last_events:
                raise RunNotFoundError(f"no run {run_id!r} in {self.where}")
            yield opened.history(run_id)

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            self._drop()

    def _look(self) -> _Opened | None:
        """The store, queried at most once in a period; None while there is none."""
        if time.monotonic() - self._looked >= PERIOD:
            try:
                if self._opened and self._opened.inode != _inode(self._store):
                    self._drop()
                self._opened = opened = self._opened or _Opened(self._store)
                opened.last_events = opened.journal.last_events()
                self._problem = ""
            except JournalError as error:
                self._drop(str(error))
            self._looked = time.monotonic()
        return self._opened

    def _drop(self, problem: str = "") -> None:
        """Close the store, perhaps because of a problem."""
        if self._opened is not None:
            self._opened.journal.close()
        self._opened, self._problem = None, problem


def _inode(where: str) -> tuple[int, int] | None:
    """The identity of a store's file; None for a missing file, and for a URL."""
    file = Path(where).expanduser()
    if not file.exists():
        return None
    found = file.stat()
    return found.st_dev, found.st_ino
