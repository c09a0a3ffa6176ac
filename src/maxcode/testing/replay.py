"""Plug-ins that replay the answers of a journaled run, so it runs again without a model.

A new search with the same task, policy, options and budget, and these plug-ins instead of the run's
own, gives an equal tree. If the run committed expansions as they were completed, the search has to
:meth:`~maxcode.Search.follow` it. A limit in seconds is the exception: replaying takes no time.
Each plug-in raises an error for requests missing in the run. Costs are the run's.
"""

# ruff: noqa: ARG002 - a recording does not need all of its arguments

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from maxcode.budget import FREE, Cost
from maxcode.errors import CriticError, ExecutorError, GeneratorError, RewardToGoError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Critique,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Profile,
)
from maxcode.interfaces import Critic, Executor, Generator, Proposal, RewardToGo
from maxcode.journal.events import (
    Compared,
    Critiqued,
    Evaluated,
    Event,
    Fuzzed,
    Granted,
    HeldOutMeasured,
    Profiled,
    Proposed,
    Ranked,
    VariantCompared,
    VariantEvaluated,
    VariantFuzzed,
)
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import Step, Value

_UNAFFORDABLE = Cost(tokens=10**18, dollars=1e18)
"""Ceiling for requests missing in the run: a replay ends where the run's budget ended it."""

_REMEDY = "repeat it with the task, seed, options, policy and budget of that run"


class _Recording:
    """Answers of a run, by request. Programs are identified by digest."""

    def __init__(self, log: RunLog) -> None:
        self.log = log
        self.parents: dict[int, str] = {}
        self.granted: dict[int, int] = {}
        self.proposed: dict[int, Proposed] = {}
        self.values: dict[int, dict[str, Value]] = {}  # by expansion, then by program
        self.evaluations: dict[str, Evaluation] = {}
        self.comparisons: dict[tuple[str, str], list[Comparison]] = {}  # in their order
        self.fuzzed: dict[str, list[FuzzResult]] = {}
        self.held_out: dict[str, HeldOut] = {}
        self.profiles: dict[str, Profile] = {}
        self.critiques: dict[int, Critique] = {}
        self.state = state = RunState(log)
        for recorded in log.events():
            state.apply(recorded)
            match recorded.event:
                case Granted() as event:
                    parent = state.work.expansions[event.number].expansion.parent
                    self.parents[event.number] = state.tree[parent].program.digest
                    self.granted[event.number] = event.propose
                case Proposed() as event:
                    self.proposed[event.number] = event
                case Ranked() as event:
                    records = self.proposed[event.number].proposals
                    pairs = zip(records, event.values, strict=True)
                    self.values[event.number] = {r.program: v for r, v in pairs if r.program and v}
                case Evaluated() | VariantEvaluated() as event:
                    self.evaluations[event.program] = event.evaluation
                case Profiled() as event if event.profile is not None:
                    self.profiles[state.tree[event.step].program.digest] = event.profile
                case Critiqued() as event:
                    self.critiques[event.step] = event.critique
                case event:
                    self._measured(event)

    def _measured(self, event: Event) -> None:
        """Keep a comparison, or a result on further inputs."""
        match event:
            case Compared():
                a, b = map(self._digest, (event.step, event.against))
                self.comparisons.setdefault((a, b), []).append(event.comparison)
            case VariantCompared():
                pair = event.program, event.against
                self.comparisons.setdefault(pair, []).append(event.comparison)
            case Fuzzed():
                self.fuzzed.setdefault(self._digest(event.step), []).append(event.result)
            case VariantFuzzed():
                self.fuzzed.setdefault(event.program, []).append(event.result)
            case HeldOutMeasured():
                self.held_out[self._digest(event.step)] = event.held_out

    def _digest(self, step: int) -> str:
        return self.state.tree[step].program.digest

    def lacks(self, what: str) -> str:
        """Error message: what the run lacks, or never did."""
        return f"run {self.log.run_id} {what}; {_REMEDY}"


class _Replay:
    def __init__(self, log: RunLog) -> None:
        self._run = _Recording(log)


class ReplayGenerator(_Replay, Generator):
    """Replays the proposals of the run's expansion with the same number."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """The first ``n`` proposals of the run.

        Raises :class:`~maxcode.errors.GeneratorError` if the search differs from the run.
        """
        run, number = self._run, observation.number
        if number not in run.proposed:
            raise GeneratorError(run.lacks(f"has no answer for expansion {number}"))
        parent = observation.step.program
        if run.parents[number] != parent.digest:
            raise GeneratorError(
                f"expansion {number} of run {run.log.run_id} grew from program "
                f"{run.parents[number][:12]}, not from {parent!r}; {_REMEDY}"
            )
        return [
            record.proposal(
                run.log.program(record.program) if record.program else None,
                run.log.text(record.prompt),
                run.log.text(record.answer),
            )
            for record in run.proposed[number].proposals[:n]
        ]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """The cost in the run; more than any budget if the run asked for fewer."""
        proposed = self._run.proposed.get(observation.number)
        if proposed is None or n > self._run.granted[observation.number]:
            return _UNAFFORDABLE
        return sum((record.cost for record in proposed.proposals[:n]), FREE)


class ReplayExecutor(_Replay, Executor):
    """Replays the verdicts of the run's executor.

    If the harness failed at first and judged the program later, the later verdict counts. Programs
    compared several times get their comparisons in the run's order, restarted by each
    :meth:`prepare`, and then the last again.
    """

    def __init__(self, log: RunLog) -> None:
        super().__init__(log)
        self._compared: Counter[tuple[str, str]] = Counter()

    def prepare(self, task: Task) -> Baseline:
        """The baseline as measured in the run; only for the same task."""
        run, started, baseline = self._run, self._run.state.started, self._run.state.baseline
        if started and started.task_digest != task.digest:
            raise ExecutorError(run.lacks(f"was made for another version of task {task.name!r}"))
        if baseline is None:
            raise ExecutorError(f"run {run.log.run_id} ended before its baseline was measured")
        self._compared.clear()
        return baseline

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        """The run's verdict; :class:`~maxcode.errors.ExecutorError` if there was none."""
        if program.digest not in self._run.evaluations:
            raise ExecutorError(self._run.lacks(f"never evaluated {program!r}"))
        return self._run.evaluations[program.digest]

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        """The run's comparison; :class:`~maxcode.errors.ExecutorError` if there was none."""
        pair = a.digest, b.digest
        if pair not in self._run.comparisons:
            raise ExecutorError(self._run.lacks(f"never compared {a!r} with {b!r}"))
        found = self._run.comparisons[pair]
        number = min(self._compared[pair], len(found) - 1)
        self._compared[pair] += 1
        return found[number]

    def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult | None:
        """The run's result; None if there was none, or for known inputs it has no difference on."""
        found = self._run.fuzzed.get(program.digest, [])
        if plan.count:
            return found[0] if found else None
        known = {one.input for one in plan.known}
        wrong = (one for one in found if one.counterexample and one.counterexample.input in known)
        return next(wrong, None)

    def held_out(self, task: Task, program: Program, seed: int) -> HeldOut | None:
        """The run's measurement; None if there was none."""
        return self._run.held_out.get(program.digest)

    def profile(self, task: Task, program: Program) -> Profile | None:
        """The run's profile; None if there was none."""
        return self._run.profiles.get(program.digest)


class ReplayCritic(_Replay, Critic):
    """Replays the critique of the run's step with the same id."""

    def critique(self, observation: Observation, step: Step) -> Critique:
        """The run's critique; :class:`~maxcode.errors.CriticError` if there was none."""
        if step.id not in self._run.critiques:
            raise CriticError(self._run.lacks(f"has no critique of step {step.id}"))
        return self._run.critiques[step.id]

    def cost_ceiling(self, observation: Observation, step: Step) -> Cost:
        """The cost in the run; more than any budget if there was no critique."""
        critique = self._run.critiques.get(step.id)
        return critique.cost if critique else _UNAFFORDABLE


class ReplayRewardToGo(_Replay, RewardToGo):
    """Replays the estimates of the run's expansion with the same number."""

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """The run's estimates; :class:`~maxcode.errors.RewardToGoError` if there were none."""
        number = observation.number
        known = self._run.values.get(number, {})
        if missing := [program for program in programs if program.digest not in known]:
            raise RewardToGoError(
                self._run.lacks(f"never estimated {missing[0]!r} in expansion {number}")
            )
        return [known[program.digest] for program in programs]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """The cost in the run; more than any budget if nothing was estimated."""
        known = self._run.values.get(observation.number)
        if known is None:
            return _UNAFFORDABLE
        return sum((value.cost for value in known.values()), FREE)
