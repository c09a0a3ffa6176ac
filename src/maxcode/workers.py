"""Workers: the threads of a search."""

from __future__ import annotations

from concurrent.futures import CancelledError, ThreadPoolExecutor
from threading import Event, Semaphore

_NOTES = 32  # at a time


class Workers:
    """A pool of threads for each kind of work that another kind waits for."""

    def __init__(self, threads: int, in_flight: int) -> None:
        self.expansions = ThreadPoolExecutor(in_flight, "maxcode-expansion")
        self.notes = ThreadPoolExecutor(max(threads, _NOTES), "maxcode-notes")
        self.evaluations = ThreadPoolExecutor(threads, "maxcode-evaluation")
        self.profiling = Semaphore(threads)  # more notes at a time, for critics wait on networks
        self._stopped = Event()

    def stop(self) -> None:
        """Let nothing begin any more that would be paid for."""
        self._stopped.set()

    def check(self) -> None:
        """Raise ``CancelledError`` after :meth:`stop`."""
        if self._stopped.is_set():
            raise CancelledError

    def close(self) -> None:
        """Drop what has not begun and wait for what has."""
        pools = (self.evaluations, self.notes, self.expansions)
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in pools:
            pool.shutdown(wait=True)
