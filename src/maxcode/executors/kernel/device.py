"""DeviceExchange: memory of a GPU through which inputs and outputs go between two workers.

The reference's process makes it, and keeps all inputs and outputs besides: a candidate sees the
inputs of one call, and only when that call's clock is about to run. This process hands descriptors
of the memory from one worker to the other, and never touches a GPU.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from weakref import WeakKeyDictionary

from maxcode.errors import ExecutorError
from maxcode.executors.kernel.reference import Inputs, Outputs, Reference, Reply
from maxcode.executors.kernel.workers import Worker

_PLACES = 3  # for the outputs of a call, of which one is chosen when it is done; as in feeder.cpp
_STEP = 1 << 20  # bytes from one of them to the next; as in worker/device.py
_PIDFD_GETFD = 438  # the number of the system's call, which no library wraps
_libc = ctypes.CDLL(None, use_errno=True)


class DeviceExchange:
    """What ``reference`` shares with candidates on its GPU; to be closed."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._files: tuple[int, ...] = ()
        self._sizes: list[int] = []
        self._generation = 0  # of the memory
        self._holders: WeakKeyDictionary[Worker, int] = WeakKeyDictionary()  # which they hold
        self._names = count()

    def close(self) -> None:
        """Close what it holds of the memory, which is gone with its holders."""
        files, self._files = self._files, ()
        for file in files:
            os.close(file)

    def fit(self, inputs: Inputs, outputs: Outputs) -> None:
        """See that there is memory for the inputs and outputs of a call."""
        largest = max(one["end"] - one["begin"] for one in inputs.described)
        wanted = [largest, outputs.slot + (_PLACES - 1) * _STEP]
        if not self._files or any(a > b for a, b in zip(wanted, self._sizes, strict=True)):
            self._make(wanted)

    def hand(self, worker: Worker, ask: Callable[..., Reply]) -> None:
        """See that a candidate has it; ``ask`` asks that to share what is given by name.

        Raises :class:`~maxcode.errors.ExecutorError` where it takes nothing.
        """
        if self._holders.get(worker) == self._generation:
            return
        try:
            worker.running.send_files(self._files)
        except OSError as error:
            raise ExecutorError(f"its process takes no memory of the GPU: {error}") from error
        ask(make=False, sizes=self._sizes)
        self._holders[worker] = self._generation

    def place(self, call: int) -> None:
        """Bring the inputs of a call there, outside of any clock."""
        self._reference.place(call)

    @contextmanager
    def serving(self, worker: Worker, about: Reply, *, watch: bool) -> Iterator[Sequence[str]]:
        """While the reference serves the calls of a worker; what the feeder is to know of that.

        ``about`` describes the outputs.
        """
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
            with suppress(OSError):  # the feeder ended without telling it
                _write(pipes[0], b"x")
            reference.attended()
            for pipe in pipes:  # what it had told it already, or was not read any more
                _drain(pipe)
            raise
        reference.attended()

    def keep(self) -> str:
        """A name under which the reference keeps the outputs that it fetched last."""
        name = f"answers-{next(self._names)}"
        self._reference.keep(name)
        return name

    def _make(self, sizes: Sequence[int]) -> None:
        self.close()
        worker = self._reference.worker
        self._sizes, numbers = self._reference.share(sizes)
        self._files = tuple(_taken(worker, number) for number in numbers)
        self._generation += 1


def _taken(worker: Worker, number: int) -> int:
    """A descriptor of a worker's, as one of ours: nothing in a sandbox may open a socket."""
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


def _write(pipe: Path, content: bytes) -> None:
    descriptor = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _drain(pipe: Path) -> None:
    descriptor = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        with suppress(BlockingIOError):
            while os.read(descriptor, 1 << 16):
                pass
    finally:
        os.close(descriptor)
