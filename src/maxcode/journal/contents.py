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
_READ, _WRITTEN = 192, 64  # programs last read and written whose text stays in memory
# Built once: SQLAlchemy then finds their compiled form without walking them again.
_SELECTS = {
    table: sa.select(table).where(
        table.c.run == sa.bindparam("run"), table.c.digest == sa.bindparam("digest")
    )
    for table in (programs, texts)
}


class Contents:
    """Programs and texts of a run, by digest; ``known`` are digests of those that are stored."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run = run_id
        self.known: set[str] = set()
        self._fresh: dict[str, Program] = {}  # the latest written here, until they are read
        self.load = lru_cache(_READ)(self._load)
        """A stored program with its text, by digest; raises :class:`JournalError`."""

    def look(self, connection: sa.Connection) -> None:
        """Find out which are stored."""
        for table in _SELECTS:
            digests = sa.select(table.c.digest).where(table.c.run == self._run)
            self.known |= set(connection.execute(digests).scalars())

    def new_programs(self, named: Iterable[Program]) -> list[dict[str, object]]:
        """Rows of the programs not yet stored; the latest are kept, as they are soon judged."""
        new = {one.digest: one for one in named if one.digest not in self.known}
        own = {key: one for key, one in new.items() if not isinstance(one, StoredProgram)}
        if own:
            self._fresh = dict([*self._fresh.items(), *own.items()][-_WRITTEN:])
        return [
            {
                "run": self._run,
                "digest": digest,
                "entry": program.entry,
                "files": _FILES.dump_json(dict(program.files)).decode(),
            }
            for digest, program in new.items()
        ]

    def new_texts(self, named: Iterable[str]) -> list[dict[str, object]]:
        """Rows of the texts not yet stored: JSON strings, which can hold any text of a model."""
        return [
            {"run": self._run, "digest": digest, "text": json.dumps(text)}
            for digest, text in {text_digest(text): text for text in named if text}.items()
            if digest not in self.known
        ]

    def text(self, digest: str) -> str:
        """A stored text; the empty text for an empty digest.

        Raises :class:`JournalError` when the run holds none of this digest.
        """
        if not _DIGEST.fullmatch(digest):
            return digest  # empty, or a text itself: schema 1 kept them in the events
        try:
            text = json.loads(self._row(texts, "text", digest).text)
        except (ValueError, TypeError) as error:
            raise self._damaged("text", digest) from error
        if not isinstance(text, str) or text_digest(text) != digest:
            raise self._damaged("text", digest)
        return text

    def _load(self, digest: str) -> Program:
        if fresh := self._fresh.pop(digest, None):
            return fresh
        row = self._row(programs, "program", digest)
        try:
            program = Program(_FILES.validate_json(row.files), row.entry)
        except (ValueError, TypeError) as error:
            raise self._damaged("program", digest) from error
        if program.digest != digest:
            raise self._damaged("program", digest)
        return program

    def _row(self, table: sa.Table, kind: str, digest: str) -> sa.Row[Any]:
        key = {"run": self._run, "digest": digest}
        row = self._store.attempt(lambda c: c.execute(_SELECTS[table], key).one_or_none())
        if row is None:
            raise JournalError(f"run {self._run} holds no {kind} {digest}")
        return row

    def _damaged(self, kind: str, digest: str) -> JournalError:
        return JournalError(
            f"run {self._run}: {kind} {digest} is damaged: it is not what its digest names; "
            f"look at the whole store with: maxcode store check {shlex.quote(self._store.where)}"
        )


class StoredProgram(Program):
    """A program known only by its digest until it is looked at."""

    def __init__(self, contents: Contents, digest: str) -> None:
        # Not by Program's own, which sets what is not known. A long run has many of these.
        vars(self).update(digest=digest, _contents=contents)

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
        contents: Contents = vars(self)["_contents"]
        return contents.load(self.digest)
