"""The state that a run's events add up to, and the recorder through which new events enter it.

Live searches, resumed ones and reports share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any, get_args

from maxcode.budget import FREE, Budget, Cost, Usage
from maxcode.errors import JournalError, MaxcodeError
from maxcode.evaluation import (
    Baseline,
    Evaluation,
    Interval,
    Status,
)
from maxcode.journal.events import (
    Answered,
    Asked,
    BaselineMeasured,
    Committed,
    Compared,
    Critiqued,
    Ending,
    Evaluated,
    Event,
    Fuzzed,
    Granted,
    HeldOutMeasured,
    HunksMeasured,
    Profiled,
    ProposalRecord,
    Proposed,
    Ranked,
    Reduced,
    ReductionStarted,
    Requested,
    Returned,
    RunStarted,
    SessionStarted,
    Stopped,
    VariantCompared,
    VariantEvaluated,
    VariantFuzzed,
)
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.lease import PERIOD, Left
from maxcode.journal.open import OpenExpansion, Reduction
from maxcode.program import Program
from maxcode.ranking import Agreement, Estimates
from maxcode.system import garbage_kept
from maxcode.tree import ROOT, SearchTree, Step

_JUDGED = Cost(evaluations=1)
_Reducing = (
    ReductionStarted | VariantEvaluated | VariantCompared | VariantFuzzed | Reduced | HunksMeasured
)
NO_ANSWER = "no-answer"
"""The tag of a step in whose place no model answered."""


class RunState:
    """All that follows from a run's events, kept up to date by :meth:`apply`.

    What a policy may see changes only by Asked, Committed, Compared and Fuzzed events, which are
    written in an order that does not depend on the clock; everything else waits in ``open`` until
    its expansion is committed.
    """

    def __init__(self, log: RunLog) -> None:
        self.log = log
        self.started: RunStarted | None = None
        self.baseline: Baseline | None = None
        self.open: dict[int, OpenExpansion] = {}
        self.evaluations: dict[str, Evaluation] = {}  # by digest, not yet in the tree
        self.decided: set[int] = set()  # steps with a conclusive comparison
        self.failed: set[tuple[int, int]] = set()  # comparisons without a result, as pairs
        self.reduction: Reduction | None = None  # of the last best program that was reduced
        self.reducing = 0  # evaluations that reductions took, of those spent
        self.returned: int | None = None  # the step returned, where it is not the best one
        self.stopped: Stopped | None = None
        self.session: SessionStarted | None = None
        self._provisional: list[int] = []  # steps confirmed after a plug-in had failed
        self.recipe_changes: dict[str, Any] = {}  # of all sessions
        self.by_status: Counter[Status] = Counter()
        self.usage: dict[str, Usage] = {}  # of models, by name
        self.estimates = Estimates()
        self.last_event = -1  # its number in the run
        self.snapshot = -1  # the last event that the newest snapshot of the run holds
        self.last_committed: tuple[Step, ...] = ()
        self.comparison_seconds = 0.0  # the slowest so far; what the next is expected to take
        self.fuzz_seconds = 0.0  # likewise, of comparisons on generated inputs
        self.held_out_seconds = 0.0
        self._proposal_seconds = 0.0
        self._evaluation_seconds = 0.0
        self.answered = False  # whether there ever were proposals
        self.no_answers = 0  # expansions in a row to which no model answered, in this session
        self.stagnation = 0  # candidates in a row that were nothing new to run
        self._tree: SearchTree | None = None
        self._settled = FREE
        self._seconds_before = 0.0  # in sessions that ended
        self._session_from = 0.0
        self._now = 0.0

    @classmethod
    def load(cls, log: RunLog) -> RunState:
        """Fold all events of a run."""
        state = cls(log)
        with garbage_kept():
            for recorded in log.events():
                state.apply(recorded)
        return state

    @property
    def tree(self) -> SearchTree:
        """The tree. Raises :class:`JournalError` before the baseline was measured."""
        if self._tree is None:
            raise JournalError(
                f"run {self.log.run_id} stopped before its baseline was measured; it has no steps"
            )
        return self._tree

    @property
    def has_tree(self) -> bool:
        """Whether the baseline was measured."""
        return self._tree is not None

    @property
    def budget(self) -> Budget:
        """The budget of the last session."""
        latest = self.session or self.started
        return latest.budget if latest else Budget()

    @property
    def settled(self) -> Cost:
        """What committed expansions have cost, and the seconds of all sessions.

        An evaluation is charged to the first step that has its program, in the order of
        commitment, so the count does not depend on which of two finished first.
        """
        seconds = self._seconds_before + self._now - self._session_from
        return replace(self._settled, seconds=seconds)

    @property
    def spent(self) -> Cost:
        """All that the run has cost up to its last event, open expansions included."""
        judged = Cost(evaluations=sum(_charge(e).evaluations for e in self.evaluations.values()))
        settled = self.settled
        total = sum((one.paid for one in self.open.values()), settled + judged)
        return replace(total, seconds=settled.seconds)

    def unrecorded(self, left: Left | None) -> float:
        """The most seconds that a killed session went on for which no event accounts.

        Whatever a session is killed in, a long evaluation or before its first event, counts up to
        the heartbeat that never came, so that no budget in seconds is passed by kills.
        """
        if left is None:
            return 0.0
        of_session = self.session is not None and self.session.process == left.process
        if not of_session or left.elapsed is None:  # it had not written anything, or just begun
            return 0.0 if of_session and self.stopped else left.seconds + PERIOD
        since = min(left.elapsed - self._now, left.seconds)
        if self.stopped and since <= 0:
            return 0.0
        return max(since + PERIOD, 0.0)

    @property
    def paid_ahead(self) -> Cost:
        """What expansions have cost that are not committed yet, but for their evaluations."""
        return sum((one.paid for one in self.open.values()), FREE)

    @property
    def unanswered(self) -> list[Answered]:
        """A charge for each request that was under way when the last session was killed."""
        if self.stopped:
            return []
        return [
            asked.charged(sample)
            for opened in self.open.values()
            for (*_, sample), asked in opened.requested.items()
        ]

    @property
    def outcomes(self) -> Counter[Status]:
        """How candidates ended; those counted too that were judged and await their commitment."""
        # A failure of the harness stays in `evaluations` after its step was counted.
        waiting = (e.status for e in self.evaluations.values())
        return self.by_status + Counter(s for s in waiting if s is not Status.INFRASTRUCTURE)

    def evaluation(self, digest: str) -> Evaluation | None:
        """The verdict on a program; None when there is none, or only a failure of the harness."""
        waiting = self.evaluations.get(digest)
        if waiting is not None and waiting.status is not Status.INFRASTRUCTURE:
            return waiting
        step = self.tree.find(digest)
        return step.evaluation if step else None

    def ended(self, budget: Budget) -> Ending | None:
        """Why the search is over at this budget, if its best program is being or was reduced."""
        started = self.reduction.started if self.reduction else None
        return started.ending if started and started.budget == budget else None

    @property
    def machine(self) -> str:
        """What the executor says of the hardware that programs run on."""
        return self.baseline.machine if self.baseline else ""

    def expected_seconds(self, propose: int, run: int) -> float:
        """What so many proposals, their ranking and so many evaluations take, going by the worst.

        One evaluation after another; several at a time take less.
        """
        proposals, evaluations = self._proposal_seconds * propose, self._evaluation_seconds * run
        return proposals + self.estimates.slowest + evaluations

    @property
    def agreement(self) -> Agreement:
        """Of estimates with what candidates turned out to be."""
        return self.estimates.agreement

    def to_compare(self, step: Step) -> bool:
        """Whether a step scored higher than the best, and has no conclusive comparison."""
        step = self.tree[step.id]  # which may have been found wrong
        promising = step.reward > self.tree.best_speedup.value and step.duplicate_of is None
        pair = (step.id, self.tree.best.id)
        return promising and step.id not in self.decided and pair not in self.failed

    def not_judged(self, number: int) -> str:
        """What the harness said if none of an open expansion's programs could be judged, or ""."""
        opened = self.open[number]
        proposals = opened.proposed.proposals if opened.proposed else ()
        digests = [d for index in opened.chosen if (d := proposals[index].program)]
        failed = [self.evaluations[d].feedback for d in digests if self.evaluation(d) is None]
        return (failed[0] or "it did not say why") if len(failed) == len(digests) > 0 else ""

    def apply(self, recorded: Recorded) -> tuple[Step, ...]:
        """Fold one event; gives the steps that it added to the tree.

        Raises :class:`JournalError` for one that cannot follow on those before it.
        """
        try:
            return self._apply(recorded)
        except MaxcodeError:
            raise
        except Exception as error:
            self.last_event = recorded.seq - 1  # who reads on meets it again
            raise JournalError(
                f"run {self.log.run_id}: event {recorded.seq} ({recorded.event.kind}) does not "
                f"fit those before it: {type(error).__name__}: {error}"
            ) from error

    def _apply(self, recorded: Recorded) -> tuple[Step, ...]:
        self._pass_time(recorded)
        # By type and not by isinstance, which of these classes takes longer than most of the rest.
        fold = _FOLDS.get(type(recorded.event), RunState._fold_into_expansion)
        return fold(self, recorded.event) or ()

    def _fold_run_started(self, event: RunStarted) -> None:
        self.started = event

    def _fold_session_started(self, event: SessionStarted) -> None:
        self.session, self.stopped, self.returned = event, None, None
        self.no_answers = 0
        self.recipe_changes |= event.recipe
        while self._provisional:
            self.tree.forget_confirmation(self._provisional.pop())

    def _pass_time(self, recorded: Recorded) -> None:
        """Add up the seconds of sessions; a session's clock says nothing of the one before it."""
        event, clock = recorded.event, recorded.clock
        if type(event) is SessionStarted:  # the one before may have been killed
            self._seconds_before = self.settled.seconds + event.prepared + event.unrecorded
            self._session_from = clock
        elif type(event) is RunStarted:
            self._session_from = clock
        elif clock < self._now:  # the time of day, which is all that older versions wrote, was set
            self._session_from -= self._now - clock
        self._now, self.last_event = clock, recorded.seq

    def _fold_stopped(self, event: Stopped) -> None:
        self.stopped = event
        for opened in self.open.values():
            opened.requested.clear()  # a session that ends of itself waits for answers

    def _fold_asked(self, event: Asked) -> None:
        for expansion in event.expansions:
            number = self.tree.ask(expansion)
            self.open[number] = OpenExpansion(number, expansion)

    def _fold_evaluated(self, event: Evaluated) -> None:
        self.open[event.number]  # which there has to be
        self.evaluations[event.program] = event.evaluation
        self._evaluation_seconds = max(self._evaluation_seconds, event.evaluation.seconds)

    def _fold_into_expansion(
        self, event: Granted | Requested | Answered | Proposed | Ranked | Profiled | Critiqued
    ) -> None:
        expansion = self.open[event.number]
        match event:
            case Granted():
                expansion.granted = event
            case Requested():
                expansion.request(event)
            case Answered():
                expansion.answer(event)
                used = self.usage.get(event.call.model, Usage())
                self.usage[event.call.model] = used.plus(event.call)
            case Proposed():
                expansion.proposed = event
                self.answered |= any(NO_ANSWER not in one.tags for one in event.proposals)
                each = event.seconds / max(len(event.proposals), 1)
                self._proposal_seconds = max(self._proposal_seconds, each)
                costs = (proposal.cost for proposal in event.proposals)
                expansion.claimed["generator", None] = sum(costs, FREE)
            case Ranked():
                expansion.ranked = event
                self.estimates.took(event.seconds)
                costs = (value.cost for value in event.values if value)
                expansion.claimed["reward-to-go", None] = sum(costs, FREE)
            case Profiled():
                expansion.profiles[event.step] = event.profile
            case Critiqued():
                expansion.critiques[event.step] = event.critique
                expansion.claimed["critic", event.step] = event.critique.cost

    def _fold_baseline(self, event: BaselineMeasured) -> None:
        if self.started is None:
            raise JournalError(f"run {self.log.run_id} does not begin with its start")
        self.baseline = event.baseline
        program = self.log.program(self.started.baseline)
        self._tree = SearchTree.planted(program, event.baseline, self.started.options.gamma)

    def _fold_committed(self, event: Committed) -> tuple[Step, ...]:
        done = self.open.pop(event.number)
        proposals = done.proposed.proposals if done.proposed else ()
        tree, steps = self.tree, []
        for index in done.chosen:
            step = self._step(done, index, proposals[index])
            tree.add(step)
            steps.append(step)
            self.by_status[step.evaluation.status] += 1
            if tree.find(step.program.digest):  # only a failure of the harness is not kept
                self.evaluations.pop(step.program.digest, None)
        for step_id, profile in done.profiles.items():
            self.tree.annotate(step_id, profile=profile)
        for step_id, critique in done.critiques.items():
            self.tree.annotate(step_id, critique=critique)
        run = done.granted.run if done.granted else done.expansion.children
        tree.close(event.number, cut_short=run < done.expansion.children)
        done.evaluations = sum(step.cost.evaluations for step in steps)
        self._settled += done.paid
        self.stagnation = 0 if done.evaluations else self.stagnation + run
        if steps:
            unanswered = all(NO_ANSWER in step.tags for step in steps)
            self.no_answers = self.no_answers + 1 if unanswered else 0
        self.estimates.note(done.expansion.parent, steps)
        self.last_committed = tuple(steps)
        return self.last_committed

    def _step(self, done: OpenExpansion, index: int, proposal: ProposalRecord) -> Step:
        tree = self.tree
        parent = tree[done.expansion.parent]
        digest, duplicate_of, cost = proposal.program, None, proposal.cost
        if digest is None:
            program = parent.program
            evaluation = Evaluation(Status.INVALID, feedback=proposal.problem)
        elif first := tree.find(digest):
            program, evaluation, duplicate_of = first.program, first.evaluation, first.id
        else:
            program, evaluation = self.log.program(digest), self.evaluations[digest]
            charge = _charge(evaluation)
            cost = charge if cost == FREE else cost + charge
        return Step(
            id=len(tree),
            parent=parent.id,
            program=program,
            evaluation=evaluation,
            expansion=done.number,
            summary=proposal.summary,
            tags=proposal.tags,
            value=done.ranked.values[index] if done.ranked and digest else None,
            duplicate_of=duplicate_of,
            cost=cost,
        )

    def _fold_reduction(self, event: _Reducing) -> tuple[Step, ...]:
        if isinstance(event, ReductionStarted):
            before = self.reduction
            self.reduction = Reduction(event)
            if before is not None:  # a verdict on a program holds for other reductions, too
                judged = before.evaluations.items()
                self.reduction.evaluations.update(
                    (digest, e) for digest, e in judged if e.status is not Status.INFRASTRUCTURE
                )
            return ()
        reduction = self.reduction
        if reduction is None:
            raise JournalError(f"run {self.log.run_id}: a reduction goes on that never began")
        match event:
            case VariantEvaluated():
                reduction.evaluations[event.program] = event.evaluation
                reduction.judged += 1
                self.reducing += 1
                reduction.seconds += event.evaluation.seconds
                self._settled += _charge(event.evaluation)
            case VariantCompared():
                pair = (event.purpose, event.program, event.against)
                reduction.comparisons.setdefault(pair, []).append(event.comparison)
                reduction.seconds += event.comparison.seconds
            case VariantFuzzed():
                reduction.fuzzed[event.program] = event.result
                self.tree.add_counterexample(event.result)
                reduction.seconds += event.result.seconds
            case HunksMeasured():
                reduction.hunks = event.hunks
            case Reduced():
                reduction.reduced = event
                return self._replace_best(event, reduction) if event.program else ()
        return ()

    def _replace_best(self, event: Reduced, reduction: Reduction) -> tuple[Step, ...]:
        """Put what a step was reduced to in its place."""
        digest, winner = event.program, self.tree[event.step]
        evaluation = reduction.evaluations.get(digest) or self.evaluation(digest)
        if evaluation is None:
            raise JournalError(f"run {self.log.run_id}: a reduced program was never judged")
        step = Step(
            id=len(self.tree),
            parent=winner.id,
            program=self.log.program(digest),
            evaluation=evaluation,
            expansion=self.tree[len(self.tree) - 1].expansion,
            summary=f"#{winner.id} reduced from {event.before} changed lines to {event.after}",
            tags=(*winner.tags, "reduced"),
            reduced_from=winner.id,
        )
        self.tree.add_reduced(step)
        alike = reduction.last("confirm", digest, winner.program.digest)
        against = reduction.last("baseline", digest, self.tree.root.program.digest)
        same = Interval(1.0, 1.0, 1.0)  # where only spaces and comments differ, nothing is measured
        self.tree.promote(step.id, alike.ratio if alike and alike.ratio else same)
        if against is not None:
            self.tree.confirm(step.id, against)
        if digest in reduction.fuzzed:
            self.tree.fuzz(step.id, reduction.fuzzed[digest])
        self.decided.add(step.id)
        self.by_status[step.evaluation.status] += 1
        return (step,)

    def _fold_compared(self, event: Compared) -> None:
        if event.provisional:
            if event.comparison.ratio is not None:
                self.tree.confirm(event.step, event.comparison)
                self._provisional.append(event.step)
            return
        if event.comparison.ratio is not None:
            self.decided.add(event.step)
        else:  # whose fault it was will show: against another it may be compared again
            self.failed.add((event.step, event.against))
        self.comparison_seconds = max(self.comparison_seconds, event.comparison.seconds)
        ratio = event.comparison.ratio
        if event.promoted and ratio is not None:
            self.tree.promote(event.step, ratio)
        elif event.against == ROOT and event.step == self.returned:
            if ratio is not None:
                self.tree.confirm(event.step, event.comparison)
            else:  # what fails when it is measured again is not returned
                self.returned = ROOT
        elif event.against == ROOT and event.step == self.tree.best.id:
            if ratio is not None:
                self.tree.confirm(event.step, event.comparison)
            if ratio is None or ratio.low <= 1:  # the one before did beat the baseline
                self.tree.demote()
                self.last_committed = ()  # the end of the search looks at all steps again

    def _fold_held_out(self, event: HeldOutMeasured) -> None:
        self.tree.hold_out(event.step, event.held_out)
        self.held_out_seconds = max(self.held_out_seconds, event.held_out.seconds)

    def _fold_returned(self, event: Returned) -> None:
        self.returned = event.step

    def _fold_fuzzed(self, event: Fuzzed) -> None:
        self.fuzz_seconds = max(self.fuzz_seconds, event.result.seconds)
        best = self.tree.best.id
        for step in self.tree.fuzz(event.step, event.result):
            self.by_status[step.evaluation.status] -= 1
            self.by_status[Status.WRONG_ANSWER] += 1
        if self.tree.best.id != best:
            self.last_committed = ()  # as after a demotion


_FOLDS: dict[type[Any], Callable[[RunState, Any], tuple[Step, ...] | None]] = {
    RunStarted: RunState._fold_run_started,
    SessionStarted: RunState._fold_session_started,
    BaselineMeasured: RunState._fold_baseline,
    Asked: RunState._fold_asked,
    Evaluated: RunState._fold_evaluated,
    Committed: RunState._fold_committed,
    Compared: RunState._fold_compared,
    Fuzzed: RunState._fold_fuzzed,
    HeldOutMeasured: RunState._fold_held_out,
    Returned: RunState._fold_returned,
    **dict.fromkeys(get_args(_Reducing), RunState._fold_reduction),
    Stopped: RunState._fold_stopped,
}
"""How events are folded; those that are not here belong to an open expansion."""


def _charge(evaluation: Evaluation) -> Cost:
    """What judging takes from the budget: nothing when the harness failed."""
    return FREE if evaluation.status is Status.INFRASTRUCTURE else _JUDGED


Observer = Callable[[Event, RunState], None]
"""Called after each event, from the thread that made it, one call at a time."""


class Recorder:
    """Writes events to the journal, folds them into the state, and calls observers, in this order.

    One lock around all three: the state never holds what the journal does not, or on a database
    server will not hold in a moment. What is recorded with ``sync`` is there when that returns.
    """

    def __init__(self, log: RunLog, state: RunState, observers: Sequence[Observer] = ()) -> None:
        self.state = state
        self._log = log
        self._observers = tuple(observers)
        self._lock = RLock()

    def __call__(
        self,
        *events: Event,
        named: Iterable[Program] = (),
        texts: Iterable[str] = (),
        sync: bool = False,
    ) -> tuple[Step, ...]:
        """Record events, and what they name; gives the steps they added to the tree.

        ``sync`` for what was paid for: see :meth:`RunLog.append`.
        """
        with self._lock:
            steps: list[Step] = []
            written = self._log.append(*events, named=named, texts=texts, sync=sync, wait=False)
            for recorded in written:
                steps += self.state.apply(recorded)
            for recorded in written:
                for observer in self._observers:
                    observer(recorded.event, self.state)
        if sync and written:  # without the lock: what others record goes into the same transaction
            self._log.flush(written[-1].seq)
        return tuple(steps)

    @property
    def lags(self) -> bool:
        """Whether something was recorded that is not in the journal yet."""
        return self._log.lags

    def flush(self) -> None:
        """Wait until all that was recorded is in the journal."""
        self._log.flush(self.state.last_event)
