"""Where maxcode keeps what it can make again, and what is gone with it."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from maxcode.errors import ToolError


def cache_folder() -> Path:
    """The user's cache folder for maxcode, made if need be; XDG_CACHE_HOME moves it.

    Raises :class:`ToolError` when it cannot be written.
    """
    folder = user_cache_path("maxcode")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"the cache folder {folder} cannot be made ({error.strerror}); "
            "set XDG_CACHE_HOME to a folder that may be written"
        ) from error
    return folder


class ScratchFolder:
    """A new, private folder, at ``path``, that is removed with this object or with this process.

    It lies in ``place``, the system's temporary folder unless given, and its name begins with
    ``prefix``. Folders of that kind whose process was killed are removed first: each process that
    lives holds a lock on its own.
    """

    def __init__(self, prefix: str, place: Path | None = None) -> None:
        place = place or Path(tempfile.gettempdir())
        _sweep(place, prefix)
        self.path, lock = _locked_folder(place, prefix)
        self._gone = weakref.finalize(self, _remove, self.path, lock)

    def remove(self) -> None:
        """Remove it with all that is in it; once is enough."""
        self._gone()


def _locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        lock = _locked(folder)
        if lock is not None:
            if folder.exists():  # nobody swept it away before it was locked
                return folder, lock
            os.close(lock)


def _locked(folder: Path) -> int | None:
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None


def _sweep(place: Path, prefix: str) -> None:
    for folder in _own(place, prefix):
        lock = _locked(folder)
        if lock is not None:
            _remove(folder, lock)


def _own(place: Path, prefix: str) -> Iterator[Path]:
    for folder in place.glob(f"{prefix}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.geteuid():
                yield folder


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)
