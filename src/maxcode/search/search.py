"""The loop: ask, observe, propose, rerank, evaluate, commit, confirm."""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from importlib.metadata import version
from time import monotonic
from typing import Any, Literal

from maxcode import system
from maxcode.budget import Budget, Ledger
from maxcode.errors import InputError, JournalError, TaskError
from maxcode.interfaces import Critic, Executor, Generator, RewardToGo, SearchPolicy
from maxcode.journal.events import BaselineMeasured, Ending, RunStarted, SessionStarted, Stopped
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import Observer, Recorder, RunState
from maxcode.options import MINIMISE, Options
from maxcode.redaction import SECRETS
from maxcode.search.plugins import Plugins, Workers, error_context
from maxcode.search.result import Result
from maxcode.search.session import Session
from maxcode.task import Task
from maxcode.tree import Step


class Search:
    """A search for a faster program, new or continued.

    The five roles and ``options`` determine the search, ``budget`` limits it: without a budget only
    the policy ends it. ``observers`` are called after each event. Iterate over :meth:`steps`, or
    call :meth:`run`; either works once.

    ``journal`` is an open :class:`~maxcode.Journal`, the name of a store, or None for a store in
    memory: the search is a new run there. Or it is a run, ``journal.run(id)`` or its state, which
    goes on with its own options, but for ``threads``, ``trainer`` and changes of its ``recipe``,
    and with its own budget unless another is given.

    Raises :class:`~maxcode.errors.TaskError` when the task is not the run's; :meth:`steps` raises
    :class:`~maxcode.errors.WriterError` when another process is still at it.
    """

    def __init__(
        self,
        task: Task,
        *,
        generator: Generator,
        executor: Executor,
        policy: SearchPolicy,
        critic: Critic | None = None,
        reward_to_go: RewardToGo | None = None,
        budget: Budget | None = None,
        journal: Journal | RunLog | RunState | str | None = None,
        options: Options | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.task = task
        self.policy = policy
        self.plugins = Plugins(generator, executor, critic, reward_to_go)
        self.options = options or Options()
        self._changes: dict[str, Any] = {}
        if isinstance(journal, RunLog | RunState):
            state = _resumable(journal, task)
            self._record = Recorder(state.log, state, observers)
            self._continue(budget)
        else:
            store = journal if isinstance(journal, Journal) else Journal.open(journal or ":memory:")
            log = store.create_run(task.name)
            self._record = Recorder(log, RunState(log), observers)
            self.budget = budget or Budget()
            if self.options.in_flight is None:
                chosen = policy.in_flight(self.options.threads)
                if self.budget.evaluations is not None:
                    chosen = min(chosen, self.budget.evaluations)
                self.options = replace(self.options, in_flight=max(1, chosen))

    @property
    def run_id(self) -> str:
        """The id under which the journal keeps this run."""
        return self.state.log.run_id

    @property
    def state(self) -> RunState:
        """Everything known about the run so far."""
        return self._record.state

    def run(self) -> Result:
        """Search until the policy or the budget ends it, or Ctrl-C; the best found is confirmed.

        An interrupted search gives its result so far; all finished work is in the journal.
        """
        try:
            for _ in self.steps():
                pass
        except KeyboardInterrupt:
            if not self.state.has_tree:
                raise
        return Result.of(self.state)

    def steps(self) -> abc.Generator[Step, None, None]:
        """Steps of :meth:`run` in turn, each after it was committed and, if due, confirmed.

        Closing the generator interrupts the search.
        """
        return self._work(lambda session: session.steps())

    def reduce(self, share: float = MINIMISE) -> Result:
        """Search no further, but reduce the best program of a continued run.

        See ``Options.minimise`` for its meaning and for ``share``. Findings of an earlier reduction
        are used again.
        """
        ended = self.state.stopped.ending if self.state.stopped else Ending()

        def work(session: Session) -> Iterator[Step]:
            session.ending = ended
            return session.finish(share, again=True)

        with suppress(KeyboardInterrupt):
            for _ in self._work(work):
                pass
        return Result.of(self.state)

    def _work(self, work: Callable[[Session], Iterator[Step]]) -> abc.Generator[Step, None, None]:
        """One session, from its first event to its last."""
        with ExitStack() as stack:
            self._take_lease(stack)
            before, workers = self.state.last_event, Workers(self.options)
            status: Literal["done", "interrupted", "failed"] = "failed"
            ending = Ending()
            self.state.log.hurried.clear()
            try:
                self._begin()
                if before < 0:
                    self._take_lease(stack)
                session = self._session(workers)
                yield from work(session)
                status, ending = "done", session.ending
            except (KeyboardInterrupt, GeneratorExit):
                status, ending = "interrupted", Ending("interrupted")
                self.state.log.hurried.set()
                raise
            except Exception as error:
                ending = Ending(SECRETS.redact(f"{type(error).__name__}: {error}"))
                raise
            finally:
                try:
                    if status != "done":
                        workers.stop()
                        self.plugins.stop()
                finally:
                    workers.close()
                    if self.state.last_event > before:
                        self._record(Stopped(status=status, **ending._asdict()), sync=True)

    def _take_lease(self, stack: ExitStack) -> None:
        """Keep everybody else from the run. A new run has a lease from its first event on."""
        log = self.state.log
        if self.state.last_event >= 0:
            lease = log.lease()
            lease.take()
            stack.enter_context(lease)
            for recorded in log.events(self.state.last_event):  # written while it was waited for
                self.state.apply(recorded)
            log.continue_after(self.state.last_event)

    def _session(self, workers: Workers) -> Session:
        ledger = Ledger(self.budget, self.state.account.settled + self.state.work.paid)
        return Session(
            self.task, self.plugins, self.policy, self.options, self._record, ledger, workers
        )

    def _begin(self) -> None:
        """Prepare the executor, then write the session's beginning.

        In this order and in one transaction: a task that cannot be judged leaves no run behind.
        """
        started = monotonic()
        with error_context("executor", "the baseline"):
            baseline = self.plugins.executor.prepare(self.task)
        session = SessionStarted(
            process=system.identity(),
            budget=self.budget,
            prepared=monotonic() - started,
            recipe=self._changes,
        )
        if self.state.has_tree:
            self._record(session)
            self._take_in_spooled()
            self._record(*self.state.unanswered)
        else:
            first = RunStarted(
                task=self.task.name,
                task_digest=self.task.digest,
                statement=self.task.statement,
                language=self.task.language,
                baseline=self.task.baseline.digest,
                options=replace(
                    self.options,
                    observe=self.options.observe or self.policy.observe,
                    trainer=None,
                ),
                budget=self.budget,
                plugins={**self.plugins.describe(), "policy": type(self.policy).__name__},
                version=version("maxcode"),
            )
            measured = BaselineMeasured(baseline=baseline)
            self._record(first, session, measured, named=[self.task.baseline])

    def _take_in_spooled(self) -> None:
        """Store the answers an earlier session had paid for and could not store."""
        spool = self.state.log.spool()
        for event, texts in spool.answers():
            opened = self.state.work.expansions.get(event.number)
            key = (event.role, event.step, event.call.request, event.call.sample)
            if opened is not None and key not in opened.answers:
                self._record(event, texts=texts, sync=True)
        spool.remove()

    def _continue(self, budget: Budget | None) -> None:
        started = self.state.started
        if started is None:
            raise JournalError(f"run {self.run_id} has no beginning; start a new one")
        self.budget = budget or self.state.budget
        self._changes = self.options.recipe
        if self.state.trained and self.options.trainer is None:
            raise InputError(
                f"run {self.run_id} trained its generator: go on with the trainer of its weights, "
                "in Options(trainer=...)"
            )
        own = {name: getattr(self.options, name) for name in ("threads", "trainer")}
        self.options = replace(started.options, **own)


def optimize(
    task: Task,
    *,
    generator: Generator,
    executor: Executor,
    policy: SearchPolicy,
    critic: Critic | None = None,
    reward_to_go: RewardToGo | None = None,
    budget: Budget | None = None,
    journal: Journal | str | None = None,
    options: Options | None = None,
    observers: Sequence[Observer] = (),
) -> Result:
    """Search for a faster program: a new :class:`Search` of the same arguments, run to its end.

    Ctrl-C ends it early, with the result up to then. Faults that keep a plug-in from its work are
    raised, as a :class:`~maxcode.errors.MaxcodeError`.
    """
    search = Search(
        task,
        generator=generator,
        executor=executor,
        policy=policy,
        critic=critic,
        reward_to_go=reward_to_go,
        budget=budget,
        journal=journal,
        options=options,
        observers=observers,
    )
    return search.run()


def _resumable(run: RunLog | RunState, task: Task) -> RunState:
    state = RunState.load(run) if isinstance(run, RunLog) else run
    log = state.log
    if state.started and state.started.task_digest != task.digest:
        raise TaskError(
            f"run {log.run_id} belongs to another version of task {task.name!r}: its statement, "
            "program or tests have changed since; start a new run"
        )
    return state
