"""The database of the journal: tables, connections, schema version, stored programs and texts."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from platformdirs import user_data_path
from pydantic import TypeAdapter
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from maxcode.errors import JournalError, SchemaError
from maxcode.journal.events import text_digest
from maxcode.program import Program

SCHEMA = 2

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
answers = sa.Table(  # where an answer stands, by what was asked
    "maxcode_answers",
    _tables,
    sa.Column("request", sa.String(64), primary_key=True),
    sa.Column("sample", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("run", sa.String(64), sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
)
_SINCE = {2: [texts, answers]}
"""Tables by the schema that brought them: an older store gets them when it is opened."""


class Store:
    """An open database of the right schema. One transaction at a time, from any thread.

    With ``read_only`` the database itself refuses whatever would change what it holds, and an older
    schema is an error.
    """

    def __init__(self, where: str, *, create: bool, read_only: bool = False) -> None:
        self.where = without_password(where)
        self._read_only = read_only
        self._engine = _engine(_url(where), create=create, read_only=read_only)
        self._sqlite = self._engine.dialect.name == "sqlite"
        self._lock = RLock()
        self._connection: sa.Connection | None = None
        self._syncs: bool | None = None  # what the connection is set to
        try:
            self._check_schema(create=create)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def transaction(self, *, sync: bool = False) -> Iterator[sa.Connection]:
        """A connection in a transaction, committed at the end.

        Every commit survives the death of the process. With ``sync`` it has also reached the disk,
        and all commits before it, so it survives a power cut. (SQLite; other databases sync as
        they are set to.) Database errors come out as :class:`JournalError`, except
        ``IntegrityError``, which callers expect and know the meaning of.
        """
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._engine.connect()
                    self._syncs = None
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
                raise JournalError(f"store {self.where}: {_reason(error)}") from error

    def close(self) -> None:
        """Close every connection; a later transaction opens a new one."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self._engine.dispose()

    def _check_schema(self, *, create: bool) -> None:
        with self.transaction() as connection:
            if not sa.inspect(connection).has_table(meta.name):
                if not create:
                    raise JournalError(f"{self.where} is not a store of maxcode runs")
                _make_tables(connection)
            query = sa.select(meta.c.value).where(meta.c.key == "schema")
            found = connection.execute(query).scalar_one_or_none()
            older = found is not None and found.isdigit() and 1 <= int(found) < SCHEMA
            if found is not None and older and not self._read_only:
                _upgrade(connection, int(found))
                found = str(SCHEMA)
        if found != str(SCHEMA):
            newer = found is not None and found.isdigit() and int(found) > SCHEMA
            remedy = "use the newer maxcode that wrote it" if newer else "give another store"
            if older:
                remedy = f"bring it up to date with: maxcode runs --store {self.where}"
            raise SchemaError(
                f"store {self.where} has schema {found}, this maxcode reads {SCHEMA}; {remedy}"
            )


def default_store() -> Path:
    """The store used when none is named: a SQLite file in the user's data folder."""
    return user_data_path("maxcode", appauthor=False) / "runs.db"


def without_password(where: str) -> str:
    """The store as it may be shown."""
    return re.sub(r"(://[^:/@]*):.*@", r"\1:***@", where)


def _make_tables(connection: sa.Connection) -> None:
    if lock := _CREATION_LOCKS.get(connection.dialect.name):
        connection.exec_driver_sql(lock)
    if not sa.inspect(connection).has_table(meta.name):
        _tables.create_all(connection)
        connection.execute(sa.insert(meta).values(key="schema", value=str(SCHEMA)))


def _upgrade(connection: sa.Connection, found: int) -> None:
    """Bring the tables of an older schema up to date; all of it or nothing."""
    if lock := _CREATION_LOCKS.get(connection.dialect.name):
        connection.exec_driver_sql(lock)
    for schema, added in _SINCE.items():
        if schema > found:
            _tables.create_all(connection, tables=added)
    connection.execute(sa.update(meta).where(meta.c.key == "schema").values(value=str(SCHEMA)))


def _url(where: str) -> sa.URL:
    if where == ":memory:":
        return sa.make_url("sqlite://")
    if "://" not in where:
        return sa.URL.create("sqlite", database=str(Path(where).expanduser()))
    try:
        return sa.make_url(where)
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        raise JournalError(
            f"store {without_password(where)!r}: not a URL that can be read ({error})"
        ) from error


def _engine(url: sa.URL, *, create: bool, read_only: bool) -> sa.Engine:
    options: dict[str, Any] = {"execution_options": {"postgresql_readonly": read_only}}
    if url.get_backend_name() == "sqlite":
        if url.database in (None, "", ":memory:"):
            options = {"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
        else:
            _check_file(Path(url.database), create=create)
            url = _existing(url) if read_only else url
    try:
        engine = sa.create_engine(url, **options)
    except (NoSuchModuleError, ModuleNotFoundError, ArgumentError) as error:
        raise JournalError(
            f"store {url}: {error}; for PostgreSQL: pip install 'maxcode[postgresql]', and use "
            "postgresql+psycopg://user@host/database"
        ) from error
    if url.get_backend_name() == "sqlite":
        sa.event.listen(engine, "connect", _set_query_only if read_only else _set_pragmas)
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


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 30000")
    cursor.execute("PRAGMA journal_mode = WAL")  # readers do not wait for the writer
    cursor.close()


def _existing(url: sa.URL) -> sa.URL:
    """A SQLite file that is not made if it has gone when a connection is opened again."""
    if url.query.get("uri"):
        return url
    path = quote(str(Path(str(url.database)).absolute()))
    return url.set(database=f"file:{path}", query={**url.query, "mode": "rw", "uri": "true"})


def _set_query_only(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 30000")
    cursor.execute("PRAGMA query_only = ON")
    cursor.close()


def _reason(error: SQLAlchemyError) -> str:
    original = getattr(error, "orig", None)
    return str(original or error).strip().splitlines()[0]


_FILES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
_DIGEST = re.compile("[0-9a-f]{64}")
_KEPT = 256  # programs whose text stays in memory

# Built once: SQLAlchemy then finds their compiled form without walking them again.
_INSERT_PROGRAMS = sa.insert(programs)
_INSERT_TEXTS = sa.insert(texts)
_SELECT_PROGRAM = sa.select(programs.c.entry, programs.c.files).where(
    programs.c.run == sa.bindparam("run"), programs.c.digest == sa.bindparam("digest")
)
_SELECT_TEXT = sa.select(texts.c.text).where(
    texts.c.run == sa.bindparam("run"), texts.c.digest == sa.bindparam("digest")
)


class StoredPrograms:
    """The programs of a run."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run = run_id
        self._stored: set[str] = set()
        self._recent: _RecentPrograms = _RecentPrograms()

    def new(self, named: Iterable[Program]) -> dict[str, Program]:
        """Those that are not stored yet, by digest."""
        return {p.digest: p for p in named if p.digest not in self._stored}

    def insert(self, connection: sa.Connection, new: Mapping[str, Program]) -> None:
        """Write them; call :meth:`wrote` when that was committed."""
        if new:
            connection.execute(_INSERT_PROGRAMS, [*map(self._row, new.values())])

    def wrote(self, new: Mapping[str, Program]) -> None:
        """Note that they are stored now."""
        self._stored.update(new)
        for program in new.values():
            self._recent.keep(program)

    def look(self, connection: sa.Connection) -> None:
        """Find out which are stored."""
        digests = sa.select(programs.c.digest).where(programs.c.run == self._run)
        self._stored = set(connection.execute(digests).scalars())

    def get(self, digest: str) -> Program:
        """A stored program; its text is read when it is looked at, and not kept for ever.

        Raises :class:`JournalError` when the run holds none of that digest.
        """
        return Program(_StoredFiles(self, digest), self.load(digest).entry, digest)

    def load(self, digest: str) -> Program:
        """A stored program with its text."""
        if recent := self._recent.get(digest):
            return recent
        with self._store.transaction() as connection:
            key = {"run": self._run, "digest": digest}
            row = connection.execute(_SELECT_PROGRAM, key).one_or_none()
        if row is None:
            raise JournalError(f"run {self._run} holds no program {digest}")
        program = Program(_FILES.validate_json(row.files), row.entry, digest)
        self._recent.keep(program)
        return program

    def _row(self, program: Program) -> dict[str, str]:
        files = _FILES.dump_json(dict(program.files)).decode()
        return {"run": self._run, "digest": program.digest, "entry": program.entry, "files": files}


class StoredTexts:
    """The prompts and answers of a run, as JSON strings: those can hold whatever a model writes."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run = run_id
        self._stored: set[str] = set()

    def new(self, named: Iterable[str]) -> dict[str, str]:
        """Those that are not stored yet, by digest."""
        by_digest = {text_digest(text): text for text in named if text}
        return {d: text for d, text in by_digest.items() if d not in self._stored}

    def insert(self, connection: sa.Connection, new: Mapping[str, str]) -> None:
        """Write them; call :meth:`wrote` when that was committed."""
        rows = [
            {"run": self._run, "digest": digest, "text": json.dumps(text)}
            for digest, text in new.items()
        ]
        if rows:
            connection.execute(_INSERT_TEXTS, rows)

    def wrote(self, new: Iterable[str]) -> None:
        """Note that the texts of these digests are stored now."""
        self._stored.update(new)

    def look(self, connection: sa.Connection) -> None:
        """Find out which are stored."""
        digests = sa.select(texts.c.digest).where(texts.c.run == self._run)
        self._stored = set(connection.execute(digests).scalars())

    def get(self, digest: str, run_id: str | None = None) -> str:
        """A stored text; of an empty digest the empty one. ``run_id`` names another run.

        Raises :class:`JournalError` when the run holds none of that digest.
        """
        if not _DIGEST.fullmatch(digest):
            return digest  # empty, or a text itself: schema 1 kept them in the events
        run = run_id or self._run
        with self._store.transaction() as connection:
            found = connection.execute(_SELECT_TEXT, {"run": run, "digest": digest})
            text = found.scalar_one_or_none()
        if text is None:
            raise JournalError(f"run {run} holds no text {digest}")
        return str(json.loads(text))


class _RecentPrograms:
    """The programs that were used last, with a lock of its own: reading waits for no commit."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Program] = OrderedDict()
        self._lock = Lock()

    def get(self, digest: str) -> Program | None:
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
            return self._kept.get(digest)

    def keep(self, program: Program) -> None:
        with self._lock:
            self._kept[program.digest] = program
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


class _StoredFiles(Mapping[str, str]):
    """The files of a stored program, read on demand, so that a tree of many steps stays small."""

    __slots__ = ("_digest", "_programs")

    def __init__(self, stored: StoredPrograms, digest: str) -> None:
        self._programs = stored
        self._digest = digest

    def __getitem__(self, path: str) -> str:
        return self._programs.load(self._digest).files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._programs.load(self._digest).files)

    def __len__(self) -> int:
        return len(self._programs.load(self._digest).files)
