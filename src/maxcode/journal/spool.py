"""Answers paid for but not stored: kept in a file until the run goes on."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from platformdirs import user_data_path
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from maxcode.errors import JournalError
from maxcode.journal.events import EVENT, Answered
from maxcode.journal.store import Store

_SUFFIX = ".answers.jsonl"


class Spool:
    """Answers of a run refused by its store, one on a line.

    They lie beside the store's file, or where it cannot be written, in the user's data folder or
    the system's temporary folder.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        beside = [store.file.absolute().parent] if store.file else []
        own = user_data_path("maxcode", appauthor=False), Path(tempfile.gettempdir())
        self._places = [folder / f"{run_id}{_SUFFIX}" for folder in (*beside, *own)]
        self._lock = Lock()

    def keep(self, event: Answered, texts: Iterable[str]) -> Path:
        """Write an answer with its texts; gives where.

        Raises :class:`~maxcode.errors.JournalError` where no place can be written.
        """
        try:
            body = EVENT.dump_json(event).decode()
        except PydanticSerializationError as error:
            raise JournalError(f"an answer cannot be written: {error}") from error
        line = f"{json.dumps({'event': body, 'texts': list(texts)})}\n"
        with self._lock:
            for path in self._places:
                try:
                    _append(path, line)
                except OSError:
                    continue
                return path
        raise JournalError(f"no place for an answer that was paid for: {self._places}")

    def answers(self) -> Iterator[tuple[Answered, list[str]]]:
        """Answers kept, with their texts; a truncated line is left out."""
        for path in self._places:
            try:
                lines = path.read_text(encoding="utf-8").splitlines()
            except OSError:
                continue
            for line in lines:
                try:
                    kept = json.loads(line)
                    event = EVENT.validate_json(kept["event"])
                except (ValueError, KeyError, TypeError, ValidationError):
                    continue
                if isinstance(event, Answered):
                    yield event, [str(text) for text in kept["texts"]]

    def remove(self) -> None:
        """Remove the files: the store has all of it."""
        for path in self._places:
            path.unlink(missing_ok=True)


def _append(path: Path, line: str) -> None:
    """All of a line, on the disk, or none of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat().st_size if path.exists() else 0
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        try:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            os.truncate(descriptor, before)
            raise
