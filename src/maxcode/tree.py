"""State of a search: steps, the paths between them, and the expansions under way.

A :class:`SearchTree` only grows. The loop grows it by folding events into it, so the tree of a
resumed run is the tree of the interrupted run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from maxcode.budget import FREE, Cost
from maxcode.evaluation import (
    SAME_GAIN,
    Baseline,
    Comparison,
    Counterexample,
    Critique,
    Evaluation,
    FuzzResult,
    HeldOut,
    Interval,
    Profile,
    Status,
)
from maxcode.program import Program
from maxcode.returns import auxiliary_states

ROOT = 0
"""Id of the baseline, the first step of a tree."""


@dataclass(frozen=True, slots=True)
class Value:
    """A reward-to-go estimate: the expected maximum reward (a speedup) reachable from a step.

    ``distribution`` gives the probability of each bin where the model has bins, else is empty.
    ``cost`` is the charge for the estimate; estimates of one call share it out.
    """

    expected: float
    distribution: tuple[float, ...] = ()
    cost: Cost = FREE


@dataclass(frozen=True, slots=True)
class Expansion:
    """A policy's wish: grow ``children`` candidates from the step ``parent``.

    ``exemplars`` are further steps to show as inspiration: a second parent, an island's best.
    ``profile`` and ``critique`` ask for the parent's to be shown, whatever the search's observation
    is; a critique needs a critic.
    """

    parent: int = ROOT
    children: int = 1
    exemplars: tuple[int, ...] = ()
    profile: bool = False
    critique: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Findings on a step after its first score, from fresh samples and further inputs.

    ``ratio`` is the step over the step ``against``, the best at the time; None without a comparison
    or after a ``problem``. ``speedup`` is over the baseline, by comparisons alone. ``refused`` is
    the speedup of a step found wrong on further inputs.
    """

    against: int = ROOT
    ratio: Interval | None = None
    problem: str = ""
    speedup: Interval | None = None
    refused: Interval | None = None

    @property
    def undecided(self) -> bool:
        """Whether the comparison left open which is faster, with more for the step."""
        return bool(self.ratio and self.ratio.low <= 1 and self.ratio.value > 1 + SAME_GAIN)


@dataclass(frozen=True, slots=True)
class Step:
    """A node of the tree: a program and all that is known about it.

    ``id`` counts from 0, the baseline, in the order of commitment. ``expansion`` is the number of
    its expansion (-1 for the baseline). ``summary`` and ``tags`` are the generator's words and
    labels for its change. ``duplicate_of`` is the earlier step with the same program and
    evaluation. ``reduced_from`` is the larger step that was reduced to this after the search.
    ``cost`` is the charge for the step itself.
    """

    id: int
    parent: int | None
    program: Program
    evaluation: Evaluation
    expansion: int = -1
    summary: str = ""
    tags: tuple[str, ...] = ()
    critique: Critique | None = None
    profile: Profile | None = None
    value: Value | None = None
    duplicate_of: int | None = None
    cost: Cost = FREE
    reduced_from: int | None = None
    standing: Standing | None = None

    @property
    def reward(self) -> float:
        """The evaluation's reward: the speedup when OK, else 0.0."""
        return self.evaluation.reward

    @property
    def speedup(self) -> Interval | None:
        """Speedup by comparisons, or the first score without any; None unless OK."""
        compared = self.standing and self.standing.speedup
        return compared if compared and self.evaluation.ok else self.evaluation.speedup


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The path from the baseline to a step, both included, oldest first."""

    steps: tuple[Step, ...]
    gamma: float = 1.0

    @property
    def rewards(self) -> tuple[float, ...]:
        """Rewards of the steps after the baseline, which is the start state and earns none."""
        return tuple(step.reward for step in self.steps[1:])

    @property
    def u(self) -> float:
        """The auxiliary state after the last step; see :mod:`maxcode.returns`."""
        return auxiliary_states(self.rewards, self.gamma)[-1]

    @property
    def best(self) -> Step:
        """The step with the highest reward, the earliest of equals."""
        return max(self.steps, key=lambda step: step.reward)


@dataclass(frozen=True, slots=True)
class Moment:
    """A past state of a tree: how many steps it had, and which of them was the best.

    ``programs`` counts the different programs among them, the baseline included.
    """

    steps: int
    best: int
    programs: int = 1


class SearchTree:
    """Every step so far, the expansions still running, and the best program so far.

    ``len(tree)`` counts the steps, ``tree[i]`` is the step with id ``i``, and iteration goes in the
    order of commitment. Raises KeyError for the id of a missing step.
    """

    @classmethod
    def planted(cls, program: Program, baseline: Baseline, gamma: float = 1.0) -> SearchTree:
        """Tree of a search about to begin: the task's own program, as it was timed."""
        evaluation = Evaluation(
            Status.OK,
            Interval(1.0, 1.0, 1.0),
            measurements=baseline.measurements,
            seconds=baseline.seconds,
        )
        return cls(Step(ROOT, None, program, evaluation), gamma)

    def __init__(self, baseline: Step, gamma: float = 1.0) -> None:
        if baseline.id != ROOT or baseline.parent is not None:
            raise ValueError("the baseline is step 0 and has no parent")
        self.gamma = gamma
        self._steps = [baseline]
        self._children: list[list[int]] = [[]]  # of each step
        self._first_of = {baseline.program.digest: ROOT}
        self._pending: dict[int, Expansion] = {}
        self._asked: dict[int, Moment] = {}  # of pending expansions
        self._cut_short: set[int] = set()  # expansions
        self._expansions = 0
        self._incumbents = [(ROOT, Interval(1.0, 1.0, 1.0))]
        self._confirmed: dict[int, Comparison] = {}
        self._fuzzed: dict[int, FuzzResult] = {}
        self._held_out: dict[int, HeldOut] = {}
        self._counterexamples: list[Counterexample] = []

    # -- what policies and generators read --------------------------------------------------

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, step_id: int) -> Step:
        if not 0 <= step_id < len(self):
            raise KeyError(f"the tree has steps 0 to {len(self) - 1}, not {step_id}")
        return self._steps[step_id]

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    @property
    def root(self) -> Step:
        """The baseline."""
        return self[ROOT]

    @property
    def best(self) -> Step:
        """The incumbent: the last step promoted by a confirmation, at first the baseline."""
        return self[self._incumbents[-1][0]]

    @property
    def best_speedup(self) -> Interval:
        """Incumbent's speedup over the baseline, without the luck of a search score.

        It is the product of the incumbents' ratios, each to the one before. The bounds are wider
        than needed.
        """
        return self._incumbents[-1][1]

    @property
    def incumbents(self) -> Sequence[tuple[int, Interval]]:
        """Best steps in sequence, from the baseline on, each with its speedup then."""
        return tuple(self._incumbents)

    @property
    def expansions(self) -> int:
        """Number of expansions asked for so far, which is also the next expansion's number."""
        return self._expansions

    @property
    def programs(self) -> int:
        """Number of different programs, the baseline included."""
        return len(self._first_of)

    @property
    def pending(self) -> Mapping[int, Expansion]:
        """Expansions asked for and not yet committed, by their number."""
        return MappingProxyType(self._pending)

    def asked_at(self, number: int) -> Moment:
        """State of the tree when a pending expansion was asked for."""
        return self._asked[number]

    def cut_short(self, number: int) -> bool:
        """Whether the budget allowed an expansion fewer candidates than were asked for."""
        return number in self._cut_short

    def children(self, step_id: int) -> Sequence[int]:
        """Ids of the steps grown from this step, oldest first."""
        return tuple(self._children[self[step_id].id])

    def recent_children(
        self, step_id: int, limit: int, before: int | None = None
    ) -> tuple[Step, ...]:
        """Last ``limit`` steps grown from this step, oldest first; only ids below ``before``."""
        children = self._children[self[step_id].id]  # in ascending order
        end = len(children) if before is None else bisect_left(children, before)
        return tuple(self[i] for i in children[max(0, end - limit) : end])

    def path(self, step_id: int) -> Trajectory:
        """The path from the baseline to the step."""
        steps = [self[step_id]]
        while (parent := steps[-1].parent) is not None:
            steps.append(self[parent])
        return Trajectory(tuple(reversed(steps)), self.gamma)

    def find(self, digest: str) -> Step | None:
        """First step whose program has this digest."""
        step_id = self._first_of.get(digest)
        return None if step_id is None else self[step_id]

    def confirmed(self, step_id: int) -> Interval | None:
        """Speedup of the step over the baseline by a comparison of their own, if any was made."""
        comparison = self.confirmation(step_id)
        return comparison.ratio if comparison else None

    def confirmation(self, step_id: int) -> Comparison | None:
        """Last comparison of the step with the baseline: the step first, the baseline second."""
        return self._confirmed.get(step_id)

    def fuzzed(self, step_id: int) -> FuzzResult | None:
        """Comparison of the step with the baseline on generated inputs, if any was made."""
        return self._fuzzed.get(step_id)

    def held_out(self, step_id: int) -> HeldOut | None:
        """The step against the baseline on inputs unseen by the search, if measured."""
        return self._held_out.get(step_id)

    @property
    def counterexamples(self) -> Sequence[Counterexample]:
        """Inputs on which a step that passes the task's tests was found wrong, each once."""
        return tuple(self._counterexamples)

    # -- how the loop grows it --------------------------------------------------------------

    def ask(self, expansion: Expansion) -> int:
        """Note an expansion under way; gives its number."""
        for step_id in (expansion.parent, *expansion.exemplars):
            self[step_id]  # raises KeyError for a step that does not exist
        number = self._expansions
        self._pending[number] = expansion
        self._asked[number] = Moment(len(self), self.best.id, self.programs)
        self._expansions += 1
        return number

    def add(self, step: Step) -> None:
        """Append a step of a pending expansion, or a reduced step."""
        if step.expansion not in self._pending and step.reduced_from is None:
            raise ValueError(f"step {step.id} belongs to no pending expansion: {step.expansion}")
        if step.id != len(self) or step.parent is None or not 0 <= step.parent < step.id:
            raise ValueError(f"step {step.id} cannot follow {len(self) - 1} under {step.parent}")
        self._steps.append(step)
        self._children.append([])
        self._children[step.parent].append(step.id)
        # A failure of the harness says nothing about a program, an unusable answer has none.
        if step.evaluation.status not in (Status.INFRASTRUCTURE, Status.INVALID):
            self._first_of.setdefault(step.program.digest, step.id)

    def close(self, number: int, *, cut_short: bool = False) -> None:
        """Note an expansion as complete, with perhaps fewer steps than asked for."""
        del self._pending[number], self._asked[number]
        if cut_short:
            self._cut_short.add(number)

    def annotate(
        self, step_id: int, *, critique: Critique | None = None, profile: Profile | None = None
    ) -> None:
        """Attach later findings about a step."""
        step = self[step_id]
        critique, profile = critique or step.critique, profile or step.profile
        self._steps[step_id] = replace(step, critique=critique, profile=profile)

    def promote(self, step_id: int, ratio: Interval) -> None:
        """Make a step the incumbent, faster by ``ratio`` than the incumbent before."""
        self._incumbents.append((self[step_id].id, self._chained(ratio)))

    def compare(self, step_id: int, against: int, comparison: Comparison) -> None:
        """Note the comparison of a step with the incumbent, or with the baseline."""
        step, ratio = self[step_id], comparison.ratio
        standing = replace(
            step.standing or Standing(),
            against=against,
            ratio=ratio,
            problem=comparison.problem,
            speedup=self._chained(ratio) if ratio and against != ROOT else ratio,
        )
        self._steps[step_id] = replace(step, standing=standing)

    def _chained(self, ratio: Interval) -> Interval:
        """Speedup over the baseline of a step with this ratio over the incumbent."""
        before, old = self._incumbents[-1]
        # Bonferroni: each factor may miss with its own probability.
        level = ratio.level if before == ROOT else max(old.level + ratio.level - 1, 0.01)
        return Interval(old.value * ratio.value, old.low * ratio.low, old.high * ratio.high, level)

    def demote(self) -> None:
        """Give up an incumbent that failed when measured again; the incumbent before returns."""
        if len(self._incumbents) > 1:
            self._incumbents.pop()

    def confirm(self, step_id: int, comparison: Comparison) -> None:
        """Note a step's speedup over the baseline, measured in a comparison of their own."""
        self._confirmed[self[step_id].id] = comparison

    def forget_confirmation(self, step_id: int) -> None:
        """Remove a step's confirmation."""
        self._confirmed.pop(step_id, None)

    def fuzz(self, step_id: int, result: FuzzResult) -> tuple[Step, ...]:
        """Note how a step compared with the baseline on generated inputs; gives steps refuted.

        Where they differ it is wrong from now on, as are its duplicates, and an incumbent no more.
        A remark is added to its feedback.
        """
        self._fuzzed[self[step_id].id] = result
        if result.counterexample is None:
            if result.remark:
                step = self[step_id]
                said = "; ".join(filter(None, (step.evaluation.feedback, f"it {result.remark}")))
                evaluation = replace(step.evaluation, feedback=said)
                self._steps[step_id] = replace(step, evaluation=evaluation)
            return ()
        self.add_counterexample(result)
        before = [step for step in self if step_id in (step.id, step.duplicate_of)]
        for step in before:
            wrong = replace(
                step.evaluation,
                status=Status.WRONG_ANSWER,
                speedup=None,
                feedback=result.problem,
                details=result.problem,
            )
            standing = replace(step.standing or Standing(), refused=step.speedup)
            self._steps[step.id] = replace(step, evaluation=wrong, standing=standing)
        self._confirmed.pop(step_id, None)
        if self.best.id == step_id:
            self.demote()
        return tuple(before)

    def add_counterexample(self, result: FuzzResult) -> None:
        """Keep the input showing a program to be wrong, if there is any: others are tried on it."""
        found = result.counterexample
        if found and found.input not in {known.input for known in self._counterexamples}:
            self._counterexamples.append(found)

    def hold_out(self, step_id: int, held_out: HeldOut) -> None:
        """Note a step's speedup over the baseline on inputs unseen by the search."""
        self._held_out[self[step_id].id] = held_out
