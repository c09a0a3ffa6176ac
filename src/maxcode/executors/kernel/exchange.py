"""Exchange: files in shared memory that workers write tensors into."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Self

from maxcode.errors import ToolError
from maxcode.system import ScratchFolder

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made in it is private


class SharedFile:
    """A file shared with a worker for reading and writing; made by an exchange.

    It is opened at once: a worker that owns it could block a later open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.fchmod(self._descriptor, 0o644)  # a sandbox may read as another user

    def resize(self, size: int) -> None:
        """Allocate ``size`` bytes of memory for it: zeros, unless it has this size already.

        Existing pages are quicker to write than new ones. Raises :class:`~maxcode.errors.ToolError`
        if memory is short.
        """
        if os.fstat(self._descriptor).st_size == size:
            return
        os.ftruncate(self._descriptor, 0)
        if size:
            self._allocate(size)

    def _allocate(self, size: int) -> None:
        try:
            os.posix_fallocate(self._descriptor, 0, size)
        except OSError as error:
            os.ftruncate(self._descriptor, 0)
            raise ToolError(
                f"there is no room for {size >> 20} MiB in {self.path.parent}: {error.strerror}"
                "; make more, as by docker run --shm-size"
            ) from error

    def extend(self, size: int) -> None:
        """Grow it to at least ``size`` bytes. Raises as :meth:`resize` does."""
        if os.fstat(self._descriptor).st_size < size:
            self._allocate(size)

    def fileno(self) -> int:
        """Its file descriptor."""
        return self._descriptor

    def remove(self) -> None:
        """Remove it; its memory is freed when no worker has it open any more."""
        if self._descriptor >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
        self._descriptor = -1


class Exchange:
    """A private folder of files.

    It is in shared memory if ``capacity`` bytes are free there, else in the temporary folder.
    Leftovers of killed processes are removed first.
    """

    def __init__(self, capacity: int) -> None:
        self._folder = ScratchFolder("maxcode-exchange-", _place(capacity))
        self._lock = Lock()
        self._numbers = count(1)
        self._files: list[SharedFile] = []

    def outputs(self) -> SharedFile:
        """A new file for a worker to write."""
        file = SharedFile(self._folder.path / f"outputs-{next(self._numbers)}")
        with self._lock:
            self._files = [*(old for old in self._files if old.path.exists()), file]
        return file

    def close(self) -> None:
        """Remove all files and the folder."""
        for file in self._files:
            file.remove()
        self._folder.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _place(capacity: int) -> Path:
    with suppress(OSError):
        room = os.statvfs(_MEMORY)
        if os.access(_MEMORY, os.W_OK | os.X_OK) and room.f_bavail * room.f_frsize >= capacity:
            return _MEMORY
    return Path(tempfile.gettempdir())
