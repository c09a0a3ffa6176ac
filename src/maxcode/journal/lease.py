"""Leases: which process works on a run, known to all users of a store, wherever they run."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Self

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from maxcode import system
from maxcode.errors import JournalError, WriterError
from maxcode.journal.store import Store, leases

PERIOD = 3.0
"""Seconds between two heartbeats."""

PATIENCE = 15.0
"""Seconds a process elsewhere may be silent until its lease may be taken."""


class Lease:
    """Right to work on ``name``, such as a run, while this process shows it lives.

    A process of this machine is asked for directly; of others the heartbeat is watched, by our own
    clock. Taking a lease raises its number, so its previous holder can notice. A context manager:
    entered, it beats.
    """

    def __init__(self, store: Store, name: str) -> None:
        self.name = name
        self._store = store
        self._fence = 0
        self._ended = Event()
        self._thread: Thread | None = None

    def take(self) -> None:
        """Take it; waits until it is clear whether a silent holder lives.

        Raises :class:`~maxcode.errors.WriterError` when another process has it.
        """
        seen, since = self._row(), time.monotonic()
        while not self._taken(seen, silent=time.monotonic() - since >= PATIENCE):
            time.sleep(min(PERIOD, PATIENCE) / 10)
            now = self._row()
            if (now and (now.fence, now.beat)) != (seen and (seen.fence, seen.beat)):
                if now and now.holder:
                    raise _held(self.name, now.holder)
                since = time.monotonic()
            seen = now

    @property
    def beats(self) -> bool:
        """Whether any process renewed it lately, by the time of day; only to be shown."""
        row = self._row()
        return row is not None and bool(row.holder) and abs(time.time() - row.at) < PATIENCE

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._beat, name=f"lease of {self.name}", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop beating, and give it back."""
        self._ended.set()
        if self._thread:
            self._thread.join()
        try:
            self._update(holder="")
        except JournalError:  # the store has gone; a silent holder's lease may be taken
            return

    def _row(self) -> sa.Row[tuple[object, ...]] | None:
        with self._store.transaction() as connection:
            query = sa.select(leases).where(leases.c.name == self.name)
            return connection.execute(query).one_or_none()

    def _taken(self, row: sa.Row[tuple[object, ...]] | None, *, silent: bool) -> bool:
        """Whether it is ours now; a holder perhaps alive elsewhere loses it only if ``silent``."""
        me = system.identity()
        if row is not None and row.holder not in ("", me):
            if system.alive(row.holder):
                raise _held(self.name, row.holder)
            if not system.here(row.holder) and not silent:
                return False
        values = {"holder": me, "beat": 0, "at": time.time()}
        try:
            with self._store.transaction() as connection:
                if row is None:
                    new = {"name": self.name, "fence": 1, **values}
                    connection.execute(sa.insert(leases), new)
                    self._fence = 1
                    return True
                same = leases.c.fence == row.fence, leases.c.beat == row.beat
                change = sa.update(leases).where(leases.c.name == self.name, *same)
                done = connection.execute(change.values(fence=row.fence + 1, **values))
        except IntegrityError:  # another was faster
            return False
        self._fence = row.fence + 1
        return bool(done.rowcount)

    def _beat(self) -> None:
        while not self._ended.wait(PERIOD):
            try:
                if not self._update(beat=leases.c.beat + 1):
                    return  # it was taken; the next event that is written says so
            except JournalError:
                continue  # whoever writes events reports it

    def _update(self, **values: object) -> bool:
        change = sa.update(leases).where(leases.c.name == self.name, leases.c.fence == self._fence)
        with self._store.transaction() as connection:
            return bool(connection.execute(change.values(at=time.time(), **values)).rowcount)


def _held(name: str, holder: str) -> WriterError:
    host, _, pid, _ = f"{holder}:::".split(":", 3)
    where = "this machine" if system.here(holder) else host
    return WriterError(
        f"run {name} is still being worked on by process {pid} of {where}; let it finish or stop "
        "it first"
    )
