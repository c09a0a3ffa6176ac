"""Reduction of a search's best program to the changes needed for its gain.

The hunks of its diff from the baseline are left out in ever smaller groups: ddmin of A. Zeller and
R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE Transactions on Software
Engineering 28(2), 2002, with three answers. A hunk is *dropped* if the program without it is right
on all tests and not slower than the best by more than a margin; it is *kept* if the program without
it does not build, is wrong or is slower; an undecided hunk is kept, too. A hunk dropped because of
noise would be lost, so the risk of it is limited for all tests together. Single hunks are tried
once: what a larger program needs, a smaller hardly does without. Groups below 2 % of the changed
lines are not tried, since what is left has to be confirmed anew. At last each hunk's worth is
measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import ceil
from statistics import NormalDist

from maxcode.budget import Budget
from maxcode.errors import ExecutorError
from maxcode.evaluation import (
    Comparison,
    Evaluation,
    FuzzResult,
    HunkWorth,
    Interval,
    Reason,
    Status,
)
from maxcode.interfaces import Executor
from maxcode.journal.events import (
    Ending,
    HunksMeasured,
    Purpose,
    Reduced,
    ReductionStarted,
    VariantCompared,
    VariantEvaluated,
    VariantFuzzed,
)
from maxcode.journal.open import Reduction
from maxcode.journal.state import Recorder
from maxcode.program import Program
from maxcode.search.changes import Hunk, applied, changed_lines, pieces
from maxcode.search.plugins import patiently, verdicts
from maxcode.task import Task
from maxcode.tree import ROOT, Step

MARGIN = 0.01
"""Slowdown allowed for the reduced program, as a share of the best program's speed."""

RISK = 0.05
"""Probability of accepting a larger slowdown, over all tests together."""

_OF_GAIN = 0.2  # the margin is no more than this share of what was gained
_LEAST = 5  # evaluations of a reduction, however few the search had
_FILTER = 0.05  # a score this much below the best's is not worth a comparison
_LITTLE = 0.02  # of the changed lines: leaving fewer out is not worth another confirmation
_FEW = 8  # hunks that are tried one by one at once
_WHERE = "the reduction of the best program"


def allowance(share: float, evaluations: int) -> int:
    """Most evaluations of a reduction after a search with so many."""
    return max(_LEAST, ceil(share * evaluations)) if share else 0


class _SpentError(Exception):
    """The reduction has used up its share."""


class Minimiser:
    """Reduces best programs, and records its findings in the journal.

    It decides by the recorded events alone, so that an interrupted reduction goes on to the same
    end and pays for nothing twice. ``fuzz`` compares a program with the baseline on further inputs
    before it takes the best program's place.
    """

    def __init__(
        self,
        task: Task,
        executor: Executor,
        record: Recorder,
        fuzz: Callable[[Program], FuzzResult | None] = lambda _: None,
    ) -> None:
        self._task = task
        self._executor = executor
        self._record = record
        self._state = record.state
        self._fuzz = fuzz

    def run(self, share: float, budget: Budget, ending: Ending, *, again: bool) -> Iterator[Step]:
        """Reduce the best program, if it was confirmed; gives the step that takes its place.

        ``share`` bounds its spending (``Options.minimise``); ``budget`` and ``ending`` are the
        search's, at its end. With ``again`` a reduction that had taken its share is continued.
        """
        best, known = self._state.tree.best, self._state.work.reduction
        if known and known.started.step not in (best.id, best.reduced_from):
            known = None
        if known and known.reduced and not (again and known.reduced.cut_short):
            return
        if known is None or known.reduced:
            if not self._worth_it(best):
                return
            self._begin(best, share, budget, ending)
        yield from self._reduce(best)

    def _worth_it(self, best: Step) -> bool:
        """Whether there is more than one change, and the gain is beyond doubt."""
        speedup = self._state.tree.confirmed(best.id)
        if self._state.progress.returned is not None or not speedup or speedup.low <= 1:
            return False
        return best.id != ROOT and len(pieces(self._task.baseline, best.program)) > 1

    def _begin(self, best: Step, share: float, budget: Budget, ending: Ending) -> None:
        speedup = self._state.tree.confirmed(best.id)
        gain = 1 - 1 / speedup.low if speedup else 0.0
        self._record(
            ReductionStarted(
                step=best.id,
                budget=budget,
                **ending._asdict(),
                evaluations=allowance(share, self._state.account.settled.evaluations),
                seconds=None if budget.seconds is None else share * budget.seconds,
                margin=min(MARGIN, _OF_GAIN * gain),
            )
        )

    @property
    def _reduction(self) -> Reduction:
        found = self._state.work.reduction
        assert found is not None  # noqa: S101 - it was begun
        return found

    def _reduce(self, best: Step) -> Iterator[Step]:
        found, cut_short = self._smallest(best)
        if found and not self._holds(best, found):
            found = None
        worths = self._worths(found or best.program)
        reduced = Reduced(
            step=best.id,
            program=found.digest if found else "",
            before=self._lines(best.program),
            after=self._lines(found or best.program),
            cut_short=cut_short or any(one.reason is Reason.BUDGET for one in worths),
        )
        yield from self._record(
            reduced, HunksMeasured(hunks=tuple(worths)), named=[found] if found else []
        )

    def _lines(self, program: Program) -> int:
        return changed_lines(self._task.baseline, program)

    # -- which hunks may be left out -------------------------------------------------------------

    def _smallest(self, best: Step) -> tuple[Program | None, bool]:
        """The smallest program that passed, if any; and whether the share cut this short."""
        found, cut_short = list[Program](), False
        try:
            for program in self._dropped(best):
                found.append(program)
        except _SpentError:
            cut_short = True
        smallest = min((best.program, *found), key=self._lines)
        return (None if smallest == best.program else smallest), cut_short

    def _dropped(self, best: Step) -> Iterator[Program]:
        """Programs with fewer and fewer of the best program's hunks; each passed its test."""
        base = self._task.baseline
        kept = pieces(base, best.program)
        groups = len(kept) if len(kept) <= _FEW else 2
        while len(kept) > 1:
            groups = min(groups, len(kept))
            fruitless, last = True, groups == len(kept)
            little = _LITTLE * sum(hunk.size for hunk in kept)
            for group in _in_groups(kept, groups):
                if sum(hunk.size for hunk in group) < little:
                    continue
                rest = [hunk for hunk in kept if hunk not in group]
                variant = applied(base, rest)
                if variant != base and self._passes(best, variant):
                    kept, fruitless = rest, False
                    yield variant
            if last:
                return
            groups = groups if not fruitless else 2 * groups

    def _passes(self, best: Step, variant: Program) -> bool:
        """Whether a variant may stand for the best: by its score first, then by a comparison."""
        evaluation, tree = self._evaluated(variant), self._state.tree
        known = (tree.confirmed(best.id) or tree.best_speedup, tree.best_speedup)
        if not evaluation.ok or evaluation.reward < (1 - _FILTER) * min(one.value for one in known):
            return False
        return self._as_fast("drop", best, variant)

    def _as_fast(self, purpose: Purpose, best: Step, program: Program) -> bool:
        """Whether a comparison with the best shows a loss of no more than the margin."""
        ratio = self._compared(purpose, program, best.program).ratio
        tests = self._reduction.started.evaluations + 1
        return bool(ratio and lower(ratio, RISK / tests) > 1 - self._reduction.started.margin)

    # -- what takes the place of the best --------------------------------------------------------

    def _holds(self, best: Step, program: Program) -> bool:
        """Whether fresh samples show a program as fast as the best, and faster than the baseline.

        The reduction's limits do not hold for these comparisons.
        """
        if not (self._agrees(program) and self._as_fast("confirm", best, program)):
            return False
        ratio = self._compared("baseline", program, self._task.baseline).ratio
        return ratio is not None and ratio.faster()

    def _agrees(self, program: Program) -> bool:
        """Whether further inputs show no difference from the baseline."""
        result = self._reduction.fuzzed.get(program.digest)
        if result is None and (result := self._fuzz(program)) is not None:
            self._record(VariantFuzzed(program=program.digest, result=result))
        return result is None or result.counterexample is None

    # -- what each hunk is worth -----------------------------------------------------------------

    def _worths(self, program: Program) -> list[HunkWorth]:
        """Each hunk's worth: the program against itself without the hunk."""
        every = pieces(self._task.baseline, program)
        return [self._worth(program, every, i) for i in range(len(every))]

    def _worth(self, program: Program, every: Sequence[Hunk], number: int) -> HunkWorth:
        base, hunk = self._task.baseline, every[number]
        place = hunk.path, hunk.header, hunk.size
        rest = [one for one in every if one != hunk]
        if not rest:  # without it, it is the baseline
            found = self._reduction.comparisons.get(("baseline", program.digest, base.digest))
            confirmed = self._state.tree.confirmed(self._state.tree.best.id)
            return HunkWorth(*place, found.ratio if found else confirmed)
        try:
            if number >= self._reduction.started.evaluations:
                raise _SpentError
            found = self._compared("hunk", program, applied(base, rest))
        except _SpentError:
            spent = "not measured: the reduction had taken its share of the budget"
            return HunkWorth(*place, None, spent, Reason.BUDGET)
        reason = Reason.FAILED if found.ratio is None else None
        return HunkWorth(*place, found.ratio, found.problem, reason)

    # -- what the executor says, kept in the journal ---------------------------------------------

    def _evaluated(self, program: Program) -> Evaluation:
        known = self._reduction.evaluations.get(program.digest)
        known = known or self._state.evaluation(program.digest)
        if known is not None:
            return known
        if self._reduction.judged >= self._reduction.started.evaluations:
            raise _SpentError
        self._check_time()
        try:
            evaluation = verdicts(self._executor, self._task, program, self._state.tree)[-1]
        except ExecutorError as error:  # the search is over: it shall not fail now
            evaluation = Evaluation(Status.INFRASTRUCTURE, feedback=str(error))
        self._record(
            VariantEvaluated(program=program.digest, evaluation=evaluation), named=[program]
        )
        return evaluation

    def _compared(self, purpose: Purpose, a: Program, b: Program) -> Comparison:
        known = self._reduction.comparisons.get((purpose, a.digest, b.digest))
        if known is not None:
            return known
        if purpose in ("drop", "hunk"):
            self._check_time()
        margin = self._reduction.started.margin if purpose in ("drop", "confirm") else 0.0

        try:
            comparison = patiently(
                _WHERE, lambda: self._executor.compare(self._task, a, b, margin=margin)
            )
        except ExecutorError as error:
            comparison = Comparison(None, problem=str(error))
        event = VariantCompared(
            program=a.digest, against=b.digest, purpose=purpose, comparison=comparison
        )
        self._record(event, named=[a, b])
        return comparison

    def _check_time(self) -> None:
        """Raise if the reduction has taken its share of time, by the recorded events."""
        limit = self._reduction.started.seconds
        if limit is not None and self._reduction.seconds >= limit:
            raise _SpentError


def _in_groups(kept: Sequence[Hunk], groups: int) -> list[list[Hunk]]:
    """Neighbouring hunks in so many groups, the largest group first."""
    ends = [round(len(kept) * i / groups) for i in range(groups + 1)]
    found = [list(kept[a:b]) for a, b in pairwise(ends) if b > a]
    return sorted(found, key=lambda group: -sum(hunk.size for hunk in group))


def lower(ratio: Interval, risk: float) -> float:
    """Lower bound of a ratio, wrong with probability ``risk``.

    The interval is rescaled from its own level as if the logarithm of its estimate were normal,
    which the Hodges-Lehmann estimate is in the limit (Hollander, Wolfe and Chicken, "Nonparametric
    Statistical Methods", 3rd edition, section 3.2). Each of n tests gets an n-th of the whole risk
    (Bonferroni).
    """
    normal = NormalDist()
    stretch = normal.inv_cdf(1 - risk) / normal.inv_cdf((1 + ratio.level) / 2)
    return ratio.value * (ratio.low / ratio.value) ** stretch if ratio.low > 0 else 0.0
