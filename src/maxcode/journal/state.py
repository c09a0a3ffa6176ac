"""State of a run, the sum of its events, and the recorder through which new events enter it.

Live searches, resumed ones and reports share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any

from maxcode.budget import Budget, Cost
from maxcode.errors import JournalError, MaxcodeError
from maxcode.evaluation import Baseline, Evaluation, Status
from maxcode.journal.account import Account, charge
from maxcode.journal.events import (
    Answered,
    Asked,
    BaselineMeasured,
    Committed,
    Compared,
    Ending,
    Evaluated,
    Event,
    Fuzzed,
    HeldOutMeasured,
    HunksMeasured,
    Proposed,
    Ranked,
    Reduced,
    ReductionStarted,
    Returned,
    RunStarted,
    SessionStarted,
    Stopped,
    Trained,
    VariantCompared,
    VariantEvaluated,
    VariantFuzzed,
)
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.open import ExpansionEvent, OpenExpansion, OpenWork, ReductionEvent
from maxcode.journal.progress import Progress
from maxcode.program import Program
from maxcode.tree import SearchTree, Step


class RunState:
    """State folded from a run's events, kept up to date by :meth:`apply`.

    ``progress`` is the tree and the next work, ``account`` the cost, ``work`` all work begun. What
    a policy sees changes only by events written in an order independent of the clock: Asked,
    Committed, Compared and Fuzzed.
    """

    def __init__(self, log: RunLog) -> None:
        self.log = log
        self.started: RunStarted | None = None
        self.session: SessionStarted | None = None
        self.stopped: Stopped | None = None
        self.baseline: Baseline | None = None
        self.trained: list[Trained] = []
        self.recipe_changes: dict[str, Any] = {}  # of all sessions
        self.last_event = -1  # its number in the run
        self.progress = Progress(log)
        self.account = Account()
        self.work = OpenWork()

    @classmethod
    def load(cls, log: RunLog) -> RunState:
        """Fold all events of a run."""
        state = cls(log)
        for recorded in log.events():
            state.apply(recorded)
        return state

    @property
    def tree(self) -> SearchTree:
        """The tree. Raises :class:`JournalError` before the baseline was measured."""
        return self.progress.tree

    @property
    def has_tree(self) -> bool:
        """Whether the baseline was measured."""
        return self.baseline is not None

    @property
    def budget(self) -> Budget:
        """The budget of the last session."""
        latest = self.session or self.started
        return latest.budget if latest else Budget()

    @property
    def machine(self) -> str:
        """Hardware the programs run on, as the executor describes it."""
        return self.baseline.machine if self.baseline else ""

    @property
    def spent(self) -> Cost:
        """Whole cost of the run up to its last event, open expansions included."""
        settled, judged = self.account.settled, Cost(evaluations=len(self.work.judged))
        return replace(settled + judged + self.work.paid, seconds=settled.seconds)

    @property
    def unanswered(self) -> list[Answered]:
        """Charge for each request under way when the last session was killed."""
        requested = [one.requested for one in self.work.expansions.values() if not self.stopped]
        return [asked.charged(key[-1]) for one in requested for key, asked in one.items()]

    @property
    def outcomes(self) -> Counter[Status]:
        """Outcomes of candidates, judged ones awaiting their commitment included."""
        return self.progress.by_status + Counter(v.status for v in self.work.judged.values())

    def evaluation(self, digest: str) -> Evaluation | None:
        """The verdict on a program; None when there is none, or only a failure of the harness."""
        step = self.tree.find(digest)
        return step.evaluation if step else self.work.judged.get(digest)

    def ended(self, budget: Budget) -> Ending | None:
        """Why the search is over at this budget, if its best program is being or was reduced."""
        started = self.work.reduction.started if self.work.reduction else None
        return started.ending if started and started.budget == budget else None

    def expected_seconds(self, propose: int, run: int) -> float:
        """Seconds of so many proposals, their ranking and so many evaluations, by the slowest.

        Evaluations in sequence; several at a time take less.
        """
        each = self.account.expected
        proposals, evaluations = each("proposed") * propose, each("evaluated") * run
        return proposals + self.progress.estimates.slowest + evaluations

    def not_judged(self, number: int) -> str:
        """The harness's words if none of an open expansion's programs could be judged, or ""."""
        opened = self.work.expansions[number]
        digests = [digest for one in opened.candidates if (digest := one.program)]
        failed = [self.work.evaluations[d].feedback for d in digests if self.evaluation(d) is None]
        return (failed[0] or "it did not say why") if len(failed) == len(digests) > 0 else ""

    def apply(self, recorded: Recorded) -> tuple[Step, ...]:
        """Fold an event; gives the steps added to the tree.

        Raises :class:`JournalError` for an event that cannot follow on the events before it.
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

    def _apply(self, recorded: Recorded) -> tuple[Step, ...]:  # noqa: C901, PLR0912 - a case each
        event, self.last_event = recorded.event, recorded.seq
        if isinstance(event, RunStarted | SessionStarted):  # the one before may have been killed
            self._begin(event, recorded.clock)
            return ()
        self.account.pass_time(recorded.clock)
        match event:  # the most frequent first
            case Asked():
                for expansion in event.expansions:
                    number = self.tree.ask(expansion)
                    self.work.expansions[number] = OpenExpansion(number, expansion)
            case Evaluated():
                self.work.expansions[event.number]  # which there has to be
                self.work.evaluations[event.program] = event.evaluation
                self.account.took(event.kind, event.evaluation.seconds)
            case Committed():
                done = self.work.expansions.pop(event.number)
                steps = self.progress.commit(done, self.work)
                self.account.settle(done.paid)
                return steps
            case BaselineMeasured():
                self._plant(event.baseline)
            case Compared():
                if not event.provisional:
                    self.account.took(event.kind, event.comparison.seconds)
                self.progress.compare(event)
            case Fuzzed():
                self.account.took(event.kind, event.result.seconds)
                self.progress.fuzz(event)
            case HeldOutMeasured():
                self.tree.hold_out(event.step, event.held_out)
                self.account.took(event.kind, event.held_out.seconds)
            case Stopped():
                self.stopped = event
                for opened in self.work.expansions.values():
                    opened.requested.clear()  # a session that ends of itself waits for answers
            case Trained():
                self.trained.append(event)
            case Returned():
                self.progress.returned = event.step
            case ReductionStarted():
                self.work.begin_reduction(event)
            case (
                VariantEvaluated() | VariantCompared() | VariantFuzzed() | Reduced()
                | HunksMeasured()
            ):  # fmt: skip
                return self._reduce(event)
            case _:
                self._expand(event)
        return ()

    def _begin(self, event: RunStarted | SessionStarted, clock: float) -> None:
        if isinstance(event, RunStarted):
            self.account.begin(clock)
            self.started = event
        else:
            self.account.begin(clock, event.prepared + event.unrecorded)
            self.session, self.stopped = event, None
            self.recipe_changes |= event.recipe
            self.progress.begin_session()

    def _plant(self, baseline: Baseline) -> None:
        if self.started is None:
            raise JournalError(f"run {self.log.run_id} does not begin with its start")
        program = self.log.program(self.started.baseline)
        self.progress.plant(program, baseline, self.started.options.gamma)
        self.baseline = baseline

    def _expand(self, event: ExpansionEvent) -> None:
        self.work.expansions[event.number].note(event)
        match event:
            case Answered():
                self.account.use(event.call)
            case Proposed():
                self.progress.propose(event)
                self.account.took(event.kind, event.seconds / max(len(event.proposals), 1))
            case Ranked():
                self.progress.estimates.took(event.seconds)

    def _reduce(self, event: ReductionEvent) -> tuple[Step, ...]:
        reduction = self.work.reduction
        if reduction is None:
            raise JournalError(f"run {self.log.run_id}: a reduction goes on that never began")
        reduction.note(event)
        match event:
            case VariantEvaluated():
                self.account.reducing += 1
                self.account.settle(charge(event.evaluation))
            case VariantFuzzed():
                self.tree.add_counterexample(event.result)
            case Reduced() if event.program:
                found = reduction.evaluations.get(event.program) or self.evaluation(event.program)
                return self.progress.replace_best(event, reduction, found)
        return ()


Observer = Callable[[Event, RunState], None]
"""Called after each event, from the thread that made it, one call at a time."""


class Recorder:
    """Writes events to the journal, folds them into the state, and calls observers, in this order.

    One lock around all three: the state never holds more than the journal.
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
        """Record events, with the programs and texts they name; gives the steps added to the tree.

        ``sync`` for paid work: see :meth:`RunLog.append`.
        """
        with self._lock:
            steps: list[Step] = []
            written = self._log.append(*events, named=named, texts=texts, sync=sync)
            for recorded in written:
                steps += self.state.apply(recorded)
            for recorded in written:
                for observer in self._observers:
                    observer(recorded.event, self.state)
        return tuple(steps)
