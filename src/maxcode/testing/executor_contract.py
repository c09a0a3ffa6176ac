"""Contract of any executor."""

# ruff: noqa: S101 - these are tests: they assert

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from maxcode.errors import TaskError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Profile,
    Status,
)
from maxcode.interfaces import Executor, Fuzzes, HoldsOut, Incumbent, Profiles, Trials
from maxcode.program import Program
from maxcode.task import Task

_PLAN = FuzzPlan(seed=1, count=16, seconds=5.0)

Broken = tuple[Program, frozenset[Status]]
"""A program that cannot pass, and its possible statuses."""


class ExecutorContract(ABC):
    """Inherit from it in a test module; pytest then runs its tests against your executor.

    ``faster`` is correct and beats the baseline clearly despite noise: twice as fast or more.
    ``broken`` has a program for each kind of failure the executor distinguishes, with its possible
    statuses; ``INFRASTRUCTURE`` is no verdict on a program. Nothing else is asserted about times.
    For an executor with its own inputs, ``differing`` is a program that passes the task's tests and
    is wrong on many other inputs.
    """

    @abstractmethod
    def make(self) -> Executor:
        """A new executor."""

    @abstractmethod
    def task(self) -> Task:
        """A task whose baseline passes."""

    @abstractmethod
    def faster(self) -> Program:
        """A correct program, clearly faster than the task's baseline."""

    @abstractmethod
    def broken(self) -> Sequence[Broken]:
        """Failing programs, with their possible statuses."""

    def differing(self) -> Program | None:
        """A program that passes, but differs from the baseline on every second further input."""
        return None

    def with_baseline(self, program: Program) -> Task:
        """The task with another baseline; override for tasks that derive it from elsewhere."""
        return replace(self.task(), baseline=program)

    def test_prepare_measures_the_baseline(self) -> None:
        """Return a Baseline whose first measurement, the reward's meter, is above 0."""
        baseline = self.make().prepare(self.task())
        assert isinstance(baseline, Baseline), f"not a Baseline: {baseline!r}"
        assert baseline.value > 0, f"a baseline that takes nothing cannot be improved: {baseline}"

    def test_prepare_refuses_a_baseline_that_fails(self) -> None:
        """Raise TaskError for a failing baseline; it cannot measure others."""
        for program, _ in self.broken():
            try:
                found = self.make().prepare(self.with_baseline(program))
            except TaskError:
                continue
            raise AssertionError(f"{program!r} was accepted as a baseline: {found}")

    def test_the_baseline_and_a_faster_program_pass(self) -> None:
        """Give correct programs ``Status.OK`` with their speedup over the baseline."""
        executor, task = self._prepared()
        for program in (task.baseline, self.faster()):
            evaluation = executor.evaluate(task, program)
            assert evaluation.status is Status.OK, f"{program!r}: {evaluation}"
            assert evaluation.speedup is not None, f"no speedup: {evaluation}"
            assert evaluation.reward > 0, f"no reward: {evaluation}"

    def test_broken_programs_get_a_status_and_no_reward(self) -> None:
        """Return a failure as its status with feedback, without a speedup; never raise it."""
        executor, task = self._prepared()
        for program, allowed in self.broken():
            evaluation = executor.evaluate(task, program)
            assert isinstance(evaluation, Evaluation), f"not an Evaluation: {evaluation!r}"
            assert evaluation.status in allowed, f"{evaluation}, expected one of {set(allowed)}"
            assert evaluation.speedup is None, f"a speedup without passing: {evaluation}"
            assert evaluation.reward == 0, f"a reward without passing: {evaluation}"
            assert evaluation.feedback, f"{evaluation.status} without a word for the generator"

    def test_forbidden_changes_are_refused(self) -> None:
        """Run no program whose task forbids one of its changes."""
        executor, task = self._prepared()
        program = task.baseline.with_file("protected.txt", "")
        evaluation = executor.evaluate(task, program)
        assert evaluation.status is Status.INVALID, f"not refused: {evaluation}"
        assert evaluation.feedback, "refused without a word"
        for a, b in ((program, task.baseline), (task.baseline, program)):
            comparison = executor.compare(task, a, b)
            assert comparison.ratio is None, f"not refused: {comparison}"
            assert comparison.problem == evaluation.feedback, f"another word: {comparison.problem}"

    def test_a_speedup_is_over_the_baseline_whatever_was_timed_beside_it(self) -> None:
        """Multiply the measured ratio by the incumbent's speedup, or time the baseline instead."""
        executor, task = self._prepared()
        best = executor.evaluate(task, self.faster())
        assert best.speedup is not None, f"right and fast, but: {best}"
        incumbent = Incumbent(self.faster(), best.speedup, best.measurements[0].median)
        slow = executor.evaluate(task, task.baseline, against=incumbent)
        assert slow.ok, f"right, but: {slow}"
        assert slow.reward < best.reward, f"a speedup over the incumbent: {slow}"
        assert slow.against in ("", incumbent.program.digest), f"against whom? {slow.against}"

    def test_a_first_look_agrees_with_the_verdict(self) -> None:
        """Return None if unsupported, else OK for correct programs, and failures of others."""
        executor, task = self._prepared()
        if not isinstance(executor, Trials):
            return
        looked = executor.try_out(task, self.faster(), quick=False)
        if looked is None:
            return
        assert looked.status is Status.OK, f"right, but: {looked}"
        assert not looked.problem, f"a problem of what is right: {looked}"
        quick = executor.try_out(task, self.faster(), quick=True)
        assert quick is not None, "no quick look where there is a thorough one"
        assert quick.status is Status.OK, f"right, but at a quick look: {quick}"
        for program, allowed in self.broken()[:2]:
            trial = executor.try_out(task, program, quick=False)
            assert trial is not None, "no look at a program that fails"
            assert trial.status in {*allowed, Status.OK}, f"{trial}, and the verdict is {allowed}"

    def test_a_verdict_does_not_depend_on_those_before(self) -> None:
        """Clean up after a failure, so it does not spoil the next verdict."""
        executor, task = self._prepared()
        for program, _ in self.broken():
            executor.evaluate(task, program)
        evaluation = executor.evaluate(task, self.faster())
        assert evaluation.ok, f"spoilt by the broken ones before: {evaluation}"

    def test_judges_in_several_threads_at_once(self) -> None:
        """Use separate files and processes for each evaluation; lock shared state."""
        executor, task = self._prepared()
        programs = [task.baseline, self.faster(), *(program for program, _ in self.broken())] * 2
        allowed = [frozenset({Status.OK})] * 2 + [statuses for _, statuses in self.broken()]
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda program: executor.evaluate(task, program), programs))
        for evaluation, statuses in zip(found, allowed * 2, strict=True):
            assert evaluation.status in statuses, f"{evaluation}, expected one of {set(statuses)}"

    def test_a_comparison_favours_the_first_above_one(self) -> None:
        """The ratio is the second's measure over the first's; do not turn it round."""
        executor, task = self._prepared()
        for a, b, first_is_faster in (
            (self.faster(), task.baseline, True),
            (task.baseline, self.faster(), False),
        ):
            comparison = executor.compare(task, a, b)
            assert isinstance(comparison, Comparison), f"not a Comparison: {comparison!r}"
            assert comparison.ratio is not None, f"no ratio of two that pass: {comparison.problem}"
            assert (comparison.ratio.value > 1) is first_is_faster, f"wrong way: {comparison}"

    def test_a_comparison_with_a_broken_program_has_no_ratio(self) -> None:
        """Return ``ratio=None`` and the problem, whichever of the two fails."""
        executor, task = self._prepared()
        for program, _ in self.broken():
            for a, b in ((program, task.baseline), (task.baseline, program)):
                comparison = executor.compare(task, a, b)
                assert comparison.ratio is None, f"{program!r} was compared: {comparison}"
                assert comparison.problem, "neither a ratio nor a problem"

    def test_a_profile_has_text_or_is_none(self) -> None:
        """Return None if unknown, else text and shares from 0 to 1."""
        executor, task = self._prepared()
        profile = executor.profile(task, self.faster()) if isinstance(executor, Profiles) else None
        if profile is not None:
            assert isinstance(profile, Profile), f"not a Profile: {profile!r}"
            assert profile.text, "a profile without text"
            for line in profile.lines:
                assert 0 <= line.share <= 1, f"a share lies between 0 and 1: {line}"

    def test_what_is_right_agrees_with_the_baseline_on_further_inputs(self) -> None:
        """Return None without inputs, else the number that agreed; a problem only if different."""
        executor, task = self._prepared()
        found = executor.fuzz(task, self.faster(), _PLAN) if isinstance(executor, Fuzzes) else None
        if found is not None:
            assert isinstance(found, FuzzResult), f"not a FuzzResult: {found!r}"
            assert found.counterexample is None, f"right, but found wrong: {found.problem}"
            assert found.agreed or found.why, (
                "neither an input that was tried nor why there is none"
            )

    def test_a_difference_is_found_and_found_again(self) -> None:
        """Name an input on which the two differ, as text sufficient to try it on others."""
        differing = self.differing()
        if differing is None:
            return
        executor, task = self._prepared()
        assert executor.evaluate(task, differing).ok, "it is to pass the task's own tests"
        assert isinstance(executor, Fuzzes), "a differing program, and no inputs to show it by"
        found = executor.fuzz(task, differing, _PLAN)
        assert found is not None, "an executor with a differing program has no inputs"
        assert found.counterexample is not None, f"nothing was found: {found}"
        assert found.problem, "a difference without a word for the generator"
        known = FuzzPlan(count=0, known=(found.counterexample,))
        again = executor.fuzz(task, differing, known)
        assert again is not None, "None, where inputs are known"
        assert again.counterexample is not None, "right on its own counterexample"
        right = executor.fuzz(task, self.faster(), known)
        assert right is not None, "None, where inputs are known"
        assert right.counterexample is None, f"right, but found wrong: {right.problem}"

    def test_held_out_inputs_have_a_ratio_or_a_problem(self) -> None:
        """Return None without inputs; else the ratio on them as from ``compare``, or a problem."""
        executor, task = self._prepared()
        if not isinstance(executor, HoldsOut):
            return
        held_out = executor.held_out(task, self.faster(), 1)
        if held_out is not None:
            assert isinstance(held_out, HeldOut), f"not a HeldOut: {held_out!r}"
            assert (held_out.ratio is None) == bool(held_out.problem), f"or both: {held_out}"
            assert held_out.inputs or held_out.problem, f"measured on nothing: {held_out}"

    def _prepared(self) -> tuple[Executor, Task]:
        executor, task = self.make(), self.task()
        executor.prepare(task)
        return executor, task
