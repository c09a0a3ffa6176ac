"""DeviceExchange: GPU memory for passing inputs and outputs between two workers.

The reference's process allocates it and keeps its own copy of all: a candidate sees only the inputs
of one call, right before its clock starts. This process passes descriptors, and touches no GPU.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from itertools import count
from pathlib import Path

from maxcode.errors import ExecutorError
from maxcode.executors.kernel.reference import Reference
from maxcode.executors.kernel.worker.messages import PLACES, STEP, Inputs, Serving
from maxcode.executors.kernel.workers import Worker

_PIDFD_GETFD = 438  # the number of the system's call, which no library wraps
_libc = ctypes.CDLL(None, use_errno=True)


class DeviceExchange:
    """GPU memory ``reference`` shares with candidates; to be closed."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._files: tuple[int, ...] = ()
        self._sizes: Sequence[int] = ()
        self.generation = 0
        """Number of times that the memory was made."""
        self._names = count()

    def close(self) -> None:
        """Close its descriptors; the memory is freed with the processes that hold it."""
        files, self._files = self._files, ()
        for file in files:
            os.close(file)

    def fit(self, inputs: Inputs, slot: int) -> None:
        """Make the memory large enough for the inputs and ``slot`` bytes of outputs of a call."""
        largest = max(one.end - one.begin for one in inputs.described)
        wanted = [largest, slot + (PLACES - 1) * STEP]
        if not self._files or any(a > b for a, b in zip(wanted, self._sizes, strict=True)):
            self._make(wanted)

    def hand(self, worker: Worker) -> Sequence[int]:
        """Send the memory to a candidate; returns the sizes of its regions.

        Raises :class:`~maxcode.errors.ExecutorError` if its process takes no descriptors.
        """
        try:
            worker.running.send_files(self._files)
        except OSError as error:
            raise ExecutorError(f"its process takes no memory of the GPU: {error}") from error
        return self._sizes

    def place(self, call: int) -> None:
        """Copy the inputs of a call into the shared memory, outside of any clock."""
        self._reference.work.place(call)

    @contextmanager
    def serving(self, worker: Worker, about: Serving, *, watch: bool) -> Iterator[Sequence[str]]:
        """Have the reference serve a worker's calls; yields the feeder's further arguments."""
        reference = self._reference
        pipes = [reference.worker.folder / name for name in ("go", "done")]
        given = [*map(str, pipes), str(reference.worker.running.process)]
        if worker is reference.worker:
            yield given
            return
        reference.attend(about, watch=watch)
        try:
            yield given
        except BaseException:
            with suppress(OSError), _opened(pipes[0]) as go:  # the feeder has not told it
                go.write(b"x")
            reference.served()
            for pipe in pipes:  # what it had told it already, or was not read any more
                with _opened(pipe) as left:
                    while left.read(1 << 16):
                        pass
            raise
        reference.served()

    def keep(self) -> str:
        """Have the reference keep the outputs it fetched last; returns their name."""
        name = f"answers-{next(self._names)}"
        self._reference.work.keep(name)
        return name

    def _make(self, sizes: Sequence[int]) -> None:
        self.close()
        worker = self._reference.worker
        shared = self._reference.work.share(sizes)
        self._sizes = shared.sizes
        self._files = tuple(_taken(worker, number) for number in shared.files)
        self.generation += 1


def _taken(worker: Worker, number: int) -> int:
    """Duplicate a worker's descriptor into this process: sandboxes may not open sockets."""
    process = os.pidfd_open(worker.running.process)
    try:
        found = _libc.syscall(_PIDFD_GETFD, process, ctypes.c_int(number), 0)
        if found < 0:
            code = ctypes.get_errno()
            raise OSError(code, f"taking a descriptor of a worker: {os.strerror(code)}")
        os.set_inheritable(found, False)
        return int(found)
    finally:
        os.close(process)


def _opened(pipe: Path) -> FileIO:
    """A pipe that is neither waited for when it is opened nor when it is read."""
    return FileIO(os.open(pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC), "r+")
