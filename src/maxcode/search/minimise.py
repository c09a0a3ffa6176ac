"""Reduction of a search's best program to the changes needed for its gain.

The hunks of its diff from the baseline are left out in ever smaller groups: ddmin of A. Zeller and
R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE Transactions on Software
Engineering 28(2), 2002, with three answers. A hunk is *dropped* if the program without it is right
on all tests and not slower than the best by more than a margin; it is *kept* if the program without
it does not build, is wrong or is slower; an undecided hunk is kept, too. A hunk dropped because of
noise would be lost, so the risk of it is limited for all tests together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum, auto
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
    Reduced,
    ReductionStarted,
    VariantCompared,
    VariantEvaluated,
    VariantFuzzed,
)
from maxcode.journal.open import Reduction
from maxcode.journal.state import Recorder
from maxcode.program import Program
from maxcode.search.changes import Hunk, applied, changed_lines, hunks
from maxcode.search.plugins import error_context, incumbent, patiently
from maxcode.task import Task
from maxcode.tree import ROOT, Step

MARGIN = 0.01
"""Slowdown allowed for the reduced program, as a share of the best program's speed."""

RISK = 0.05
"""Probability of accepting a larger slowdown, over all tests together."""

_OF_GAIN = 0.2  # the margin is no more than this share of what was gained
_LEAST = 10  # evaluations of a reduction, however few the search had
_FILTER = 0.05  # a score this much below the best's is not worth a comparison
_FEW = 8  # hunks that are tried one by one at once
_CONFIRMATIONS = 3  # of a program, as long as they cannot tell
_FALLBACKS = 3  # programs that are confirmed, each after the one before did not hold


_UNMEASURED = "not measured: the reduction had taken its share of the budget"


class Answer(Enum):
    """Verdict on leaving something out."""

    DROP = auto()
    KEEP = auto()
    UNDECIDED = auto()


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
        self._answers: dict[str, Answer] = {}
        self._limited = True

    def run(self, share: float, budget: Budget, ending: Ending, *, again: bool) -> Iterator[Step]:
        """Reduce the best program, if it was confirmed; gives the step that takes its place.

        ``share`` is how much of the search's spending this may take (``Options.minimise``);
        ``budget`` and ``ending`` are the search's, at its end. A finished reduction is continued
        only with ``again``, and only if it had taken its share by then.
        """
        best = self._state.tree.best
        known = self._state.work.reduction
        if known and known.reduced and known.started.step in (best.id, best.reduced_from):
            if known.hunks is None:  # it was cut off
                self._attribute(best)
            if not (again and self._spent(known)):
                return
        elif known and known.started.step == best.id:
            yield from self._reduce(best)
            return
        if self._worth_it(best):
            self._begin(best, share, budget, ending)
            yield from self._reduce(best)

    def _worth_it(self, best: Step) -> bool:
        """Whether there is more than one change, and the gain is beyond doubt."""
        speedup = self._state.tree.confirmed(best.id)
        if (
            best.id == ROOT
            or self._state.progress.returned is not None
            or not speedup
            or speedup.low <= 1
        ):
            return False
        return len(hunks(self._task.baseline, best.program)) > 1

    def _begin(self, best: Step, share: float, budget: Budget, ending: Ending) -> None:
        speedup = self._state.tree.confirmed(best.id)
        gain = 1 - 1 / speedup.low if speedup else 0.0
        self._record(
            ReductionStarted(
                step=best.id,
                budget=budget,
                **ending._asdict(),
                evaluations=max(_LEAST, ceil(share * self._state.account.settled.evaluations)),
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
        base = self._task.baseline
        before = changed_lines(base, best.program)
        smaller = [one for one in self._candidates(best) if changed_lines(base, one) < before]
        found = self._confirmed(best, smaller)
        after = changed_lines(base, found) if found else before
        event = Reduced(
            step=best.id, program=found.digest if found else "", before=before, after=after
        )
        steps = self._record(event, named=[found] if found else [])
        self._attribute(self._state.tree.best)
        yield from steps

    # -- which hunks may be left out -------------------------------------------------------------

    def _candidates(self, best: Step) -> list[Program]:
        """Smaller programs that passed their tests, the smallest first."""
        base, found = self._task.baseline, []
        with suppress(_SpentError):
            for program in self._dropped(best):
                found.append(program)  # noqa: PERF402 - those before it is spent are kept
        return sorted(found, key=lambda one: changed_lines(base, one))

    def _dropped(self, best: Step) -> Iterator[Program]:
        """Programs with fewer and fewer of the best program's hunks; each passed its test."""
        base = self._task.baseline
        kept = hunks(base, best.program)
        groups = len(kept) if len(kept) <= _FEW else 2
        while len(kept) > 1:
            groups = min(groups, len(kept))
            fruitless = True
            for group in _in_groups(kept, groups):
                rest = [hunk for hunk in kept if hunk not in group]
                variant = applied(base, rest)
                if self._passes(best, variant):
                    kept, fruitless = rest, False
                    yield variant
            if fruitless and groups >= len(kept):
                return
            groups = groups if not fruitless else 2 * groups

    def _passes(self, best: Step, variant: Program) -> bool:
        """Whether it may stand for the best; the baseline, found slower, may not."""
        if variant == self._task.baseline:
            return False
        if variant.digest not in self._answers:
            self._answers[variant.digest] = self._tested(best, variant)
        return self._answers[variant.digest] is Answer.DROP

    def _tested(self, best: Step, variant: Program) -> Answer:
        """Whether the variant may stand for the best: by its score first, then by a comparison."""
        evaluation = self._evaluated(variant)
        if evaluation.status is Status.INFRASTRUCTURE:
            return Answer.UNDECIDED
        if not evaluation.ok or self._scored_lower(best, evaluation):
            return Answer.KEEP
        return self._not_slower(self._compared("drop", variant, best.program))

    def _scored_lower(self, best: Step, evaluation: Evaluation) -> bool:
        if evaluation.against == best.program.digest and evaluation.reference:
            ratio = evaluation.reference[0].median / max(evaluation.measurements[0].median, 1e-12)
        else:
            confirmed = self._state.tree.confirmed(best.id)
            ratio = evaluation.reward / (confirmed.value if confirmed else best.reward)
        return ratio < 1 - _FILTER

    def _not_slower(self, comparison: Comparison) -> Answer:
        """Whether a comparison with the best shows a loss of no more than the margin."""
        if comparison.ratio is None:
            return Answer.KEEP
        started = self._reduction.started
        tests = started.evaluations + _CONFIRMATIONS * _FALLBACKS
        low, high = bounds(comparison.ratio, RISK / tests)
        if low > 1 - started.margin:
            return Answer.DROP
        return Answer.KEEP if high < 1 - started.margin else Answer.UNDECIDED

    # -- what takes the place of the best --------------------------------------------------------

    def _confirmed(self, best: Step, candidates: Iterable[Program]) -> Program | None:
        """First program shown by fresh samples as fast as the best, and faster than the baseline.

        The reduction's limits do not hold here.
        """
        self._limited = False
        base = self._task.baseline
        for program in list(candidates)[:_FALLBACKS]:
            if not self._evaluated(program).ok or not self._agrees(program):
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
            if answer is not Answer.UNDECIDED:
                return answer is Answer.DROP
        return False

    # -- what each hunk is worth -----------------------------------------------------------------

    def _attribute(self, best: Step) -> None:
        """Measure the best program against itself without each of its hunks."""
        self._limited = True
        base, started = self._task.baseline, self._reduction.started
        found: list[HunkWorth] = []
        every = hunks(base, best.program)
        for measured, hunk in enumerate(every):
            rest = [one for one in every if one != hunk]
            worth, problem, reason = None, "", None
            if not rest:
                worth = self._state.tree.confirmed(best.id)  # without it, it is the baseline
            elif measured >= started.evaluations:
                problem, reason = _UNMEASURED, Reason.BUDGET
            else:
                try:
                    comparison = self._compared("hunk", best.program, applied(base, rest))
                    worth, problem = comparison.ratio, comparison.problem
                    reason = Reason.FAILED if worth is None else None
                except _SpentError:
                    problem, reason = _UNMEASURED, Reason.BUDGET
            found.append(HunkWorth(hunk.path, hunk.header, hunk.size, worth, problem, reason))
        self._record(HunksMeasured(hunks=tuple(found)))

    # -- what the executor says, kept in the journal ---------------------------------------------

    def _evaluated(self, program: Program) -> Evaluation:
        known = self._reduction.evaluations.get(program.digest)
        known = known or self._state.evaluation(program.digest)
        if known is not None:
            return known
        self._check_limits(self._reduction.judged + 1)
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

    def _compared(self, purpose: str, a: Program, b: Program) -> Comparison:
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
        event = VariantCompared.model_validate(
            {
                "program": a.digest,
                "against": b.digest,
                "purpose": purpose,
                "comparison": comparison,
            }
        )
        self._record(event, named=[a, b])
        return comparison

    def _check_limits(self, judged: int = 0) -> None:
        """Raise if the reduction has taken its share. By the recorded events, not by a clock."""
        reduction = self._reduction
        spent = self._late(reduction) or judged > reduction.started.evaluations
        if self._limited and spent:
            raise _SpentError

    def _spent(self, reduction: Reduction) -> bool:
        """Whether a reduction had taken its share, so that it may have more to find."""
        return self._late(reduction) or reduction.judged >= reduction.started.evaluations

    @staticmethod
    def _late(reduction: Reduction) -> bool:
        limit = reduction.started.seconds
        return limit is not None and reduction.seconds >= limit


def _in_groups(kept: Sequence[Hunk], groups: int) -> list[list[Hunk]]:
    """Neighbouring hunks in so many groups, the largest group first."""
    ends = [round(len(kept) * i / groups) for i in range(groups + 1)]
    found = [list(kept[a:b]) for a, b in pairwise(ends) if b > a]
    return sorted(found, key=lambda group: -sum(hunk.size for hunk in group))


def bounds(ratio: Interval, risk: float) -> tuple[float, float]:
    """One-sided bounds of a ratio, each wrong with probability ``risk``.

    The interval has its own level; it is made narrower or wider as if the logarithm of its estimate
    were normal, which the Hodges-Lehmann estimate is in the limit (Hollander, Wolfe and Chicken,
    "Nonparametric Statistical Methods", 3rd edition, section 3.2). The risk of several tests is at
    most the sum of their risks (Bonferroni), so each of n gets an n-th of it.
    """
    normal = NormalDist()
    stretch = normal.inv_cdf(1 - risk) / normal.inv_cdf((1 + ratio.level) / 2)
    low = ratio.value * (ratio.low / ratio.value) ** stretch if ratio.low > 0 else 0.0
    return low, ratio.value * (ratio.high / ratio.value) ** stretch
