"""SharedFile: memory that a worker and this process write."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.system import ScratchFolder

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made in it is private


class SharedFile:
    """A new file, for one worker, which is opened at once: its owner could block a later open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.fchmod(self._descriptor, 0o644)  # a sandbox may read as another user

    def resize(self, size: int) -> None:
        """Allocate ``size`` bytes of memory for it: zeros, unless it has this size already.

        Existing pages are quicker to write than new ones. Raises :class:`~maxcode.errors.ToolError`
        if memory is short.
        """
        if os.fstat(self._descriptor).st_size != size:
            os.ftruncate(self._descriptor, 0)
            self.extend(size)

    def extend(self, size: int) -> None:
        """Grow it to at least ``size`` bytes. Raises as :meth:`resize` does."""
        if os.fstat(self._descriptor).st_size >= size:
            return
        try:
            os.posix_fallocate(self._descriptor, 0, size)
        except OSError as error:
            os.ftruncate(self._descriptor, 0)
            raise ToolError(
                f"there is no room for {size >> 20} MiB in {self.path.parent}: {error.strerror}"
                "; make more, as by docker run --shm-size"
            ) from error

    def fileno(self) -> int:
        """Its file descriptor."""
        return self._descriptor

    def remove(self) -> None:
        """Remove it; its memory is freed when no worker has it open any more."""
        if self._descriptor >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
        self._descriptor = -1


def shared_folder(capacity: int) -> ScratchFolder:
    """A private folder in shared memory if ``capacity`` bytes are free there, else a usual one."""
    with suppress(OSError):
        room = os.statvfs(_MEMORY)
        if os.access(_MEMORY, os.W_OK | os.X_OK) and room.f_bavail * room.f_frsize >= capacity:
            return ScratchFolder("maxcode-exchange-", _MEMORY)
    return ScratchFolder("maxcode-exchange-")
