"""The five contracts. Subclass one to plug in; the constructor is your configuration.

Two kinds of failure are kept apart everywhere. Faults of a *candidate* (it does not compile,
answers wrongly, runs for ever) are data: an Evaluation with its status. Faults that keep a
*plug-in* from its work (no compiler, a refused key, a server down for good) are raised, as a
:class:`~maxcode.errors.MaxcodeError`; the search then stops, keeps all finished work, and can be
resumed. :mod:`maxcode.testing` has a suite for each contract, for your tests to inherit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from math import inf
from random import Random
from typing import Any, Protocol, runtime_checkable

from maxcode.budget import FREE, Call, Cost
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Critique,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Interval,
    Profile,
    Status,
    Trial,
)
from maxcode.observation import Observation, Observe
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import Expansion, SearchTree, Step, Value


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate as the generator made it.

    ``program`` is None when the answer held none; ``problem`` then says why, in words to feed back.
    ``summary`` describes the change, ``tags`` label it for machines. The journal keeps ``prompt``
    and ``answer`` with their usage ``call``. Proposals of one call share its cost out.
    """

    program: Program | None
    summary: str = ""
    tags: tuple[str, ...] = ()
    problem: str = ""
    prompt: str = ""
    answer: str = ""
    cost: Cost = FREE
    call: Call | None = None


class Generator(ABC):
    """Proposes rewrites of a program.

    ``trusted`` means its programs are the user's own code rearranged: running them takes limits but
    no isolation. Programs of a model are not trusted.
    """

    trusted: bool = False

    @abstractmethod
    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """At most ``n`` proposals for improving ``observation.step``; fewer when it has no more.

        Called from several threads at once. Draw randomness from ``observation.seed`` only. An
        unusable answer is a Proposal without a program; raise
        :class:`~maxcode.errors.GeneratorError` when no answer can be had. Keep each answer paid for
        in ``observation.transcript`` at once and look there first.
        """

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:  # noqa: ARG002
        """The most ``propose(observation, n)`` may cost; reserved before the call.

        Free by default. Critiques and profiles still being made are missing from this observation,
        so allow for them. A bill above the ceiling ends the search.
        """
        return FREE

    def hint(self, task: Task) -> str:  # noqa: ARG002
        """Hint for language models in the same mixture, one of ``observation.hints``."""
        return ""

    def stop(self) -> None:  # noqa: B027 - optional
        """Begin no more long work: the search was interrupted, or failed elsewhere.

        Called from another thread; ``propose`` may then raise. Answers paid for are still awaited.
        A later search may use the generator again. Does nothing by default.
        """


@dataclass(frozen=True, slots=True)
class Incumbent:
    """Fastest program confirmed so far by a search, for timing candidates against.

    ``speedup`` is over the baseline, ``reading`` its value on the reward's meter when it was
    scored, if known: an executor notices a later slowdown by it.
    """

    program: Program
    speedup: Interval
    reading: float | None = None


_REFUSED: dict[str, Callable[[str], object]] = {
    "evaluate": lambda problem: Evaluation(Status.INVALID, feedback=problem),
    "try_out": lambda problem: Trial(Status.INVALID, problem),
    "compare": lambda problem: Comparison(None, problem=problem),
    "profile": lambda _: None,
    "fuzz": lambda problem: FuzzResult(why=problem),
    "held_out": lambda problem: HeldOut(None, problem=problem),
}
"""The answer of each method of an executor for a program with forbidden changes."""

_OPTIONAL = ("against", "deadline", "margin")  # keywords that a subclass may leave out


def _judging(method: Callable[..., object], refused: Callable[[str], object]) -> Any:
    """Method for all callers: with their keywords, as far as it takes them.

    A program with changes forbidden by its task gets the answer ``refused``.
    """
    takes = signature(method).parameters.values()
    names = {one.name for one in takes}
    every = any(one.kind is one.VAR_KEYWORD for one in takes)
    left_out = () if every else [name for name in _OPTIONAL if name not in names]

    @wraps(method)
    def judged(self: Executor, task: Task, *given: object, **named: object) -> object:
        programs = (one for one in (*given, *named.values()) if isinstance(one, Program))
        if problem := next(filter(None, map(task.refusal, programs)), ""):
            return refused(problem)
        for name in left_out:
            named.pop(name, None)
        return method(self, task, *given, **named)

    return judged


class Executor(ABC):
    """Builds, verifies and times programs, isolated from everything else.

    These methods suffice; an executor offers more by having the method of :class:`Trials`,
    :class:`Profiles`, :class:`Fuzzes`, :class:`HoldsOut` or :class:`Waits`. A method given a
    program with changes forbidden by ``task`` runs nothing, and answers ``Status.INVALID``, no
    ratio or None, without the subclass's doing.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Have the subclass's methods refuse programs with forbidden changes."""
        super().__init_subclass__(**options)
        for name, refused in _REFUSED.items():
            if callable(vars(cls).get(name)):
                setattr(cls, name, _judging(vars(cls)[name], refused))

    @abstractmethod
    def prepare(self, task: Task) -> Baseline:
        """Build, check and time the baseline; called once before a session's first evaluation.

        Raises :class:`~maxcode.errors.TaskError` when the baseline fails, saying where and how,
        and :class:`~maxcode.errors.ToolError` when this machine lacks something.
        """

    @abstractmethod
    def evaluate(
        self,
        task: Task,
        program: Program,
        *,
        against: Incumbent | None = None,
        deadline: float = inf,
    ) -> Evaluation:
        """The verdict on one program. Called from several threads at once.

        Never raises for a candidate's faults. Timing holds an exclusive lane, so candidates do not
        disturb each other's clocks. ``Status.INFRASTRUCTURE`` is a failure of the harness: the
        search tries again and the candidate is not blamed.

        An executor may leave out either keyword. It may time the program ``against`` this incumbent
        instead of a slow baseline, and says so in ``Evaluation.against``; ``speedup`` is over the
        baseline all the same. By ``deadline``, a reading of :func:`time.monotonic`, it gives up
        with ``Status.INFRASTRUCTURE``.
        """

    @abstractmethod
    def compare(self, task: Task, a: Program, b: Program, *, margin: float = 0.0) -> Comparison:
        """Measure two programs side by side with fresh samples; ``ratio`` above 1 favours ``a``.

        Used to confirm an apparent new best, so it must share no sample with ``evaluate``. Raises
        :class:`~maxcode.errors.ExecutorError` when the harness failed; it is then repeated.

        With a ``margin``, such as 0.01, the question is whether ``a`` is slower by at most that
        share, to leave out changes without gain; equal programs then take longer to measure. An
        executor may leave out the keyword.
        """

    def stop(self) -> None:  # noqa: B027 - optional
        """Give up the work under way: the search was interrupted, or failed elsewhere.

        Called from another thread. Evaluations under way may then raise. The next ``prepare`` makes
        the executor fit for use again. By default the search waits for the work under way.
        """


@runtime_checkable
class Trials(Protocol):
    """An executor with a quick look at unfinished programs."""

    def try_out(self, task: Task, program: Program, *, quick: bool) -> Trial | None:
        """First look at an unfinished program, for its author; no evaluation.

        With ``quick`` it is built and run on the quickest test alone, else on all of them, with its
        estimated time beside the baseline's. It must not change the findings of ``evaluate``, and
        may be called from several threads after ``prepare``. Raises
        :class:`~maxcode.errors.ExecutorError` when the harness failed.
        """


@runtime_checkable
class Profiles(Protocol):
    """An executor with a profiler."""

    def profile(self, task: Task, program: Program) -> Profile | None:
        """Profile of a program that passed; None when nothing is known."""


@runtime_checkable
class Fuzzes(Protocol):
    """An executor with inputs beyond the task's."""

    def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult | None:
        """Compare a correct program with the task's baseline on inputs beyond the task's.

        An input counts only if the baseline ends well on it, and does the same twice. A seed gives
        the same inputs each time. Called after ``prepare``, from one thread, before an apparent new
        best is promoted. A disagreement is data; raises :class:`~maxcode.errors.ExecutorError` when
        the harness failed. Where there are no inputs for this task, the result says ``why``.
        """


@runtime_checkable
class HoldsOut(Protocol):
    """An executor with inputs no search times."""

    def held_out(self, task: Task, program: Program, seed: int) -> HeldOut | None:
        """Measure a program against the baseline on inputs used in no evaluation.

        They are made from ``seed``, at the sizes of the task's own inputs and at others. Called
        once at the end of a search. Raises as ``compare`` does.
        """


@runtime_checkable
class Waits(Protocol):
    """An executor with messages about its waits."""

    def on_wait(self, show: Callable[[str], None]) -> None:
        """Call ``show`` with the reason of each wait, and with an empty text when it is over.

        It may be called from any thread, and often.
        """


class Critic(ABC):
    """Diagnoses in words the bottleneck of a program."""

    @abstractmethod
    def critique(self, observation: Observation, step: Step) -> Critique:
        """A diagnosis of ``step``, one of ``observation.shown``. Made once a step, and kept.

        Called from several threads at once. Raise :class:`~maxcode.errors.CriticError` when no
        answer can be had; an answer that cannot be parsed is kept as plain text.
        """

    def cost_ceiling(self, observation: Observation, step: Step) -> Cost:  # noqa: ARG002
        """The most ``critique(observation, step)`` may cost; free by default."""
        return FREE

    def stop(self) -> None:  # noqa: B027 - optional
        """Begin no more long work; see :meth:`Generator.stop`."""


class RewardToGo(ABC):
    """Estimates the best reward still reachable through a candidate."""

    @abstractmethod
    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """Estimate of each program as a next step after ``observation.step``; in the same order.

        ``observation.trajectory`` is the path to this step, never ``None``, without critiques and
        profiles. Estimates are of ``V(s, u) = E[max(u, G)]`` and so at least
        ``observation.trajectory.u``. Called from several threads at once. Raises
        :class:`~maxcode.errors.RewardToGoError` when no estimate can be had. Answers paid for are
        kept in ``observation.transcript``.
        """

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:  # noqa: ARG002
        """The most that estimates of ``n`` programs, not yet written, may cost; free by default."""
        return FREE

    def stop(self) -> None:  # noqa: B027 - optional
        """Begin no more long work; see :meth:`Generator.stop`."""


class SearchPolicy(ABC):
    """Decides which steps to grow from. Stateless: all inputs of its decisions are in the tree.

    ``observe`` is the observation of the policy's generator unless the search sets it, and
    ``end_reason`` why a search ends when the policy asks for nothing more, in a few words.
    """

    observe: Observe = Observe()
    end_reason: str = "the policy has nothing more to ask for"

    @abstractmethod
    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        """The next expansions, in the order in which they shall be committed.

        An empty list waits for the expansions under way (``tree.pending``); with none under way it
        ends the search. Called whenever fewer expansions are under way than the search allows.
        """

    def in_flight(self, threads: int) -> int:  # noqa: ARG002 - what learns waits for results
        """How many expansions may be under way where the options leave it open; 1 by default.

        More is for policies whose answers do not depend on results: then no thread waits for
        another's long evaluation.
        """
        return 1

    def returned(self, tree: SearchTree) -> int:
        """The step that a finished search returns; by default the best.

        Only for searches whose published form gives back something else: the baseline, or a correct
        step. It is measured against the baseline with fresh samples, like the best.
        """
        return tree.best.id
