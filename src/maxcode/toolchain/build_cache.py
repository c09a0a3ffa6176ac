"""BuildCache: results of builds, kept on disk between runs and shared by processes."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path
from threading import Lock

from maxcode.errors import ToolError
from maxcode.system import cache_folder

_LIMIT = 1 << 30
_DIGEST = hashlib.sha256().digest_size
_NEW = ".new-"
_STALE = 3600.0  # seconds after which a file begun is a file given up
_BLOCK = 4096  # what a file takes on disk at the least


class BuildCache:
    """Content by name, in a folder of at most ``limit`` bytes; the least recently used goes first.

    Any number of threads and processes may share the folder. Content comes back whole or not at
    all: it is renamed into place when complete and carries its digest. A full or failing disk loses
    entries, but raises no error. ``folder`` is by default ``builds`` in the user's cache folder; it
    must belong to this user alone, since its content will be run.

    Raises :class:`~maxcode.errors.ToolError` for a folder that cannot be made or trusted.
    """

    def __init__(self, folder: Path | None = None, limit: int = _LIMIT) -> None:
        self._folder = folder or cache_folder() / "builds"
        self._limit = limit
        self._room = 0  # bytes that may be added before looking at the folder again
        self._lock = Lock()
        _claim(self._folder)

    def fetch(self, name: str, target: Path) -> bool:
        """Write the content kept under ``name`` to ``target``, a path in an existing folder.

        False, and no file, if there is none or it is damaged.
        """
        entry = self._folder / name
        try:
            shutil.copyfile(entry, target)
            if _unseal(target):
                os.utime(entry)  # it was used
                return True
            entry.unlink()
        except OSError:  # not there, evicted just now, or unreadable: as good as nothing
            pass
        target.unlink(missing_ok=True)
        return False

    def keep(self, name: str, content: bytes) -> None:
        """Keep ``content`` under ``name``, a valid file name."""
        size = len(content) + _DIGEST + _BLOCK
        try:
            if self._make_room(size):
                self._write(name, content)
        except OSError:  # what could not be kept is built again
            pass

    def _write(self, name: str, content: bytes) -> None:
        descriptor, path = tempfile.mkstemp(prefix=_NEW, dir=self._folder)
        new = Path(path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.write(hashlib.sha256(content).digest())
            new.replace(self._folder / name)
        finally:
            new.unlink(missing_ok=True)

    def _make_room(self, size: int) -> bool:
        """Whether ``size`` bytes may be added; evicts the least recently used entries for them.

        The folder is scanned again whenever a sixteenth of the limit was added: others add too.
        """
        with self._lock:
            if size > self._limit:
                return False
            if size > self._room:
                self._room = min(self._limit - self._evict(size), max(size, self._limit // 16))
            self._room -= size
            return True

    def _evict(self, size: int) -> int:
        """Remove entries until ``size`` more bytes fit; returns the bytes that remain."""
        entries, total, now = [], 0, time.time()
        with os.scandir(self._folder) as found:
            for entry in found:
                try:
                    facts = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if not entry.name.startswith(_NEW):
                    entries.append((facts.st_mtime, facts.st_size + _BLOCK, entry.path))
                elif now - facts.st_mtime > _STALE:
                    Path(entry.path).unlink(missing_ok=True)
                    continue
                total += facts.st_size + _BLOCK
        if total + size <= self._limit:
            return total
        for _, held, path in sorted(entries):
            Path(path).unlink(missing_ok=True)
            total -= held
            if total + size <= self._limit * 0.9:  # not again at once
                break
        return total


def _claim(folder: Path) -> None:
    """Make the folder if need be. Raises :class:`ToolError` if others could change it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat(follow_symlinks=False)
    except OSError as error:
        raise ToolError(
            f"the build cache {folder} cannot be made ({error.strerror}); "
            "set XDG_CACHE_HOME to a folder that may be written"
        ) from error
    if facts.st_uid != os.geteuid() or facts.st_mode & 0o022:
        raise ToolError(
            f"the build cache {folder} can be written by another user, who could plant programs "
            "in it; remove it, or set XDG_CACHE_HOME to a folder of your own"
        )


def _unseal(path: Path) -> bool:
    """Cut the digest off the end of a file; returns whether it matches the rest."""
    with path.open("r+b") as file:
        size = os.fstat(file.fileno()).st_size - _DIGEST
        if size < 0:
            return False
        file.seek(size)
        sealed = file.read(_DIGEST)
        file.truncate(size)
        file.seek(0)
        return hashlib.file_digest(file, "sha256").digest() == sealed
