"""One process's work on a run: the coordinator of all its concurrent work.

Only this thread asks the policy, grants budget, commits and confirms, in the order of the
expansions' numbers: findings do not depend on the clock.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import replace
from math import ceil
from random import Random
from time import monotonic

from maxcode.budget import FREE, Cost, Ledger
from maxcode.errors import (
    ExecutorError,
    InputError,
    JournalError,
    NoAnswerError,
    PolicyError,
    ToolError,
)
from maxcode.evaluation import Baseline, Critique, Reason
from maxcode.interfaces import Profiles, SearchPolicy
from maxcode.journal.events import Asked, Committed, Compared, Ending, Granted, Returned
from maxcode.journal.open import OpenExpansion
from maxcode.journal.state import Recorder, RunState
from maxcode.observation import Observation, Observe, observe
from maxcode.options import Options, derive
from maxcode.search.expansion import PATIENCE, Expander, ExpansionJob, OutOfTimeError
from maxcode.search.fuzzing import Fuzzing
from maxcode.search.minimise import Minimiser
from maxcode.search.plugins import Plugins, Workers, error_context, patiently
from maxcode.search.result import Result
from maxcode.search.summary import answers_of, hopeless
from maxcode.search.training import Training
from maxcode.task import Task
from maxcode.trainer import Trainer
from maxcode.tree import ROOT, Expansion, SearchTree, Step, Trajectory

_LISTENS = 1.0  # seconds; a signal that comes just before waiting begins interrupts after that


class Session:
    """Drives a run from its current state until policy or budget end it."""

    def __init__(
        self,
        task: Task,
        plugins: Plugins,
        policy: SearchPolicy,
        options: Options,
        record: Recorder,
        ledger: Ledger,
        workers: Workers,
    ) -> None:
        self.ending = Ending()
        self._task = task
        self._observe = options.observe or policy.observe
        self._plugins = plugins
        self._profiles = self._observe.profile and isinstance(plugins.executor, Profiles)
        self._policy = policy
        self._options = options
        self._record = record
        self._state = record.state
        self._progress = record.state.progress
        self._account = record.state.account
        self._open = record.state.work.expansions
        self._ledger = ledger
        self._workers = workers
        self._fuzzing = Fuzzing(task, plugins.executor, record, options)
        trainer: Trainer | None = options.trainer
        self._training = trainer and Training(trainer, record, options.seed)
        self._expander = Expander(task, plugins, record, workers, options)
        self._answers: list[Step] = []  # of this session; a mixture looks at those of its own
        self._uncriticised = 0  # critiques in a row that are missing
        self._waiting: deque[OpenExpansion] = deque()
        self._under_way: dict[int, ExpansionJob] = {}  # by number
        # By number of the expansion: its cost when this session began.
        self._paid_before = {number: one.paid for number, one in self._open.items()}

    @property
    def _tree(self) -> SearchTree:
        return self._state.tree

    def steps(self) -> Iterator[Step]:
        """Work, and give each step once it is committed and, if due, compared with the best."""
        try:
            self._resume()
            while True:
                self._ask()
                self._grant()
                if not self._under_way:
                    break
                try:
                    steps = self._commit_next()
                except OutOfTimeError:  # a session with more time judges what was given up
                    wait([job.done for job in self._under_way.values()])
                    self.ending = _spent("seconds")
                    break
                self._check_answered()
                self._try(steps)
                yield from (self._tree[step.id] for step in steps)
        except (ExecutorError, ToolError, JournalError):
            raise  # nothing can be measured, or written
        except Exception:
            self._confirm_what_there_is()
            raise
        self._confirm_best()
        self._confirm_returned()
        yield from self.finish(self._options.minimise)

    def finish(self, share: float, *, again: bool = False) -> Iterator[Step]:
        """Measure the best program on held-out inputs, then reduce it.

        Gives the reduced step, if any; see :class:`Minimiser`. Ctrl-C skips the reduction.
        """
        self._hold_out()
        if share > 0 and (again or Result.of(self._state).improved):
            executor, compare = self._plugins.executor, self._fuzzing.compare
            minimiser = Minimiser(self._task, executor, self._record, compare)
            try:
                yield from minimiser.run(share, self._ledger.budget, self.ending, again=again)
            except KeyboardInterrupt:
                return
            self._hold_out()

    def _hold_out(self) -> None:
        """Measure the best program on held-out inputs, and the one before it if it was wrong."""
        best = self._tree.best
        self._fuzzing.refute_all(ended=True)  # by what a reduction found
        while self._tree.best != best or self._fuzzing.hold_out(self._tree.best):
            self._confirm_best()  # it was wrong: the one before it is best
            best = self._tree.best

    def _resume(self) -> None:
        """Restore the state of an interrupted run before anything is asked."""
        self._try(self._progress.last_committed)  # a kill may have come after the commitment
        if self._training:
            self._training.begin()
        opened = list(self._open.values())
        self._waiting.extend(one for one in opened if one.granted)
        self._grant()
        self._waiting.extend(one for one in opened if not one.granted)

    def _ask(self) -> None:
        """Ask the policy for as many expansions as may be under way."""
        options = self._options
        if ended := self._state.ended(self._ledger.budget):
            self.ending = ended
            return
        while len(self._tree.pending) < (options.in_flight or 1):
            if self._progress.stagnation >= options.patience:
                self.ending = Ending(
                    f"{self._progress.stagnation} candidates in a row were nothing new to run"
                )
                return
            if why := hopeless(self._answers):
                self.ending = Ending(why)
                return
            if spent := self._ledger.exhausted():
                self.ending = _spent(*spent)
                return
            number = self._tree.expansions
            rng = Random(derive(options.seed, "policy", number))
            with error_context("policy", f"expansion {number}"):
                answer = self._policy.ask(self._tree, rng)
            if not answer:
                self.ending = Ending(self._policy.end_reason)
                return
            self._check(answer)
            self._record(Asked(expansions=tuple(answer)))
            self._waiting.extend(self._open[n] for n in range(number, self._tree.expansions))

    def _check(self, answer: Iterable[Expansion]) -> None:
        name = type(self._policy).__name__
        for expansion in answer:
            wrong = [
                i for i in (expansion.parent, *expansion.exemplars) if not 0 <= i < len(self._tree)
            ]
            if wrong:
                raise PolicyError(f"{name} named steps that do not exist: {wrong}")
            if expansion.children < 1:
                raise PolicyError(f"{name} asked for {expansion.children} children; at least 1")

    def _grant(self) -> None:
        """Set waiting expansions going, in order, as far as the budget allows now."""
        while self._waiting:
            job = self._reserve(self._waiting[0])
            if job is None:
                if not self._under_way:
                    spent = self._ledger.exhausted() or ["too little left for a candidate"]
                    self.ending = _spent(*spent)
                return
            self._waiting.popleft()
            self._under_way[job.number] = job

    def _reserve(self, opened: OpenExpansion) -> ExpansionJob | None:
        """Hold the expansion's highest cost, with fewer candidates if not all can be had.

        A grant of an earlier session is repeated as it was, or not at all.
        """
        number, options = opened.number, self._options
        observation = observation_for(
            self._tree, self._task, number, options, self._observe, self._state.machine
        )
        asked = opened.expansion
        critic = self._plugins.critic if self._observe.critique or asked.critique else None
        noting = self._expander.lacks_note(
            observation.step, critique=bool(critic), profile=asked.profile or self._profiles
        )
        note = FREE
        if critic:
            awaited = self._expander.awaited(observation, noting=noting)
            observation = replace(observation, awaited=awaited)
            note = critic.cost_ceiling(observation, observation.step) if noting else FREE
        model = self._plugins.reward_to_go
        programs = self._tree.asked_at(number).programs
        view = ranking_view(self._state, observation, opened.expansion.parent, programs)
        wanted = opened.granted.run if opened.granted else opened.expansion.children
        least = wanted if opened.granted else 1
        before_end = self._state.expected_seconds(0, 1) + self._last_comparisons
        deadline = self._ledger.deadline - before_end
        for run in range(wanted, least - 1, -1):
            propose = opened.granted.propose if opened.granted else self._proposals(run)
            answers = self._plugins.generator.cost_ceiling(observation, propose)
            estimates = model.cost_ceiling(view, propose) if model else FREE
            seconds = self._state.expected_seconds(propose, run) + self._last_comparisons
            most = Cost(run, seconds=seconds) + note + answers + estimates + opened.lost
            self._check_priced(most)
            # What an earlier session paid for it is spent already, whatever becomes of it.
            reservation = self._ledger.reserve(most.beyond(self._paid_before.get(number, FREE)))
            if reservation is not None:
                break
        else:
            return None
        if opened.granted is None:
            self._record(Granted(number=number, run=run, propose=propose))
        job = ExpansionJob(
            opened,
            observation,
            view,
            answers,
            estimates,
            reservation,
            self._observe,
            deadline,
            judged_by=self._ledger.deadline - self._last_comparisons,
        )
        self._expander.start(job, critic, noting=noting)
        return job

    def _proposals(self, run: int) -> int:
        """Number of proposals for so many runs."""
        options, model = self._options, self._plugins.reward_to_go
        if model is None or (options.guard and not self._progress.estimates.agreement.believed):
            return run
        return ceil(run * options.propose / options.run)

    def _check_priced(self, most: Cost) -> None:
        """Raise for requests without a price, which no budget in dollars can limit."""
        if most.unpriced and self._ledger.budget.dollars is not None:
            raise InputError(
                "the budget limits dollars, but the price of a model that the generator, critic or "
                "ranking asks is unknown; give its price, or limit tokens instead"
            )

    def _commit_next(self) -> tuple[Step, ...]:
        number, job = next(iter(self._under_way.items()))
        del self._under_way[number]
        while not job.done.done():
            wait([job.done], _LISTENS)
        job.done.result()
        if problem := self._state.not_judged(number):  # not committed: a resumed run judges again
            raise ExecutorError(
                f"judging failed through no fault of the candidates in expansion {number}: "
                f"{problem}; mend that and resume"
            )
        steps = self._record(Committed(number=number))
        self._answers += answers_of(steps)
        self._check_critic(job.open.critiques.values())
        job.reservation.commit(job.open.paid.beyond(self._paid_before.get(number, FREE)))
        if self._training:
            self._training.learn(job.open, steps)
        return steps

    def _check_critic(self, critiques: Iterable[Critique]) -> None:
        """Ask a critic no more whose last three critiques are missing."""
        for critique in critiques:
            self._uncriticised = self._uncriticised + 1 if critique.missing else 0
            if self._uncriticised == PATIENCE:
                self._plugins = self._expander.plugins = replace(self._plugins, critic=None)
                why = f"{PATIENCE} critiques in a row are missing, the last since"
                said = f"the critic is asked no more: {why}: {critique.missing}"
                warnings.warn(said, RuntimeWarning, 2)

    def _check_answered(self) -> None:
        """End the search when so many expansions in a row had no answer: it is no bad luck."""
        if (count := self._progress.no_answers) >= PATIENCE:
            last = self._tree[len(self._tree) - 1].evaluation.feedback
            raise NoAnswerError(f"{last} ({count} expansions in a row without an answer)")

    def _try(self, steps: Sequence[Step]) -> None:
        """Determine the worth of steps just committed.

        Counterexamples found at a promotion are tried on the others at once, as they are after a
        kill.
        """
        self._fuzzing.refute_all()  # by what was found before a kill
        known = -1
        while known < len(self._tree.counterexamples):
            known = len(self._tree.counterexamples)
            for step in steps:
                self._fuzzing.refute(step)
            self._promote(steps)

    def _promote(self, steps: Iterable[Step]) -> None:
        """Measure each apparent new best against the incumbent; promote it if it holds.

        The highest of many noisy scores is biased upward, so fresh samples decide.
        """
        for step in sorted(steps, key=lambda step: (-step.reward, step.id)):
            if not self._progress.to_compare(step) or self._fuzzing.refute(step):
                continue
            if self._time_to_compare():
                self._compare(step, self._tree.best)

    def _time_to_compare(self) -> bool:
        """Whether there is time for a comparison and for the comparisons at the end."""
        seconds = self._account.expected("compared", "fuzzed") + self._last_comparisons
        return monotonic() + seconds <= self._ledger.deadline

    @property
    def _last_comparisons(self) -> float:
        """Seconds the end takes: to measure the best, and another step if the policy returns it."""
        may_return_another = type(self._policy).returned is not SearchPolicy.returned
        each = self._account.expected("compared", "held_out_measured")
        return (2 if may_return_another else 1) * each

    def _confirm_best(self) -> None:
        """Measure the best against the baseline; if it does not hold, the next candidates."""
        while True:
            self._fuzzing.refute_all(ended=True)
            self._promote(self._tree)  # nothing is left to confirm, unless one was demoted
            self._settle()
            best = self._tree.best
            if self._fuzzing.refute(best):  # by what was found after its promotion
                continue
            if best.id == ROOT or self._tree.confirmed(best.id) is not None:
                return
            self._compare(best, self._tree.root, promote=False)

    def _settle(self) -> None:
        """Compare again what the first comparison with the best left undecided, in time left."""
        best = self._tree.best
        for step in self._progress.undecided():
            if self._tree.best.id == best.id and self._time_to_compare():
                self._compare(step, best)

    def _confirm_what_there_is(self) -> None:
        """Measure the best although a plug-in failed, once nothing else is under way."""
        self._workers.stop()
        self._plugins.stop(executor=False)
        wait([job.done for job in self._under_way.values()])
        best = self._tree.best
        if best.id == ROOT or self._tree.confirmed(best.id) is not None:
            return
        with suppress(Exception):  # the failure before it is what is raised
            comparison = self._plugins.executor.compare(
                self._task, best.program, self._task.baseline
            )
            compared = Compared(
                step=best.id, against=ROOT, comparison=comparison, promoted=False, provisional=True
            )
            self._record(compared)

    def _confirm_returned(self) -> None:
        """Measure the returned step, too, if the policy returns another step than the best."""
        step = self._returned()
        while step.id != self._tree.best.id and self._found_wrong(step):
            step = self._returned()
        if step.id == self._tree.best.id:
            return
        self._record(Returned(step=step.id))
        if step.id != ROOT and self._tree.confirmed(step.id) is None:
            self._compare(step, self._tree.root, promote=False)

    def _returned(self) -> Step:
        """The policy's choice, or the first step with the same program."""
        with error_context("policy", "the end of the search"):
            step_id = self._policy.returned(self._tree)
        if not 0 <= step_id < len(self._tree) or not self._tree[step_id].evaluation.ok:
            name = type(self._policy).__name__
            raise PolicyError(f"{name} returned step {step_id}, which is not a correct program")
        first = self._tree[step_id].duplicate_of
        return self._tree[step_id if first is None else first]

    def _found_wrong(self, step: Step) -> bool:
        """Whether further inputs show a step to be wrong that was never promoted."""
        if self._fuzzing.refute(step):
            return True
        self._record(*self._fuzzing.fuzz(step))
        return not self._tree[step.id].evaluation.ok or self._fuzzing.hold_out(step)

    def _compare(self, step: Step, against: Step, *, promote: bool = True) -> None:
        comparison = patiently(
            f"the comparison of step {step.id} with step {against.id}",
            lambda: self._plugins.executor.compare(self._task, step.program, against.program),
        )
        promoted = promote and comparison.ratio is not None and comparison.ratio.faster()
        fuzzed = self._fuzzing.fuzz(step) if promoted else ()
        promoted &= all(event.result.counterexample is None for event in fuzzed)
        self._record(
            *fuzzed,
            *self._fuzzing.drawn(comparison, step, against),
            Compared(step=step.id, against=against.id, comparison=comparison, promoted=promoted),
        )
        self._fuzzing.refute_all()


def _spent(*limits: str) -> Ending:
    return Ending(f"budget spent: {', '.join(limits)}", Reason.BUDGET)


def observation_for(
    tree: SearchTree, task: Task, number: int, options: Options, switches: Observe, machine: str
) -> Observation:
    """Observation of the generator for a pending expansion; notes may still be missing."""
    seed = derive(options.seed, "generator", number)
    return observe(tree, task, number, seed, switches, options.attempts, machine)


def ranking_view(
    state: RunState, observation: Observation, parent: int, programs: int
) -> Observation:
    """Observation of a reward-to-go model: the path to the parent, whatever generators see.

    And the share of the evaluations left once so many ``programs`` are known: not by the spending,
    which at any moment depends on the work under way.
    """
    path, started = plain_path(state.tree, parent), state.started
    most = started.budget.evaluations if started else None
    return Observation(
        task=observation.task,
        step=path.steps[-1],
        number=observation.number,
        seed=observation.seed,
        trajectory=path,
        machine=observation.machine,
        policy=started.plugins.get("policy", "") if started else "",
        left=None if most is None else max(0.0, 1 - (programs - 1) / most),
    )


def plain_path(tree: SearchTree, step_id: int) -> Trajectory:
    """The path to a step without notes.

    Which steps have notes, and since when, depends on other observations.
    """
    path = tree.path(step_id)
    steps = tuple(replace(step, critique=None, profile=None) for step in path.steps)
    return replace(path, steps=steps)


def first_observation(
    task: Task, baseline: Baseline, policy: SearchPolicy, options: Options
) -> tuple[Observation, Expansion]:
    """Observation of a new search's first expansion, and the policy's request for it.

    Notes the search would make first, profile and critiques, are missing. Raises
    :class:`~maxcode.errors.PolicyError` when the policy asks for nothing.
    """
    tree = SearchTree.planted(task.baseline, baseline, options.gamma)
    answer = policy.ask(tree, Random(derive(options.seed, "policy", 0)))
    if not answer:
        raise PolicyError(f"{type(policy).__name__} asks for nothing, even of a new tree")
    number = tree.ask(answer[0])
    switches = options.observe or policy.observe
    return observation_for(tree, task, number, options, switches, baseline.machine), answer[0]
