"""DeviceExchange: memory of a GPU through which inputs and outputs go between two workers.

The reference's process makes it, and keeps all inputs and outputs besides: a candidate sees the
inputs of one call, and only when that call's clock is about to run. This process hands descriptors
of the memory from one worker to the other, and never touches a GPU.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Thread
from weakref import WeakKeyDictionary

from maxcode.errors import ExecutorError
from maxcode.executors.kernel.reference import Inputs, Outputs, Reference, Reply
from maxcode.executors.kernel.workers import Worker

_PLACES = 3  # for the outputs of a call, of which one is chosen when it is done; as in feeder.cpp
_HANDING = 30.0  # seconds for a worker to come for memory


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
        wanted = [largest, *[outputs.slot] * _PLACES]
        if not self._files or any(a > b for a, b in zip(wanted, self._sizes, strict=True)):
            self._make(wanted)

    def hand(self, worker: Worker, ask: Callable[..., Reply]) -> None:
        """See that a candidate has it; ``ask`` asks that to share what is given by name."""
        if self._holders.get(worker) == self._generation:
            return
        with self._handing(worker, self._send):
            ask(sizes=self._sizes, make=False)
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
        self._sizes = [*sizes]
        with self._handing(worker, self._receive):
            self._sizes = self._reference.share(self._sizes)
        if len(self._files) != len(sizes):
            raise ExecutorError("the reference's process shares no memory of the GPU")
        self._generation += 1

    def _receive(self, channel: socket.socket) -> None:
        _, files, _, _ = socket.recv_fds(channel, 1, 1 + _PLACES)
        self._files = tuple(files)

    def _send(self, channel: socket.socket) -> None:
        socket.send_fds(channel, [b"m"], self._files)

    @contextmanager
    def _handing(self, worker: Worker, hand: Callable[[socket.socket], None]) -> Iterator[None]:
        """Listens for a worker, which connects when it is asked to share."""
        path = worker.folder / "memory"
        with closing(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) as listener:
            listener.bind(str(path))
            path.chmod(0o666)  # a sandbox may connect as another user
            listener.listen(1)
            listener.settimeout(_HANDING)

            def accept() -> None:
                with suppress(OSError):  # it never came: its own answer says why
                    channel, _ = listener.accept()
                    with closing(channel):
                        hand(channel)

            thread = Thread(target=accept, name="maxcode-handing")
            thread.start()
            try:
                yield
            except BaseException:
                with suppress(OSError):
                    listener.shutdown(socket.SHUT_RDWR)
                raise
            finally:
                thread.join()
                path.unlink(missing_ok=True)


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
