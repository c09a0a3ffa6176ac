"""Worker: a process with torch in a sandbox, which answers requests and is not to be trusted."""

from __future__ import annotations

import json
import math
import secrets
import shutil
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, Self

from maxcode.errors import ExecutorError, ToolError
from maxcode.executors.kernel.exchange import Exchange, SharedFile
from maxcode.executors.kernel.machine import Interpreter, this_interpreter
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.sandbox.running import NoLine
from maxcode.system import ScratchFolder

START = 120.0
"""Seconds that a worker may take to be ready; it takes one or two on a machine that is not busy."""

_INSIDE = Path(__file__).with_name("worker")
_LARGE_PAGES = tuple(filter(Path.exists, [Path("/sys/kernel/mm/transparent_hugepage")]))
_ALLOCATOR = ":".join(  # of glibc, see docs/decisions.md on memory of workers
    (
        "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",  # if _LARGE_PAGES can be read
        "glibc.malloc.mmap_max=0",
        f"glibc.malloc.trim_threshold={1 << 40}",
    )
)
_PARTING = 1.0  # seconds for the system to tell how a worker ended that says nothing any more
_SHOWN = 1000  # characters of what a worker wrote to standard error
_THREADS = 64  # that may be there besides those that compute


@dataclass(frozen=True, slots=True)
class WorkerSetting:
    """How workers are started.

    ``script`` is the path of a Python file that defines ``answer``, see ``worker/serving.py``.
    ``threads`` compute; ``memory`` in bytes, of a worker's resident memory; ``output`` in bytes, of
    every file it writes; ``scratch`` in bytes, of its own folder; ``processors`` to start on, by
    number (empty: any); ``devices`` and files to ``read``; ``python`` to run.
    """

    script: Path
    threads: int = 1
    memory: int = 8 << 30
    output: int = 1 << 30
    scratch: int = 256 << 20
    processors: tuple[int, ...] = ()
    devices: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()
    python: Interpreter = field(default_factory=this_interpreter)


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """What a worker says when it is ready: versions of Python and torch, and of CUDA, if any, that
    torch is built for. No candidate had a say in it.
    """

    python: str
    torch: str
    cuda: str | None


class WorkerError(ExecutorError):
    """A worker gave no answer, and is gone; ``completed`` tells how it ended."""

    def __init__(self, said: str, completed: Completed) -> None:
        super().__init__(said)
        self.completed = completed


class WorkerDiedError(WorkerError):
    """It ended, or gave up talking: crashed, was killed for its memory, or left."""


class WorkerSilentError(WorkerError):
    """It did not answer in time."""


class WorkerBabbleError(WorkerError):
    """It said what is no JSON object, or too much."""


class Worker:
    """A worker, starting from when it is made. As a context it ends.

    ``folder`` is there for files that it is to see, and cannot change; ``outputs``, if any, is what
    it may write. Both are gone with it. Raises what :meth:`Sandbox.start` does.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        setting: WorkerSetting,
        folder: Path,
        outputs: SharedFile | None = None,
    ) -> None:
        self.folder = folder
        self.outputs = outputs
        self.seconds = 0.0
        """What the latest answer took, from when we began to send until all of it was there."""
        self.facts: WorkerFacts | None = None
        """Known when it is ready."""
        self.closed = False
        """Whether it was ended."""
        self._closing = Lock()
        folder.mkdir()
        folder.chmod(0o755)  # a sandbox may read as another user
        try:
            files = _files(setting, folder, outputs)
            self._running = sandbox.start(_command(setting), _limits(setting), files)
        except BaseException:
            self._clean()
            raise

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as is known."""
        return self._running.alive

    @property
    def cpu(self) -> float:
        """Seconds of processor time, user + system, of its processes that still run."""
        return self._running.cpu

    @property
    def waited(self) -> float:
        """Seconds for which its main thread could not run because others did."""
        return self._running.waited

    def pin(self, processors: tuple[int, ...]) -> None:
        """Move it to these processors; see :meth:`Running.pin`."""
        self._running.pin(processors)

    def ready(self, timeout: float = START) -> WorkerFacts:
        """Wait until it is. Raises as ``ask`` does; to be called once, before ``ask``."""
        self.facts = WorkerFacts(**self._hear(timeout)["ready"])
        return self.facts

    def ask(
        self,
        request: Mapping[str, Any],
        timeout: float,
        payload: SharedFile | None = None,
        size: int = 0,
    ) -> dict[str, Any]:
        """Its answer to a request; an object whose content may be anything that JSON can say.

        The first ``size`` bytes of ``payload``, if any, go with the request.

        Raises :class:`WorkerDiedError`, :class:`WorkerSilentError` after ``timeout`` seconds, and
        :class:`WorkerBabbleError`; the worker is gone then.
        """
        token = secrets.token_hex(8)
        line = json.dumps({**request, "token": token}).encode()
        began = time.perf_counter()
        sent = self._running.send(line, timeout)
        if sent and payload:
            left = timeout - (time.perf_counter() - began)
            sent = self._running.send_file(payload.fileno(), size, left)
        if not sent:
            ended = self._running.receive(0) is NoLine.ENDED
            raise self._failure(NoLine.ENDED if ended else NoLine.LATE)
        try:
            told = self._hear(timeout - (time.perf_counter() - began))
        finally:
            self.seconds = time.perf_counter() - began
        if told.pop("token", None) != token:
            raise WorkerBabbleError("a worker answered what it was not asked", self.close())
        return told

    def close(self) -> Completed:
        """End it. Gives how it ended, the same each time; raises what ``Sandbox.run`` does."""
        return self._close(0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close(self, patience: float) -> Completed:
        with self._closing:
            try:
                return self._running.close(patience)
            finally:
                self._clean()

    def _clean(self) -> None:
        self.closed = True
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.outputs:
            self.outputs.remove()

    def _hear(self, timeout: float) -> dict[str, Any]:
        said = self._running.receive(timeout)
        if isinstance(said, NoLine):
            raise self._failure(said)
        try:
            return _parsed(said)
        except (ValueError, RecursionError):
            problem = f"a worker said what is no JSON object: {said[:80]!r}"
            raise WorkerBabbleError(problem, self.close()) from None

    def _failure(self, why: NoLine) -> WorkerError:
        if why is NoLine.TOO_LONG:
            return WorkerBabbleError("a worker said more than it may at once", self.close())
        if why is NoLine.LATE:
            return WorkerSilentError("a worker did not answer in time", self.close())
        completed = self._close(_PARTING)
        complaint = _complaint(completed.stderr.decode("utf-8", "replace"))
        said = f"; it wrote to standard error: {complaint}" if complaint else ""
        return WorkerDiedError(f"a worker {completed.cause}{said}", completed)


def _command(setting: WorkerSetting) -> list[str]:
    given = {
        "packages": [str(path) for path in setting.python.packages],
        "script": str(setting.script),
        "threads": setting.threads,
    }
    python = str(setting.python.executable)
    start = ["/usr/bin/env", _ALLOCATOR, python, "-I", "-S", "-B"]
    return [*start, str(_INSIDE / "main.py"), json.dumps(given)]


def _limits(setting: WorkerSetting) -> Limits:
    return Limits(
        seconds=math.inf,
        memory=setting.memory,
        output=setting.output,
        scratch=setting.scratch,
        processes=_THREADS + 4 * setting.threads,
        files=1024,
        processors=setting.processors,
        address_space=False,
    )


def _files(setting: WorkerSetting, folder: Path, outputs: SharedFile | None) -> Files:
    return Files(
        read=(*setting.python.read, *_LARGE_PAGES, _INSIDE, setting.script, folder, *setting.read),
        write=(outputs.path,) if outputs else (),
        devices=setting.devices,
    )


def _complaint(stderr: str) -> str:
    """What is worth reading: where a crash was, which comes first, or the last words."""
    before, crash, where = stderr.partition("Fatal Python error: ")
    if crash:
        return f"{crash}{where}".partition("\nExtension modules: ")[0][:_SHOWN].strip()
    return before.strip()[-_SHOWN:]


def _parsed(line: bytes) -> dict[str, Any]:
    """What the line says. Raises ValueError or RecursionError when it is no sensible object."""
    said = json.loads(line, parse_constant=_refuse, parse_float=_finite)
    if not isinstance(said, dict):
        raise ValueError("no object")
    if b"\\u" in line:  # half a character, which nobody could print or store
        json.dumps(said, ensure_ascii=False).encode()
    return said


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


class WorkerPool:
    """Keeps workers ready, each to be used for one candidate.

    They are no forks of one process: a candidate could reach its parent there, and so the next
    candidate. ``standing`` of them are started in the background, at once and whenever one is
    taken; one that dies meanwhile is passed over. Safe to use from several threads.
    """

    def __init__(
        self, sandbox: Sandbox, setting: WorkerSetting, exchange: Exchange, standing: int = 2
    ) -> None:
        self._sandbox = sandbox
        self._setting = setting
        self._exchange = exchange
        self._most = standing
        self._folder = ScratchFolder("maxcode-workers-")
        self._threads = ThreadPoolExecutor(max(1, standing), "maxcode-worker")
        self._standing: list[Future[Worker]] = []  # ready, or about to be
        self._workers: set[Worker] = set()  # all that were started and are not closed
        self._numbers = count()
        self._closed = False
        self._lock = Lock()
        self._refill()

    def take(self) -> Worker:
        """A worker that is ready, for the caller to close; the pool's end closes it, too.

        Raises what :class:`Worker` and :meth:`Worker.ready` do when none can be started, and
        :class:`~maxcode.errors.ExecutorError` once the pool is closed.
        """
        coming = self._next()
        self._refill()
        if coming is not None:
            with suppress(ExecutorError, CancelledError):  # perhaps another lives longer
                return coming.result()
        return self._start()

    def close(self) -> None:
        """End all workers, also those that were taken and those that are being started."""
        with self._lock:
            self._closed = True
            workers = list(self._workers)
        with ExitStack() as stack:
            stack.callback(self._folder.remove)
            stack.callback(self._threads.shutdown, cancel_futures=True)
            for worker in workers:
                stack.callback(_end, worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self) -> Future[Worker] | None:
        """The standing worker to take: one that is ready, else one that is about to be."""
        with self._lock:
            self._check()
            ready = [future for future in self._standing if future.done()]
            coming = [future for future in self._standing if not future.done()]
            alive = [future for future in ready if _is_alive(future)]
            self._standing = alive + coming
            return self._standing.pop(0) if self._standing else None

    def _refill(self) -> None:
        with self._lock:
            self._check()
            while len(self._standing) < self._most:
                self._standing.append(self._threads.submit(self._start))

    def _start(self) -> Worker:
        with self._lock:
            self._check()
            folder = Path(self._folder.path, str(next(self._numbers)))
        worker = Worker(self._sandbox, self._setting, folder, self._exchange.outputs())
        with self._lock:
            dead = [old for old in self._workers if not old.alive]
            self._workers = {worker, *self._workers.difference(dead)}
            late = self._closed
        for old in dead:
            _end(old)
        if late:
            worker.close()
        worker.ready()
        return worker

    def _check(self) -> None:
        if self._closed:
            raise ExecutorError("this pool of workers is closed")


def _end(worker: Worker) -> None:
    """End it, or tidy up after one that has ended: nobody cares any more how."""
    with suppress(ExecutorError, ToolError):
        worker.close()


def _is_alive(started: Future[Worker]) -> bool:
    return started.exception() is None and started.result().alive
