"""Writing of events in groups: events that come during a transaction go into the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Condition, Thread

import sqlalchemy as sa

from maxcode.errors import MaxcodeError, WriterError
from maxcode.journal.store import events


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows written together, by table: of events, and of all that comes with them."""

    rows: Mapping[sa.Table, Sequence[Mapping[str, object]]]
    sync: bool

    @property
    def last(self) -> int:
        """The number of its last event."""
        return int(str(self.rows[events][-1]["seq"]))

    @property
    def chain(self) -> str:
        """The checksum of its last event."""
        return str(self.rows[events][-1]["chain"])


class GroupWriter:
    """Writes batches in their order, in a thread of its own, as many as there are at a time.

    For databases of slow commits: a batch is a promise until :meth:`wait` returns. A batch that
    cannot be written stays, and is tried again with the next.
    """

    def __init__(self, write: Callable[[Sequence[Batch]], None]) -> None:
        self._write = write
        self._condition = Condition()
        self._queue: list[Batch] = []
        self._group = 0  # how many were tried in vain: they may be there, all of them or none
        self._written = -1  # the number of the last event
        self._error: BaseException | None = None
        self._thread: Thread | None = None

    @property
    def tail(self) -> Batch | None:
        """Last batch not written yet."""
        with self._condition:
            return self._queue[-1] if self._queue else None

    def put(self, batch: Batch) -> None:
        """Have a batch written; if the last attempt failed, wait for it.

        Raises the :class:`~maxcode.errors.JournalError` of another failure, and
        :class:`~maxcode.errors.WriterError` for ever once another process has written.
        """
        with self._condition:
            failed = self._error
            if isinstance(failed, WriterError):
                raise _again(failed)
            self._error = None
            self._queue.append(batch)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="maxcode-journal", daemon=True)
                self._thread.start()
        if failed is not None:
            self.wait(batch.last)

    def wait(self, seq: int) -> None:
        """Wait until event ``seq`` is written. Raises the error that prevents it.

        An event that was never put, such as an event of an earlier session, is there.
        """
        with self._condition:
            self._condition.wait_for(lambda: self._written >= seq or self._error or not self._queue)
            if self._written < seq and self._error is not None:
                raise _again(self._error)

    def _run(self) -> None:
        """Write the waiting batches until there are none, or note why not."""
        while group := self._next():
            try:
                self._write(group)
            except BaseException as error:  # noqa: BLE001 - whoever waits raises it
                with self._condition:
                    self._error, self._group, self._thread = error, len(group), None
                    self._condition.notify_all()
                return
            with self._condition:
                del self._queue[: len(group)]
                self._group, self._written = 0, group[-1].last
                self._condition.notify_all()

    def _next(self) -> Sequence[Batch]:
        with self._condition:
            if not self._queue:
                self._thread = None
            return self._queue[: self._group or None]


def _again(error: BaseException) -> BaseException:
    """Copy of an error, to be raised in another thread."""
    return type(error)(str(error)) if isinstance(error, MaxcodeError) else error
