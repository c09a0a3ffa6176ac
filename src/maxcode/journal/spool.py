"""Answers paid for but not stored: kept in a file until the run goes on."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock

from platformdirs import user_data_path

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
        body = EVENT.dump_json(event).decode()
        line = json.dumps({"event": body, "texts": list(texts)})
        with self._lock:
            for path in self._places:
                with suppress(OSError):
                    _append(path, line)
                    return path
        raise JournalError(f"no place for an answer that was paid for: {self._places}")

    def answers(self) -> Iterator[tuple[Answered, list[str]]]:
        """Answers kept, with their texts; a truncated line is left out."""
        for path in filter(Path.exists, self._places):
            for line in path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError, KeyError, TypeError):
                    kept = json.loads(line)
                    event = EVENT.validate_json(kept["event"])
                    if isinstance(event, Answered):
                        yield event, [str(text) for text in kept["texts"]]

    def remove(self) -> None:
        """Remove the files: the store has all of it."""
        for path in self._places:
            path.unlink(missing_ok=True)


def _append(path: Path, line: str) -> None:
    """Write a line to the disk, after the end of a line that was truncated."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
        file.flush()
        os.fsync(file.fileno())
