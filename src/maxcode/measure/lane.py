"""The timing lane: processors reserved for a single measurement, on the whole machine."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import fmean
from threading import get_ident, local
from time import monotonic, monotonic_ns, sleep

from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.text import counted, duration

_PROCESSORS = Path("/sys/devices/system/cpu")
_POLL = 0.005  # seconds between two tries of the first in the queue
_LOOK = 0.02  # seconds between two looks of the others
_SAID = 0.5  # seconds between two times that it is said what is waited for
_SUSPENDED = 1.0  # seconds of a free lock after which the first in the queue is passed by
_USUAL = 16  # last holds by which the next is expected


class Lane:
    """Exclusive use of some processors, by number, for timing, and of ``devices``, by their files.

    It keeps out other lanes sharing a processor with it, in other threads and in other processes of
    any user of this machine; work outside of lanes goes on. Locks are on the processors' folders in
    /sys, and the kernel frees the locks of a dead process. For devices, and where there is no /sys,
    files in the temporary folder serve. A queue there keeps the order of coming.

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
        stopped: Callable[[], bool] = lambda: False,
        waiting: Callable[[str], None] = lambda _: None,
        expected: float = 0.0,
    ) -> Iterator[None]:
        """Wait until all of it is free, in the order of coming, and hold it.

        During a long wait, ``waiting`` is called twice a second with a description, by process and
        estimate if known. ``expected`` is how many seconds it will be held, by which others
        estimate their wait; 0 if unknown.

        Locks are taken in rising order, so overlapping lanes cannot wait for one another. Not
        reentrant. Raises :class:`~maxcode.errors.ExecutorError` once ``stopped`` returns True while
        it waits; :class:`~maxcode.errors.ToolError` when nothing can be locked.
        """
        with ExitStack() as stack:
            for name, folder in self._parts():
                descriptor = _opened(name, folder)
                stack.callback(os.close, descriptor)
                place = stack.enter_context(_queued(descriptor, expected))
                self._wait(descriptor, name, place, stopped, waiting)
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
        place: _Place,
        stopped: Callable[[], bool],
        waiting: Callable[[str], None],
    ) -> None:
        said = held = monotonic()
        while True:
            if stopped():
                raise ExecutorError(f"stopped while waiting for {name}")
            first = next(place.before(), None) is None
            if not _locked(descriptor, name):
                held = monotonic()
            elif first or monotonic() - held > _SUSPENDED:
                return
            else:
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            if monotonic() - said > _SAID:
                said = monotonic()
                waiting(_described(name, list(place.before())))
            sleep(_POLL if first else _LOOK)


def _locked(descriptor: int, name: str) -> bool:
    """Whether the lock was free, and is now held. Raises :class:`ToolError`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise ToolError(f"{name} cannot be locked: {error}") from error
    return True


def _described(part: str, before: Sequence[tuple[int, float]]) -> str:
    """Text of a wait for the processes before, the holder first, each with its seconds."""
    processes = [f" (process {process})" for process, _ in before] or [""]
    text = f"another maxcode{processes[0]} is measuring on {part}"
    if len(processes) > 1:
        text += f", {counted(len(processes) - 1, 'other')} before this one"
    known = [seconds for _, seconds in before if seconds]
    return f"{text}, for about {duration(len(before) * fmean(known))}" if known else text


class _Place:
    """A place in the queue for a lock.

    It is a file with a name in the order of coming, which its process keeps locked: that of a dead
    process is not. The queue is for order alone; it is the lock that keeps others out.
    """

    def __init__(self, folder: int, lock: int, expected: float) -> None:
        locked = os.fstat(lock)
        self._folder = folder
        self._queue = f"{locked.st_dev:x}-{locked.st_ino:x}."
        self._name = f"{self._queue}{monotonic_ns():020}.{os.getpid()}.{get_ident()}"
        new = f"new-{self._name}"  # so that nobody sees it unlocked
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self._file = os.open(new, flags, dir_fd=folder)
        os.fchmod(self._file, 0o644)
        os.write(self._file, f"{expected:.3g}".encode())
        fcntl.flock(self._file, fcntl.LOCK_EX)
        os.rename(new, self._name, src_dir_fd=folder, dst_dir_fd=folder)

    def leave(self) -> None:
        """Let the next come first."""
        with suppress(OSError):
            os.unlink(self._name, dir_fd=self._folder)
        os.close(self._file)

    def before(self) -> Iterator[tuple[int, float]]:
        """Processes before it, and the seconds that each is expected to hold the lock."""
        names = [name for name in os.listdir(self._folder) if name.startswith(self._queue)]
        for name in sorted(name for name in names if name < self._name):
            with suppress(OSError, ValueError):  # it has left, or is none of ours
                expected = self._expected(name)
                if expected is not None:
                    yield int(name.split(".")[2]), expected

    def _expected(self, name: str) -> float | None:
        """Seconds a process is expected to take; None if it is dead."""
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=self._folder)
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return float(os.read(file, 32))
        finally:
            os.close(file)
        os.unlink(name, dir_fd=self._folder)
        return None


@contextmanager
def _queued(lock: int, expected: float) -> Iterator[_Place]:
    """A place in the queue for a lock. Raises :class:`ToolError` if there can be no queue."""
    path = Path(tempfile.gettempdir()) / "maxcode-lanes"
    with ExitStack() as stack:
        try:
            with suppress(FileExistsError):
                path.mkdir()
                path.chmod(0o1777)
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            stack.callback(os.close, folder)
            place = _Place(folder, lock, expected)
        except OSError as error:
            raise ToolError(f"there can be no queue in {path}: {error}") from error
        stack.callback(place.leave)
        yield place


class LaneWatch:
    """Announces waits for a lane held by others.

    ``show`` is called with the reason of the wait, and with an empty text when it is over. The
    threads sharing a watch wait for one another without a word.
    """

    def __init__(self) -> None:
        self.show: Callable[[str], None] = lambda _: None
        self._holding = False
        self._of_thread = local()
        self._seconds: deque[float] = deque(maxlen=_USUAL)

    @property
    def waited(self) -> float:
        """Seconds that this thread has waited for lanes, in all."""
        return getattr(self._of_thread, "waited", 0.0)

    @contextmanager
    def hold(self, lane: Lane, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Hold the lane; see :meth:`Lane.hold`."""
        expected, came = fmean(self._seconds) if self._seconds else 0.0, monotonic()
        with lane.hold(stopped, self._waiting, expected):
            self._holding, began = True, monotonic()
            self._of_thread.waited = self.waited + began - came
            self.show("")
            try:
                yield
            finally:
                self._holding = False
                self._seconds.append(monotonic() - began)

    def _waiting(self, text: str) -> None:
        if not self._holding:
            self.show(f"waiting for the timing lane: {text}")


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
    """Hardware threads of its core; itself if unknown."""
    try:
        listed = (_PROCESSORS / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text()
    except OSError:
        return {processor}
    return {processor, *numbers(listed)}


def numbers(listed: str) -> set[int]:
    """Numbers as Linux lists them: ``0-3,8``."""
    parts = (part.partition("-") for part in listed.strip().split(",") if part)
    return {n for first, _, last in parts for n in range(int(first), int(last or first) + 1)}


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
