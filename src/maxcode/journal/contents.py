"""Programs and texts of a run, which events name by digest, verified when they are read."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter

from maxcode.errors import JournalError
from maxcode.journal.events import text_digest
from maxcode.journal.store import Store, programs, texts
from maxcode.program import Program

_FILES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
_DIGEST = re.compile("[0-9a-f]{64}")
_KEPT = 256  # programs whose text stays in memory


class _Stored:
    """Contents of a run in a table, by digest."""

    kind = ""
    table: sa.Table

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run = run_id
        self.known: set[str] = set()
        """Digests of the contents known to be stored."""
        key = self.table.c.digest == sa.bindparam("digest")
        # Built once: SQLAlchemy then finds its compiled form without walking it again.
        self._select = sa.select(self.table).where(self.table.c.run == run_id, key)

    def look(self, connection: sa.Connection) -> None:
        """Find out which are stored."""
        digests = sa.select(self.table.c.digest).where(self.table.c.run == self._run)
        self.known = set(connection.execute(digests).scalars())

    def _row(self, digest: str) -> sa.Row[Any]:
        key = {"digest": digest}
        row = self._store.attempt(lambda c: c.execute(self._select, key).one_or_none())
        if row is None:
            raise JournalError(f"run {self._run} holds no {self.kind} {digest}")
        return row

    def _damaged(self, digest: str) -> JournalError:
        return JournalError(
            f"run {self._run}: {self.kind} {digest} is damaged: it is not what its digest names; "
            f"look at the whole store with: maxcode store check {shlex.quote(self._store.where)}"
        )


class StoredPrograms(_Stored):
    """The programs of a run."""

    kind, table = "program", programs

    def __init__(self, store: Store, run_id: str) -> None:
        super().__init__(store, run_id)
        self.load = lru_cache(_KEPT)(self._load)
        """A stored program with its text, by digest; raises :class:`JournalError`."""

    def new(self, named: Iterable[Program]) -> dict[str, dict[str, object]]:
        """Rows of the programs not yet stored, by digest."""
        return {
            program.digest: {
                "run": self._run,
                "digest": program.digest,
                "entry": program.entry,
                "files": _FILES.dump_json(dict(program.files)).decode(),
            }
            for program in named
            if program.digest not in self.known
        }

    def get(self, digest: str) -> Program:
        """A stored program; its text is read, and verified, on first use."""
        return _StoredProgram(self, digest)

    def _load(self, digest: str) -> Program:
        row = self._row(digest)
        try:
            program = Program(_FILES.validate_json(row.files), row.entry)
        except (ValueError, TypeError) as error:
            raise self._damaged(digest) from error
        if program.digest != digest:
            raise self._damaged(digest)
        return program


class StoredTexts(_Stored):
    """Prompts and answers of a run, as JSON strings, which can hold any text of a model."""

    kind, table = "text", texts

    def new(self, named: Iterable[str]) -> dict[str, dict[str, object]]:
        """Rows of the texts not yet stored, by digest."""
        by_digest = {text_digest(text): text for text in named if text}
        return {
            digest: {"run": self._run, "digest": digest, "text": json.dumps(text)}
            for digest, text in by_digest.items()
            if digest not in self.known
        }

    def get(self, digest: str) -> str:
        """A stored text; the empty text for an empty digest.

        Raises :class:`JournalError` when the run holds none of this digest.
        """
        if not _DIGEST.fullmatch(digest):
            return digest  # empty, or a text itself: schema 1 kept them in the events
        try:
            text = json.loads(self._row(digest).text)
        except (ValueError, TypeError) as error:
            raise self._damaged(digest) from error
        if not isinstance(text, str) or text_digest(text) != digest:
            raise self._damaged(digest)
        return text


class _StoredProgram(Program):
    """A program known only by its digest until it is looked at."""

    def __init__(self, stored: StoredPrograms, digest: str) -> None:
        # Not by Program's own, which sets what is not known. A long run has many of these.
        vars(self).update(digest=digest, _stored=stored)

    @property
    def files(self) -> Mapping[str, str]:
        """The files, read anew each time but for the last used programs."""
        return self._whole.files

    @property
    def entry(self) -> str:
        """The path of the entry file."""
        return self._whole.entry

    @property
    def _whole(self) -> Program:
        stored: StoredPrograms = vars(self)["_stored"]
        return stored.load(self.digest)
