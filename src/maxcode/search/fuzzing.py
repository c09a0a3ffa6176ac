"""Comparisons with the baseline and timings on inputs beyond the task's.

Only the session's thread comes here, in the order of commitment: findings depend on the seed alone,
as far as the executor gets through its inputs in their time.
"""

from __future__ import annotations

from maxcode.evaluation import Comparison, FuzzPlan, FuzzResult
from maxcode.interfaces import Executor, Fuzzes, HoldsOut
from maxcode.journal.events import Fuzzed, HeldOutMeasured
from maxcode.journal.state import Recorder
from maxcode.options import Options, derive
from maxcode.program import Program
from maxcode.search.plugins import patiently
from maxcode.task import Task
from maxcode.tree import ROOT, SearchTree, Step


class Fuzzing:
    """Compares steps with the baseline on inputs beyond the task's, unless ``fuzz`` is 0."""

    def __init__(self, task: Task, executor: Executor, record: Recorder, options: Options) -> None:
        self._task = task
        self._executor = executor
        self._record = record
        self._options = options
        self._tried: dict[int, int] = {}  # how many counterexamples of the run each step passed
        self._spread = 0  # how many were tried on all steps

    @property
    def _tree(self) -> SearchTree:
        return self._record.state.tree

    def refute_all(self, *, ended: bool = False) -> None:
        """Try new counterexamples on the best and all other steps that pass the tests.

        With several expansions under way this waits for the end: each is shown the tree as it was
        when it was asked for, also in a resumed run.
        """
        at_once = (self._options.in_flight or 1) == 1 and not self._tree.pending
        if len(self._tree.counterexamples) > self._spread and (ended or at_once):
            self._spread = len(self._tree.counterexamples)
            for step in (self._tree.best, *self._tree):
                self.refute(step)

    def refute(self, step: Step) -> bool:
        """Try the run's counterexamples on a step; whether it is wrong on any, then recorded."""
        step = self._tree[step.id]  # an earlier one may have shown it by now
        known = self._tree.counterexamples
        if not self._options.fuzz:
            return False
        untried = known[self._tried.get(step.id, 0) :]
        if not (untried and step.evaluation.ok and step.id != ROOT and step.duplicate_of is None):
            return False
        self._tried[step.id] = len(known)
        result = self._compared(step.program, FuzzPlan(count=0, known=tuple(untried)))
        if result is None or result.counterexample is None:
            return False
        self._record(Fuzzed(step=step.id, result=result))
        return True

    def fuzz(self, step: Step) -> tuple[Fuzzed, ...]:
        """Compare a step with the baseline; gives the event to record, unless it is known."""
        if step.id == ROOT or self._tree.fuzzed(step.id) is not None:
            return ()
        result = self.compare(step.program)
        self._tried[step.id] = len(self._tree.counterexamples)
        return () if result is None else (Fuzzed(step=step.id, result=result),)

    def drawn(self, comparison: Comparison, first: Step, second: Step) -> tuple[Fuzzed, ...]:
        """Counterexamples drawn by the rounds of a comparison, as events to record."""
        found = ((first, comparison.first_wrong), (second, comparison.second_wrong))
        return tuple(
            Fuzzed(step=step.id, result=result)
            for step, result in found
            if result is not None and step.id != ROOT
        )

    def compare(self, program: Program) -> FuzzResult | None:
        """Compare a program with the baseline on the run's inputs; None without any."""
        if not self._options.fuzz:
            return None
        seed = derive(self._options.seed, "fuzz", 0)  # of the run: all have the same inputs
        known = tuple(self._tree.counterexamples)
        return self._compared(program, FuzzPlan(seed, self._options.fuzz, known=known))

    def hold_out(self, step: Step) -> bool:
        """Measure a step on inputs unseen by the search; whether it is wrong on any."""
        executor, known = self._executor, self._tree.held_out(step.id) is not None
        if not self._options.fuzz or step.id == ROOT or known or not isinstance(executor, HoldsOut):
            return False
        seed = derive(self._options.seed, "held out", 0)
        where = f"the measurement of step {step.id} on held-out inputs"
        found = patiently(where, lambda: executor.held_out(self._task, step.program, seed))
        if found is None:
            return False
        measured = HeldOutMeasured(step=step.id, held_out=found)
        if found.counterexample is None:
            self._record(measured)
            return False
        wrong = FuzzResult(problem=found.problem, counterexample=found.counterexample)
        self._record(measured, Fuzzed(step=step.id, result=wrong))
        self.refute_all(ended=True)
        return True

    def _compared(self, program: Program, plan: FuzzPlan) -> FuzzResult | None:
        executor = self._executor
        if not isinstance(executor, Fuzzes):
            return None
        where = f"the comparison of {program.digest[:12]} on further inputs"
        return patiently(where, lambda: executor.fuzz(self._task, program, plan))
