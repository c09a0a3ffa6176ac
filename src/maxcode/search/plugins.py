"""The plug-ins of a search, the threads they run in, and checks of their errors and costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from threading import Event, Semaphore
from typing import TypeVar

from maxcode.errors import ExecutorError
from maxcode.evaluation import Evaluation, Status
from maxcode.interfaces import Critic, Executor, Generator, Incumbent, RewardToGo
from maxcode.options import Options
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import ROOT, SearchTree


@dataclass(frozen=True)
class Plugins:
    """Plug-ins of a search, by role."""

    generator: Generator
    executor: Executor
    critic: Critic | None = None
    reward_to_go: RewardToGo | None = None

    def stop(self, *, executor: bool = True) -> None:
        """Let all give up their work under way, but for the executor on request."""
        others = self.generator, self.critic, self.reward_to_go
        for plugin in (*others, self.executor if executor else None):
            if plugin is not None:
                plugin.stop()

    def describe(self) -> dict[str, str]:
        """Class names by role, for the journal."""
        return {
            role: type(plugin).__name__ for role, plugin in vars(self).items() if plugin is not None
        }


@contextmanager
def error_context(role: str, where: str) -> Iterator[None]:
    """Note on an exception which plug-in raised it, and where."""
    try:
        yield
    except Exception as error:
        error.add_note(f"raised by the {role} in {where}")
        raise


_T = TypeVar("_T")


RETRIES = 2
"""How often an executor is asked again when the harness failed."""


def patiently(where: str, work: Callable[[], _T]) -> _T:
    """Result of an executor, which is asked again when the harness fails."""
    with error_context("executor", where):
        for _ in range(RETRIES):
            with suppress(ExecutorError):
                return work()
        return work()


def verdicts(
    executor: Executor, task: Task, program: Program, tree: SearchTree, deadline: float = inf
) -> list[Evaluation]:
    """Verdicts on a program up to the first that is no failure of the harness."""
    found: list[Evaluation] = []
    while len(found) <= RETRIES and time.monotonic() < deadline:
        best = incumbent(tree)
        found.append(executor.evaluate(task, program, against=best, deadline=deadline))
        if found[-1].status is not Status.INFRASTRUCTURE:
            break
    return found


def incumbent(tree: SearchTree) -> Incumbent | None:
    """Best step for candidates to be timed against; None while it is the baseline.

    Its speedup is the search's own estimate, so that scores are on one scale.
    """
    best = tree.best
    if best.id == ROOT:
        return None
    taken = best.evaluation.measurements
    return Incumbent(best.program, tree.best_speedup, taken[0].median if taken else None)


_NOTES = 32  # at a time


class Workers:
    """A pool of threads for each kind of work that another kind waits for."""

    def __init__(self, options: Options) -> None:
        threads = options.threads
        self.expansions = ThreadPoolExecutor(options.in_flight or 1, "maxcode-expansion")
        self.notes = ThreadPoolExecutor(max(threads, _NOTES), "maxcode-notes")
        self.evaluations = ThreadPoolExecutor(threads, "maxcode-evaluation")
        self.profiling = Semaphore(threads)  # more notes at a time, for critics wait on networks
        self._stopped = Event()

    def stop(self) -> None:
        """Let no further paid work begin."""
        self._stopped.set()

    def check(self) -> None:
        """Raise ``CancelledError`` after :meth:`stop`."""
        if self._stopped.is_set():
            raise CancelledError

    def close(self) -> None:
        """Drop all work not yet begun and wait for the rest."""
        pools = (self.evaluations, self.notes, self.expansions)
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in pools:
            pool.shutdown(wait=True)
