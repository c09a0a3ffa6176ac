"""Plug-ins that follow a script: for tests, and for research without a machine to measure on.

All are deterministic and thread-safe, and keep their calls in ``calls``, for tests to count. A
script is a function of the plug-in's arguments, or a table of answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from math import inf

from maxcode.budget import FREE, Cost
from maxcode.errors import ExecutorError, TaskError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Critique,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Interval,
    Measurement,
    Profile,
    Status,
    Trial,
)
from maxcode.interfaces import Critic, Executor, Generator, Incumbent, Proposal, RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.returns import enforce_value
from maxcode.sandbox.base import OUT_OF_TIME
from maxcode.task import Task
from maxcode.tree import Step, Trajectory, Value

Answer = str | Program | Proposal
"""A candidate of a script: a text for the entry file, a whole program, or a proposal."""

Verdict = float | Status | Evaluation
"""A script's verdict on a program: its speedup, why it failed, or the whole evaluation."""

Verdicts = Callable[[Program], Verdict] | Mapping[str, Verdict]
"""An executor's script: a function of the program, or a table by its text or digest."""

_SPREAD = 1e-3  # half the width of every interval, relative to its value
_ONE = Interval(1.0, 1.0, 1.0)


class ScriptedGenerator(Generator):
    """Answers from a script, so equal observations always get equal proposals.

    ``script`` is a function of the observation and ``n``, or a sequence whose item ``i`` is the
    answer, or the list of answers, to expansion number ``i``; there are none beyond its end. At
    most ``n`` answers are used. Each costs ``cost``, except a Proposal, which has its own cost.
    """

    def __init__(
        self,
        script: (
            Callable[[Observation, int], Sequence[Answer]] | Sequence[Answer | Sequence[Answer]]
        ),
        cost: Cost = FREE,
    ) -> None:
        self.script = script
        self.cost = cost
        self.calls: list[tuple[Observation, int]] = []

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """The script's first ``n`` answers."""
        self.calls.append((observation, n))
        return self._answers(observation, n)

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """Exact cost of the answers; for a function ``n`` times ``cost``."""
        if callable(self.script):
            return sum([self.cost] * n, FREE)
        return sum((proposal.cost for proposal in self._answers(observation, n)), FREE)

    def _answers(self, observation: Observation, n: int) -> list[Proposal]:
        answers: Answer | Sequence[Answer]
        if callable(self.script):
            answers = self.script(observation, n)
        else:
            answers = next(islice(self.script, observation.number, None), ())
        if isinstance(answers, (str, Program, Proposal)):
            answers = [answers]
        return [self._proposal(observation, answer) for answer in answers[:n]]

    def _proposal(self, observation: Observation, answer: Answer) -> Proposal:
        if isinstance(answer, Proposal):
            return answer
        if isinstance(answer, str):
            answer = observation.step.program.with_code(answer)
        return Proposal(answer, summary="scripted", cost=self.cost)


class ScriptedExecutor(Executor):
    """Judges by a script instead of a machine.

    ``script`` is a function of the program, or a mapping from the text of its entry file or its
    digest. A speedup stands for a run time of ``1 / speedup`` seconds: comparisons give the ratio
    of two speedups, and the task's baseline takes 1 second unless the mapping names it.

    * ``truth``: a script for comparisons, if they are to differ from scores
    * ``profiles``: function from a program to its profile; by default there are none
    * ``fuzzed``: function to compare a program on further inputs, and ``held_out``
      to measure it there; by default it has no such inputs
    * ``delay``: seconds to judge a program, or a function of the program
    """

    def __init__(
        self,
        script: Verdicts,
        *,
        truth: Verdicts | None = None,
        profiles: Callable[[Program], Profile | None] | None = None,
        fuzzed: Callable[[Program, FuzzPlan], FuzzResult] | None = None,
        held_out: Callable[[Program], HeldOut] | None = None,
        delay: float | Callable[[Program], float] = 0.0,
    ) -> None:
        self.script = script
        self.truth = script if truth is None else truth
        self.profiles = profiles
        self.fuzzed = fuzzed
        self.held = held_out
        self.delay = delay
        self.calls: list[tuple[str, tuple[Program, ...]]] = []

    def count(self, method: str) -> int:
        """Number of calls of a method, by its name."""
        return sum(name == method for name, _ in list(self.calls))

    def prepare(self, task: Task) -> Baseline:
        """A baseline of 1 second, or the script's. Raises TaskError if the script fails it."""
        self.calls.append(("prepare", (task.baseline,)))
        verdict = _judge(self.script, task, task.baseline)
        if verdict.speedup is None:
            raise TaskError(f"task {task.name!r}: its baseline fails: {verdict.status}")
        return Baseline(_seconds(verdict.speedup), note="scripted: nothing was measured")

    def evaluate(
        self,
        task: Task,
        program: Program,
        *,
        against: Incumbent | None = None,  # noqa: ARG002 - the script is all
        deadline: float = inf,
    ) -> Evaluation:
        """The script's verdict after the delay; a failure of the harness if too late."""
        self.calls.append(("evaluate", (program,)))
        delay = self.delay(program) if callable(self.delay) else self.delay
        left = deadline - time.monotonic()
        time.sleep(max(0.0, min(delay, left)))
        if delay < left:
            return _judge(self.script, task, program)
        return Evaluation(Status.INFRASTRUCTURE, feedback=OUT_OF_TIME)

    def try_out(self, task: Task, program: Program, *, quick: bool) -> Trial:  # noqa: ARG002
        """Status and feedback of the script's verdict, without its speedup."""
        self.calls.append(("try_out", (program,)))
        verdict = _judge(self.script, task, program)
        return Trial(verdict.status, verdict.feedback)

    def compare(
        self,
        task: Task,
        a: Program,
        b: Program,
        *,
        margin: float = 0.0,  # noqa: ARG002 - the script is exact
    ) -> Comparison:
        """The ratio of the two speedups in the script, or in ``truth``."""
        self.calls.append(("compare", (a, b)))
        speedups = []
        for program in (a, b):
            verdict = _judge(self.truth, task, program)
            if verdict.speedup is None:
                return Comparison(None, problem=f"{program!r}: {verdict.status}")
            speedups.append(verdict.speedup)
        first, second = speedups
        return Comparison(_interval(first.value / second.value), _seconds(first), _seconds(second))

    def profile(self, task: Task, program: Program) -> Profile | None:  # noqa: ARG002
        """The profile from ``profiles``, if given."""
        self.calls.append(("profile", (program,)))
        return self.profiles(program) if self.profiles else None

    def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult | None:  # noqa: ARG002
        """The result from ``fuzzed``, if given."""
        if self.fuzzed is None:
            return None
        self.calls.append(("fuzz", (program,)))
        return self.fuzzed(program, plan)

    def held_out(self, task: Task, program: Program, seed: int) -> HeldOut | None:  # noqa: ARG002
        """The measurement from ``held_out``, if given."""
        if self.held is None:
            return None
        self.calls.append(("held_out", (program,)))
        return self.held(program)


class ScriptedCritic(Critic):
    """Critic with a script: a function of the observation and the step, or a fixed text."""

    def __init__(
        self,
        script: Callable[[Observation, Step], str] | str = "a scripted diagnosis",
        cost: Cost = FREE,
    ) -> None:
        self.script = script
        self.cost = cost
        self.calls: list[tuple[Observation, Step]] = []

    def critique(self, observation: Observation, step: Step) -> Critique:
        """The script's text about the step."""
        self.calls.append((observation, step))
        text = self.script if isinstance(self.script, str) else self.script(observation, step)
        return Critique(text, cost=self.cost)

    def cost_ceiling(self, observation: Observation, step: Step) -> Cost:  # noqa: ARG002
        """Exact cost of a critique."""
        return self.cost


class ScriptedRewardToGo(RewardToGo):
    """Estimates by a function of the trajectory and the program, raised to at least ``u``."""

    def __init__(self, script: Callable[[Trajectory, Program], float]) -> None:
        self.script = script
        self.calls: list[tuple[Trajectory, tuple[Program, ...]]] = []

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """The script's estimate of each program."""
        trajectory = observation.path
        self.calls.append((trajectory, tuple(programs)))
        u = trajectory.u
        return [Value(enforce_value(self.script(trajectory, program), u)) for program in programs]


def _judge(script: Verdicts, task: Task, program: Program) -> Evaluation:
    if isinstance(script, Mapping):
        usual = 1.0 if program == task.baseline else None
        found = script.get(program.digest, script.get(program.code, usual))
        if found is None:
            said = f"the script has no verdict on {program!r}, which begins {program.code[:40]!r}"
            raise ExecutorError(said)
        verdict: Verdict = found
    else:
        verdict = script(program)
    if isinstance(verdict, Evaluation):
        return verdict
    if isinstance(verdict, Status):
        return Evaluation(verdict, feedback=f"scripted: {verdict}")
    speedup = _interval(verdict)
    return Evaluation(Status.OK, speedup, measurements=_seconds(speedup), reference=_seconds(_ONE))


def _interval(value: float) -> Interval:
    return Interval(value, value * (1 - _SPREAD), value * (1 + _SPREAD))


def _seconds(speedup: Interval) -> tuple[Measurement, ...]:
    return (Measurement("script", "s", (1 / speedup.value,)),)
