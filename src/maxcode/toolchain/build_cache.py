"""BuildCache: results of builds, kept on disk between runs and shared by processes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.system import cache_folder

_LIMIT = 1 << 30
_DIGEST = hashlib.sha256().digest_size
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
        _claim(self._folder)

    def fetch(self, name: str) -> bytes | None:
        """The content kept under ``name``; None if there is none or it is damaged."""
        entry = self._folder / name
        try:
            whole = entry.read_bytes()
            content, digest = whole[:-_DIGEST], whole[-_DIGEST:]
            if hashlib.sha256(content).digest() == digest:
                os.utime(entry)  # it was used
                return content
            entry.unlink()
        except OSError:  # not there, evicted just now, or unreadable: as good as nothing
            pass
        return None

    def keep(self, name: str, content: bytes) -> None:
        """Keep ``content`` under ``name``, a valid file name."""
        size = len(content) + _DIGEST + _BLOCK
        try:
            if size <= self._limit:
                self._evict(size)
                self._write(name, content)
        except OSError:  # what could not be kept is built again
            pass

    def _write(self, name: str, content: bytes) -> None:
        descriptor, path = tempfile.mkstemp(prefix=".new-", dir=self._folder)
        new = Path(path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.write(hashlib.sha256(content).digest())
            new.replace(self._folder / name)
        finally:
            new.unlink(missing_ok=True)

    def _evict(self, size: int) -> None:
        """Remove the least recently used entries until ``size`` more bytes fit."""
        entries, total = [], size
        with os.scandir(self._folder) as found:
            for entry in found:
                try:
                    facts = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                held = facts.st_size + _BLOCK
                entries.append((facts.st_mtime, held, Path(entry.path)))
                total += held
        most = self._limit if total <= self._limit else 0.9 * self._limit  # not again at once
        for _, held, path in sorted(entries):
            if total <= most:
                return
            path.unlink(missing_ok=True)
            total -= held


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
