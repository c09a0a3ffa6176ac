"""Worker: an untrusted process with torch in a sandbox that answers requests; pools of them.

worker/messages.py defines the messages, worker/main.py is the other side.
"""

from __future__ import annotations

import math
import os
import secrets
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, Self

from maxcode.errors import ExecutorError, ToolError
from maxcode.evaluation import Status
from maxcode.executors.kernel.answers import MessageError, decode
from maxcode.executors.kernel.machine import Gpu, Interpreter, this_interpreter
from maxcode.executors.kernel.shared_file import SharedFile
from maxcode.executors.kernel.sysfs import copy_facts
from maxcode.executors.kernel.worker import messages as m
from maxcode.sandbox.base import Completed, Files, Limits, Mount, Sandbox
from maxcode.sandbox.running import NoLine
from maxcode.system import ScratchFolder

WORKER_FOLDER = Path(__file__).with_name("worker")
"""Code of workers."""
CANDIDATE = "maxcode.executors.kernel.worker.candidate"
REFERENCE = "maxcode.executors.kernel.worker.reference"
"""Modules that answer a worker's requests."""

_START = 120.0  # seconds that a worker may take to be ready; on an idle machine it takes 1 or 2
_ALLOCATOR = ":".join(  # of glibc, see docs/decisions.md on memory of workers
    (
        "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",  # if /sys says that there are large pages
        "glibc.malloc.mmap_max=0",
        f"glibc.malloc.trim_threshold={1 << 40}",
    )
)
_EXIT = 1.0  # seconds for the system to report how a worker ended that sends nothing any more
_MAX_STDERR = 1000  # characters shown of what a worker wrote to standard error
_SCRATCH = 256 << 20  # bytes of a worker's own folder
_CLOSED = "this pool of workers is closed"
_MAX_THREADS = 64  # besides those that compute

READY = type(None)
"""Type of the answer of a worker that is ready."""


@dataclass(frozen=True, slots=True)
class WorkerSetting:
    """How workers are started.

    ``module`` is the name of the Python module whose ``work`` answers requests. ``threads``
    compute, or the ``gpu``; ``memory`` in bytes, of a worker's resident memory; ``output`` in
    bytes, of every file it writes; numbers of ``processors`` to start on (empty: any); files to
    ``read``; ``python`` to run.
    """

    module: str
    gpu: Gpu | None = None
    threads: int = 1
    memory: int = 8 << 30
    output: int = 1 << 30
    processors: tuple[int, ...] = ()
    read: tuple[Path, ...] = ()
    python: Interpreter = field(default_factory=this_interpreter)

    def command(self, outputs: Path, folder: Path) -> list[str]:
        """Command to start a worker with this file to write, and this folder of pipes."""
        given = m.Start(
            tuple(map(str, self.python.packages)),
            self.module,
            self.threads,
            "cuda" if self.gpu else "cpu",
            outputs=str(outputs),
            pipes=str(folder),
        )
        part = [f"CUDA_VISIBLE_DEVICES={self.gpu.part}"] if self.gpu and self.gpu.part else []
        start = ["/usr/bin/env", _ALLOCATOR, *part, str(self.python.executable)]
        about = m.pack(given).decode()
        return [*start, "-I", "-S", "-B", str(WORKER_FOLDER / "main.py"), about]

    def limits(self) -> Limits:
        """Resource limits of a worker."""
        return Limits(
            seconds=math.inf,
            memory=self.memory,
            output=self.output,
            scratch=_SCRATCH,
            processes=_MAX_THREADS + 4 * self.threads,
            files=1024,
            processors=self.processors,
            address_space=False,
        )


class WorkerError(ExecutorError):
    """A worker gave no answer in time or in form, and was ended; with a candidate's status."""

    def __init__(self, message: str, completed: Completed, status: Status) -> None:
        super().__init__(message)
        self.status = Status.OUT_OF_MEMORY if completed.out_of_memory else status


class Worker:
    """A worker, started on construction. As a context it ends.

    ``folder`` is for files it may read but not change; ``outputs`` is the file in the folder
    ``memory`` that it may write; both are removed with it. ``running`` is its program in the
    sandbox. Raises as :meth:`Sandbox.start` does.
    """

    def __init__(
        self, sandbox: Sandbox, setting: WorkerSetting, folder: Path, memory: Path
    ) -> None:
        self.folder = folder
        self.outputs = SharedFile(memory / f"outputs-{folder.name}")
        self.closed = False
        """Whether it was ended."""
        self._closing = Lock()
        folder.mkdir()
        folder.chmod(0o755)  # a sandbox may read as another user
        self._token = ""
        try:
            for name in ("go", "done"):  # through which its calls are asked for, see feeder.cpp
                os.mkfifo(folder / name)
                (folder / name).chmod(0o666)
            read = (*setting.python.read, WORKER_FOLDER, folder, *setting.read)
            devices = setting.gpu.files if setting.gpu else ()
            files = Files(read=read, write=(self.outputs.path,), devices=devices)
            if sandbox.isolated:
                copy_facts(folder / "sys")
                files = replace(files, mounts=(Mount(folder / "sys", Path("/sys")),))
            self.running = sandbox.start(
                setting.command(self.outputs.path, folder), setting.limits(), files
            )
        except BaseException:
            self._clean()
            raise

    def ready(self) -> None:
        """Wait until it is ready. Raises as ``ask`` does; to be called once, before ``ask``."""
        self.answer(READY, _START)

    def ask(
        self,
        name: str,
        given: Sequence[Any],
        kind: Any,
        timeout: float,
        payload: int = -1,
        size: int = 0,
    ) -> Any:
        """Its answer of this type to a request, a :class:`Build` instead, or a :class:`Failure`.

        ``name`` and ``given`` are a method of its work and the arguments. With the request go
        ``size`` bytes of the file with the descriptor ``payload``. Raises :class:`WorkerError`,
        also after ``timeout`` seconds; the worker is gone then.
        """
        self._token = secrets.token_hex(8)
        began = time.perf_counter()
        sent = self.running.send(m.pack((self._token, name, given)), timeout)
        if sent and size:
            left = timeout - (time.perf_counter() - began)
            sent = self.running.send_file(payload, size, left)
        if not sent:
            ended = self.running.receive(0) is NoLine.ENDED
            raise self._failure(NoLine.ENDED if ended else NoLine.LATE)
        return self.answer(kind, timeout - (time.perf_counter() - began))

    def answer(self, kind: Any, timeout: float) -> Any:
        """A further answer to the latest request; raises as :meth:`ask` does."""
        line = self.running.receive(timeout)
        if isinstance(line, NoLine):
            raise self._failure(line)
        try:
            return decode(line, self._token, kind)
        except MessageError as error:
            problem = f"a worker's answer is refused: {error}"
            raise WorkerError(problem, self.close(), Status.SUSPECT) from None

    def close(self, patience: float = 0.0) -> Completed:
        """End it, after ``patience`` seconds to end by itself. Raises as ``Sandbox.run`` does."""
        with self._closing:
            try:
                return self.running.close(patience)
            finally:
                self._clean()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _clean(self) -> None:
        self.closed = True
        shutil.rmtree(self.folder, ignore_errors=True)
        self.outputs.remove()

    def _failure(self, why: NoLine) -> WorkerError:
        if why is NoLine.TOO_LONG:
            problem = "a worker said more than it may at once"
            return WorkerError(problem, self.close(), Status.SUSPECT)
        if why is NoLine.LATE:
            return WorkerError("a worker did not answer in time", self.close(), Status.TIMEOUT)
        completed = self.close(_EXIT)
        complaint = _complaint(completed.stderr.decode("utf-8", "replace"))
        wrote = f"; it wrote to standard error: {complaint}" if complaint else ""
        problem = f"a worker {completed.cause}{wrote}"
        return WorkerError(problem, completed, Status.RUNTIME_ERROR)


def _complaint(stderr: str) -> str:
    """The relevant part of standard error: the place of a crash, which comes first, or the end."""
    before, crash, where = stderr.partition("Fatal Python error: ")
    if crash:
        return f"{crash}{where}".partition("\nExtension modules: ")[0][:_MAX_STDERR].strip()
    return before.strip()[-_MAX_STDERR:]


class WorkerPool:
    """Keeps workers ready, each to be used for a single candidate.

    They are not forks of a common parent: a candidate could reach its parent, and through it the
    next candidate. ``standing`` of them are started in the background, at once and whenever one is
    taken. Safe to use from several threads.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        setting: WorkerSetting,
        memory: Path,
        *,
        standing: int = 2,
    ) -> None:
        self._sandbox = sandbox
        self._setting = setting
        self._memory = memory
        self._target = standing
        self._folder = ScratchFolder("maxcode-workers-")
        self._threads = ThreadPoolExecutor(max(1, standing), "maxcode-worker")
        self._standing: list[Future[Worker]] = []
        self._workers: list[Worker] = []  # all that were started and are not closed
        self._numbers = count()
        self._closed = False
        self._lock = Lock()
        with self._lock:
            self._refill(standing)

    def take(self) -> Worker:
        """A ready worker, for the caller to close; closing the pool closes it, too.

        Raises as :class:`Worker` and :meth:`Worker.ready` do if none can be started, and
        :class:`~maxcode.errors.ExecutorError` once the pool is closed.
        """
        with self._lock:
            self._check_open()
            self._standing = [one for one in self._standing if _usable(one)]
            self._refill(1)
            first = self._standing.pop(0)
            self._refill(self._target)
        try:
            return first.result()
        except CancelledError:
            raise ExecutorError(_CLOSED) from None

    def close(self) -> None:
        """End all workers, including taken and starting ones."""
        with self._lock:
            self._closed = True
            workers = [*self._workers]
        with ExitStack() as stack:
            stack.callback(self._folder.remove)
            stack.callback(self._threads.shutdown, cancel_futures=True)
            for worker in workers:
                stack.callback(_end, worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refill(self, number: int) -> None:
        while len(self._standing) < number:
            self._standing.append(self._threads.submit(self._start))

    def _start(self) -> Worker:
        with self._lock:
            self._check_open()
            folder = Path(self._folder.path, str(next(self._numbers)))
        worker = Worker(self._sandbox, self._setting, folder, self._memory)
        with self._lock:
            self._workers = [worker, *(old for old in self._workers if not old.closed)]
            late = self._closed
        if late:
            worker.close()
        worker.ready()
        return worker

    def _check_open(self) -> None:
        if self._closed:
            raise ExecutorError(_CLOSED)


def _usable(one: Future[Worker]) -> bool:
    """Whether a worker lives, or is about to."""
    return not one.done() or (one.exception() is None and one.result().running.alive)


def _end(worker: Worker) -> None:
    """End a worker, or clean up after its end."""
    with suppress(ExecutorError, ToolError):
        worker.close()
