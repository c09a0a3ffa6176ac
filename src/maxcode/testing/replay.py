"""Plug-ins that repeat the answers of a journaled run, so that it runs again without a model.

A new search with the same task, policy, options and budget, and these in the place of the run's
own plug-ins, gives an equal tree. A limit in seconds is the exception: repeating takes no time.
Each raises a clear error when asked what the run never asked. Costs are those of the run.
"""

# ruff: noqa: ARG002 - a recording does not look at all that it is asked with

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from maxcode.budget import (
    FREE,
    Cost,
)
from maxcode.errors import CriticError, ExecutorError, GeneratorError, RewardToGoError
from maxcode.evaluation import Baseline, Comparison, Critique, Evaluation, Profile
from maxcode.interfaces import Critic, Executor, Generator, Proposal, RewardToGo
from maxcode.journal.events import (
    Compared,
    Critiqued,
    Evaluated,
    Event,
    Granted,
    Profiled,
    ProposalRecord,
    Proposed,
    Ranked,
)
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import Step, Value

_UNAFFORDABLE = Cost(tokens=10**18, dollars=1e18)
"""The ceiling of what the run never paid for: where its budget ended it, a repetition ends too."""

_REMEDY = "repeat it with the task, seed, options, policy and budget of that run"


class _Recording:
    """The answers of a run, by what was asked. Programs are named by digest."""

    def __init__(self, log: RunLog) -> None:
        self.log = log
        self.parents: dict[int, str] = {}
        self.granted: dict[int, int] = {}
        self.proposed: dict[int, Proposed] = {}
        self.values: dict[int, dict[str, Value]] = {}  # by expansion, then by program
        self.evaluations: dict[str, Evaluation] = {}
        self.comparisons: dict[tuple[str, str], list[Comparison]] = {}  # in their order
        self.profiles: dict[str, Profile] = {}
        self.critiques: dict[int, Critique] = {}
        state = RunState(log)
        for recorded in log.events():
            state.apply(recorded)
            self._keep(recorded.event, state)
        self.started = state.started
        self.baseline = state.baseline

    def _keep(self, event: Event, state: RunState) -> None:
        match event:
            case Granted():
                parent = state.open[event.number].expansion.parent
                self.parents[event.number] = state.tree[parent].program.digest
                self.granted[event.number] = event.propose
            case Proposed():
                self.proposed[event.number] = event
            case Ranked():
                self._keep_values(event)
            case Evaluated():
                self.evaluations[event.program] = event.evaluation
            case Compared():
                a, b = (state.tree[i].program.digest for i in (event.step, event.against))
                self.comparisons.setdefault((a, b), []).append(event.comparison)
            case Profiled() if event.profile is not None:
                self.profiles[state.tree[event.step].program.digest] = event.profile
            case Critiqued():
                self.critiques[event.step] = event.critique

    def _keep_values(self, event: Ranked) -> None:
        records = self.proposed[event.number].proposals
        pairs = zip(records, event.values, strict=True)
        self.values[event.number] = {r.program: v for r, v in pairs if r.program and v}


class ReplayGenerator(Generator):
    """Gives each expansion what the run's expansion of that number was given."""

    def __init__(self, log: RunLog) -> None:
        self._run = _Recording(log)

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """The first ``n`` of what was proposed then.

        Raises :class:`~maxcode.errors.GeneratorError` where the search and the run part ways.
        """
        run, number = self._run, observation.number
        if number not in run.proposed:
            raise GeneratorError(
                f"run {run.log.run_id} has no answer for expansion {number}; {_REMEDY}"
            )
        parent = observation.step.program
        if run.parents[number] != parent.digest:
            raise GeneratorError(
                f"expansion {number} of run {run.log.run_id} grew from program "
                f"{run.parents[number][:12]}, not from {parent!r}; {_REMEDY}"
            )
        return [_proposal(run.log, record) for record in run.proposed[number].proposals[:n]]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """What was paid then; more than a budget holds if the run did not ask for so many."""
        proposed = self._run.proposed.get(observation.number)
        if proposed is None or n > self._run.granted[observation.number]:
            return _UNAFFORDABLE
        return sum((record.cost for record in proposed.proposals[:n]), FREE)


def _proposal(log: RunLog, record: ProposalRecord) -> Proposal:
    program = log.program(record.program) if record.program else None
    return record.proposal(program, log.text(record.prompt), log.text(record.answer))


class ReplayExecutor(Executor):
    """Gives each program the verdict that the run's executor gave it.

    Where the harness failed at first and judged the program later, it is the later verdict. Two
    programs that were compared more than once get their comparisons in the order of the run, from
    each :meth:`prepare` on, and then the last one.
    """

    def __init__(self, log: RunLog) -> None:
        self._run = _Recording(log)
        self._compared: Counter[tuple[str, str]] = Counter()

    def prepare(self, task: Task) -> Baseline:
        """The baseline as it was measured then; only for the task of that run."""
        started = self._run.started
        if started and started.task_digest != task.digest:
            raise ExecutorError(
                f"run {self._run.log.run_id} was made for another version of task {task.name!r}; "
                f"{_REMEDY}"
            )
        if self._run.baseline is None:
            raise ExecutorError(
                f"run {self._run.log.run_id} ended before its baseline was measured"
            )
        self._compared.clear()
        return self._run.baseline

    def evaluate(self, task: Task, program: Program) -> Evaluation:
        """The verdict of then; :class:`~maxcode.errors.ExecutorError` if there was none."""
        if program.digest not in self._run.evaluations:
            raise ExecutorError(
                f"run {self._run.log.run_id} never evaluated {program!r}; {_REMEDY}"
            )
        return self._run.evaluations[program.digest]

    def compare(self, task: Task, a: Program, b: Program) -> Comparison:
        """The comparison of then; :class:`~maxcode.errors.ExecutorError` if there was none."""
        pair = a.digest, b.digest
        if pair not in self._run.comparisons:
            raise ExecutorError(
                f"run {self._run.log.run_id} never compared {a!r} with {b!r}; {_REMEDY}"
            )
        found = self._run.comparisons[pair]
        number = min(self._compared[pair], len(found) - 1)
        self._compared[pair] += 1
        return found[number]

    def profile(self, task: Task, program: Program) -> Profile | None:
        """The profile of then; None if there was none."""
        return self._run.profiles.get(program.digest)


class ReplayCritic(Critic):
    """Says of each step what was said of the run's step of that id."""

    def __init__(self, log: RunLog) -> None:
        self._run = _Recording(log)

    def critique(self, observation: Observation, step: Step) -> Critique:
        """The critique of then; :class:`~maxcode.errors.CriticError` if there was none."""
        if step.id not in self._run.critiques:
            raise CriticError(
                f"run {self._run.log.run_id} has no critique of step {step.id}; {_REMEDY}"
            )
        return self._run.critiques[step.id]

    def cost_ceiling(self, observation: Observation, step: Step) -> Cost:
        """What was paid then; more than a budget holds if there was no critique."""
        critique = self._run.critiques.get(step.id)
        return critique.cost if critique else _UNAFFORDABLE


class ReplayRewardToGo(RewardToGo):
    """Gives the estimates that the run's model made in the expansion of that number."""

    def __init__(self, log: RunLog) -> None:
        self._run = _Recording(log)

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """The estimates of then; :class:`~maxcode.errors.RewardToGoError` if there were none."""
        known = self._run.values.get(observation.number, {})
        if missing := [program for program in programs if program.digest not in known]:
            raise RewardToGoError(
                f"run {self._run.log.run_id} never estimated {missing[0]!r} in expansion "
                f"{observation.number}; {_REMEDY}"
            )
        return [known[program.digest] for program in programs]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """What was paid then; more than a budget holds if nothing was estimated."""
        known = self._run.values.get(observation.number)
        if known is None:
            return _UNAFFORDABLE
        return sum((value.cost for value in known.values()), FREE)
