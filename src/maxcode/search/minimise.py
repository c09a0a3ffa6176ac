"""Reduction of a search's best program to the changes needed for its gain.

The hunks of its diff from the baseline are left out in ever smaller groups: ddmin of A. Zeller and
R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE Transactions on Software
Engineering 28(2), 2002, with three answers. A hunk is *dropped* if the program without it is right
on all tests and not slower than the best by more than a margin; it is *kept* if the program without
it does not build, is wrong or is slower; an undecided hunk is kept, too. A hunk dropped because of
noise would be lost, so the risk of it is limited for all tests together. Single hunks are tried
once: what a larger program needs, a smaller hardly does without. At last each hunk's worth is
measured, and those that make the program slower are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from maxcode.search.plugins import error_context, incumbent, patiently
from maxcode.task import Task
from maxcode.tree import ROOT, Step

MARGIN = 0.01
"""Slowdown allowed for the reduced program, as a share of the best program's speed."""

RISK = 0.05
"""Probability of accepting a larger slowdown, over all tests together."""

_OF_GAIN = 0.2  # the margin is no more than this share of what was gained
_LEAST = 5  # evaluations of a reduction, however few the search had
_SPARE = 1  # evaluation for dropping hunks that make it slower
_FILTER = 0.05  # a score this much below the best's is not worth a comparison
_FEW = 8  # hunks that are tried one by one at once
_CONFIRMATIONS = 3  # of a program, as long as they cannot tell
_FALLBACKS = 3  # programs that are confirmed, each after the one before did not hold


_UNMEASURED = "not measured: the reduction had taken its share of the budget"


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
        retries: int = 2,
        fuzz: Callable[[Program], FuzzResult | None] = lambda _: None,
    ) -> None:
        self._task = task
        self._executor = executor
        self._record = record
        self._state = record.state
        self._retries = retries
        self._fuzz = fuzz
        self._used: Counter[tuple[str, str, str]] = Counter()  # comparisons that were looked at
        self._answers: dict[str, bool | None] = {}
        self._limited = True
        self._extra = 0  # evaluations allowed beyond the share
        self._cut_short = False

    def run(self, share: float, budget: Budget, ending: Ending, *, again: bool) -> Iterator[Step]:
        """Reduce the best program, if it was confirmed; gives the step that takes its place.

        ``share`` bounds its spending (``Options.minimise``); ``budget`` and ``ending`` are the
        search's, at its end. With ``again`` rewritten files are reduced, too, and a reduction that
        had taken its share is continued.
        """
        best = self._state.tree.best
        known = self._state.work.reduction
        if known and known.reduced and known.started.step in (best.id, best.reduced_from):
            if known.hunks is None:  # it was cut off
                self._record(HunksMeasured(hunks=tuple(self._worths(best.program).values())))
            if not again or (known.started.asked and not known.reduced.cut_short):
                return
        elif known and known.started.step == best.id and known.started.asked >= again:
            yield from self._reduce(best)
            return
        if self._worth_it(best, asked=again):
            self._begin(best, share, budget, ending, asked=again)
            yield from self._reduce(best)

    def _worth_it(self, best: Step, *, asked: bool) -> bool:
        """Whether there is more than one change, and the gain is beyond doubt."""
        speedup = self._state.tree.confirmed(best.id)
        if self._state.progress.returned is not None or not speedup or speedup.low <= 1:
            return False
        return best.id != ROOT and len(pieces(self._task.baseline, best.program, finer=asked)) > 1

    def _begin(
        self, best: Step, share: float, budget: Budget, ending: Ending, *, asked: bool
    ) -> None:
        speedup = self._state.tree.confirmed(best.id)
        gain = 1 - 1 / speedup.low if speedup else 0.0
        self._record(
            ReductionStarted(
                step=best.id,
                budget=budget,
                **ending._asdict(),
                evaluations=allowance(share, self._state.account.settled.evaluations) - _SPARE,
                seconds=None if budget.seconds is None else share * budget.seconds,
                margin=min(MARGIN, _OF_GAIN * gain),
                asked=asked,
            )
        )

    @property
    def _reduction(self) -> Reduction:
        found = self._state.work.reduction
        assert found is not None  # noqa: S101 - it was begun
        return found

    def _pieces(self, program: Program) -> list[Hunk]:
        return pieces(self._task.baseline, program, finer=self._reduction.started.asked)

    def _reduce(self, best: Step) -> Iterator[Step]:
        base = self._task.baseline
        before = changed_lines(base, best.program)
        smaller = [one for one in self._candidates(best) if changed_lines(base, one) < before]
        found = self._confirmed(best, smaller)
        worths = self._worths(found or best.program)
        if slowing := [hunk for hunk, one in worths.items() if one.worth and one.worth.high < 1]:
            rest = applied(base, [hunk for hunk in worths if hunk not in slowing])
            if without := self._confirmed(best, [rest]):
                found, worths = without, self._worths(without)
        event = Reduced(
            step=best.id,
            program=found.digest if found else "",
            before=before,
            after=changed_lines(base, found) if found else before,
            cut_short=self._cut_short
            or any(one.reason is Reason.BUDGET for one in worths.values()),
        )
        measured = HunksMeasured(hunks=tuple(worths.values()))
        yield from self._record(event, measured, named=[found] if found else [])

    # -- which hunks may be left out -------------------------------------------------------------

    def _candidates(self, best: Step) -> list[Program]:
        """Smaller programs that passed their tests, the smallest first."""
        base, found = self._task.baseline, []
        self._limited, self._extra = True, 0
        try:
            for program in self._dropped(best):
                found.append(program)  # noqa: PERF402 - those before it is spent are kept
        except _SpentError:
            self._cut_short = True
        self._extra = _SPARE
        return sorted(found, key=lambda one: changed_lines(base, one))

    def _dropped(self, best: Step) -> Iterator[Program]:
        """Programs with fewer and fewer of the best program's hunks; each passed its test."""
        base = self._task.baseline
        kept = self._pieces(best.program)
        groups = len(kept) if len(kept) <= _FEW else 2
        while len(kept) > 1:
            groups = min(groups, len(kept))
            fruitless, last = True, groups == len(kept)
            for group in _in_groups(kept, groups):
                rest = [hunk for hunk in kept if hunk not in group]
                variant = applied(base, rest)
                if self._passes(best, variant):
                    kept, fruitless = rest, False
                    yield variant
            if last:
                return
            groups = groups if not fruitless else 2 * groups

    def _passes(self, best: Step, variant: Program) -> bool:
        """Whether it may stand for the best; the baseline, found slower, may not."""
        if variant == self._task.baseline:
            return False
        if variant.digest not in self._answers:
            self._answers[variant.digest] = self._tested(best, variant)
        return self._answers[variant.digest] is True

    def _tested(self, best: Step, variant: Program) -> bool | None:
        """Whether the variant may stand for the best: by its score first, then by a comparison."""
        evaluation = self._evaluated(variant)
        if not evaluation.ok or self._scored_lower(best, evaluation):
            return False
        return self._not_slower(self._compared("drop", variant, best.program))

    def _scored_lower(self, best: Step, evaluation: Evaluation) -> bool:
        if evaluation.against == best.program.digest and evaluation.reference:
            ratio = evaluation.reference[0].median / max(evaluation.measurements[0].median, 1e-12)
        else:
            confirmed = self._state.tree.confirmed(best.id)
            ratio = evaluation.reward / (confirmed.value if confirmed else best.reward)
        return ratio < 1 - _FILTER

    def _not_slower(self, comparison: Comparison) -> bool | None:
        """Whether a comparison with the best shows a loss of no more than the margin.

        None if undecided.
        """
        if comparison.ratio is None:
            return False
        started = self._reduction.started
        tests = started.evaluations + _CONFIRMATIONS * _FALLBACKS
        low, high = bounds(comparison.ratio, RISK / tests)
        if low > 1 - started.margin:
            return True
        return False if high < 1 - started.margin else None

    # -- what takes the place of the best --------------------------------------------------------

    def _confirmed(self, best: Step, candidates: Iterable[Program]) -> Program | None:
        """First program shown by fresh samples as fast as the best, and faster than the baseline.

        The reduction's limits do not hold for comparisons.
        """
        base = self._task.baseline
        for program in list(candidates)[:_FALLBACKS]:
            self._limited = True
            try:
                right = program != base and self._evaluated(program).ok
            except _SpentError:
                continue
            self._limited = False
            if not right or not self._agrees(program):
                continue
            if self._holds(best, program):
                ratio = self._compared("baseline", program, base).ratio
                if ratio is not None and ratio.faster():
                    return program
        return None

    def _agrees(self, program: Program) -> bool:
        """Whether further inputs show no difference from the baseline."""
        result = self._reduction.fuzzed.get(program.digest)
        if result is None and (result := self._fuzz(program)) is not None:
            self._record(VariantFuzzed(program=program.digest, result=result))
        return result is None or result.counterexample is None

    def _holds(self, best: Step, program: Program) -> bool:
        """Whether a program is as fast as the best by fresh samples."""
        for _ in range(_CONFIRMATIONS):
            answer = self._not_slower(self._compared("confirm", program, best.program))
            if answer is not None:
                return answer
        return False

    # -- what each hunk is worth -----------------------------------------------------------------

    def _worths(self, program: Program) -> dict[Hunk, HunkWorth]:
        """Each hunk's worth: the program against itself without the hunk."""
        self._limited = True
        every = self._pieces(program)
        return {hunk: self._worth(program, every, i) for i, hunk in enumerate(every)}

    def _worth(self, program: Program, every: Sequence[Hunk], number: int) -> HunkWorth:
        base, hunk = self._task.baseline, every[number]
        place = hunk.path, hunk.header, hunk.size
        rest = [one for one in every if one != hunk]
        if not rest:  # without it, it is the baseline
            return HunkWorth(*place, self._confirmed_speedup(program))
        if number >= self._reduction.started.evaluations:
            return HunkWorth(*place, None, _UNMEASURED, Reason.BUDGET)
        try:
            found = self._compared("hunk", program, applied(base, rest))
        except _SpentError:
            return HunkWorth(*place, None, _UNMEASURED, Reason.BUDGET)
        reason = Reason.FAILED if found.ratio is None else None
        return HunkWorth(*place, found.ratio, found.problem, reason)

    def _confirmed_speedup(self, program: Program) -> Interval | None:
        found = self._reduction.last("baseline", program.digest, self._task.baseline.digest)
        return found.ratio if found else self._state.tree.confirmed(self._state.tree.best.id)

    # -- what the executor says, kept in the journal ---------------------------------------------

    def _evaluated(self, program: Program) -> Evaluation:
        known = self._reduction.evaluations.get(program.digest)
        known = known or self._state.evaluation(program.digest)
        if known is not None:
            return known
        self._check_limits(self._reduction.judged + 1 - self._extra)
        evaluation = Evaluation(Status.INFRASTRUCTURE)
        for _ in range(self._retries + 1):
            try:
                with error_context("executor", "the reduction of the best program"):
                    best = incumbent(self._state.tree)
                    evaluation = self._executor.evaluate(self._task, program, against=best)
            except ExecutorError as error:  # the search is over: it shall not fail now
                evaluation = Evaluation(Status.INFRASTRUCTURE, feedback=str(error))
            if evaluation.status is not Status.INFRASTRUCTURE:
                break
        self._record(
            VariantEvaluated(program=program.digest, evaluation=evaluation), named=[program]
        )
        return evaluation

    def _compared(self, purpose: Purpose, a: Program, b: Program) -> Comparison:
        key = (purpose, a.digest, b.digest)
        known = self._reduction.comparisons.get(key, [])
        self._used[key] += 1
        if self._used[key] <= len(known):
            return known[self._used[key] - 1]
        self._check_limits()
        margin = self._reduction.started.margin if purpose in ("drop", "confirm") else 0.0

        def compare() -> Comparison:
            return self._executor.compare(self._task, a, b, margin=margin)

        with error_context("executor", "the reduction of the best program"):
            try:
                comparison = patiently(self._retries, compare)
            except ExecutorError as error:  # the search is over: it shall not fail now
                comparison = Comparison(None, problem=str(error))
        event = VariantCompared(
            program=a.digest, against=b.digest, purpose=purpose, comparison=comparison
        )
        self._record(event, named=[a, b])
        return comparison

    def _check_limits(self, judged: int = 0) -> None:
        """Raise if the reduction has taken its share. By the recorded events, not by a clock."""
        reduction = self._reduction
        started, limit = reduction.started, reduction.started.seconds
        late = limit is not None and reduction.seconds >= limit
        if self._limited and (late or judged > started.evaluations):
            raise _SpentError


def _in_groups(kept: Sequence[Hunk], groups: int) -> list[list[Hunk]]:
    """Neighbouring hunks in so many groups, the largest group first."""
    ends = [round(len(kept) * i / groups) for i in range(groups + 1)]
    found = [list(kept[a:b]) for a, b in pairwise(ends) if b > a]
    return sorted(found, key=lambda group: -sum(hunk.size for hunk in group))


def bounds(ratio: Interval, risk: float) -> tuple[float, float]:
    """One-sided bounds of a ratio, each wrong with probability ``risk``.

    The interval is rescaled from its own level as if the logarithm of its estimate were normal,
    which the Hodges-Lehmann estimate is in the limit (Hollander, Wolfe and Chicken, "Nonparametric
    Statistical Methods", 3rd edition, section 3.2). Each of n tests gets an n-th of the whole risk
    (Bonferroni).
    """
    normal = NormalDist()
    stretch = normal.inv_cdf(1 - risk) / normal.inv_cdf((1 + ratio.level) / 2)
    low = ratio.value * (ratio.low / ratio.value) ** stretch if ratio.low > 0 else 0.0
    return low, ratio.value * (ratio.high / ratio.value) ** stretch
