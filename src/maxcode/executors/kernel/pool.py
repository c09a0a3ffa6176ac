"""WorkerPool: workers that stand ready, so that no candidate waits for torch to be imported."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Self

from maxcode.errors import ExecutorError, ToolError
from maxcode.executors.kernel.exchange import Exchange
from maxcode.executors.kernel.workers import Worker, WorkerSetting
from maxcode.sandbox.base import Sandbox
from maxcode.userfolders import ScratchFolder


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
