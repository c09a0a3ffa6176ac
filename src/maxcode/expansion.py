"""One expansion's way: feedback, proposals, ranking, evaluation.

Whatever the journal already holds of it is not done again, so resuming an expansion is running it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite
from threading import Event, Lock, Semaphore

from maxcode.cost import FREE, Cost
from maxcode.errors import CriticError, GeneratorError, PluginError, RewardToGoError
from maxcode.evaluation import Status
from maxcode.events import Critiqued, Evaluated, Profiled, ProposalRecord, Proposed, Ranked, Role
from maxcode.interfaces import Critic, Executor, Generator, Proposal, RewardToGo
from maxcode.observation import Notes, Observation
from maxcode.open_expansion import OpenExpansion
from maxcode.options import Options
from maxcode.recorder import Recorder
from maxcode.returns import enforce_value
from maxcode.task import Task
from maxcode.transcript import RunTranscript
from maxcode.tree import Step, Trajectory, Value

_NOTES = 32  # at a time


@dataclass(frozen=True)
class Plugins:
    """Who plays which role in a search."""

    generator: Generator
    executor: Executor
    critic: Critic | None = None
    reward_to_go: RewardToGo | None = None

    def stop(self) -> None:
        """Let all give up what is under way."""
        for plugin in (self.generator, self.critic, self.executor):
            if plugin is not None:
                plugin.stop()

    def describe(self) -> dict[str, str]:
        """Class names by role, for the journal."""
        return {
            role: type(plugin).__name__ for role, plugin in vars(self).items() if plugin is not None
        }


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


@dataclass(frozen=True)
class Errand:
    """An expansion under way, with what was frozen when the budget granted it."""

    open: OpenExpansion
    observation: Observation
    path: Trajectory
    ceiling: Cost
    notes: dict[int, Future[Notes]]

    @property
    def number(self) -> int:
        """The expansion's number."""
        return self.open.number


class Expander:
    """Takes expansions to where they can be committed, several at a time."""

    def __init__(
        self, task: Task, plugins: Plugins, record: Recorder, workers: Workers, options: Options
    ) -> None:
        self._task = task
        self._plugins = plugins
        self._record = record
        self._state = record.state
        self._workers = workers
        self._retries = options.retries
        self._cache = options.cache
        self._notes: dict[int, Future[Notes]] = {}  # made once a step, by whoever shows it first
        self._running: dict[str, Future[None]] = {}  # evaluations under way, by digest
        self._lock = Lock()

    def unnoted(self, observation: Observation, *, critique: bool, profile: bool) -> list[Step]:
        """Steps that will be shown and still lack the critique or profile they are shown with."""
        shown = observation.shown if critique else (observation.step,) if profile else ()
        lacking = {
            _subject(step): step for step in shown if step.critique is None and step.profile is None
        }
        return [step for subject, step in lacking.items() if subject not in self._notes]

    def start(self, errand: Errand, to_note: list[Step]) -> Future[None]:
        """Set an expansion going. Called in the order of numbers, so notes fall to the first.

        A critic is shown the notes that expansions before this one made, finished or not: those
        are the ones it would find in the tree after an interruption.
        """
        shown = errand.observation.shown
        earlier = {s.id: self._notes[_subject(s)] for s in shown if _subject(s) in self._notes}
        for step in to_note:
            note = self._workers.notes.submit(self._note, errand, step, earlier)
            self._notes[_subject(step)] = note
        errand.notes.update(
            {s.id: self._notes[_subject(s)] for s in shown if _subject(s) in self._notes}
        )
        return self._workers.expansions.submit(self._run, errand)

    def _run(self, errand: Errand) -> None:
        notes = {step_id: future.result() for step_id, future in errand.notes.items()}
        observation = replace(errand.observation.annotated(notes), awaited=0)
        if errand.open.proposed is None:
            self._propose(errand, observation)
        if errand.open.ranked is None and self._plugins.reward_to_go is not None:
            self._rank(errand, self._plugins.reward_to_go)
        proposals = errand.open.proposed.proposals if errand.open.proposed else ()
        digests = [proposals[index].program for index in errand.open.chosen]
        for future in [self._evaluate(errand, digest) for digest in digests if digest]:
            future.result()

    def _note(self, errand: Errand, step: Step, earlier: Mapping[int, Future[Notes]]) -> Notes:
        """Profile and diagnose a step, unless the journal has it from before an interruption."""
        number, known, subject = errand.number, errand.open, _subject(step)
        if subject in known.profiles:
            profile = known.profiles[subject]
        else:
            profile = None
            if step.evaluation.ok:
                with blame("executor", f"expansion {number}"), self._workers.profiling:
                    profile = self._plugins.executor.profile(self._task, step.program)
            self._record(Profiled(number=number, step=subject, profile=profile))
        critic = self._plugins.critic
        if critic is None or subject in known.critiques:
            return profile, known.critiques.get(subject)
        notes = {step_id: future.result() for step_id, future in earlier.items()}
        observation = errand.observation.annotated({**notes, step.id: (profile, None)})
        step = next(shown for shown in observation.shown if shown.id == step.id)
        transcript = self._transcript(errand, "critic", subject)
        self._workers.check()
        with blame("critic", f"expansion {number}"):
            ceiling = critic.cost_ceiling(errand.observation, step)
            critique = critic.critique(replace(observation, transcript=transcript), step)
        self._record(Critiqued(number=number, step=subject, critique=critique), sync=True)
        with blame("critic", f"expansion {number}"):
            _hold_to(ceiling, critique.cost + transcript.lost, CriticError)
        return profile, critique

    def _propose(self, errand: Errand, observation: Observation) -> None:
        granted = errand.open.granted
        n = granted.propose if granted else 0
        transcript = self._transcript(errand, "generator")
        self._workers.check()
        observation = replace(observation, transcript=transcript)
        started = time.monotonic()
        with blame("generator", f"expansion {errand.number}"):
            proposals = self._plugins.generator.propose(observation, n)
            if len(proposals) > n:
                raise GeneratorError(f"{len(proposals)} proposals came back, {n} were asked for")
        checked = [self._permitted(proposal) for proposal in proposals]
        records = tuple(ProposalRecord.of(proposal) for proposal in checked)
        seconds = time.monotonic() - started
        self._record(
            Proposed(number=errand.number, proposals=records, seconds=seconds),
            named=[proposal.program for proposal in checked if proposal.program],
            texts=[text for proposal in checked for text in (proposal.prompt, proposal.answer)],
            sync=True,
        )
        paid = sum((proposal.cost for proposal in proposals), FREE)
        with blame("generator", f"expansion {errand.number}"):
            _hold_to(errand.ceiling, paid + transcript.lost, GeneratorError)

    def _transcript(self, errand: Errand, role: Role, step: int | None = None) -> RunTranscript:
        return RunTranscript(self._record, errand.open, role, step, reuse=self._cache)

    def _permitted(self, proposal: Proposal) -> Proposal:
        if proposal.program is None:
            return proposal
        forbidden = self._task.forbidden_changes(proposal.program)
        if not forbidden:
            return proposal
        problem = f"these files may not be changed, added or removed: {', '.join(forbidden)}"
        return replace(proposal, program=None, problem=problem)

    def _rank(self, errand: Errand, model: RewardToGo) -> None:
        granted, proposed = errand.open.granted, errand.open.proposed
        if granted is None or proposed is None:
            return
        log = self._state.log
        usable = [i for i, p in enumerate(proposed.proposals) if p.program]
        programs = [log.program(proposed.proposals[i].program or "") for i in usable]
        with blame("reward-to-go model", f"expansion {errand.number}"):
            values = list(model.predict(errand.path, programs))
            if len(values) != len(programs):
                raise RewardToGoError(f"{len(values)} estimates for {len(programs)} programs")
            if not all(isfinite(value.expected) for value in values):
                raise RewardToGoError("an estimate is not a finite number")
        u = errand.path.u
        values = [replace(v, expected=enforce_value(v.expected, u)) for v in values]
        by_index = dict(zip(usable, values, strict=True))
        best_first = sorted(usable, key=lambda index: -by_index[index].expected)
        unusable = [i for i in range(len(proposed.proposals)) if i not in by_index]
        self._record(
            Ranked(
                number=errand.number,
                values=tuple(by_index.get(i, Value(u)) for i in range(len(proposed.proposals))),
                chosen=tuple(sorted([*best_first[: granted.run], *unusable])),  # steps of no cost
            )
        )

    def _evaluate(self, errand: Errand, digest: str) -> Future[None]:
        """Judge a program once, however many expansions propose it at the same time."""
        with self._lock:
            if digest in self._running:
                return self._running[digest]
            if self._state.evaluation(digest):
                done: Future[None] = Future()
                done.set_result(None)
                return done
            future = self._workers.evaluations.submit(self._judge, errand.number, digest)
            self._running[digest] = future
            return future

    def _judge(self, number: int, digest: str) -> None:
        program = self._state.log.program(digest)
        for _ in range(self._retries + 1):
            with blame("executor", f"expansion {number}"):
                evaluation = self._plugins.executor.evaluate(self._task, program)
            if evaluation.status is not Status.INFRASTRUCTURE:
                break
        self._record(Evaluated(number=number, program=digest, evaluation=evaluation))
        with self._lock:
            del self._running[digest]  # from now on the state knows it


def _subject(step: Step) -> int:
    """Whose notes a step is shown with: a duplicate has those of the step it repeats."""
    return step.id if step.duplicate_of is None else step.duplicate_of


def _hold_to(ceiling: Cost, paid: Cost, error: type[PluginError]) -> None:
    """A budget holds only if nothing costs more than was reserved for it."""
    if paid.tokens > ceiling.tokens or paid.dollars > ceiling.dollars * (1 + 1e-9):
        raise error(
            f"cost_ceiling said at most {ceiling.tokens} tokens and {ceiling.dollars:g} dollars, "
            f"the bill is {paid.tokens} tokens and {paid.dollars:g} dollars; the answers are kept"
        )


@contextmanager
def blame(role: str, where: str) -> Iterator[None]:
    """Note on an exception which plug-in raised it, and in what."""
    try:
        yield
    except Exception as error:
        error.add_note(f"raised by the {role} in {where}")
        raise
