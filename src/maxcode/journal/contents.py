"""Programs and texts of a run, which events name by digest, verified when they are read."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock

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
_INSERT_PROGRAMS = sa.insert(programs)
_INSERT_TEXTS = sa.insert(texts)
_SELECT_DIGESTS = sa.select(programs.c.digest).where(programs.c.run == sa.bindparam("run"))
_SELECT_DIGEST = _SELECT_DIGESTS.where(programs.c.digest == sa.bindparam("digest"))
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
        self._stored: set[str] = set()  # those that are known to be
        self._looked = False
        self._recent: _RecentPrograms = _RecentPrograms()

    def new(self, named: Iterable[Program]) -> dict[str, Program]:
        """Programs not yet stored, by digest."""
        return {p.digest: p for p in named if p.digest not in self._stored}

    def insert(self, connection: sa.Connection, new: Mapping[str, Program]) -> None:
        """Write them; call :meth:`wrote` after the commit."""
        if new:
            connection.execute(_INSERT_PROGRAMS, [*map(self._row, new.values())])

    def wrote(self, new: Mapping[str, Program]) -> None:
        """Note them as stored."""
        self._stored.update(new)
        for program in new.values():
            self._recent.keep(program)

    def look(self, connection: sa.Connection) -> None:
        """Find out which are stored."""
        self._stored = set(connection.execute(_SELECT_DIGESTS, {"run": self._run}).scalars())
        self._looked = True

    def get(self, digest: str) -> Program:
        """A stored program; its text is read, and verified, on first use.

        Raises :class:`JournalError` when the run holds none of this digest.
        """
        if not self._looked and digest not in self._stored:
            self._store.attempt(self.look)
        if digest not in self._stored:  # another process may have written it since
            key = {"run": self._run, "digest": digest}
            if self._store.attempt(lambda c: c.execute(_SELECT_DIGEST, key).first()) is None:
                raise JournalError(f"run {self._run} holds no program {digest}")
            self._stored.add(digest)
        return _StoredProgram(self, digest)

    def load(self, digest: str) -> Program:
        """A stored program with its text."""
        if recent := self._recent.get(digest):
            return recent
        key = {"run": self._run, "digest": digest}
        row = self._store.attempt(lambda c: c.execute(_SELECT_PROGRAM, key).one_or_none())
        if row is None:
            raise JournalError(f"run {self._run} holds no program {digest}")
        program = self._read(digest, row.files, row.entry)
        self._recent.keep(program)
        return program

    def _read(self, digest: str, files: str, entry: str) -> Program:
        try:
            found = Program(_FILES.validate_json(files), entry)
        except (ValidationError, ValueError, TypeError) as error:
            raise _damaged(self._run, "program", digest) from error
        if found.digest != digest:
            raise _damaged(self._run, "program", digest)
        return found

    def _row(self, program: Program) -> dict[str, str]:
        files = _FILES.dump_json(dict(program.files)).decode()
        return {"run": self._run, "digest": program.digest, "entry": program.entry, "files": files}


class StoredTexts:
    """Prompts and answers of a run, as JSON strings, which can hold any text of a model."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run = run_id
        self._stored: set[str] = set()

    def new(self, named: Iterable[str]) -> dict[str, str]:
        """Texts not yet stored, by digest."""
        by_digest = {text_digest(text): text for text in named if text}
        return {d: text for d, text in by_digest.items() if d not in self._stored}

    def insert(self, connection: sa.Connection, new: Mapping[str, str]) -> None:
        """Write them; call :meth:`wrote` after the commit."""
        rows = [
            {"run": self._run, "digest": digest, "text": json.dumps(text)}
            for digest, text in new.items()
        ]
        if rows:
            connection.execute(_INSERT_TEXTS, rows)

    def wrote(self, new: Iterable[str]) -> None:
        """Note the texts of these digests as stored."""
        self._stored.update(new)

    def look(self, connection: sa.Connection) -> None:
        """Find out which are stored."""
        digests = sa.select(texts.c.digest).where(texts.c.run == self._run)
        self._stored = set(connection.execute(digests).scalars())

    def get(self, digest: str, run_id: str | None = None) -> str:
        """A stored text; the empty text for an empty digest. ``run_id`` names another run.

        Raises :class:`JournalError` when the run holds none of this digest.
        """
        if not is_digest(digest):
            return digest  # empty, or a text itself: schema 1 kept them in the events
        run = run_id or self._run
        key = {"run": run, "digest": digest}
        text = self._store.attempt(lambda c: c.execute(_SELECT_TEXT, key).scalar_one_or_none())
        if text is None:
            raise JournalError(f"run {run} holds no text {digest}")
        try:
            found_text = json.loads(text)
        except (ValueError, TypeError) as error:
            raise _damaged(run, "text", digest) from error
        if not isinstance(found_text, str) or text_digest(found_text) != digest:
            raise _damaged(run, "text", digest)
        return found_text


def _damaged(run_id: str, what: str, digest: str) -> JournalError:
    return JournalError(
        f"run {run_id}: {what} {digest} is damaged: it is not what its digest names; look at the "
        "whole store with: maxcode store check"
    )


def is_digest(name: str) -> bool:
    """Whether it names a text; it is empty, or a text itself, if not."""
    return _DIGEST.fullmatch(name) is not None


class _RecentPrograms:
    """Programs last used, with a lock of its own: reading waits for no commit."""

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


class _StoredProgram(Program):
    """A program known only by its digest until it is looked at."""

    def __init__(self, stored: StoredPrograms, digest: str) -> None:
        # Not by Program's own, which sets what is not known. A long run has many of these.
        own = vars(self)
        own["digest"], own["_stored"] = digest, stored

    @property
    def files(self) -> Mapping[str, str]:
        """The files, read on first use."""
        return _StoredFiles(vars(self)["_stored"], self.digest)

    @property
    def entry(self) -> str:
        """The path of the entry file."""
        stored: StoredPrograms = vars(self)["_stored"]
        return stored.load(self.digest).entry


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
