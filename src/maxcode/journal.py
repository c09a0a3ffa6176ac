"""The journal: an append-only store of events, in SQLite or any database SQLAlchemy speaks to.

A store holds many runs. Each append is one durable transaction. A run has one writer; any number
of readers may look on.
"""

from __future__ import annotations

import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, RLock

import sqlalchemy as sa
from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError
from sqlalchemy.exc import IntegrityError

from maxcode.errors import JournalError, RunNotFoundError, WriterError
from maxcode.events import EVENT, Event
from maxcode.program import Program
from maxcode.store import Store, default_store, events, programs, runs

_FILES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
_KEPT = 256  # programs whose text stays in memory

# Built once: SQLAlchemy then finds their compiled form without walking them again.
_INSERT_RUN = sa.insert(runs)
_INSERT_EVENTS = sa.insert(events)
_INSERT_PROGRAMS = sa.insert(programs)
_SELECT_PAGE = (
    sa.select(events.c.seq, events.c.at, events.c.body)
    .where(events.c.run == sa.bindparam("run"), events.c.seq > sa.bindparam("after"))
    .order_by(events.c.seq)
    .limit(500)
)
_SELECT_PROGRAM = sa.select(programs.c.entry, programs.c.files).where(
    programs.c.run == sa.bindparam("run"), programs.c.digest == sa.bindparam("digest")
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event with its place in the run and the time (seconds since the epoch) it was written."""

    seq: int
    at: float
    event: Event


class Journal:
    """A store of runs. Use :meth:`open`; close it, or use it as a context manager."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(cls, store: str | Path | None = None, *, create: bool = True) -> Journal:
        """Open a store: a file, a SQLAlchemy URL, ``":memory:"``, or None for the user's own.

        With ``create=False`` a store that is not there is an error instead of a new empty one.
        Raises :class:`JournalError` when it cannot be opened, :class:`SchemaError` when another
        version of maxcode wrote it.
        """
        return cls(Store(str(default_store() if store is None else store), create=create))

    def create_run(self, name: str) -> RunLog:
        """A new run, with an id made from ``name``; the store has it from its first event on."""
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "run"
        return RunLog(self.store, f"{slug}-{secrets.token_hex(4)}")

    def run(self, run_id: str) -> RunLog:
        """The run of that id, or the only one whose id begins so, or ``"last"``.

        Raises :class:`RunNotFoundError` otherwise.
        """
        ids = self.run_ids()
        if run_id == "last" and ids:
            return RunLog(self.store, ids[0])
        matches = [i for i in ids if i == run_id] or [
            i for i in ids if run_id and i.startswith(run_id)
        ]
        if len(matches) == 1:
            return RunLog(self.store, matches[0])
        if matches:
            raise RunNotFoundError(f"{run_id!r} begins several run ids: {', '.join(matches[:5])}")
        known = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
        raise RunNotFoundError(
            f"no run {run_id!r} in {self.store.where}; there are: {known or 'none'}"
        )

    def run_ids(self) -> list[str]:
        """Ids of all runs, newest first."""
        query = sa.select(runs.c.id).order_by(runs.c.created.desc(), runs.c.id)
        with self.store.transaction() as connection:
            return list(connection.execute(query).scalars())

    def close(self) -> None:
        """Close every connection."""
        self.store.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class RunLog:
    """The events and programs of one run."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self.run_id = run_id
        self._next: int | None = None  # known once this process writes
        self._stored: set[str] = set()
        self._lock = RLock()
        self._recent = _RecentPrograms()

    def append(
        self, *happened: Event, named: Iterable[Program] = (), sync: bool = False
    ) -> list[Recorded]:
        """Write events, and the programs they name, in one transaction, durable when it returns.

        ``sync`` makes it, and all before it, outlive a power cut too.

        Raises :class:`WriterError` when another process has written to the run meanwhile, and
        :class:`JournalError` for text that UTF-8 cannot hold.
        """
        if not happened:
            return []
        with self._lock:
            first = self._writer_position()
            now = time.time()
            rows = [
                {"run": self.run_id, "seq": seq, "at": now, "body": self._body(event)}
                for seq, event in enumerate(happened, first)
            ]
            texts = {p.digest: p for p in named if p.digest not in self._stored}
            self._next = None  # a signal may come when the commit is done and we do not know it yet
            try:
                with self._store.transaction(sync=sync) as connection:
                    if first == 0:
                        connection.execute(_INSERT_RUN, {"id": self.run_id, "created": now})
                    connection.execute(_INSERT_EVENTS, rows)
                    if texts:
                        connection.execute(_INSERT_PROGRAMS, [*map(self._row, texts.values())])
            except IntegrityError as error:
                self._next = first
                raise WriterError(
                    f"run {self.run_id}: another process is writing it; let that one finish"
                ) from error
            self._next = first + len(rows)
            self._stored.update(texts)
            for program in texts.values():
                self._recent.keep(program)
            return [Recorded(seq, now, event) for seq, event in enumerate(happened, first)]

    def continue_after(self, seq: int) -> None:
        """Take over the writing behind ``seq``, the last event that is known here.

        If another process has written more by then, the next :meth:`append` says so.
        """
        digests = sa.select(programs.c.digest).where(programs.c.run == self.run_id)
        with self._lock, self._store.transaction() as connection:
            self._stored = set(connection.execute(digests).scalars())
            self._next = seq + 1

    def events(self, after: int = -1) -> Iterator[Recorded]:
        """Events in order, from the one behind ``after`` on, read in pages."""
        while True:
            with self._store.transaction() as connection:
                page = {"run": self.run_id, "after": after}
                rows = connection.execute(_SELECT_PAGE, page).all()
            for seq, at, body in rows:
                yield Recorded(seq, at, EVENT.validate_json(body))
            if not rows:
                return
            after = rows[-1].seq

    def program(self, digest: str) -> Program:
        """A stored program; its text is read when it is looked at, and not kept for ever.

        Raises :class:`JournalError` when the run holds none of that digest.
        """
        return Program(_StoredFiles(self, digest), self._load(digest).entry, digest)

    def _body(self, event: Event) -> str:
        try:
            return EVENT.dump_json(event).decode()
        except PydanticSerializationError as error:
            raise JournalError(
                f"run {self.run_id}: the event {event.kind} cannot be written: {error}"
            ) from error

    def _row(self, program: Program) -> dict[str, str]:
        files = _FILES.dump_json(dict(program.files)).decode()
        return {
            "run": self.run_id,
            "digest": program.digest,
            "entry": program.entry,
            "files": files,
        }

    def _writer_position(self) -> int:
        if self._next is not None:
            return self._next
        query = sa.select(sa.func.max(events.c.seq)).where(events.c.run == self.run_id)
        with self._store.transaction() as connection:
            found = connection.execute(query).scalar_one()
        last = -1 if found is None else int(found)
        self.continue_after(last)
        return last + 1

    def _load(self, digest: str) -> Program:
        if recent := self._recent.get(digest):
            return recent
        with self._store.transaction() as connection:
            key = {"run": self.run_id, "digest": digest}
            row = connection.execute(_SELECT_PROGRAM, key).one_or_none()
        if row is None:
            raise JournalError(f"run {self.run_id} holds no program {digest}")
        program = Program(_FILES.validate_json(row.files), row.entry, digest)
        self._recent.keep(program)
        return program


class _RecentPrograms:
    """The programs that were used last, with a lock of their own: reading waits for no commit."""

    def __init__(self) -> None:
        self._programs: OrderedDict[str, Program] = OrderedDict()
        self._lock = Lock()

    def get(self, digest: str) -> Program | None:
        with self._lock:
            if digest in self._programs:
                self._programs.move_to_end(digest)
            return self._programs.get(digest)

    def keep(self, program: Program) -> None:
        with self._lock:
            self._programs[program.digest] = program
            if len(self._programs) > _KEPT:
                self._programs.popitem(last=False)


class _StoredFiles(Mapping[str, str]):
    """The files of a stored program, read on demand, so that a tree of many steps stays small."""

    __slots__ = ("_digest", "_log")

    def __init__(self, log: RunLog, digest: str) -> None:
        self._log = log
        self._digest = digest

    def __getitem__(self, path: str) -> str:
        return self._log._load(self._digest).files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._log._load(self._digest).files)

    def __len__(self) -> int:
        return len(self._log._load(self._digest).files)
