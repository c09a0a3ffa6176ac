"""The database of the journal: tables, connections, schema version."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event, RLock
from typing import Any, TypeVar

import sqlalchemy as sa
from platformdirs import user_data_path
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.pool import StaticPool

from maxcode.errors import JournalError, SchemaError, StoreUnavailableError
from maxcode.redaction import SECRETS, without_password

SCHEMA = 3

STARTED = time.monotonic()
"""Zero of the clocks of this process's events."""

PATIENCE = 120.0
"""Seconds all its users together wait for an unreachable database."""

BUSY = 30.0
"""Seconds SQLite itself waits for a lock."""

_FIRST_WAIT = 0.1  # seconds; then twice as long each time
_T = TypeVar("_T")

# Held while the tables are made, so that of several processes that meet an empty store one makes
# them and the others wait. (Without the first, SQLite would make each table on its own.)
_CREATION_LOCKS = {
    "sqlite": "BEGIN IMMEDIATE",
    "postgresql": "SELECT pg_advisory_xact_lock(7304985126)",
}

_tables = sa.MetaData()
meta = sa.Table(
    "maxcode_meta",
    _tables,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("value", sa.String(64), nullable=False),
)
runs = sa.Table(
    "maxcode_runs",
    _tables,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("created", sa.Double, nullable=False),
)
events = sa.Table(
    "maxcode_events",
    _tables,
    sa.Column("run", sa.String(64), sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("elapsed", sa.Double),  # these two are null in what older versions wrote
    sa.Column("chain", sa.String(64)),
)
programs = sa.Table(
    "maxcode_programs",
    _tables,
    sa.Column("run", sa.String(64), sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("entry", sa.Text, nullable=False),
    sa.Column("files", sa.Text, nullable=False),
)
texts = sa.Table(
    "maxcode_texts",
    _tables,
    sa.Column("run", sa.String(64), sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
)
leases = sa.Table(  # who works on what; see journal/lease.py
    "maxcode_leases",
    _tables,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("holder", sa.String(255), nullable=False),  # empty when it was given back
    sa.Column("fence", sa.Integer, nullable=False),
    sa.Column("beat", sa.Integer, nullable=False),
    sa.Column("at", sa.Double, nullable=False),  # the time of day, only to be shown
)
_SINCE_3 = [events.c.elapsed, events.c.chain]
"""Columns that stores of older schemas get when they are opened; they get missing tables, too."""


class Store:
    """An open database of the right schema. One transaction at a time, from any thread.

    With ``read_only`` the database refuses any change, and an older schema is an error.
    """

    def __init__(self, where: str, *, create: bool, read_only: bool = False) -> None:
        self.where = without_password(where)
        self._read_only = read_only
        self._engine = _engine(_url(where), create=create, read_only=read_only)
        self._sqlite = self._engine.dialect.name == "sqlite"
        self._lock = RLock()
        self._connection: sa.Connection | None = None
        self._syncs: bool | None = None  # what the connection is set to
        self.file = _file(self._engine.url)
        self._inode: tuple[int, int] | None = None  # of the file that is open
        self._failing_since: float | None = None  # the first failure of a fault
        self.hurried = Event()
        """While set, nobody waits for an unreachable database."""
        try:
            self._check_schema(create=create)
        except BaseException:
            self.close()
            raise

    def attempt(self, work: Callable[[sa.Connection], _T], *, sync: bool = False) -> _T:
        """Result of ``work`` in a transaction of its own, however often the database goes away.

        It is tried again until the fault is :data:`PATIENCE` seconds old, whoever met it first, or
        the user is :attr:`hurried`; only success of the failed work ends a fault. ``work`` may be
        called although it is done: the connection may be lost after the commit.
        """
        wait, failed = _FIRST_WAIT, False
        while True:
            try:
                with self.transaction(sync=sync) as connection:
                    found = work(connection)
            except StoreUnavailableError:
                now, failed = time.monotonic(), True
                if self._failing_since is None:
                    self._failing_since = now
                left = self._failing_since + PATIENCE - now
                if left <= 0 or self.hurried.wait(min(wait, left)):
                    raise
                wait = min(2 * wait, 5.0)
            else:
                if failed:
                    self._failing_since = None
                return found

    @contextmanager
    def transaction(self, *, sync: bool = False) -> Iterator[sa.Connection]:
        """A connection in a transaction, committed at the end.

        A commit survives the death of the process; with ``sync`` it, and all before it, also
        survive a power cut (on SQLite; other databases sync as set). Database errors come out as
        :class:`JournalError`, of which :class:`StoreUnavailableError` may pass; except
        ``IntegrityError``.
        """
        with self._lock:
            try:
                self._check_file()
                if self._connection is None:
                    self._connection = self._engine.connect()
                    self._syncs, self._inode = None, _inode(self.file)
                if self._sqlite and sync is not self._syncs:
                    level = "FULL" if sync else "NORMAL"
                    self._connection.exec_driver_sql(f"PRAGMA synchronous = {level}")
                    self._connection.commit()
                    self._syncs = sync
                with self._connection.begin():
                    yield self._connection
            except IntegrityError:
                raise
            except SQLAlchemyError as error:
                passing = _may_pass(error)
                if passing:
                    self._disconnect()
                kind = StoreUnavailableError if passing else JournalError
                raise kind(f"store {self.where}: {_reason(error)}") from error

    def _check_file(self) -> None:
        """Raise where the open file is not in its place."""
        if self._inode is not None and _inode(self.file) != self._inode:
            raise JournalError(
                f"store {self.where}: its file was moved, deleted or replaced while it was in use; "
                "put it back, and resume"
            )

    def close(self) -> None:
        """Close every connection; a later transaction opens a new one."""
        with self._lock:
            self._disconnect()
            self._engine.dispose()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError):  # it may be broken
                self._connection.close()
            self._connection = None

    def _check_schema(self, *, create: bool) -> None:
        with self.transaction() as connection:
            if not sa.inspect(connection).has_table(meta.name):
                if not create:
                    raise JournalError(f"{self.where} is not a store of maxcode runs")
                _update(connection)
            query = sa.select(meta.c.value).where(meta.c.key == "schema")
            found = str(connection.execute(query).scalar_one_or_none())
            older = found.isdigit() and 1 <= int(found) < SCHEMA
            if older and not self._read_only:
                _update(connection)
                found = str(SCHEMA)
        if found != str(SCHEMA):
            newer = found.isdigit() and int(found) > SCHEMA
            remedy = "use the newer maxcode that wrote it" if newer else "give another store"
            if older:
                remedy = f"bring it up to date with: maxcode runs --store {self.where}"
            raise SchemaError(
                f"store {self.where} has schema {found}, this maxcode reads {SCHEMA}; {remedy}"
            )


def default_store() -> Path:
    """Store used unless another is named: a SQLite file in the user's data folder."""
    return user_data_path("maxcode", appauthor=False) / "runs.db"


def _update(connection: sa.Connection) -> None:
    """Make the tables, or bring those of an older schema up to date; all of it or nothing."""
    if lock := _CREATION_LOCKS.get(connection.dialect.name):
        connection.exec_driver_sql(lock)
    new = not sa.inspect(connection).has_table(meta.name)  # another process may have been faster
    _tables.create_all(connection)
    held = {column["name"] for column in sa.inspect(connection).get_columns(events.name)}
    for column in (column for column in _SINCE_3 if column.name not in held):
        kind = column.type.compile(connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {events.name} ADD COLUMN {column.name} {kind}")
    row = sa.insert(meta) if new else sa.update(meta).where(meta.c.key == "schema")
    connection.execute(row.values(key="schema", value=str(SCHEMA)))


def _url(where: str) -> sa.URL:
    if where == ":memory:":
        return sa.make_url("sqlite://")
    if "://" not in where:
        return sa.URL.create("sqlite", database=str(Path(where).expanduser()))
    try:
        url = sa.make_url(where)
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        raise JournalError(
            f"store {without_password(where)!r}: not a URL that can be read "
            f"({without_password(str(error))})"
        ) from None  # what it says may be a part of the password
    SECRETS.add(url.password)
    for name, value in url.query.items():
        if "password" in name and isinstance(value, str):
            SECRETS.add(value)
    return url


def _engine(url: sa.URL, *, create: bool, read_only: bool) -> sa.Engine:
    options: dict[str, Any] = {"execution_options": {"postgresql_readonly": read_only}}
    if url.get_backend_name() == "sqlite":
        if url.database in (None, "", ":memory:"):
            options = {"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
        else:
            _check_file(Path(url.database), create=create)
    try:
        engine = sa.create_engine(url, **options)
    except (NoSuchModuleError, ModuleNotFoundError, ArgumentError) as error:
        raise JournalError(
            f"store {without_password(str(url))}: {error}; for PostgreSQL: pip install "
            "'maxcode[postgresql]', and use postgresql+psycopg://user@host/database"
        ) from error
    if url.get_backend_name() == "sqlite":
        # In write-ahead mode readers do not wait for the writer.
        last = "query_only = ON" if read_only else "journal_mode = WAL"
        sa.event.listen(engine, "connect", lambda connection, _: _set_pragmas(connection, last))
    return engine


def _check_file(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise JournalError(f"store {path} is a folder; name a file in it")
    if not path.exists() and not create:
        raise JournalError(f"there is no store {path}; runs are listed where they were made")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(f"store {path}: cannot make its folder: {error.strerror}") from error


_decoded = partial(str, encoding="utf-8", errors="replace")
"""Text decoded as far as possible if damaged: checksums detect the damage."""

_PASSING = ("locked", "busy", "disk I/O", "is full", "unable to open")
"""Words in SQLite's messages of passing faults."""


def _set_pragmas(connection: Any, last: str) -> None:
    connection.text_factory = _decoded
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY)}")
    cursor.execute(f"PRAGMA {last}")
    cursor.close()


def _file(url: sa.URL) -> Path | None:
    """File of a SQLite database; None for any other, and for a database in memory."""
    name = url.database or ""
    if url.get_backend_name() != "sqlite" or not name or ":" in name:
        return None
    return Path(name)


def _inode(file: Path | None) -> tuple[int, int] | None:
    if file is None:
        return None
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _may_pass(error: SQLAlchemyError) -> bool:
    """Whether a retry may succeed: the connection was lost, the file is locked or full."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    original = error.orig
    if not isinstance(original, sqlite3.Error):
        return True
    return any(word in str(original) for word in _PASSING)


def _reason(error: SQLAlchemyError) -> str:
    original = getattr(error, "orig", None)
    return SECRETS.redact(str(original or error).strip().splitlines()[0])
