"""Programs and texts of a run, which events name by digest, verified when they are read."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter, ValidationError

from maxcode.errors import JournalError
from maxcode.journal.events import text_digest
from maxcode.journal.store import Store, programs, texts
from maxcode.program import Program

_FILES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
_DIGEST = re.compile("[0-9a-f]{64}")
_KEPT = 256  # programs whose text stays in memory

# Built once: SQLAlchemy then finds their compiled form without walking them again.
_SELECT = {
    table: sa.select(table).where(
        table.c.run == sa.bindparam("run"), table.c.digest == sa.bindparam("digest")
    )
    for table in (programs, texts)
}


class _Stored:
    """Contents of a run in a table, by digest."""

    kind = ""
    table: sa.Table

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run = run_id
        self._stored: set[str] = set()  # those that are known to be

    def look(self, connection: sa.Connection) -> None:
        """Find out which are stored."""
        digests = sa.select(self.table.c.digest).where(self.table.c.run == self._run)
        self._stored = set(connection.execute(digests).scalars())

    def _row(self, digest: str, run: str) -> sa.Row[Any]:
        key, select = {"run": run, "digest": digest}, _SELECT[self.table]
        row = self._store.attempt(lambda c: c.execute(select, key).one_or_none())
        if row is None:
            raise self._missing(digest, run)
        return row

    def _missing(self, digest: str, run: str) -> JournalError:
        return JournalError(f"run {run} holds no {self.kind} {digest}")

    def _damaged(self, digest: str, run: str) -> JournalError:
        return JournalError(
            f"run {run}: {self.kind} {digest} is damaged: it is not what its digest names; look at "
            f"the whole store with: maxcode store check {shlex.quote(self._store.where)}"
        )


class StoredPrograms(_Stored):
    """The programs of a run."""

    kind, table = "program", programs

    def __init__(self, store: Store, run_id: str) -> None:
        super().__init__(store, run_id)
        self._recent: dict[str, Program] = {}  # those last used, the latest last
        self._lock = Lock()  # of its own: reading waits for no commit

    def new(self, named: Iterable[Program]) -> dict[str, Program]:
        """Programs not yet stored, by digest."""
        return {p.digest: p for p in named if p.digest not in self._stored}

    def rows(self, new: Iterable[Program]) -> list[dict[str, object]]:
        """Rows to write; call :meth:`wrote` after the commit."""
        return [
            {
                "run": self._run,
                "digest": program.digest,
                "entry": program.entry,
                "files": _FILES.dump_json(dict(program.files)).decode(),
            }
            for program in new
        ]

    def wrote(self, new: Mapping[str, Program]) -> None:
        """Note them as stored."""
        self._stored.update(new)
        for program in new.values():
            self._keep(program)

    def _keep(self, program: Program) -> None:
        with self._lock:
            self._recent.pop(program.digest, None)
            self._recent[program.digest] = program
            if len(self._recent) > _KEPT:
                del self._recent[next(iter(self._recent))]

    def get(self, digest: str) -> Program:
        """A stored program; its text is read, and verified, on first use.

        Raises :class:`JournalError` when the run holds none of this digest.
        """
        if digest not in self._stored:  # another process may have written it since
            self._store.attempt(self.look)
        if digest not in self._stored:
            raise self._missing(digest, self._run)
        return _StoredProgram(self, digest)

    def load(self, digest: str) -> Program:
        """A stored program with its text."""
        if recent := self._recent.get(digest):
            self._keep(recent)
            return recent
        row = self._row(digest, self._run)
        try:
            program = Program(_FILES.validate_json(row.files), row.entry)
        except (ValidationError, ValueError, TypeError) as error:
            raise self._damaged(digest, self._run) from error
        if program.digest != digest:
            raise self._damaged(digest, self._run)
        self._keep(program)
        return program


class StoredTexts(_Stored):
    """Prompts and answers of a run, as JSON strings, which can hold any text of a model."""

    kind, table = "text", texts

    def new(self, named: Iterable[str]) -> dict[str, str]:
        """Texts not yet stored, by digest."""
        by_digest = {text_digest(text): text for text in named if text}
        return {d: text for d, text in by_digest.items() if d not in self._stored}

    def rows(self, new: Mapping[str, str]) -> list[dict[str, object]]:
        """Rows to write; call :meth:`wrote` after the commit."""
        return [{"run": self._run, "digest": d, "text": json.dumps(new[d])} for d in new]

    def wrote(self, new: Iterable[str]) -> None:
        """Note the texts of these digests as stored."""
        self._stored.update(new)

    def get(self, digest: str, run_id: str | None = None) -> str:
        """A stored text; the empty text for an empty digest. ``run_id`` names another run.

        Raises :class:`JournalError` when the run holds none of this digest.
        """
        if not is_digest(digest):
            return digest  # empty, or a text itself: schema 1 kept them in the events
        run = run_id or self._run
        row = self._row(digest, run)
        try:
            text = json.loads(row.text)
        except (ValueError, TypeError) as error:
            raise self._damaged(digest, run) from error
        if not isinstance(text, str) or text_digest(text) != digest:
            raise self._damaged(digest, run)
        return text


def is_digest(name: str) -> bool:
    """Whether it names a text; it is empty, or a text itself, if not."""
    return _DIGEST.fullmatch(name) is not None


class _StoredProgram(Program):
    """A program known only by its digest until it is looked at."""

    def __init__(self, stored: StoredPrograms, digest: str) -> None:
        # Not by Program's own, which sets what is not known. A long run has many of these.
        own = vars(self)
        own["digest"], own["_stored"] = digest, stored

    @property
    def files(self) -> Mapping[str, str]:
        """The files, read anew each time but for the last used programs."""
        stored: StoredPrograms = vars(self)["_stored"]
        return stored.load(self.digest).files

    @property
    def entry(self) -> str:
        """The path of the entry file."""
        stored: StoredPrograms = vars(self)["_stored"]
        return stored.load(self.digest).entry
