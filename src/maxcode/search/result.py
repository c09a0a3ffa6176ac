"""Result of a search: its findings, confirmed, and its spending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from maxcode.budget import Cost, Usage
from maxcode.errors import JournalError
from maxcode.evaluation import (
    Baseline,
    FuzzResult,
    HeldOut,
    HunkWorth,
    Interval,
    Measurement,
    Reason,
    Status,
)
from maxcode.journal.events import Reduced
from maxcode.journal.state import RunState
from maxcode.options import MIN_GAIN
from maxcode.program import Program
from maxcode.search.needs import instruction_sets, runtime_needs
from maxcode.search.summary import (
    elsewhere,
    ending,
    evidence,
    figures,
    further,
    model_usage,
    reduction,
    returned_step,
    tried,
)
from maxcode.text import interval, percent, plain
from maxcode.tree import SearchTree, Step


@dataclass(frozen=True, repr=False)
class Result:
    """The outcome of a run, finished or not.

    ``status`` is ``running`` while no end was written; ``reason`` says why it ended, ``cause`` says
    it to programs. ``best`` is the incumbent, or the step ``returned`` by the policy in its place
    (:meth:`SearchPolicy.returned`). ``speedup`` is over the baseline: ``confirmed`` by fresh
    samples side by side, else the product of the confirmations along the way. ``usage`` is of each
    model, by name. ``reduced`` describes the reduction of the best program, ``hunks`` the worth of
    each hunk of its diff, and ``reducing`` counts the evaluations spent on it, beside the budget.
    ``first_score`` is the highest speedup of a program when it was first timed.
    """

    run_id: str
    task: str
    status: Literal["done", "interrupted", "failed", "running"]
    reason: str
    tree: SearchTree
    baseline: Baseline
    spent: Cost
    by_status: Mapping[Status, int]
    usage: Mapping[str, Usage] = field(default_factory=dict)
    returned: int | None = None
    reduced: Reduced | None = None
    hunks: tuple[HunkWorth, ...] = ()
    reducing: int = 0
    first_score: float = 0.0
    min_gain: float = MIN_GAIN
    cause: Reason | None = None

    @classmethod
    def of(cls, state: RunState) -> Result:
        """The result so far of a run. Raises :class:`JournalError` before its baseline is known."""
        tree = state.tree
        if state.started is None or state.baseline is None:
            raise JournalError(f"run {state.log.run_id} has not begun")
        reduction = state.work.reduction
        if reduction and tree.best.id != reduction.started.step != tree.best.reduced_from:
            reduction = None  # it was of a best program of before
        scored = (step.evaluation for step in list(tree)[1:])
        return cls(
            run_id=state.log.run_id,
            task=state.started.task,
            status=state.stopped.status if state.stopped else "running",
            reason=state.stopped.reason if state.stopped else "",
            cause=state.stopped.cause if state.stopped else None,
            tree=tree,
            baseline=state.baseline,
            spent=state.spent,
            by_status=dict(state.outcomes),
            usage=dict(state.account.usage),
            returned=state.progress.returned,
            reduced=reduction.reduced if reduction else None,
            hunks=(reduction.hunks if reduction else None) or (),
            reducing=state.account.reducing,
            first_score=max(
                (one.reward for one in (*scored, *state.work.evaluations.values()) if one.ok),
                default=0.0,
            ),
            min_gain=state.started.options.min_gain,
        )

    @property
    def best(self) -> Step:
        """The best step; the baseline when nothing beat it."""
        return self.tree.best if self.returned is None else self.tree[self.returned]

    @property
    def program(self) -> Program:
        """The best program."""
        return self.best.program

    @property
    def speedup(self) -> Interval:
        """The best program's speedup over the baseline."""
        best = self.best
        score = self.tree.best_speedup if self.returned is None else best.evaluation.speedup
        return self.tree.confirmed(best.id) or score or self.tree.best_speedup

    @property
    def confirmed(self) -> bool:
        """Whether ``speedup`` comes from a comparison of the best program with the baseline."""
        return self.tree.confirmed(self.best.id) is not None

    @property
    def fuzzed(self) -> FuzzResult | None:
        """Comparison of the best program with the baseline on generated inputs, if any was made."""
        return self.tree.fuzzed(self.best.id)

    @property
    def held_out(self) -> HeldOut | None:
        """Speedup of the best program on inputs unseen by the search, if measured."""
        return self.tree.held_out(self.best.id)

    @property
    def elsewhere(self) -> str:
        """Speedup on held-out inputs in words, where it differs from the speedup on the tests."""
        return elsewhere(self.speedup, self.held_out)

    @property
    def further(self) -> list[tuple[str, str]]:
        """Whether it is as right and as fast on other inputs and in other layouts, in words."""
        confirmation = self.tree.confirmation(self.best.id)
        drawn = confirmation.drawn if confirmation else None
        return further(self.speedup, self.fuzzed, self.held_out, drawn)

    @property
    def measured(self) -> tuple[Measurement, Measurement] | None:
        """Samples of the baseline and of the best program, on the meter to minimise.

        They are the samples behind ``speedup`` where it is confirmed: taken in turn. Else each is
        from its own evaluation. None where nothing was measured.
        """
        before, now = self.samples
        return (before[0], now[0]) if before and now else None

    @property
    def samples(self) -> tuple[tuple[Measurement, ...], tuple[Measurement, ...]]:
        """Samples of both on all meters read, the meter to minimise first; see :attr:`measured`."""
        comparison = self.tree.confirmation(self.best.id)
        if comparison and comparison.first:
            return comparison.second, comparison.first
        return self.baseline.measurements, self.best.evaluation.measurements

    @property
    def needs(self) -> list[str]:
        """Needs of the best program beyond the baseline's, in words."""
        sets = instruction_sets(self.tree.root.program, self.program)
        return [*sets, *runtime_needs(*self.samples)]

    @property
    def figures(self) -> tuple[str, str]:
        """Readings in words under the meter's name: the baseline's and, if faster, the best's.

        Every display of a run shows these, so no two of its figures disagree.
        """
        before, now = self.measured or (self.baseline.measurements[0], None)
        return figures(before, now if self.improved else None)

    @property
    def improved(self) -> bool:
        """Whether the best program is faster than the baseline, by enough to change it."""
        return self.best.parent is not None and self.speedup.faster(self._floor)

    @property
    def _floor(self) -> float:
        """Least gain worth a change: ``min_gain``, or the effect of relinking the program."""
        confirmation = self.tree.confirmation(self.best.id)
        drawn = confirmation.drawn if confirmation else None
        return max(self.min_gain, (drawn and drawn.spread) or 0.0)

    @property
    def nothing(self) -> str:
        """The headline of a result that did not improve, in words."""
        if self.best.parent is not None and self.speedup.faster():
            gain, floor = percent(self.speedup.value - 1), percent(self._floor)
            return f"nothing worth changing: the best gains {gain}, less than {floor}"
        return f"nothing faster {'found' if self.returned is None else 'returned'}"

    def diff(self) -> str:
        """Unified diff from the baseline to the best program."""
        return self.tree.root.program.diff(self.program)

    def __repr__(self) -> str:
        how = "confirmed" if self.confirmed else "not confirmed"
        return f"<Result {self.run_id}: {self.status}, {self.speedup}, {how}>"

    def _repr_html_(self) -> str:
        """The result as a notebook shows it: headline, facts, diff."""
        facts = [evidence(confirmed=self.confirmed), *self.further] if self.improved else []
        facts += [self.figures, *returned_step(self.tree, self.returned)]
        facts += reduction(self.tree, self.reduced)
        facts.append(("tried", tried(self.spent, self.by_status, self.reducing)))
        facts += [*model_usage(self.usage), ("run", self.run_id)]
        facts += [("little is compared", gap) for gap in self.baseline.gaps]
        facts.append(("ended", ending(self.status, self.reason)))
        headline = f"{interval(self.speedup)} faster" if self.improved else self.nothing
        lines = [f"{self.task}: {headline}", *(f"{name}: {text}" for name, text in facts if text)]
        text = "\n".join([*lines, "", self.diff() if self.improved else ""])
        return f'<pre style="max-height: 40em; overflow: auto">{escape(plain(text))}</pre>'
