"""The journal: an append-only store of events, in SQLite or any database SQLAlchemy speaks to.

A store holds many runs. Each append is one durable transaction. A run has one writer; any number of
readers may look on.
"""

from __future__ import annotations

import re
import secrets
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, cast

import sqlalchemy as sa
from pydantic_core import PydanticSerializationError, ValidationError
from sqlalchemy.exc import IntegrityError

from maxcode.errors import JournalError, RunNotFoundError, WriterError
from maxcode.journal.contents import Contents, StoredProgram
from maxcode.journal.events import EVENT, Event
from maxcode.journal.lease import Lease
from maxcode.journal.spool import Spool
from maxcode.journal.store import STARTED, Store, default_store, events, programs, runs
from maxcode.journal.store import texts as stored_texts
from maxcode.program import Program

# Built once: SQLAlchemy then finds their compiled form without walking them again.
_INSERTS = {table: sa.insert(table) for table in (runs, events, programs, stored_texts)}
_SELECT_PAGE = (  # with the event before it, which the chain goes on from
    sa.select(events.c.seq, events.c.at, events.c.body, events.c.elapsed, events.c.chain)
    .where(events.c.run == sa.bindparam("run"), events.c.seq >= sa.bindparam("after"))
    .order_by(events.c.seq)
    .limit(sa.bindparam("count"))
)


_PAGE = 1000  # events that are read at once
_WRONG_CHAIN = "is damaged, or the one before it: their checksum is another"
_VALIDATOR = EVENT.validator  # without what the adapter adds to each call


def link(before: str, run: str, seq: int, at: object, elapsed: object, body: object) -> str:
    """Checksum of an event and, through the link before it, of all events before."""
    written = f"{before}\n{run}\n{seq}\n{at!r}\n{elapsed!r}\n{body}"
    return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


class Recorded(NamedTuple):
    """An event with its place in the run and the time (seconds since the epoch) it was written.

    ``elapsed`` is the reading of a clock that is never set, in seconds: within a session it
    measures durations. Older versions of maxcode did not write it.
    """

    seq: int
    at: float
    event: Event
    elapsed: float | None = None

    @property
    def clock(self) -> float:
        """Clock of durations within a session."""
        return self.at if self.elapsed is None else self.elapsed


class Journal:
    """A store of runs. Use :meth:`open`; close it, or use it as a context manager."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(
        cls, store: str | Path | None = None, *, create: bool = True, read_only: bool = False
    ) -> Journal:
        """Open a store: a file, a SQLAlchemy URL, ``":memory:"``, or None for the user's own.

        With ``create=False`` a missing store is an error instead of a new empty store. With
        ``read_only`` nothing in it can be changed; a store of an older schema, which is brought up
        to date otherwise, is an error. Raises :class:`JournalError` when it cannot be opened,
        :class:`SchemaError` when another version of maxcode wrote it.
        """
        where = str(default_store() if store is None else store)
        return cls(Store(where, create=create and not read_only, read_only=read_only))

    def create_run(self, name: str) -> RunLog:
        """A new run, with an id made from ``name``; the store has it from its first event on."""
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "run"
        return RunLog(self.store, f"{slug}-{secrets.token_hex(4)}")

    def run(self, run_id: str) -> RunLog:
        """Run with this id, or the only run whose id begins so, or ``"last"``.

        Raises :class:`RunNotFoundError` otherwise.
        """
        ids = self.run_ids()
        matches = ids[:1] if run_id == "last" else [i for i in ids if i == run_id]
        matches = matches or [i for i in ids if run_id and i.startswith(run_id)]
        if len(matches) == 1:
            return RunLog(self.store, matches[0])
        if matches:
            raise RunNotFoundError(f"{run_id!r} begins several run ids: {', '.join(matches[:5])}")
        known = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
        raise RunNotFoundError(
            f"no run {run_id!r} in {self.store.where}; "
            + (f"there are: {known}" if known else "it holds none yet")
        )

    def run_ids(self) -> list[str]:
        """Ids of all runs, newest first."""
        return list(self.last_events())

    def last_events(self) -> dict[str, int]:
        """Number of every run's last event, newest run first: has anything happened since?"""
        last = sa.select(sa.func.max(events.c.seq)).where(events.c.run == runs.c.id)
        query = sa.select(runs.c.id, last.scalar_subquery())
        newest_first = query.order_by(runs.c.created.desc(), runs.c.id)
        with self.store.transaction() as connection:
            found = connection.execute(newest_first).all()
        return {run: seq if isinstance(seq, int) else -1 for run, seq in found}

    def check_writable(self) -> None:
        """Raise :class:`JournalError` for a read-only store."""
        with self.store.transaction() as connection:
            connection.execute(sa.delete(runs).where(sa.false()))  # deletes nothing

    def close(self) -> None:
        """Close every connection."""
        self.store.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class RunLog:
    """Events of one run, with their programs and texts.

    :meth:`Journal.run` gives one; it can be read while the search goes on.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self.run_id = run_id
        self.where = store.where  # without a password
        self.hurried = store.hurried
        self._next: int | None = None  # known once this process writes
        self._chain = ""  # of the event before that
        self._contents = Contents(store, run_id)
        self._lock = RLock()

    def append(
        self,
        *happened: Event,
        named: Iterable[Program] = (),
        texts: Iterable[str] = (),
        sync: bool = False,
    ) -> list[Recorded]:
        """Write events, and the programs and texts they name, in one transaction.

        It is durable when this returns; ``sync`` makes it, and all before it, outlive a power cut,
        too. Raises :class:`WriterError` when another process has written to the run meanwhile, and
        :class:`JournalError` for text UTF-8 cannot hold.
        """
        if not happened:
            return []
        with self._lock:
            first, now = self._writer_position(), time.time()
            elapsed, chain, rows = time.monotonic() - STARTED, self._chain, []
            for seq, event in enumerate(happened, first):
                body = self._body(event)
                chain = link(chain, self.run_id, seq, now, elapsed, body)
                row = {"run": self.run_id, "seq": seq, "at": now, "body": body}
                rows.append({**row, "elapsed": elapsed, "chain": chain})
            new = {
                runs: [{"id": self.run_id, "created": now}] if first == 0 else [],
                events: rows,
                programs: self._contents.new_programs(named),
                stored_texts: self._contents.new_texts(texts),
            }
            self._next = None  # a signal may come when it is committed, before we know
            try:
                self._write(new, (first + len(rows) - 1, chain), sync=sync)
            except WriterError:
                self._next = first
                raise
            self._next, self._chain = first + len(rows), chain
            stored = (*new[programs], *new[stored_texts])
            self._contents.known.update(str(row["digest"]) for row in stored)
        return [Recorded(seq, now, event, elapsed) for seq, event in enumerate(happened, first)]

    def _write(
        self, new: Mapping[sa.Table, list[dict[str, object]]], last: tuple[int, str], *, sync: bool
    ) -> None:
        """Write rows by table in one transaction, up to the event of this number and checksum."""

        def write(connection: sa.Connection) -> None:
            for table, insert in _INSERTS.items():
                if new[table]:
                    connection.execute(insert, new[table])

        try:
            self._store.attempt(write, sync=sync)
        except IntegrityError as error:
            if self.checksum(last[0]) != last[1]:
                raise WriterError(
                    f"run {self.run_id}: another process is writing it; let that one finish"
                ) from error
            # The connection was lost after the commit, and the second attempt met the first.

    def spool(self) -> Spool:
        """Spool of the answers refused by the store."""
        return Spool(self._store, self.run_id)

    def lease(self) -> Lease:
        """Right to work on this run; take it before going on with the run."""
        return Lease(self._store, self.run_id)

    def continue_after(self, seq: int) -> None:
        """Take over the writing behind ``seq``, the last event known here.

        Call it before any writing, or after a refusal. If another process has written more by then,
        the next :meth:`append` says so.
        """
        with self._lock:
            self._store.attempt(self._contents.look)
            self._chain = self.checksum(seq)
            self._next = seq + 1

    def events(self, after: int = -1) -> Iterator[Recorded]:
        """Events in order, after number ``after``.

        Raises :class:`JournalError` where an event is missing or altered.
        """
        while True:
            rows, before = self._page(after), ""
            if after >= 0:
                if not rows or rows[0].seq != after:
                    raise self._broken(after, "is missing")
                before, rows = rows[0].chain or "", rows[1:]
            for seq, at, body, elapsed, chain in rows:
                after += 1
                if seq != after:
                    raise self._broken(after, "is missing")
                if chain is None and not before:  # an older version wrote no links
                    if not isinstance(at, float) or not isinstance(body, str):
                        raise self._broken(after, "is damaged")
                elif chain != link(before, self.run_id, after, at, elapsed, body):
                    raise self._broken(after, _WRONG_CHAIN)
                before = chain or ""
                yield Recorded(after, at, self._event(after, body), elapsed)
            if not rows:
                return

    def checksum(self, seq: int) -> str:
        """Checksum of an event as it is stored.

        Empty where there is no such event, or an older version wrote none.
        """
        query = sa.select(events.c.chain).where(events.c.run == self.run_id, events.c.seq == seq)
        return self._store.attempt(lambda c: c.execute(query).scalar_one_or_none()) or ""

    def _page(self, after: int) -> Sequence[Any]:
        page = {"run": self.run_id, "after": after, "count": _PAGE}
        try:
            return self._store.attempt(lambda c: c.execute(_SELECT_PAGE, page).all())
        except JournalError as error:
            raise JournalError(f"run {self.run_id}, after event {after}: {error}") from error

    def _broken(self, seq: int, problem: str) -> JournalError:
        return JournalError(
            f"run {self.run_id}: event {seq} {problem}; see what is whole with: "
            f"maxcode store check {shlex.quote(self._store.where)}"
        )

    def program(self, digest: str) -> Program:
        """A stored program; its text is read, and verified, on first use, and not kept for ever.

        That raises :class:`JournalError` for a missing or damaged program.
        """
        return StoredProgram(self._contents, digest)

    def check_program(self, digest: str) -> None:
        """Raise :class:`JournalError` for a missing or damaged program."""
        self._contents.load(digest)

    def text(self, digest: str) -> str:
        """A stored prompt or answer; the empty text for an empty digest.

        Raises :class:`JournalError` when the run holds none of this digest.
        """
        return self._contents.text(digest)

    def _event(self, seq: int, body: str) -> Event:
        try:
            return cast("Event", _VALIDATOR.validate_json(body))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]["msg"]
            raise JournalError(
                f"run {self.run_id}: event {seq} cannot be read: {problem}; "
                "use the maxcode that wrote it, or a newer one"
            ) from error

    def _body(self, event: Event) -> str:
        try:
            return EVENT.dump_json(event).decode()
        except PydanticSerializationError as error:
            raise JournalError(
                f"run {self.run_id}: the event {event.kind} cannot be written: {error}"
            ) from error

    def _writer_position(self) -> int:
        if self._next is not None:
            return self._next
        query = sa.select(sa.func.max(events.c.seq)).where(events.c.run == self.run_id)
        found = self._store.attempt(lambda c: c.execute(query).scalar_one())
        last = -1 if found is None else int(found)
        self.continue_after(last)
        return last + 1
