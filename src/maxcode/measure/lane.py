"""The timing lane: processors reserved for a single measurement, on the whole machine."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event
from time import monotonic, sleep

from maxcode.errors import ExecutorError, InputError, ToolError

_PROCESSORS = Path("/sys/devices/system/cpu")
_POLL = 0.005  # seconds between two tries
_SAID = 0.5  # seconds between two times that it is said what is waited for


class Lane:
    """Exclusive use of some processors, by number, for timing, and of ``devices``, by their files.

    It keeps out other lanes sharing a processor with it, in other threads and in other processes of
    any user of this machine; work outside of lanes goes on. Locks are on the processors' folders in
    /sys, so nothing has to be created or cleaned up, and the kernel frees the locks of a dead
    process. For devices, and where there is no /sys, files in the temporary folder serve.

    Raises :class:`~maxcode.errors.InputError` for a processor this process may not use.
    """

    def __init__(self, processors: Iterable[int], devices: Iterable[Path] = ()) -> None:
        self.processors = tuple(sorted(set(processors)))
        self.devices = tuple(sorted(set(devices)))
        if not self.processors:
            raise InputError("a timing lane needs at least one processor")
        allowed = _allowed()
        if strange := [one for one in self.processors if one not in allowed]:
            raise InputError(
                f"this process may not run on processor {_listing(strange)}; it may on "
                f"{_listing(allowed)}"
            )

    @contextmanager
    def hold(
        self,
        stopped: Event | Callable[[], bool] | None = None,
        waiting: Callable[[str], None] | None = None,
    ) -> Iterator[None]:
        """Wait until all of it is free, and hold it.

        During a long wait, ``waiting`` is called twice a second with the part that is not free.

        Locks are taken in rising order, so overlapping lanes cannot wait for one another. Not
        reentrant. Raises :class:`~maxcode.errors.ExecutorError` once ``stopped`` is set, or returns
        True, while it waits; :class:`~maxcode.errors.ToolError` when nothing can be locked.
        """
        if isinstance(stopped, Event):
            stopped = stopped.is_set
        with ExitStack() as stack:
            for name, folder in self._parts():
                descriptor = _opened(name, folder)
                stack.callback(os.close, descriptor)
                self._wait(descriptor, name, stopped or (lambda: False), waiting)
                # Closing is not enough: a child between fork and exec holds a copy.
                stack.callback(fcntl.flock, descriptor, fcntl.LOCK_UN)
            yield

    def _parts(self) -> Iterator[tuple[str, Path | None]]:
        """Name of each part, and a system folder to lock for it, if any."""
        for processor in self.processors:
            yield f"processor {processor}", _PROCESSORS / f"cpu{processor}"
        for device in self.devices:
            yield f"device {device.name}", None

    def _wait(
        self,
        descriptor: int,
        name: str,
        stopped: Callable[[], bool],
        waiting: Callable[[str], None] | None,
    ) -> None:
        said = monotonic()
        while True:
            if stopped():
                raise ExecutorError(f"stopped while waiting for {name}")
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if waiting and monotonic() - said > _SAID:
                    said = monotonic()
                    waiting(f"{name}{_holder(descriptor)}")
                sleep(_POLL)
            except OSError as error:
                raise ToolError(f"{name} cannot be locked: {error}") from error
            else:
                return


class LaneWatch:
    """Announces waits for a lane held by others.

    ``show`` is called with the reason of the wait, and with an empty text when it is over. The
    threads sharing a watch wait for one another without a word.
    """

    def __init__(self) -> None:
        self.show: Callable[[str], None] = lambda _: None
        self._holding = False

    @contextmanager
    def hold(self, lane: Lane, stopped: Event | Callable[[], bool] | None = None) -> Iterator[None]:
        """Hold the lane; see :meth:`Lane.hold`."""
        with lane.hold(stopped, self._waiting):
            self._holding = True
            self.show("")
            try:
                yield
            finally:
                self._holding = False

    def _waiting(self, name: str) -> None:
        if not self._holding:
            self.show(f"waiting for the timing lane: another maxcode is measuring on {name}")


def _holder(descriptor: int) -> str:
    """The process that holds the lock of a file, in brackets; empty where the system hides it."""
    file = os.fstat(descriptor)
    place = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    with suppress(OSError):
        for line in Path("/proc/locks").read_text("ascii").splitlines():
            _, kind, _, _, process, where, *_ = line.split()
            if kind == "FLOCK" and where == place and int(process) > 0:
                return f" (process {process})"
    return ""


def all_processors() -> tuple[int, ...]:
    """Every processor open to this process."""
    return tuple(sorted(_allowed()))


def timing_processors(count: int = 1) -> tuple[int, ...]:
    """Processors for timing: the last open to this process, all if it has no more."""
    return tuple(sorted(_allowed())[-count:])


def other_processors(timing: Iterable[int]) -> tuple[int, ...]:
    """Processors for building and checking: all open to this process but the ``timing`` ones.

    Hardware threads sharing a core with these stay idle where more processors are left than are
    timed on. With nothing else to run on, everything shares what there is.
    """
    allowed, timing = _allowed(), set(timing)
    others = allowed - timing
    siblings = set().union(*map(_siblings, timing)) - timing
    apart = others - siblings
    return tuple(sorted(apart if len(apart) > len(timing) else others or allowed))


def claimed(processors: Iterable[int]) -> int | None:
    """First of the processors unclaimed by other processes of this machine.

    It is this process's until its end, which the kernel notices. Unlike a :class:`Lane` it keeps
    nobody from using the processor: it is how processes agree on their processors for timing. None
    when all are taken. Raises :class:`~maxcode.errors.ToolError` when nothing can be locked.
    """
    for processor in processors:
        descriptor = _opened(f"owner of processor {processor}", None)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return processor
    return None


def _allowed() -> set[int]:
    return os.sched_getaffinity(0)


def _siblings(processor: int) -> set[int]:
    """Hardware threads of its core, listed as ``0,4`` or ``0-1``; itself if unknown."""
    try:
        listed = (_PROCESSORS / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text()
    except OSError:
        return {processor}
    siblings = {processor}
    for part in listed.strip().split(","):
        first, _, last = part.partition("-")
        siblings |= set(range(int(first), int(last or first) + 1))
    return siblings


def _opened(name: str, folder: Path | None) -> int:
    """File descriptor to lock for it. Raises :class:`ToolError`."""
    if folder is not None:
        with suppress(OSError):  # no /sys, or none of ours
            return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    path = Path(tempfile.gettempdir()) / f"maxcode-{name.replace(' ', '-')}.lock"
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        while True:
            try:
                return os.open(path, flags)  # whose it is does not matter
            except FileNotFoundError:
                pass
            try:
                return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                continue
    except OSError as error:
        raise ToolError(f"no lock for {name} can be had: {error}") from error


def _listing(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
