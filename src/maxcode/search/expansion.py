"""One expansion from feedback over proposals and ranking to evaluation; its transcript of answers.

Work already in the journal is not done again: an expansion is resumed by running it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isfinite
from random import Random
from threading import Lock
from typing import TypeVar

from maxcode.budget import FREE, Answer, Cost, Reservation, Transcript
from maxcode.errors import (
    CriticError,
    ExecutorError,
    GeneratorError,
    JournalError,
    NoAnswerError,
    PluginError,
    RewardToGoError,
)
from maxcode.evaluation import Status, Trial
from maxcode.interfaces import Critic, Profiles, Proposal, RewardToGo, Trials
from maxcode.journal.events import (
    Answered,
    Critiqued,
    Evaluated,
    Profiled,
    ProposalRecord,
    Proposed,
    Ranked,
    Requested,
    Role,
    text_digest,
)
from maxcode.journal.open import OpenExpansion
from maxcode.journal.progress import NO_ANSWER
from maxcode.journal.state import Recorder
from maxcode.observation import Notes, Observation, Observe
from maxcode.options import Options, derive
from maxcode.program import Program
from maxcode.ranking import choose
from maxcode.returns import enforce_value
from maxcode.search.plugins import (
    Plugins,
    Workers,
    error_context,
    verdicts,
)
from maxcode.task import Task
from maxcode.tree import Step, Value

PATIENCE = 3
"""Number of expansions in a row without an answer of a model that end a search."""


@dataclass
class ExpansionJob:
    """An expansion under way, with its inputs as they were when the budget granted it.

    ``view`` is the observation of the reward-to-go model; ``answers`` and ``estimates`` are the
    most the generator and this model may cost. Models are waited for until ``deadline``,
    evaluations until ``judged_by``, readings of :func:`time.monotonic`. Lost answers are asked for
    again as far as the ``reservation`` can be extended. Of profiles and critiques the generator is
    shown those switched on by ``shows``, or asked for by the policy.
    """

    open: OpenExpansion
    observation: Observation
    view: Observation
    answers: Cost
    estimates: Cost
    reservation: Reservation
    shows: Observe
    deadline: float
    judged_by: float
    notes: dict[int, Future[Notes]] = field(default_factory=dict)
    done: Future[None] = field(init=False)

    @property
    def number(self) -> int:
        """The expansion's number."""
        return self.open.number

    def shown(self, step: Step) -> Step:
        """The step as the generator sees it: with the notes switched on, or asked for."""
        asked = self.open.expansion
        parent = step.id == asked.parent
        return replace(
            step,
            profile=step.profile if self.shows.profile or (parent and asked.profile) else None,
            critique=step.critique if self.shows.critique or (parent and asked.critique) else None,
        )


class OutOfTimeError(Exception):
    """An evaluation was given up at the end of the search's time; it is in no journal."""


class Expander:
    """Takes expansions to the point of commitment, several at a time."""

    def __init__(
        self, task: Task, plugins: Plugins, record: Recorder, workers: Workers, options: Options
    ) -> None:
        self._task = task
        self.plugins = plugins
        self._record = record
        self._state = record.state
        self._workers = workers
        self._options = options
        self._notes: dict[int, Future[Notes]] = {}  # of steps, by the first expansion to show each
        self._criticised: set[int] = set()  # steps whose notes have a critique
        self._running: dict[str, Future[None]] = {}  # evaluations under way, by digest
        self._lock = Lock()

    def lacks_note(self, step: Step, *, critique: bool, profile: bool) -> bool:
        """Whether a step to improve lacks critique and profile and nobody is at them.

        A critique may be asked for once the profile is known.
        """
        if step.critique is not None or _subject(step) in self._criticised:
            return False
        profiled = step.profile is not None or _subject(step) in self._notes
        return critique or (profile and not profiled)

    def awaited(self, observation: Observation, *, noting: bool) -> int:
        """Number of shown steps whose critiques come before the generator is asked."""
        coming = self._criticised | ({_subject(observation.step)} if noting else set())
        return sum(step.critique is None and _subject(step) in coming for step in observation.shown)

    def start(self, job: ExpansionJob, critic: Critic | None, *, noting: bool) -> None:
        """Set an expansion going. Called in the order of numbers, so notes fall to the first.

        A critic is shown the notes of earlier expansions, finished or not: they are the notes it
        would find in the tree after an interruption.
        """
        step, earlier = job.observation.step, self._notes_of(job.observation)
        if noting:
            note = self._workers.notes.submit(self._note, job, step, earlier, critic)
            self._notes[_subject(step)] = note
            if critic:
                self._criticised.add(_subject(step))
        job.notes = self._notes_of(job.observation)
        job.done = self._workers.expansions.submit(self._run, job)

    def _notes_of(self, observation: Observation) -> dict[int, Future[Notes]]:
        """Notes of the shown steps, known or under way, by step."""
        subjects = {step.id: _subject(step) for step in observation.shown}
        return {step: self._notes[one] for step, one in subjects.items() if one in self._notes}

    def _run(self, job: ExpansionJob) -> None:
        notes = {step_id: future.result() for step_id, future in job.notes.items()}
        observation = replace(job.observation.annotated(notes), awaited=0)
        observation = observation.with_steps(job.shown)
        if job.open.proposed is None:
            self._propose(job, observation)
        if job.open.ranked is None and self.plugins.reward_to_go is not None:
            self._rank(job, self.plugins.reward_to_go)
        digests = [digest for one in job.open.candidates if (digest := one.program)]
        for future in [self._evaluate(job, digest) for digest in digests]:
            future.result()

    def _note(
        self,
        job: ExpansionJob,
        step: Step,
        earlier: Mapping[int, Future[Notes]],
        critic: Critic | None,
    ) -> Notes:
        """Profile and diagnose a step, unless the journal has it from before an interruption."""
        number, known, subject = job.number, job.open, _subject(step)
        if subject in known.profiles:
            profile = known.profiles[subject]
        elif step.profile is not None:
            profile = step.profile
        elif step.id in earlier:  # by an expansion without a critique
            profile = earlier[step.id].result()[0]
        else:
            profile, executor = None, self.plugins.executor
            if step.evaluation.ok and isinstance(executor, Profiles):
                with error_context("executor", f"expansion {number}"), self._workers.profiling:
                    profile = executor.profile(self._task, step.program)
            self._record(Profiled(number=number, step=subject, profile=profile))
        if critic is None or subject in known.critiques:
            return profile, known.critiques.get(subject)
        notes = {step_id: future.result() for step_id, future in earlier.items()}
        observation = job.observation.annotated({**notes, step.id: (profile, None)})
        step = next(shown for shown in observation.shown if shown.id == step.id)
        transcript = self._transcript(job, "critic", subject)
        self._workers.check()
        with error_context("critic", f"expansion {number}"):
            ceiling = critic.cost_ceiling(job.observation, step)
            critique = critic.critique(replace(observation, transcript=transcript), step)
        self._record(Critiqued(number=number, step=subject, critique=critique), sync=True)
        transcript.check_bill(ceiling, critique.cost, CriticError)
        return profile, critique

    def _propose(self, job: ExpansionJob, observation: Observation) -> None:
        granted = job.open.granted
        n = granted.propose if granted else 0
        transcript = self._transcript(job, "generator")
        self._workers.check()
        observation = replace(observation, transcript=transcript, try_out=self._try_out)
        started = time.monotonic()
        with error_context("generator", f"expansion {job.number}"):
            try:
                asked = _in_time(job, lambda: self.plugins.generator.propose(observation, n))
                proposals = asked or []
            except NoAnswerError as error:
                if (
                    not self._state.progress.answered
                    or self._state.progress.no_answers + 1 >= PATIENCE
                ):
                    raise  # no bad luck: nobody answers; a resumed run asks again
                proposals = [Proposal(None, tags=(NO_ANSWER,), problem=str(error))]
            if len(proposals) > n:
                raise GeneratorError(f"{len(proposals)} proposals came back, {n} were asked for")
        checked = [self._permitted(proposal) for proposal in proposals]
        records = tuple(ProposalRecord.of(proposal) for proposal in checked)
        seconds = time.monotonic() - started
        self._record(
            Proposed(number=job.number, proposals=records, seconds=seconds),
            named=[proposal.program for proposal in checked if proposal.program],
            texts=[text for proposal in checked for text in (proposal.prompt, proposal.answer)],
            sync=True,
        )
        paid = sum((proposal.cost for proposal in proposals), FREE)
        transcript.check_bill(job.answers, paid, GeneratorError)

    def _try_out(self, program: Program, *, quick: bool) -> Trial | None:
        """A first look at a program of this task; None where it cannot be had."""
        executor = self.plugins.executor
        if isinstance(executor, Trials):
            with suppress(ExecutorError):
                return executor.try_out(self._task, program, quick=quick)
        return None

    def _transcript(self, job: ExpansionJob, role: Role, step: int | None = None) -> RunTranscript:
        transcript = RunTranscript(self._record, job.open, role, step, job.reservation)
        transcript.deadline = job.deadline
        return transcript

    def _permitted(self, proposal: Proposal) -> Proposal:
        if proposal.program is None:
            return proposal
        problem = self._task.refusal(proposal.program)
        return replace(proposal, program=None, problem=problem) if problem else proposal

    def _rank(self, job: ExpansionJob, model: RewardToGo) -> None:
        """Choose among the new programs by the model; others come if places are left."""
        granted, proposed = job.open.granted, job.open.proposed
        if granted is None or proposed is None:
            return
        transcript = self._transcript(job, "reward-to-go")
        view = replace(job.view, transcript=transcript)
        first: dict[str, int] = {}
        for index, proposal in enumerate(proposed.proposals):
            if proposal.program and proposal.program not in job.observation.seen:
                first.setdefault(proposal.program, index)
        new = list(first.values())
        started = time.monotonic()
        programs = [self._state.log.program(one) for one in first]
        values = _in_time(job, lambda: self._estimates(view, model, programs))
        if values is None:  # then the first that were proposed are run, if any
            return
        seconds = time.monotonic() - started
        rng = Random(derive(self._options.seed, "ranking", job.number))
        estimates = [value.expected for value in values]
        choice = choose(estimates, granted.run, self._options.explore, rng)
        known = [i for i, p in enumerate(proposed.proposals) if p.program and i not in new]
        unusable = [i for i, p in enumerate(proposed.proposals) if not p.program]
        places = granted.run - len(choice.run)
        by_index = dict(zip(new, values, strict=True))
        self._record(
            Ranked(
                number=job.number,
                values=tuple(by_index.get(i) for i in range(len(proposed.proposals))),
                chosen=tuple(sorted([*(new[i] for i in choice.run), *known[:places], *unusable])),
                explored=tuple(new[i] for i in choice.explored),
                seconds=seconds,
            ),
            sync=True,
        )
        paid = sum((value.cost for value in values), FREE)
        transcript.check_bill(job.estimates, paid, RewardToGoError)

    def _estimates(
        self, view: Observation, model: RewardToGo, programs: list[Program]
    ) -> list[Value]:
        """The model's estimates, checked and made consistent."""
        if not programs:
            return []
        self._workers.check()
        with error_context("reward-to-go model", f"expansion {view.number}"):
            values = list(model.predict(view, programs))
            if len(values) != len(programs):
                raise RewardToGoError(f"{len(values)} estimates for {len(programs)} programs")
            if not all(isfinite(value.expected) for value in values):
                raise RewardToGoError("an estimate is not a finite number")
        u = view.path.u
        return [replace(value, expected=enforce_value(value.expected, u)) for value in values]

    def _evaluate(self, job: ExpansionJob, digest: str) -> Future[None]:
        """Judge a program once, however many expansions propose it at the same time."""
        with self._lock:
            if digest in self._running:
                return self._running[digest]
            if self._state.evaluation(digest):
                done: Future[None] = Future()
                done.set_result(None)
                return done
            future = self._workers.evaluations.submit(
                self._judge, job.number, digest, job.judged_by
            )
            self._running[digest] = future
            return future

    def _judge(self, number: int, digest: str, deadline: float) -> None:
        program, executor = self._state.log.program(digest), self.plugins.executor
        with error_context("executor", f"expansion {number}"):
            found = verdicts(executor, self._task, program, self._state.tree, deadline)
        failed = not found or found[-1].status is Status.INFRASTRUCTURE
        if failed and time.monotonic() >= deadline:
            raise OutOfTimeError
        *lost, evaluation = found
        self._record(
            Evaluated(
                number=number,
                program=digest,
                evaluation=evaluation,
                lost=tuple(one.feedback for one in lost),
                lost_at=tuple(one.place for one in lost),
            )
        )
        with self._lock:
            del self._running[digest]  # from now on the state knows it


_T = TypeVar("_T")


def _in_time(job: ExpansionJob, asked: Callable[[], _T]) -> _T | None:
    """Answer of ``asked``; None where none came before the time of the search was over."""
    try:
        return asked()
    except NoAnswerError:
        if time.monotonic() < job.deadline:
            raise
        return None


def _subject(step: Step) -> int:
    """Id of the step whose notes a step is shown with: of the step it repeats, for a duplicate."""
    return step.id if step.duplicate_of is None else step.duplicate_of


class RunTranscript(Transcript):
    """Model answers of one expansion and role; ``step`` is the step a critic is to diagnose.

    ``held`` is the expansion's reservation.
    """

    def __init__(
        self,
        record: Recorder,
        opened: OpenExpansion,
        role: Role,
        step: int | None,
        held: Reservation,
    ) -> None:
        self._record = record
        self._open = opened
        self._role: Role = role
        self._step = step
        self._held = held
        self._lock = Lock()
        self._lost: Cost = FREE  # by requests without an answer
        self._extended: Cost = FREE  # beyond the reservation

    def find(self, request: str, sample: int) -> Answer | None:
        """Answer paid for by this run."""
        event = self._open.answers.get((self._role, self._step, request, sample))
        if event is None:
            return None
        return Answer(self._record.state.log.text(event.text), event.call, event.stop)

    def sending(
        self, model: str, request: str, samples: Sequence[int], ceiling: Cost, prompt: str
    ) -> None:
        """Write it to the journal; durable, even through a power cut, when this returns."""
        event = Requested(
            number=self._open.number,
            role=self._role,
            step=self._step,
            prompt=text_digest(prompt),
            model=model,
            request=request,
            samples=tuple(samples),
            ceiling=ceiling,
        )
        self._record(event, texts=[prompt], sync=True)

    def afford(self, cost: Cost) -> bool:
        """Whether the reservation can be extended by so much; it is."""
        if not self._held.extend(cost):
            return False
        with self._lock:
            self._extended += cost
        return True

    def check_bill(self, ceiling: Cost, paid: Cost, error: type[PluginError]) -> None:
        """Raise ``error`` for a bill above its ceiling: a budget holds only below it."""
        most, bill = ceiling + self._extended, paid + self._lost
        if bill.tokens > most.tokens or bill.dollars > most.dollars * (1 + 1e-9):
            raise error(
                f"cost_ceiling said at most {most.tokens} tokens and {most.dollars:g} dollars, the "
                f"bill is {bill.tokens} tokens and {bill.dollars:g} dollars; the answers are kept"
            )

    def keep(self, answer: Answer, prompt: str) -> None:
        """Write it to the journal; durable, even through a power cut, when this returns.

        A paid answer that cannot be stored is spooled, so that other answers are waited for, too;
        the next event that cannot be stored ends the search.
        """
        event = Answered(
            number=self._open.number,
            role=self._role,
            step=self._step,
            prompt=text_digest(prompt),
            text=text_digest(answer.text),
            call=answer.call,
            stop=answer.stop,
        )
        if answer.call.problem:
            with self._lock:  # samples come back in several threads
                self._lost += answer.call.cost
        texts = [prompt, answer.text]
        try:
            self._record(event, texts=texts, sync=True)
        except JournalError:
            self._record.state.log.spool().keep(event, texts)
