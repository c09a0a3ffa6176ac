"""Execution of a comparison: cells in parallel, each a run of a journal found again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import dataclass
from threading import Lock
from time import sleep
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue, ValidationError

from maxcode import interfaces as roles
from maxcode.budget import Budget
from maxcode.comparison.contest import Contest, Failure
from maxcode.comparison.method import (
    RECIPE,
    Cell,
    CriticFor,
    ExecutorFor,
    GeneratorFor,
    Method,
    Plan,
    title,
)
from maxcode.comparison.outcome import Outcome, read_outcome
from maxcode.errors import InputError, WriterError
from maxcode.journal.events import EVENT, RunStarted
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.lease import Lease
from maxcode.journal.store import events
from maxcode.options import Options
from maxcode.search.plugins import Plugins
from maxcode.search.search import Search
from maxcode.task import Task

_FEW = 100  # that a query may name
_PAUSE = 2.0  # seconds until runs of other processes are looked at again


@dataclass(frozen=True)
class _CellPlugins(Plugins):
    """Plug-ins perhaps shared with other runs, so a failed run does not stop them."""

    def stop(self, *, executor: bool = True) -> None:
        """Nothing; :class:`Running` stops them when the whole comparison ends."""

    def stop_for_good(self) -> None:
        """Abort all their work under way."""
        super().stop()


class Running:
    """Runs of a plan, as they come to their end.

    Runs in the journal are not made again, and interrupted runs go on. ``jobs`` runs are under way
    at a time, in threads: they share the lane for timing and wait for one another there, while
    builds, checks and answers of models overlap.
    """

    def __init__(self, plan: Plan, journal: Journal, jobs: int = 1) -> None:
        if jobs < 1:
            raise InputError(f"jobs must be at least 1, not {jobs}")
        self.plan = plan
        self.cells = tuple(plan.cells())
        self._journal = journal
        self._jobs = jobs
        self._seen: set[str] = set()
        self._known: dict[str, list[str]] = {}
        self._looking = Lock()
        self._look()
        self._active: set[_CellPlugins] = set()
        self._lock = Lock()
        self._stopping = False

    @property
    def known(self) -> int:
        """Number of runs in the journal at the beginning, finished or not."""
        return sum(_key(self.plan.recipe(cell)) in self._known for cell in self.cells)

    def finished(self) -> Iterator[Outcome]:
        """Outcomes of the runs in the journal at the beginning that had ended."""
        for cell in self.cells:
            if found := self._found(cell):
                yield found

    def outcomes(self) -> Generator[Outcome | Failure, None, None]:
        """Outcome of each run, in the order in which they end.

        Closing the iterator, or Ctrl-C, ends the runs under way; they can be continued later.
        """
        pool = ThreadPoolExecutor(self._jobs, "maxcode-comparing")
        try:
            cells = list(self.cells)
            while cells:
                futures = {pool.submit(self._try, cell): cell for cell in cells}
                cells = []
                for future in as_completed(futures):
                    if outcome := future.result():
                        yield outcome
                    elif not self._stopping:
                        cells.append(futures[future])
                if cells:  # another process is at these: see later what became of them
                    sleep(_PAUSE)
        finally:
            self._stop()
            pool.shutdown(wait=True, cancel_futures=True)

    def _stop(self) -> None:
        with self._lock:
            self._stopping = True
            active = list(self._active)
        for plugins in active:
            plugins.stop_for_good()

    def _try(self, cell: Cell) -> Outcome | Failure | None:
        """Outcome of a cell; None when it was ended from outside, or another process is at it.

        So two processes sharing a store make each run once, between them.
        """
        try:
            lease = Lease(self._journal.store, _claim(self.plan.recipe(cell)))
            try:
                lease.take()
            except WriterError:
                return None
            with lease:
                self._look()
                return self._run(cell)
        except Exception as error:  # noqa: BLE001 - reported, so that the other runs are not lost
            if self._stopping:
                return None
            message = str(error) or type(error).__name__
            return Failure(cell.method.name, cell.task.name, cell.seed, message, error)

    def _run(self, cell: Cell) -> Outcome | None:
        if found := self._found(cell):
            return found
        logs = self._logs(cell)
        with ExitStack() as stack:
            search = self._search(cell, logs[0] if logs else None, stack)
            with closing(search.steps()) as steps:
                for _ in steps:
                    if self._stopping:
                        return None
        return read_outcome(search.state.log, cell.method.name, cell.seed)

    def _look(self) -> None:
        """Find the runs begun since the last look, here or by others."""
        with self._looking:
            new = [run for run in self._journal.run_ids() if run not in self._seen]
            for key, run_ids in _runs_by_recipe(self._journal, new).items():
                self._known[key] = [*run_ids, *self._known.get(key, ())]
            self._seen.update(new)

    def _found(self, cell: Cell) -> Outcome | None:
        """Outcome of a cell's newest completed run."""
        outcomes = (read_outcome(log, cell.method.name, cell.seed) for log in self._logs(cell))
        return next(filter(None, outcomes), None)

    def _logs(self, cell: Cell) -> list[RunLog]:
        """Known runs of a cell, the newest first."""
        run_ids = self._known.get(_key(self.plan.recipe(cell)), ())
        return [RunLog(self._journal.store, run_id) for run_id in run_ids]

    def _search(self, cell: Cell, log: RunLog | None, stack: ExitStack) -> Search:
        """Search of a cell, new or continued; its plug-ins are closed with the stack."""
        plugins = self._plugins(cell, stack)
        search = Search(
            cell.task,
            **vars(plugins),
            policy=cell.method.policy,
            budget=self.plan.budget,
            journal=log or self._journal,
            options=self.plan.options_of(cell),
        )
        search.plugins = plugins
        with self._lock:
            if self._stopping:
                raise InterruptedError
            self._active.add(plugins)
        stack.callback(self._active.discard, plugins)
        return search

    def _plugins(self, cell: Cell, stack: ExitStack) -> _CellPlugins:
        method, task = cell.method, cell.task

        def make(plugin: Any, kind: type) -> Any:
            if plugin is None or isinstance(plugin, kind):
                return plugin
            found = plugin(task)
            if isinstance(found, AbstractContextManager):
                found = stack.enter_context(found)
            if not isinstance(found, kind):
                raise InputError(f"{title(plugin)} made {found!r}, which is no {kind.__name__}")
            return found

        return _CellPlugins(
            make(method.generator, roles.Generator),
            make(self.plan.executor, roles.Executor),
            make(method.critic, roles.Critic),
            make(method.reward_to_go, roles.RewardToGo),
        )


def compare(
    methods: Sequence[Method],
    tasks: Sequence[Task],
    *,
    generator: GeneratorFor | None = None,
    executor: ExecutorFor,
    critic: CriticFor | None = None,
    budget: Budget,
    seeds: int | Sequence[int] = 8,
    journal: Journal | str | None = None,
    jobs: int = 1,
    options: Options | None = None,
) -> Contest:
    """Let methods compete: each searches each task with each seed, at the same budget.

    Best-of-N is added unless it is among them. ``generator``, ``executor`` and ``critic`` are
    instances, which all runs share, or functions making them for a task, closed again if they can
    be. A number of ``seeds`` stands for 0, 1, 2 and so on. ``journal`` is open, the name of a
    store, or None for memory: the same call with the same store makes only the missing runs. Failed
    runs are in :attr:`Contest.failures`. Ctrl-C ends all runs, and gives the results so far. Raises
    :class:`~maxcode.errors.InputError` before anything runs.
    """
    plan = Plan.fair(
        methods,
        tasks,
        generator=generator,
        executor=executor,
        critic=critic,
        seeds=seeds,
        budget=budget,
        options=options,
    )
    store = journal if isinstance(journal, Journal) else Journal.open(journal or ":memory:")
    try:
        running = Running(plan, store, jobs)
        found: list[Outcome | Failure] = []
        with suppress(KeyboardInterrupt), closing(running.outcomes()) as outcomes:
            found.extend(outcomes)
    finally:
        if store is not journal:
            store.close()
    return Contest.of(plan, found)


def _runs_by_recipe(journal: Journal, run_ids: Sequence[str]) -> dict[str, list[str]]:
    """Runs made by comparisons among these, by recipe, in the order given."""
    query = sa.select(events.c.run, events.c.body).where(
        events.c.seq == 0, events.c.body.contains(f'"{RECIPE}"')
    )
    if len(run_ids) <= _FEW:
        query = query.where(events.c.run.in_(run_ids))
    with journal.store.transaction() as connection:
        bodies = {row.run: row.body for row in connection.execute(query)}
    found: dict[str, list[str]] = {}
    for run_id in run_ids:
        try:
            started = EVENT.validate_json(bodies.get(run_id, ""))
        except ValidationError:  # another kind of run, or one that is damaged
            continue
        recipe = started.options.recipe.get(RECIPE) if isinstance(started, RunStarted) else None
        if isinstance(recipe, dict):
            found.setdefault(_key(recipe), []).append(run_id)
    return found


def _claim(recipe: Mapping[str, JsonValue]) -> str:
    """Name of the lease on the run of a recipe, before there is a run."""
    return f"cell-{hashlib.sha256(_key(recipe).encode()).hexdigest()[:48]}"


def _key(recipe: Mapping[str, JsonValue]) -> str:
    return json.dumps(recipe, sort_keys=True)
